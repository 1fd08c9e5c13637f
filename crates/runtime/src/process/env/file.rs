//! Files that hold variables, one `NAME='value'` after the other.
//!
//! The value stands in single quotes, as it is, over several lines if need be. Blank lines and lines that begin with
//! `#` are nothing, and so is a comment behind the closing quote. As in Kubernetes, a file is read only as far as the
//! key that is looked for.

/// What is wrong with a file.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(in crate::process) struct BadFile {
    /// In this line, from 1.
    pub(in crate::process) line: usize,
    /// This.
    pub(in crate::process) why: &'static str,
}

/// The value of a key. Nothing if it is not set, or set to nothing.
pub(in crate::process) fn value_of(text: &str, key: &str) -> Result<Option<String>, BadFile> {
    let mut lines = text.lines().enumerate();
    while let Some((index, line)) = lines.next() {
        let bad = |why| BadFile {
            line: index + 1,
            why,
        };
        let line = line.trim_start_matches(BLANK);
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (name, value) = line.split_once('=').ok_or(bad("there is no `=`"))?;
        if name.is_empty() {
            return Err(bad("there is no name before the `=`"));
        }
        if name.ends_with(BLANK) {
            return Err(bad("there is a space before the `=`"));
        }
        // As a shell reads it: nothing is assigned, and what follows is a command.
        if value.starts_with(BLANK) {
            if name == key {
                return Ok(None);
            }
            continue;
        }
        let opened = value.strip_prefix('\'');
        let opened = opened.ok_or(bad("the value is not in single quotes"))?;
        let rest = lines.by_ref().map(|(_, line)| line);
        let value = quoted(opened, rest).map_err(bad)?;
        if name == key {
            return Ok(Some(value).filter(|value| !value.is_empty()));
        }
    }
    Ok(None)
}

const BLANK: [char; 2] = [' ', '\t'];

/// What stands before the closing quote, which may be lines away.
fn quoted<'t>(
    opened: &'t str,
    mut lines: impl Iterator<Item = &'t str>,
) -> Result<String, &'static str> {
    let mut value = String::new();
    let mut line = opened;
    loop {
        if let Some((end, after)) = line.split_once('\'') {
            value.push_str(end);
            let after = after.trim_start_matches(BLANK);
            let nothing = after.is_empty() || after.starts_with('#');
            return if nothing {
                Ok(value)
            } else {
                Err("something follows the closing quote")
            };
        }
        value.push_str(line);
        value.push('\n');
        line = lines.next().ok_or("the quote is not closed")?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stand_in_single_quotes() {
        let text = "# settings\n\nA='1'\n  B='two words' # why not\nC='a\nb'\nD='$A \\n'\n";
        for (key, value) in [
            ("A", "1"),
            ("B", "two words"),
            ("C", "a\nb"),
            ("D", "$A \\n"),
        ] {
            assert_eq!(value_of(text, key), Ok(Some(value.to_owned())), "{key}");
        }
        assert_eq!(value_of(text, "E"), Ok(None));
    }

    #[test]
    fn a_value_behind_a_space_is_none() {
        assert_eq!(value_of("A= 'x'\nB='y'", "A"), Ok(None));
        assert_eq!(value_of("A= 'x'\nB='y'", "B"), Ok(Some("y".to_owned())));
        assert_eq!(value_of("A=''", "A"), Ok(None));
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        let cases = [
            ("A='1'\nB", 2, "there is no `=`"),
            ("='1'", 1, "there is no name before the `=`"),
            ("A ='1'", 1, "there is a space before the `=`"),
            ("A=1", 1, "the value is not in single quotes"),
            ("\nA='1\n2", 2, "the quote is not closed"),
            ("A='1' 2", 1, "something follows the closing quote"),
        ];
        for (text, line, why) in cases {
            assert_eq!(value_of(text, "Z"), Err(BadFile { line, why }), "{text}");
        }
    }

    #[test]
    fn nothing_behind_the_key_is_read() {
        assert_eq!(value_of("A='1'\nnonsense", "A"), Ok(Some("1".to_owned())));
    }
}
