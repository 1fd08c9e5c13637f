//! Probes: how to find out whether a container is up, ready or alive.
//!
//! The numbers carry Kubernetes' defaults already; as there, an explicit 0 counts as not given.

use crate::hook::{Exec, HttpGet, TcpSocket};

/// A probe with its thresholds.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Probe {
    /// How to probe.
    pub check: Check,
    /// How long after the start the first attempt is made.
    pub initial_delay_seconds: u32,
    /// The time between attempts; 10 by default.
    pub period_seconds: u32,
    /// After how long an attempt has failed; 1 by default.
    pub timeout_seconds: u32,
    /// How many successes in a row turn a failure into a success; 1 by default.
    pub success_threshold: u32,
    /// How many failures in a row turn a success into a failure; 3 by default.
    pub failure_threshold: u32,
    /// The grace period of a kill by this probe, in place of the pod's.
    pub termination_grace_period_seconds: Option<u64>,
}

/// One way to probe.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Check {
    /// A command that exits with 0.
    Exec(Exec),
    /// An HTTP request answered with 200 to 399.
    HttpGet(HttpGet),
    /// A TCP connection that opens.
    TcpSocket(TcpSocket),
    /// A gRPC health check.
    Grpc(Grpc),
}

/// A gRPC health check.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Grpc {
    /// The port.
    pub port: u16,
    /// The service to ask about; empty asks about the server.
    pub service: String,
}
