//! What is said about a file that is applied to a pod that runs: what it changes, why it is refused, what came of it.

use serde::{Deserialize, Serialize};

/// A file that is to be applied.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub(crate) struct Apply {
    /// What people call the file.
    pub(crate) file: String,
    pub(crate) text: String,
    /// Also where a dependant is stopped for good by it.
    #[serde(default)]
    pub(crate) force: bool,
    /// Nothing is to be done, only said.
    #[serde(default)]
    pub(crate) dry_run: bool,
    /// How long a new container may take to become ready, in milliseconds; its own time if left out.
    #[serde(default)]
    pub(crate) timeout: Option<u64>,
}

/// What a file changes.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub(crate) struct Plan {
    /// In the order in which they are made.
    pub(crate) changes: Vec<Change>,
    /// Containers that stay as they are.
    pub(crate) unchanged: Vec<String>,
    /// What else there is to know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) notes: Vec<String>,
}

/// A container that changes.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub(crate) struct Change {
    pub(crate) container: String,
    /// What is different, as the file calls it.
    pub(crate) fields: Vec<String>,
    pub(crate) how: How,
    /// Who goes down while it is exchanged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) along: Vec<Along>,
}

/// What becomes of a container that changes.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum How {
    /// It runs, and is exchanged.
    Replace,
    /// It does not run now, and starts with it.
    Start,
    /// It is not cut short, or has ended: it has it if it ever starts again.
    NextStart,
}

/// A container that goes down with another.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub(crate) struct Along {
    pub(crate) container: String,
    /// It does not come back.
    pub(crate) for_good: bool,
}

/// Why a file is not applied.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub(crate) struct Problem {
    /// Of which container; without one, of the pod.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) container: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) fields: Vec<String>,
    pub(crate) message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) help: Option<String>,
}

/// What came of it.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub(crate) struct Report {
    /// In the order of the plan.
    pub(crate) containers: Vec<Done>,
    /// How long it took.
    pub(crate) milliseconds: u64,
}

/// What came of one change.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub(crate) struct Done {
    pub(crate) container: String,
    pub(crate) outcome: Outcome,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
    /// From the moment it was begun.
    pub(crate) milliseconds: u64,
}

/// How a change ended, better ones first.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Outcome {
    /// The new one is ready.
    Replaced,
    /// It has the new definition when it starts.
    Taken,
    /// The old one was put back.
    PutBack,
    /// The old one stays: the new one never began.
    GivenUp,
    /// It was not its turn before something else went wrong.
    NotBegun,
}

// === impl Report ===

impl Report {
    /// Whether everything is as the file wants it.
    pub(crate) fn is_good(&self) -> bool {
        self.containers.iter().all(|done| done.outcome.is_good())
    }
}

// === impl Outcome ===

impl Outcome {
    /// Whether the container is as the file wants it.
    pub(crate) const fn is_good(self) -> bool {
        match self {
            Self::Replaced | Self::Taken => true,
            Self::PutBack | Self::GivenUp | Self::NotBegun => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_words_on_the_wire_stay_as_they_are() {
        let plan = Plan {
            changes: vec![Change {
                container: "proxy".to_owned(),
                fields: vec!["env".to_owned()],
                how: How::NextStart,
                along: vec![Along {
                    container: "app".to_owned(),
                    for_good: false,
                }],
            }],
            unchanged: vec!["db".to_owned()],
            notes: Vec::new(),
        };
        assert_eq!(
            serde_json::to_value(plan).expect("it can be written"),
            json!({
                "changes": [{
                    "container": "proxy",
                    "fields": ["env"],
                    "how": "next-start",
                    "along": [{"container": "app", "for_good": false}],
                }],
                "unchanged": ["db"],
            })
        );
        let report = Report {
            containers: vec![Done {
                container: "proxy".to_owned(),
                outcome: Outcome::PutBack,
                reason: Some("exited 3".to_owned()),
                milliseconds: 1200,
            }],
            milliseconds: 1300,
        };
        assert!(!report.is_good());
        assert_eq!(
            serde_json::to_value(report).expect("it can be written"),
            json!({
                "containers": [{
                    "container": "proxy",
                    "outcome": "put-back",
                    "reason": "exited 3",
                    "milliseconds": 1200,
                }],
                "milliseconds": 1300,
            })
        );
    }
}
