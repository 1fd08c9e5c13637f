//! How long a container that ends again and again, or an image that does not come, waits.

use crate::driver::{Driver, Manner};
use crate::plain::{Draft, main};
use crate::situation::{Deed, Situation, given};
use crate::table::{Table, extra, row};
use pillion_engine::pod::Backoff;
use pillion_engine::pod::RestartPolicy::Always;
use pillion_engine::status::ContainerState;
use pillion_engine::{ContainerId, Event, Exit};
use std::time::Duration;

const IT: ContainerId = ContainerId(0);

/// What becomes of a container that has ended.
#[derive(Debug, Eq, PartialEq)]
pub(crate) enum Fate {
    /// It has not ended.
    Runs,
    /// It is started at once.
    StartsAtOnce,
    /// It shows `CrashLoopBackOff` and is started after this many seconds.
    Waits(u64),
}

/// A container that ends each time after having run for so many seconds.
pub(crate) struct Crashes {
    backoff: Backoff,
    runs: Vec<u64>,
}

pub(crate) fn crashes() -> Table<Crashes, Fate> {
    let crashes = |runs: &[u64]| Crashes {
        backoff: backoff(1, 60),
        runs: runs.into(),
    };
    Table {
        original: "TestDoBackOff",
        len: 3,
        rows: vec![
            row(1, "what runs waits for nothing", crashes(&[]), Fate::Runs),
            row(
                2,
                "after the first end there is no back-off",
                crashes(&[0]),
                Fate::StartsAtOnce,
            ),
            row(
                3,
                "after the second end there is",
                crashes(&[0, 0]),
                Fate::Waits(1),
            ),
            extra(
                "a run as long as twice the longest wait does not make up for the ends before",
                crashes(&[0, 0, 120]),
                Fate::Waits(2),
            ),
            extra(
                "a run longer than twice the longest wait does",
                crashes(&[0, 0, 121]),
                Fate::StartsAtOnce,
            ),
        ],
        left_out: vec![],
    }
}

/// Lets a container end so often, and looks at what becomes of it.
pub(crate) fn play_crashes(crashes: &Crashes) -> Vec<Fate> {
    let pod = given(Always, [main("a").back_off(crashes.backoff).up()]);
    let mut driver = pod.found(Manner::Obeys);
    let mut fate = Fate::Runs;
    for run in &crashes.runs {
        driver.pass(Duration::from_secs(*run));
        fate = crash(&mut driver, IT);
    }
    vec![fate]
}

/// The first wait and the longest one, in seconds.
type Waits = (u64, u64);

pub(crate) fn settings() -> Table<Backoff, Waits> {
    let of_node = "what the kubelet has as a setting of the node is the container's own here";
    Table {
        original: "TestCrashLoopBackOffConfiguration",
        len: 6,
        rows: vec![
            row(
                1,
                "a short longest wait is the first one, too",
                backoff(10, 2),
                (2, 2),
            )
            .mapped(of_node),
            row(2, "from 1 s to 2 s", backoff(1, 2), (1, 2)).mapped(of_node),
            row(3, "from 1 s to 10 s", backoff(1, 10), (1, 10)).mapped(of_node),
            row(4, "from 1 s to 300 s", backoff(1, 300), (1, 300)).mapped(of_node),
            row(5, "from 10 s to 11 s", backoff(10, 11), (10, 11)).mapped(of_node),
            row(6, "from 10 s to 300 s", backoff(10, 300), (10, 300)).mapped(of_node),
        ],
        left_out: vec![],
    }
}

/// Lets a container end until its wait does not grow any more.
pub(crate) fn play_settings(backoff: &Backoff) -> Vec<Waits> {
    let pod = given(Always, [main("a").back_off(*backoff).up()]);
    let mut driver = pod.found(Manner::Obeys);
    crash(&mut driver, IT);
    let waits: Vec<_> = (0..12).map(|_| seconds(&crash(&mut driver, IT))).collect();
    vec![(waits[0], waits[11])]
}

/// What happens to a container in back-off.
pub(crate) struct Meanwhile {
    pod: Situation,
    /// Who ends then, if somebody does.
    ends: Option<ContainerId>,
}

pub(crate) fn keys() -> Table<Meanwhile, Fate> {
    let of_pod = "every pod has an engine of its own";
    let changed = |draft: Draft| Meanwhile {
        pod: given(Always, [draft, main("b").up()]).and(Deed::Changed("a")),
        ends: None,
    };
    Table {
        original: "TestGetBackoffKey",
        len: 6,
        rows: vec![
            row(
                2,
                "another container of the pod has its own back-off",
                Meanwhile {
                    pod: given(Always, [main("a").backing_off(1), main("b").up()]),
                    ends: Some(ContainerId(1)),
                },
                Fate::StartsAtOnce,
            ),
            row(
                5,
                "with another image the back-off begins anew",
                changed(main("a").image().backing_off(1)),
                Fate::StartsAtOnce,
            ),
            row(
                6,
                "with another definition the back-off begins anew",
                changed(main("a").backing_off(1)),
                Fate::StartsAtOnce,
            )
            .mapped(
                "the engine does not see resources; it is told that the definition has changed",
            ),
        ],
        left_out: vec![
            (1, "nothing else of a pod can be changed here"),
            (3, of_pod),
            (4, of_pod),
        ],
    }
}

pub(crate) fn play_keys(meanwhile: &Meanwhile) -> Vec<Fate> {
    let mut driver = meanwhile.pod.found(Manner::Obeys);
    if let Some(container) = meanwhile.ends {
        return vec![crash(&mut driver, container)];
    }
    let before = driver.starts.len();
    meanwhile.pod.happen(&mut driver);
    vec![fate(&driver, IT, before)]
}

/// Whether the image is pulled at each of some moments, ten seconds apart.
type Pulls = Vec<bool>;

/// Why the image does not come, and how often we look.
type Failure = (&'static str, usize);

/// The rows of `pullerTestCases` that back off; the others are about the registry's answers.
pub(crate) fn pulls() -> Table<Failure, Pulls> {
    let step =
        "the kubelet's test counts from 1 s and looks every second; here it is ten times that";
    Table {
        original: "pullerTestCases",
        len: 3,
        rows: vec![
            row(
                1,
                "an image that is missing is tried after 10 s, then after 20 s more, then after 40 s more",
                ("404", 6),
                vec![true, true, false, true, false, false],
            )
            .mapped(step),
            row(
                2,
                "a pull that was not even tried backs off in the same way",
                ("too many pulls", 3),
                vec![true, true, false],
            )
            .mapped(step),
            row(
                3,
                "an image whose signature is wrong backs off in the same way",
                ("the signature is wrong", 5),
                vec![true, true, false, true, false],
            )
            .mapped(step),
        ],
        left_out: vec![],
    }
}

pub(crate) fn play_pulls((message, moments): &Failure) -> Vec<Pulls> {
    let pod = given(Always, [main("a").image()]);
    let mut driver = pod.found(Manner::LacksImages);
    let mut pulled = Vec::new();
    for _ in 0..*moments {
        let asked = driver.pulls.len() > pulled.iter().filter(|pull| **pull).count();
        pulled.push(asked);
        if asked {
            driver.hear(Event::PullFailed {
                container: IT,
                attempt: 1,
                message: (*message).into(),
            });
        }
        assert_eq!(waiting(&driver, IT), Some("ImagePullBackOff"));
        driver.pass(Duration::from_secs(10));
    }
    vec![pulled]
}

fn backoff(initial: u64, max: u64) -> Backoff {
    Backoff {
        initial: Duration::from_secs(initial),
        max: Duration::from_secs(max),
        // The kubelet forgets after twice the longest wait.
        reset: Duration::from_secs(2 * max),
        ..Backoff::default()
    }
}

/// The container ends; afterwards it runs again, however long that takes.
fn crash(driver: &mut Driver, container: ContainerId) -> Fate {
    let before = driver.starts.len();
    driver.exit(container, Exit::code(1));
    let fate = fate(driver, container, before);
    driver.pass(Duration::from_secs(seconds(&fate)));
    fate
}

/// What has become of a container, given how many starts there were before.
fn fate(driver: &Driver, container: ContainerId, before: usize) -> Fate {
    if driver.starts.len() > before {
        return Fate::StartsAtOnce;
    }
    assert_eq!(waiting(driver, container), Some("CrashLoopBackOff"));
    let due = driver.engine.poll_deadline().expect("it is started again");
    Fate::Waits(due.since(driver.now).as_secs())
}

fn seconds(fate: &Fate) -> u64 {
    match fate {
        Fate::Runs | Fate::StartsAtOnce => 0,
        Fate::Waits(seconds) => *seconds,
    }
}

fn waiting(driver: &Driver, container: ContainerId) -> Option<&'static str> {
    match driver.engine.status().containers[container.index()].state {
        ContainerState::Waiting { reason, .. } => Some(reason),
        ContainerState::Running { .. } | ContainerState::Terminated(_) => None,
    }
}
