//! Which hooks and probes of a pod go over the network, and which container serves them.
//!
//! ```text
//! pod ─▶ Network ─┬─▶ requests that say what they stand for ─▶ the driver
//!                 └─▶ services, by container ────────────────▶ its actor
//! ```
//!
//! A port is served by the first container, in the pod's order, that names it. So a sidecar that is up serves the
//! postStart hook of a main, which could not do so itself yet. What a request stands for is told by a header, or by the
//! service that a gRPC probe asks about; a connection says nothing, so a port that is only connected to stands for one
//! part. Nobody serves what always fails: there nothing listens.

use super::plan::HOOKS;
use pillion_engine::pod::ProbeKind;
use pillion_simulator::Scenario;
use pillion_simulator::act::Deed;
use pillion_simulator::actor::Answers;
use pillion_simulator::line::{Part, Who};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::str::FromStr;

/// What goes over the network in one pod.
#[derive(Clone, Debug, Default)]
pub(crate) struct Network {
    /// As a pod writes them, such as `{"httpGet": {…}}`.
    requests: BTreeMap<Who, Value>,
    services: BTreeMap<Box<str>, Vec<Service>>,
}

/// A port that an actor serves.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Service {
    pub(super) address: SocketAddr,
    pub(super) protocol: Protocol,
}

/// What is spoken there.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum Protocol {
    Grpc,
    Http,
    Https,
    /// Nothing: the port is open as long as this probe is to pass.
    Tcp(Who),
}

/// How a hook or probe can go over the network.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Kind {
    Grpc,
    HttpGet,
    TcpSocket,
}

/// The header that says what a request stands for.
pub(super) const PART: &str = "Pillion-Part";

/// The lists of containers that a pod has from its beginning.
pub(crate) const LISTS: [&str; 2] = ["initContainers", "containers"];

// === impl Network ===

impl Network {
    /// What a pod says, with each of its ports at the place that it is given.
    pub(crate) fn of(
        pod: &Value,
        scenario: &Scenario,
        mut place: impl FnMut(u16) -> io::Result<SocketAddr>,
    ) -> io::Result<Self> {
        let mut network = Self::default();
        let containers = LISTS
            .iter()
            .filter_map(|list| pod["spec"][*list].as_array());
        for container in containers.flatten() {
            let name = container["name"].as_str().unwrap_or_default();
            for (part, kind, fields) in asked(container) {
                let who = Who::part(name, part);
                network.add(who, kind, fields, scenario, &mut place)?;
            }
        }
        Ok(network)
    }

    fn add(
        &mut self,
        who: Who,
        kind: Kind,
        fields: &Map<String, Value>,
        scenario: &Scenario,
        place: &mut impl FnMut(u16) -> io::Result<SocketAddr>,
    ) -> io::Result<()> {
        let port = fields.get("port").and_then(Value::as_u64);
        let port = port.and_then(|port| u16::try_from(port).ok());
        let port = port.ok_or_else(|| wrong(&who, "the actor serves ports by their numbers"))?;
        let address = place(port)?;
        if !always_fails(&who, scenario) {
            let protocol = kind.protocol(&who, fields);
            self.serve(&who, Service { address, protocol })?;
        }
        let fields = kind.request(&who, fields, address.port());
        self.requests.insert(who, json!({kind.key(): fields}));
        Ok(())
    }

    /// Whoever comes first serves a port for all.
    fn serve(&mut self, who: &Who, service: Service) -> io::Result<()> {
        let mut all = self.services.values().flatten();
        let there = all.find(|one| one.address == service.address);
        match there.map(|there| &there.protocol) {
            None => {
                let services = self.services.entry(who.container.clone());
                services.or_default().push(service);
                Ok(())
            }
            Some(Protocol::Grpc | Protocol::Http | Protocol::Https) if there == Some(&service) => {
                Ok(())
            }
            Some(Protocol::Grpc | Protocol::Http | Protocol::Https | Protocol::Tcp(_)) => {
                Err(wrong(who, "the actor serves a port in one way only"))
            }
        }
    }

    /// How a hook or probe is made, if over the network.
    pub(crate) fn request(&self, who: &Who) -> Option<&Value> {
        self.requests.get(who)
    }

    /// What a container serves.
    pub(crate) fn services(&self, container: &str) -> &[Service] {
        self.services.get(container).map_or(&[], Vec::as_slice)
    }
}

/// What of a container goes over the network. A hook that is to open a connection is never carried out.
fn asked(container: &Value) -> impl Iterator<Item = (Part, Kind, &Map<String, Value>)> {
    let hooks = HOOKS.into_iter().filter_map(|hook| {
        let part = Part::from(hook);
        let hook = &container["lifecycle"][part.as_str()];
        Some((part, Kind::HttpGet, hook["httpGet"].as_object()?))
    });
    let probes = ProbeKind::ALL.into_iter().flat_map(|probe| {
        let part = Part::from(probe);
        let probe = &container[format!("{}Probe", part.as_str())];
        let fields = move |kind: Kind| Some((part, kind, probe[kind.key()].as_object()?));
        Kind::ALL.into_iter().filter_map(fields)
    });
    hooks.chain(probes)
}

/// Whether a probe fails in every run, and nobody changes that.
fn always_fails(who: &Who, scenario: &Scenario) -> bool {
    let is_of = |probe: &ProbeKind| Part::from(*probe) == who.part;
    let Some(probe) = ProbeKind::ALL.into_iter().find(is_of) else {
        return false;
    };
    let changes = |deed: &Deed| {
        matches!(deed, Deed::SetProbe { container, probe: of, .. }
            if *container == who.container && *of == probe)
    };
    let acts = scenario.acts.iter().chain(&scenario.timed_acts);
    let is_changed = acts.filter_map(|act| act.deed.as_ref()).any(changes);
    let script = scenario.scripts.get(&who.container);
    let fails = script.is_some_and(|script| {
        let answers = script.probe(probe);
        answers.values().all(|answers| *answers == Answers::Fail)
    });
    fails && !is_changed
}

fn wrong(who: &Who, why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, format!("{who}: {why}"))
}

// === impl Service ===

impl fmt::Display for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let address = self.address;
        match &self.protocol {
            Protocol::Grpc => write!(f, "{address} grpc"),
            Protocol::Http => write!(f, "{address} http"),
            Protocol::Https => write!(f, "{address} https"),
            Protocol::Tcp(who) => write!(f, "{address} tcp {who}"),
        }
    }
}

impl FromStr for Service {
    type Err = io::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let invalid = || io::Error::from(io::ErrorKind::InvalidData);
        let words: Vec<_> = text.split(' ').collect();
        let (address, protocol) = match words.as_slice() {
            [address, "grpc"] => (address, Protocol::Grpc),
            [address, "http"] => (address, Protocol::Http),
            [address, "https"] => (address, Protocol::Https),
            [address, "tcp", who] => {
                let who = who.parse().map_err(|_| invalid())?;
                (address, Protocol::Tcp(who))
            }
            _ => return Err(invalid()),
        };
        Ok(Self {
            address: address.parse().map_err(|_| invalid())?,
            protocol,
        })
    }
}

// === impl Kind ===

impl Kind {
    const ALL: [Self; 3] = [Self::Grpc, Self::HttpGet, Self::TcpSocket];

    /// As a pod calls it.
    fn key(self) -> &'static str {
        match self {
            Self::Grpc => "grpc",
            Self::HttpGet => "httpGet",
            Self::TcpSocket => "tcpSocket",
        }
    }

    fn protocol(self, who: &Who, fields: &Map<String, Value>) -> Protocol {
        match self {
            Self::Grpc => Protocol::Grpc,
            Self::HttpGet if fields.get("scheme") == Some(&json!("HTTPS")) => Protocol::Https,
            Self::HttpGet => Protocol::Http,
            Self::TcpSocket => Protocol::Tcp(who.clone()),
        }
    }

    /// The same fields, with another port and with what the request stands for.
    fn request(self, who: &Who, fields: &Map<String, Value>, port: u16) -> Value {
        let mut fields = fields.clone();
        fields.insert("port".into(), port.into());
        match self {
            Self::Grpc => {
                fields.insert("service".into(), who.to_string().into());
            }
            Self::HttpGet => {
                let headers = fields.entry("httpHeaders").or_insert(json!([]));
                if let Some(headers) = headers.as_array_mut() {
                    headers.push(json!({"name": PART, "value": who.to_string()}));
                }
            }
            Self::TcpSocket => {}
        }
        fields.into()
    }
}

#[cfg(test)]
mod tests;
