//! Checks on Kubernetes events.

use super::Evidence;
use crate::record::{Event, Record};

/// A part of an event.
pub(super) struct Part<'c> {
    /// The container that it is about.
    pub(super) of: &'c str,
    pub(super) reason: Option<&'c str>,
    /// A part of its message.
    pub(super) says: Option<&'c str>,
}

/// Whether such an event was told, as it must have been, or must not.
pub(super) fn look(record: &Record, part: &Part<'_>, told: bool) -> Result<(), Evidence> {
    let events = record.events.as_deref().unwrap_or_default();
    let found = events.iter().find(|event| part.is_of(event));
    let seen = match (found, told) {
        (Some(_), true) | (None, false) => return Ok(()),
        (Some(event), false) => format!("{}: {} was told", event.reason, event.message),
        (None, true) => {
            let of = events.iter().filter(|event| *event.of == *part.of);
            let reasons: Vec<_> = of.map(|event| &*event.reason).collect();
            match reasons.as_slice() {
                [] => "no event was told of it".to_owned(),
                reasons => format!("these events were told of it: {}", reasons.join(", ")),
            }
        }
    };
    let mut evidence = Evidence::new(seen);
    evidence.about.push(part.of.into());
    Err(evidence)
}

// === impl Part ===

impl Part<'_> {
    fn is_of(&self, event: &Event) -> bool {
        *event.of == *self.of
            && self.reason.is_none_or(|reason| *event.reason == *reason)
            && self.says.is_none_or(|says| event.message.contains(says))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KILLED: Part<'_> = Part {
        of: "m1",
        reason: Some("Killing"),
        says: Some("failed liveness probe"),
    };

    /// What is seen instead in a play of which this was told, or nothing if the check holds.
    fn seen(part: &Part<'_>, told: bool, messages: &[&str]) -> Option<String> {
        let events = messages.iter().map(|message| Event {
            of: "m1".into(),
            reason: "Killing".into(),
            message: (*message).into(),
        });
        let record = Record {
            events: Some(events.collect()),
            ..Record::default()
        };
        look(&record, part, told)
            .err()
            .map(|evidence| evidence.seen)
    }

    #[test]
    fn an_event_is_told_by_its_container_its_reason_and_a_part_of_its_message() {
        let told = ["Container m1 failed liveness probe, will be restarted"];
        assert_eq!(seen(&KILLED, true, &told), None);
        for other in [
            Part { of: "r1", ..KILLED },
            Part {
                reason: Some("Unhealthy"),
                ..KILLED
            },
            Part {
                says: Some("failed startup probe"),
                ..KILLED
            },
        ] {
            assert!(seen(&other, true, &told).is_some());
            assert_eq!(seen(&other, false, &told), None);
        }
    }

    #[test]
    fn what_was_told_instead_is_shown() {
        assert_eq!(seen(&KILLED, true, &[]).unwrap(), "no event was told of it");
        assert_eq!(
            seen(&KILLED, true, &["Stopping container m1"]).unwrap(),
            "these events were told of it: Killing"
        );
        let stopping = Part {
            reason: None,
            says: Some("Stopping"),
            ..KILLED
        };
        assert_eq!(
            seen(&stopping, false, &["Stopping container m1"]).unwrap(),
            "Killing: Stopping container m1 was told"
        );
    }
}
