//! `$(NAME)` in commands, arguments and values.
//!
//! As in Kubernetes: a name that is not known stays as it is written, `$$` is a dollar sign and
//! keeps what follows from being a reference, and nothing is expanded twice.

/// Replaces every reference to a name that is known.
pub fn expand<'v>(text: &str, value_of: impl Fn(&str) -> Option<&'v str>) -> String {
    let mut expanded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        expanded.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix('$') {
            expanded.push('$');
            rest = after;
        } else if let Some((name, after)) = reference(rest) {
            if let Some(value) = value_of(name) {
                expanded.push_str(value);
            } else {
                expanded.extend(["$(", name, ")"]);
            }
            rest = after;
        } else {
            expanded.push('$');
        }
    }
    expanded.push_str(rest);
    expanded
}

/// The name in `(NAME)`, and what comes after it.
fn reference(text: &str) -> Option<(&str, &str)> {
    text.strip_prefix('(')?.split_once(')')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What Kubernetes' own tests of its expansion say, as input and result.
    const KUBERNETES: [(&str, &str); 22] = [
        ("$(VAR_A)", "A"),
        ("___$(VAR_B)___", "___B___"),
        ("___$(VAR_C)", "___C"),
        ("$(VAR_A)-$(VAR_A)", "A-A"),
        ("$(VAR_A)_$(VAR_B)_$(VAR_C)", "A_B_C"),
        ("$(VAR_EMPTY)", ""),
        ("f000-$$VAR_A", "f000-$VAR_A"),
        ("$$(VAR_A)", "$(VAR_A)"),
        ("$$$(VAR_A)", "$A"),
        ("$$$$(VAR_A)", "$$(VAR_A)"),
        ("$VAR_A", "$VAR_A"),
        ("f00-$(VAR_A)-", "f00-A-"),
        ("$(VAR_DNE)", "$(VAR_DNE)"),
        ("foo\\$(VAR_C)bar", "foo\\Cbar"),
        ("$(REF)", "$(VAR_A)"),
        ("$$ $", "$ $"),
        ("$?", "$?"),
        ("$(", "$("),
        ("$(no", "$(no"),
        ("$((VAR_A)))", "$((VAR_A)))"),
        ("$()", "$()"),
        ("é$(VAR_A)é", "éAé"),
    ];

    fn value_of(name: &str) -> Option<&'static str> {
        match name {
            "VAR_A" => Some("A"),
            "VAR_B" => Some("B"),
            "VAR_C" => Some("C"),
            "VAR_EMPTY" => Some(""),
            "REF" => Some("$(VAR_A)"),
            _ => None,
        }
    }

    #[test]
    fn references_are_replaced_as_kubernetes_does() {
        for (text, result) in KUBERNETES {
            assert_eq!(expand(text, value_of), result, "{text}");
        }
    }
}
