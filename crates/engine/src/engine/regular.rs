//! Whether anything of the regular list is up.
//!
//! The kubelet takes a pod for initialised while one of its regular containers is up. If none is, it looks at the
//! init list again, from the end, before it starts one: completed init containers are not run again, but the last
//! entry, if it is a sidecar, must have started. So plain containers are held back for that sidecar whenever all
//! of the list are down, and not at their first start alone.

use super::Engine;
use crate::pod::{ContainerId, List};

impl Engine {
    /// Whether an `order` edge to a target that may still come up holds a container back now.
    pub(super) fn is_held_in_order(&self, from: ContainerId, target: ContainerId) -> bool {
        let launched = self.life(from).record.launched;
        if self.is_held_by_list(from, target) {
            // A plain one that is up has found the init list through; that is good for all of them.
            self.plain_up == 0 && (!launched || self.regulars_up == 0)
        } else {
            !launched
        }
    }

    /// There is, or may be, a process of this container from now on.
    pub(super) fn note_up(&mut self, container: ContainerId) {
        self.count_up(container, true);
    }

    /// The process of this container is gone, or never came.
    pub(super) fn note_down(&mut self, container: ContainerId) {
        self.count_up(container, false);
    }

    /// Counts anew who is up.
    pub(super) fn recount_up(&mut self) {
        for container in self.containers() {
            let up = self.life(container).is_up();
            self.count_up(container, up);
        }
    }

    fn count_up(&mut self, container: ContainerId, up: bool) {
        if self.def(container).list != List::Regular {
            return;
        }
        let before = (self.regulars_up > 0, self.plain_up > 0);
        let plain = self.def(container).plain;
        let counted = &mut self.life_mut(container).counted_up;
        let was = std::mem::replace(counted, Some(plain).filter(|_| up));
        self.regulars_up = self.regulars_up + usize::from(up) - usize::from(was.is_some());
        self.plain_up = self.plain_up + usize::from(up && plain) - usize::from(was == Some(true));
        if before != (self.regulars_up > 0, self.plain_up > 0) {
            self.look_at_init_list_again();
        }
    }

    /// Those who may be held back for a sidecar of the init list look at it again.
    fn look_at_init_list_again(&mut self) {
        if !self.has_init {
            return;
        }
        for container in self.containers() {
            if self.is_native_sidecar(container) {
                self.changed(container);
            }
        }
    }

    fn is_held_by_list(&self, from: ContainerId, target: ContainerId) -> bool {
        let from = self.def(from);
        from.plain && from.list == List::Regular && self.is_native_sidecar(target)
    }

    fn is_native_sidecar(&self, container: ContainerId) -> bool {
        let def = self.def(container);
        def.list == List::Init && !def.is_oneshot()
    }
}
