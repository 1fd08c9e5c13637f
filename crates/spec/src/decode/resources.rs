//! Requests and limits.

use super::{items, quantities, some_text};
use crate::resources::Resources;
use crate::tree::Node;

pub(super) fn resources(node: Node<'_>) -> Resources {
    Resources {
        requests: quantities(node, "requests"),
        limits: quantities(node, "limits"),
        claims: items(node, "claims")
            .filter_map(|claim| some_text(claim, "name"))
            .collect(),
    }
}
