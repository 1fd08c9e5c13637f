//! What is said over the sockets of a pod. A change that an older program would misread needs a new [`PROTOCOL`].

use super::apply::{Apply, Plan, Problem, Report};
use super::bytes::Bytes;
use crate::live::view::Standing;
use pillion_engine::pod::Reaction;
use pillion_timeline::Wall;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The version of all that is below.
pub(crate) const PROTOCOL: u32 = 1;

/// What the pod says first.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub(crate) struct Hello {
    /// The protocol.
    pub(crate) pillion: u32,
    /// The program that runs the pod.
    pub(crate) version: String,
    pub(crate) namespace: String,
    pub(crate) name: String,
}

/// What a person wants.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Request {
    /// How it stands.
    Look,
    /// How it stands, now and whenever that changes.
    Watch,
    /// Nothing but to be there until the pod is gone.
    Wait,
    /// The pod is to end; who is awaited is told until it is gone.
    Stop {
        /// In milliseconds; the pod's own if left out.
        grace: Option<u64>,
    },
    /// The pod is to be restarted, or one container of it.
    Restart {
        #[serde(default)]
        container: Option<String>,
    },
    /// A command is to be run in a container; standard input, output and error come with it.
    Exec {
        #[serde(default)]
        container: Option<String>,
        command: Vec<String>,
        /// They are a terminal of this kind, which the command is to be in.
        #[serde(default)]
        terminal: Option<String>,
    },
    /// What a container writes is to be told from now on, and how to write what it reads.
    Attach {
        #[serde(default)]
        container: Option<String>,
    },
    /// The command that was asked for is to get a signal.
    Signal(i32),
    /// The pod as Kubernetes shows it.
    Get,
    /// Another file is to be taken, container by container; how it goes is told until all is over.
    Apply(Box<Apply>),
}

/// What a container wants.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ContainerRequest {
    /// Something is to happen.
    Ask {
        what: Asked,
        #[serde(default)]
        reason: String,
    },
    /// It is ready, or is not.
    Notify { ready: bool },
    /// How the pod stands.
    Status,
}

/// What a container can ask for.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Asked {
    /// Stop the pod in order, and start it again
    RestartPod,
    /// End the pod in order, as a failure
    FailPod,
    /// End the pod in order, as a success
    CompletePod,
    /// Restart this container
    Restart,
    /// Let this container count nowhere any more once it has ended
    Ignore,
}

/// What the pod answers.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Answer {
    /// It is done, or will be.
    Done,
    /// It is not, and why.
    Refused {
        message: String,
        #[serde(default)]
        hint: Option<String>,
    },
    /// How it stands.
    Look(Box<Look>),
    /// The pod as Kubernetes shows it.
    Object(serde_json::Value),
    /// The command has ended like this.
    Exited(i32),
    /// The command never ran, and why.
    NotRun {
        message: String,
        /// It was not there.
        missing: bool,
    },
    /// What this container writes will be told. If it reads anything, that is to be written to the descriptor which
    /// comes with it.
    Attached {
        container: String,
        /// It has a terminal.
        terminal: bool,
        /// The descriptor is there.
        input: bool,
    },
    /// The container that was joined wrote this.
    Output {
        /// To standard error.
        stderr: bool,
        bytes: Bytes,
    },
    /// It also wrote so many bytes that were not read fast enough.
    Missed(u64),
    /// How the pod stands, for a container.
    Status(Status),
    /// What a file changes.
    Plan(Box<Plan>),
    /// The file is not applied, and why.
    NotApplied(Vec<Problem>),
    /// What came of it.
    Applied(Box<Report>),
}

/// A pod at one moment.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub(crate) struct Look {
    pub(crate) namespace: String,
    pub(crate) name: String,
    /// The process that runs it.
    pub(crate) pid: u32,
    /// When it began.
    pub(crate) began: Wall,
    /// As Kubernetes calls it.
    pub(crate) phase: String,
    pub(crate) state: State,
    pub(crate) ready: bool,
    /// Which run of it this is: a pod that was restarted has more than one.
    pub(crate) run: u32,
    /// The same for people, the most important first.
    pub(crate) told: Vec<String>,
    pub(crate) containers: Vec<ContainerLook>,
}

/// A container at one moment.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub(crate) struct ContainerLook {
    pub(crate) name: String,
    pub(crate) state: Standing,
    /// What there is to say about that: who is waited for, how it ended.
    pub(crate) told: Vec<String>,
    /// It is as it should be: a service ready, a oneshot done.
    pub(crate) up: bool,
    pub(crate) ready: bool,
    pub(crate) restarts: u32,
    pub(crate) pid: Option<i32>,
    /// Whether the pod's readiness and result depend on it.
    pub(crate) counts: bool,
}

/// Where a pod is going.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum State {
    Running,
    Restarting,
    Stopping,
    Ended,
}

/// How a pod stands, for a container of it.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub(crate) struct Status {
    pub(crate) state: State,
    /// How long the pod still has until everything is killed, while it goes down.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) milliseconds_left: Option<u64>,
}

// === impl Asked ===

impl From<Asked> for Reaction {
    fn from(asked: Asked) -> Self {
        match asked {
            Asked::RestartPod => Self::RestartPod,
            Asked::FailPod => Self::FailPod,
            Asked::CompletePod => Self::CompletePod,
            Asked::Restart => Self::Restart,
            Asked::Ignore => Self::Ignore,
        }
    }
}

// === impl State ===

impl State {
    /// In one word.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Restarting => "restarting",
            Self::Stopping => "stopping",
            Self::Ended => "ended",
        }
    }
}

// === impl Look ===

impl Look {
    /// How people call it: the namespace is left out where there is no need for it.
    pub(crate) fn title(&self) -> String {
        title(&self.namespace, &self.name)
    }

    /// How many containers are as they should be, and of how many.
    pub(crate) fn up(&self) -> (usize, usize) {
        let counted = || self.containers.iter().filter(|container| container.counts);
        (
            counted().filter(|container| container.up).count(),
            counted().count(),
        )
    }

    /// How often its containers were restarted.
    pub(crate) fn restarts(&self) -> u64 {
        let restarts = self.containers.iter().map(|container| container.restarts);
        restarts.map(u64::from).sum()
    }
}

// === impl Status ===

impl Status {
    /// How long the pod still has.
    pub(crate) fn left(&self) -> Option<Duration> {
        self.milliseconds_left.map(Duration::from_millis)
    }
}

/// `orders`, or `shop/orders` in a namespace that is not the usual one.
pub(crate) fn title(namespace: &str, name: &str) -> String {
    if namespace == "default" {
        name.to_owned()
    } else {
        format!("{namespace}/{name}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_words_on_the_wire_stay_as_they_are() {
        let said = |request: Request| serde_json::to_value(request).expect("it can be written");
        assert_eq!(said(Request::Look), json!("look"));
        assert_eq!(
            said(Request::Stop { grace: Some(5000) }),
            json!({"stop": {"grace": 5000}})
        );
        let command = vec!["id".to_owned()];
        let exec = Request::Exec {
            container: None,
            command,
            terminal: None,
        };
        assert_eq!(
            said(exec),
            json!({"exec": {"container": null, "command": ["id"], "terminal": null}})
        );
        let ask = ContainerRequest::Ask {
            what: Asked::RestartPod,
            reason: "new keys".to_owned(),
        };
        assert_eq!(
            serde_json::to_value(ask).expect("it can be written"),
            json!({"ask": {"what": "restart-pod", "reason": "new keys"}})
        );
        let answer = Answer::Refused {
            message: "no".to_owned(),
            hint: None,
        };
        assert_eq!(
            serde_json::to_value(answer).expect("it can be written"),
            json!({"refused": {"message": "no", "hint": null}})
        );
    }

    #[test]
    fn a_container_cannot_say_what_only_a_person_may() {
        for request in [
            "\"look\"",
            "{\"stop\":{\"grace\":0}}",
            "\"get\"",
            "{\"signal\":9}",
        ] {
            assert!(
                serde_json::from_str::<Request>(request).is_ok(),
                "{request}"
            );
            assert!(serde_json::from_str::<ContainerRequest>(request).is_err());
        }
    }
}
