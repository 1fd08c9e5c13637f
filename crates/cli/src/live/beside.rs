//! What is said beside the pod's life, as JSON: an object with the one field `watch`, which no record has.

use pillion_timeline::Line;
use serde_json::json;
use std::time::Duration;

/// The object, with a line feed.
pub(super) fn line(at: Duration, lines: &[Line]) -> String {
    let told: Vec<_> = lines.iter().map(ToString::to_string).collect();
    let at = Duration::from_micros(u64::try_from(at.as_micros()).unwrap_or(u64::MAX));
    let object = json!({"watch": {"at": at.as_secs_f64(), "told": told.join("\n")}});
    format!("{object}\n")
}
