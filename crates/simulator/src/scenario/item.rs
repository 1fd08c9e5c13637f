//! The tree of a scenario file: values with places, in which one file can be merged over another.

use pillion_spec::Span;
use pillion_spec::tree::{self, Node};

/// A value, and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Item {
    pub(super) place: Place,
    pub(super) value: Value,
}

/// A span of one of the files that a scenario is made of.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) struct Place {
    /// The number of the file.
    pub(super) file: usize,
    pub(super) span: Span,
}

/// What a value is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Null,
    Bool(bool),
    Int(i128),
    Float(f64),
    Text(Box<str>),
    List(Vec<Item>),
    Map(Vec<Field>),
}

/// A key and its value.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Field {
    pub(super) key: Box<str>,
    pub(super) place: Place,
    pub(super) value: Item,
}

// === impl Item ===

impl Item {
    /// Takes a document's node over. The reader of the document has limited its depth.
    pub(super) fn new(node: Node<'_>, file: usize) -> Self {
        let value = match node.value() {
            tree::Value::Null => Value::Null,
            tree::Value::Bool(truth) => Value::Bool(*truth),
            tree::Value::Int(number) => Value::Int(*number),
            tree::Value::Float(number) => Value::Float(*number),
            tree::Value::String(text) => Value::Text(text.as_str().into()),
            tree::Value::Sequence(_) => {
                Value::List(node.items().map(|item| Self::new(item, file)).collect())
            }
            tree::Value::Mapping(_) => Value::Map(
                node.entries()
                    .map(|(key, span, value)| Field {
                        key: key.into(),
                        place: Place { file, span },
                        value: Self::new(value, file),
                    })
                    .collect(),
            ),
        };
        let place = Place {
            file,
            span: node.span(),
        };
        Self { place, value }
    }

    /// All that a file says that says nothing.
    pub(super) fn nothing(file: usize) -> Self {
        let span = Span::default();
        Self {
            place: Place { file, span },
            value: Value::Null,
        }
    }

    /// The value of a key; null counts as absent.
    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        let field = self.fields().iter().find(|field| &*field.key == key)?;
        (field.value.value != Value::Null).then_some(&field.value)
    }

    pub(super) fn get_mut(&mut self, key: &str) -> Option<&mut Self> {
        let Value::Map(fields) = &mut self.value else {
            return None;
        };
        let field = fields.iter_mut().find(|field| &*field.key == key)?;
        Some(&mut field.value)
    }

    /// The value of a key, put there first if need be.
    pub(super) fn get_or(&mut self, key: &str, value: Value) -> Option<&mut Self> {
        let place = self.place;
        if self.get(key).is_none()
            && let Value::Map(fields) = &mut self.value
        {
            fields.retain(|field| &*field.key != key);
            fields.push(Field {
                key: key.into(),
                place,
                value: Self { place, value },
            });
        }
        self.get_mut(key)
    }

    /// The entries of a map; none if it is no map.
    pub(super) fn fields(&self) -> &[Field] {
        match &self.value {
            Value::Map(fields) => fields,
            Value::Null
            | Value::Bool(_)
            | Value::Int(_)
            | Value::Float(_)
            | Value::Text(_)
            | Value::List(_) => &[],
        }
    }

    /// The entries of a list; none if it is no list.
    pub(super) fn items_mut(&mut self) -> &mut [Self] {
        match &mut self.value {
            Value::List(items) => items,
            Value::Null
            | Value::Bool(_)
            | Value::Int(_)
            | Value::Float(_)
            | Value::Text(_)
            | Value::Map(_) => &mut [],
        }
    }

    /// Lays another value over this one: maps are merged, everything else is replaced.
    pub(super) fn overlay(&mut self, over: Self) {
        let (Value::Map(fields), Value::Map(_)) = (&mut self.value, &over.value) else {
            *self = over;
            return;
        };
        self.place = over.place;
        let Value::Map(over) = over.value else {
            return;
        };
        for new in over {
            match fields.iter_mut().find(|field| field.key == new.key) {
                Some(field) => {
                    field.place = new.place;
                    field.value.overlay(new.value);
                }
                None => fields.push(new),
            }
        }
    }
}
