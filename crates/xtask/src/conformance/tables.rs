//! The kubelet's unit tables. A test of the `testkit` crate plays them, and says for each how many of
//! its rows are played as they stand, are mapped to what they come to here, differ on purpose, or are left out.

use crate::workspace::Workspace;
use anyhow::{Context, bail};
use std::collections::BTreeMap;
use std::process::Stdio;

/// What the test said.
#[derive(Debug, Default)]
struct Said {
    /// By table: rows, same, mapped, differ, left out, extra.
    counts: BTreeMap<String, [usize; 6]>,
    /// What is not as in the original, and why.
    notes: Vec<String>,
}

/// Plays the tables and prints the count of each.
pub(super) fn run(workspace: &Workspace, verbose: bool) -> anyhow::Result<()> {
    let said = Said::read(&play(workspace)?);
    if said.counts.is_empty() {
        bail!("the test of the unit tables said nothing");
    }
    let [name, rest @ ..] = [
        "unit table",
        "rows",
        "same",
        "mapped",
        "differ",
        "left out",
        "extra",
    ];
    print(name, &rest);
    let mut sum = [0; 6];
    for (name, counts) in &said.counts {
        print(name, &counts.map(|count| count.to_string()));
        sum.iter_mut()
            .zip(counts)
            .for_each(|(sum, count)| *sum += count);
    }
    print("all", &sum.map(|count| count.to_string()));
    for note in said
        .notes
        .iter()
        .filter(|note| verbose || !note.contains(" mapped: "))
    {
        say!("{note}");
    }
    Ok(())
}

fn play(workspace: &Workspace) -> anyhow::Result<String> {
    let arguments = [
        "test",
        "--quiet",
        "--package",
        "pillion-testkit",
        "--test",
        "kubelet_tables",
    ];
    let mut command = workspace.cargo(&arguments);
    let output = command
        .args(["--", "--nocapture"])
        .stderr(Stdio::inherit())
        .output();
    let output = output.context("cannot run the test of the unit tables")?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.status.success() {
        bail!("the unit tables do not hold:\n{text}");
    }
    Ok(text)
}

fn print(name: &str, columns: &[impl AsRef<str>; 6]) {
    let [rows, same, mapped, differ, left_out, extra] = columns.each_ref().map(AsRef::as_ref);
    say!("{name:<56} {rows:>5} {same:>5} {mapped:>6} {differ:>6} {left_out:>8} {extra:>5}");
}

// === impl Said ===

impl Said {
    /// Reads what the test printed, among other things.
    fn read(text: &str) -> Self {
        let mut said = Self::default();
        for line in text.lines() {
            if let Some((_, row)) = line.split_once("kubelet-row ") {
                said.notes.push(row.into());
            } else if let Some((name, counts)) = table(line) {
                said.counts.insert(name.into(), counts);
            }
        }
        said.notes.sort();
        said
    }
}

/// `… kubelet-table NAME: 17 rows, 15 same, …`
fn table(line: &str) -> Option<(&str, [usize; 6])> {
    let (_, table) = line.split_once("kubelet-table ")?;
    let (name, counts) = table.split_once(": ")?;
    let numbers = counts
        .split(", ")
        .map(|count| count.split(' ').next()?.parse().ok());
    let numbers: Vec<usize> = numbers.collect::<Option<_>>()?;
    Some((name, numbers.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_notes_are_found_among_other_lines() {
        let said = Said::read(
            "running 1 test\n\
             test phases ... kubelet-row TestPhase 3 left out: no such thing\n\
             kubelet-table TestPhase: 9 rows, 7 same, 1 mapped, 0 differ, 1 left out, 2 extra\n\
             ok\n",
        );

        assert_eq!(said.counts["TestPhase"], [9, 7, 1, 0, 1, 2]);
        assert_eq!(said.notes, ["TestPhase 3 left out: no such thing"]);
    }
}
