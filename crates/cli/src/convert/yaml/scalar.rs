//! Text as a scalar that every reader of YAML takes for the same text.

use pillion_spec::tree::plain_value;
use std::fmt::Write as _;

/// The text in one line: as it is where nobody could misread it, in quotes otherwise.
pub(super) fn scalar(text: &str) -> String {
    if is_plain(text) {
        text.to_owned()
    } else if text.chars().all(is_printable) {
        format!("'{}'", text.replace('\'', "''"))
    } else {
        double_quoted(text)
    }
}

/// The header and the lines of a literal block, if the text can be one.
pub(super) fn literal(text: &str) -> Option<(&'static str, Vec<&str>)> {
    let body = text.trim_end_matches('\n');
    let header = match text.len() - body.len() {
        0 => "|-",
        1 => "|",
        _ => "|+",
    };
    let readable = |c: char| c == '\n' || is_printable(c);
    // A block takes its indentation from its first line; one that begins with space needs a number.
    let indented = body.starts_with([' ', '\n']) || body.is_empty();
    let fits = body.contains('\n') && !indented && body.chars().all(readable);
    fits.then(|| {
        (
            header,
            text.strip_suffix('\n')
                .unwrap_or(text)
                .split('\n')
                .collect(),
        )
    })
}

/// Whether the text needs no quotes, in brackets neither, whichever version of YAML is read.
fn is_plain(text: &str) -> bool {
    let first = match text.as_bytes() {
        [b'.', b'/', ..] | [b'.', b'.', b'/', ..] => true,
        [b'-', second, ..] => second.is_ascii_alphabetic() || *second == b'-',
        [first, ..] => first.is_ascii_alphabetic() || matches!(first, b'/' | b'_' | b'$'),
        [] => false,
    };
    let allowed = |c: char| c.is_ascii_alphanumeric() || "_-./:@%+=$() ".contains(c);
    // A dash after a space is text to the standard, but not to every reader.
    let ends = text.ends_with([':', ' ']) || text.contains(": ") || text.contains(" -");
    first && !ends && !text.starts_with("---") && text.chars().all(allowed) && !is_word(text)
}

/// Whether it would be read as something else than text.
fn is_word(text: &str) -> bool {
    plain_value(text).is_some()
}

/// What can stand in a file as it is. Line breaks of all kinds cannot.
pub(super) fn is_printable(c: char) -> bool {
    !c.is_control()
        && !matches!(
            c,
            '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'
        )
}

fn double_quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            c if is_printable(c) => quoted.push(c),
            c => push_escape(&mut quoted, u32::from(c)),
        }
    }
    quoted.push('"');
    quoted
}

fn push_escape(quoted: &mut String, code: u32) {
    let written = match code {
        0..=0xff => write!(quoted, "\\x{code:02x}"),
        0x100..=0xffff => write!(quoted, "\\u{code:04x}"),
        _ => write!(quoted, "\\U{code:08x}"),
    };
    written.expect("writing to a string does not fail");
}
