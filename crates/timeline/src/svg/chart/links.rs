//! Lines from row to row: who let whom through, and the critical path.

use super::Chart;
use crate::path::Step;
use crate::quantity::length;
use crate::svg::escape::escape;
use crate::text::tame;
use crate::waits::Outcome;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::time::Duration;

/// A line from one row to another at one moment.
#[derive(Eq, Ord, PartialEq, PartialOrd)]
struct Link {
    at: Duration,
    from: usize,
    to: usize,
}

// === impl Chart ===

impl Chart<'_> {
    /// Who let whom through, where the critical path does not say it already.
    pub(super) fn draw_waits(&self, out: &mut String) {
        let told: BTreeSet<_> = self.handovers().into_iter().collect();
        let waits = self.timeline.waits().into_iter();
        let over =
            waits.filter(|wait| wait.outcome == Outcome::Fulfilled && !wait.length().is_zero());
        let links = over.filter_map(|wait| {
            Some(Link {
                at: wait.to,
                from: *self.places.get(wait.target.name())?,
                to: *self.places.get(&wait.container)?,
            })
        });
        let links: BTreeSet<_> = links.filter(|link| !told.contains(link)).collect();
        if links.len() > MOST_LINKS {
            return;
        }
        out.push_str("<g class=\"waits\">\n");
        for link in &links {
            self.draw_link(out, link);
        }
        out.push_str("</g>\n");
    }

    fn draw_link(&self, out: &mut String, link: &Link) {
        let Link { at, from, to } = link;
        let (start, end) = (self.middle(*from), self.middle(*to));
        let _ = writeln!(
            out,
            "<g data-a=\"{}\" data-from=\"{from}\" data-to=\"{to}\" \
             transform=\"translate({} 0)\"><path class=\"shaft\" d=\"M0 {start}V{end}\"/>\
             <path class=\"head\" d=\"M-3 {2}L0 {end}L3 {2}\"/></g>",
            at.as_micros(),
            self.x(*at),
            if start < end { end - 5 } else { end + 5 },
        );
    }

    /// Where the critical path goes from one container to the next.
    fn handovers(&self) -> Vec<Link> {
        let place = |step: &Step| Some(*self.places.get(step.container.as_deref()?)?);
        let pairs = self.path.windows(2);
        pairs
            .filter_map(|pair| {
                Some(Link {
                    at: pair[0].to,
                    from: place(&pair[0])?,
                    to: place(&pair[1])?,
                })
            })
            .collect()
    }

    /// The lines between the rows, which go behind the bars.
    pub(super) fn draw_handovers(&self, out: &mut String) {
        out.push_str("<g class=\"path\">\n");
        for link in self.handovers() {
            let (start, end) = (self.low(link.from), self.low(link.to));
            let _ = writeln!(
                out,
                "<path data-a=\"{}\" data-from=\"{}\" data-to=\"{}\" \
                 transform=\"translate({} 0)\" d=\"M0 {start}V{end}\"/>",
                link.at.as_micros(),
                link.from,
                link.to,
                self.x(link.at)
            );
        }
        out.push_str("</g>\n");
    }

    /// The lines below the bars: what each container took of the time until ready.
    pub(super) fn draw_steps(&self, out: &mut String) {
        out.push_str("<g class=\"path\">\n");
        for step in &self.path {
            let place = step
                .container
                .as_deref()
                .map_or(Some(&0), |name| self.places.get(name));
            let Some(place) = place else {
                continue;
            };
            let name = step
                .container
                .as_deref()
                .map_or_else(|| "pod".to_owned(), tame);
            let tip = format!("critical path: {name}, {}", length(step.length()));
            let _ = writeln!(
                out,
                "<path class=\"step\" data-a=\"{}\" data-b=\"{}\" data-from=\"{place}\" \
                 d=\"M{} {y}H{}\"><title>{}</title></path>",
                step.from.as_micros(),
                step.to.as_micros(),
                self.x(step.from),
                self.x(step.to),
                escape(&tip),
                y = self.low(*place)
            );
        }
        out.push_str("</g>\n");
    }
}

/// More lines say less.
const MOST_LINKS: usize = 150;
