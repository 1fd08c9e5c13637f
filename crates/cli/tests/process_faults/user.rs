//! The same as somebody who is not root.

use super::again::try_again;

/// What is tried again, as far as it does not take long.
const AGAIN: [&str; 10] = [
    "journal::",
    "kills::",
    "containers::",
    "shortage::",
    "refusals::",
    "stalls::",
    "survivors::",
    "twins::",
    "--skip=a_flood",
    "--skip=at_any_moment",
];

#[test]
fn the_same_holds_for_a_user_who_is_not_root() {
    try_again(&AGAIN);
}
