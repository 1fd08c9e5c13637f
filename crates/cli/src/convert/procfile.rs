//! Procfiles, as foreman runs them: all lines at once, and when one ends all are stopped.

use super::Surroundings;
use super::draft::{ContainerDraft, Kind, PodDraft, RequirementDraft, UntilDraft};
use super::name::{self, Names};
use super::notes::Notes;
use pillion_spec::{Source, Span};

/// The port of the first line; each line after it has a hundred more.
const FIRST_PORT: u64 = 5000;

/// What foreman grants before it kills.
const STOP_SECONDS: u64 = 5;

/// The line that Heroku runs before all others.
const RELEASE: &str = "release";

/// Reads a Procfile.
pub(super) fn read(source: &Source, around: &Surroundings, notes: &mut Notes) -> Option<PodDraft> {
    let mut names = Names::default();
    let mut pod = PodDraft {
        name: around.pod_name(),
        ..PodDraft::default()
    };
    for (number, (span, name, command)) in entries(source, notes).into_iter().enumerate() {
        let mut container = container(number, command);
        container.name = names.give(name);
        container.kind = match name {
            RELEASE => Kind::Oneshot,
            _ => Kind::Keystone,
        };
        if container.name != name {
            let message = format!("the container of `{name}` is called `{}`", container.name);
            notes.otherwise(span, message, "no name for a container");
        }
        pod.containers.push(container);
    }
    if pod.containers.iter().all(ContainerDraft::is_oneshot) {
        let whole = Span::new(0, 0);
        notes.refuse(
            whole,
            "the file has no process that stays",
            "nothing to run",
        );
        return None;
    }
    wait_for_release(&mut pod);
    pod.remarks = remarks(&pod);
    Some(pod)
}

/// Whether a line says nothing.
pub(super) fn is_comment(line: &str) -> bool {
    let line = line.trim();
    line.is_empty() || line.starts_with('#')
}

/// The name and the command of a line.
pub(super) fn entry(line: &str) -> Option<(&str, &str)> {
    let (name, command) = line.split_once(':')?;
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let command = command.trim();
    let valid = !name.is_empty() && name.chars().all(allowed) && !command.is_empty();
    valid.then_some((name, command))
}

/// The lines that are processes, with the places of their names.
fn entries<'s>(source: &'s Source, notes: &mut Notes) -> Vec<(Span, &'s str, &'s str)> {
    let mut found = Vec::new();
    let mut start = 0;
    for whole in source.text().split_inclusive('\n') {
        let line = whole.trim_end();
        if let Some((name, command)) = entry(line) {
            found.push((Span::new(start, start + name.len()), name, command));
        } else if !is_comment(line) {
            let span = Span::new(start, start + line.len());
            notes.refuse(span, "this line is not a process", "not `name: command`");
        }
        start += whole.len();
    }
    found
}

fn container(number: usize, command: &str) -> ContainerDraft {
    let port = u64::try_from(number).map_or(u64::MAX, |number| FIRST_PORT + 100 * number);
    ContainerDraft {
        command: vec!["sh".to_owned(), "-c".to_owned(), replacing_shell(command)],
        env: vec![("PORT".to_owned(), port.to_string())],
        stop_seconds: STOP_SECONDS,
        ..ContainerDraft::default()
    }
}

/// A single command takes the place of its shell, so that signals reach it.
fn replacing_shell(command: &str) -> String {
    let first = command.split_whitespace().next().unwrap_or_default();
    let assigns = first.contains('=');
    let is_single = !command.contains([';', '&', '|', '<', '>', '(', ')', '`']);
    let is_word = matches!(
        first,
        "exec" | "cd" | "if" | "for" | "while" | "case" | "{" | "!" | "." | ":"
    );
    if is_single && !assigns && !is_word {
        return format!("exec {command}");
    }
    command.to_owned()
}

fn wait_for_release(pod: &mut PodDraft) {
    let release = pod
        .containers
        .iter()
        .find(|container| container.is_oneshot());
    let Some(release) = release.map(|container| container.name.clone()) else {
        return;
    };
    let others = pod
        .containers
        .iter_mut()
        .filter(|container| !container.is_oneshot());
    for container in others {
        container.requires.push(RequirementDraft {
            container: release.clone(),
            until: UntilDraft::Default,
            soft: false,
            restarts: false,
        });
    }
}

fn remarks(pod: &PodDraft) -> Vec<String> {
    let mut remarks = vec![
        "When one process ends, all are stopped, as foreman does it: each is a keystone and none is \
         started again. To have one started again instead, take its `keystone` away and give it \
         `restartPolicy: Always`."
            .to_owned(),
        "`PORT` is as foreman sets it: 5000 for the first line, 100 more for each line after it."
            .to_owned(),
        "Foreman also reads a `.env` beside the Procfile; add what is needed from it to `env`.".to_owned(),
    ];
    if pod.containers.iter().any(ContainerDraft::is_oneshot) {
        remarks.push("`release` runs once, and the others wait until it has succeeded.".to_owned());
    }
    remarks
}

// === impl Surroundings ===

impl Surroundings {
    /// A pod is called as its folder, if nothing else says how.
    pub(super) fn pod_name(&self) -> String {
        let folder = self.folder.file_name().unwrap_or_default();
        name::label(&folder.to_string_lossy())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_single_command_replaces_its_shell() {
        assert_eq!(replacing_shell("puma -p $PORT"), "exec puma -p $PORT");
        for command in ["cd web && npm start", "A=1 run", "exec run", "a | b", "(a)"] {
            assert_eq!(replacing_shell(command), command);
        }
    }

    #[test]
    fn a_line_is_a_name_and_a_command() {
        assert_eq!(entry("web: run -p 80"), Some(("web", "run -p 80")));
        for line in ["web", "web:", ": run", "we b: run"] {
            assert_eq!(entry(line), None);
        }
    }
}
