//! `pillion get`: a pod as Kubernetes would show it, while it runs and after its end.

use crate::args::{GetArgs, GetFormat};
use crate::control::client::Client;
use crate::control::find::{self, NotRunning};
use crate::control::message::{Answer, Request};
use crate::convert::yaml::{self, Map, Yaml};
use crate::exit::ExitStatus;
use crate::hint::Hint;
use crate::printer::Printer;
use crate::state::{Run, StateFolder, Wanted};
use anyhow::{Context as _, Result, bail};
use serde_json::Value;
use std::{fs, io};

/// A run is over, and it does not say how the pod ended.
#[derive(Debug, thiserror::Error)]
#[error("nobody kept how {run} ended: pillion was killed in it, or could not write")]
pub(crate) struct NotKept {
    run: String,
}

/// Show a pod with its status.
pub(crate) fn get(args: &GetArgs, printer: &mut Printer) -> Result<ExitStatus> {
    let object = find(args.pod.as_deref())?;
    let text = match args.output {
        GetFormat::Json => serde_json::to_string_pretty(&object)? + "\n",
        GetFormat::Yaml => match yaml(object) {
            Yaml::Map(map) => yaml::document(&map),
            Yaml::Bare(_) | Yaml::Text(_) | Yaml::List(_) => String::new(),
        },
    };
    printer.bytes(text.as_bytes())?;
    Ok(ExitStatus::Success)
}

/// The pod as it is, if it runs, else as it was at the end of its latest run, or of the run that is named.
fn find(wanted: Option<&str>) -> Result<Value> {
    let run = |wanted: Option<&str>| {
        let state = StateFolder::locate()?;
        match wanted.and_then(Wanted::parse) {
            Some(wanted) => state.find(wanted),
            None => state.latest(),
        }
    };
    if wanted.is_some_and(|wanted| wanted.contains('#')) {
        let run = run(wanted)?;
        return if run.is_alive() {
            running(find::one(Some(&run.pod()))?)
        } else {
            ended(&run)
        };
    }
    match find::one(wanted) {
        Ok(client) => running(client),
        // Who has never been run is told of as one who does not run.
        Err(error @ (NotRunning::None | NotRunning::Unknown { .. })) => match run(wanted) {
            Ok(run) => ended(&run),
            Err(_) => Err(error.into()),
        },
        Err(error) => Err(error.into()),
    }
}

fn running(mut client: Client) -> Result<Value> {
    let Answer::Object(object) = client.ask(&Request::Get)? else {
        bail!("{} answered something else", client.pod());
    };
    Ok(object)
}

fn ended(run: &Run) -> Result<Value> {
    let path = run.end();
    let unread = || format!("cannot read {}", path.display());
    match fs::read(&path) {
        Ok(bytes) => serde_json::from_slice(&bytes).with_context(unread),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Err(NotKept { run: run.title() }.into())
        }
        Err(error) => Err(error).with_context(unread),
    }
}

fn yaml(value: Value) -> Yaml {
    match value {
        Value::Null => Yaml::Bare("null".to_owned()),
        Value::Bool(truth) => truth.into(),
        Value::Number(number) => Yaml::Bare(number.to_string()),
        Value::String(text) => text.into(),
        Value::Array(items) => Yaml::List(items.into_iter().map(yaml).collect()),
        Value::Object(entries) => {
            let mut map = Map::default();
            for (key, value) in entries {
                map.push(&key, yaml(value));
            }
            map.into()
        }
    }
}

// === impl NotKept ===

impl Hint for NotKept {
    fn hint(&self) -> Option<String> {
        Some(format!(
            "`pillion trace {}` shows what happened until then",
            self.run
        ))
    }
}
