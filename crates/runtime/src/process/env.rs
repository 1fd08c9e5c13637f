//! The variables of a container.
//!
//! ```text
//! the machine's own ◀─ HOSTNAME ◀─ Pillion's ◀─ envFrom ◀─ env        later ones win
//!                                  └──────── $(NAME) ────────┘
//! ```
//!
//! `envFrom` and `env` follow the kubelet. Pillion's own variables stand where the kubelet has those of services: a
//! reference finds them, and a pod may overwrite them. The machine's variables are there because a host process is
//! useless without `PATH` and `HOME`, but no reference finds them: a pod file means the same on every machine.

pub(in crate::process) mod downward;
pub(in crate::process) mod file;
#[cfg(test)]
mod tests;
pub(in crate::process) mod volume;

pub use volume::volume_variable;

use super::expand::expand;
use super::recipe::cook::Cook;
use super::recipe::error::{ObjectKind, Problem, Subject};
use super::recipe::kitchen::{EnvFile, Object};
use pillion_spec::env::{EnvFrom, EnvSource, EnvValue, EnvVar, KeyRef, ObjectRef};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// The variables of one container.
#[derive(Debug, Default)]
pub(in crate::process) struct Variables {
    /// What the machine and the runtime give, out of reach of references.
    inherited: BTreeMap<String, String>,
    /// What Pillion gives.
    given: BTreeMap<String, String>,
    /// What the pod file says.
    declared: BTreeMap<String, String>,
    /// Files that must be read before the container starts.
    pub(in crate::process) files: BTreeSet<EnvFile>,
}

/// What a variable is worth that could not be had, or not yet: not nothing, which would be an error in some places.
const UNREAD: &str = "?";

/// What others give their own children, and what must not reach further: a container would tell its readiness to the
/// supervisor of Pillion, or take the sockets of Pillion for its own.
const NOT_INHERITED: [&str; 7] = [
    "LISTEN_FDNAMES",
    "LISTEN_FDS",
    "LISTEN_PID",
    "NOTIFY_SOCKET",
    "PILLION",
    "WATCHDOG_PID",
    "WATCHDOG_USEC",
];

// === impl Variables ===

impl Variables {
    /// Works out the variables. What cannot be had is left out and told to the cook.
    pub(in crate::process) fn of(cook: &mut Cook<'_>) -> Self {
        let mut variables = Self {
            inherited: inherited(cook),
            given: given(cook),
            ..Self::default()
        };
        let container = cook.container;
        for (index, from) in container.env_from.iter().enumerate() {
            variables.add_all(cook, index, from);
        }
        for (index, variable) in container.env.iter().enumerate() {
            variables.add(cook, index, variable);
        }
        variables
    }

    /// Replaces references.
    pub(in crate::process) fn expand(&self, text: &str) -> String {
        expand(text, |name| self.value_of(name))
    }

    /// Replaces references, each of which must have a value.
    pub(in crate::process) fn expand_all(&self, text: &str) -> Result<String, Vec<String>> {
        let missing = RefCell::new(BTreeSet::new());
        let expanded = expand(text, |name| {
            let value = self.value_of(name).filter(|value| !value.is_empty());
            if value.is_none() {
                missing.borrow_mut().insert(name.to_owned());
            }
            value
        });
        let missing = missing.into_inner();
        if missing.is_empty() {
            Ok(expanded)
        } else {
            Err(missing.into_iter().collect())
        }
    }

    /// All of them, by name.
    pub(in crate::process) fn into_environment(self) -> Vec<(String, String)> {
        let Self {
            mut inherited,
            given,
            declared,
            files: _,
        } = self;
        inherited.extend(given);
        inherited.extend(declared);
        inherited.into_iter().collect()
    }

    fn value_of(&self, name: &str) -> Option<&str> {
        let value = self.declared.get(name).or_else(|| self.given.get(name));
        value.map(String::as_str)
    }

    fn add_all(&mut self, cook: &mut Cook<'_>, index: usize, from: &EnvFrom) {
        let (kind, field, wanted) = match &from.source {
            EnvSource::ConfigMap(wanted) => (ObjectKind::ConfigMap, "configMapRef", wanted),
            EnvSource::Secret(wanted) => (ObjectKind::Secret, "secretRef", wanted),
        };
        let found = values(cook, kind, wanted, &from.prefix);
        let subject = Subject::EnvFrom {
            container: cook.container.name.clone(),
        };
        let field = format!("envFrom[{index}].{field}");
        if let Some(found) = cook.note(subject, &field, found) {
            self.declared.extend(found);
        }
    }

    fn add(&mut self, cook: &mut Cook<'_>, index: usize, variable: &EnvVar) {
        let value = self.look_up(cook, &variable.value).and_then(|value| {
            let nul = value.as_ref().is_some_and(|value| value.contains('\0'));
            let place = "its value";
            if nul {
                Err(Problem::Nul { place })
            } else {
                Ok(value)
            }
        });
        let subject = Subject::Variable {
            container: cook.container.name.clone(),
            name: variable.name.clone(),
        };
        // What is wrong is told once, and not again by whoever refers to it.
        let noted = cook.note(subject, &format!("env[{index}]"), value);
        if let Some(value) = noted.unwrap_or_else(|| Some(UNREAD.to_owned())) {
            self.declared.insert(variable.name.clone(), value);
        }
    }

    /// The value, or nothing if it may be missing and is.
    fn look_up(&mut self, cook: &Cook<'_>, value: &EnvValue) -> Result<Option<String>, Problem> {
        match value {
            EnvValue::Text(text) => Ok(Some(self.expand(text))),
            EnvValue::ConfigMapKey(key) => value_of_key(cook, ObjectKind::ConfigMap, key),
            EnvValue::SecretKey(key) => value_of_key(cook, ObjectKind::Secret, key),
            EnvValue::Field { path } => downward::field(&cook.kitchen, path).map(Some),
            EnvValue::Resource(wanted) => {
                downward::resource(&cook.kitchen, Some(cook.container), wanted).map(Some)
            }
            EnvValue::FileKey {
                volume,
                path,
                key,
                optional,
            } => {
                let file = EnvFile {
                    volume: volume.clone(),
                    path: path.clone(),
                };
                let value = value_in_file(cook, &file, key, *optional);
                self.files.insert(file);
                value
            }
        }
    }
}

fn inherited(cook: &Cook<'_>) -> BTreeMap<String, String> {
    let host = cook.kitchen.host;
    let spec = &cook.kitchen.pod.spec;
    let ours = |name: &str| NOT_INHERITED.contains(&name) || name.starts_with("PILLION_");
    let own = host.environment.iter().filter(|(name, _)| !ours(name));
    let mut inherited: BTreeMap<_, _> = own.cloned().collect();
    let hostname = if spec.host_network {
        &host.name
    } else {
        let own = spec.hostname.as_deref();
        short_host_name(own.unwrap_or(&cook.kitchen.run.name))
    };
    inherited.insert("HOSTNAME".into(), hostname.to_owned());
    if cook.container.tty {
        inherited
            .entry("TERM".into())
            .or_insert_with(|| USUAL_TERMINAL.to_owned());
    }
    inherited
}

/// What container runtimes say where nobody does.
const USUAL_TERMINAL: &str = "xterm";

/// The system takes no longer names; the names of pods can be longer.
fn short_host_name(name: &str) -> &str {
    let end = name.char_indices().nth(63).map_or(name.len(), |(at, _)| at);
    name[..end].trim_end_matches(['-', '.'])
}

/// What the driver gives, and where the volumes are that the container sees or asks for.
fn given(cook: &mut Cook<'_>) -> BTreeMap<String, String> {
    let driver = cook.kitchen.run.variables.get(&cook.container.name);
    let mut given = driver.into_iter().flatten().cloned().collect();
    volume::tell_used(cook, &mut given);
    given
}

/// The variables that an object makes. Keys that cannot be names are passed over, as in Kubernetes.
fn values(
    cook: &Cook<'_>,
    kind: ObjectKind,
    wanted: &ObjectRef,
    prefix: &str,
) -> Result<Vec<(String, String)>, Problem> {
    let object = cook.kitchen.object(kind, &wanted.name, wanted.optional)?;
    let mut values = Vec::new();
    for (key, value) in object.into_iter().flat_map(Object::texts) {
        let name = format!("{prefix}{key}");
        if is_name(&name) {
            values.push((name, value?.to_owned()));
        }
    }
    Ok(values)
}

/// Printable ASCII without `=`.
fn is_name(name: &str) -> bool {
    let printable = |byte: u8| (b' '..=b'~').contains(&byte) && byte != b'=';
    !name.is_empty() && name.bytes().all(printable)
}

fn value_of_key(
    cook: &Cook<'_>,
    kind: ObjectKind,
    wanted: &KeyRef,
) -> Result<Option<String>, Problem> {
    let optional = wanted.optional;
    let Some(object) = cook.kitchen.object(kind, &wanted.name, optional)? else {
        return Ok(None);
    };
    match object.text(&wanted.key) {
        Some(value) => value.map(|value| Some(value.to_owned())),
        None if optional => Ok(None),
        None => Err(object.missing(&wanted.key)),
    }
}

fn value_in_file(
    cook: &Cook<'_>,
    file: &EnvFile,
    key: &str,
    optional: bool,
) -> Result<Option<String>, Problem> {
    let (volume, path) = (file.volume.clone(), file.path.clone());
    if cook.kitchen.volume(&volume).is_none() {
        return Err(Problem::UnknownVolume { name: volume });
    }
    let Some(files) = cook.kitchen.env_files else {
        return Ok(Some(UNREAD.to_owned()));
    };
    let Some(text) = files.get(file).and_then(Option::as_ref) else {
        let missing = Problem::MissingEnvFile { volume, path };
        return if optional { Ok(None) } else { Err(missing) };
    };
    let found = file::value_of(text, key).map_err(|file::BadFile { line, why }| {
        let (volume, path) = (file.volume.clone(), file.path.clone());
        Problem::BadEnvFile {
            volume,
            path,
            line,
            why,
        }
    })?;
    if found.is_none() && !optional {
        let key = key.to_owned();
        return Err(Problem::MissingEnvFileKey { volume, path, key });
    }
    Ok(found)
}
