//! `cargo xtask check`: the project's own rules.
//!
//! Each rule is a function from what is there to what is wrong with it. All rules are looked at
//! before the chore fails, so that one run tells everything.

mod dependency;
mod example;
mod length;
mod licence;
mod link;
mod metadata;
mod purity;
mod wording;

use crate::rust_file::RustFile;
use crate::workspace::Workspace;
use anyhow::bail;
use metadata::Metadata;

/// What a rule found.
#[derive(Default)]
struct Findings {
    /// What must be mended, each with its place.
    errors: Vec<String>,
    /// What should be looked at some day.
    warnings: Vec<String>,
    /// What was looked at.
    looked_at: String,
}

pub(crate) fn run(workspace: &Workspace) -> anyhow::Result<()> {
    let metadata = Metadata::new(&workspace.metadata()?)?;
    let files = rust_files(workspace)?;
    let rules = [
        ("licences", licence::check(&metadata)),
        ("dependencies", dependency::check(&metadata)),
        ("purity", purity::check(&files)),
        ("file length", length::check(&files)),
        ("wording of files", wording::check(&files)),
        ("examples", example::check(workspace, &files)?),
        ("links", link::check(workspace)?),
    ];
    let wrong: usize = rules
        .iter()
        .map(|(title, findings)| tell(title, findings))
        .sum();
    match wrong {
        0 => Ok(()),
        1 => bail!("1 rule of the project is broken, see above"),
        _ => bail!("rules of the project are broken in {wrong} places, see above"),
    }
}

fn rust_files(workspace: &Workspace) -> anyhow::Result<Vec<RustFile>> {
    let mut paths = workspace.files("crates", ".rs")?;
    paths.extend(workspace.files("fuzz", ".rs")?);
    paths
        .iter()
        .map(|path| RustFile::read(workspace, path))
        .collect()
}

fn tell(title: &str, findings: &Findings) -> usize {
    let Findings {
        errors,
        warnings,
        looked_at,
    } = findings;
    let verdict = if errors.is_empty() { "ok" } else { "BROKEN" };
    say!("    {title:<18} {verdict:<7} {looked_at}");
    for warning in warnings {
        say!("      warning: {warning}");
    }
    for error in errors {
        say!("      error: {error}");
    }
    errors.len()
}
