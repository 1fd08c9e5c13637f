//! Pods in which everything stays until the pod goes: where whoever stops, and when, is not lost among restarts. And such in
//! which all are restarted at once.

use super::{
    Action, Deletion, Dice, Draft, Image, Operator, Part, Policy, Role, Rule, STEP, Startup,
    offset, time,
};

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

    /// Has the mains end by themselves instead, when all are up.
    pub(super) fn complete(&mut self, dice: &mut Dice) {
        self.deletion = None;
        self.policy = dice.pick(&[Policy::OnFailure, Policy::Never]);
        for (place, part) in self.containers.iter_mut().enumerate() {
            if part.role == Role::Main {
                (part.policy, part.rules) = (None, Vec::new());
                part.life.runs = Some(time(dice, 3, 5, offset(place)));
                let fails = self.policy == Policy::Never && dice.one_in(3);
                part.life.exits = if fails { (3, 3) } else { (0, 0) };
            }
        }
    }

    /// Has a main restart all of them with its first end.
    pub(super) fn restart_all(&mut self, dice: &mut Dice) {
        let mains = self.containers.iter_mut().enumerate();
        let mut mains: Vec<_> = mains.filter(|(_, part)| part.role == Role::Main).collect();
        let sides = u64::try_from(mains.len()).unwrap_or(1);
        let chosen = usize::try_from(dice.roll(sides)).unwrap_or_default();
        if let Some((place, part)) = mains.get_mut(chosen) {
            part.policy = Some(dice.pick(&[Policy::OnFailure, Policy::Never]));
            part.rules = vec![Rule {
                action: Action::RestartAllContainers,
                operator: Operator::In,
                code: 42,
            }];
            part.life.runs = Some(time(dice, 2, 3, offset(*place)));
            part.life.exits = (42, 0);
        }
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
        self.startup = self
            .startup
            .filter(|startup| startup.threshold > Startup::FEW);
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
