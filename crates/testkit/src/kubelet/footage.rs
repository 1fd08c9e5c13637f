//! Everything that was seen of one play, as it was seen: a record can be made of it at any time, and it can be kept in a file, to be
//! judged again by other rules.

use super::director::has_ended;
use super::eyes::Glimpse;
use super::status;
use anyhow::Context as _;
use pillion_engine::Tick;
use pillion_simulator::line::{LineName, Log};
use pillion_simulator::record::{End, Event, Moment, Record};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;

/// What was seen; all times count from the beginning of the play.
#[derive(Clone, Debug)]
pub(crate) struct Footage {
    /// In the order of their times.
    pub(super) lines: Vec<(Tick, LineName)>,
    pub(super) glimpses: Vec<Glimpse>,
    pub(super) moments: BTreeMap<Box<str>, Tick>,
    /// They are not kept in files.
    pub(super) events: Option<Vec<Event>>,
    pub(super) left_undone: Vec<String>,
    /// What the scenario calls the image that it changes to.
    pub(super) new_image: Box<str>,
    pub(super) until: Tick,
}

// === impl Footage ===

impl Footage {
    /// What a judge reads.
    pub(crate) fn record(&self) -> Record {
        let Self {
            lines,
            glimpses,
            moments,
            events,
            left_undone,
            new_image,
            until,
        } = self;
        let mut record = Record {
            events: events.clone(),
            left_undone: left_undone.clone(),
            until: *until,
            end: self.end(),
            ..Record::default()
        };
        for Glimpse { at, pod } in glimpses {
            if let Some(pod) = pod.as_ref().filter(|pod| status::is_told(pod)) {
                record.sample(*at, status::read(pod, new_image));
            }
        }
        for (name, at) in moments {
            let moment = Moment {
                at: *at,
                lines: lines.partition_point(|(line, _)| line <= at),
                statuses: record.statuses.partition_point(|sample| sample.at <= *at),
            };
            record.moments.insert(name.clone(), moment);
        }
        record.log = log(lines);
        record
    }

    fn end(&self) -> Option<End> {
        // What is told after that is not news of the pod.
        let ended = self.glimpses.iter().rev();
        let first = ended.take_while(|glimpse| has_ended(glimpse)).last()?;
        Some(End {
            at: first.at,
            result: None,
            decided_by: None,
        })
    }

    /// As it is kept.
    pub(crate) fn to_json(&self) -> Value {
        let lines = self.lines.iter();
        let lines = lines.map(|(at, line)| json!([nanos(*at), line.to_string()]));
        let glimpses = self.glimpses.iter();
        let glimpses = glimpses.map(|Glimpse { at, pod }| json!([nanos(*at), pod]));
        let moments = self.moments.iter();
        let moments = moments.map(|(name, at)| (name.to_string(), json!(nanos(*at))));
        json!({
            "lines": lines.collect::<Value>(),
            "glimpses": glimpses.collect::<Value>(),
            "moments": Value::Object(moments.collect()),
            "leftUndone": self.left_undone,
            "newImage": self.new_image,
            "until": nanos(self.until),
        })
    }

    /// What was kept.
    pub(crate) fn from_json(kept: &Value) -> anyhow::Result<Self> {
        let pair = |pair: &Value| anyhow::Ok((tick(&pair[0])?, pair[1].clone()));
        let pairs = |key: &str| {
            let pairs = kept[key].as_array();
            let pairs = pairs.with_context(|| format!("it holds no {key}"))?;
            pairs.iter().map(pair).collect::<anyhow::Result<Vec<_>>>()
        };
        let line = |(at, line): (Tick, Value)| {
            let line = line.as_str().unwrap_or_default();
            let read = line.parse::<LineName>();
            Ok((at, read.with_context(|| format!("`{line}` is no line"))?))
        };
        let glimpse = |(at, pod): (Tick, Value)| Glimpse {
            at,
            pod: (!pod.is_null()).then_some(pod),
        };
        let moments = kept["moments"].as_object().into_iter().flatten();
        let moments = moments.map(|(name, at)| anyhow::Ok((name.as_str().into(), tick(at)?)));
        let undone = kept["leftUndone"].as_array().into_iter().flatten();
        let undone = undone.filter_map(|act| act.as_str().map(str::to_owned));
        Ok(Self {
            lines: pairs("lines")?
                .into_iter()
                .map(line)
                .collect::<anyhow::Result<_>>()?,
            glimpses: pairs("glimpses")?.into_iter().map(glimpse).collect(),
            moments: moments.collect::<anyhow::Result<_>>()?,
            events: None,
            left_undone: undone.collect(),
            new_image: kept["newImage"].as_str().unwrap_or_default().into(),
            until: tick(&kept["until"])?,
        })
    }
}

/// These lines, as a judge reads them.
pub(super) fn log(lines: &[(Tick, LineName)]) -> Log {
    let mut log = Log::default();
    for (at, LineName { who, word }) in lines {
        log.write(*at, who.clone(), *word);
    }
    log
}

fn nanos(at: Tick) -> u64 {
    u64::try_from(at.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

fn tick(kept: &Value) -> anyhow::Result<Tick> {
    let nanos = kept.as_u64();
    let nanos = nanos.with_context(|| format!("`{kept}` is no number of nanoseconds"))?;
    Ok(Tick::ZERO + Duration::from_nanos(nanos))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_kept_makes_the_same_record() {
        let at = Tick::from_secs;
        let pod = json!({
            "spec": {"containers": [{"name": "m1"}]},
            "status": {"phase": "Succeeded", "containerStatuses": [{
                "name": "m1", "image": "i", "restartCount": 2, "ready": false, "started": false,
                "state": {"terminated": {"exitCode": 3, "reason": "Error", "message": "m1 ends run 1 with 3"}},
            }]},
        });
        let footage = Footage {
            lines: vec![
                (at(1), "m1 Starting".parse().unwrap()),
                (at(3), "m1/preStop Exited".parse().unwrap()),
            ],
            glimpses: vec![
                Glimpse {
                    at: at(2),
                    pod: Some(pod),
                },
                Glimpse {
                    at: at(4),
                    pod: None,
                },
            ],
            moments: BTreeMap::from([("deleted".into(), at(3))]),
            events: None,
            left_undone: vec!["delete".to_owned()],
            new_image: "new".into(),
            until: at(9),
        };
        let record = footage.record();
        assert_eq!(record.end.as_ref().map(|end| end.at), Some(at(2)));
        assert_eq!(record.statuses.len(), 1);

        let kept = footage.to_json().to_string();
        let again = Footage::from_json(&serde_json::from_str(&kept).unwrap()).unwrap();
        assert_eq!(format!("{:?}", again.record()), format!("{record:?}"));
    }

    #[test]
    fn what_is_no_footage_is_refused() {
        for kept in [
            json!({}),
            json!({"until": -1}),
            json!({"until": 1, "lines": []}),
            json!({"until": 1, "glimpses": [], "lines": [[1, "nobody knows"]]}),
            json!({"until": 1, "glimpses": [], "lines": [], "moments": {"deleted": "late"}}),
        ] {
            assert!(Footage::from_json(&kept).is_err(), "{kept}");
        }
    }
}
