//! Enums whose values are words of the file format, each word written once.
//!
//! The same list decodes the value, checks it, and is shown when somebody writes something else.

/// A value that a file writes as one word.
pub trait Word: Copy + Sized + 'static {
    /// Every value, in the order in which they are shown.
    const ALL: &'static [Self];
    /// Their words, in the same order.
    const WORDS: &'static [&'static str];

    /// The word for this value.
    fn as_str(self) -> &'static str;

    /// The value of a word, compared exactly.
    fn from_word(word: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|value| value.as_str() == word)
    }
}

macro_rules! words {
    ($(#[$meta:meta])* pub enum $name:ident {
        $($(#[$variant_meta:meta])* $variant:ident = $word:literal,)*
    }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
        pub enum $name {
            $($(#[$variant_meta])* $variant,)*
        }

        impl $crate::word::Word for $name {
            const ALL: &'static [Self] = &[$(Self::$variant,)*];
            const WORDS: &'static [&'static str] = &[$($word,)*];

            fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str($crate::word::Word::as_str(*self))
            }
        }
    };
}

pub(crate) use words;
