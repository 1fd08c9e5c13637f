//! Tests of what `pillion run` shows, one file per subject.

mod log;
