//! `pillion init`: the file it writes is good, and nothing is lost by writing it.

#[path = "support/run.rs"]
mod support;

use std::fs;
use std::path::{Path, PathBuf};
use support::{run, run_with, stderr, stdout};

/// A path of one test, at which nothing is.
fn fresh(name: &str) -> (PathBuf, String) {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_file(&path);
    let text = path.to_string_lossy().into_owned();
    (path, text)
}

fn starter() -> String {
    stdout(&run(&["init", "-"]))
}

#[test]
fn the_starter_file_has_no_problem_of_any_kind() {
    let output = run_with(&["lint", "--strict", "-"], &starter());
    assert_eq!(stderr(&output), "no problems in 1 file\n");
    assert_eq!(stdout(&output), "");
}

#[test]
fn the_starter_file_plans_three_in_a_row() {
    let text = stdout(&run_with(&["plan", "-"], &starter()));
    assert!(text.contains("proxy ───▶ migrate ───▶ app"), "{text}");
    assert!(text.contains("grace 20 s, worst case 15 s"), "{text}");
}

#[test]
fn the_file_speaks_of_itself_by_its_name_and_says_what_is_next() {
    let (path, name) = fresh("init-named.yaml");
    let output = run(&["init", &name]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(stdout(&output), "");
    for verb in ["plan", "run "] {
        let next = format!("pillion {verb} {name}");
        assert!(stderr(&output).contains(&next), "{}", stderr(&output));
    }
    let text = fs::read_to_string(path).expect("it was written");
    assert!(text.contains(&format!("pillion run {name} ")), "{text}");
    assert!(!text.contains("pod.yaml"), "{text}");
}

#[test]
fn a_file_that_exists_is_left_alone_unless_forced() {
    let (path, name) = fresh("init-mine.yaml");
    fs::write(&path, "mine\n").expect("the folder for tests can be written to");

    let output = run(&["init", &name]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("`--force` writes over it"));
    assert_eq!(fs::read_to_string(&path).expect("it is there"), "mine\n");

    assert_eq!(run(&["init", "--force", &name]).status.code(), Some(0));
    let text = fs::read_to_string(&path).expect("it is there");
    assert!(text.contains("kind: Pod") && !text.contains("mine\n"));
}

#[test]
fn an_example_is_written_with_commands_that_can_be_typed() {
    let (path, name) = fresh("init-orders.yaml");
    let output = run(&["init", "--example", "orders", &name]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = fs::read_to_string(path).expect("it was written");
    assert!(text.contains(&format!("pillion plan {name}")), "{text}");
    assert!(
        !text.contains("cargo") && !text.contains("examples/"),
        "{text}"
    );
    assert_eq!(run(&["lint", &name]).status.code(), Some(0));
}

#[test]
fn every_example_is_listed_and_can_be_written() {
    let list = stdout(&run(&["init", "--list"]));
    assert!(list.lines().count() > 10);
    for line in list.lines() {
        let name = line.split_whitespace().next().expect("no line is empty");
        let output = run(&["init", "--example", name, "-"]);
        assert!(stdout(&output).contains("apiVersion:"), "{name}");
    }
}

#[test]
fn a_misspelt_example_is_refused_with_the_one_that_was_meant() {
    let (path, name) = fresh("init-none.yaml");
    let output = run(&["init", "--example", "ordrs", &name]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        stderr(&output),
        "error: there is no example `ordrs`\n\
         help: did you mean `orders`? `pillion init --list` shows all\n"
    );
    assert!(!path.exists());
}
