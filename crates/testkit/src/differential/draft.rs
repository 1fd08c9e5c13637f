//! A random plain pod and what its containers do, as the text of a scenario.
//!
//! Times lie on a grid that is coarse beside what a kubelet needs to notice an end (a second) or to start a container, so
//! that what lies on different steps of it comes in the same order wherever the pod runs: a difference is a rule and not a
//! race. On one step, every container has an offset of its own, so that no two things happen at once; which of them comes
//! first there shows nothing.

mod simpler;
mod stay;
mod text;
mod threshold;
mod way;

use super::dice::Dice;
use super::role::Role;
use way::Way;

/// A pod.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Draft {
    delay: Delay,
    policy: Policy,
    /// In seconds.
    grace: u32,
    containers: Vec<Part>,
    update: Option<Update>,
    deletion: Option<Deletion>,
}

/// How long a crashed container waits.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Delay {
    /// A second, every time: more happens in less time.
    Short,
    /// What Kubernetes does unless it is told otherwise.
    Usual,
}

/// One container.
#[derive(Clone, Debug, Eq, PartialEq)]
struct Part {
    name: String,
    role: Role,
    image: Image,
    policy: Option<Policy>,
    /// The first one that fits counts.
    rules: Vec<Rule>,
    life: Life,
    post_start: Option<Hook>,
    pre_stop: Option<Hook>,
    startup: Option<Startup>,
    readiness: Option<Readiness>,
    liveness: Option<Liveness>,
}

/// What the process of a container does. Times are in tenths of a second, here and below.
#[derive(Clone, Debug, Eq, PartialEq)]
struct Life {
    /// `None` runs until it is stopped.
    runs: Option<u32>,
    /// Its exit code, in its first run and in later ones.
    exits: (i32, i32),
    /// `None` ignores the signal.
    stops_in: Option<u32>,
    /// Its exit code when it is told to stop, if that is another one.
    stop_exits: Option<i32>,
}

/// How long a hook takes, and how it ends.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
struct Hook {
    way: Way,
    runs: u32,
    exits: i32,
}

/// A startup probe, once in a second.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
struct Startup {
    way: Way,
    /// It passes from then on.
    after: u32,
    /// It may fail so many times.
    threshold: u32,
    /// The grace period of the stop that follows, in seconds, if it has its own.
    grace: Option<u32>,
}

/// A readiness probe, once in a second.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
struct Readiness {
    way: Way,
    /// It passes from then on.
    after: u32,
    /// And fails again from then on.
    until: Option<u32>,
    /// So many times in a row make it ready.
    successes: u32,
    /// So many times in a row make it unready.
    failures: u32,
}

/// A liveness probe, once in a second.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
struct Liveness {
    way: Way,
    /// It is not made before that, in seconds.
    delay: u32,
    /// It fails from then on.
    after: u32,
    /// So many times in a row kill the container.
    failures: u32,
    /// The grace period of the stop that follows, in seconds, if it has its own.
    grace: Option<u32>,
}

/// The image of a container is exchanged, so long after the first container is up.
#[derive(Clone, Debug, Eq, PartialEq)]
struct Update {
    container: String,
    after: u32,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Image {
    There,
    /// It cannot be pulled.
    Missing,
}

/// When the pod is deleted, after its first container is up or the image was exchanged, and with which grace periods.
#[derive(Clone, Debug, Eq, PartialEq)]
struct Deletion {
    after: u32,
    /// In seconds, as all grace periods are.
    grace: Option<u32>,
    /// A second one so much later, with another grace period.
    again: Option<(u32, u32)>,
}

/// What an exit code leads to, whatever the policy says.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
struct Rule {
    action: Action,
    operator: Operator,
    code: i32,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Policy {
    Always,
    OnFailure,
    Never,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Action {
    Restart,
    RestartAllContainers,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Operator {
    In,
    NotIn,
}

/// One step of the grid.
const STEP: u32 = 40;

// === impl Draft ===

impl Draft {
    /// A random pod.
    pub fn random(dice: &mut Dice) -> Self {
        let mut beside = dice.beside();
        let policy = dice.pick(&[Policy::Always, Policy::OnFailure, Policy::Never]);
        let stays = dice.one_in(4);
        let roles = if stays {
            Self::roles_that_stay(dice)
        } else {
            Self::roles(dice)
        };
        let mut draft = Self {
            delay: if dice.one_in(5) {
                Delay::Usual
            } else {
                Delay::Short
            },
            policy,
            grace: dice.pick(&[1, 4, 8, 12]),
            containers: Vec::new(),
            update: None,
            deletion: None,
        };
        for (place, role) in roles.into_iter().enumerate() {
            let part = Part::random(dice, role, place, policy);
            draft.containers.push(part);
        }
        if dice.one_in(5) {
            // What becomes of a missing image that is exchanged is another story; an image that is exchanged for a missing
            // one stays, on purpose.
            let parts = draft.containers.iter();
            let parts = parts.filter(|part| part.image == Image::There);
            let names: Vec<_> = parts.map(|part| part.name.as_str()).collect();
            let update = (!names.is_empty()).then(|| Update::random(dice, &names));
            draft.update = update;
        }
        if dice.one_in(2) {
            draft.deletion = Some(Deletion::random(dice));
        }
        if stays {
            draft.stay(dice);
            if beside.one_in(3) {
                draft.complete(&mut beside);
            }
        } else if beside.one_in(6) {
            draft.restart_all(&mut beside);
        }
        draft.draw_ways(&mut beside);
        draft.draw_thresholds(&mut beside);
        draft.draw_stops(&mut beside);
        draft.draw_delays(&mut beside);
        draft
    }

    /// Draws how containers end that are told to stop, and when the pod is deleted if they wait long when they have crashed.
    fn draw_stops(&mut self, dice: &mut Dice) {
        for part in &mut self.containers {
            part.life.stop_exits = dice.one_in(4).then(|| dice.pick(&[0, 1, 42]));
            if let Some(startup) = &mut part.startup {
                startup.grace = dice.one_in(3).then_some(2);
            }
        }
        if let Some(deletion) = self
            .deletion
            .as_mut()
            .filter(|_| self.delay == Delay::Usual)
            && dice.one_in(2)
        {
            deletion.after += 4 * STEP;
        }
    }

    /// Draws liveness probes that would fail too early, if they were made: before their delay is over, or before the container has
    /// started.
    fn draw_delays(&mut self, dice: &mut Dice) {
        for part in &mut self.containers {
            let has_startup = part.startup.is_some();
            if let Some(liveness) = &mut part.liveness
                && dice.one_in(3)
            {
                liveness.after = 0;
                liveness.delay = if has_startup { 2 } else { 10 };
            }
        }
    }

    /// Whether a second deletion makes the time shorter; the other way round it changes nothing.
    fn is_shortened_by(&self, again: u32) -> bool {
        let deletion = self.deletion.as_ref();
        let first = deletion.and_then(|deletion| deletion.grace);
        again < first.unwrap_or(self.grace)
    }

    fn roles(dice: &mut Dice) -> Vec<Role> {
        let listed = dice.roll(4);
        let listed = (0..listed).map(|_| dice.pick(&[Role::Init, Role::Sidecar]));
        let mut roles: Vec<_> = listed.collect();
        roles.extend((0..=dice.roll(4)).map(|_| Role::Main));
        roles
    }

    /// How long its containers wait when they have crashed.
    pub fn delay(&self) -> Delay {
        self.delay
    }

    /// Whether an image is missing: host processes need none.
    pub fn lacks_an_image(&self) -> bool {
        let mut images = self.containers.iter().map(|part| part.image);
        images.any(|image| image == Image::Missing)
    }
}

// === impl Part ===

impl Part {
    fn random(dice: &mut Dice, role: Role, place: usize, pod: Policy) -> Self {
        let offset = offset(place);
        let policy = (role != Role::Sidecar && dice.one_in(4))
            .then(|| dice.pick(&[Policy::Always, Policy::OnFailure, Policy::Never]));
        // An init container that is run for ever is a sidecar.
        let policy = policy.filter(|policy| role == Role::Main || *policy != Policy::Always);
        let can_rule = policy.is_some() || role == Role::Sidecar && dice.one_in(8);
        let rules = if can_rule && dice.one_in(2) {
            let count = 1 + dice.roll(2);
            (0..count).map(|_| Rule::random(dice)).collect()
        } else {
            Vec::new()
        };
        let life = Life::random(
            dice,
            role,
            offset,
            !rules.is_empty() || pod == Policy::Always,
        );
        let mut part = Self {
            name: role.name(place + 1),
            role,
            image: Image::random(dice, 24),
            policy,
            rules,
            life,
            post_start: None,
            pre_stop: None,
            startup: None,
            readiness: None,
            liveness: None,
        };
        if role != Role::Init {
            part.add_hooks_and_probes(dice, offset);
        }
        part
    }

    /// Init containers that end must not have any.
    fn add_hooks_and_probes(&mut self, dice: &mut Dice, offset: u32) {
        let exits = |dice: &mut Dice| i32::from(dice.one_in(5));
        self.post_start = dice.one_in(4).then(|| Hook {
            way: Way::Exec,
            // A hook that is done before its container has come to anything would be a race. The longer one is seen by all
            // that wait for it.
            runs: dice.pick(&[10, 70 + offset]),
            exits: exits(dice),
        });
        self.pre_stop = dice.one_in(4).then(|| Hook {
            way: Way::Exec,
            runs: dice.pick(&[0, 20 + offset, 150 + offset]),
            exits: exits(dice),
        });
        self.startup = dice.one_in(4).then(|| {
            let (after, threshold) = dice.pick(&[(20, 30), (60, 30), (200, Startup::FEW)]);
            let after = after + offset;
            Startup {
                way: Way::Exec,
                after,
                threshold,
                grace: None,
            }
        });
        self.readiness = dice.one_in(4).then(|| Readiness {
            way: Way::Exec,
            after: dice.pick(&[0, 30 + offset]),
            until: dice.one_in(3).then_some(2 * STEP + offset),
            successes: 1,
            failures: 1,
        });
        self.liveness = dice.one_in(4).then(|| Liveness {
            way: Way::Exec,
            delay: 2,
            // Between the times at which containers end by themselves.
            after: time(dice, 2, 3, offset) - STEP / 2,
            failures: 1,
            grace: dice.one_in(3).then_some(2),
        });
    }
}

// === impl Life ===

impl Life {
    /// Something that fails for ever and is started for ever shows little but that.
    fn random(dice: &mut Dice, role: Role, offset: u32, recovers: bool) -> Self {
        let code = dice.pick(&[0, 0, 1, 3, 42]);
        let first = if role == Role::Init && !dice.one_in(4) {
            0
        } else {
            code
        };
        let later = if recovers || dice.one_in(2) { 0 } else { code };
        Self {
            runs: match role {
                Role::Init => Some(20 + offset),
                Role::Sidecar => dice.one_in(4).then(|| time(dice, 1, 3, offset)),
                Role::Main => (!dice.one_in(3)).then(|| time(dice, 1, 4, offset)),
            },
            exits: (first, later),
            // Never two seconds: whoever is told when the budget is used up is killed just then.
            stops_in: (!dice.one_in(6)).then(|| dice.pick(&[0, 0, 25 + offset, 60 + offset])),
            stop_exits: None,
        }
    }
}

// === impl Startup ===

impl Startup {
    /// So few failures that it fails beside everything that containers do by themselves, after a short hook, too.
    const FEW: u32 = 6;
}

// === impl Update ===

impl Update {
    fn random(dice: &mut Dice, names: &[&str]) -> Self {
        Self {
            container: dice.pick(names).to_owned(),
            // Beside everything that containers do by themselves, and beside deletions.
            after: u32::try_from(dice.roll(3)).unwrap_or_default() * STEP + 33,
        }
    }
}

// === impl Image ===

impl Image {
    /// Missing once in so many times.
    fn random(dice: &mut Dice, sides: u64) -> Self {
        if dice.one_in(sides) {
            Self::Missing
        } else {
            Self::There
        }
    }
}

// === impl Delay ===

impl Delay {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Short, Self::Usual];
}

// === impl Deletion ===

impl Deletion {
    /// A second one so much later, with a grace period that is shorter than most, or longer than any.
    const AGAIN: [(u32, u32); 2] = [(22, 2), (22, 20)];

    fn random(dice: &mut Dice) -> Self {
        // Half a step beside everything that containers do by themselves.
        let after = u32::try_from(dice.roll(5)).unwrap_or_default() * STEP + 22;
        Self {
            after,
            grace: dice.one_in(2).then(|| dice.pick(&[1, 3, 7, 15])),
            again: dice.one_in(4).then(|| dice.pick(&Self::AGAIN)),
        }
    }
}

// === impl Rule ===

impl Rule {
    fn random(dice: &mut Dice) -> Self {
        let all = [
            Action::Restart,
            Action::Restart,
            Action::RestartAllContainers,
        ];
        Self {
            action: dice.pick(&all),
            operator: if dice.one_in(5) {
                Operator::NotIn
            } else {
                Operator::In
            },
            code: dice.pick(&[1, 3, 42]),
        }
    }
}

/// Containers differ by three tenths each, whatever they do.
fn offset(place: usize) -> u32 {
    u32::try_from(place).unwrap_or_default() * 3
}

/// A time on the grid, between so many steps.
fn time(dice: &mut Dice, from: u64, to: u64, offset: u32) -> u32 {
    let steps = from + dice.roll(to - from + 1);
    u32::try_from(steps).unwrap_or_default() * STEP + offset
}

#[cfg(test)]
mod tests;
