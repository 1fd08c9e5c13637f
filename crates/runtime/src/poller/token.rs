//! Whose turn it is when a descriptor has something to read: everybody who waits for something in a run, side by side.
//!
//! The kernel keeps a number for each descriptor. Its upper bits say who it is and the others which of them, so that no two
//! of them can be the same, whoever comes later.

/// Who waits for a descriptor.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Token {
    /// Whoever fetches those who have come from containers. There is no descriptor for it: the runtime has let them in.
    Callers,
    /// Who talks to somebody, by their number.
    Client(u64),
    /// Who lets people in.
    Door,
    /// Who takes the signals to this process.
    Signals,
    /// The runtime, by the number of what it has opened.
    Source(u64),
    /// Who looks at files that change.
    Watched,
    /// Who has something to show, and waits for a reader.
    Writable,
}

/// The number of the table's own timer, which is nobody's.
pub(super) const TIMER: u64 = 0;

/// So many bits say which of them.
const WHICH: u32 = 56;

/// No run opens as many.
const LARGEST: u64 = (1 << WHICH) - 1;

// === impl Token ===

impl Token {
    pub(super) const fn encode(self) -> u64 {
        let (who, which) = match self {
            Self::Callers => (1, 0),
            Self::Client(which) => (2, which),
            Self::Door => (3, 0),
            Self::Signals => (4, 0),
            Self::Source(which) => (5, which),
            Self::Watched => (6, 0),
            Self::Writable => (7, 0),
        };
        who << WHICH | which & LARGEST
    }

    /// Nothing for the timer.
    pub(super) const fn decode(number: u64) -> Option<Self> {
        let which = number & LARGEST;
        Some(match number >> WHICH {
            1 => Self::Callers,
            2 => Self::Client(which),
            3 => Self::Door,
            4 => Self::Signals,
            5 => Self::Source(which),
            6 => Self::Watched,
            7 => Self::Writable,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_have_the_same_number() {
        let all = [
            Token::Callers,
            Token::Client(0),
            Token::Client(LARGEST),
            Token::Door,
            Token::Signals,
            Token::Source(0),
            Token::Source(LARGEST),
            Token::Watched,
            Token::Writable,
        ];
        for token in all {
            assert_eq!(Token::decode(token.encode()), Some(token));
        }
        assert_eq!(Token::decode(TIMER), None);
    }
}
