//! Tries what this machine may refuse, before anything is started: a container that cannot have its volumes or its silence
//! should not be found out when its turn comes.

use super::Processes;
use super::last_words;
use super::recipe::RecipeError;
use super::recipe::error::{Problem, Subject};
use crate::guard::{Guard, Mount, MountKind, Refused, Stage};
use pillion_spec::container::Container;
use pillion_spec::pillion::Network;
use pillion_spec::pod::Pod;
use std::path::PathBuf;

/// Something that needs a namespace.
#[derive(Clone, Copy, Eq, PartialEq)]
enum Need {
    Mounts,
    Silence,
}

/// Tells which containers of a pod cannot have around them what they need.
pub fn rehearse(guard: &Guard, pod: &Pod) -> Vec<RecipeError> {
    let needs = || {
        let containers = pod.spec.all_containers();
        containers.flat_map(|(list, index, container)| {
            let fields = Need::of(container).into_iter();
            fields.map(move |(need, field)| {
                (need, format!("spec.{list}[{index}].{field}"), container)
            })
        })
    };
    let mut errors = Vec::new();
    for need in [Need::Mounts, Need::Silence] {
        if !needs().any(|(one, ..)| one == need) {
            continue;
        }
        // If it cannot be tried, the start tells.
        if let Ok(Some(Refused { message, hint })) = guard.rehearse(need.stage()) {
            let refused = needs().filter(|(one, ..)| *one == need);
            errors.extend(refused.map(|(_, field, container)| RecipeError {
                subject: Subject::Container(container.name.clone()),
                field,
                problem: Problem::Refused {
                    message: message.clone(),
                    hint: hint.clone(),
                },
            }));
        }
    }
    errors
}

impl Processes {
    /// Tells which containers of a pod cannot have around them what they need.
    pub fn rehearse(&self, pod: &Pod) -> Vec<RecipeError> {
        rehearse(&self.guard, pod)
    }
}

// === impl Need ===

impl Need {
    /// What a container needs, and the field that says so.
    fn of(container: &Container) -> Vec<(Self, &'static str)> {
        let mut needs = Vec::new();
        if !container.volume_mounts.is_empty() {
            needs.push((Self::Mounts, "volumeMounts"));
        } else if last_words::is_mounted(container) {
            needs.push((Self::Mounts, "terminationMessagePath"));
        }
        if container.pillion.network == Some(Network::None) {
            needs.push((Self::Silence, "network"));
        }
        needs
    }

    fn stage(self) -> Stage {
        match self {
            Self::Mounts => Stage {
                mounts: vec![Mount {
                    kind: MountKind::Tmpfs { size: None },
                    target: PathBuf::from("/pillion-rehearsal"),
                    read_only: false,
                }],
                ..Stage::default()
            },
            Self::Silence => Stage {
                no_network: true,
                ..Stage::default()
            },
        }
    }
}
