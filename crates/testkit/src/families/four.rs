//! Four containers, as people really put them together.

use super::{Specimen, hasty};
use crate::draft::{edge, oneshot, pod, requires, restarts_with, service, sidecar, sidecars_last};
use pillion_engine::pod::{
    Barrier, Container, Hooks, Keystone, List, Need, Requirement, RestartPolicy, Scope, Target,
    Until,
};
use pillion_engine::{BarrierId, ContainerId, Pod};

/// All of them.
pub fn pods() -> Vec<Specimen> {
    let named = [
        ("mesh", mesh()),
        ("job", job()),
        ("vault", vault()),
        ("chain", chain()),
        ("phases", phases()),
        ("plain", plain()),
    ];
    let named = named.into_iter();
    named
        .map(|(name, pod)| Specimen {
            name: name.into(),
            pod: hasty(pod),
        })
        .collect()
}

/// A proxy for all, a migration, an app that ends the pod, and a cache that may fail.
fn mesh() -> Pod {
    let app = requires(service("app"), 1, Until::Succeeded);
    let app = requires(app, 0, Until::Ready);
    let cache = Requirement {
        need: Need::Soft,
        ..Requirement::hard(Target::Container(ContainerId(3)), Until::Started)
    };
    pod([
        sidecar("proxy"),
        requires(oneshot("migrate"), 0, Until::Ready),
        Container {
            keystone: Some(Keystone::Any),
            ..edge(app, cache)
        },
        requires(sidecar("cache"), 0, Until::Ready),
    ])
}

/// Two workers that must end, with two helpers that must not keep them.
fn job() -> Pod {
    pod([
        sidecar("proxy"),
        requires(sidecar("logs"), 0, Until::Started),
        requires(oneshot("first"), 0, Until::Ready),
        requires(oneshot("second"), 2, Until::Succeeded),
    ])
}

/// Secrets before the mesh before the app, and a helper that restarts with the secrets.
fn vault() -> Pod {
    pod([
        sidecar("vault"),
        restarts_with(sidecar("proxy"), 0, Until::Ready),
        restarts_with(service("app"), 1, Until::Ready),
        restarts_with(service("helper"), 0, Until::Started),
    ])
}

/// Four in a row, by need of every kind.
fn chain() -> Pod {
    let by = |container: Container, target: u32, need: Need| {
        let target = Target::Container(ContainerId(target));
        let requirement = Requirement {
            need,
            ..Requirement::hard(target, Until::Ready)
        };
        edge(container, requirement)
    };
    pod([
        service("a"),
        by(service("b"), 0, Need::Hard),
        by(service("c"), 1, Need::Soft),
        by(service("d"), 2, Need::Order),
    ])
}

/// Two phases of two.
fn phases() -> Pod {
    let members = [(0, Until::Ready), (1, Until::Succeeded)];
    let barrier = Barrier {
        name: "phase 10".into(),
        requires: members
            .map(|(id, until)| Requirement::hard(Target::Container(ContainerId(id)), until))
            .into(),
    };
    let after = Requirement::hard(Target::Barrier(BarrierId(0)), Until::Settled);
    let mut pod = Pod {
        barriers: vec![barrier],
        ..pod([])
    };
    pod.containers = vec![
        sidecar("network"),
        oneshot("setup"),
        edge(service("app"), after.clone()),
        edge(service("other"), after),
    ];
    sidecars_last(pod)
}

/// As under a kubelet: an init container, a native sidecar, two mains in a row.
fn plain() -> Pod {
    let listed = |mut container: Container, list: List| {
        container.plain = true;
        container.list = list;
        container
    };
    let order = |target: u32, until: Until, need: Need, scope: Scope| Requirement {
        need,
        scope,
        ..Requirement::hard(Target::Container(ContainerId(target)), until)
    };
    let proxy = order(0, Until::Started, Need::Order, Scope::Both);
    let init = order(1, Until::Succeeded, Need::Hard, Scope::Both);
    let main = |name: &str| {
        let main = Container {
            hooks: Hooks {
                pre_stop: true,
                ..Hooks::default()
            },
            ..Container::new(name, RestartPolicy::Never)
        };
        edge(edge(main, proxy.clone()), init.clone())
    };
    let first = order(2, Until::Attempted, Need::Hard, Scope::StartOnly);
    let setup = Container {
        restart: Container::new("", RestartPolicy::Never).restart,
        ..oneshot("setup")
    };
    let mut pod = pod([
        listed(sidecar("proxy"), List::Init),
        listed(edge(setup, proxy.clone()), List::Init),
        listed(main("app"), List::Regular),
        listed(edge(main("web"), first), List::Regular),
    ]);
    pod.restart_policy = RestartPolicy::Never;
    pod
}
