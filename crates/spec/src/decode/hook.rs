//! Hooks, and the ways of acting that they share with probes.

use super::{
    bad_format, items, long_count, needs, only_one, out_of_range, port, some_text, text, texts,
    word,
};
use crate::findings::Findings;
use crate::hook::{Exec, Hook, HttpGet, Lifecycle, PortRef, Scheme, TcpSocket};
use crate::name;
use crate::tree::Node;

pub(super) fn lifecycle(node: Node<'_>, findings: &mut Findings) -> Lifecycle {
    Lifecycle {
        post_start: node
            .get("postStart")
            .and_then(|node| hook(node, "`postStart`", findings)),
        pre_stop: node
            .get("preStop")
            .and_then(|node| hook(node, "`preStop`", findings)),
        stop_signal: some_text(node, "stopSignal"),
        pod_stopping: node
            .get("podStopping")
            .and_then(|node| hook(node, "`podStopping`", findings)),
        kind: word(node, "type"),
        on_completion: word(node, "onCompletion"),
    }
}

fn hook(node: Node<'_>, what: &str, findings: &mut Findings) -> Option<Hook> {
    let ways = ["exec", "httpGet", "sleep", "tcpSocket"];
    let (way, node) = only_one(node, &ways, what, findings)?;
    match way {
        "exec" => Some(Hook::Exec(exec(node, findings))),
        "httpGet" => http_get(node, findings).map(Hook::HttpGet),
        "tcpSocket" => tcp_socket(node, findings).map(Hook::TcpSocket),
        _ => long_count(node, "seconds", 0, findings).map(|seconds| Hook::Sleep { seconds }),
    }
}

pub(super) fn exec(node: Node<'_>, findings: &mut Findings) -> Exec {
    let command = texts(node, "command");
    if command.is_empty()
        && node
            .get("command")
            .is_none_or(|list| list.items().len() == 0)
    {
        needs_command(node, findings);
    }
    Exec { command }
}

fn needs_command(node: Node<'_>, findings: &mut Findings) {
    let message = "`exec` needs a `command` with at least one word".to_owned();
    let diagnostic = crate::diagnostic::Diagnostic::new(crate::code::Code::MissingField, message);
    findings.push(diagnostic.primary(node.span(), "nothing to run"));
}

pub(super) fn http_get(node: Node<'_>, findings: &mut Findings) -> Option<HttpGet> {
    for header in items(node, "httpHeaders") {
        check_header(header, findings);
    }
    let header = |node| Some((text(node, "name")?, text(node, "value").unwrap_or_default()));
    Some(HttpGet {
        host: some_text(node, "host"),
        port: port_ref(node, findings)?,
        path: some_text(node, "path").unwrap_or_else(|| "/".to_owned()),
        scheme: word(node, "scheme").unwrap_or(Scheme::Http),
        headers: items(node, "httpHeaders").filter_map(header).collect(),
    })
}

pub(super) fn tcp_socket(node: Node<'_>, findings: &mut Findings) -> Option<TcpSocket> {
    Some(TcpSocket {
        host: some_text(node, "host"),
        port: port_ref(node, findings)?,
    })
}

/// A port by number or by name.
fn port_ref(node: Node<'_>, findings: &mut Findings) -> Option<PortRef> {
    let value = node.get("port")?;
    let Some(text) = value.as_str() else {
        // Text may stand here too, so that nothing has looked yet whether the number fits at all.
        if value
            .as_int()
            .is_some_and(|port| i64::try_from(port).is_err())
        {
            findings.push(out_of_range("`port`", value.span(), &(1..=65535)));
        }
        return port(node, "port", findings).map(PortRef::Number);
    };
    if name::is_port_name(text) {
        return Some(PortRef::Name(text.to_owned()));
    }
    let message = format!("`port` is `{text}`, which is no name of a port");
    let diagnostic = bad_format(value.span(), message, "not a port name");
    findings.push(if text.parse::<u16>().is_ok() {
        diagnostic.help(format!("remove the quotes: `{text}`"))
    } else {
        diagnostic.help("port names are at most 15 of a-z, 0-9 and `-`, with a letter")
    });
    None
}

fn check_header(header: Node<'_>, findings: &mut Findings) {
    needs(header, "name", "a header", findings);
    let Some(value) = header.get("name") else {
        return;
    };
    let Some(text) = value.as_str().filter(|text| !text.is_empty()) else {
        return;
    };
    if !text
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
    {
        let message = format!("`{text}` is no name of an HTTP header");
        findings.push(bad_format(
            value.span(),
            message,
            "letters, digits, `-` and `_` only",
        ));
    }
}
