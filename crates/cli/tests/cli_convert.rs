//! `pillion convert`: whole files, as they stand in projects, and what is said about them.
//!
//! Each folder of `data/convert` holds a file; the pod that it becomes and what is said beside it
//! stand in the snapshots with its name. Those that are refused are in `data/convert/refused`, each
//! named after the code it is an example of.

#[path = "support/run.rs"]
mod support;

use pillion_spec::{Code, LowerOptions, Severity, load};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;
use support::{pillion, run, run_with, stderr, stdout};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/convert")
}

/// The name of a sample and its file.
fn samples() -> Vec<(String, PathBuf)> {
    let mut samples = Vec::new();
    for entry in fs::read_dir(folder()).expect("there are samples") {
        let path = entry.expect("it can be listed").path();
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if path.is_dir() && name != "refused" {
            samples.push((name, only_file(&path)));
        }
    }
    samples.sort();
    samples
}

fn only_file(folder: &Path) -> PathBuf {
    let files = fs::read_dir(folder).expect("a sample is a folder");
    let mut files = files.map(|entry| entry.expect("it can be listed").path());
    let is_shown = |path: &PathBuf| !path.ends_with(".env");
    files.find(is_shown).expect("a sample has a file")
}

/// Converts a file with nothing in the environment but a home.
fn convert(file: &Path) -> Output {
    let mut command = pillion(&["convert", &file.to_string_lossy()]);
    command.env_clear().env("HOME", "/home/me");
    command.output().expect("pillion was built")
}

/// The text with the project at a place that is the same everywhere.
fn portable(text: &str) -> String {
    let found = fs::canonicalize(folder()).expect("the samples are there");
    [found, folder()]
        .iter()
        .fold(text.to_owned(), |text, path| {
            text.replace(&*path.to_string_lossy(), "/project")
        })
}

fn assert_snapshot(name: String, text: &str) {
    insta::with_settings!({
        snapshot_path => folder(),
        prepend_module_to_snapshot => false,
        omit_expression => true,
    }, {
        insta::assert_snapshot!(name, portable(text));
    });
}

#[test]
fn every_sample_becomes_the_pod_beside_it() {
    let samples = samples();
    assert!(samples.len() >= 12);
    for (name, file) in samples {
        let output = convert(&file);
        assert_eq!(output.status.code(), Some(0), "{name}: {}", stderr(&output));
        assert_snapshot(format!("{name}.pod"), &stdout(&output));
        assert_snapshot(format!("{name}.said"), &stderr(&output));
    }
}

#[test]
fn every_pod_that_was_converted_is_free_of_warnings() {
    for (name, file) in samples() {
        let text = stdout(&convert(&file));
        let loaded = load("pod.yaml", text.as_bytes(), LowerOptions::default());
        let wrong = loaded
            .diagnostics
            .iter()
            .find(|one| one.severity != Severity::Note);
        assert_eq!(wrong, None, "{name}");
        assert_eq!(loaded.pods.len(), 1, "{name}");
    }
}

#[test]
fn a_file_that_means_nothing_is_refused_with_its_place() {
    let folder = folder().join("refused");
    let mut files: Vec<_> = fs::read_dir(folder)
        .expect("there are some")
        .map(|entry| entry.expect("it can be listed").path())
        .collect();
    files.sort();
    assert!(files.len() >= 5);
    for file in files {
        let output = convert(&file);
        let name = file
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        assert_eq!(output.status.code(), Some(2), "{name}");
        assert_eq!(stdout(&output), "", "{name}");
        assert_snapshot(format!("refused.{name}"), &stderr(&output));
    }
}

#[test]
fn every_code_of_conversion_is_said_by_a_sample() {
    let said: Vec<_> = fs::read_dir(folder())
        .expect("the snapshots are there")
        .map(|entry| entry.expect("it can be listed").path())
        .filter(|path| path.extension().is_some_and(|end| end == "snap"))
        .map(|path| fs::read_to_string(path).expect("a snapshot is text"))
        .collect();
    let codes = Code::ALL.iter().filter(|code| code.id().starts_with("L06"));
    for code in codes {
        let tag = format!("[{code}]");
        assert!(said.iter().any(|text| text.contains(&tag)), "{code}");
    }
}

#[test]
fn what_was_converted_can_be_planned_at_once() {
    let file = folder().join("migration/compose.yml");
    let text = stdout(&run_with(&["plan", "-"], &stdout(&convert(&file))));
    assert!(text.contains("after migrate succeeded"), "{text}");
    assert!(text.contains("metrics started (soft)"), "{text}");
}

#[test]
fn the_standard_input_tells_by_its_content_what_it_is() {
    let text = stdout(&run_with(&["convert", "-"], "web: serve -p $PORT\n"));
    assert!(text.contains("Converted from the standard input"), "{text}");
    assert!(text.contains("keystone: true"), "{text}");

    let compose = "services: {web: {image: i, command: serve}}\n";
    let text = stdout(&run_with(&["convert", "-"], compose));
    assert!(text.contains("command: [serve]"), "{text}");

    let output = run_with(&["convert", "--from", "compose", "-"], "web: serve\n");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn of_an_empty_file_it_says_what_could_be_converted() {
    let output = run_with(&["convert", "-"], "");
    assert_eq!(output.status.code(), Some(2));
    let text = stderr(&output);
    assert!(
        text.contains("help: a compose file has `services`, "),
        "{text}"
    );
    assert!(!text.contains("pod file"), "{text}");
}

#[test]
fn the_environment_wins_over_the_file_beside() {
    let file = folder().join("dotenv/compose.yaml");
    let mut command = pillion(&["convert", &file.to_string_lossy()]);
    command.env("APP_TAG", "8.0");
    let output = command.output().expect("pillion was built");
    assert!(
        stdout(&output).contains("image: shop/app:8.0"),
        "{}",
        stdout(&output)
    );
}

#[test]
fn a_file_that_exists_is_left_alone_unless_forced() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("convert-mine.yaml");
    let target = path.to_string_lossy().into_owned();
    fs::write(&path, "mine\n").expect("the folder for tests can be written to");
    let file = folder()
        .join("rails/Procfile")
        .to_string_lossy()
        .into_owned();

    let output = run(&["convert", &file, "-o", &target]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("`--force` writes over it"));
    assert_eq!(fs::read_to_string(&path).expect("it is there"), "mine\n");

    let output = run(&["convert", &file, "-o", &target, "--force"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(stderr(&output).contains(&format!("pillion plan {target}")));
    let text = fs::read_to_string(&path).expect("it is there");
    assert!(text.contains("kind: Pod"), "{text}");
}
