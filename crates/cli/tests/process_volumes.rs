//! Volumes of pods that the real program runs: where they are, and that nothing is left of them.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "support/user.rs"]
mod again;
#[path = "process_volumes/around.rs"]
mod around;
#[path = "../../runtime/tests/support/machine.rs"]
mod machine;
#[path = "process_volumes/memory.rs"]
mod memory;
#[path = "process_volumes/places.rs"]
mod places;
#[expect(dead_code, reason = "faults need more of it")]
#[path = "support/pod.rs"]
mod pod;

#[test]
fn the_same_holds_for_a_user_who_is_not_root() {
    again::try_again(&["around::", "memory::", "places::"]);
}
