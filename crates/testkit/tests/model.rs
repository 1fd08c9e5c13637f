//! Every interleaving of small pods, judged by the laws.

use pillion_testkit::sweep::{Depth, Line, Progress, sweep};
use std::io::Write as _;
use std::sync::Mutex;

#[test]
fn small_pods_keep_every_promise_in_every_order_of_events() {
    let cut = Mutex::new(Vec::new());
    let all = sweep(Depth::Tests, |progress| {
        if let Progress::Line(
            line @ Line {
                family, explored, ..
            },
        ) = progress
        {
            tell(line);
            cut.lock().unwrap().extend(explored.cut.then_some(*family));
        }
    });

    let all = all.unwrap_or_else(|broken| panic!("{broken}"));
    tell(&format!("in all: {all}"));
    let cut = cut.into_inner().unwrap();
    for whole in ["two containers", "four containers, one trouble"] {
        assert!(!cut.contains(&whole), "states of {whole} were left out");
    }
}

/// The number of states is the proof of the work: it is shown also when the test passes, which `println!` would not do.
fn tell(line: &impl std::fmt::Display) {
    let _ = writeln!(std::io::stdout(), "{line}");
}
