//! The forms that Kubernetes gives to names.

/// At most 63 of a-z, 0-9 and `-`, not at the ends.
pub(crate) fn is_dns_label(name: &str) -> bool {
    name.len() <= 63 && is_label_form(name)
}

/// Labels of any length with dots between them, at most 253 characters.
pub(crate) fn is_dns_subdomain(name: &str) -> bool {
    name.len() <= 253 && name.split('.').all(is_label_form)
}

/// What a subdomain can begin with: it may end with a `-`, to which something is added.
pub(crate) fn is_dns_subdomain_prefix(name: &str) -> bool {
    is_dns_subdomain(name.strip_suffix('-').unwrap_or(name))
}

fn is_label_form(name: &str) -> bool {
    let inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    name.bytes().all(inner) && ends(name, |byte| byte != b'-')
}

/// The key of a label or an annotation: an optional subdomain and a slash, then a short name.
pub(crate) fn is_qualified_name(name: &str) -> bool {
    match name.split_once('/') {
        Some((prefix, name)) => is_dns_subdomain(prefix) && is_capability(name),
        None => is_capability(name),
    }
}

/// The value of a label: a short name, or nothing.
pub(crate) fn is_label_value(value: &str) -> bool {
    value.is_empty() || is_capability(value)
}

/// At most 63 letters, digits, `-`, `_` and `.`, with a letter or digit at each end.
pub(crate) fn is_capability(name: &str) -> bool {
    let inner = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let outer = |byte: u8| byte.is_ascii_alphanumeric();
    name.len() <= 63 && name.bytes().all(inner) && ends(name, outer)
}

/// At most 15 of a-z, 0-9 and single `-` inside, with at least one letter.
pub(crate) fn is_port_name(name: &str) -> bool {
    let inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    name.len() <= 15
        && name.bytes().all(inner)
        && name.bytes().any(|byte| byte.is_ascii_lowercase())
        && !name.contains("--")
        && ends(name, |byte| byte != b'-')
}

/// Printable ASCII without `=`.
pub(crate) fn is_env_name(name: &str) -> bool {
    !name.is_empty()
        && name
            .bytes()
            .all(|byte| (b' '..=b'~').contains(&byte) && byte != b'=')
}

/// Whether the first and the last byte are as asked; an empty name has none.
fn ends(name: &str, is_end: impl Fn(u8) -> bool) -> bool {
    let bytes = name.as_bytes();
    bytes.first().is_some_and(|byte| is_end(*byte))
        && bytes.last().is_some_and(|byte| is_end(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dns_labels_are_lower_case_and_short() {
        for name in ["a", "0", "app-1", &"a".repeat(63)] {
            assert!(is_dns_label(name), "{name}");
        }
        for name in ["", "-a", "a-", "A", "a.b", "a_b", "ä", &"a".repeat(64)] {
            assert!(!is_dns_label(name), "{name}");
        }
    }

    #[test]
    fn port_names_have_a_letter_and_no_double_dash() {
        assert!(is_port_name("http") && is_port_name("a-1") && is_port_name("8080-a"));
        for name in [
            "",
            "8080",
            "a--b",
            "-a",
            "a-",
            "HTTP",
            "a_b",
            "sixteen-letters-",
        ] {
            assert!(!is_port_name(name), "{name}");
        }
    }

    #[test]
    fn qualified_names_may_have_a_domain() {
        for name in ["app", "App_1.x", "example.com/app", "a/b"] {
            assert!(is_qualified_name(name), "{name}");
        }
        for name in ["", "/a", "a/", "a/b/c", "-a", "Exa.com/a", "a b"] {
            assert!(!is_qualified_name(name), "{name}");
        }
    }
}
