//! What an exit means for a container: rules first, then its policy; and how long to wait.

use crate::event::Exit;
use crate::pod::{Backoff, Reaction, Restart, RestartLimit, RestartPolicy, When};
use crate::tick::Tick;
use std::collections::VecDeque;
use std::time::Duration;

/// The rule that matches an exit, if any: its number and what it says.
pub(crate) fn matching_rule(restart: &Restart, exit: &Exit) -> Option<(usize, Reaction)> {
    let index = restart
        .rules
        .iter()
        .position(|rule| matches(&rule.when, exit))?;
    Some((index, restart.rules[index].reaction))
}

/// Whether the policy starts a container again.
pub(crate) fn restarts(policy: RestartPolicy, oneshot: bool, ok: bool) -> bool {
    match policy {
        RestartPolicy::Always => !oneshot || !ok,
        RestartPolicy::OnFailure => !ok,
        RestartPolicy::Never => false,
    }
}

/// How long the restart after this many others waits.
pub(crate) fn delay(backoff: &Backoff, level: u32) -> Duration {
    if level == 0 {
        return Duration::ZERO;
    }
    let mut wait = backoff.initial;
    for _ in 1..level {
        let next = wait.saturating_mul(backoff.factor) / 1000;
        if next <= wait || wait >= backoff.max {
            break;
        }
        wait = next;
    }
    wait.min(backoff.max)
}

/// Whether one more restart now is more than the limit allows. `recent` is what was restarted before, and is tidied.
pub(crate) fn exceeds(limit: RestartLimit, recent: &mut VecDeque<Tick>, now: Tick) -> bool {
    if let Some(window) = limit.window {
        recent.retain(|at| now.since(*at) < window);
    }
    recent.len() >= limit.max as usize
}

fn matches(when: &When, exit: &Exit) -> bool {
    match when {
        When::CodeIn(codes) => codes.contains(&exit.code),
        When::CodeNotIn(codes) => !codes.contains(&exit.code),
        When::Signal(signals) => exit.signal.is_some_and(|signal| signals.contains(&signal)),
        When::OomKilled => exit.oom,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_back_off_is_the_kubelets() {
        let seconds: Vec<_> = (0..8)
            .map(|level| delay(&Backoff::default(), level).as_secs())
            .collect();

        assert_eq!(seconds, [0, 10, 20, 40, 80, 160, 300, 300]);
    }

    #[test]
    fn a_back_off_can_grow_slowly_or_not_at_all() {
        let millis = |factor| {
            let backoff = Backoff {
                factor,
                ..Backoff::default()
            };
            [1, 2, 3, u32::MAX].map(|level| delay(&backoff, level).as_millis())
        };

        assert_eq!(millis(1500), [10_000, 15_000, 22_500, 300_000]);
        assert_eq!(millis(1000), [10_000; 4]);
    }

    #[test]
    fn the_back_off_does_not_overflow() {
        assert_eq!(delay(&Backoff::default(), u32::MAX), Backoff::default().max);
    }

    #[test]
    fn only_restarts_within_the_window_count() {
        let limit = RestartLimit {
            max: 2,
            window: Some(Duration::from_secs(10)),
        };
        let mut recent = VecDeque::from([Tick::from_secs(0), Tick::from_secs(5)]);

        assert!(exceeds(limit, &mut recent, Tick::from_secs(9)));
        assert!(!exceeds(limit, &mut recent, Tick::from_secs(10)));
    }

    #[test]
    fn a_oneshot_that_succeeded_is_not_restarted_by_always() {
        assert!(restarts(RestartPolicy::Always, false, true));
        assert!(!restarts(RestartPolicy::Always, true, true));
        assert!(restarts(RestartPolicy::Always, true, false));
    }
}
