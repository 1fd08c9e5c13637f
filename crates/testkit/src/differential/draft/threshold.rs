//! How often in a row a probe must say the same: mostly once.

use super::{Dice, Draft, Part, STEP};

/// The most that is drawn: the verdict of a probe that is made every second comes one step of the grid later.
const MORE: u32 = STEP / 10 + 1;

// === impl Draft ===

impl Draft {
    /// Draws how often each probe must say the same.
    pub(super) fn draw_thresholds(&mut self, dice: &mut Dice) {
        for part in &mut self.containers {
            part.draw_thresholds(dice);
        }
    }
}

// === impl Part ===

impl Part {
    fn draw_thresholds(&mut self, dice: &mut Dice) {
        let often = |dice: &mut Dice| if dice.one_in(3) { MORE } else { 1 };
        if let Some(readiness) = &mut self.readiness {
            (readiness.successes, readiness.failures) = (often(dice), often(dice));
        }
        if let Some(liveness) = &mut self.liveness {
            liveness.failures = often(dice);
        }
    }

    /// Has every probe believed at once.
    pub(super) fn believe_at_once(&mut self) {
        if let Some(readiness) = &mut self.readiness {
            (readiness.successes, readiness.failures) = (1, 1);
        }
        if let Some(liveness) = &mut self.liveness {
            liveness.failures = 1;
        }
    }
}
