//! What every Rust file says and does not say.

use super::Findings;
use crate::rust_file::RustFile;

/// Things that are left for later, or looked away from.
const UNFINISHED: [&str; 4] = ["#[ignore", "todo!", "unimplemented!", "dbg!("];

pub(super) fn check(files: &[RustFile]) -> Findings {
    Findings {
        errors: files.iter().flat_map(wrong).collect(),
        looked_at: format!("{} files", files.len()),
        ..Findings::default()
    }
}

fn wrong(file: &RustFile) -> Vec<String> {
    let path = &file.path;
    let mut wrong = Vec::new();
    if !file.text.starts_with("//!") {
        wrong.push(format!(
            "{path}:1: a file opens with `//!` and what it holds"
        ));
    }
    for word in UNFINISHED {
        let lines = file.lines_with(word);
        wrong.extend(
            lines
                .into_iter()
                .map(|line| format!("{path}:{line}: {word} is left")),
        );
    }
    wrong
}
