//! Text that others wrote, made harmless inside XML and HTML.

/// The text as the content of an element or of a quoted attribute. What XML cannot carry at all, such
/// as control characters, is left out.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars().filter(|c| is_allowed(*c)) {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}

/// What XML allows, without the marks that turn the direction of the text around them.
fn is_allowed(c: char) -> bool {
    let control = c.is_control() && c != '\n';
    let turns = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    !control && !turns && !matches!(c, '\u{fffe}' | '\u{ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_from_outside_ends_an_element_or_an_attribute() {
        let hostile = "</title><script>alert('1')</script>\" onload=\"x&y";
        let text = escape(hostile);
        assert!(!text.contains(['<', '>', '"', '\'']), "{text}");
        assert_eq!(escape("a & b"), "a &amp; b");
    }

    #[test]
    fn what_xml_cannot_carry_is_left_out() {
        assert_eq!(escape("a\u{0}\u{1b}[31m\u{202e}b\nc\u{ffff}"), "a[31mb\nc");
    }
}
