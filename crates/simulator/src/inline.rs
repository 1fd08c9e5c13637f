//! Acts in a few characters, for command lines: `proxy@3s`, `app=1@5s`.

use crate::act::{Act, Deed};
use crate::actor::{Answers, SIGNALS};
use crate::line::{Part, Who};
use crate::scenario::decode::duration;
use pillion_engine::pod::{ProbeKind, Reaction};
use std::ops::RangeInclusive;
use std::time::Duration;

/// Why a text is no act.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum NotAnAct {
    /// There is no `@` with a time after it.
    #[error("the end says when: `@3s`, `@500ms`, `@2m`")]
    Time,
    /// A time that stands alone is none.
    #[error("a time is written as `10s`, `500ms`, `2m`, or as a number of seconds")]
    Moment,
    /// There is no name before it.
    #[error("the beginning says who: the name of a container")]
    Name,
    /// The part after `=` is not what it must be.
    #[error("{0}")]
    Value(&'static str),
}

type Result<T> = std::result::Result<T, NotAnAct>;

/// `10s` deletes the pod then; `10s/5s` gives it 5 s to stop.
pub fn delete(text: &str) -> Result<Act> {
    let (time, grace) = match text.split_once('/') {
        Some((time, grace)) => (time, Some(time_of(grace).ok_or(NotAnAct::Moment)?)),
        None => (text, None),
    };
    let time = time_of(time).ok_or(NotAnAct::Moment)?;
    Ok(Act::at(time, Deed::Delete { grace }))
}

/// `proxy@3s` kills a container then; `proxy=15@3s` sends another signal.
pub fn kill(text: &str) -> Result<Act> {
    let (who, time) = split(text)?;
    let (container, signal) = match who.split_once('=') {
        Some((container, signal)) => (
            container,
            number(signal, SIGNALS, "`=` is followed by a signal, 1 to 64")?,
        ),
        None => (who, 9),
    };
    let container = name(container)?;
    Ok(Act::at(time, Deed::Kill { container, signal }))
}

/// `app=1@5s` lets a container exit with that code then; without `=`, with 0.
pub fn exit(text: &str) -> Result<Act> {
    let (who, time) = split(text)?;
    let (container, code) = match who.split_once('=') {
        Some((container, code)) => (
            container,
            number(code, 0..=255, "`=` is followed by an exit code, 0 to 255")?,
        ),
        None => (who, 0),
    };
    let container = name(container)?;
    Ok(Act::at(time, Deed::Exit { container, code }))
}

/// `app/readiness=fail@4s` lets a probe answer so from then on; also `ok` and `hang`.
pub fn probe(text: &str) -> Result<Act> {
    let (who, time) = split(text)?;
    let expects = "a probe is written as app/readiness=fail, with startup, readiness or liveness, and ok, fail or hang";
    let (who, answers) = who.split_once('=').ok_or(NotAnAct::Value(expects))?;
    let who: Who = who.parse().map_err(|_| NotAnAct::Value(expects))?;
    let probe = probe_of(who.part).ok_or(NotAnAct::Value(expects))?;
    let answers = match answers {
        "ok" => Answers::Ok,
        "fail" => Answers::Fail,
        "hang" => Answers::Hang,
        _ => return Err(NotAnAct::Value(expects)),
    };
    let deed = Deed::SetProbe {
        container: who.container,
        probe,
        answers,
    };
    Ok(Act::at(time, deed))
}

/// `restart-pod@5s` asks for it then; also `restart-all`, `fail-pod`, `complete-pod`. With a name,
/// `cache=ignore@5s`, a container asks; only a container can ask to be ignored.
pub fn ask(text: &str) -> Result<Act> {
    let (what, time) = split(text)?;
    let (by, what) = match what.split_once('=') {
        Some((by, what)) => (Some(name(by)?), what),
        None => (None, what),
    };
    let reaction = match what {
        "restart-pod" => Reaction::RestartPod,
        "restart-all" => Reaction::RestartAllContainers,
        "fail-pod" => Reaction::FailPod,
        "complete-pod" => Reaction::CompletePod,
        "ignore" if by.is_some() => Reaction::Ignore,
        "ignore" => {
            let expects = "a container asks to be ignored: cache=ignore@5s";
            return Err(NotAnAct::Value(expects));
        }
        _ => {
            let expects = "one of restart-pod, restart-all, fail-pod, complete-pod, NAME=ignore";
            return Err(NotAnAct::Value(expects));
        }
    };
    let reason = "asked on the command line".into();
    let deed = Deed::Ask {
        reaction,
        by,
        reason,
    };
    Ok(Act::at(time, deed))
}

/// `5s`, `1m30s`, or a number of seconds.
pub fn time(text: &str) -> Result<Duration> {
    time_of(text).ok_or(NotAnAct::Moment)
}

fn split(text: &str) -> Result<(&str, Duration)> {
    let (who, time) = text.rsplit_once('@').ok_or(NotAnAct::Time)?;
    Ok((who, time_of(time).ok_or(NotAnAct::Time)?))
}

/// With a unit, or in seconds, as in scenario files.
fn time_of(text: &str) -> Option<Duration> {
    let seconds = || Duration::try_from_secs_f64(text.parse().ok()?).ok();
    duration(text).or_else(seconds)
}

fn name(text: &str) -> Result<Box<str>> {
    if text.is_empty() {
        return Err(NotAnAct::Name);
    }
    Ok(text.into())
}

fn number(text: &str, range: RangeInclusive<i32>, expects: &'static str) -> Result<i32> {
    let number = text.parse().ok().filter(|number| range.contains(number));
    number.ok_or(NotAnAct::Value(expects))
}

fn probe_of(part: Part) -> Option<ProbeKind> {
    match part {
        Part::Startup => Some(ProbeKind::Startup),
        Part::Readiness => Some(ProbeKind::Readiness),
        Part::Liveness => Some(ProbeKind::Liveness),
        Part::Itself | Part::PostStart | Part::PreStop | Part::PodStopping | Part::Undo => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secs(secs: u64) -> Duration {
        Duration::from_secs(secs)
    }

    #[test]
    fn a_kill_has_a_name_a_time_and_perhaps_a_signal() {
        let kills = |signal| Deed::Kill {
            container: "proxy".into(),
            signal,
        };
        assert_eq!(kill("proxy@3s"), Ok(Act::at(secs(3), kills(9))));
        assert_eq!(kill("proxy=15@2m"), Ok(Act::at(secs(120), kills(15))));
        assert_eq!(kill("proxy@3"), Ok(Act::at(secs(3), kills(9))));
        assert_eq!(kill("proxy"), Err(NotAnAct::Time));
        assert_eq!(kill("@3s"), Err(NotAnAct::Name));
        for wrong in ["proxy=TERM@3s", "proxy=0@3s", "proxy=65@3s"] {
            assert!(matches!(kill(wrong), Err(NotAnAct::Value(_))), "{wrong}");
        }
    }

    #[test]
    fn an_exit_has_a_code() {
        let exits = |code| Deed::Exit {
            container: "app".into(),
            code,
        };
        assert_eq!(exit("app=1@5s"), Ok(Act::at(secs(5), exits(1))));
        assert_eq!(exit("app@5s"), Ok(Act::at(secs(5), exits(0))));
        assert_eq!(exit("app=255@5s"), Ok(Act::at(secs(5), exits(255))));
        assert!(exit("app=-1@5s").is_err(), "as its message says");
        assert!(matches!(exit("app=256@5s"), Err(NotAnAct::Value(_))));
    }

    #[test]
    fn a_deletion_may_bring_its_own_grace_period() {
        let deletes = |grace: Option<u64>| Deed::Delete {
            grace: grace.map(secs),
        };
        assert_eq!(delete("10s"), Ok(Act::at(secs(10), deletes(None))));
        assert_eq!(delete("10s/5s"), Ok(Act::at(secs(10), deletes(Some(5)))));
        assert_eq!(delete("3"), Ok(Act::at(secs(3), deletes(None))));
        assert_eq!(delete("soon"), Err(NotAnAct::Moment));
        assert_eq!(delete("3/x"), Err(NotAnAct::Moment));
        assert_eq!(delete("-3"), Err(NotAnAct::Moment));
    }

    #[test]
    fn probes_and_requests_take_known_words_only() {
        assert!(probe("app/readiness=fail@4s").is_ok());
        assert!(probe("app/preStop=fail@4s").is_err());
        assert!(probe("app=fail@4s").is_err());
        assert!(ask("restart-pod@4s").is_ok());
        assert!(ask("reboot@4s").is_err());
        assert!(ask("cache=ignore@4s").is_ok());
        assert!(ask("ignore@4s").is_err());
        assert!(ask("=ignore@4s").is_err());
    }
}
