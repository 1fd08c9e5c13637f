//! What holds for every command: help, exit codes, colours, pipes.

use std::process::{Command, Output, Stdio};

fn pillion(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pillion"));
    command.args(arguments).stdin(Stdio::null());
    for name in ["NO_COLOR", "CLICOLOR_FORCE", "COLUMNS", "LC_ALL", "LANG"] {
        command.env_remove(name);
    }
    command
}

fn run(arguments: &[&str]) -> Output {
    pillion(arguments).output().expect("pillion was built")
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn wrong_usage_is_exit_code_two() {
    for arguments in [
        &[][..],
        &["lint"],
        &["frobnicate"],
        &["lint", "--frobnicate", "x"],
    ] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(
            output.stdout.is_empty() && stderr(&output).contains("Usage:"),
            "{arguments:?}"
        );
    }
}

#[test]
fn help_is_data_and_success() {
    for arguments in [
        &["--help"][..],
        &["lint", "--help"],
        &["explain", "-h"],
        &["--version"],
    ] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        assert!(
            output.stderr.is_empty() && !output.stdout.is_empty(),
            "{arguments:?}"
        );
    }
}

#[test]
fn codes_are_explained() {
    let output = run(&["explain", "l0102"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(stdout(&output).starts_with("L0102  error    "));
    assert!(
        stdout(&output)
            .lines()
            .all(|line| line.chars().count() <= 80)
    );
}

#[test]
fn all_codes_are_listed() {
    let output = run(&["explain"]);
    let codes: Vec<_> = stdout(&output)
        .lines()
        .map(|line| line[..5].to_owned())
        .collect();
    assert!(codes.len() > 30 && codes.is_sorted());
}

#[test]
fn an_unknown_code_is_refused_with_a_way_out() {
    let output = run(&["explain", "L9999"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        stderr(&output),
        "error: there is no code `L9999`\nhelp: `pillion explain` lists all codes\n"
    );
}

#[test]
fn explanations_are_json_when_asked_for() {
    let output = run(&["explain", "--json", "L0102"]);
    let value: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(value["code"], "L0102");
    assert_eq!(value["severity"], "error");
    assert!(value["explanation"].as_str().unwrap().len() > 80);
}

#[test]
fn colour_is_used_only_where_it_is_wanted() {
    let coloured = |command: &mut Command| {
        let output = command.output().unwrap();
        stdout(&output).contains('\u{1b}')
    };
    let explain = ["explain", "L0102"];
    assert!(!coloured(&mut pillion(&explain)), "a pipe is no terminal");
    assert!(coloured(pillion(&explain).arg("--color=always")));
    assert!(!coloured(
        pillion(&explain)
            .args(["--color", "never"])
            .env("CLICOLOR_FORCE", "1")
    ));
    assert!(coloured(pillion(&explain).env("CLICOLOR_FORCE", "1")));
    assert!(!coloured(pillion(&explain).env("NO_COLOR", "1")));
    assert!(
        coloured(&mut pillion(&["--color=always", "lint", "--help"])),
        "help obeys too"
    );
}

#[test]
fn the_width_is_obeyed() {
    let output = pillion(&["explain", "L0102"])
        .env("COLUMNS", "40")
        .output()
        .unwrap();
    assert!(
        stdout(&output)
            .lines()
            .all(|line| line.chars().count() <= 40)
    );
}

#[test]
fn a_reader_that_has_seen_enough_is_no_failure() {
    let mut child = pillion(&["completions", "zsh"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(stderr(&output), "");
}

#[test]
fn completions_exist_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = run(&["completions", shell]);
        assert_eq!(output.status.code(), Some(0));
        assert!(stdout(&output).contains("explain"), "{shell}");
    }
}

#[test]
fn man_pages_are_printed_or_written() {
    let output = run(&["man"]);
    assert!(stdout(&output).contains(".TH pillion 1"));

    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("man/man1");
    let output = run(&["man", &folder.to_string_lossy()]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let page = std::fs::read_to_string(folder.join("pillion-lint.1")).unwrap();
    assert!(page.contains("Exit status"), "the long help is on the page");
    assert!(
        page.contains("kubectl get deployment"),
        "the examples are on the page"
    );
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let output = run(&["lint", "/nonexistent/pod.yaml", "/"]);
    assert_eq!(output.status.code(), Some(2));
    let text = stderr(&output);
    assert!(
        text.contains("error: cannot read /nonexistent/pod.yaml\n"),
        "{text}"
    );
    assert!(
        text.contains("error: cannot read /\n"),
        "the second is tried too: {text}"
    );
}

#[test]
fn help_fits_eighty_columns_and_keeps_options_with_their_kind() {
    for verb in [
        "",
        "plan",
        "lint",
        "explain",
        "simulate",
        "trace",
        "completions",
        "man",
    ] {
        let arguments: Vec<_> = [verb, "--help"]
            .into_iter()
            .filter(|argument| !argument.is_empty())
            .collect();
        let help = stdout(&run(&arguments));
        let examples = help.split("Examples:\n").nth(1).unwrap_or_default();
        assert!(
            examples
                .lines()
                .all(|line| line.starts_with("  pillion ") || line.starts_with("  kubectl ")),
            "an example is broken:\n{examples}"
        );
    }
    let help = stdout(&run(&["simulate", "--help"]));
    let what_if = help.split("What if:").nth(1).expect("it has a heading");
    let what_if = what_if.split("Output:").next().unwrap_or_default();
    assert!(what_if.contains("--kill") && !what_if.contains("--json"));
}
