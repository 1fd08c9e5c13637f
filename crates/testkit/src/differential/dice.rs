//! Numbers that look random and are the same for the same seed.

/// A die with as many sides as one likes.
#[derive(Clone, Debug)]
pub struct Dice(u64);

// === impl Dice ===

impl Dice {
    /// Begins with a seed; neighbouring seeds have nothing in common.
    pub fn new(seed: u64) -> Self {
        let mut dice = Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d);
        for _ in 0..4 {
            dice.roll(2);
        }
        dice
    }

    /// Another die, of the same seed: to roll it changes nothing here.
    #[must_use]
    pub fn beside(&self) -> Self {
        Self::new(self.0)
    }

    /// One of so many numbers, from 0.
    pub fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    /// True once in so many times.
    pub fn one_in(&mut self, sides: u64) -> bool {
        self.roll(sides) == 0
    }

    /// One of these, which must not be none.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        let place = self.roll(from.len() as u64);
        from[usize::try_from(place).unwrap_or_default()]
    }
}
