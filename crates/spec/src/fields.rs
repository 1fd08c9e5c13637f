//! Which fields exist, and what they take.
//!
//! The table of Kubernetes' own fields is generated; Pillion's stand beside it in the same form, so
//! that one reader checks both.

mod pillion;
mod table;

/// An object type.
#[derive(Debug)]
pub struct Type {
    /// Its name in Kubernetes, such as `Container`.
    pub name: &'static str,
    /// Its fields, sorted by name.
    pub fields: &'static [Field],
}

/// A field of an object.
#[derive(Debug)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// What it takes.
    pub kind: Kind,
    /// Whether the object is refused without it.
    pub required: bool,
}

/// What a field takes.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// Anything; nobody looks into it.
    Any,
    /// Text in base64.
    Base64,
    /// `true` or `false`.
    Bool,
    /// A whole number of 32 bits.
    Int32,
    /// A whole number of 64 bits.
    Int64,
    /// A whole number or text.
    IntOrText,
    /// A list.
    List(&'static Kind),
    /// A map with keys of one's own.
    Map(&'static Kind),
    /// A number, whole or not.
    Number,
    /// A map with certain keys.
    Object(&'static Type),
    /// One of these.
    OneOf(&'static [Kind]),
    /// An amount, such as `350m`.
    Quantity,
    /// Text.
    Text,
    /// A date and time, as text.
    Time,
    /// One of these words.
    Words(&'static [&'static str]),
}

pub(crate) use pillion::ANNOTATION;

/// The type of a Kubernetes object that a file may hold.
pub fn object(kind: &str) -> Option<&'static Type> {
    table::OBJECTS
        .iter()
        .copied()
        .find(|object| object.name == kind)
}

const fn required(name: &'static str, kind: Kind) -> Field {
    Field {
        name,
        kind,
        required: true,
    }
}

const fn optional(name: &'static str, kind: Kind) -> Field {
    Field {
        name,
        kind,
        required: false,
    }
}

// === impl Type ===

impl Type {
    /// A field by name. Where Pillion extends or widens a field of Kubernetes, its own is meant.
    pub fn field(&self, name: &str) -> Option<&'static Field> {
        find(self.extension(), name).or_else(|| find(self.fields, name))
    }

    /// What Pillion adds to the type, sorted by name.
    pub fn extension(&self) -> &'static [Field] {
        pillion::extension(self.name)
    }

    /// Whether the whole type is Pillion's. Types of Kubernetes have names in upper case; its own
    /// are called as people see them.
    pub(crate) fn is_own(&self) -> bool {
        !self
            .name
            .starts_with(|first: char| first.is_ascii_uppercase())
    }
}

// === impl Kind ===

impl Kind {
    /// The object type that it is, or that its entries are.
    pub(crate) fn object(&self) -> Option<&'static Type> {
        match self {
            Self::Object(object) => Some(object),
            Self::List(inner) | Self::Map(inner) => inner.object(),
            Self::Any
            | Self::Base64
            | Self::Bool
            | Self::Int32
            | Self::Int64
            | Self::IntOrText
            | Self::Number
            | Self::OneOf(_)
            | Self::Quantity
            | Self::Text
            | Self::Time
            | Self::Words(_) => None,
        }
    }
}

fn find(fields: &'static [Field], name: &str) -> Option<&'static Field> {
    fields
        .binary_search_by(|field| field.name.cmp(name))
        .ok()
        .map(|at| &fields[at])
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// All types that the objects and the annotation are made of.
    fn all_types() -> BTreeMap<(&'static str, usize), &'static Type> {
        fn visit(found: &mut BTreeMap<(&'static str, usize), &'static Type>, kind: &Kind) {
            match kind {
                Kind::List(inner) | Kind::Map(inner) => visit(found, inner),
                Kind::OneOf(kinds) => kinds.iter().for_each(|kind| visit(found, kind)),
                Kind::Object(object) => {
                    if found
                        .insert((object.name, object.fields.len()), object)
                        .is_none()
                    {
                        let fields = object.fields.iter().chain(object.extension());
                        fields.for_each(|field| visit(found, &field.kind));
                    }
                }
                Kind::Any
                | Kind::Base64
                | Kind::Bool
                | Kind::Int32
                | Kind::Int64
                | Kind::IntOrText
                | Kind::Number
                | Kind::Quantity
                | Kind::Text
                | Kind::Time
                | Kind::Words(_) => {}
            }
        }
        let mut found = BTreeMap::new();
        for object in table::OBJECTS {
            visit(&mut found, &Kind::Object(object));
        }
        visit(&mut found, &Kind::Object(&ANNOTATION));
        found
    }

    #[test]
    fn fields_are_sorted_so_that_they_can_be_found() {
        for object in all_types().values() {
            assert!(
                object.fields.is_sorted_by(|a, b| a.name < b.name),
                "{}",
                object.name
            );
            assert!(
                object.extension().is_sorted_by(|a, b| a.name < b.name),
                "{}",
                object.name
            );
        }
    }

    #[test]
    fn the_table_knows_what_a_container_takes() {
        let pod = object("Pod").unwrap();
        let Kind::Object(spec) = pod.field("spec").unwrap().kind else {
            panic!()
        };
        let Kind::List(Kind::Object(container)) = spec.field("containers").unwrap().kind else {
            panic!()
        };
        assert!(spec.field("containers").unwrap().required);
        assert!(container.field("name").unwrap().required);
        assert!(matches!(container.field("tty").unwrap().kind, Kind::Bool));
        assert!(matches!(
            container.field("requires").unwrap().kind,
            Kind::List(_)
        ));
        assert!(container.field("requirez").is_none());
    }

    #[test]
    fn every_type_that_pillion_extends_exists() {
        let names: Vec<_> = all_types().keys().map(|(name, _)| *name).collect();
        for name in pillion::EXTENDED {
            assert!(names.contains(name), "{name}");
        }
    }
}
