//! `cargo xtask conformance`: every scenario, on every driver that can play it, and the kubelet's unit tables.
//!
//! The cases of the kubelet's suites are known by number, so one that is missing is as wrong as one that fails. A case
//! that a driver leaves out has its reason in the scenario's file; every reason is printed, and so is why checks were passed
//! over.

mod column;
mod suite;
mod tables;

use crate::workspace::Workspace;
use anyhow::{Context, bail, ensure};
use clap::ValueEnum as _;
use column::{Column, Stage};
use pillion_simulator::judge::PassedOver;
use pillion_simulator::suite::{Count, Files, Ran, Report, read_file};
use pillion_simulator::{Driver, Outcome};
use pillion_testkit::cluster::Cluster;
use pillion_testkit::kubelet::suite::TOO_LONG;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::fs;
use std::time::Duration;
use suite::{SUITES, Suite};

/// What to play and what to print.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// List each case, and the checks that were passed over.
    #[arg(long, short)]
    verbose: bool,
    /// Play on this only; can be given several times. Everything is played on all of them otherwise.
    #[arg(long, value_name = "DRIVER")]
    on: Vec<Column>,
    /// Play only files whose path below `scenarios/` begins so.
    #[arg(long, value_name = "PATH", default_value = "")]
    only: String,
    /// Leave out what takes a kubelet longer than so many seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 3600)]
    longest: u64,
}

/// What was played, column by column.
type Reports = BTreeMap<Column, Report>;

// === impl Args ===

impl Args {
    /// The engine alone, which takes seconds.
    pub(crate) fn engine() -> Self {
        Self {
            verbose: false,
            on: vec![Column::Engine],
            only: String::new(),
            longest: 0,
        }
    }
}

pub(crate) fn run(workspace: &Workspace, args: &Args) -> anyhow::Result<()> {
    let columns = match args.on.as_slice() {
        [] => Column::value_variants(),
        some => some,
    };
    let stage = Stage {
        workspace,
        files: &files(workspace)?,
        prefix: &format!("scenarios/{}", args.only),
        longest: Duration::from_secs(args.longest),
    };
    ensure!(
        stage
            .files
            .keys()
            .any(|file| file.starts_with(stage.prefix)),
        "there is no file whose path begins with `{}`",
        stage.prefix
    );
    let mut reports = Reports::new();
    for column in columns {
        reports.insert(*column, column.play(&stage)?);
    }
    if args.verbose {
        list(&reports);
    }
    table(&reports);
    left_out(&reports);
    passed_over(&reports);
    if reports.contains_key(&Column::Engine) && args.only.is_empty() {
        say!();
        tables::run(workspace, args.verbose)?;
    }
    judge(&reports, &stage, args.only.is_empty())
}

/// What can be played on a kubelet within so many seconds each, on a cluster that is up.
pub(crate) fn on_kubelet(
    workspace: &Workspace,
    cluster: &Cluster,
    longest: u64,
) -> anyhow::Result<()> {
    let stage = Stage {
        workspace,
        files: &files(workspace)?,
        prefix: "scenarios/",
        longest: Duration::from_secs(longest),
    };
    let report = column::play_on(cluster, &stage)?;
    let passed = report.count("").passed;
    let reports = Reports::from([(Column::Kubelet, report)]);
    table(&reports);
    left_out(&reports);
    passed_over(&reports);
    judge(&reports, &stage, true)?;
    // A mistake that leaves everything out would pass otherwise.
    ensure!(
        passed >= LEAST,
        "{passed} cases passed on the kubelet, and at least {LEAST} are short enough to be played"
    );
    Ok(())
}

/// So many cases take no longer than a test run has for each.
const LEAST: usize = 80;

/// Scenarios, and the examples that they take their pods from.
fn files(workspace: &Workspace) -> anyhow::Result<Files> {
    let mut files = Files::new();
    for folder in ["scenarios", "examples"] {
        for path in workspace.files(folder, ".yaml")? {
            let reading = || format!("cannot read {}", path.display());
            let bytes = fs::read(&path).with_context(reading)?;
            files.insert(workspace.relative(&path).into(), bytes);
        }
    }
    Ok(files)
}

fn list(reports: &Reports) {
    for (column, report) in reports {
        for Ran { file, verdict } in &report.cases {
            let outcome = match &verdict.outcome {
                Outcome::Passed => "passed",
                Outcome::Failed(_) => "FAILED",
                Outcome::NotOn(_) => "left out",
            };
            let column = column.name();
            say!(
                "{column:<8} {outcome:<9} {:<18} {}",
                verdict.case,
                verdict.title
            );
            say!("{:<37} {file}", "");
            for PassedOver { check, .. } in &verdict.passed_over {
                say!("{:<37} passed over: {check}", "");
            }
        }
    }
}

/// A cell says how many cases passed, and how many did not.
fn table(reports: &Reports) {
    let names = reports.keys().map(|column| column.name().to_owned());
    line("suite", "cases", names, "from");
    for suite in &SUITES {
        let Suite {
            name,
            cases,
            source,
        } = suite;
        let counts = reports.values().map(|report| suite.count(report));
        row(name, *cases, counts, source);
    }
    let mut reports = reports.values().peekable();
    let own = reports.peek().map_or(0, |report| {
        let Count {
            passed,
            failed,
            left_out,
        } = suite::own(report);
        passed + failed + left_out
    });
    let counts = reports.map(suite::own);
    row(
        "Pillion's own",
        own,
        counts,
        "scenarios/dialects, found, pillion, stories",
    );
}

fn row(name: &str, cases: usize, counts: impl Iterator<Item = Count>, source: &str) {
    let cells = counts.map(|Count { passed, failed, .. }| match (passed, failed) {
        (0, 0) => "-".to_owned(),
        (passed, 0) => passed.to_string(),
        (passed, failed) => format!("{passed}, not {failed}"),
    });
    line(name, cases, cells, source);
}

fn line(name: &str, cases: impl Display, cells: impl Iterator<Item = String>, source: &str) {
    let cells: Vec<_> = cells.map(|cell| format!(" {cell:>10}")).collect();
    say!("{name:<16} {cases:>5}{}   {source}", cells.concat());
}

/// Why cases were left out: each reason once, with how many it is for.
fn left_out(reports: &Reports) {
    for (column, report) in reports {
        let mut reasons: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for ran in &report.cases {
            if let Outcome::NotOn(reason) = &ran.verdict.outcome {
                reasons.entry(reason).or_default().push(&ran.verdict.case);
            }
        }
        for (reason, cases) in reasons {
            say!("not on {}, {} cases: {reason}", column.name(), cases.len());
        }
    }
}

/// Why checks were passed over: each reason once, with how many it is for.
fn passed_over(reports: &Reports) {
    for (column, report) in reports {
        let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
        let cases = report.cases.iter();
        for PassedOver { why, .. } in cases.flat_map(|ran| &ran.verdict.passed_over) {
            *reasons.entry(why).or_default() += 1;
        }
        for (reason, checks) in reasons {
            let column = column.name();
            say!("passed over on {column}, {checks} checks: {reason}");
        }
    }
}

fn judge(reports: &Reports, stage: &Stage<'_>, all: bool) -> anyhow::Result<()> {
    for (column, report) in reports {
        say!("\n{}: {report}", column.name());
    }
    let unsaid = unsaid(reports, stage);
    if !unsaid.is_empty() {
        bail!(
            "left out, and their files do not say so in `not_on`: {}",
            unsaid.join("; ")
        );
    }
    if let Some((column, _)) = reports.iter().find(|(_, report)| !report.is_good()) {
        bail!("not every case passes on {}", column.name());
    }
    for report in reports.values().filter(|_| all) {
        let missing: Vec<_> = SUITES
            .iter()
            .flat_map(|suite| suite.missing(report))
            .collect();
        if !missing.is_empty() {
            bail!("cases that no scenario has: {}", missing.join(", "));
        }
        let twice = suite::twice(report);
        if !twice.is_empty() {
            bail!(
                "cases that more than one scenario has: {}",
                twice.join(", ")
            );
        }
    }
    Ok(())
}

/// Files that a driver leaves out for a reason that is not written down in them. That somebody has no time for it is nobody's
/// fault.
fn unsaid(reports: &Reports, stage: &Stage<'_>) -> Vec<String> {
    let mut unsaid = Vec::new();
    for (column, report) in reports {
        for ran in &report.cases {
            let Outcome::NotOn(reason) = &ran.verdict.outcome else {
                continue;
            };
            let (file, case) = (&ran.file, &ran.verdict.case);
            let said = said(stage.files, file, case, column.driver());
            if said.as_ref() != Some(reason) && !reason.starts_with(TOO_LONG) {
                unsaid.push(format!("{file} on {} ({reason})", column.name()));
            }
        }
    }
    unsaid
}

/// Why a file says that a case of it does not count on that driver, if it says so.
fn said(files: &Files, file: &str, case: &str, driver: Driver) -> Option<Box<str>> {
    let scenario = read_file(files, file).scenario?;
    let mut cases = scenario.cases.iter();
    let case = cases.find(|one| &*one.id == case);
    let own = case.and_then(|case| case.not_on.get(&driver));
    own.or(scenario.not_on.get(&driver)).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const REASON: &str = "host processes have no image to pull";

    /// What a file says of its only case, on host processes, with this at its top and this in the case.
    fn on_processes(top: &str, case: &str) -> Option<Box<str>> {
        let text = format!(
            "title: {REASON}\n\
             {top}\n\
             pod: {{spec: {{containers: [{{name: m1}}]}}}}\n\
             expect:\n\
             - case: a-1\n  \
               checks: [{{starts: m1}}]\n  \
               {case}\n"
        );
        let files = Files::from([("a.yaml".to_owned(), text.into_bytes())]);
        assert!(
            read_file(&files, "a.yaml").scenario.is_some(),
            "{top} {case}"
        );
        said(&files, "a.yaml", "a-1", Driver::Process)
    }

    #[test]
    fn a_reason_stands_in_the_file_at_the_top_or_in_the_case() {
        let not_on = format!("not_on: {{process: {REASON}}}");
        assert_eq!(on_processes(&not_on, "").as_deref(), Some(REASON));
        assert_eq!(on_processes("", &not_on).as_deref(), Some(REASON));
        let other = "not_on: {process: something else}";
        let said = on_processes(&not_on, other);
        assert_eq!(said.as_deref(), Some("something else"));
    }

    #[test]
    fn a_reason_for_another_driver_is_none() {
        let not_on = format!("not_on: {{kubelet: {REASON}}}");
        assert_eq!(on_processes(&not_on, ""), None);
        assert_eq!(on_processes("", &not_on), None);
    }

    #[test]
    fn a_reason_that_stands_elsewhere_in_the_file_is_none() {
        assert_eq!(on_processes("", ""), None);
        let comment = format!("# not_on: {{process: {REASON}}}");
        assert_eq!(on_processes(&comment, ""), None);
        let note = format!("note: {REASON}");
        assert_eq!(on_processes("", &note), None);
    }
}
