//! The making of one recipe: what it is for, and what went wrong so far.

use super::error::{Problem, RecipeError, Subject};
use super::kitchen::Kitchen;
use pillion_spec::container::Container;

/// Makes the recipe of one container and keeps what is wrong with it, so that all of it is told at once.
pub(in crate::process) struct Cook<'k> {
    pub(in crate::process) kitchen: Kitchen<'k>,
    pub(in crate::process) container: &'k Container,
    /// The container's place, as `spec.containers[0]`.
    place: String,
    pub(in crate::process) errors: Vec<RecipeError>,
}

// === impl Cook ===

impl<'k> Cook<'k> {
    pub(in crate::process) fn new(kitchen: Kitchen<'k>, container: &'k Container) -> Self {
        let mut all = kitchen.pod.spec.all_containers();
        let found = all.find(|(_, _, other)| other.name == container.name);
        let place = found.map_or_else(
            || "spec".to_owned(),
            |(list, index, _)| format!("spec.{list}[{index}]"),
        );
        Self {
            kitchen,
            container,
            place,
            errors: Vec::new(),
        }
    }

    /// Keeps what is wrong about something.
    pub(in crate::process) fn note<T>(
        &mut self,
        subject: Subject,
        field: &str,
        result: Result<T, Problem>,
    ) -> Option<T> {
        result
            .map_err(|problem| {
                self.errors.push(RecipeError {
                    subject,
                    field: format!("{}.{field}", self.place),
                    problem,
                });
            })
            .ok()
    }

    /// Keeps what is wrong about the container as a whole.
    pub(in crate::process) fn note_own<T>(
        &mut self,
        field: &str,
        result: Result<T, Problem>,
    ) -> Option<T> {
        let subject = Subject::Container(self.container.name.clone());
        self.note(subject, field, result)
    }
}
