//! What may have become of a container: a set, because the promises sometimes leave two answers.

use crate::tri::Tri;

/// A set of possible fates; exactly one of them is true.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub(crate) struct Fates(u8);

// === impl Fates ===

impl Fates {
    /// It runs, or will be started as soon as everything lets it.
    pub(crate) const WANTED: Self = Self(1);
    /// It ended for good with 0.
    pub(crate) const ENDED_OK: Self = Self(1 << 1);
    /// It ended for good with another code.
    pub(crate) const ENDED_BAD: Self = Self(1 << 2);
    /// It gave up.
    pub(crate) const GAVE_UP: Self = Self(1 << 3);
    /// A rule said that it stays down and counts nowhere.
    pub(crate) const IGNORED: Self = Self(1 << 4);
    /// It ended for good, however.
    pub(crate) const ENDED: Self = Self(Self::ENDED_OK.0 | Self::ENDED_BAD.0);
    /// It will not be started again.
    pub(crate) const OVER: Self = Self(Self::ENDED.0 | Self::GAVE_UP.0 | Self::IGNORED.0);

    /// Either of both.
    #[must_use]
    pub(crate) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Without those.
    #[must_use]
    pub(crate) const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether its fate is among those.
    pub(crate) const fn is(self, those: Self) -> Tri {
        if self.0 & !those.0 == 0 {
            Tri::Yes
        } else if self.0 & those.0 == 0 {
            Tri::No
        } else {
            Tri::Maybe
        }
    }

    /// How a run that ends for good with this code ends.
    pub(crate) const fn ended_with(code: i32) -> Self {
        if code == 0 {
            Self::ENDED_OK
        } else {
            Self::ENDED_BAD
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_of_two_is_maybe_either() {
        let open = Fates::WANTED.or(Fates::GAVE_UP);
        assert_eq!(open.is(Fates::GAVE_UP), Tri::Maybe);
        assert_eq!(open.is(Fates::ENDED), Tri::No);
        assert_eq!(open.is(open), Tri::Yes);
        assert_eq!(open.without(Fates::WANTED).is(Fates::OVER), Tri::Yes);
    }
}
