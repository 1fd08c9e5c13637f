//! The project's examples, carried by the program.

use crate::hint::Hint;
use pillion_spec::nearest::nearest;

/// A file that shows one thing.
#[derive(Debug)]
pub(super) struct Example {
    pub(super) name: &'static str,
    text: &'static str,
}

/// No example has this name.
#[derive(Debug, thiserror::Error)]
#[error("there is no example `{0}`")]
pub(crate) struct UnknownExample(String);

macro_rules! examples {
    ($($name:literal)*) => {
        /// Every example, by name.
        const ALL: &[Example] = &[$(Example {
            name: $name,
            text: include_str!(concat!("../../../../../examples/", $name, ".yaml")),
        },)*];
    };
}

examples! {
    "ambassador"
    "broken-helper"
    "device-setup"
    "job-with-proxy"
    "keystone"
    "log-collector"
    "mixed-restarts"
    "orders"
    "phases"
    "pre-and-post-sidecars"
    "three-in-a-row"
    "vault-mesh-app"
}

/// Each example with what it is about, one a line.
pub(super) fn listed() -> String {
    let width = ALL.iter().map(|example| example.name.len()).max();
    let width = width.unwrap_or_default();
    let line = |example: &Example| format!("{:width$}  {}", example.name, example.title());
    ALL.iter().map(line).collect::<Vec<_>>().join("\n")
}

// === impl Example ===

impl Example {
    /// The example of this name.
    pub(super) fn named(name: &str) -> Result<&'static Self, UnknownExample> {
        let found = ALL.iter().find(|example| example.name == name);
        found.ok_or_else(|| UnknownExample(name.to_owned()))
    }

    /// Its first sentence says what it shows.
    fn title(&self) -> String {
        let comment = self.text.lines().map_while(|line| line.strip_prefix("# "));
        let comment = comment.collect::<Vec<_>>().join(" ");
        let end = comment.find(". ").map_or(comment.len(), |at| at + 1);
        comment[..end].trim_end_matches('.').to_owned()
    }

    /// As a file of another name: its comments show commands that can be typed as they are.
    pub(super) fn text_as(&self, name: &str) -> String {
        let here = format!("examples/{}.yaml", self.name);
        let typed = self
            .text
            .replace("cargo run --release -- ", "pillion ")
            .replace("cargo run -- ", "pillion ");
        typed.replace(&here, name)
    }
}

// === impl UnknownExample ===

impl Hint for UnknownExample {
    fn hint(&self) -> Option<String> {
        let names = ALL.iter().map(|example| example.name);
        let list = "`pillion init --list` shows all".to_owned();
        Some(match nearest(&self.0, names) {
            Some(name) => format!("did you mean `{name}`? {list}"),
            None => list,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn every_example_of_the_project_is_carried() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
        let entries = folder.read_dir().unwrap();
        let mut files: Vec<_> = entries
            .filter_map(|entry| {
                let name = entry.unwrap().file_name().into_string().unwrap();
                name.strip_suffix(".yaml").map(str::to_owned)
            })
            .collect();
        files.sort();
        let carried: Vec<_> = ALL.iter().map(|example| example.name).collect();
        assert_eq!(carried, files);
    }

    #[test]
    fn every_example_says_in_one_line_what_it_shows() {
        for example in ALL {
            let title = example.title();
            assert!(
                (10..100).contains(&title.len()),
                "{}: {title}",
                example.name
            );
        }
    }
}
