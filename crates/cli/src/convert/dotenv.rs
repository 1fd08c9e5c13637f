//! `.env` files: `NAME=value`, one a line.

/// The variables of a file, in its order. What is no variable is skipped, as everybody does.
pub(crate) fn read(text: &str) -> Vec<(String, String)> {
    text.lines().filter_map(variable).collect()
}

fn variable(line: &str) -> Option<(String, String)> {
    let line = line.trim();
    let line = line.strip_prefix("export ").unwrap_or(line);
    let (name, value) = line.split_once('=')?;
    let name = name.trim_end();
    let valid = !name.is_empty() && !name.contains(|c: char| c == '#' || c.is_whitespace());
    valid.then(|| (name.to_owned(), unquoted(value.trim_start())))
}

/// Without its quotes; without a comment where there are none.
fn unquoted(value: &str) -> String {
    if let Some((inner, _)) = value
        .strip_prefix('\'')
        .and_then(|rest| rest.split_once('\''))
    {
        return inner.to_owned();
    }
    if let Some((inner, _)) = value
        .strip_prefix('"')
        .and_then(|rest| rest.rsplit_once('"'))
    {
        return inner.replace("\\n", "\n").replace("\\\"", "\"");
    }
    let end = value.find(" #").unwrap_or(value.len());
    value[..end].trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_as_everybody_reads_them() {
        let text = "# comment\nA=1\nexport B='x # y'\nC=\"two\\nlines\" # c\nD= d # e\n\nE=\nno\n";
        let read = read(text);
        let found: Vec<_> = read
            .iter()
            .map(|(name, value)| (&**name, &**value))
            .collect();
        assert_eq!(
            found,
            [
                ("A", "1"),
                ("B", "x # y"),
                ("C", "two\nlines"),
                ("D", "d"),
                ("E", "")
            ]
        );
    }
}
