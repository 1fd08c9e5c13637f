//! Reads checks on the pod's status.

use super::decode::{Findings, Keys};
use super::item::{Item, Value};
use crate::check::status::{ConditionPart, ContainerPart, LastPart, Number, StatusPart, Text};
use crate::check::{Claim, Time};

// === impl Findings ===

impl Findings {
    /// `status` and what stands beside it.
    pub(super) fn status_claim(&mut self, keys: &mut Keys<'_>) -> Option<Claim> {
        let want = keys.take("status");
        let times = [
            keys.take("within")
                .and_then(|i| self.duration(i))
                .map(Time::Within),
            keys.take("throughout")
                .and_then(|i| self.duration(i))
                .map(Time::Throughout),
            keys.take("at").and_then(|i| self.duration(i)).map(Time::At),
            keys.take("atEnd")
                .and_then(|i| self.truth(i))
                .map(|_| Time::AtEnd),
            keys.take("whenever")
                .map(|i| Time::Whenever(Box::new(self.status(i)))),
        ];
        let since = keys.take("since").and_then(|i| self.act_name(i));
        let mut times = times.into_iter().flatten();
        let time = times.next();
        let want = want?;
        let (Some(time), None) = (time, times.next()) else {
            let wanted = "one of within, throughout, at, atEnd, whenever beside it";
            self.unknown_value(want, &format!("a status with {wanted}"));
            return None;
        };
        let want = Box::new(self.status(want));
        Some(Claim::Status { want, time, since })
    }

    fn status(&mut self, item: &Item) -> StatusPart {
        let Some(mut keys) = self.map(item) else {
            return StatusPart::default();
        };
        let phase = keys.take("phase").and_then(|i| self.pattern(i));
        let reason = keys.take("reason").and_then(|i| self.pattern(i));
        let mut status = StatusPart {
            phase,
            reason,
            ..StatusPart::default()
        };
        for field in keys.take("conditions").map_or(&[][..], Item::fields) {
            let part = self.condition(&field.value);
            status.conditions.insert(field.key.clone(), part);
        }
        for field in keys.take("containers").map_or(&[][..], Item::fields) {
            self.named.push((field.key.clone(), field.place));
            let part = self.container_part(&field.value);
            status.containers.insert(field.key.clone(), part);
        }
        keys.end(self);
        status
    }

    fn condition(&mut self, item: &Item) -> ConditionPart {
        let Value::Map(_) = item.value else {
            let status = self.condition_status(item);
            return ConditionPart {
                status,
                ..ConditionPart::default()
            };
        };
        let Some(mut keys) = self.map(item) else {
            return ConditionPart::default();
        };
        let part = ConditionPart {
            status: keys.take("status").and_then(|i| self.condition_status(i)),
            reason: keys.take("reason").and_then(|i| self.pattern(i)),
            message: keys.take("message").and_then(|i| self.pattern(i)),
        };
        keys.end(self);
        part
    }

    /// `"True"` or `"False"`, as Kubernetes writes it, or a boolean.
    pub(super) fn condition_status(&mut self, item: &Item) -> Option<bool> {
        if let Value::Bool(truth) = item.value {
            return Some(truth);
        }
        self.word(item, &[("True", true), ("False", false)])
    }

    fn container_part(&mut self, item: &Item) -> ContainerPart {
        let Some(mut keys) = self.map(item) else {
            return ContainerPart::default();
        };
        let part = ContainerPart {
            state: keys.take("state").and_then(|i| self.state(i)),
            reason: keys.take("reason").and_then(|i| self.pattern(i)),
            message: keys.take("message").and_then(|i| self.pattern(i)),
            code: keys.take("code").and_then(|i| self.number(i)),
            signal: keys.take("signal").and_then(|i| self.number(i)),
            restarts: keys.take("restarts").and_then(|i| self.limit(i)),
            ready: keys.take("ready").and_then(|i| self.truth(i)),
            started: keys.take("started").and_then(|i| self.truth(i)),
            image: keys.take("image").and_then(|i| self.pattern(i)),
            last: keys.take("last").and_then(|i| self.last(i)),
        };
        keys.end(self);
        part
    }

    fn last(&mut self, item: &Item) -> Option<LastPart> {
        let mut keys = self.map(item)?;
        let part = LastPart {
            reason: keys.take("reason").and_then(|i| self.pattern(i)),
            code: keys.take("code").and_then(|i| self.number(i)),
        };
        keys.end(self);
        Some(part)
    }

    /// `X`, or `!X`.
    pub(super) fn pattern(&mut self, item: &Item) -> Option<Text> {
        self.text(item).map(Text::written)
    }

    /// A number, `">0"`, `">=3"`, `"<=7"`.
    fn limit(&mut self, item: &Item) -> Option<Number> {
        let Value::Text(text) = &item.value else {
            return self.number(item).map(Number::Is);
        };
        let number = |sign: &str| text.strip_prefix(sign)?.trim().parse::<u32>().ok();
        let limit = None
            .or_else(|| number(">=").map(Number::AtLeast))
            .or_else(|| number("<=").map(Number::AtMost))
            .or_else(|| number(">").map(|more| Number::AtLeast(more.saturating_add(1))))
            .or_else(|| number("<")?.checked_sub(1).map(Number::AtMost));
        if limit.is_none() {
            self.unknown_value(item, r#"a number, ">0", ">=3" or "<=7""#);
        }
        limit
    }
}
