//! Reasons that a record alone does not tell: they depend on what had become of others by then.
//!
//! Who is brought down with another is told so before that other is down, because stops go from the
//! top; and whoever is stopped when all above it are down may never have been needed at all.

use crate::record::{Cause, Record, What};
use crate::text::tame;
use crate::timeline::Timeline;
use crate::words::{event, reason, with_reason};

impl Timeline {
    /// The record as a sentence, without its time.
    pub(crate) fn sentence(&self, record: &Record) -> String {
        with_reason(event(record), self.reason(record))
    }

    /// Why it happened, if that is not plain from what happened.
    pub(crate) fn reason(&self, record: &Record) -> Option<String> {
        let because = self.because(record);
        if let Cause::TargetDown { target } = &record.cause {
            let of_target = because.filter(|because| because.is_about(target));
            return Some(downfall(target, of_target));
        }
        if record.what == What::GaveUp && record.cause == Cause::Itself {
            return self.stopped_with(record);
        }
        if record.what == What::ReplaceAbandoned && self.has_ended(record) {
            return Some("it has ended for good".into());
        }
        let stop = because.filter(|because| came_from_outside(because));
        match stop {
            Some(stop) if record.cause == Cause::Unneeded => reason(stop),
            Some(_) | None => reason(record),
        }
    }

    /// Whether the container of a record had ended for good by then.
    fn has_ended(&self, record: &Record) -> bool {
        let before = self
            .records()
            .partition_point(|other| other.seq < record.seq);
        let mut own = self.records()[..before].iter().rev();
        let newest = own.find(|other| {
            let lives = matches!(other.what, What::Starting | What::Ended { .. });
            lives && other.container == record.container
        });
        newest.is_some_and(|newest| newest.what != What::Starting)
    }

    /// Who gives up without a cause of its own was brought down with another, for good.
    fn stopped_with(&self, record: &Record) -> Option<String> {
        let own = std::iter::successors(self.because(record), |record| self.because(record));
        let mut own = own
            .take(STEPS)
            .filter(|own| own.container == record.container);
        let stop = own.find(|own| matches!(own.cause, Cause::TargetDown { .. }));
        stop.and_then(|stop| self.reason(stop))
    }
}

/// Between being told to stop and giving up there are few records: a hook, an exit.
const STEPS: usize = 8;

/// Whether the pod was told to go. Who follows from that at once was needed by nobody then, and
/// perhaps never: whoever is stopped after others follows from their exits.
fn came_from_outside(stop: &Record) -> bool {
    let outside = matches!(
        stop.cause,
        Cause::Deletion { .. } | Cause::ActiveDeadline | Cause::Asked { .. }
    );
    stop.container.is_none() && outside
}

/// `proxy went down`, or will: by the record of the target that it follows from.
fn downfall(target: &str, because: Option<&Record>) -> String {
    let name = tame(target);
    match because.map(|because| &because.what) {
        Some(What::ReplaceBegan) => format!("{name} is replaced"),
        Some(what) if is_down(what) => format!("{name} went down"),
        Some(_) | None => format!("{name} goes down"),
    }
}

fn is_down(what: &What) -> bool {
    what.is_down() || what.is_failure() || matches!(what, What::Ended { .. } | What::GaveUp)
}
