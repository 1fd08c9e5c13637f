//! Every scenario that real processes can play, judged by the lines that they write and the status that is shown.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![expect(clippy::print_stdout, reason = "what is left out is to be seen")]

use pillion_simulator::Outcome;
use pillion_simulator::suite::Files;
use pillion_testkit::processes::scale::Scale;
use pillion_testkit::processes::suite::{Setup, run};
use std::fs;
use std::path::{Path, PathBuf};

/// A minute of a scenario is played in six seconds.
const SCALE: Scale = Scale(10);

/// So many pods at once.
const TOGETHER: usize = 16;

#[test]
fn scenarios_hold_on_real_processes() {
    let folder = tempfile::tempdir().unwrap();
    let wanted = std::env::var("PILLION_SCENARIOS").unwrap_or_default();
    let setup = Setup {
        actor: &actor(),
        folder: folder.path(),
        scale: SCALE,
        together: TOGETHER,
    };

    let report = run(&files(), &format!("scenarios/{wanted}"), setup);

    for ran in &report.cases {
        let (word, why) = match &ran.verdict.outcome {
            Outcome::Passed => ("passed", ""),
            Outcome::Failed(_) => ("failed", ""),
            Outcome::NotOn(why) => ("left-out", &**why),
        };
        println!("process-case {word} {} {}", ran.verdict.case, why);
    }
    println!("{report}");
    assert!(report.is_good());
}

/// The program that is built with the tests.
fn actor() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let folder = test.parent().and_then(Path::parent).unwrap();
    folder.join("examples/actor")
}

fn files() -> Files {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = Files::new();
    for folder in ["scenarios", "examples"] {
        read(&root, &root.join(folder), &mut files);
    }
    files
}

fn read(root: &Path, folder: &Path, files: &mut Files) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            read(root, &path, files);
        } else if path
            .extension()
            .is_some_and(|extension| extension == "yaml")
        {
            let name = path.strip_prefix(root).unwrap().to_string_lossy();
            files.insert(name.into_owned(), fs::read(&path).unwrap());
        }
    }
}
