//! Plays every scenario of the project in virtual time.

use pillion_simulator::suite::{self, Files};
use std::fs;
use std::path::Path;

/// Every scenario file below a folder, by its path.
fn files(root: &Path) -> Files {
    let mut files = Files::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("the folder is part of the project") {
            let path = entry.expect("the folder can be listed").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ext| ext == "yaml") {
                let name = path
                    .strip_prefix(root)
                    .expect("it was found below")
                    .to_string_lossy();
                files.insert(
                    name.replace('\\', "/"),
                    fs::read(&path).expect("scenarios can be read"),
                );
            }
        }
    }
    files
}

#[test]
fn every_case_of_every_scenario_passes() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    let files = files(&root);
    assert!(
        files.len() > 100,
        "the scenarios are not where they should be"
    );
    let report = suite::run(&files);
    assert!(report.is_good(), "{report}");
}
