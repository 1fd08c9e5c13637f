//! The program that plays the containers of a scenario, and guards them.

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    pillion_testkit::processes::actor::main(&arguments)
}
