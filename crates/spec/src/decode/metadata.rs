//! Names, labels and annotations.

use super::{some_text, text_map};
use crate::pod::Metadata;
use crate::tree::Node;

/// The metadata of an object; empty if it has none.
pub(crate) fn metadata(object: Node<'_>) -> Metadata {
    let Some(node) = object.get("metadata") else {
        return Metadata::default();
    };
    Metadata {
        name: some_text(node, "name"),
        generate_name: some_text(node, "generateName"),
        namespace: some_text(node, "namespace"),
        labels: text_map(node, "labels"),
        annotations: text_map(node, "annotations"),
    }
}
