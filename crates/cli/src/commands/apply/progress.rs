//! How it goes while a file is applied: the containers that change, and those that go down with them.
//!
//! In a terminal their lines are drawn again and again; elsewhere one is printed when a container has come further.

use super::{NotApplied, text};
use crate::control::apply::{Plan, Problem, Report};
use crate::control::message::{Answer, ContainerLook, Look};
use crate::exit::ExitStatus;
use crate::hint;
use crate::live::clip::clip;
use crate::live::frame;
use crate::live::view::{Row, Standing};
use crate::printer::Printer;
use anyhow::Result;
use pillion_timeline::{Line, Tone};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, IsTerminal as _};

/// What was shown so far.
pub(super) struct Progress<'p> {
    pod: String,
    dry_run: bool,
    json: bool,
    printer: &'p mut Printer,
    /// Somebody looks at it.
    terminal: bool,
    /// Whoever changes, or goes down for it.
    involved: BTreeSet<String>,
    /// How far each had come when it was last told.
    told: BTreeMap<String, Standing>,
    /// So many lines are to be drawn over.
    drawn: usize,
}

// === impl Progress ===

impl<'p> Progress<'p> {
    pub(super) fn new(pod: String, dry_run: bool, json: bool, printer: &'p mut Printer) -> Self {
        Self {
            pod,
            dry_run,
            json,
            printer,
            terminal: io::stderr().is_terminal(),
            involved: BTreeSet::new(),
            told: BTreeMap::new(),
            drawn: 0,
        }
    }

    /// What changes.
    pub(super) fn begin(&mut self, plan: &Plan) -> Result<()> {
        for change in &plan.changes {
            self.involved.insert(change.container.clone());
            let along = change.along.iter().map(|along| along.container.clone());
            self.involved.extend(along);
        }
        if self.json {
            return Ok(self.printer.json(&Answer::Plan(Box::new(plan.clone())))?);
        }
        let lines = text::plan(&self.pod, plan, self.dry_run, self.printer.style());
        if self.dry_run {
            return Ok(self.printer.lines(&lines)?);
        }
        Ok(self.notes(&lines)?)
    }

    /// How far it has come.
    pub(super) fn show(&mut self, look: &Look) -> Result<()> {
        let rows: Vec<_> = (look.containers.iter())
            .filter(|one| self.involved.contains(&one.name))
            .collect();
        if self.terminal && !self.json {
            return Ok(self.draw(&rows)?);
        }
        for row in rows {
            let before = self.told.insert(row.name.clone(), row.state);
            // What was so before anything was done is no news.
            if before != Some(row.state) && (before.is_some() || !row.up) {
                self.tell(row)?;
            }
        }
        Ok(())
    }

    /// What came of it.
    pub(super) fn end(&mut self, report: &Report) -> Result<ExitStatus> {
        self.erase()?;
        if self.json {
            let answer = Answer::Applied(Box::new(report.clone()));
            self.printer.json(&answer)?;
        } else {
            self.notes(&text::report(&self.pod, report))?;
        }
        Ok(if report.is_good() {
            ExitStatus::Success
        } else {
            ExitStatus::Findings
        })
    }

    /// Nothing was done, and why.
    pub(super) fn refused(&mut self, problems: Vec<Problem>) -> Result<ExitStatus> {
        if self.json {
            self.printer.json(&Answer::NotApplied(problems))?;
        } else {
            hint::report(&NotApplied::new(self.pod.clone(), problems).into());
        }
        Ok(ExitStatus::Findings)
    }

    /// The pod has ended meanwhile.
    pub(super) fn gone(&mut self) -> Result<ExitStatus> {
        self.erase()?;
        let text = format!("{} ended before all was done", self.pod);
        self.printer.note(&Line::new(Tone::Bad, text))?;
        Ok(ExitStatus::Findings)
    }

    fn tell(&mut self, container: &ContainerLook) -> Result<()> {
        if self.json {
            let ContainerLook {
                name, state, told, ..
            } = container;
            let progress = json!({"progress": {"container": name, "state": state, "told": told}});
            return Ok(self.printer.json(&progress)?);
        }
        let lines = self.lines(&[container]);
        Ok(self.notes(&lines)?)
    }

    fn draw(&mut self, rows: &[&ContainerLook]) -> io::Result<()> {
        let lines = self.lines(rows);
        self.erase()?;
        self.drawn = lines.len();
        self.notes(&lines)
    }

    /// Back to where the lines began that are drawn over.
    fn erase(&mut self) -> io::Result<()> {
        let drawn = std::mem::take(&mut self.drawn);
        if drawn > 0 {
            self.printer.note_raw(&format!("\x1b[{drawn}A\x1b[J"))?;
        }
        Ok(())
    }

    fn lines(&self, rows: &[&ContainerLook]) -> Vec<Line> {
        let style = self.printer.style();
        let widths = self.involved.iter().map(|name| name.chars().count());
        let width = widths.max().unwrap_or_default();
        let rows = rows.iter().map(|one| Row {
            name: one.name.clone(),
            standing: one.state,
            detail: one.told.clone(),
            counts: one.counts,
        });
        rows.map(|row| clip(&frame::line(&row, width, style), style))
            .collect()
    }

    fn notes(&mut self, lines: &[Line]) -> io::Result<()> {
        lines.iter().try_for_each(|line| self.printer.note(line))
    }
}
