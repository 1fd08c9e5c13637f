//! Every law catches the engines that break it, and nothing but those.

use pillion_testkit::laws::Promise;
use pillion_testkit::mutants::{self, Exhibit};
use std::collections::BTreeSet;
use std::io::Write as _;

/// What is wrong with how a mutant was judged, if anything is; else what it was caught by.
fn judge(exhibit: &Exhibit) -> Result<String, String> {
    let Exhibit {
        name,
        mistake,
        promise,
        ..
    } = exhibit;
    if let Some(violation) = exhibit.try_engine().violation {
        return Err(format!("{name}: without the mistake too, {violation}"));
    }
    let outcome = exhibit.try_mutant();
    let states = outcome.states;
    let Some(violation) = outcome.violation else {
        return Err(format!("{name} ({mistake}): not caught in {states} states"));
    };
    if violation.promise != *promise {
        return Err(format!(
            "{name} ({mistake}): caught by another, {violation}"
        ));
    }
    let number = 1 + *promise as usize;
    Ok(format!(
        "mutant `{name}` breaks promise {number} {promise:?}: caught after {states} states: {violation}"
    ))
}

#[test]
fn every_mutant_is_caught_first_by_the_law_that_it_breaks() {
    let (caught, wrong): (Vec<_>, Vec<_>) =
        mutants::all().iter().map(judge).partition(Result::is_ok);
    // Who was caught is the proof of the work: it is shown also when the test passes, which `println!` would not do.
    for line in caught.iter().flatten() {
        let _ = writeln!(std::io::stdout(), "{line}");
    }
    let wrong: Vec<_> = wrong.into_iter().filter_map(Result::err).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_promise_has_a_mutant() {
    let broken: BTreeSet<_> = mutants::all().iter().map(|it| it.promise).collect();
    assert_eq!(broken, BTreeSet::from(Promise::ALL));
}

#[test]
fn every_mutant_has_a_name_and_a_mistake_of_its_own() {
    let all = mutants::all();
    let names: BTreeSet<_> = all.iter().map(|it| it.name).collect();
    let mistakes: BTreeSet<_> = all.iter().map(|it| it.mistake).collect();
    assert_eq!((names.len(), mistakes.len()), (all.len(), all.len()));
}
