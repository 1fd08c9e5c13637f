//! What the documents show of the program is what it prints.

use pillion_spec::Dialect;
use pillion_spec::word::Word;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A command in a document, and the output shown below it.
struct Shown {
    place: String,
    command: String,
    output: String,
}

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn documents() -> Vec<PathBuf> {
    let docs = fs::read_dir(project().join("docs")).expect("there are documents");
    let docs = docs.map(|entry| entry.expect("it can be listed").path());
    let mut documents: Vec<_> = docs
        .filter(|path| path.extension().is_some_and(|e| e == "md"))
        .collect();
    documents.push(project().join("README.md"));
    documents.sort();
    documents
}

/// The blocks that begin with a command after a `$`.
fn shown(document: &Path) -> Vec<Shown> {
    let text = fs::read_to_string(document).expect("a document can be read");
    let blocks = text.split("```console\n").skip(1);
    let blocks = blocks.filter_map(|block| block.split_once("\n```"));
    let shown = blocks.filter_map(|(block, _)| {
        let (command, output) = block.strip_prefix("$ pillion ")?.split_once('\n')?;
        Some(Shown {
            place: document.display().to_string(),
            command: command.to_owned(),
            output: output.to_owned(),
        })
    });
    shown.collect()
}

fn run(command: &str) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_pillion"))
        .args(command.split_whitespace())
        .current_dir(project())
        .env_remove("CLICOLOR_FORCE")
        .output()
        .expect("the program can be run");
    let text = String::from_utf8(output.stdout).expect("the output is text");
    text.trim_end().to_owned()
}

#[test]
fn the_documents_show_what_the_program_prints() {
    let all: Vec<_> = documents().iter().flat_map(|path| shown(path)).collect();

    assert!(all.len() >= 2, "the README shows a plan and a simulation");
    for Shown {
        place,
        command,
        output,
    } in all
    {
        assert_eq!(run(&command), output, "{place}: pillion {command}");
    }
}

#[test]
fn the_documents_tell_of_every_dialect() {
    let read = |name| fs::read_to_string(project().join(name)).expect("a document can be read");
    let concepts = read("docs/concepts.md");
    let (_, section) = concepts
        .split_once("\n## Dialects\n")
        .expect("there is a section about them");
    let section = section.split("\n## ").next().unwrap_or_default();
    let rows = section.lines().filter(|line| line.starts_with('|')).count();

    // Above the rows are a head and a rule.
    assert_eq!(rows - 2, Dialect::ALL.len());
    assert_eq!(Dialect::ALL.len(), 7, "and the README says seven");
    assert!(read("README.md").contains("seven [dialects]"));
}
