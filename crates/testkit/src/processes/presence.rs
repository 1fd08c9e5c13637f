//! Who is there: a process that has just been started takes no signal yet, and is killed by what it should hear.

use pillion_engine::status::{ContainerState, ContainerStatus, PodStatus};
use pillion_simulator::line::{Log, Who, Word};

/// Whether all that run have begun their part. Times in both are of one clock.
pub(super) fn is_everybody_there(log: &Log, status: &PodStatus) -> bool {
    let mut containers = status.containers.iter();
    containers.all(|container| !is_running(container) || has_begun(log, container))
}

fn is_running(container: &ContainerStatus) -> bool {
    matches!(container.state, ContainerState::Running { .. })
}

/// Whether the run that is under way has its first line: one that is later than the end of the run before.
fn has_begun(log: &Log, container: &ContainerStatus) -> bool {
    let before = container.last.as_ref().map(|last| last.finished);
    let starting = Who::container(&container.name).says(Word::Starting);
    let mut lines = log.lines().iter().rev();
    lines.any(|line| line.is(&starting) && Some(line.at) > before)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pillion_engine::Tick;
    use pillion_engine::pod::List;
    use pillion_engine::status::{Phase, Terminated};

    fn status(state: ContainerState, last: Option<u64>) -> PodStatus {
        let last = last.map(|finished| Terminated {
            code: 1,
            signal: None,
            reason: "Error".into(),
            message: None,
            started: None,
            finished: Tick::from_secs(finished),
        });
        let app = ContainerStatus {
            name: "app".into(),
            list: List::Regular,
            image: None,
            state,
            restarts: u32::from(last.is_some()),
            last,
            ready: false,
            started: false,
        };
        PodStatus {
            phase: Phase::Running,
            reason: None,
            message: None,
            conditions: Vec::new(),
            containers: vec![app],
        }
    }

    fn running(last: Option<u64>) -> PodStatus {
        let since = Tick::ZERO;
        status(ContainerState::Running { since }, last)
    }

    fn starts(seconds: &[u64]) -> Log {
        let mut log = Log::default();
        for at in seconds {
            log.write(Tick::from_secs(*at), Who::container("app"), Word::Starting);
        }
        log
    }

    #[test]
    fn who_runs_and_has_said_nothing_is_not_there() {
        assert!(!is_everybody_there(&starts(&[]), &running(None)));
        assert!(is_everybody_there(&starts(&[1]), &running(None)));
    }

    #[test]
    fn the_first_line_of_the_run_before_does_not_count() {
        assert!(!is_everybody_there(&starts(&[1]), &running(Some(2))));
        assert!(is_everybody_there(&starts(&[1, 3]), &running(Some(2))));
        // Killed before its first line.
        assert!(is_everybody_there(&starts(&[3]), &running(Some(2))));
    }

    #[test]
    fn nobody_waits_for_who_does_not_run() {
        let waiting = ContainerState::Waiting {
            reason: "PodInitializing",
            message: None,
        };
        assert!(is_everybody_there(&starts(&[]), &status(waiting, None)));
    }
}
