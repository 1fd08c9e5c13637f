//! Makes a pod smaller, one thing at a time.

use super::{Deletion, Draft, Image, Part, Role};

// === impl Draft ===

impl Draft {
    /// Pods that are a little simpler.
    pub fn simpler(&self) -> Vec<Self> {
        let mut simpler = Vec::new();
        let mains = self.containers.iter();
        let mains = mains.filter(|part| part.role == Role::Main).count();
        for (place, part) in self.containers.iter().enumerate() {
            if part.role != Role::Main || mains > 1 {
                simpler.push(self.without(place));
            }
        }
        for (place, part) in self.containers.iter().enumerate() {
            for part in part.simpler() {
                let mut draft = self.clone();
                draft.containers[place] = part;
                simpler.push(draft);
            }
        }
        simpler.push(Self {
            update: None,
            ..self.clone()
        });
        if let Some(deletion) = &self.deletion {
            let without = Self {
                deletion: None,
                ..self.clone()
            };
            let once = Self {
                deletion: Some(Deletion {
                    again: None,
                    ..deletion.clone()
                }),
                ..self.clone()
            };
            simpler.extend([without, once]);
        }
        simpler.retain(|draft| draft != self);
        simpler
    }

    fn without(&self, place: usize) -> Self {
        let mut draft = self.clone();
        let Part { name, .. } = draft.containers.remove(place);
        draft.update = draft.update.filter(|update| update.container != name);
        draft
    }
}

// === impl Part ===

impl Part {
    fn simpler(&self) -> Vec<Self> {
        let plain = |change: &dyn Fn(&mut Self)| {
            let mut part = self.clone();
            change(&mut part);
            part
        };
        vec![
            plain(&|part| part.rules.truncate(1)),
            plain(&|part| part.rules.clear()),
            plain(&|part| {
                if part.role != Role::Sidecar {
                    (part.policy, part.rules) = (None, Vec::new());
                }
            }),
            plain(&|part| part.image = Image::There),
            plain(&Self::take_commands),
            plain(&|part| part.post_start = None),
            plain(&|part| part.pre_stop = None),
            plain(&|part| part.startup = None),
            plain(&|part| {
                if let Some(startup) = &mut part.startup {
                    startup.grace = None;
                }
            }),
            plain(&|part| part.readiness = None),
            plain(&|part| part.liveness = None),
            plain(&Self::believe_at_once),
            plain(&|part| part.life.stops_in = Some(0)),
            plain(&|part| part.life.exits = (0, 0)),
            plain(&|part| part.life.stop_exits = None),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::dice::Dice;
    use super::*;

    #[test]
    fn simpler_pods_are_other_pods_and_come_to_an_end() {
        for seed in 0..50 {
            let mut draft = Draft::random(&mut Dice::new(seed));
            let mut steps = 0;
            while let Some(simpler) = draft.simpler().into_iter().next() {
                assert_ne!(simpler, draft);
                draft = simpler;
                steps += 1;
                assert!(steps < 100, "{draft}");
            }
            assert_eq!(draft.containers.len(), 1);
        }
    }
}
