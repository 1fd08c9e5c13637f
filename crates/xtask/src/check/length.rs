//! A file that is too long is where a newcomer gets lost.

use super::Findings;
use crate::rust_file::RustFile;

/// Time to look for the seam.
const LONG: usize = 400;
/// A mistake.
const TOO_LONG: usize = 600;

/// Flat tables: nobody reads them from top to bottom.
const TABLES: [&str; 2] = ["crates/spec/src/code.rs", "crates/spec/src/fields/table.rs"];

pub(super) fn check(files: &[RustFile]) -> Findings {
    let mut findings = Findings::default();
    let mut longest = 0;
    for RustFile { path, text, .. } in files {
        let lines = text.lines().count();
        if TABLES.contains(&path.as_str()) {
            continue;
        }
        longest = longest.max(lines);
        if lines > TOO_LONG {
            findings
                .errors
                .push(format!("{path}: {lines} lines, at most {TOO_LONG}"));
        } else if lines > LONG {
            findings
                .warnings
                .push(format!("{path}: {lines} lines, better at most {LONG}"));
        }
    }
    findings.looked_at = format!("{} files, the longest has {longest} lines", files.len());
    findings
}
