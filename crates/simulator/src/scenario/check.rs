//! Reads `expect`: cases and their checks.

use super::decode::{Findings, Keys};
use super::item::Item;
use super::{Case, Driver};
use crate::check::{Check, Claim, Point, Range};
use crate::line::{LineName, Who};
use pillion_spec::Source;
use std::collections::BTreeMap;

type OnOne = fn(Who) -> Claim;
type OnTwo = fn(Who, Who) -> Claim;

// === impl Findings ===

impl Findings {
    pub(super) fn cases(&mut self, item: &Item, source: &Source) -> Vec<Case> {
        let cases = self.list(item).iter();
        cases.filter_map(|item| self.case(item, source)).collect()
    }

    fn case(&mut self, item: &Item, source: &Source) -> Option<Case> {
        let mut keys = self.map(item)?;
        let id = keys.need("case", self).and_then(|i| self.owned(i));
        let title = keys.take("title").and_then(|i| self.owned(i));
        let checks = keys.need("checks", self);
        let checks = checks.map_or(&[][..], |item| self.list(item));
        let case = Case {
            id: id.unwrap_or_default(),
            title: title.unwrap_or_default(),
            checks: checks
                .iter()
                .filter_map(|i| self.check(i, source))
                .collect(),
            note: keys.take("note").and_then(|i| self.owned(i)),
            equivalent: keys.take("equivalent").and_then(|i| self.owned(i)),
            not_on: keys
                .take("not_on")
                .map(|i| self.not_on(i))
                .unwrap_or_default(),
        };
        keys.end(self);
        Some(case)
    }

    /// Drivers that are left out, with the reason.
    pub(super) fn not_on(&mut self, item: &Item) -> BTreeMap<Driver, Box<str>> {
        let Some(mut keys) = self.map(item) else {
            return BTreeMap::new();
        };
        let reasons = Driver::ALL.map(|driver| {
            let reason = keys.take(driver.as_str()).and_then(|i| self.owned(i));
            reason.map(|reason| (driver, reason))
        });
        keys.end(self);
        reasons.into_iter().flatten().collect()
    }

    fn check(&mut self, item: &Item, source: &Source) -> Option<Check> {
        let mut keys = self.map(item)?;
        let in_run = keys.take("inRun").and_then(|i| self.number(i));
        let before = self.found.len();
        let claims = self.claims(&mut keys);
        keys.end(self);
        let mut claims = claims.into_iter();
        let claim = claims.next();
        if (claim.is_none() || claims.next().is_some()) && self.found.len() == before {
            self.refused(item.place, "a check says exactly one thing".into());
        }
        Some(Check {
            claim: claim?,
            in_run: in_run.unwrap_or(1),
            text: in_one_line(source.slice(item.place.span)),
            place: Some(source.position(item.place.span).line),
        })
    }

    /// All that a check says; a good one says one thing.
    fn claims(&mut self, keys: &mut Keys<'_>) -> Vec<Claim> {
        let mut claims = Vec::new();
        let ones: [(_, OnOne); 5] = [
            ("starts", Claim::Starts),
            ("exits", Claim::Exits),
            ("neverStarts", Claim::NeverStarts),
            ("restarted", Claim::Restarted),
            ("notRestarted", Claim::NotRestarted),
        ];
        for (key, claim) in ones {
            claims.extend(keys.take(key).and_then(|i| self.who(i)).map(claim));
        }
        let twos: [(_, OnTwo); 6] = [
            ("startsBefore", Claim::StartsBefore),
            ("exitsBefore", Claim::ExitsBefore),
            ("anyStartAfter", Claim::AnyStartAfter),
            ("anyExitAfter", Claim::AnyExitAfter),
            ("runsTogether", Claim::RunsTogether),
            ("runsTogetherFirst", Claim::RunsTogetherFirst),
        ];
        for (key, claim) in twos {
            let pair = keys.take(key).and_then(|i| self.pair(i));
            claims.extend(pair.map(|(a, b)| claim(a, b)));
        }
        claims.extend(keys.take("together").and_then(|i| self.together(i)));
        claims.extend(keys.take("lasts").and_then(|i| self.lasts(i)));
        claims.extend(keys.take("between").and_then(|i| self.between(i)));
        claims.extend(keys.take("gap").and_then(|i| self.gap(i)));
        claims.extend(keys.take("count").and_then(|i| self.count(i)));
        claims.extend(self.status_claim(keys));
        let falls = keys
            .take("restartsNeverFall")
            .and_then(|i| self.container(i));
        claims.extend(falls.map(Claim::RestartsNeverFall));
        claims.extend(keys.take("gone").and_then(|i| self.gone(i)));
        claims.extend(keys.take("result").and_then(|i| self.result(i)));
        let code = keys.take("exitCode").and_then(|i| self.number(i));
        claims.extend(code.map(Claim::ExitCode));
        claims.extend(keys.take("event").and_then(|i| self.event(i, true)));
        claims.extend(keys.take("noEvent").and_then(|i| self.event(i, false)));
        claims
    }

    // --- lines ---

    fn who(&mut self, item: &Item) -> Option<Who> {
        let who: Who = self.parsed(item)?;
        self.named.push((who.container.clone(), item.place));
        Some(who)
    }

    fn pair(&mut self, item: &Item) -> Option<(Who, Who)> {
        let [a, b] = self.list(item) else {
            self.unknown_value(item, "a list of two names");
            return None;
        };
        self.who(a).zip(self.who(b))
    }

    /// The name of a line, of a container that the pod must have.
    pub(super) fn line(&mut self, item: &Item) -> Option<LineName> {
        let line: LineName = self.parsed(item)?;
        self.named.push((line.who.container.clone(), item.place));
        Some(line)
    }

    /// A line, or the name of an act.
    fn point(&mut self, item: &Item) -> Option<Point> {
        let text = self.text(item)?;
        if text.contains(' ') {
            return self.line(item).map(Point::Line);
        }
        self.act_name(item).map(Point::Act)
    }

    pub(super) fn act_name(&mut self, item: &Item) -> Option<Box<str>> {
        let name = self.owned(item)?;
        if !self.acts.contains(&name) {
            self.unknown_value(item, "the name of an act");
        }
        Some(name)
    }

    fn range<T>(
        &mut self,
        keys: &mut Keys<'_>,
        mut read: impl FnMut(&mut Self, &Item) -> Option<T>,
    ) -> Range<T> {
        let range = Range {
            at_least: keys.take("atLeast").and_then(|i| read(self, i)),
            at_most: keys.take("atMost").and_then(|i| read(self, i)),
        };
        if range.at_least.is_none() && range.at_most.is_none() {
            self.missing(keys.item(), "atLeast` or `atMost");
        }
        range
    }

    fn together(&mut self, item: &Item) -> Option<Claim> {
        let mut keys = self.map(item)?;
        let lines = keys
            .need("lines", self)
            .map_or(&[][..], |item| self.list(item));
        let lines = lines.iter().filter_map(|i| self.line(i)).collect();
        let within = keys.need("within", self).and_then(|i| self.duration(i));
        keys.end(self);
        Some(Claim::Together {
            lines,
            within: within?,
        })
    }

    fn lasts(&mut self, item: &Item) -> Option<Claim> {
        let mut keys = self.map(item)?;
        let of = keys.need("of", self).and_then(|i| self.who(i));
        let range = self.range(&mut keys, Self::duration);
        keys.end(self);
        Some(Claim::Lasts { of: of?, range })
    }

    fn between(&mut self, item: &Item) -> Option<Claim> {
        let mut keys = self.map(item)?;
        let line = keys.need("line", self).and_then(|i| self.line(i));
        let from = keys.need("from", self).and_then(|i| self.point(i));
        let to = keys.take("to").and_then(|i| self.point(i));
        let range = self.range(&mut keys, Self::number);
        keys.end(self);
        Some(Claim::Between {
            line: line?,
            from: from?,
            to,
            range,
        })
    }

    fn gap(&mut self, item: &Item) -> Option<Claim> {
        let mut keys = self.map(item)?;
        let from = keys.need("from", self).and_then(|i| self.point(i));
        let to = keys.need("to", self).and_then(|i| self.point(i));
        let range = self.range(&mut keys, Self::duration);
        keys.end(self);
        Some(Claim::Gap {
            from: from?,
            to: to?,
            range,
        })
    }

    fn count(&mut self, item: &Item) -> Option<Claim> {
        let mut keys = self.map(item)?;
        let line = keys.need("line", self).and_then(|i| self.line(i));
        let range = self.range(&mut keys, Self::number);
        keys.end(self);
        Some(Claim::Count { line: line?, range })
    }

    // --- the pod ---

    fn gone(&mut self, item: &Item) -> Option<Claim> {
        let mut keys = self.map(item)?;
        let within = keys.need("within", self).and_then(|i| self.duration(i));
        let since = keys.take("since").and_then(|i| self.act_name(i));
        keys.end(self);
        Some(Claim::Gone {
            within: within?,
            since,
        })
    }

    fn result(&mut self, item: &Item) -> Option<Claim> {
        let mut keys = self.map(item)?;
        let phase = keys.take("phase").and_then(|i| self.pattern(i));
        let decided_by = keys.take("decidedBy").and_then(|i| self.pattern(i));
        let reason = keys.take("reason").and_then(|i| self.pattern(i));
        keys.end(self);
        Some(Claim::Result {
            phase,
            decided_by,
            reason,
        })
    }

    fn event(&mut self, item: &Item, told: bool) -> Option<Claim> {
        let mut keys = self.map(item)?;
        let of = keys.need("of", self).and_then(|i| self.container(i));
        let reason = keys.take("reason").and_then(|i| self.owned(i));
        let says = keys.take("says").and_then(|i| self.owned(i));
        keys.end(self);
        Some(Claim::Event {
            told,
            of: of?,
            reason,
            says,
        })
    }
}

/// A check may be written over several lines; it is shown on one.
fn in_one_line(text: &str) -> Box<str> {
    let words: Vec<_> = text.split_whitespace().collect();
    words.join(" ").into()
}
