//! What supervisors cost while their services do nothing.

use super::contender::Contender;
use super::pods::Shape;
use super::table::{Bar, Measured, Row};
use super::yard::{Running, Yard};
use rustix::event::{Timespec, poll};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Supervisors settle down before they are looked at, and are watched for so long.
const WHILE: Timespec = Timespec {
    tv_sec: 5,
    tv_nsec: 0,
};

/// What the processes of a supervisor hold, in megabytes.
#[derive(Clone, Copy, Debug, Default)]
struct Memory {
    resident: f64,
    proportional: f64,
    dirty: f64,
}

/// Memory with three services.
pub(super) fn memory(yard: &mut Yard, contenders: &[Contender]) -> Vec<Row> {
    // The kernel counts pages of a program that was just built, and is not on the disk yet, as written by whoever runs it.
    rustix::fs::sync();
    let mut rows = [
        Row::new("resident memory, 3 idle services", "MB", Bar::AtMost(6.0)),
        Row::new("… shared fairly (PSS)", "MB", Bar::None),
        Row::new("… written to (private dirty)", "MB", Bar::AtMost(1.0)),
    ];
    for contender in contenders {
        let measured = settled(yard, contender, 3, |supervisors| {
            supervisors
                .iter()
                .fold(Memory::default(), |sum, pid| sum.and(*pid))
        });
        let values: [Measured; 3] = match measured {
            Ok(Some(memory)) => {
                [memory.resident, memory.proportional, memory.dirty].map(Measured::Value)
            }
            Ok(None) => [(); 3].map(|()| Measured::CannotDoThat),
            Err(error) => [(); 3].map(|()| Measured::Failed(format!("{error:#}"))),
        };
        for (row, value) in rows.iter_mut().zip(values) {
            row.add(contender.name(), value);
        }
    }
    rows.into()
}

/// How often supervisors of fifty services wake up in a while.
pub(super) fn wake_ups(yard: &mut Yard, contenders: &[Contender]) -> Row {
    let what = "wake-ups in 5 s, 50 idle services";
    let mut row = Row::new(what, "", Bar::AtMost(0.0));
    for contender in contenders {
        let measured = settled(yard, contender, 50, |supervisors| {
            let count = |pid: &u32| status(*pid, "voluntary_ctxt_switches:");
            let before: f64 = supervisors.iter().map(count).sum();
            pause();
            supervisors.iter().map(count).sum::<f64>() - before
        });
        row.add(
            contender.name(),
            match measured {
                Ok(Some(count)) => Measured::Value(count),
                Ok(None) => Measured::CannotDoThat,
                Err(error) => Measured::Failed(format!("{error:#}")),
            },
        );
    }
    row
}

/// Looks at the processes of a supervisor once all of its services run and it has settled.
fn settled<T>(
    yard: &mut Yard,
    contender: &Contender,
    count: u32,
    look: impl FnOnce(&[u32]) -> T,
) -> anyhow::Result<Option<T>> {
    let mut round = yard.round()?;
    let Some(mut command) = contender.command(Shape::Idle, count, yard, &round)? else {
        return Ok(None);
    };
    let running = round.start(&mut command)?;
    round.wait_for(count as usize)?;
    pause();
    let seen = look(&supervisors(&running, yard));
    drop(running);
    Ok(Some(seen))
}

/// Nothing is waited for but time: there is no event of having settled.
fn pause() {
    let _ = poll(&mut [], Some(&WHILE));
}

/// All processes below this one but the children themselves: a supervisor may have put itself into the background.
fn supervisors(_: &Running, yard: &Yard) -> Vec<u32> {
    let child = Path::new(yard.child()).canonicalize().unwrap_or_default();
    let mut found = BTreeSet::new();
    let mut unseen = vec![std::process::id()];
    while let Some(pid) = unseen.pop() {
        let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"));
        let children = children.unwrap_or_default();
        let children = children
            .split_whitespace()
            .filter_map(|pid| pid.parse().ok());
        for pid in children {
            unseen.push(pid);
            let program = fs::read_link(format!("/proc/{pid}/exe")).unwrap_or_default();
            if program != child {
                found.insert(pid);
            }
        }
    }
    found.into_iter().collect()
}

/// A number in a process' status.
fn status(pid: u32, name: &str) -> f64 {
    number(&format!("/proc/{pid}/status"), name)
}

fn number(file: &str, name: &str) -> f64 {
    let text = fs::read_to_string(file).unwrap_or_default();
    let rest = text.lines().find_map(|line| line.strip_prefix(name));
    let number = rest.and_then(|rest| rest.split_whitespace().next());
    number.and_then(|number| number.parse().ok()).unwrap_or(0.0)
}

// === impl Memory ===

impl Memory {
    fn and(self, pid: u32) -> Self {
        let file = format!("/proc/{pid}/smaps_rollup");
        let megabytes = |name| number(&file, name) / 1024.0;
        Self {
            resident: self.resident + megabytes("Rss:"),
            proportional: self.proportional + megabytes("Pss:"),
            dirty: self.dirty + megabytes("Private_Dirty:"),
        }
    }
}
