//! Requirements that are written twice.

use super::{Code, Severity, findings};
use std::fmt::Write;

#[test]
fn a_requirement_that_is_written_twice_is_found_among_many() {
    let mut spec =
        "containers:\n- {name: a, image: x}\n- name: b\n  image: x\n  requires:\n".to_owned();
    // To compare each with all others would take minutes.
    for seconds in (1..=30_000).chain([7]) {
        writeln!(spec, "  - {{container: a, timeoutSeconds: {seconds}}}").unwrap();
    }
    assert_eq!(findings(&spec), [(Code::RequiredTwice, Severity::Warning)]);
}
