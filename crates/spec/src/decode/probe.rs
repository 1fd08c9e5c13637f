//! Probes, with Kubernetes' defaults.

use super::hook::{exec, http_get, tcp_socket};
use super::{count, long_count, only_one, port, text};
use crate::findings::Findings;
use crate::probe::{Check, Grpc, Probe};
use crate::tree::Node;

/// The probe in a field of a container.
pub(super) fn probe(container: Node<'_>, key: &str, findings: &mut Findings) -> Option<Probe> {
    let node = container.get(key).filter(|node| node.is_mapping())?;
    // As in Kubernetes, 0 counts as not given.
    let mut given = |key: &str, default: u32| {
        count(node, key, 0, findings)
            .filter(|count| *count != 0)
            .unwrap_or(default)
    };
    let initial_delay_seconds = given("initialDelaySeconds", 0);
    let period_seconds = given("periodSeconds", 10);
    let timeout_seconds = given("timeoutSeconds", 1);
    let success_threshold = given("successThreshold", 1);
    let failure_threshold = given("failureThreshold", 3);
    Some(Probe {
        check: check(node, &format!("`{key}`"), findings)?,
        initial_delay_seconds,
        period_seconds,
        timeout_seconds,
        success_threshold,
        failure_threshold,
        termination_grace_period_seconds: long_count(
            node,
            "terminationGracePeriodSeconds",
            1,
            findings,
        ),
    })
}

fn check(node: Node<'_>, what: &str, findings: &mut Findings) -> Option<Check> {
    let ways = ["exec", "grpc", "httpGet", "tcpSocket"];
    let (way, node) = only_one(node, &ways, what, findings)?;
    match way {
        "exec" => Some(Check::Exec(exec(node, findings))),
        "httpGet" => http_get(node, findings).map(Check::HttpGet),
        "tcpSocket" => tcp_socket(node, findings).map(Check::TcpSocket),
        _ => grpc(node, findings).map(Check::Grpc),
    }
}

fn grpc(node: Node<'_>, findings: &mut Findings) -> Option<Grpc> {
    let port = port(node, "port", findings)?;
    Some(Grpc {
        port,
        service: text(node, "service").unwrap_or_default(),
    })
}
