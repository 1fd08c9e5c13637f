//! `pillion get`: a pod that runs, as Kubernetes would show it.

use crate::args::{GetArgs, GetFormat};
use crate::control::find;
use crate::control::message::{Answer, Request};
use crate::convert::yaml::{self, Map, Yaml};
use crate::exit::ExitStatus;
use crate::printer::Printer;
use anyhow::{Result, bail};
use serde_json::Value;

/// Show a pod with its status.
pub(crate) fn get(args: &GetArgs, printer: &mut Printer) -> Result<ExitStatus> {
    let mut client = find::one(args.pod.as_deref())?;
    let Answer::Object(object) = client.ask(&Request::Get)? else {
        bail!("{} answered something else", client.pod());
    };
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
