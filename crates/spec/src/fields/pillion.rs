//! The fields that Pillion adds, and those of Kubernetes that take more words here.

use super::Kind::{Bool, Int32, List, Map, Number, Object, OneOf, Text, Words};
use super::{Field, Kind, Type, optional, required};
use crate::hook::{LifecycleType, OnCompletion};
use crate::pillion::{Keystone, Need, Network, OnRestart, PhaseName, ReadyWord, Rerun, Until};
use crate::restart::{OnGiveUp, Operator, Reaction, RestartPolicy};
use crate::word::Word;

/// The types that [`extension`] knows.
#[cfg(test)]
pub(super) const EXTENDED: &[&str] = &[
    "Container",
    "ContainerRestartRule",
    "ContainerRestartRuleOnExitCodes",
    "Lifecycle",
];

/// What is added to a type of Kubernetes.
pub(super) fn extension(name: &str) -> &'static [Field] {
    match name {
        "Container" => CONTAINER,
        "ContainerRestartRule" => RULE,
        "ContainerRestartRuleOnExitCodes" => EXIT_CODES,
        "Lifecycle" => LIFECYCLE,
        _ => &[],
    }
}

/// The content of the annotation `pillion.dev/lifecycle`.
pub(crate) static ANNOTATION: Type = Type {
    name: "the annotation",
    fields: &[required("containers", Map(&Object(&ANNOTATED_CONTAINER)))],
};

/// A container in the annotation: the same fields, and those hooks that Kubernetes does not know.
static ANNOTATED_CONTAINER: Type = Type {
    name: "a container of the annotation",
    fields: &[
        BACKOFF,
        KEYSTONE,
        optional("lifecycle", Object(&ANNOTATED_LIFECYCLE)),
        LISTEN,
        NETWORK,
        ON_GIVE_UP,
        ONESHOT,
        PHASE,
        PROVIDES,
        READY_ON,
        REQUIRES,
        RERUN,
        RESTART_POLICY,
        optional("restartPolicyRules", List(&Object(&ANNOTATED_RULE))),
        SIDECAR,
        START_TIMEOUT,
        STOP_TIMEOUT,
        UNDO,
        USES,
    ],
};

static ANNOTATED_LIFECYCLE: Type = Type {
    name: "`lifecycle`",
    fields: LIFECYCLE,
};

static ANNOTATED_RULE: Type = Type {
    name: "a restart rule",
    fields: &[
        required("action", Words(Reaction::WORDS)),
        optional("exitCodes", Object(&ANNOTATED_EXIT_CODES)),
        OOM_KILLED,
        SIGNALS,
    ],
};

static ANNOTATED_EXIT_CODES: Type = Type {
    name: "`exitCodes`",
    fields: &[
        required("operator", Words(Operator::WORDS)),
        optional("values", List(&Int32)),
    ],
};

const CONTAINER: &[Field] = &[
    BACKOFF,
    KEYSTONE,
    LISTEN,
    NETWORK,
    ON_GIVE_UP,
    ONESHOT,
    PHASE,
    PROVIDES,
    READY_ON,
    REQUIRES,
    RERUN,
    RESTART_POLICY,
    SIDECAR,
    START_TIMEOUT,
    STOP_TIMEOUT,
    UNDO,
    USES,
];

const RULE: &[Field] = &[
    required("action", Words(Reaction::WORDS)),
    OOM_KILLED,
    SIGNALS,
];

const EXIT_CODES: &[Field] = &[required("operator", Words(Operator::WORDS))];

const LIFECYCLE: &[Field] = &[
    optional("onCompletion", Words(OnCompletion::WORDS)),
    optional("podStopping", Object(&HOOK)),
    optional("type", Words(LifecycleType::WORDS)),
];

const BACKOFF: Field = optional("backoff", Object(&BACKOFF_TYPE));
const KEYSTONE: Field = optional("keystone", OneOf(&[Bool, Words(Keystone::WORDS)]));
const LISTEN: Field = optional("listen", List(&LISTEN_ENTRY));
const NETWORK: Field = optional("network", Words(Network::WORDS));
const ON_GIVE_UP: Field = optional("onGiveUp", Words(OnGiveUp::WORDS));
const ONESHOT: Field = optional("oneshot", Bool);
const OOM_KILLED: Field = optional("oomKilled", Bool);
const PHASE: Field = optional("phase", OneOf(&[Int32, Words(PhaseName::WORDS)]));
const PROVIDES: Field = optional("provides", List(&Text));
const READY_ON: Field = optional("readyOn", OneOf(READY_ON_FORMS));
const REQUIRES: Field = optional("requires", List(&REQUIRES_ENTRY));
const RERUN: Field = optional("rerun", Words(Rerun::WORDS));
const RESTART_POLICY: Field = optional("restartPolicy", Words(RestartPolicy::WORDS));
const SIDECAR: Field = optional("sidecar", Bool);
const SIGNALS: Field = optional("signals", List(&OneOf(&[Text, Int32])));
const START_TIMEOUT: Field = optional("startTimeoutSeconds", Int32);
const STOP_TIMEOUT: Field = optional("stopTimeoutSeconds", Int32);
const UNDO: Field = optional("undo", OneOf(UNDO_FORMS));
const USES: Field = optional("uses", List(&USES_ENTRY));

static LISTEN_ENTRY: Kind = OneOf(&[Text, Int32, Object(&LISTEN_TYPE)]);
static REQUIRES_ENTRY: Kind = OneOf(&[Text, Object(&REQUIREMENT)]);
static USES_ENTRY: Kind = OneOf(&[Text, Object(&USE)]);
const READY_ON_FORMS: &[Kind] = &[Words(ReadyWord::WORDS), Object(&READY_ON_TYPE)];
const UNDO_FORMS: &[Kind] = &[List(&Text), Object(&UNDO_TYPE)];

const NEED: Field = optional("need", Words(Need::WORDS));
const ON_RESTART: Field = optional("onRestart", Words(OnRestart::WORDS));
const TIMEOUT: Field = optional("timeoutSeconds", Int32);

static REQUIREMENT: Type = Type {
    name: "a requirement",
    fields: &[
        required("container", Text),
        NEED,
        ON_RESTART,
        TIMEOUT,
        optional("until", Words(Until::WORDS)),
    ],
};

static USE: Type = Type {
    name: "an entry of `uses`",
    fields: &[required("name", Text), NEED, ON_RESTART, TIMEOUT],
};

static BACKOFF_TYPE: Type = Type {
    name: "`backoff`",
    fields: &[
        optional("factor", Number),
        optional("initialSeconds", Int32),
        optional("maxRestarts", Int32),
        optional("maxSeconds", Int32),
        optional("resetSeconds", Int32),
        optional("windowSeconds", Int32),
    ],
};

static READY_ON_TYPE: Type = Type {
    name: "`readyOn`",
    fields: &[optional("file", Text), optional("logLine", Text)],
};

static LISTEN_TYPE: Type = Type {
    name: "an entry of `listen`",
    fields: &[
        required("address", OneOf(&[Text, Int32])),
        optional("name", Text),
    ],
};

static UNDO_TYPE: Type = Type {
    name: "`undo`",
    fields: &[required("command", List(&Text))],
};

/// A hook, as Kubernetes writes one.
static HOOK: Type = Type {
    name: "a hook",
    fields: &[
        optional("exec", Object(&EXEC)),
        optional("httpGet", Object(&HTTP_GET)),
        optional("sleep", Object(&SLEEP)),
        optional("tcpSocket", Object(&TCP_SOCKET)),
    ],
};

static EXEC: Type = Type {
    name: "`exec`",
    fields: &[optional("command", List(&Text))],
};

static HTTP_GET: Type = Type {
    name: "`httpGet`",
    fields: &[
        optional("host", Text),
        optional("httpHeaders", List(&Object(&HTTP_HEADER))),
        optional("path", Text),
        required("port", Kind::IntOrText),
        optional("scheme", Words(crate::hook::Scheme::WORDS)),
    ],
};

static HTTP_HEADER: Type = Type {
    name: "a header",
    fields: &[required("name", Text), required("value", Text)],
};

static SLEEP: Type = Type {
    name: "`sleep`",
    fields: &[required("seconds", Kind::Int64)],
};

static TCP_SOCKET: Type = Type {
    name: "`tcpSocket`",
    fields: &[optional("host", Text), required("port", Kind::IntOrText)],
};
