//! The axis of a picture: where its ticks stand and what they say.

use std::time::Duration;

/// A tick: the column where its label begins, and the label.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Mark {
    /// The time it stands for.
    pub at: Duration,
    /// The cell, from 0.
    pub cell: usize,
    /// `0s`, `200ms`, `1h30m`.
    pub label: String,
}

/// A stretch of time laid over a number of cells.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Scale {
    /// The whole time.
    pub length: Duration,
    /// The cells it is laid over; at least one.
    pub cells: usize,
}

// === impl Scale ===

impl Scale {
    /// The cell in which a moment lies; what lies beyond the end is put into the last one.
    pub fn cell(self, at: Duration) -> usize {
        let length = self.length.as_nanos().max(1);
        let cell = at.as_nanos().saturating_mul(self.cells as u128) / length;
        usize::try_from(cell)
            .unwrap_or(usize::MAX)
            .min(self.cells.saturating_sub(1))
    }

    /// Where a cell begins.
    pub fn start(self, cell: usize) -> Duration {
        let cells = u32::try_from(self.cells.max(1)).unwrap_or(u32::MAX);
        let cell = u32::try_from(cell).unwrap_or(u32::MAX).min(cells);
        // Divided first, a time of centuries does not overflow; the rest is added back.
        let part = self.length / cells;
        let rest = self.length.saturating_sub(part * cells);
        part * cell + rest * cell / cells
    }

    /// Ticks at round times, as many as can stand side by side.
    pub fn marks(self) -> Vec<Mark> {
        let step = self.step();
        let mut marks: Vec<Mark> = Vec::new();
        let mut at = Duration::ZERO;
        while at <= self.length {
            let mark = Mark {
                at,
                cell: self.cell(at),
                label: self.label(at),
            };
            if mark.cell + mark.label.chars().count() > self.cells.max(2) {
                break;
            }
            marks.push(mark);
            let Some(next) = at.checked_add(step) else {
                break;
            };
            at = next;
        }
        marks
    }

    /// The smallest round step whose labels have room.
    fn step(self) -> Duration {
        let fits = |step: &Duration| {
            let last = self.label(self.length).chars().count();
            let widest = self.label(*step).chars().count().max(last);
            self.cell_width(*step) >= (widest + GAP).max(self.cells / MOST)
        };
        steps().find(fits).unwrap_or(Duration::MAX)
    }

    /// A round time in as few characters as it takes, in the unit of the whole.
    fn label(self, at: Duration) -> String {
        let micros = at.as_micros();
        match self.length.as_micros() {
            _ if micros == 0 => "0s".to_owned(),
            0..=999 => format!("{micros}us"),
            1_000..=999_999 => format!("{}ms", trimmed(micros, 1_000)),
            1_000_000.. if micros < 60_000_000 => format!("{}s", trimmed(micros, 1_000_000)),
            1_000_000.. => parts(at.as_secs()),
        }
    }

    /// How many whole cells a time takes.
    fn cell_width(self, time: Duration) -> usize {
        let cells =
            time.as_nanos().saturating_mul(self.cells as u128) / self.length.as_nanos().max(1);
        usize::try_from(cells).unwrap_or(usize::MAX)
    }
}

/// Between the end of a label and the next tick.
const GAP: usize = 3;
/// More ticks than this would only be noise.
const MOST: usize = 6;

/// Round steps, ever longer: decimal below a minute, then as clocks and calendars have them.
fn steps() -> impl Iterator<Item = Duration> {
    let decimal = (0..=6).flat_map(|power| [1, 2, 5].map(|n| n * 10_u64.pow(power)));
    let below = decimal
        .map(Duration::from_micros)
        .filter(|step| *step < Duration::from_secs(10));
    let clock = [10, 15, 30]
        .into_iter()
        .chain([1, 2, 5, 10, 15, 30].map(|n| n * 60));
    let hours = [1, 2, 3, 6, 12].map(|n| n * 3600);
    let days = (0..=9).flat_map(|power| [1, 2, 5].map(|n| n * 10_u64.pow(power) * 86_400));
    below.chain(clock.chain(hours).chain(days).map(Duration::from_secs))
}

/// A number with only the decimals it needs, three at most.
fn trimmed(micros: u128, unit: u128) -> String {
    let text = format!("{}.{:03}", micros / unit, micros % unit * 1000 / unit);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// `1h30m`: the two largest units, the second only if it is not zero.
fn parts(seconds: u64) -> String {
    let units = [(86_400, "d"), (3600, "h"), (60, "m"), (1, "s")];
    let first = units
        .iter()
        .position(|(unit, _)| seconds >= *unit)
        .unwrap_or(units.len() - 1);
    let (unit, name) = units[first];
    let mut text = format!("{}{name}", seconds / unit);
    if let Some((small, name)) = units.get(first + 1)
        && seconds % unit / small > 0
    {
        text.push_str(&(seconds % unit / small).to_string());
        text.push_str(name);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(length: Duration, cells: usize) -> String {
        let mut text = String::new();
        for mark in (Scale { length, cells }).marks() {
            text.push_str(&" ".repeat(mark.cell - text.chars().count()));
            text.push_str(&mark.label);
        }
        text
    }

    #[test]
    fn ticks_are_round_at_every_scale() {
        let millis = Duration::from_millis;
        let hours = |n: u64| Duration::from_secs(n * 3600);
        assert_eq!(
            axis(millis(10), 45),
            "0s       2ms      4ms      6ms      8ms"
        );
        assert_eq!(
            axis(millis(4200), 45),
            "0s        1s         2s         3s        4s"
        );
        assert_eq!(
            axis(millis(900), 45),
            "0s        200ms     400ms     600ms     800ms"
        );
        assert_eq!(
            axis(hours(10), 45),
            "0s       2h       4h       6h       8h"
        );
        assert_eq!(
            axis(Duration::from_secs(130), 45),
            "0s        30s       1m         1m30s     2m"
        );
        assert_eq!(axis(hours(24 * 30), 30), "0s        10d       20d");
    }

    #[test]
    fn a_life_of_no_length_has_one_tick() {
        assert_eq!(axis(Duration::ZERO, 40), "0s");
    }

    #[test]
    fn labels_never_touch_nor_leave_the_picture() {
        for cells in [1, 2, 5, 10, 40, 60, 200] {
            for power in 0..=60 {
                let scale = Scale {
                    length: Duration::from_nanos(1 << power),
                    cells,
                };
                let marks = scale.marks();
                assert!(!marks.is_empty());
                for pair in marks.windows(2) {
                    assert!(
                        pair[0].cell + pair[0].label.len() < pair[1].cell,
                        "{scale:?} {marks:?}"
                    );
                }
                let last = marks.last().unwrap();
                assert!(
                    last.cell + last.label.len() <= cells.max(2),
                    "{scale:?} {marks:?}"
                );
            }
        }
    }

    #[test]
    fn cells_cover_the_length_without_gaps() {
        for cells in [1, 7, 45, 1000] {
            for length in [1, 999, 1_000_000_007, u64::MAX] {
                let scale = Scale {
                    length: Duration::from_nanos(length),
                    cells,
                };
                assert_eq!(scale.start(0), Duration::ZERO);
                assert_eq!(scale.start(cells), scale.length);
                assert!((0..cells).all(|cell| scale.start(cell) <= scale.start(cell + 1)));
                assert_eq!(scale.cell(scale.length), cells - 1);
                assert_eq!(scale.cell(Duration::MAX), cells - 1);
            }
        }
    }
}
