//! Puts nodes together, and keeps them within bounds.
//!
//! Both readers, of YAML and of JSON, tell a [`Builder`] what they see in the order of the text.
//! It resolves scalars, keys, aliases and merges, and refuses duplicates, bombs and depth. A
//! mistake that leaves the rest readable is noted and reading goes on; the others are [`Fatal`].

mod leaf;

pub(super) use leaf::Scalar;

use super::entries::Entries;
use super::locate::Locator;
use super::scalar;
use super::syntax::TEMPLATE;
use super::{NodeData, NodeId, Style, Tree, Value};
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use leaf::{Key, QUOTE};
use std::collections::BTreeMap;

/// How deep maps and lists may stand in each other.
pub(super) const MAX_DEPTH: usize = 100;

/// How many values aliases may stand for in one text: as many as `kubectl` takes.
const MAX_ALIASED: u64 = 400_000;

/// Builds the tree of one text.
#[derive(Debug)]
pub(super) struct Builder<'t> {
    pub(super) locator: Locator<'t>,
    tree: Tree,
    /// Per node: how many values it holds, aliases followed, itself included.
    sizes: Vec<u64>,
    /// Per node: how deep it is, aliases followed; 1 for a scalar.
    heights: Vec<usize>,
    open: Vec<Frame>,
    roots: Vec<NodeId>,
    anchors: BTreeMap<usize, Option<NodeId>>,
    aliased: u64,
    pub(super) diagnostics: Vec<Diagnostic>,
}

/// Reading cannot go on.
#[derive(Debug)]
pub(super) struct Fatal(pub(super) Diagnostic);

/// A list or map that is not complete.
#[derive(Debug)]
struct Frame {
    start: Span,
    anchor: usize,
    content: Content,
    /// How many values are in it so far, aliases followed, itself included.
    size: u64,
    /// How deep it is so far.
    height: usize,
}

#[derive(Debug)]
enum Content {
    Sequence(Vec<NodeId>),
    Mapping { entries: Entries, key: Option<Key> },
}

// === impl Builder ===

impl<'t> Builder<'t> {
    pub(super) fn new(locator: Locator<'t>) -> Self {
        Self {
            locator,
            tree: Tree::default(),
            sizes: Vec::new(),
            heights: Vec::new(),
            open: Vec::new(),
            roots: Vec::new(),
            anchors: BTreeMap::new(),
            aliased: 0,
            diagnostics: Vec::new(),
        }
    }

    /// The nodes, the documents' roots, and what was wrong.
    pub(super) fn finish(self) -> (Tree, Vec<NodeId>, Vec<Diagnostic>) {
        (self.tree, self.roots, self.diagnostics)
    }

    /// Goes on with another part of the same file, after what could not be read.
    pub(super) fn resume(&mut self, locator: Locator<'t>) {
        self.locator = locator;
        self.forget_document();
    }

    /// Whether no list or map is open.
    pub(super) fn is_between_documents(&self) -> bool {
        self.open.is_empty()
    }

    /// Anchors hold within one document only.
    pub(super) fn forget_document(&mut self) {
        self.open.clear();
        self.anchors.clear();
    }

    pub(super) fn alias(&mut self, anchor: usize, span: Span) -> Result<(), Fatal> {
        let Some(Some(target)) = self.anchors.get(&anchor).copied() else {
            self.note(
                Code::BadAlias,
                "an alias stands inside the value that it repeats",
                span,
            );
            let node = self.push(
                NodeData {
                    span,
                    value: Value::Null,
                    style: Style::Plain,
                },
                1,
                1,
            );
            self.put_or_refuse(node, span);
            return Ok(());
        };
        self.spend(self.sizes[target.index()], span)?;
        if self.open.len() + self.heights[target.index()] > MAX_DEPTH {
            return Err(too_deep(span));
        }
        self.put_or_refuse(target, span);
        Ok(())
    }

    pub(super) fn begin_sequence(&mut self, span: Span, anchor: usize) -> Result<(), Fatal> {
        self.begin(span, anchor, Content::Sequence(Vec::new()))
    }

    pub(super) fn begin_mapping(&mut self, span: Span, anchor: usize) -> Result<(), Fatal> {
        self.begin(
            span,
            anchor,
            Content::Mapping {
                entries: Entries::default(),
                key: None,
            },
        )
    }

    /// Ends the innermost list or map. `end` is where the reader stands, which for block style
    /// can be well behind the last value.
    pub(super) fn end(&mut self, end: Span) {
        let Some(Frame {
            start,
            anchor,
            content,
            size,
            height,
        }) = self.open.pop()
        else {
            return;
        };
        let (value, last) = match content {
            Content::Sequence(items) => {
                let last = items.last().copied();
                (Value::Sequence(items), last)
            }
            Content::Mapping { entries, key: _ } => {
                let last = entries.last().map(|entry| entry.value);
                (Value::Mapping(entries.into_vec()), last)
            }
        };
        // A block ends where its last value ends, but that value may come from elsewhere.
        let is_flow = !end.is_empty();
        let last = last.map(|last| self.tree.data(last).span);
        let within = last.filter(|last| (start.start..end.start).contains(&last.start));
        let end = if is_flow {
            end.end
        } else {
            within.map_or(start.end, |last| last.end)
        };
        let span = Span {
            start: start.start,
            end: end.max(start.start),
        };
        let node = self.push(
            NodeData {
                span,
                value,
                style: Style::Plain,
            },
            size,
            height + 1,
        );
        self.name(anchor, node);
        self.put_or_refuse(node, span);
    }

    fn begin(&mut self, start: Span, anchor: usize, content: Content) -> Result<(), Fatal> {
        if self.open.len() >= MAX_DEPTH {
            return Err(too_deep(start));
        }
        if anchor != 0 {
            self.anchors.insert(anchor, None);
        }
        self.open.push(Frame {
            start,
            anchor,
            content,
            size: 1,
            height: 0,
        });
        Ok(())
    }

    /// A complete value goes into what is around it; as a key it is refused.
    fn put_or_refuse(&mut self, node: NodeId, span: Span) {
        if !self.awaits_key() {
            self.put(node);
            return;
        }
        let value = self.tree.data(node).value.clone();
        let help = match value {
            // Nobody writes `{{` who does not mean a template.
            Value::Mapping(_) => TEMPLATE,
            Value::Null
            | Value::Bool(_)
            | Value::Int(_)
            | Value::Float(_)
            | Value::String(_)
            | Value::Sequence(_) => QUOTE,
        };
        let key = match scalar::key_text(value) {
            Some(text) => Key::Named(text, span),
            None => self.refused_key(span, help),
        };
        self.put_key(key);
    }

    fn put(&mut self, node: NodeId) {
        let Some(frame) = self.open.last_mut() else {
            self.roots.push(node);
            return;
        };
        frame.size += self.sizes[node.index()];
        frame.height = frame.height.max(self.heights[node.index()]);
        match &mut frame.content {
            Content::Sequence(items) => items.push(node),
            Content::Mapping { entries, key } => match key.take() {
                Some(Key::Named(name, span)) => {
                    if let Some(first) = entries.insert(name, span, node) {
                        self.diagnostics
                            .push(duplicate(&first.key, first.key_span, span));
                    }
                }
                Some(Key::Merge(span)) => self.merge(node, span),
                Some(Key::Refused) | None => {}
            },
        }
    }

    /// Copies the entries of another map into the innermost one.
    fn merge(&mut self, node: NodeId, span: Span) {
        let mut sources = Vec::new();
        match &self.tree.data(node).value {
            Value::Mapping(_) => sources.push(node),
            // Earlier maps win, so they are merged last.
            Value::Sequence(items) => sources.extend(items.iter().rev().copied()),
            Value::Null | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::String(_) => {
                self.note(Code::BadMerge, "the merge key `<<` takes a map", span);
            }
        }
        for source in sources {
            let Value::Mapping(merged) = &self.tree.data(source).value else {
                self.note(Code::BadMerge, "the merge key `<<` takes maps only", span);
                continue;
            };
            let merged = merged.clone();
            if let Some(Frame {
                content: Content::Mapping { entries, .. },
                ..
            }) = self.open.last_mut()
            {
                entries.merge(merged);
            }
        }
    }

    fn awaits_key(&self) -> bool {
        match self.open.last() {
            Some(Frame {
                content: Content::Mapping { key: None, .. },
                ..
            }) => true,
            Some(_) | None => false,
        }
    }

    fn put_key(&mut self, new: Key) {
        if let Some(Frame {
            content: Content::Mapping { key, .. },
            ..
        }) = self.open.last_mut()
        {
            *key = Some(new);
        }
    }

    /// The place of the key whose value is awaited.
    fn key_span(&self) -> Option<Span> {
        match self.open.last()?.content {
            Content::Mapping {
                key: Some(Key::Named(_, span) | Key::Merge(span)),
                ..
            } => Some(span),
            Content::Mapping { .. } | Content::Sequence(_) => None,
        }
    }

    fn push(&mut self, data: NodeData, size: u64, height: usize) -> NodeId {
        self.sizes.push(size);
        self.heights.push(height);
        self.tree.push(data)
    }

    fn name(&mut self, anchor: usize, node: NodeId) {
        if anchor != 0 {
            self.anchors.insert(anchor, Some(node));
        }
    }

    fn spend(&mut self, size: u64, span: Span) -> Result<(), Fatal> {
        self.aliased += size;
        if self.aliased <= MAX_ALIASED {
            return Ok(());
        }
        let message = format!("the aliases of this file stand for more than {MAX_ALIASED} values");
        let diagnostic = Diagnostic::new(Code::TooManyAliases, message)
            .primary(span, "the limit is passed here")
            .help("write the values out, or repeat less of them");
        Err(Fatal(diagnostic))
    }

    fn note(&mut self, code: Code, message: &str, span: Span) {
        self.diagnostics
            .push(Diagnostic::new(code, message).primary(span, ""));
    }
}

fn duplicate(key: &str, first: Span, second: Span) -> Diagnostic {
    Diagnostic::new(
        Code::DuplicateKey,
        format!("the key `{key}` is given twice"),
    )
    .primary(second, "given again")
    .secondary(first, "first given here")
    .help("keep the one that is meant")
}

pub(super) fn too_deep(span: Span) -> Fatal {
    let message = format!("values are nested more than {MAX_DEPTH} levels deep");
    Fatal(Diagnostic::new(Code::TooDeep, message).primary(span, "one level too many"))
}
