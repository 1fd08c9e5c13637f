//! What a Job says about the pods it makes.

use super::{count, long_count};
use crate::findings::Findings;
use crate::tree::Node;

/// When a Job has had enough.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct JobLimits {
    /// `backoffLimit`.
    pub(crate) retries: u32,
    /// `activeDeadlineSeconds`, over all of its pods.
    pub(crate) active_deadline_seconds: Option<u64>,
}

/// How often a Job tries again if nothing is said.
const DEFAULT_RETRIES: u32 = 6;

/// Reads the `spec` of a Job.
pub(crate) fn job_limits(spec: Node<'_>, findings: &mut Findings) -> JobLimits {
    JobLimits {
        retries: count(spec, "backoffLimit", 0, findings).unwrap_or(DEFAULT_RETRIES),
        active_deadline_seconds: long_count(spec, "activeDeadlineSeconds", 0, findings),
    }
}
