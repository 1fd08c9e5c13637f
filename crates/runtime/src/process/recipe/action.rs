//! Hooks and probes as they are carried out: ports are numbers, hosts have a default.

use super::cook::Cook;
use super::error::Problem;
use crate::probe::Target;
use crate::process::expand::expand;
use pillion_engine::pod::{HookKind, ProbeKind};
use pillion_spec::container::Container;
use pillion_spec::env::EnvValue;
use pillion_spec::hook::{Hook, HttpGet, PortRef, Scheme, TcpSocket};
use pillion_spec::pillion::Network;
use pillion_spec::probe::Check;
use std::collections::BTreeMap;
use std::time::Duration;

/// What a hook does.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum HookAction {
    /// Runs a command beside the container's process.
    Exec {
        /// The program and its arguments.
        command: Vec<String>,
    },
    /// Makes a request.
    Ask(Target),
    /// Lets time pass.
    Sleep(Duration),
    /// Fails at once, as it does under the kubelet.
    Fail {
        /// Why.
        why: String,
    },
}

/// What one attempt of a probe does.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum ProbeAction {
    /// Runs a command beside the container's process.
    Exec {
        /// The program and its arguments.
        command: Vec<String>,
    },
    /// Asks over the network.
    Ask(Target),
    /// Fails at once, as it does under the kubelet.
    Fail {
        /// Why.
        why: String,
    },
}

/// Refuses what asks a container over a network that it does not have: it would fail for ever, and nobody would see why.
pub(super) fn check_reach(cook: &mut Cook<'_>) {
    let container = cook.container;
    if container.pillion.network != Some(Network::None) {
        return;
    }
    let own = cook.kitchen.run.address().to_owned();
    let is_own = |host: &Option<String>| {
        let host = host.as_deref().unwrap_or_default();
        host.is_empty() || host == own || host == "localhost"
    };
    let probes = [
        ("startupProbe", &container.startup_probe),
        ("readinessProbe", &container.readiness_probe),
        ("livenessProbe", &container.liveness_probe),
    ];
    for (field, probe) in probes {
        let asks = probe.as_ref().is_some_and(|probe| match &probe.check {
            Check::Exec(_) => false,
            Check::HttpGet(get) => is_own(&get.host),
            Check::TcpSocket(socket) => is_own(&socket.host),
            Check::Grpc(_) => true,
        });
        if asks {
            cook.note_own::<()>(field, Err(Problem::OutOfReach { field }));
        }
    }
    let lifecycle = &container.lifecycle;
    let hooks = [
        ("lifecycle.postStart", &lifecycle.post_start),
        ("lifecycle.preStop", &lifecycle.pre_stop),
        ("lifecycle.podStopping", &lifecycle.pod_stopping),
    ];
    for (field, hook) in hooks {
        if let Some(Hook::HttpGet(get)) = hook
            && is_own(&get.host)
        {
            cook.note_own::<()>(field, Err(Problem::OutOfReach { field }));
        }
    }
}

/// The hooks of a container. Commands are taken as they are written, as the kubelet takes them.
pub(super) fn hooks(cook: &Cook<'_>) -> BTreeMap<HookKind, HookAction> {
    let lifecycle = &cook.container.lifecycle;
    let hooks = [
        (HookKind::PostStart, &lifecycle.post_start),
        (HookKind::PreStop, &lifecycle.pre_stop),
        (HookKind::PodStopping, &lifecycle.pod_stopping),
    ];
    let given = hooks
        .into_iter()
        .filter_map(|(kind, hook)| Some((kind, hook.as_ref()?)));
    given
        .map(|(kind, given)| (kind, hook(cook, given)))
        .collect()
}

fn hook(cook: &Cook<'_>, hook: &Hook) -> HookAction {
    match hook {
        Hook::Exec(exec) => HookAction::Exec {
            command: exec.command.clone(),
        },
        Hook::HttpGet(get) => match request(cook, get) {
            Ok(request) => HookAction::Ask(request),
            Err(why) => HookAction::Fail { why },
        },
        Hook::TcpSocket(_) => HookAction::Fail {
            why: "Kubernetes accepts `tcpSocket` in a hook and never carries it out".into(),
        },
        Hook::Sleep { seconds } => HookAction::Sleep(Duration::from_secs(*seconds)),
    }
}

/// The probes of a container.
pub(super) fn probes(cook: &Cook<'_>) -> BTreeMap<ProbeKind, ProbeAction> {
    let container = cook.container;
    let probes = [
        (ProbeKind::Startup, &container.startup_probe),
        (ProbeKind::Readiness, &container.readiness_probe),
        (ProbeKind::Liveness, &container.liveness_probe),
    ];
    let given = probes
        .into_iter()
        .filter_map(|(kind, probe)| Some((kind, probe.as_ref()?)));
    given
        .map(|(kind, given)| (kind, probe(cook, &given.check)))
        .collect()
}

fn probe(cook: &Cook<'_>, check: &Check) -> ProbeAction {
    match check {
        Check::Exec(exec) => ProbeAction::Exec {
            command: static_command(cook.container, &exec.command),
        },
        Check::HttpGet(get) => match request(cook, get) {
            Ok(request) => ProbeAction::Ask(request),
            Err(why) => ProbeAction::Fail { why },
        },
        Check::TcpSocket(TcpSocket { host, port }) => match number(cook.container, port) {
            Ok(port) => ProbeAction::Ask(Target::Tcp {
                host: host_or_own(cook, host.as_deref()),
                port,
            }),
            Err(why) => ProbeAction::Fail { why },
        },
        Check::Grpc(grpc) => ProbeAction::Ask(Target::Grpc {
            host: host_or_own(cook, None),
            port: grpc.port,
            service: grpc.service.clone(),
        }),
    }
}

/// A probe's command knows only what `env` itself spells out: the texts as they are written, and nothing for
/// values that come from elsewhere. The kubelet does not keep more.
fn static_command(container: &Container, command: &[String]) -> Vec<String> {
    let value_of = |name: &str| {
        let mut known = container.env.iter().rev();
        let variable = known.find(|variable| variable.name == name)?;
        Some(match &variable.value {
            EnvValue::Text(text) => text.as_str(),
            EnvValue::ConfigMapKey(_)
            | EnvValue::SecretKey(_)
            | EnvValue::Field { .. }
            | EnvValue::Resource(_)
            | EnvValue::FileKey { .. } => "",
        })
    };
    command.iter().map(|word| expand(word, value_of)).collect()
}

fn request(cook: &Cook<'_>, get: &HttpGet) -> Result<Target, String> {
    Ok(Target::Http {
        secure: match get.scheme {
            Scheme::Http => false,
            Scheme::Https => true,
        },
        host: host_or_own(cook, get.host.as_deref()),
        port: number(cook.container, &get.port)?,
        path: get.path.clone(),
        headers: get.headers.clone(),
    })
}

fn host_or_own(cook: &Cook<'_>, host: Option<&str>) -> String {
    let own = || cook.kitchen.run.address();
    host.filter(|host| !host.is_empty())
        .unwrap_or_else(own)
        .to_owned()
}

fn number(container: &Container, port: &PortRef) -> Result<u16, String> {
    let name = match port {
        PortRef::Number(number) => return Ok(*number),
        PortRef::Name(name) => name,
    };
    let mut ports = container.ports.iter();
    let found = ports.find(|port| port.name.as_ref() == Some(name));
    // The kubelet tries this last: a number that was written as a text.
    let number = found
        .map(|port| port.container_port)
        .or_else(|| name.parse().ok());
    let number = number.filter(|number| *number != 0);
    number.ok_or_else(|| format!("no port of the container is named `{name}`"))
}
