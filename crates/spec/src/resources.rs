//! What a container or a pod asks for of CPU, memory and other resources.

use crate::quantity::Quantity;
use std::collections::BTreeMap;

/// Requests and limits by resource name, as given: a limit without a request is not yet copied.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Resources {
    /// What must be free for it to be placed.
    pub requests: BTreeMap<String, Quantity>,
    /// What it may not exceed.
    pub limits: BTreeMap<String, Quantity>,
    /// The names of the pod's resource claims it uses.
    pub claims: Vec<String>,
}
