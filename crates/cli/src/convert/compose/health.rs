//! `healthcheck` becomes a readiness probe that runs the same command.
//!
//! Neither a startup probe nor an initial delay stands for `start_period`: a startup probe kills,
//! which compose never does, and a delay would also hold back those that are healthy early. Readiness
//! needs neither: failures before the first success count for nothing. `start_interval` is not needed
//! because a container that somebody waits for is probed often anyway.

use super::reader::Reader;
use crate::convert::draft::{ContainerDraft, ProbeDraft};
use pillion_spec::tree::Node;

/// What compose takes if nothing is said.
const PERIOD: u64 = 30;
const TIMEOUT: u64 = 30;
const FAILURES: u64 = 3;

// === impl Reader ===

impl Reader<'_> {
    pub(super) fn healthcheck(&mut self, node: Node<'_>, container: &mut ContainerDraft) {
        let mut probe = ProbeDraft {
            period: PERIOD,
            timeout: TIMEOUT,
            failures: FAILURES,
            ..ProbeDraft::default()
        };
        let mut disabled = false;
        for (key, span, value) in self.entries(node) {
            match key {
                "test" => probe.command = self.test(value),
                "interval" => probe.period = self.seconds(value).unwrap_or(PERIOD).max(1),
                "timeout" => probe.timeout = self.seconds(value).unwrap_or(TIMEOUT).max(1),
                "retries" => probe.failures = self.number(value).unwrap_or(FAILURES).max(1),
                "start_period" => {
                    let time = self.text(value).unwrap_or_default();
                    probe.remarks.push(format!(
                        "`start_period: {time}` is not needed: failures before the first success \
                         count for nothing."
                    ));
                }
                "start_interval" => probe.remarks.push(
                    "`start_interval` is not needed: what is waited for is probed often."
                        .to_owned(),
                ),
                "disable" => disabled = self.truth(value),
                key if key.starts_with("x-") => {}
                key => {
                    let message = format!("`{key}` of a health check is not known");
                    self.notes.left_out(span, message, "left out");
                }
            }
        }
        if disabled || probe.command == ["NONE"] {
            return;
        }
        if probe.command.is_empty() {
            let message = "a health check without `test` takes that of the image";
            self.notes
                .left_out(node.span(), message, "left out: the image is not looked at");
            return;
        }
        container.readiness = Some(probe);
    }

    /// The command; a single `NONE` if there is none.
    fn test(&mut self, node: Node<'_>) -> Vec<String> {
        if !node.is_sequence() {
            return self.text(node).map(in_shell).unwrap_or_default();
        }
        let mut words = self.texts(node);
        match words.first().map(String::as_str) {
            Some("NONE") => words.truncate(1),
            Some("CMD") => drop(words.remove(0)),
            Some("CMD-SHELL") => words = in_shell(words[1..].join(" ")),
            Some(_) | None => {
                self.refuse(node, "a list that begins with CMD, CMD-SHELL or NONE");
            }
        }
        words
    }
}

fn in_shell(line: String) -> Vec<String> {
    vec!["sh".to_owned(), "-c".to_owned(), line]
}
