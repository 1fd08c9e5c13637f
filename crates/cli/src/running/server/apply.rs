//! Somebody at another terminal brings a file.

use super::client::{Client, Doing};
use super::{PATIENCE, Seen, Server, answer};
use crate::control::apply::{Apply, Plan, Report};
use crate::control::message::Answer;
use crate::running::apply::Rejected;
use pillion_runtime::clock;
use pillion_runtime::guard::ChannelError;
use pillion_spec::render::Renderer;

impl Server {
    /// Applies a file, and goes on telling how that goes.
    pub(super) fn apply(
        &mut self,
        client: &mut Client,
        apply: &Apply,
        seen: &mut Seen<'_, '_>,
    ) -> Result<(), ChannelError> {
        let until = seen.pod.now + PATIENCE;
        match seen.applier.begin(apply, seen.pod) {
            Err(rejected) => client.answer(&refusal(rejected), until),
            Ok(plan) if apply.dry_run => client.answer(&told(plan), until),
            Ok(plan) => {
                client.tell(&told(plan))?;
                self.watch(client, Doing::Applying, seen)
            }
        }
    }

    /// A file was applied, as far as it could be.
    pub(in crate::running) fn applied(&mut self, report: &Report) {
        let answer = Answer::Applied(Box::new(report.clone()));
        let until = clock::now() + PATIENCE;
        self.for_those(Doing::Applying, |client| client.answer(&answer, until));
    }
}

fn told(plan: Plan) -> Answer {
    Answer::Plan(Box::new(plan))
}

fn refusal(rejected: Rejected) -> Answer {
    match rejected {
        Rejected::Findings(loaded) => {
            let findings = Renderer::plain().render_all(&loaded.source, &loaded.diagnostics);
            answer::refused(&format!("the file has errors\n{findings}"), None)
        }
        Rejected::Problems(problems) => Answer::NotApplied(problems),
        Rejected::Busy => answer::refused(
            "another file is being applied",
            Some("`pillion ps` with the name of the pod tells how far it has come".to_owned()),
        ),
    }
}
