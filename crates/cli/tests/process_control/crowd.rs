//! More who talk than a pod listens to.

use super::place::Place;
use super::{READY, TWO, app};

/// More than a pod lets in at a time.
const CROWD: usize = 400;

#[test]
fn whoever_finds_a_crowd_is_told_so() {
    let place = Place::new();
    let _pod = place.run("orders", TWO, READY);
    let _crowd: Vec<_> = (0..CROWD).map(|_| place.connect("orders")).collect();

    let (_, error, code) = place.says(&["stop", "orders"]);

    assert_eq!(error, "error: too many others talk to this pod\n");
    assert_eq!(code, Some(2));
}

#[test]
fn a_reason_that_is_too_long_is_refused_as_such() {
    let place = Place::new();
    let script = r#""$PILLION" ask fail-pod --reason "$(head -c 70000 /dev/zero | tr '\0' r)" 2>&1 | cut -c1-40; "$PILLION" ask complete-pod"#;
    let pod = place.run("orders", &app(script), "invalid value");

    let (status, told) = pod.end();
    assert!(status.success(), "{told:?}");
}
