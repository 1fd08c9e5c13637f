//! Makes the pod of a scenario: fills in what a scenario may leave out, and draws its graph.
//!
//! The pod may be merged from two files, and only the spec's own reader knows what a pod means. So
//! the merged pod is written out as JSON, read by that reader, and what it finds wrong is taken
//! back to the places from which the pieces came.

use super::decode::Findings;
use super::item::{Item, Place, Value};
use pillion_engine::Pod;
use pillion_engine::pod::Container;
use pillion_spec::diagnostic::Label;
use pillion_spec::{Diagnostic, LowerOptions, PodFile, Source, Span, lower};
use std::fmt::Write as _;
use std::ops::Range;

/// A pod as JSON, and where its pieces come from.
#[derive(Debug, Default)]
struct Written {
    text: String,
    /// Ranges of the text, outer ones after the inner ones that they hold.
    origins: Vec<(Range<usize>, Place)>,
}

/// A pod that was read and drawn.
#[derive(Debug)]
pub(super) struct ReadPod {
    pub(super) pod: Pod,
    pub(super) file: PodFile,
    /// As JSON.
    pub(super) text: Box<str>,
}

/// The image of a container that has none: the player supplies what it does.
const IMAGE: &str = "actor";

// === impl Findings ===

impl Findings {
    /// Reads the pod, or says what is wrong with it.
    pub(super) fn pod(&mut self, mut item: Item, sources: &[Source]) -> Option<ReadPod> {
        fill_in(&mut item);
        let mut written = Written::default();
        written.item(&item);
        let mut outcome = pillion_spec::read("pod", written.text.as_bytes());
        let mut diagnostics = std::mem::take(&mut outcome.diagnostics);
        let mut pods = outcome.pods.into_iter();
        let read = pods.next().map(|file| {
            let lowered = lower(&file, LowerOptions::default());
            diagnostics.extend(lowered.diagnostics);
            let pod = lowered.pod;
            let text = written.text.as_str().into();
            ReadPod { pod, file, text }
        });
        let errors: Vec<_> = diagnostics
            .into_iter()
            .filter(Diagnostic::is_error)
            .collect();
        if read.is_none() && errors.is_empty() {
            self.refused(item.place, "there is no pod here".into());
        }
        let good = errors.is_empty();
        for error in errors {
            let error = written.in_own_words(error, sources, item.place);
            let (file, diagnostic) = written.take_back(error, item.place);
            self.add(file, diagnostic);
        }
        read.filter(|_| good)
    }

    /// The container of a pod with some of its fields changed.
    pub(super) fn changed(
        &mut self,
        pod: &Item,
        name: &str,
        fields: Item,
        sources: &[Source],
    ) -> Option<Container> {
        let mut pod = pod.clone();
        let mut fields = Some(fields);
        for container in containers_mut(&mut pod) {
            let named = |item: &Item| item.value == Value::Text(name.into());
            if container.get("name").is_some_and(named)
                && let Some(fields) = fields.take()
            {
                container.overlay(fields);
            }
        }
        let read = self.pod(pod, sources)?;
        let mut containers = read.pod.containers.into_iter();
        containers.find(|container| &*container.name == name)
    }
}

// === impl Written ===

impl Written {
    fn item(&mut self, item: &Item) {
        let start = self.text.len();
        match &item.value {
            Value::Null => self.text.push_str("null"),
            Value::Bool(truth) => self.push(truth),
            Value::Int(number) => self.push(number),
            Value::Float(number) => self.push(number),
            Value::Text(text) => self.string(text),
            Value::List(items) => {
                self.text.push('[');
                for (number, item) in items.iter().enumerate() {
                    self.comma(number);
                    self.item(item);
                }
                self.text.push(']');
            }
            Value::Map(fields) => {
                self.text.push('{');
                for (number, field) in fields.iter().enumerate() {
                    self.comma(number);
                    let key = self.text.len();
                    self.string(&field.key);
                    self.origins.push((key..self.text.len(), field.place));
                    self.text.push(':');
                    self.item(&field.value);
                }
                self.text.push('}');
            }
        }
        self.origins.push((start..self.text.len(), item.place));
    }

    fn push(&mut self, value: impl std::fmt::Display) {
        write!(self.text, "{value}").expect("a string takes all that is written");
    }

    fn comma(&mut self, number: usize) {
        if number > 0 {
            self.text.push(',');
        }
    }

    fn string(&mut self, text: &str) {
        self.text.push('"');
        for character in text.chars() {
            match character {
                '"' | '\\' => self.text.extend(['\\', character]),
                control if control < ' ' => self.push(format_args!("\\u{:04x}", control as u32)),
                other => self.text.push(other),
            }
        }
        self.text.push('"');
    }

    /// A finding that quotes the JSON quotes the file instead: `n` is written as `false`.
    fn in_own_words(
        &self,
        mut diagnostic: Diagnostic,
        sources: &[Source],
        pod: Place,
    ) -> Diagnostic {
        let Some(span) = diagnostic.place() else {
            return diagnostic;
        };
        let origin = self.origin(span, pod);
        let own = sources
            .get(origin.file)
            .map(|source| source.slice(origin.span));
        if let (Some(own), Some(written)) = (own, self.text.get(span.range()))
            && own != written
            && !own.contains('\n')
        {
            for (open, close) in [("`", "`"), ("`\"", "\"`")] {
                let [from, to] = [written, own].map(|text| format!("{open}{text}{close}"));
                diagnostic.message = diagnostic.message.replace(&from, &to);
                diagnostic.help = diagnostic.help.map(|help| help.replace(&from, &to));
            }
        }
        diagnostic
    }

    /// A finding about the JSON becomes one about the file from which that piece came. Labels in
    /// another file than the first are left out.
    fn take_back(&self, diagnostic: Diagnostic, pod: Place) -> (usize, Diagnostic) {
        let place = diagnostic
            .place()
            .map_or(pod, |span| self.origin(span, pod));
        let labels = diagnostic.labels.iter().map(|label| {
            let origin = self.origin(label.span, pod);
            let span = origin.span;
            (
                origin.file,
                Label {
                    span,
                    ..label.clone()
                },
            )
        });
        let labels = labels.filter(|(file, _)| *file == place.file);
        let labels = labels.map(|(_, label)| label).collect();
        (
            place.file,
            Diagnostic {
                labels,
                ..diagnostic
            },
        )
    }

    /// The innermost piece that holds the span.
    fn origin(&self, span: Span, pod: Place) -> Place {
        let span = span.range();
        let holds = |range: &Range<usize>| range.start <= span.start && span.end <= range.end;
        let mut found = self.origins.iter().filter(|(range, _)| holds(range));
        found.next().map_or(pod, |(_, place)| *place)
    }
}

/// Fills in what a scenario may leave out.
fn fill_in(pod: &mut Item) {
    let name = || Value::Text("pod".into());
    pod.get_or("apiVersion", Value::Text("v1".into()));
    pod.get_or("kind", Value::Text("Pod".into()));
    if let Some(metadata) = pod.get_or("metadata", Value::Map(Vec::new())) {
        metadata.get_or("name", name());
    }
    for container in containers_mut(pod) {
        container.get_or("image", Value::Text(IMAGE.into()));
    }
}

fn containers_mut(pod: &mut Item) -> impl Iterator<Item = &mut Item> {
    let spec = pod.get_mut("spec").map(|spec| &mut spec.value);
    let fields = match spec {
        Some(Value::Map(fields)) => fields.as_mut_slice(),
        Some(_) | None => &mut [],
    };
    let lists = ["initContainers", "containers", "ephemeralContainers"];
    let lists = fields
        .iter_mut()
        .filter(move |field| lists.contains(&&*field.key));
    lists.flat_map(|field| field.value.items_mut())
}
