//! Where each value of a pod stands in its file.
//!
//! A path is written as in Kubernetes' own messages, from the pod's top:
//! `spec.containers[2].requires[0].container`. Places are looked up in the document's tree when
//! somebody asks, so that they cost nothing for the files that have no mistakes. A path always has
//! a place: what does not stand in the file is placed at the nearest thing around it that does.

use crate::source::Span;
use crate::tree::{Node, NodeId, Tree};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The places of one pod.
#[derive(Clone, Debug)]
pub struct Places {
    tree: Arc<Tree>,
    /// The object that holds the pod's `metadata` and `spec`: the document, or a template in it.
    root: NodeId,
    annotation: Option<Annotated>,
}

/// What the annotation says, by the path of the container it says it about.
#[derive(Clone, Debug)]
pub(crate) struct Annotated {
    pub(crate) tree: Arc<Tree>,
    pub(crate) containers: BTreeMap<String, NodeId>,
}

/// How far a path could be followed.
struct Found<'t> {
    node: Node<'t>,
    /// The last key on the way, if the last step was one.
    key: Option<Span>,
    /// Whether the whole path exists.
    complete: bool,
    steps: usize,
}

enum Step<'p> {
    Key(&'p str),
    Index(usize),
}

// === impl Places ===

impl Places {
    pub(crate) fn new(tree: Arc<Tree>, root: NodeId, annotation: Option<Annotated>) -> Self {
        Self {
            tree,
            root,
            annotation,
        }
    }

    /// The place of a value, or of the nearest value around it.
    pub fn value(&self, path: &str) -> Span {
        self.find(path).node.span()
    }

    /// The place of a key, or of the nearest thing around it. Entries of lists have no key; their
    /// value is meant.
    pub fn key(&self, path: &str) -> Span {
        let found = self.find(path);
        found.key.unwrap_or_else(|| found.node.span())
    }

    /// Whether the path stands in the file.
    pub fn contains(&self, path: &str) -> bool {
        self.find(path).complete
    }

    /// Whether the path stands in the file and is something: neither nothing nor an empty list.
    pub(crate) fn is_given(&self, path: &str) -> bool {
        let found = self.find(path);
        let is_empty = found.node.is_sequence() && found.node.items().len() == 0;
        found.complete && !found.node.is_null() && !is_empty
    }

    /// Whether the path stands in the file and is a list. What is something else has been reported.
    pub(crate) fn is_list(&self, path: &str) -> bool {
        let found = self.find(path);
        found.complete && found.node.is_sequence()
    }

    /// Whether the path stands in the file and is text. What is something else has been reported.
    pub(crate) fn is_text(&self, path: &str) -> bool {
        let found = self.find(path);
        found.complete && found.node.as_str().is_some()
    }

    /// Whether the path stands in the annotation rather than in the container itself.
    pub fn is_annotated(&self, path: &str) -> bool {
        !self.find_inline(path).complete && self.find_annotated(path).is_some_and(|f| f.complete)
    }

    fn find(&self, path: &str) -> Found<'_> {
        let inline = self.find_inline(path);
        if inline.complete {
            return inline;
        }
        match self.find_annotated(path) {
            Some(found) if found.complete || found.steps > inline.steps => found,
            Some(_) | None => inline,
        }
    }

    fn find_inline(&self, path: &str) -> Found<'_> {
        follow(self.tree.node(self.root), path, 0)
    }

    fn find_annotated(&self, path: &str) -> Option<Found<'_>> {
        let annotation = self.annotation.as_ref()?;
        let end = path.find(']').map_or(path.len(), |at| at + 1);
        let (container, rest) = path.split_at(end);
        let node = *annotation.containers.get(container)?;
        let rest = rest.strip_prefix('.').unwrap_or(rest);
        // `spec`, the list and the index have been followed to get here.
        Some(follow(annotation.tree.node(node), rest, 3))
    }
}

fn follow<'t>(start: Node<'t>, path: &str, steps: usize) -> Found<'t> {
    let mut found = Found {
        node: start,
        key: None,
        complete: true,
        steps,
    };
    for step in steps_of(path) {
        let next = match step {
            Step::Key(key) => found.node.entry(key).map(|(span, node)| (Some(span), node)),
            Step::Index(index) => found.node.item(index).map(|node| (None, node)),
        };
        let Some((key, node)) = next else {
            return Found {
                complete: false,
                ..found
            };
        };
        found = Found {
            node,
            key,
            complete: true,
            steps: found.steps + 1,
        };
    }
    found
}

/// Takes a path apart. Keys that contain dots or brackets are written in quotes:
/// `metadata.labels["app.kubernetes.io/name"]`.
fn steps_of(path: &str) -> impl Iterator<Item = Step<'_>> {
    let mut rest = path;
    std::iter::from_fn(move || {
        rest = rest.strip_prefix('.').unwrap_or(rest);
        if rest.is_empty() {
            return None;
        }
        let (step, after) = first_step(rest);
        rest = after;
        Some(step)
    })
}

fn first_step(path: &str) -> (Step<'_>, &str) {
    if let Some(quoted) = path.strip_prefix("[\"") {
        let (key, after) = quoted.split_once("\"]").unwrap_or((quoted, ""));
        return (Step::Key(key), after);
    }
    if let Some(bracket) = path.strip_prefix('[') {
        let (index, after) = bracket.split_once(']').unwrap_or((bracket, ""));
        // What is no number is past the end of any list.
        return (Step::Index(index.parse().unwrap_or(usize::MAX)), after);
    }
    let end = path.find(['.', '[']).unwrap_or(path.len());
    let (key, after) = path.split_at(end);
    (Step::Key(key), after)
}
