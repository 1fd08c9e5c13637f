//! A hash for numbers of states: fast, the same in every run, and good for nothing that an enemy sees.

use std::hash::Hasher;

/// Two lanes, so that states which meet in one are still told apart by the other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mixer {
    one: u64,
    two: u64,
}

// === impl Mixer ===

impl Mixer {
    fn mix(&mut self, word: u64) {
        self.one = (self.one.rotate_left(5) ^ word).wrapping_mul(ODD);
        self.two = (self.two ^ word).rotate_left(29).wrapping_mul(OTHER);
    }
}

impl Default for Mixer {
    fn default() -> Self {
        Self {
            one: OTHER,
            two: ODD,
        }
    }
}

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        let word = self.one ^ self.two.rotate_left(32);
        let word = (word ^ (word >> 33)).wrapping_mul(ODD);
        word ^ (word >> 29)
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.mix(u64::from_le_bytes(word));
        }
    }

    fn write_u8(&mut self, number: u8) {
        self.mix(number.into());
    }

    fn write_u32(&mut self, number: u32) {
        self.mix(number.into());
    }

    fn write_u64(&mut self, number: u64) {
        self.mix(number);
    }

    fn write_usize(&mut self, number: usize) {
        self.mix(number as u64);
    }

    fn write_isize(&mut self, number: isize) {
        self.mix(number.unsigned_abs() as u64);
    }
}

/// Odd, with its bits well spread.
const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
const OTHER: u64 = 0xd6e8_feb8_6659_fd93;

#[cfg(test)]
mod tests {
    use super::Mixer;
    use std::collections::HashSet;
    use std::hash::{Hash, Hasher};

    #[test]
    fn a_million_small_pairs_are_all_told_apart() {
        let pairs = (0..1000_u64).flat_map(|one| (0..1000_u32).map(move |two| (one, two)));
        let hashes = pairs.map(|pair| {
            let mut mixer = Mixer::default();
            pair.hash(&mut mixer);
            mixer.finish()
        });
        assert_eq!(hashes.collect::<HashSet<_>>().len(), 1_000_000);
    }
}
