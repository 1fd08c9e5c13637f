//! A document as a tree in which every key and every value has a place.
//!
//! The tree is what `kubectl` would make of the text: scalars are already null, booleans, numbers
//! or strings by its rules, merge keys are carried out, keys are strings and unique. Aliases share
//! the nodes of their anchor, so a value reached through an alias has the place of the anchor.

mod build;
mod entries;
mod input;
mod json;
mod locate;
mod scalar;
mod syntax;
#[cfg(test)]
mod tests;
mod yaml;

use crate::diagnostic::Diagnostic;
use crate::source::{Source, Span};
use locate::Locator;

/// The nodes of one text.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    nodes: Vec<NodeData>,
}

/// The number of a node in its tree.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct NodeId(u32);

/// A node together with its tree.
#[derive(Clone, Copy, Debug)]
pub struct Node<'t> {
    tree: &'t Tree,
    id: NodeId,
}

/// What a node is.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Nothing.
    Null,
    /// `true`, `yes`, `on` and their opposites.
    Bool(bool),
    /// A whole number.
    Int(i128),
    /// Any other number, never infinite.
    Float(f64),
    /// Text.
    String(String),
    /// A list.
    Sequence(Vec<NodeId>),
    /// An object.
    Mapping(Vec<Entry>),
}

/// A key and its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The key as text.
    pub key: String,
    /// The place of the key.
    pub key_span: Span,
    /// The value's node.
    pub value: NodeId,
}

#[derive(Clone, Debug)]
pub(crate) struct NodeData {
    pub(crate) span: Span,
    pub(crate) value: Value,
    /// How the scalar was written; meaningless for lists and objects.
    pub(crate) style: Style,
}

/// How a scalar was written.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Style {
    /// Without quotes: its type was guessed from its text.
    Plain,
    /// In single quotes: text.
    Single,
    /// In double quotes, with escapes: text.
    Double,
    /// A block that keeps its lines (`|`): text.
    Literal,
    /// A block that joins its lines (`>`): text.
    Folded,
}

/// What was read from a text.
#[derive(Debug)]
pub struct Documents {
    /// The nodes of all documents.
    pub tree: Tree,
    /// The top node of each document.
    pub roots: Vec<NodeId>,
    /// What is wrong with the text as such.
    pub diagnostics: Vec<Diagnostic>,
}

// === impl Documents ===

impl Documents {
    /// Reads a file, YAML or JSON.
    pub fn of_file(source: &Source) -> Self {
        let text = source.text();
        let (tree, roots, diagnostics) =
            json::read_file(text).unwrap_or_else(|| yaml::read_file(text));
        Self {
            tree,
            roots,
            diagnostics,
        }
    }

    /// Reads the text of a string node as a file of its own, with places in the file around it.
    pub(crate) fn of_scalar(source: &Source, node: Node<'_>) -> Self {
        let text = node.as_str().unwrap_or_default();
        let written = source.slice(node.span());
        let locator = Locator::of_scalar(text, node.style(), written, node.span().start as usize);
        let (tree, roots, diagnostics) = yaml::read_scalar(text, locator);
        Self {
            tree,
            roots,
            diagnostics,
        }
    }
}

// === impl Tree ===

impl Tree {
    /// The node with this number.
    pub fn node(&self, id: NodeId) -> Node<'_> {
        Node { tree: self, id }
    }

    pub(crate) fn push(&mut self, data: NodeData) -> NodeId {
        let id =
            NodeId(u32::try_from(self.nodes.len()).expect("a source has fewer bytes than this"));
        self.nodes.push(data);
        id
    }

    pub(crate) fn data(&self, id: NodeId) -> &NodeData {
        &self.nodes[id.index()]
    }
}

// === impl NodeId ===

impl NodeId {
    fn index(self) -> usize {
        self.0 as usize
    }
}

// === impl Node ===

impl<'t> Node<'t> {
    /// Its number.
    pub fn id(self) -> NodeId {
        self.id
    }

    /// Its place.
    pub fn span(self) -> Span {
        self.tree.data(self.id).span
    }

    /// What it is.
    pub fn value(self) -> &'t Value {
        &self.tree.data(self.id).value
    }

    /// How it was written.
    pub fn style(self) -> Style {
        self.tree.data(self.id).style
    }

    /// The value of a key, unless it is null: to Kubernetes null is the same as absent.
    pub fn get(self, key: &str) -> Option<Self> {
        self.entry(key)
            .map(|(_, value)| value)
            .filter(|value| !value.is_null())
    }

    /// The place of a key and its value, null or not.
    pub fn entry(self, key: &str) -> Option<(Span, Self)> {
        let found = self.raw_entries().iter().find(|entry| entry.key == key)?;
        Some((found.key_span, self.tree.node(found.value)))
    }

    /// Keys with their places and values, in the order of the file.
    pub fn entries(self) -> impl ExactSizeIterator<Item = (&'t str, Span, Self)> {
        self.raw_entries().iter().map(move |entry| {
            (
                &*entry.key,
                entry.key_span,
                Node {
                    tree: self.tree,
                    id: entry.value,
                },
            )
        })
    }

    /// The entries of a list; none if it is no list.
    pub fn items(self) -> impl ExactSizeIterator<Item = Self> {
        let tree = self.tree;
        self.raw_items()
            .iter()
            .map(move |id| Node { tree, id: *id })
    }

    /// One entry of a list.
    pub fn item(self, index: usize) -> Option<Self> {
        self.raw_items().get(index).map(|id| self.tree.node(*id))
    }

    /// Its text, if it is a string.
    pub fn as_str(self) -> Option<&'t str> {
        if let Value::String(text) = self.value() {
            Some(text)
        } else {
            None
        }
    }

    /// Its truth, if it is a boolean.
    pub fn as_bool(self) -> Option<bool> {
        if let Value::Bool(truth) = self.value() {
            Some(*truth)
        } else {
            None
        }
    }

    /// Its number, if it is a whole one. As in JSON, `1e3` and `2.0` are whole numbers.
    pub fn as_int(self) -> Option<i128> {
        match self.value() {
            Value::Int(number) => Some(*number),
            Value::Float(number) => whole(*number),
            Value::Null
            | Value::Bool(_)
            | Value::String(_)
            | Value::Sequence(_)
            | Value::Mapping(_) => None,
        }
    }

    /// Whether it is nothing.
    pub fn is_null(self) -> bool {
        matches!(self.value(), Value::Null)
    }

    /// Whether it is an object.
    pub fn is_mapping(self) -> bool {
        matches!(self.value(), Value::Mapping(_))
    }

    /// Whether it is a list.
    pub fn is_sequence(self) -> bool {
        matches!(self.value(), Value::Sequence(_))
    }

    fn raw_items(self) -> &'t [NodeId] {
        if let Value::Sequence(items) = self.value() {
            items
        } else {
            &[]
        }
    }

    fn raw_entries(self) -> &'t [Entry] {
        if let Value::Mapping(entries) = self.value() {
            entries
        } else {
            &[]
        }
    }
}

/// What a text would be if it stood in a file without quotes; none if it stays text.
pub fn plain_value(text: &str) -> Option<Value> {
    scalar::resolve(text).ok().flatten()
}

/// From here on a number is written with an exponent, which no integer field takes.
const EXPONENT_FROM: f64 = 1e21;

fn whole(number: f64) -> Option<i128> {
    let whole = number.fract() == 0.0 && number.abs() < EXPONENT_FROM;
    #[expect(clippy::cast_possible_truncation, reason = "whole and far below 2^127")]
    whole.then_some(number as i128)
}
