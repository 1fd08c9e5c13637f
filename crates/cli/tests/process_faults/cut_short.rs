//! A life that is cut short at many points: a pod for it, and what holds wherever that was.

use super::pod::{Ended, Pod};
use std::fmt::Debug;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// With this the pod ends by itself.
const WHOLE: i32 = 7;

/// So many at once: they mostly wait.
const TOGETHER: usize = 6;

/// A pod with most of what a run makes on the machine, whose containers do this meanwhile. `app` has these fields beside.
pub(super) fn spec([base, prepare, app]: [&str; 3], beside: &str) -> String {
    format!(
        "
  restartPolicy: Never
  terminationGracePeriodSeconds: 5
  volumes: [{{name: shared, emptyDir: {{}}}}]
  containers:
    - name: base
      sidecar: true
      readyOn: {{logLine: up}}
      resources: {{limits: {{memory: 500Mi}}}}
      command: [sh, -c, '{base}; echo up; exec sleep 1000']
    - {{name: prepare, oneshot: true, command: [sh, -c, '(setsid sleep 1000 &); {prepare}']}}
    - name: app
      keystone: true
      requires: [prepare, base]
      {beside}
      command: [sh, -c, '{app}; exit {WHOLE}']
"
    )
}

/// Tries all points.
pub(super) fn at_each<P: Sync>(points: &[P], cut_short: impl Fn(&P) + Sync) {
    let next = AtomicUsize::new(0);
    let try_points = || {
        while let Some(point) = points.get(next.fetch_add(1, Ordering::Relaxed)) {
            cut_short(point);
        }
    };
    thread::scope(|scope| {
        for _ in 0..TOGETHER {
            scope.spawn(try_points);
        }
    });
}

/// A run has ended by itself, or by this signal, and nobody of it is left.
pub(super) fn assert_over(pod: &Pod, ended: &Ended, signal: i32, point: impl Debug) {
    let code = ended.code;
    assert!([WHOLE, 128 + signal].contains(&code), "{code} at {point:?}");
    pod.wait_until_nobody_is_left();
}

/// The pod runs to its end, whatever was before.
pub(super) fn assert_whole(pod: &Pod, point: impl Debug) {
    let ended = pod.run();
    assert_eq!(ended.code, WHOLE, "after {point:?}: {ended:?}");
    pod.assert_nothing_is_left();
}
