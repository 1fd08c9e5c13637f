//! The chores of the project: `cargo xtask CHORE`.
//!
//! One file per chore. A chore says what it does while it does it, and fails with one clear line.

#[macro_use]
mod terminal;

mod bench;
mod check;
mod clock;
mod cluster;
mod conformance;
mod differential;
mod fuzz;
mod gen_fields;
mod interruption;
mod model;
mod release;
mod rust_file;
mod step;
mod test;
mod workspace;

use clap::{Parser, Subcommand};
use std::process::ExitCode;
use workspace::Workspace;

/// The chores of the project.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Args {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Debug, Subcommand)]
enum Chore {
    /// Everything that must hold before a change is taken in: format, rules, lints, docs, tests, and the same on a
    /// real kubelet.
    Test(test::Args),
    /// The project's own rules: licences, dependencies, purity, file sizes, examples.
    Check,
    /// Play every scenario, in virtual time, with host processes and on a real kubelet, and count.
    Conformance(conformance::Args),
    /// A real Kubernetes on this machine, to test against.
    #[command(subcommand)]
    Cluster(cluster::Cluster),
    /// Go through every interleaving of small pods, and judge each by the laws.
    Model(model::Args),
    /// Play random pods on a real kubelet and under `pillion run`, and compare. Host processes need no images: pods that
    /// lack one are played in virtual time here.
    Differential(differential::Args),
    /// Measure, each figure beside its limit.
    #[command(subcommand)]
    Bench(bench::Bench),
    /// Write the table of Kubernetes' fields anew.
    GenFields(gen_fields::Args),
    /// Look for input that makes the program panic, with libFuzzer.
    Fuzz(fuzz::Args),
}

fn main() -> ExitCode {
    if let Some(code) = cluster::act() {
        return code;
    }
    let Args { chore } = Args::parse();
    let workspace = Workspace::find();
    let outcome = match chore {
        Chore::Test(args) => test::run(&workspace, &args),
        Chore::Check => check::run(&workspace),
        Chore::Conformance(args) => conformance::run(&workspace, &args),
        Chore::Cluster(chore) => cluster::run(&workspace, &chore),
        Chore::Model(args) => model::run(&workspace, &args),
        Chore::Differential(args) => differential::run(&workspace, &args),
        Chore::Bench(bench) => bench::run(&workspace, &bench),
        Chore::GenFields(args) => gen_fields::run(&workspace, &args),
        Chore::Fuzz(args) => fuzz::run(&workspace, &args),
    };
    match outcome.and_then(|()| terminal::check()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            interruption::mutter(&format!("\nfailed: {error:#}"));
            ExitCode::FAILURE
        }
    }
}
