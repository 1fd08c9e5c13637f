//! The pods that are measured.

use super::yard::{Round, Yard};
use std::fmt::Write as _;

/// What a pod's containers do.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Shape {
    /// Each ends at once, and the next one follows.
    Oneshots,
    /// Each says that it is ready, and the next one follows.
    Notify,
    /// Each is ready when a command finds it so, and the next one follows.
    Probed,
    /// All end at once, and nobody waits for anybody.
    AtOnce,
    /// All stay, and nobody waits for anybody.
    Idle,
}

// === impl Shape ===

impl Shape {
    /// A pod of this shape.
    pub(super) fn pod(self, count: u32, yard: &Yard, round: &Round) -> String {
        let mut text = "apiVersion: v1\nkind: Pod\nmetadata: {name: bench}\nspec:\n  \
                        restartPolicy: Never\n  containers:\n"
            .to_owned();
        for number in 0..count {
            self.container(number, count, yard, round, &mut text)
                .expect("a string takes all that is written");
        }
        text
    }

    /// The words that the child is started with.
    pub(super) fn words(self, number: u32, count: u32, round: &Round) -> Vec<String> {
        let name = self.name(number, count);
        let stamps = round.stamps();
        let mut words = match self {
            Self::Oneshots | Self::AtOnce => vec!["stamp", &name, stamps],
            Self::Notify => vec!["serve", &name, stamps, "notify"],
            Self::Probed => vec!["serve", &name, stamps, "file"],
            Self::Idle => vec!["serve", &name, stamps],
        };
        let ready = ready_file(number, round);
        if self == Self::Probed {
            words.push(&ready);
        }
        words.into_iter().map(str::to_owned).collect()
    }

    /// All that stay are waited for.
    pub(super) fn name(self, number: u32, count: u32) -> String {
        let last = self == Self::Idle || number + 1 == count;
        format!("{}{number}", if last { "last" } else { "c" })
    }

    const fn is_chain(self) -> bool {
        match self {
            Self::Oneshots | Self::Notify | Self::Probed => true,
            Self::AtOnce | Self::Idle => false,
        }
    }

    fn container(
        self,
        number: u32,
        count: u32,
        yard: &Yard,
        round: &Round,
        text: &mut String,
    ) -> std::fmt::Result {
        let child = yard.child();
        let words = self.words(number, count, round).join(", ");
        writeln!(text, "    - name: {}", self.name(number, count))?;
        writeln!(text, "      image: none\n      command: [{child}, {words}]")?;
        match self {
            Self::Oneshots => writeln!(text, "      oneshot: true")?,
            Self::Notify => writeln!(text, "      readyOn: notify")?,
            Self::Probed => {
                let command = format!("[{child}, exists, {}]", ready_file(number, round));
                writeln!(text, "      readinessProbe:\n        periodSeconds: 1")?;
                writeln!(text, "        exec: {{command: {command}}}")?;
            }
            Self::AtOnce | Self::Idle => {}
        }
        match number.checked_sub(1) {
            Some(before) if self.is_chain() => {
                writeln!(text, "      requires: [{}]", self.name(before, count))
            }
            Some(_) | None => Ok(()),
        }
    }
}

/// The file that says that a container is ready.
fn ready_file(number: u32, round: &Round) -> String {
    format!("{}.ready-{number}", round.stamps())
}
