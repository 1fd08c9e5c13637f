//! Paragraphs in lines of a given width.

/// Breaks a paragraph between words. A word that is too long for a line stays whole.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        let needed = line.chars().count() + 1 + word.chars().count();
        if !line.is_empty() && needed > width {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::wrap;

    #[test]
    fn lines_are_as_long_as_they_may_be() {
        assert_eq!(
            wrap("one two  three\nfour", 9),
            ["one two", "three", "four"]
        );
        assert_eq!(wrap("one two", 7), ["one two"]);
    }

    #[test]
    fn long_words_stay_whole() {
        assert_eq!(
            wrap("a incomprehensible b", 5),
            ["a", "incomprehensible", "b"]
        );
        assert!(wrap("  ", 5).is_empty());
    }
}
