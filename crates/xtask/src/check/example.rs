//! An example that no test uses is wrong sooner or later.

use super::Findings;
use crate::rust_file::RustFile;
use crate::workspace::{self, Workspace};

pub(super) fn check(workspace: &Workspace, files: &[RustFile]) -> anyhow::Result<Findings> {
    let examples = workspace.files("examples", "")?;
    let scenarios = workspace.files("scenarios", ".yaml")?;
    let mut texts = Vec::new();
    for scenario in &scenarios {
        texts.push(workspace::read(scenario)?);
    }
    texts.extend(
        files
            .iter()
            .map(|file| file.text[file.shipped().len()..].to_owned()),
    );
    let mut errors = Vec::new();
    for example in &examples {
        let path = workspace.relative(example);
        if !texts.iter().any(|text| text.contains(path)) {
            errors.push(format!("{path}: no test and no scenario mentions it"));
        }
    }
    let looked_at = format!("{} files", examples.len());
    Ok(Findings {
        errors,
        looked_at,
        ..Findings::default()
    })
}
