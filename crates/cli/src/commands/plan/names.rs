//! Names as a plan shows them: whole where there is room, else without their middle, and always
//! told apart.

use pillion_engine::pod::Pod;
use pillion_timeline::Style;
use pillion_timeline::text::{columns, tame};
use std::collections::BTreeMap;

/// How each container is called in a plan.
pub(super) struct Names {
    shown: BTreeMap<Box<str>, String>,
    /// The room that names have in a row.
    pub(super) width: usize,
}

// === impl Names ===

impl Names {
    pub(super) fn new(pod: &Pod, style: Style) -> Self {
        let whole: Vec<_> = pod.containers.iter().map(|c| tame(&c.name)).collect();
        let widest = whole.iter().map(|name| columns(name)).max();
        let width = widest
            .unwrap_or_default()
            .min((style.width / 3).max(LEGIBLE));
        let shown = style.shorten_all(&whole, width).unwrap_or(whole);
        let names = pod.containers.iter().map(|c| c.name.clone());
        Self {
            shown: names.zip(shown).collect(),
            width,
        }
    }

    /// What a container is called.
    pub(super) fn of<'a>(&'a self, container: &'a str) -> &'a str {
        self.shown.get(container).map_or(container, String::as_str)
    }
}

/// With less, hardly anything of a name is left.
const LEGIBLE: usize = 9;
