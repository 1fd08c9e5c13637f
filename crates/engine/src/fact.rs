//! What must be remembered so that a dead engine can be brought back.

/// Something that the driver writes down before it carries out the actions that follow.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Fact;
