//! Every example runs as it is, on any machine, and ends as its story says.

#[path = "support/started.rs"]
#[expect(dead_code, reason = "other tests need more of it")]
mod started;
#[path = "support/run.rs"]
#[expect(dead_code, reason = "other tests need more of it")]
mod support;

use started::Started;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::thread;
use support::{pillion, stderr, stdout};

fn examples() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let entries = fs::read_dir(folder).expect("there are examples");
    let files = entries.map(|entry| entry.expect("they can be listed").path());
    let mut files: Vec<_> = files.collect();
    files.sort();
    files
}

/// Runs an example in folders of its own, so that somebody may run the same at the same time. Those that would go on for ever are stopped after a while; the first
/// that a newcomer runs must not.
fn run(example: &Path) -> Output {
    let folder = tempfile::tempdir().expect("there is a place for temporary files");
    let mut command = pillion(&["run", &example.to_string_lossy()]);
    if !example.ends_with("orders.yaml") {
        command.args(["--delete", "5s"]);
    }
    command
        .env("XDG_STATE_HOME", folder.path().join("state"))
        .env("PILLION_RUNTIME_DIR", folder.path().join("run"));
    Started::output(&mut command)
}

#[test]
fn every_example_runs_to_the_end_of_its_story() {
    let running = examples().into_iter().map(|example| {
        let name = example.file_stem().unwrap_or_default().to_string_lossy();
        let name = name.into_owned();
        (name, thread::spawn(move || run(&example)))
    });
    let running: Vec<_> = running.collect();
    let ended: BTreeMap<_, _> = running
        .into_iter()
        .map(|(name, thread)| (name, thread.join().expect("nothing panics")))
        .collect();

    assert!(ended.len() >= 12);
    for (name, output) in &ended {
        // The keystone of that story fails.
        let code = if name == "keystone" { 3 } else { 0 };
        let told = stderr(output);
        assert_eq!(output.status.code(), Some(code), "{name}:\n{told}");
        let last = told.lines().last().unwrap_or_default();
        assert!(last.ends_with("pillion trace"), "{name}: {last}");
    }
    let orders = stdout(&ended["orders"]);
    let lines: Vec<_> = orders.lines().collect();
    let taken = |line: &&str| line.starts_with("app | order ");
    assert_eq!(lines.iter().filter(|line| taken(line)).count(), 10);
    // The cache and the migration come up side by side.
    let in_order = [
        "proxy | listening on 127.0.0.1:15001",
        "migrate | applied 3 migrations",
        "app | serving on :8080",
        "cache | saved",
        "proxy | draining",
    ];
    let of_graph: Vec<_> = lines
        .iter()
        .copied()
        .filter(|line| *line != "cache | ready to accept connections" && !taken(line))
        .collect();
    assert_eq!(of_graph, in_order);
    assert_eq!(lines.len(), in_order.len() + 11);
}
