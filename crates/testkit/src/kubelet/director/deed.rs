//! What is done to a pod: by its place, by its actors, or by whoever restarts the node.

use super::Director;
use crate::kubelet::interruption::Interruption;
use crate::kubelet::manifest::image;
use crate::kubelet::status;
use crate::processes::actor::TAKE_LEAVE;
use crate::processes::plan;
use pillion_simulator::act::Deed;
use pillion_simulator::line::{Part, Who};
use serde_json::Value;

impl Director<'_> {
    /// Does what needs no restart of the node.
    pub(super) fn perform(&self, deed: &Deed) -> anyhow::Result<()> {
        match deed {
            Deed::Delete { grace } => {
                let grace = grace.map(|grace| grace.as_secs());
                self.place.delete(&self.name, grace)
            }
            Deed::SetImage {
                container,
                image: name,
            } => {
                let pod = self.pod().cloned().unwrap_or_default();
                self.place.set_image(&pod, container, image(name))
            }
            Deed::Kill { container, signal } => {
                self.witness.signal(&Who::container(container), *signal);
                Ok(())
            }
            Deed::Exit { container, code } => {
                self.stage.set_last_code(container, *code)?;
                self.witness.signal(&Who::container(container), TAKE_LEAVE);
                Ok(())
            }
            Deed::SetProbe {
                container,
                probe,
                answers,
            } => {
                let word = plan::answers(*answers);
                Ok(self
                    .stage
                    .set_answers(container, Part::from(*probe), &word)?)
            }
            Deed::Replace(_)
            | Deed::RestartDriver { .. }
            | Deed::Reboot
            | Deed::Ask { .. }
            | Deed::AddEphemeral { .. } => Ok(()),
        }
    }

    /// The restart of the node that is asked for.
    pub(super) fn interruption(&self, deed: &Deed) -> Interruption {
        let pod = self.pod().cloned().unwrap_or_default();
        match deed {
            Deed::RestartDriver { forget } if !forget.is_empty() => {
                let ids = forget.iter().filter_map(|name| container_id(&pod, name));
                Interruption::Forget(ids.collect())
            }
            Deed::Reboot => {
                let uid = pod["metadata"]["uid"].as_str().unwrap_or_default();
                Interruption::Reboot(uid.to_owned())
            }
            Deed::RestartDriver { .. }
            | Deed::Delete { .. }
            | Deed::SetImage { .. }
            | Deed::Replace(_)
            | Deed::Kill { .. }
            | Deed::Exit { .. }
            | Deed::Ask { .. }
            | Deed::SetProbe { .. }
            | Deed::AddEphemeral { .. } => Interruption::Restart,
        }
    }
}

/// The id that containerd has for a container.
fn container_id(pod: &Value, name: &str) -> Option<String> {
    let status = status::all_statuses(pod).find(|status| status["name"] == name)?;
    let id = status["containerID"].as_str()?;
    id.strip_prefix("containerd://").map(str::to_owned)
}
