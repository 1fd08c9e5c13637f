//! Plays whole folders of scenarios and says what became of each case.
//!
//! The files come in as bytes under their names, so that a test, a chore and a command can all use
//! it without this crate opening anything.

use crate::judge::{Outcome, Verdict, judge};
use crate::player::play;
use crate::scenario::Driver;
use crate::scenario::read::{self, Reading};
use pillion_spec::render::Renderer;
use std::collections::BTreeMap;
use std::fmt;

/// Scenario files by their paths, with `/` between folders.
pub type Files = BTreeMap<String, Vec<u8>>;

/// What became of all cases.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Every case that could be played, in the order of the files.
    pub cases: Vec<Ran>,
    /// Files that could not be played.
    pub broken: Vec<Broken>,
    /// Files of which a case failed, and all passed when they were played once more.
    pub again: Vec<String>,
}

/// One case that was played.
#[derive(Clone, Debug)]
pub struct Ran {
    /// Its file.
    pub file: String,
    /// What became of it.
    pub verdict: Verdict,
}

/// A file that could not be read or played.
#[derive(Clone, Debug)]
pub struct Broken {
    /// Its path.
    pub file: String,
    /// What is wrong, for people.
    pub why: String,
}

/// How many cases passed, failed, and do not count.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Count {
    /// Every check holds.
    pub passed: usize,
    /// Some do not.
    pub failed: usize,
    /// They do not count on this driver.
    pub left_out: usize,
}

/// Plays every file in virtual time.
pub fn run(files: &Files) -> Report {
    run_under(files, "")
}

/// Plays every file whose path begins so; the others are there to be referred to.
pub fn run_under(files: &Files, prefix: &str) -> Report {
    let mut report = Report::default();
    for name in files.keys().filter(|name| name.starts_with(prefix)) {
        match run_file(files, name) {
            Ok(verdicts) => report.cases.extend(verdicts.into_iter().map(|verdict| Ran {
                file: name.clone(),
                verdict,
            })),
            Err(why) => report.broken.push(Broken {
                file: name.clone(),
                why,
            }),
        }
    }
    report
}

/// Plays one of the files. An error is for people.
pub fn run_file(files: &Files, name: &str) -> Result<Vec<Verdict>, String> {
    let reading = read_file(files, name);
    let Some(scenario) = &reading.scenario else {
        return Err(reading.describe());
    };
    let played = play(scenario).map_err(|why| why.to_string())?;
    Ok(judge(scenario, &played.record, Driver::Virtual))
}

/// Reads one of the files; those it refers to are looked for from its folder.
pub fn read_file(files: &Files, name: &str) -> Reading {
    let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut open = |other: &str| {
        let path = from_folder(folder, other);
        let found = files.get(&path).cloned();
        found.ok_or_else(|| format!("there is no file {path}"))
    };
    let bytes = files.get(name).map_or(&[][..], Vec::as_slice);
    read::read(name, bytes, &mut open)
}

/// The path of a file as it is named in another file of that folder.
fn from_folder(folder: &str, name: &str) -> String {
    let mut steps: Vec<_> = folder.split('/').filter(|step| !step.is_empty()).collect();
    for step in name.split('/') {
        match step {
            "." | "" => {}
            ".." => drop(steps.pop()),
            step => steps.push(step),
        }
    }
    steps.join("/")
}

// === impl Report ===

impl Report {
    /// How many passed, failed and do not count, of those whose name begins so.
    pub fn count(&self, prefix: &str) -> Count {
        let cases = self
            .cases
            .iter()
            .filter(|ran| ran.verdict.case.starts_with(prefix));
        cases.fold(Count::default(), |mut count, ran| {
            *match ran.verdict.outcome {
                Outcome::Passed => &mut count.passed,
                Outcome::Failed(_) => &mut count.failed,
                Outcome::NotOn(_) => &mut count.left_out,
            } += 1;
            count
        })
    }

    /// Whether every file could be played and no case failed.
    pub fn is_good(&self) -> bool {
        self.broken.is_empty() && self.count("").failed == 0
    }
}

/// What went wrong, at length; nothing of what went well.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Broken { file, why } in &self.broken {
            writeln!(f, "{file} cannot be played\n{why}\n")?;
        }
        let failed = |ran: &&Ran| matches!(ran.verdict.outcome, Outcome::Failed(_));
        for Ran { file, verdict } in self.cases.iter().filter(failed) {
            writeln!(f, "{file}\n{verdict}\n")?;
        }
        let Count {
            passed,
            failed,
            left_out,
        } = self.count("");
        write!(f, "{passed} passed, {failed} failed, {left_out} left out")?;
        match self.broken.len() {
            0 => {}
            broken => write!(f, ", {broken} files cannot be played")?,
        }
        if self.again.is_empty() {
            return Ok(());
        }
        write!(
            f,
            "\npassed when played once more: {}",
            self.again.join(", ")
        )
    }
}

// === impl Reading ===

impl Reading {
    /// What is wrong, as text for people.
    pub fn describe(&self) -> String {
        let renderer = Renderer::plain();
        let texts = self.findings.iter().map(|(file, diagnostic)| {
            let source = self.sources.get(*file).or(self.sources.first());
            match source {
                Some(source) => renderer.render(source, diagnostic),
                None => diagnostic.message.clone(),
            }
        });
        texts.collect::<Vec<_>>().join("\n\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_from_the_folder_of_the_one_that_names_it() {
        let named = |name| from_folder("scenarios/stories", name);

        assert_eq!(named("other.yaml"), "scenarios/stories/other.yaml");
        assert_eq!(named("../../examples/orders.yaml"), "examples/orders.yaml");
    }

    #[test]
    fn what_passed_at_a_second_try_is_said() {
        let report = Report {
            again: vec!["a.yaml".into(), "b.yaml".into()],
            ..Report::default()
        };

        assert_eq!(
            report.to_string(),
            "0 passed, 0 failed, 0 left out\npassed when played once more: a.yaml, b.yaml"
        );
    }
}
