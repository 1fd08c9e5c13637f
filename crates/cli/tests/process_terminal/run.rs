//! Somebody sits in front of a pod itself.

use super::place::Place;
use super::seat::Seat;

/// Does not listen to anybody.
const DEAF: &str = "  containers:\n    - name: app\n      command: [sh, -c, 'trap \"\" TERM; echo up; while :; do sleep 0.05; done']\n";

const SHOW_CURSOR: &str = "\x1b[?25h";

#[test]
fn quit_kills_and_leaves_the_terminal_and_the_machine_as_they_were() {
    let place = Place::new();
    let file = place.file("orders", DEAF);
    let mut seat = Seat::run(&place.pillion(&["run", &file]));
    seat.sees("up");

    seat.types("\x1c");

    seat.sees(SHOW_CURSOR);
    let (status, _) = seat.end();
    assert_eq!(status.code(), Some(131));
    assert!(!place.room("orders").exists());
}
