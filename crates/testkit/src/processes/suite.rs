//! Plays many scenarios side by side, and those that fail again, a few at a time and slower.
//!
//! Actors mostly wait, so many pods can be played at once. What fails because the machine was too busy does not fail
//! when there is more time for everything; what is wrong fails again. The report says which were played twice.

use super::limits::why_not;
use super::play;
use super::scale::Scale;
use pillion_simulator::suite::{Broken, Files, Ran, Report, read_file};
use pillion_simulator::{Driver, Outcome, Record, Verdict, judge};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

/// How to play.
#[derive(Clone, Copy, Debug)]
pub struct Setup<'a> {
    /// The actor program.
    pub actor: &'a Path,
    /// A folder for all plays.
    pub folder: &'a Path,
    /// How much shorter.
    pub scale: Scale,
    /// How many pods at once.
    pub together: usize,
}

/// What became of one file.
pub(crate) type Result = std::result::Result<Vec<Verdict>, String>;

/// So many at a time when a play is repeated.
pub(crate) const AGAIN: usize = 4;

/// A pod that goes on is not watched longer than this many times the scale, in seconds.
const LONGEST: u64 = 60;

/// Plays every file whose path begins so; the others are there to be referred to.
pub fn run(files: &Files, prefix: &str, setup: Setup<'_>) -> Report {
    let names: Vec<_> = files
        .keys()
        .filter(|name| name.starts_with(prefix))
        .collect();
    let play = |setup: Setup<'_>, names: &[&String]| {
        side_by_side(names, setup.together, |name| one(files, name, setup))
    };
    let mut results = play(setup, &names);
    let slower = Setup {
        scale: Scale(setup.scale.0.div_ceil(3)),
        together: AGAIN,
        ..setup
    };
    let failed: Vec<_> = (0..names.len())
        .filter(|place| has_failed(&results[*place]))
        .collect();
    let again: Vec<_> = failed.iter().map(|place| names[*place]).collect();
    for (place, result) in failed.iter().zip(play(slower, &again)) {
        results[*place] = result;
    }
    report(&names, results, &failed)
}

/// What became of the files of these names; those at these places were played twice.
pub(crate) fn report(names: &[&String], results: Vec<Result>, twice: &[usize]) -> Report {
    let mut report = Report::default();
    for (place, (file, result)) in names.iter().zip(results).enumerate() {
        let file = (*file).clone();
        if twice.contains(&place) && !has_failed(&result) {
            report.again.push(file.clone());
        }
        match result {
            Ok(verdicts) => report.cases.extend(verdicts.into_iter().map(|verdict| Ran {
                file: file.clone(),
                verdict,
            })),
            Err(why) => report.broken.push(Broken { file, why }),
        }
    }
    report
}

/// Whether a case has failed, or nothing could be played.
pub(crate) fn has_failed(result: &Result) -> bool {
    let failed = |verdict: &Verdict| matches!(verdict.outcome, Outcome::Failed(_));
    result
        .as_ref()
        .map_or(true, |verdicts| verdicts.iter().any(failed))
}

/// Plays these, so many at once; the results in the same order.
pub(crate) fn side_by_side<T: Sync, R: Send>(
    pieces: &[T],
    together: usize,
    play: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results: Vec<_> = pieces.iter().map(|_| Mutex::new(None)).collect();
    let work = || {
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(piece) = pieces.get(place) else {
                return;
            };
            let result = play(piece);
            *results[place].lock().expect("nobody panics with it") = Some(result);
        }
    };
    thread::scope(|scope| {
        for _ in 0..together.max(1).min(pieces.len()) {
            scope.spawn(work);
        }
    });
    let results = results.into_iter();
    let results = results.map(|result| result.into_inner().expect("nobody panics with it"));
    results
        .map(|result| result.expect("every piece was played"))
        .collect()
}

fn one(files: &Files, name: &str, setup: Setup<'_>) -> Result {
    let reading = read_file(files, name);
    let Some(scenario) = &reading.scenario else {
        return Err(reading.describe());
    };
    let mut scenario = scenario.clone();
    if let Some(reason) = why_not(&scenario) {
        scenario.not_on.insert(Driver::Process, reason);
    }
    let left_out = scenario
        .cases
        .iter()
        .all(|case| case.not_on.contains_key(&Driver::Process));
    if scenario.not_on.contains_key(&Driver::Process) || left_out {
        return Ok(judge(&scenario, &Record::default(), Driver::Process));
    }
    let folder = tempfolder(setup, name).map_err(|error| error.to_string())?;
    let mut shorter = setup.scale.scenario(&scenario);
    shorter.run_for = shorter.run_for.min(Duration::from_secs(LONGEST));
    let record = play(&shorter, reading.pod.as_deref(), setup.actor, &folder);
    let record = record.map_err(|error| error.to_string())?;
    Ok(judge(&shorter, &record, Driver::Process))
}

fn tempfolder(setup: Setup<'_>, name: &str) -> io::Result<PathBuf> {
    let name = name.replace('/', ".");
    let folder = setup.folder.join(format!("{}-{name}", setup.scale.0));
    fs::create_dir_all(&folder)?;
    Ok(folder)
}
