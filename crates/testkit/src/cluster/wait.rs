//! Waits for what tells nobody that it has come: the one place where a cluster is asked again and again.

use anyhow::bail;
use pillion_runtime::clock;
use std::time::Duration;

/// How often is asked.
const LOOK: Duration = Duration::from_millis(50);

/// Asks until it is so, and says how long it took.
pub(super) fn until(
    what: &str,
    limit: Duration,
    mut is_so: impl FnMut() -> anyhow::Result<bool>,
) -> anyhow::Result<Duration> {
    let began = clock::now();
    loop {
        if is_so()? {
            return Ok(clock::now().since(began));
        }
        if clock::now().since(began) > limit {
            bail!("{what} was waited for in vain for {} s", limit.as_secs());
        }
        pause(LOOK);
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "programs of others tell nobody that they are ready"
)]
pub(super) fn pause(time: Duration) {
    std::thread::sleep(time);
}
