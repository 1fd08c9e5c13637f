//! Pods in a few lines, for reports of violations: only what is not as usual.

use pillion_engine::pod::{Container, OnRestart, Pod, Requirement, Scope};
use std::fmt;

/// A pod to be shown.
#[derive(Clone, Copy, Debug)]
pub struct Described<'p>(pub &'p Pod);

// === impl Described ===

impl fmt::Display for Described<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(pod) = self;
        write!(f, "  pod {:?} grace {:?}", pod.restart_policy, pod.grace)?;
        if let Some(deadline) = pod.active_deadline {
            write!(f, " active for {deadline:?}")?;
        }
        if let Some(limit) = pod.restart_limit {
            write!(f, " restarts {limit}")?;
        }
        writeln!(f)?;
        for (id, container) in pod.containers.iter().enumerate() {
            write!(f, "  container {id} ")?;
            describe(container, f)?;
        }
        for (id, barrier) in pod.barriers.iter().enumerate() {
            writeln!(f, "  barrier {id} {}", barrier.name)?;
            barrier
                .requires
                .iter()
                .try_for_each(|edge| requirement(edge, f))?;
        }
        Ok(())
    }
}

fn describe(container: &Container, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let usual = Container::new(&container.name, container.restart.policy);
    let Container {
        name,
        list,
        kind,
        role,
        plain,
        image,
        requires,
        keystone,
        restart,
        on_give_up,
        probes,
        ready_on,
        hooks,
        start_timeout,
        stop_timeout,
    } = container;
    write!(f, "{name}: {role:?} {kind:?} {:?}", restart.policy)?;
    let mut also = |shown: bool, text: String| if shown { write!(f, " {text}") } else { Ok(()) };
    also(*list != usual.list, format!("{list:?}"))?;
    also(*plain, "plain".into())?;
    also(image.is_some(), "pulled".into())?;
    also(keystone.is_some(), format!("keystone {keystone:?}"))?;
    also(
        *on_give_up != usual.on_give_up,
        format!("onGiveUp {on_give_up:?}"),
    )?;
    also(*probes != usual.probes, format!("{probes:?}"))?;
    also(*ready_on, "readyOn".into())?;
    also(*hooks != usual.hooks, format!("{hooks:?}"))?;
    also(
        start_timeout.is_some(),
        format!("startTimeout {start_timeout:?}"),
    )?;
    also(
        stop_timeout.is_some(),
        format!("stopTimeout {stop_timeout:?}"),
    )?;
    also(
        !restart.rules.is_empty(),
        format!("rules {:?}", restart.rules),
    )?;
    also(restart.limit.is_some(), format!("{:?}", restart.limit))?;
    writeln!(f)?;
    requires.iter().try_for_each(|edge| requirement(edge, f))
}

fn requirement(edge: &Requirement, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let Requirement {
        target,
        until,
        need,
        on_restart,
        timeout,
        scope,
        origin: _,
    } = edge;
    write!(f, "    requires {target:?} {until:?} {need:?}")?;
    if *on_restart != OnRestart::Keep {
        write!(f, " onRestart {on_restart:?}")?;
    }
    if let Some(timeout) = timeout {
        write!(f, " within {timeout:?}")?;
    }
    if *scope != Scope::Both {
        write!(f, " {scope:?}")?;
    }
    writeln!(f)
}
