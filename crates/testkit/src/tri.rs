//! Knowledge with a gap in it: yes, no, or the promises leave it open.
//!
//! A judge that reads only a trace must not condemn what the promises allow. Where they leave two
//! readings it answers [`Tri::Maybe`], and no law is broken by a maybe.

use std::ops::{BitAnd, BitOr, Not};

/// Yes, no, or open.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub(crate) enum Tri {
    /// It is not so.
    #[default]
    No,
    /// It may be so.
    Maybe,
    /// It is so.
    Yes,
}

// === impl Tri ===

impl Tri {
    /// Whether it is so for certain.
    pub(crate) const fn surely(self) -> bool {
        matches!(self, Self::Yes)
    }

    /// Whether it may be so.
    pub(crate) const fn possibly(self) -> bool {
        !matches!(self, Self::No)
    }

    /// The same with certainty taken away from a yes.
    pub(crate) fn doubted(self) -> Self {
        self.min(Self::Maybe)
    }

    /// Yes if all of them are, no if one is not.
    pub(crate) fn all(of: impl IntoIterator<Item = Self>) -> Self {
        of.into_iter().fold(Self::Yes, BitAnd::bitand)
    }

    /// Yes if one of them is, no if none may be.
    pub(crate) fn any(of: impl IntoIterator<Item = Self>) -> Self {
        of.into_iter().fold(Self::No, BitOr::bitor)
    }
}

impl From<bool> for Tri {
    fn from(known: bool) -> Self {
        if known { Self::Yes } else { Self::No }
    }
}

impl BitAnd for Tri {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        self.min(other)
    }
}

impl BitOr for Tri {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        self.max(other)
    }
}

impl Not for Tri {
    type Output = Self;

    fn not(self) -> Self {
        match self {
            Self::No => Self::Yes,
            Self::Maybe => Self::Maybe,
            Self::Yes => Self::No,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Tri::{self, Maybe, No, Yes};

    #[test]
    fn a_maybe_decides_nothing_by_itself() {
        assert_eq!(Yes & Maybe, Maybe);
        assert_eq!(No & Maybe, No);
        assert_eq!(Yes | Maybe, Yes);
        assert_eq!(No | Maybe, Maybe);
        assert_eq!(!Maybe, Maybe);
    }

    #[test]
    fn nothing_is_all_and_not_any() {
        assert_eq!(Tri::all([]), Yes);
        assert_eq!(Tri::any([]), No);
    }
}
