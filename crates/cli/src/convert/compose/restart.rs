//! `restart`, and `deploy.restart_policy`, which wins.

use super::reader::Reader;
use crate::convert::draft::{Policy, Restart};
use pillion_spec::tree::Node;

// === impl Reader ===

impl Reader<'_> {
    pub(super) fn restart(&mut self, node: Node<'_>) -> Restart {
        let text = self.text(node).unwrap_or_default();
        let (policy, most) = match text.split_once(':') {
            Some((policy, most)) => (policy, Some(most)),
            None => (&*text, None),
        };
        let policy = match policy {
            "no" | "false" | "" => Policy::Never,
            "always" | "unless-stopped" => Policy::Always,
            "on-failure" => Policy::OnFailure,
            _ => {
                self.refuse(node, "`no`, `always`, `on-failure` or `unless-stopped`");
                Policy::Never
            }
        };
        self.unless_stopped |= text == "unless-stopped";
        let max_restarts = most.and_then(|most| most.parse().ok());
        if most.is_some() && max_restarts.is_none() {
            self.refuse(node, "a number after `on-failure:`");
        }
        Restart {
            policy,
            max_restarts,
        }
    }

    pub(super) fn restart_policy(&mut self, node: Node<'_>) -> Restart {
        let mut restart = Restart {
            policy: Policy::Always,
            max_restarts: None,
        };
        for (key, span, value) in self.entries(node) {
            match key {
                "condition" => match self.text(value).as_deref() {
                    Some("none") => restart.policy = Policy::Never,
                    Some("on-failure") => restart.policy = Policy::OnFailure,
                    Some("any") | None => {}
                    Some(_) => self.refuse(value, "`none`, `on-failure` or `any`"),
                },
                "max_attempts" => restart.max_restarts = self.number(value),
                key => {
                    let message = format!("`restart_policy.{key}` is not converted");
                    self.notes
                        .left_out(span, message, "see `backoff` of the pod");
                }
            }
        }
        restart
    }
}
