//! The `pillion` command.
fn main() {}
