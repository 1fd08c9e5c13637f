//! Hooks: what is done in a container at the turns of its life, and the ways to do it.

use crate::word::words;

/// The hooks and markers under a container's `lifecycle`.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Lifecycle {
    /// Run right after the container was started; it counts as started when the hook is done.
    pub post_start: Option<Hook>,
    /// Run before the container is told to stop, at its own turn.
    pub pre_stop: Option<Hook>,
    /// The signal that tells the container to stop; the runtime's default if not given.
    pub stop_signal: Option<String>,
    /// Pillion's: run in every container at once when the pod begins to stop.
    pub pod_stopping: Option<Hook>,
    /// The marker of the KEP-753 and keystone dialects.
    pub kind: Option<LifecycleType>,
    /// The marker of the other keystone draft.
    pub on_completion: Option<OnCompletion>,
}

/// One way to act.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Hook {
    /// A command in the container.
    Exec(Exec),
    /// An HTTP request to the container.
    HttpGet(HttpGet),
    /// A TCP connection. Kubernetes accepts this and always fails it.
    TcpSocket(TcpSocket),
    /// A pause.
    Sleep {
        /// Its length; 0 is allowed.
        seconds: u64,
    },
}

/// A command in the container, without a shell.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Exec {
    /// The program and its arguments.
    pub command: Vec<String>,
}

/// An HTTP request.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct HttpGet {
    /// The host; the pod's own address if not given.
    pub host: Option<String>,
    /// The port.
    pub port: PortRef,
    /// The path; `/` by default.
    pub path: String,
    /// HTTP or HTTPS.
    pub scheme: Scheme,
    /// Headers in the order given; names may repeat.
    pub headers: Vec<(String, String)>,
}

/// A TCP connection.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct TcpSocket {
    /// The host; the pod's own address if not given.
    pub host: Option<String>,
    /// The port.
    pub port: PortRef,
}

/// A port by its number or by its name among the container's ports.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum PortRef {
    /// 1 to 65535.
    Number(u16),
    /// The name of one of the container's ports.
    Name(String),
}

words! {
    /// The protocol of an HTTP request.
    pub enum Scheme {
        /// Plain HTTP, the default.
        Http = "HTTP",
        /// HTTPS; the certificate is not checked.
        Https = "HTTPS",
    }
}

words! {
    /// What `lifecycle.type` says a container is.
    pub enum LifecycleType {
        /// An ordinary container.
        Standard = "Standard",
        /// The same as `PreSidecar`.
        Sidecar = "Sidecar",
        /// Up before the ordinary containers, down after them.
        PreSidecar = "PreSidecar",
        /// Started once the ordinary containers are ready, down after them.
        PostSidecar = "PostSidecar",
        /// Its end is the end of the pod.
        Keystone = "Keystone",
    }
}

words! {
    /// What `lifecycle.onCompletion` asks for when the container has ended for good.
    pub enum OnCompletion {
        /// The pod is stopped.
        TerminatePod = "TerminatePod",
    }
}
