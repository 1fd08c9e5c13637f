//! `cargo xtask conformance`: every scenario, played in virtual time, and the kubelet's unit tables, as a table.
//!
//! The cases of the kubelet's suites are known by number, so one that is missing is as wrong as one
//! that fails.

mod suite;
mod tables;

use crate::workspace::Workspace;
use anyhow::{Context, bail};
use pillion_simulator::Outcome;
use pillion_simulator::suite::{Count, Files, Ran, Report, run_under};
use std::fs;
use suite::{SUITES, Suite};

/// What to print.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Args {
    /// List each case.
    #[arg(long, short)]
    verbose: bool,
}

pub(crate) fn run(workspace: &Workspace, args: &Args) -> anyhow::Result<()> {
    let report = run_under(&files(workspace)?, "scenarios/");
    if args.verbose {
        report.cases.iter().for_each(list);
    }
    table(&report);
    left_out(&report);
    println!();
    tables::run(workspace, args.verbose)?;
    judge(&report)
}

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

fn list(ran: &Ran) {
    let Ran { file, verdict } = ran;
    let outcome = match &verdict.outcome {
        Outcome::Passed => "passed",
        Outcome::Failed(_) => "FAILED",
        Outcome::NotOn(_) => "left out",
    };
    println!("{outcome:<9} {:<18} {}", verdict.case, verdict.title);
    println!("{:<28} {file}", "");
}

fn table(report: &Report) {
    println!(
        "{:<16} {:>5} {:>7} {:>7} {:>9}   from",
        "suite", "cases", "passed", "failed", "left out"
    );
    for suite in &SUITES {
        let Count {
            passed,
            failed,
            left_out,
        } = suite.count(report);
        let Suite {
            name,
            cases,
            source,
        } = suite;
        println!("{name:<16} {cases:>5} {passed:>7} {failed:>7} {left_out:>9}   {source}");
    }
    let own: Vec<_> = report
        .cases
        .iter()
        .filter(|ran| suite::of(ran).is_none())
        .collect();
    let passed = own.iter().filter(|ran| ran.verdict.passed()).count();
    let failed = own
        .iter()
        .filter(|ran| matches!(ran.verdict.outcome, Outcome::Failed(_)))
        .count();
    let (cases, name) = (own.len(), "Pillion's own");
    let left_out = cases - passed - failed;
    println!(
        "{name:<16} {cases:>5} {passed:>7} {failed:>7} {left_out:>9}   scenarios/dialects, pillion, stories"
    );
}

fn left_out(report: &Report) {
    for ran in &report.cases {
        if let Outcome::NotOn(reason) = &ran.verdict.outcome {
            println!("left out: {}: {reason}", ran.verdict.case);
        }
    }
}

fn judge(report: &Report) -> anyhow::Result<()> {
    let missing: Vec<_> = SUITES
        .iter()
        .flat_map(|suite| suite.missing(report))
        .collect();
    let twice = suite::twice(report);
    println!("\n{report}");
    if !report.is_good() {
        bail!("not every case passes");
    }
    if !missing.is_empty() {
        bail!("cases that no scenario has: {}", missing.join(", "));
    }
    if !twice.is_empty() {
        bail!(
            "cases that more than one scenario has: {}",
            twice.join(", ")
        );
    }
    Ok(())
}
