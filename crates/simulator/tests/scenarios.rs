//! Plays every scenario of the project in virtual time.

use pillion_simulator::suite::{self, Files};
use std::fs;
use std::path::Path;

/// Every YAML file below some folders of the project, by its path.
fn files(folders: &[&str]) -> Files {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = Files::new();
    let mut folders: Vec<_> = folders.iter().map(|folder| root.join(folder)).collect();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("the folder is part of the project") {
            let path = entry.expect("the folder can be listed").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ext| ext == "yaml") {
                let name = path.strip_prefix(&root).expect("it was found below");
                let bytes = fs::read(&path).expect("scenarios can be read");
                files.insert(name.to_string_lossy().replace('\\', "/"), bytes);
            }
        }
    }
    files
}

#[test]
fn every_case_of_every_scenario_passes() {
    let files = files(&["scenarios", "examples"]);
    assert!(files.len() > 200, "some scenarios are missing");
    let report = suite::run_under(&files, "scenarios/");
    assert!(report.is_good(), "{report}");
}
