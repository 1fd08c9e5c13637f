//! What a document points at is there.

use super::Findings;
use crate::workspace::{self, Workspace};
use std::path::{Path, PathBuf};

pub(super) fn check(workspace: &Workspace) -> anyhow::Result<Findings> {
    let mut findings = Findings::default();
    let mut links = 0;
    for document in documents(workspace)? {
        let text = workspace::read(&document)?;
        let folder = document.parent().unwrap_or(Path::new(""));
        for (line, target) in targets(&text) {
            links += 1;
            if !folder.join(target).exists() {
                let path = workspace.relative(&document);
                findings
                    .errors
                    .push(format!("{path}:{line}: there is no {target}"));
            }
        }
    }
    findings.looked_at = format!("{links} links in documents");
    Ok(findings)
}

fn documents(workspace: &Workspace) -> anyhow::Result<Vec<PathBuf>> {
    let mut documents = workspace.files("docs", ".md")?;
    let own = [
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
    ];
    documents.extend(own.map(|name| workspace.root().join(name)));
    Ok(documents)
}

/// The files that a text links to, each with its line.
fn targets(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let numbered = (1..).zip(text.lines());
    let links = numbered.flat_map(|(number, line)| {
        let behind = line.split("](").skip(1);
        behind.map(move |link| (number, link))
    });
    links.filter_map(|(number, link)| {
        let (target, _) = link.split_once(')')?;
        let file = target.split('#').next()?;
        (!file.is_empty() && !file.contains("://")).then_some((number, file))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_to_files_are_found_and_others_are_not() {
        let text = "see [a](docs/a.md), [b](#below)\nand [c](https://c.example) or [d](d.md#part)";

        assert_eq!(
            targets(text).collect::<Vec<_>>(),
            [(1, "docs/a.md"), (2, "d.md")]
        );
    }
}
