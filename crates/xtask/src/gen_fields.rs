//! `cargo xtask gen-fields`: every field of the objects that a pod file can hold, as a table.
//!
//! It goes into `crates/spec/src/fields/table.rs`.
//!
//! Types and required fields come from the `OpenAPI` documents in Kubernetes' source. Those leave
//! out which words a field takes, so these come from the Go code that the documents are made of.

mod openapi;
mod words;

use crate::workspace::Workspace;
use anyhow::Context;
use openapi::{Fields, Kind, Schemas};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::{fs, iter};
use words::Words;

/// The objects, and what they are made of.
const ROOTS: [&str; 10] = [
    "ConfigMap",
    "CronJob",
    "DaemonSet",
    "Deployment",
    "Job",
    "Pod",
    "PodTemplate",
    "ReplicaSet",
    "Secret",
    "StatefulSet",
];

const TARGET: &str = "crates/spec/src/fields/table.rs";

/// Where Kubernetes is.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The root of Kubernetes' source, as `go mod download k8s.io/kubernetes@VERSION` puts it into
    /// the module cache.
    kubernetes: PathBuf,
}

/// Reads Kubernetes' source and writes the table.
pub(crate) fn run(workspace: &Workspace, args: &Args) -> anyhow::Result<()> {
    let Args { kubernetes } = args;
    let schemas = Schemas::read(&kubernetes.join("api/openapi-spec/v3"))?;
    let generated = kubernetes.join("pkg/generated/openapi/zz_generated.openapi.go");
    let source = fs::read_to_string(&generated)
        .with_context(|| format!("cannot read {}", generated.display()))?;
    let table = table(&schemas, &Words::parse(&source))?;
    let target = workspace.root().join(TARGET);
    fs::write(&target, table).with_context(|| format!("cannot write {}", target.display()))
}

fn table(schemas: &Schemas, words: &Words) -> anyhow::Result<String> {
    let mut text = HEADER.to_owned();
    let reachable = reachable(schemas)?;
    writeln!(text, "/// The objects by kind.")?;
    writeln!(text, "pub(super) static OBJECTS: &[&Type] = &[")?;
    for root in ROOTS {
        writeln!(text, "    &{},", static_name(root))?;
    }
    writeln!(text, "];")?;
    for (name, fields) in reachable {
        let static_name = static_name(&name);
        writeln!(
            text,
            "\nstatic {static_name}: Type = Type {{ name: \"{name}\", fields: &["
        )?;
        for (field, (kind, required)) in fields {
            let make = if required { "required" } else { "optional" };
            let kind = written(&kind, words.of(&name, &field));
            writeln!(text, "    {make}(\"{field}\", {kind}),")?;
        }
        writeln!(text, "] }};")?;
    }
    Ok(text)
}

/// All types that the roots are made of, by name.
fn reachable(schemas: &Schemas) -> anyhow::Result<BTreeMap<String, Fields>> {
    let mut found = BTreeMap::new();
    let mut open: BTreeSet<String> = ROOTS.iter().map(|root| (*root).to_owned()).collect();
    while let Some(name) = open.pop_first() {
        let mut fields = schemas.fields(&name)?;
        // What the cluster reports is not for people to write, and not read here.
        if let Some(status) = fields.get_mut("status").filter(|_| ROOTS.contains(&&*name)) {
            status.0 = Kind::Any;
        }
        let objects = fields.values().filter_map(|(kind, _)| kind.object());
        open.extend(
            objects
                .filter(|object| !found.contains_key(*object))
                .map(str::to_owned),
        );
        found.insert(name, fields);
    }
    Ok(found)
}

fn written(kind: &Kind, words: Option<&[String]>) -> String {
    match kind {
        Kind::Text => match words {
            Some(words) => format!("Words(&{words:?})"),
            None => "Text".to_owned(),
        },
        Kind::Simple(name) => (*name).to_owned(),
        Kind::Any => "Any".to_owned(),
        Kind::Object(name) => format!("Object(&{})", static_name(name)),
        Kind::List(item) => format!("List(&{})", written(item, words)),
        Kind::Map(value) => format!("Map(&{})", written(value, words)),
    }
}

/// `HTTPGetAction` becomes `HTTP_GET_ACTION`.
fn static_name(name: &str) -> String {
    let chars: Vec<char> = name.chars().collect();
    let starts_word = |at: usize| {
        let after_lower = !chars[at - 1].is_uppercase();
        let before_lower = chars.get(at + 1).is_some_and(|next| next.is_lowercase());
        chars[at].is_uppercase() && (after_lower || before_lower)
    };
    let parts = chars.iter().enumerate().flat_map(|(at, c)| {
        let gap = (at > 0 && starts_word(at)).then_some('_');
        gap.into_iter().chain(iter::once(c.to_ascii_uppercase()))
    });
    parts.collect()
}

const HEADER: &str = "\
//! Every field of the Kubernetes objects that a pod file can hold.
//!
//! Written by `cargo xtask gen-fields` from the source of Kubernetes 1.36; do not edit.

#![cfg_attr(rustfmt, rustfmt_skip)]

use super::Kind::{Any, Base64, Bool, Int32, Int64, IntOrText, List, Map, Object, Quantity, Text, Time, Words};
use super::{Type, optional, required};

";
