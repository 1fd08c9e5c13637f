//! Pillion's own fields of a container.

use super::restart::backoff;
use super::{bad_format, count, flag, items, only_one, some_text, text, texts, word};
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::findings::Findings;
use crate::name;
use crate::pillion::{
    Keystone, Listen, ListenAddress, Phase, PhaseName, PillionFields, ReadyOn, Requirement, Use,
};
use crate::source::Span;
use crate::tree::Node;
use crate::word::Word;
use std::net::{IpAddr, SocketAddr};

/// The fields as they stand in a container, or in the annotation.
pub(super) fn pillion(node: Node<'_>, findings: &mut Findings) -> PillionFields {
    PillionFields {
        requires: numbered(node, "requires", |node, entry| {
            requirement(node, entry, findings)
        }),
        oneshot: flag(node, "oneshot"),
        undo: undo(node, findings),
        rerun: word(node, "rerun"),
        sidecar: flag(node, "sidecar"),
        keystone: node.get("keystone").and_then(keystone),
        backoff: backoff(node, findings),
        on_give_up: word(node, "onGiveUp"),
        provides: list(node, "provides", |entry| capability(entry, findings)),
        uses: numbered(node, "uses", |node, entry| {
            capability_use(node, entry, findings)
        }),
        network: word(node, "network"),
        phase: node.get("phase").and_then(|node| phase(node)),
        ready_on: node
            .get("readyOn")
            .and_then(|node| ready_on(node, findings)),
        start_timeout_seconds: count(node, "startTimeoutSeconds", 1, findings),
        stop_timeout_seconds: count(node, "stopTimeoutSeconds", 0, findings),
        listen: list(node, "listen", |entry| listen(entry, findings)),
    }
}

/// The entries of a list that was given.
fn list<'t, T>(
    node: Node<'t>,
    key: &str,
    decode: impl FnMut(Node<'t>) -> Option<T>,
) -> Option<Vec<T>> {
    node.get(key).filter(|list| list.is_sequence())?;
    Some(items(node, key).filter_map(decode).collect())
}

/// The same, each told which entry it is.
fn numbered<'t, T>(
    node: Node<'t>,
    key: &str,
    mut decode: impl FnMut(Node<'t>, usize) -> Option<T>,
) -> Option<Vec<T>> {
    let list = node.get(key).filter(|list| list.is_sequence())?;
    let entries = list.items().enumerate().filter(|(_, it)| !it.is_null());
    Some(
        entries
            .filter_map(|(entry, node)| decode(node, entry))
            .collect(),
    )
}

fn requirement(node: Node<'_>, entry: usize, findings: &mut Findings) -> Option<Requirement> {
    if let Some(container) = node.as_str() {
        return Some(Requirement {
            container: container.to_owned(),
            entry,
            until: None,
            need: None,
            on_restart: None,
            timeout_seconds: None,
        });
    }
    Some(Requirement {
        container: text(node, "container")?,
        entry,
        until: word(node, "until"),
        need: word(node, "need"),
        on_restart: word(node, "onRestart"),
        timeout_seconds: count(node, "timeoutSeconds", 1, findings),
    })
}

fn undo(container: Node<'_>, findings: &mut Findings) -> Option<Vec<String>> {
    let node = container.get("undo")?;
    let (command, list) = if node.is_mapping() {
        (texts(node, "command"), node.get("command"))
    } else {
        (texts(container, "undo"), Some(node))
    };
    // What is no list, or has entries that are no text, has been reported.
    if list.is_some_and(|list| list.is_sequence() && list.items().len() == 0) {
        let diagnostic = Diagnostic::new(Code::MissingField, "`undo` needs a command");
        findings.push(diagnostic.primary(node.span(), "nothing to run"));
    }
    (!command.is_empty()).then_some(command)
}

/// `true` is any end, `false` is none.
#[expect(
    clippy::option_option,
    reason = "whether it was given, and whether it is one"
)]
fn keystone(node: Node<'_>) -> Option<Option<Keystone>> {
    match node.as_bool() {
        Some(true) => Some(Some(Keystone::Any)),
        Some(false) => Some(None),
        None => node.as_str().and_then(Keystone::from_word).map(Some),
    }
}

fn phase(node: Node<'_>) -> Option<Phase> {
    match node.as_int() {
        Some(number) => i32::try_from(number).ok().map(Phase),
        None => node
            .as_str()
            .and_then(PhaseName::from_word)
            .map(PhaseName::phase),
    }
}

fn ready_on(node: Node<'_>, findings: &mut Findings) -> Option<ReadyOn> {
    if node.as_str().is_some_and(|word| !word.is_empty()) {
        return (node.as_str() == Some("notify")).then_some(ReadyOn::Notify);
    }
    let (way, value) = only_one(node, &["file", "logLine"], "`readyOn`", findings)?;
    let text = value.as_str()?.to_owned();
    if text.is_empty() {
        findings.push(bad_format(
            value.span(),
            format!("`{way}` must not be empty"),
            "empty",
        ));
        return None;
    }
    if way == "file" {
        return Some(ReadyOn::File(text));
    }
    if let Err(error) = regex_syntax::parse(&text) {
        // The parser draws a picture of its own; its last line says what is wrong.
        let drawn = error.to_string();
        let reason = drawn.lines().last().unwrap_or_default();
        let message = "`logLine` is not a regular expression".to_owned();
        let diagnostic = bad_format(value.span(), message, "not a regular expression");
        findings.push(diagnostic.help(reason.trim_start_matches("error: ")));
        return None;
    }
    Some(ReadyOn::LogLine(text))
}

/// A capability is named like a label's key without a prefix.
fn capability(node: Node<'_>, findings: &mut Findings) -> Option<String> {
    let text = node.as_str()?;
    if name::is_capability(text) {
        return Some(text.to_owned());
    }
    findings.push(bad_capability(node.span(), text));
    None
}

fn bad_capability(span: Span, text: &str) -> Diagnostic {
    let diagnostic = Diagnostic::new(
        Code::BadName,
        format!("`{text}` is no name of a capability"),
    );
    diagnostic
        .primary(span, "not such a name")
        .help("use letters, digits, `-`, `_` and `.`, beginning and ending with a letter or digit")
}

fn capability_use(node: Node<'_>, entry: usize, findings: &mut Findings) -> Option<Use> {
    if node.as_str().is_some() {
        let name = capability(node, findings)?;
        return Some(Use {
            name,
            entry,
            need: None,
            on_restart: None,
            timeout_seconds: None,
        });
    }
    Some(Use {
        name: capability(node.get("name")?, findings)?,
        entry,
        need: word(node, "need"),
        on_restart: word(node, "onRestart"),
        timeout_seconds: count(node, "timeoutSeconds", 1, findings),
    })
}

fn listen(node: Node<'_>, findings: &mut Findings) -> Option<Listen> {
    let (name, address) = if node.is_mapping() {
        (some_text(node, "name"), node.get("address")?)
    } else {
        (None, node)
    };
    let found = match address.as_str() {
        Some(text) => listen_address(text),
        None => address
            .as_int()
            .and_then(|port| tcp(None, u16::try_from(port).ok()?)),
    };
    if found.is_none() {
        let message = "an entry of `listen` is no address".to_owned();
        let diagnostic = bad_format(address.span(), message, "not an address");
        findings.push(diagnostic.help(
            "write `8080`, `127.0.0.1:8080`, `[::1]:8080` or the absolute path of a unix socket",
        ));
    }
    found.map(|address| Listen { name, address })
}

fn listen_address(text: &str) -> Option<ListenAddress> {
    if let Some(path) = text
        .strip_prefix("unix:")
        .or(text.starts_with('/').then_some(text))
    {
        return path
            .starts_with('/')
            .then(|| ListenAddress::Unix(path.to_owned()));
    }
    let text = text.strip_prefix("tcp:").unwrap_or(text);
    if let Some(port) = text
        .strip_prefix(':')
        .or(Some(text))
        .and_then(|port| port.parse().ok())
    {
        return tcp(None, port);
    }
    let address: SocketAddr = text.parse().ok()?;
    tcp(Some(address.ip()), address.port())
}

fn tcp(host: Option<IpAddr>, port: u16) -> Option<ListenAddress> {
    (port != 0).then_some(ListenAddress::Tcp { host, port })
}
