//! Takes in what the engine asked for and the driver did.

use super::World;
use super::fate::Fates;
use super::goal::Level;
use super::life::{Hook, Image, Life, Process, Shown, Told, Undo};
use crate::tri::Tri;
use pillion_engine::pod::HookKind;
use pillion_engine::{Action, Attempt, Command, ContainerId, Tick};

// === impl World ===

impl World {
    /// Whether an action shows that the goal has made an open move, because nothing else explains it.
    pub(crate) fn recognise(&mut self, action: &Action) {
        let (id, _) = action.container();
        if !self.knows(id) {
            return;
        }
        let unexplained = match action {
            Action::Stop { .. }
            | Action::RunHook {
                hook: HookKind::PreStop,
                ..
            } => self.life(id).told.is_none() && self.reasons(id).is_empty(),
            Action::RunHook {
                hook: HookKind::PodStopping,
                ..
            }
            | Action::Start {
                command: Command::Undo,
                ..
            } => !self.is_stopping_in_order(),
            Action::Start {
                command: Command::Run,
                ..
            } => return self.recognise_start(id),
            Action::Pull { .. }
            | Action::CancelPull { .. }
            | Action::Probe { .. }
            | Action::RunHook {
                hook: HookKind::PostStart,
                ..
            } => false,
        };
        if unexplained {
            self.commit();
        }
    }

    /// The pod has ended: whatever could have ended it has.
    pub(crate) fn recognise_end(&mut self) {
        if self.goal.level != Level::End && self.is_ending().possibly() {
            self.goal.open.retain(|it| it.level == Level::End);
            self.commit();
        }
    }

    /// A start may show that another run of the pod has begun.
    fn recognise_start(&mut self, id: ContainerId) {
        if self.may_run(id).possibly() || !self.all_down().possibly() {
            return;
        }
        // A restart that left no other trace may have come and gone.
        let mut open = self.goal.open.iter();
        if self.goal.level == Level::Run && open.any(|it| it.level != Level::End) {
            self.commit();
        }
        if matches!(self.goal.level, Level::Restart | Level::Kill) {
            self.begin_run();
            self.follow();
        }
    }

    /// The driver does what the engine asked for.
    pub(crate) fn carry_out(&mut self, action: &Action) {
        let now = self.now;
        let (id, attempt) = action.container();
        if !self.knows(id) {
            return;
        }
        // Whoever waits for the next run is neither pulled nor started.
        if matches!(action, Action::Pull { .. } | Action::Start { .. }) {
            self.between_runs = false;
        }
        match *action {
            Action::Pull { version, .. } => {
                self.life_mut(id).image = Image::Pulling { attempt, version };
            }
            Action::CancelPull { .. } => {
                let life = self.life_mut(id);
                life.image = Image::Unasked;
                // An exchange that has not come as far as the swap is given up with its image.
                life.replacing = life
                    .replacing
                    .filter(|it| it.swapped.is_some() || !life.live());
            }
            Action::Start {
                version, command, ..
            } => self.start(id, attempt, version, command),
            Action::RunHook { hook, deadline, .. } => {
                let running = Hook::Runs { deadline };
                let life = self.life_mut(id);
                match hook {
                    HookKind::PostStart => life.shown.post_start = running,
                    HookKind::PreStop => life.pre_stop = running,
                    HookKind::PodStopping => life.pod_stopping = running,
                }
            }
            Action::Probe { probe: kind, .. } => {
                if let Some(probe) = self.container(id).probes.get(kind).copied() {
                    self.life_mut(id).tally_mut(kind).ask(now, &probe);
                }
            }
            Action::Stop { deadline, .. } => self.tell(id, deadline),
        }
    }

    fn start(&mut self, id: ContainerId, attempt: Attempt, version: u32, command: Command) {
        self.goal.open.retain(|it| it.by != Some(id));
        self.holds_again(id);
        if version > self.life(id).version {
            self.try_those_without(id);
        }
        let now = self.now;
        let life = self.life_mut(id);
        life.process = Process::Asked;
        life.asked_at = now;
        life.attempt = attempt;
        life.command = command;
        life.shown = Shown::default();
        life.told = None;
        life.pre_stop = Hook::Idle;
        // What is pulled for its replacement goes on while the old one is restarted.
        if life.replacing.is_none_or(|it| version >= it.version) {
            life.image = Image::Unasked;
        }
        match command {
            Command::Undo => life.undo = Undo::Runs,
            Command::Run => life.start(now, version),
        }
    }

    /// A target is started anew: what was lost with its last run can hold again.
    fn holds_again(&mut self, target: ContainerId) {
        let lost: Vec<_> = self
            .shape
            .dependants(target)
            .map(|(id, index, _)| (id, index))
            .collect();
        for (id, index) in lost {
            let anew = self.life_mut(id).run.anew.iter_mut();
            for lost in anew.filter(|lost| lost.edge == index) {
                lost.back = true;
            }
        }
    }

    /// Whoever does not run when a target begins to go has not surely lost it later.
    fn doubt_held(&mut self, target: ContainerId) {
        let dependants: Vec<_> = self
            .shape
            .dependants(target)
            .map(|(id, index, _)| (id, index))
            .collect();
        for (id, index) in dependants {
            let life = self.life_mut(id);
            if !life.runs_itself() {
                life.run.held[index] = life.run.held[index].doubted();
            }
        }
    }

    fn tell(&mut self, id: ContainerId, deadline: Tick) {
        self.doubt_held(id);
        let why = self.reasons_to_tell(id);
        let life = self.life_mut(id);
        let told = life.told.map_or(
            Told {
                deadline,
                why,
                stale: false,
            },
            |old| Told {
                deadline: old.deadline.min(deadline),
                why: old.why,
                stale: false,
            },
        );
        life.told = Some(told);
    }
}

// === impl Life ===

impl Life {
    fn start(&mut self, now: Tick, version: u32) {
        self.fates = Fates::WANTED;
        self.run.begun = Tri::Yes;
        self.run.anew.clear();
        self.run.fell = false;
        self.run.to_be_warned = false;
        self.run.left_before = false;
        self.version = version;
        let Some(replacing) = &mut self.replacing else {
            return;
        };
        if version == replacing.version {
            replacing.swapped = replacing.swapped.or(Some(now));
        } else if replacing.swapped.is_some() {
            self.replacing = None;
        }
    }
}
