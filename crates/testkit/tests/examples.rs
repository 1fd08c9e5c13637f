//! The examples are right: no finding but notes, commands that a shell understands, a story for each.

use pillion_spec::{LowerOptions, Severity, load};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Names and contents of the files in a folder.
fn files(folder: &str) -> Vec<(String, Vec<u8>)> {
    let listed = fs::read_dir(project().join(folder)).expect("the folder is there");
    let paths = listed.map(|entry| entry.expect("it can be listed").path());
    let mut files: Vec<_> = paths
        .map(|path| {
            let name = path
                .file_name()
                .expect("a file has a name")
                .to_string_lossy();
            (name.into_owned(), fs::read(&path).expect("it can be read"))
        })
        .collect();
    files.sort();
    assert!(!files.is_empty(), "{folder} holds nothing");
    files
}

#[test]
fn nothing_is_wrong_with_an_example() {
    for (name, bytes) in files("examples") {
        let loaded = load(&name, &bytes, LowerOptions::default());

        let wrong = loaded
            .diagnostics
            .iter()
            .filter(|d| d.severity != Severity::Note);
        let wrong: Vec<_> = wrong.map(|d| &d.message).collect();
        assert!(wrong.is_empty(), "{name}: {wrong:?}");
        assert_eq!(loaded.pods.len(), 1, "{name}");
    }
}

#[test]
fn a_shell_understands_every_command_of_the_examples() {
    for (name, bytes) in files("examples") {
        let loaded = load(&name, &bytes, LowerOptions::default());
        for (_, _, container) in loaded.pods[0].file.pod.spec.all_containers() {
            let [shell, option, text] = container.command.as_slice() else {
                panic!("{name}: {} is not run by a shell", container.name);
            };
            assert_eq!([shell, option], ["sh", "-c"], "{name}: {}", container.name);
            let checked = Command::new("sh").args(["-n", "-c", text]).output();
            let checked = checked.expect("there is a shell");
            assert!(
                checked.status.success(),
                "{name}: {}: {checked:?}",
                container.name
            );
        }
    }
}

#[test]
fn every_example_has_a_story_that_begins_with_its_name() {
    let stories: BTreeSet<_> = files("scenarios/stories")
        .into_iter()
        .map(|(name, _)| name)
        .collect();

    for (name, _) in files("examples") {
        assert!(
            stories.contains(&name),
            "scenarios/stories/{name} is missing"
        );
    }
}
