//! The rows of a picture: the pod's own life, then the containers in the order of their starts.

use crate::gantt::Shade;
use crate::lanes::{Doing, Lane, Span};
use crate::quantity::{length, moment};
use crate::record::{Name, Record, Seq, What};
use crate::story::Detail;
use crate::text::tame;
use crate::timeline::{ContainerHead, Kind, Role, Timeline};
use std::collections::BTreeMap;
use std::time::Duration;

/// One row.
pub(crate) struct Row {
    /// Whose; `None` is the pod.
    pub(crate) container: Option<Name>,
    /// What it is: `sidecar service`, `keystone`.
    pub(crate) about: String,
    pub(crate) bars: Vec<Bar>,
    pub(crate) marks: Vec<Mark>,
}

/// A stretch of a row.
pub(crate) struct Bar {
    pub(crate) shade: Shade,
    pub(crate) from: Duration,
    pub(crate) to: Duration,
    /// The record with which it began.
    pub(crate) seq: Seq,
    /// What it is and why.
    pub(crate) tip: String,
}

/// A moment of a row.
pub(crate) struct Mark {
    pub(crate) failed: bool,
    pub(crate) at: Duration,
    pub(crate) seq: Seq,
    pub(crate) tip: String,
}

/// What is told of each record.
pub(crate) struct Telling<'a> {
    timeline: &'a Timeline,
    brief: BTreeMap<Seq, String>,
}

/// All rows.
pub(crate) fn rows(timeline: &Timeline) -> Vec<Row> {
    let telling = Telling::new(timeline);
    let mut lanes = timeline.lanes();
    let starts = first_starts(timeline);
    lanes.sort_by_key(|lane| starts.get(&*lane.container).copied().unwrap_or(Seq::MAX));
    let pod = pod_row(timeline, &telling);
    let containers = lanes.iter().map(|lane| container_row(lane, &telling));
    std::iter::once(pod).chain(containers).collect()
}

fn first_starts(timeline: &Timeline) -> BTreeMap<&str, Seq> {
    let mut starts = BTreeMap::new();
    for record in timeline.records() {
        if let (What::Starting, Some(name)) = (&record.what, record.container.as_deref()) {
            starts.entry(name).or_insert(record.seq);
        }
    }
    starts
}

fn container_row(lane: &Lane, telling: &Telling<'_>) -> Row {
    let name = &*lane.container;
    let head = telling.timeline.header().container(name);
    let marks = telling.timeline.records().iter();
    let marks = marks.filter(|record| record.is_about(name));
    let mut marks: Vec<_> = marks
        .filter_map(|record| mark(record, &lane.failures, telling))
        .collect();
    // The end for good and the giving up that follow from an exit are one failure.
    marks.dedup_by(|next, mark| next.failed && mark.failed && next.at == mark.at);
    Row {
        container: Some(lane.container.clone()),
        about: head.map(about).unwrap_or_default(),
        bars: bars(name, &lane.spans, telling),
        marks,
    }
}

/// A failure, or the good end of something that had an end to come to.
fn mark(record: &Record, failures: &[Duration], telling: &Telling<'_>) -> Option<Mark> {
    let failed = record.what.is_failure();
    let shown =
        (failed && failures.contains(&record.at)) || record.what == What::Ended { ok: true };
    shown.then(|| Mark {
        failed,
        at: record.at,
        seq: record.seq,
        tip: format!("{}\n{}", telling.tell(record), moment(record.at)),
    })
}

fn pod_row(timeline: &Timeline, telling: &Telling<'_>) -> Row {
    let mut spans: Vec<Span> = Vec::new();
    for record in timeline.records().iter().filter(|r| r.container.is_none()) {
        let before = spans.last().map(|span| span.doing);
        let Some(doing) = pod_doing(before, &record.what) else {
            continue;
        };
        if let Some(last) = spans.last_mut() {
            last.to = record.at.max(last.from);
        }
        spans.push(Span {
            doing,
            attempt: 0,
            from: record.at,
            to: record.at,
            record: record.seq,
        });
    }
    if let Some(last) = spans.last_mut() {
        last.to = timeline.end().max(last.from);
    }
    Row {
        container: None,
        about: String::new(),
        bars: bars("pod", &spans, telling),
        marks: Vec::new(),
    }
}

/// What the pod does after a record of its own; `None` if it goes on as before.
fn pod_doing(before: Option<Doing>, what: &What) -> Option<Doing> {
    if matches!(what, What::PodStarted { .. }) {
        Some(Doing::Starting)
    } else if matches!(what, What::PodStopping { .. } | What::PodKilled) {
        (before != Some(Doing::Stopping)).then_some(Doing::Stopping)
    } else if matches!(what, What::PodRestarting { .. }) {
        Some(Doing::BackingOff)
    } else if matches!(what, What::PodEnded { .. }) {
        Some(Doing::Down)
    } else if before == Some(Doing::Stopping) {
        // Going down it is not ready, which is nothing of its own.
        None
    } else if *what == What::PodReady {
        Some(Doing::Ready)
    } else if *what == What::PodUnready {
        Some(Doing::Unready)
    } else {
        None
    }
}

fn bars(name: &str, spans: &[Span], telling: &Telling<'_>) -> Vec<Bar> {
    let bar = |span: &Span| {
        let shade = Shade::of(span.doing)?;
        Some(Bar {
            shade,
            from: span.from,
            to: span.to,
            seq: span.record,
            tip: telling.tip(name, shade, span),
        })
    };
    let mut bars: Vec<_> = spans.iter().filter_map(bar).collect();
    let instant = |bar: &Bar| bar.from == bar.to;
    if bars.iter().all(instant) {
        // In virtual time a whole life can pass in no time; its last state stands for it.
        bars.drain(..bars.len().saturating_sub(1));
    } else {
        bars.retain(|bar| !instant(bar));
    }
    bars
}

/// `sidecar service`, `main oneshot`, `main service, keystone`
fn about(head: &ContainerHead) -> String {
    let role = match head.role {
        Role::Main => "main",
        Role::Sidecar => "sidecar",
        Role::Ephemeral => "debugging",
    };
    let kind = match head.kind {
        Kind::Service => "service",
        Kind::Oneshot => "oneshot",
    };
    let keystone = if head.keystone { ", keystone" } else { "" };
    format!("{role} {kind}{keystone}")
}

// === impl Telling ===

impl<'a> Telling<'a> {
    pub(crate) fn new(timeline: &'a Timeline) -> Self {
        let brief = timeline.story(Detail::Brief).into_iter();
        Self {
            timeline,
            brief: brief.map(|told| (told.seq, told.text)).collect(),
        }
    }

    fn tell(&self, record: &Record) -> String {
        let brief = self.brief.get(&record.seq).cloned();
        brief.unwrap_or_else(|| self.timeline.sentence(record))
    }

    fn tip(&self, name: &str, shade: Shade, span: &Span) -> String {
        let why = self.timeline.record(span.record);
        let why = why.map(|record| self.tell(record)).unwrap_or_default();
        format!(
            "{} {} for {}\n{}\n{} to {}",
            tame(name),
            shade.word(),
            length(span.length()),
            why,
            moment(span.from),
            moment(span.to)
        )
    }
}
