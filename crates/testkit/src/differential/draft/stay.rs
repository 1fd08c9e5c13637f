//! Pods in which everything stays until the pod is deleted: where whoever stops, and when, is not lost among restarts.

use super::{Deletion, Dice, Draft, Image, Part, Role, STEP, offset};

// === impl Draft ===

impl Draft {
    /// Two sidecars at least, or there is no order to see.
    pub(super) fn roles_that_stay(dice: &mut Dice) -> Vec<Role> {
        let mut roles = vec![Role::Sidecar; 2];
        for _ in 0..dice.roll(3) {
            let place = usize::try_from(dice.roll(3)).unwrap_or_default();
            roles.insert(place, dice.pick(&[Role::Init, Role::Sidecar]));
        }
        roles.extend((0..=dice.roll(2)).map(|_| Role::Main));
        roles
    }

    /// Takes away what would end a container before the pod is deleted.
    pub(super) fn stay(&mut self, dice: &mut Dice) {
        for (place, part) in self.containers.iter_mut().enumerate() {
            part.stay(dice, offset(place));
        }
        self.update = None;
        self.deletion = Some(Deletion {
            // Mostly when all are up.
            after: u32::try_from(3 + dice.roll(4)).unwrap_or_default() * STEP + 22,
            grace: dice.one_in(2).then(|| dice.pick(&[1, 7, 15, 25])),
            again: dice.one_in(6).then(|| dice.pick(&Deletion::AGAIN)),
        });
    }
}

// === impl Part ===

impl Part {
    fn stay(&mut self, dice: &mut Dice, offset: u32) {
        self.image = Image::There;
        self.life.exits = (0, 0);
        if self.role == Role::Init {
            return;
        }
        self.life.runs = None;
        self.liveness = None;
        self.startup = self.startup.filter(|startup| startup.threshold > 4);
        if let Some(hook) = &mut self.post_start {
            hook.exits = 0;
        }
        if let Some(readiness) = &mut self.readiness {
            // When all others are up as well, so that something is lost.
            readiness.until = readiness.until.map(|_| 3 * STEP + offset);
        }
        if self.role == Role::Sidecar {
            let slowly = [25 + offset, 25 + offset, 60 + offset, 0];
            self.life.stops_in = (!dice.one_in(8)).then(|| dice.pick(&slowly));
        }
        if dice.one_in(2) {
            self.life.exits = (3, 3);
        }
    }
}
