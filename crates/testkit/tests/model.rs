//! Every interleaving of small pods, judged by the laws.

use pillion_engine::Engine;
use pillion_testkit::explore::{Explored, explore};
use pillion_testkit::families::{FAULTS, HURRY, Specimen, two};

/// More states than any of these pods has.
const MOST: usize = 1_000_000;

#[test]
fn two_containers_keep_every_promise_in_every_order_of_events() {
    let mut all = Explored::default();
    for Specimen { name, pod } in two::pods() {
        for trouble in [FAULTS, HURRY] {
            match explore::<Engine>(&pod, trouble.limits, MOST) {
                Ok(explored) => all = all.and(explored),
                Err(found) => panic!("{name}, {}: {found}", trouble.name),
            }
        }
    }
    #[expect(
        clippy::print_stdout,
        reason = "the number of states is the proof of the work"
    )]
    {
        println!("every interleaving of two containers: {all}");
    }
    assert!(!all.cut, "some states were left out");
}
