//! How often in a row a probe must say the same: mostly once.

use super::{Dice, Draft, Part};

/// The most that is drawn.
const MORE: u32 = 3;

/// A second, after which a probe is made again.
const PERIOD: u32 = 10;

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
            // It begins to fail sooner, so that the verdict comes at the same time.
            liveness.after -= (liveness.failures - 1) * PERIOD;
        }
    }

    /// Has every probe believed at once.
    pub(super) fn believe_at_once(&mut self) {
        if let Some(readiness) = &mut self.readiness {
            (readiness.successes, readiness.failures) = (1, 1);
        }
        if let Some(liveness) = &mut self.liveness {
            liveness.after += (liveness.failures - 1) * PERIOD;
            liveness.failures = 1;
        }
    }
}
