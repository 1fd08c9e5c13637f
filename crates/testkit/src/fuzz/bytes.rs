//! Choices made by bytes. Where they end, every choice is the first.

/// Bytes that are used up by choosing.
pub(super) struct Bytes<'b>(std::slice::Iter<'b, u8>);

// === impl Bytes ===

impl<'b> Bytes<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> Self {
        Self(bytes.iter())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.as_slice().is_empty()
    }

    /// A number below the limit; 0 if there is none.
    pub(super) fn below(&mut self, limit: usize) -> usize {
        let byte = self.0.next().copied().unwrap_or(0);
        usize::from(byte).checked_rem(limit).unwrap_or(0)
    }

    /// One of these.
    pub(super) fn one_of<T: Copy, const N: usize>(&mut self, choices: [T; N]) -> T {
        choices[self.below(N)]
    }

    /// True once in so many times.
    pub(super) fn once_in(&mut self, times: usize) -> bool {
        self.below(times) + 1 == times
    }
}
