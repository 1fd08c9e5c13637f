//! Which limits of containers this machine can keep, and a sentence about those that it cannot.

use pillion_runtime::guard::cgroup::{self, CgroupError, Controller};
use pillion_runtime::process::Definition;
use std::collections::BTreeSet;

/// What can be limited, if something is to be, and a sentence about limits that are not kept.
pub(super) fn limits<'d>(
    definitions: impl IntoIterator<Item = &'d Definition>,
) -> (BTreeSet<Controller>, Option<String>) {
    let limited = definitions
        .into_iter()
        .map(|definition| (&*definition.name, wanted(definition)));
    let limited: Vec<_> = limited.filter(|(_, wanted)| !wanted.is_empty()).collect();
    if limited.is_empty() {
        return (BTreeSet::new(), None);
    }
    kept(&limited, cgroup::available())
}

fn kept(
    limited: &[(&str, BTreeSet<Controller>)],
    available: Result<BTreeSet<Controller>, CgroupError>,
) -> (BTreeSet<Controller>, Option<String>) {
    let (available, why) = match available {
        Ok(available) => (available, None),
        Err(error) => (BTreeSet::new(), Some(error.to_string())),
    };
    let dropped = limited.iter().filter_map(|(name, wanted)| {
        let names: Vec<_> = wanted
            .difference(&available)
            .map(|one| one.name())
            .collect();
        (!names.is_empty()).then(|| format!("`{name}` ({})", names.join(", ")))
    });
    let dropped: Vec<_> = dropped.collect();
    let text = (!dropped.is_empty()).then(|| {
        let why = why.as_deref().unwrap_or(ONLY_SOME);
        format!("limits are not kept: {}: {why}", dropped.join(", "))
    });
    (available, text)
}

/// Why some limits are kept and others are not.
const ONLY_SOME: &str = "this user cannot make control groups for them on this machine";

fn wanted(definition: &Definition) -> BTreeSet<Controller> {
    definition.recipe.limits.controllers().into_keys().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use Controller::{Cpu, Memory, Pids};

    fn told(available: &[Controller]) -> Option<String> {
        let limited = [
            ("app", BTreeSet::from([Cpu, Memory])),
            ("store", BTreeSet::from([Memory])),
            ("web", BTreeSet::from([Cpu, Pids])),
        ];
        kept(&limited, Ok(available.iter().copied().collect())).1
    }

    #[test]
    fn what_is_not_kept_is_named() {
        assert_eq!(told(&[Cpu, Memory, Pids]), None);
        let expected = "limits are not kept: `app` (cpu), `web` (cpu, pids): this user cannot make control groups for them on this machine";
        assert_eq!(told(&[Memory]).as_deref(), Some(expected));
    }

    #[test]
    fn why_nothing_is_kept_is_told() {
        let limited = [("app", BTreeSet::from([Memory]))];
        let (available, text) = kept(&limited, Err(CgroupError::None));
        assert!(available.is_empty());
        let expected = format!("limits are not kept: `app` (memory): {}", CgroupError::None);
        assert_eq!(text, Some(expected));
    }
}
