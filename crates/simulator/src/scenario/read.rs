//! Reads scenario files.
//!
//! Nothing is opened here: the bytes of the file come in, and those of a file that it extends are
//! asked for by name.

use super::act::DraftAct;
use super::decode::{Findings, Keys};
use super::item::{Item, Place, Value};
use super::{RUN_FOR, Scenario};
use crate::act::{Act, Deed};
use crate::actor::Script;
use crate::life;
use pillion_engine::Pod;
use pillion_engine::pod::{Backoff, Container};
use pillion_spec::tree::Documents;
use pillion_spec::{Code, Diagnostic, Source};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// What came of reading a scenario file.
#[derive(Debug)]
pub struct Reading {
    /// The files that it is made of, for showing what is wrong; the first is the scenario's own.
    pub sources: Vec<Source>,
    /// What is wrong, with the number of the file it is in; file by file, in their order.
    pub findings: Vec<(usize, Diagnostic)>,
    /// The scenario, unless something is wrong.
    pub scenario: Option<Scenario>,
    /// Its pod as JSON, as a cluster would be given it, if it has one of its own.
    pub pod: Option<Box<str>>,
}

/// Hands out the bytes of another file of the same folder, or says why it cannot.
pub type Open<'a> = &'a mut dyn FnMut(&str) -> Result<Vec<u8>, String>;

/// Reads a scenario that has a pod of its own.
pub fn read(name: &str, bytes: &[u8], open: Open<'_>) -> Reading {
    Reader::default().read(name, bytes, None, open)
}

/// Reads a scenario for a pod that comes from elsewhere.
pub fn read_for(given: &Given<'_>, name: &str, bytes: &[u8], open: Open<'_>) -> Reading {
    Reader::default().read(name, bytes, Some(given), open)
}

/// A pod that comes from elsewhere.
#[derive(Clone, Copy, Debug)]
pub struct Given<'a> {
    pod: &'a Pod,
    file: Option<&'a Source>,
}

#[derive(Debug, Default)]
struct Reader {
    sources: Vec<Source>,
    findings: Findings,
    pod: Option<Box<str>>,
}

/// The parts of a scenario of which another file can be the base.
#[derive(Debug, Default)]
struct Base {
    pod: Option<Item>,
    /// The key that brings the pod.
    brought_by: Option<(&'static str, Place)>,
    actors: Option<Item>,
}

/// A scenario that extends one that extends one and so on, further than this, is a mistake.
const MAX_FILES: usize = 8;

// === impl Given ===

impl<'a> Given<'a> {
    /// A pod.
    pub fn new(pod: &'a Pod) -> Self {
        Self { pod, file: None }
    }

    /// The same, with the file that it was read from, so that replacements can change its fields.
    #[must_use]
    pub fn of_file(self, file: &'a Source) -> Self {
        let file = Some(file);
        Self { file, ..self }
    }
}

// === impl Reader ===

impl Reader {
    fn read(
        mut self,
        name: &str,
        bytes: &[u8],
        given: Option<&Given<'_>>,
        open: Open<'_>,
    ) -> Reading {
        let scenario = self
            .own_document(name, bytes)
            .and_then(|item| self.scenario(&item, given, open));
        let mut findings = self.findings.found;
        let good = !findings.iter().any(|(_, finding)| finding.is_error());
        findings.sort_by_key(|(file, finding)| (*file, finding.place()));
        Reading {
            sources: self.sources,
            findings,
            scenario: scenario.filter(|_| good),
            pod: self.pod,
        }
    }

    /// The document of the scenario's own file. Everything may be left out of it.
    fn own_document(&mut self, name: &str, bytes: &[u8]) -> Option<Item> {
        let refused = Source::new(name, bytes).err();
        let mut item = if refused.is_some_and(|refused| refused.code == Code::EmptyFile) {
            self.sources.push(Source::unread(name));
            Item::nothing(0)
        } else {
            self.document(name, bytes)?
        };
        if item.value == Value::Null {
            item.value = Value::Map(Vec::new());
        }
        Some(item)
    }

    /// The one document of a file.
    fn document(&mut self, name: &str, bytes: &[u8]) -> Option<Item> {
        let file = self.sources.len();
        let source = Source::new(name, bytes).map_err(|refused| {
            self.sources.push(Source::unread(name));
            self.findings.add(file, refused);
        });
        let source = source.ok()?;
        let documents = Documents::of_file(&source);
        self.sources.push(source);
        let wrong = documents
            .diagnostics
            .into_iter()
            .filter(Diagnostic::is_error);
        let known = self.findings.found.len();
        for diagnostic in wrong {
            self.findings.add(file, diagnostic);
        }
        let mut roots = documents
            .roots
            .iter()
            .map(|root| documents.tree.node(*root));
        let Some(root) = roots.next() else {
            let good = self.findings.found.len() == known;
            return good.then(|| Item::nothing(file));
        };
        let root = Item::new(root, file);
        if let Some(second) = roots.next() {
            let place = Item::new(second, file).place;
            self.findings
                .refused(place, "a scenario file holds one document".into());
        }
        Some(root)
    }

    fn scenario(
        &mut self,
        item: &Item,
        given: Option<&Given<'_>>,
        open: Open<'_>,
    ) -> Option<Scenario> {
        let mut keys = self.findings.map(item)?;
        let base = self.base(&mut keys, open);
        let findings = &mut self.findings;
        let title = keys.take("title").and_then(|i| findings.owned(i));
        let source = keys.take("source").and_then(|i| findings.owned(i));
        let run_for = keys.take("runFor").and_then(|i| findings.duration(i));
        let not_on = keys.take("not_on").map(|i| findings.not_on(i));
        let backoff = keys.take("backoff").and_then(|i| findings.backoff(i));
        let acts = keys
            .take("acts")
            .map(|i| findings.acts(i))
            .unwrap_or_default();
        let cases = keys
            .take("expect")
            .map(|i| findings.cases(i, &self.sources[0]));
        let (pod, mut scripts) = self.cast(&base, given, item)?;
        keys.end(&mut self.findings);
        let acts = self.acts(acts, base.pod.as_ref(), given);
        self.check_names(&pod);
        self.findings.idle_actors(base.actors.as_ref(), &pod, &acts);
        scripts.retain(|name, _| pod.containers.iter().any(|c| c.name == *name));
        let scenario = Scenario {
            title: title.unwrap_or_else(|| pod.name.clone()),
            source,
            pod: with_backoff(pod, backoff),
            scripts,
            acts,
            timed_acts: Vec::new(),
            cases: cases.unwrap_or_default(),
            run_for: run_for.unwrap_or(RUN_FOR),
            not_on: not_on.unwrap_or_default(),
        };
        Some(match given {
            Some(_) => scenario.with_usual_scripts().with_usual_end(),
            None => scenario,
        })
    }

    /// `pod` and `actors`, laid over those of the file that is extended.
    fn base(&mut self, keys: &mut Keys<'_>, open: Open<'_>) -> Base {
        let extends = keys.take("extends");
        let mut base = extends
            .and_then(|item| self.extended(item, open))
            .unwrap_or_default();
        let (pod_file, pod) = (keys.take("podFile"), keys.take("pod"));
        let brought_by = [("podFile", pod_file), ("pod", pod)];
        let brought_by = brought_by
            .into_iter()
            .find_map(|(key, item)| Some((key, item?.place)));
        base.brought_by = brought_by.or(base.brought_by);
        let file = pod_file.and_then(|item| self.pod_file(item, open));
        lay(&mut base.pod, file.as_ref());
        lay(&mut base.pod, pod);
        lay(&mut base.actors, keys.take("actors"));
        base
    }

    fn extended(&mut self, item: &Item, open: Open<'_>) -> Option<Base> {
        let name = self.findings.text(item)?;
        if name.contains(['/', '\\']) || name == ".." {
            let message = "`extends` names another file of the same folder".into();
            self.findings.refused(item.place, message);
            return None;
        }
        let document = self.other(item, open)?;
        let mut keys = self.findings.map(&document)?;
        Some(self.base(&mut keys, open))
    }

    /// The pod of another file, or the template in what makes pods.
    fn pod_file(&mut self, item: &Item, open: Open<'_>) -> Option<Item> {
        let document = self.other(item, open)?;
        let template = template(&document).cloned();
        Some(template.unwrap_or(document))
    }

    /// The document of another file that this one refers to.
    fn other(&mut self, item: &Item, open: Open<'_>) -> Option<Item> {
        let name = self.findings.text(item)?;
        if self.sources.len() >= MAX_FILES {
            let message = format!("more than {MAX_FILES} files refer to each other");
            self.findings.refused(item.place, message);
            return None;
        }
        let bytes = open(name).map_err(|why| {
            let message = format!("`{name}` cannot be read: {why}");
            self.findings.refused(item.place, message);
        });
        self.document(name, &bytes.ok()?)
    }

    /// The pod and what its containers do.
    fn cast(
        &mut self,
        base: &Base,
        given: Option<&Given<'_>>,
        scenario: &Item,
    ) -> Option<(Pod, BTreeMap<Box<str>, Script>)> {
        let mut scripts = BTreeMap::new();
        for field in base.actors.iter().flat_map(Item::fields) {
            self.findings.named.push((field.key.clone(), field.place));
            let usual = usual(given, &field.key);
            scripts.insert(field.key.clone(), self.findings.script(&field.value, usual));
        }
        match (&base.pod, given) {
            (Some(item), None) => {
                let read = self.findings.pod(item.clone(), &self.sources)?;
                life::add_sleeps(&read.file, &mut scripts);
                self.pod = Some(read.text);
                Some((read.pod, scripts))
            }
            (None, Some(given)) => Some((given.pod.clone(), scripts)),
            (Some(item), Some(_)) => {
                let (key, place) = base.brought_by.unwrap_or(("pod", item.place));
                let message = "the scenario has a pod of its own, and another one is given";
                let diagnostic = Diagnostic::new(Code::NotAllowedHere, message)
                    .primary(place.span, "its own")
                    .help(format!(
                        "play it with `-s` alone, or leave `{key}` out of the scenario"
                    ));
                self.findings.add(place.file, diagnostic);
                None
            }
            (None, None) => {
                self.findings.missing(scenario, "pod");
                None
            }
        }
    }

    /// Gives replacements the definitions that they bring.
    fn acts(
        &mut self,
        drafts: Vec<DraftAct>,
        own: Option<&Item>,
        given: Option<&Given<'_>>,
    ) -> Vec<Act> {
        let mut acts = Vec::new();
        let changes = drafts.iter().any(|draft| draft.fields.is_some());
        let given = given
            .filter(|_| changes)
            .and_then(|given| self.given(given));
        let pod = own.or(given.as_ref());
        for DraftAct { mut act, fields } in drafts {
            if let (Some(Deed::Replace(replacement)), Some(fields)) = (&mut act.deed, fields) {
                replacement.with = self.replacement(&replacement.container, fields, pod);
            }
            acts.push(act);
        }
        acts
    }

    fn replacement(&mut self, name: &str, fields: Item, pod: Option<&Item>) -> Option<Container> {
        if let Some(pod) = pod {
            return self.findings.changed(pod, name, fields, &self.sources);
        }
        let message = "`fields` needs the pod's file, to lay the change over what it says".into();
        self.findings.refused(fields.place, message);
        None
    }

    /// The given pod as its file has it.
    fn given(&mut self, given: &Given<'_>) -> Option<Item> {
        let source = given.file?.clone();
        let file = self.sources.len();
        let documents = Documents::of_file(&source);
        self.sources.push(source);
        let roots = documents.roots.iter();
        let mut objects: Vec<_> = roots
            .map(|root| Item::new(documents.tree.node(*root), file))
            .collect();
        while let Some(object) = objects.pop() {
            let name = object
                .get("metadata")
                .and_then(|metadata| metadata.get("name"));
            let pod = template(&object).unwrap_or(&object);
            let has_pod = pod
                .get("spec")
                .is_some_and(|spec| spec.get("containers").is_some());
            if has_pod && name.is_some_and(|name| name.value == Value::Text(given.pod.name.clone()))
            {
                return Some(pod.clone());
            }
            if let Some(Value::List(items)) = object.get("items").map(|items| &items.value) {
                objects.extend(items.iter().cloned());
            }
        }
        None
    }

    /// Whoever is named must be in the pod.
    fn check_names(&mut self, pod: &Pod) {
        let names: BTreeSet<_> = pod.containers.iter().map(|c| c.name.clone()).collect();
        let findings = &mut self.findings;
        let added = findings.added.clone();
        for (name, place) in added.iter().filter(|(name, _)| names.contains(*name)) {
            let message = format!("the pod has a container `{name}` already");
            findings.refused(*place, message);
        }
        for (name, place) in std::mem::take(&mut findings.named) {
            if !names.contains(&name) && !findings.added.contains_key(&name) {
                let message = format!("the pod has no container `{name}`");
                let diagnostic = Diagnostic::new(Code::UnknownValue, message);
                let help = format!("its containers: {}", join(&names));
                findings.add(place.file, diagnostic.primary(place.span, "").help(help));
            }
        }
    }
}

// === impl Findings ===

impl Findings {
    fn backoff(&mut self, item: &Item) -> Option<(Duration, Duration)> {
        let mut keys = self.map(item)?;
        let initial = keys.need("initial", self).and_then(|i| self.duration(i));
        let max = keys.need("max", self).and_then(|i| self.duration(i));
        keys.end(self);
        let times = initial.zip(max)?;
        self.idle_backoff(item, times);
        Some(times)
    }
}

/// In a pod from elsewhere, a oneshot ends unless something else is said.
fn usual(given: Option<&Given<'_>>, name: &str) -> Script {
    let containers = given.map_or(&[][..], |given| &given.pod.containers);
    let container = containers.iter().find(|container| &*container.name == name);
    container.map_or_else(Script::default, life::script)
}

/// The pod in what makes pods.
fn template(object: &Item) -> Option<&Item> {
    let spec = object.get("spec");
    let job = spec.and_then(|spec| spec.get("jobTemplate"));
    let spec = job.and_then(|job| job.get("spec")).or(spec);
    spec.and_then(|spec| spec.get("template"))
}

fn lay(base: &mut Option<Item>, over: Option<&Item>) {
    match (base, over) {
        (_, None) => {}
        (Some(base), Some(over)) => base.overlay(over.clone()),
        (base @ None, Some(over)) => *base = Some(over.clone()),
    }
}

/// Shortens every crash back-off.
fn with_backoff(mut pod: Pod, times: Option<(Duration, Duration)>) -> Pod {
    if let Some((initial, max)) = times {
        let shorten = |backoff: &mut Backoff| {
            backoff.initial = initial;
            backoff.max = max;
        };
        shorten(&mut pod.backoff);
        for container in &mut pod.containers {
            shorten(&mut container.restart.backoff);
        }
    }
    pod
}

fn join(names: &BTreeSet<Box<str>>) -> String {
    names
        .iter()
        .map(|name| &**name)
        .collect::<Vec<_>>()
        .join(", ")
}
