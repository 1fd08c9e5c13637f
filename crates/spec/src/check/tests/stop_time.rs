//! Hooks that begin with the stop of the pod.

use super::{Code, accepted, warned};

#[test]
fn a_hook_that_begins_with_the_stop_must_not_sleep_longer_than_there_is_time() {
    let pod = |fields: &str, seconds: u32| {
        format!(
            "
terminationGracePeriodSeconds: 6
containers:
- {{name: app, image: x, {fields}lifecycle: {{podStopping: {{sleep: {{seconds: {seconds}}}}}}}}}
"
        )
    };
    accepted(&pod("", 6));
    warned(&pod("", 7), Code::BeyondGrace);
    let limited = "stopTimeoutSeconds: 3, ";
    accepted(&pod(limited, 3));
    warned(&pod(limited, 4), Code::CutShort);
    warned(&pod(limited, 7), Code::BeyondGrace);
    // When its turn comes after that of another, the hook may be over.
    let later = "- {name: user, image: x, stopTimeoutSeconds: 2, requires: [app]}";
    accepted(&(pod(limited, 4) + later));
}
