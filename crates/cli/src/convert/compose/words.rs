//! A command line in words, as compose splits one: quotes count, but no shell is asked.

/// The words of a line.
#[derive(Debug, Eq, PartialEq)]
pub(super) struct Words {
    pub(super) words: Vec<String>,
    /// The sign at which compose stops reading, because only a shell knows what it means.
    pub(super) cut_at: Option<char>,
}

/// Splits a line. None if a quote is not closed.
pub(super) fn split(line: &str) -> Option<Words> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match (c, quote) {
            ('\\', None | Some('"')) => word.get_or_insert_default().extend(chars.next()),
            (c, Some(open)) if c == open => quote = None,
            ('"' | '\'', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (c, None) if c.is_whitespace() => words.extend(word.take()),
            (';' | '&' | '|' | '<' | '>', None) => {
                words.extend(word.take());
                return Some(Words {
                    words,
                    cut_at: Some(c),
                });
            }
            (c, None | Some(_)) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    quote.is_none().then_some(Words {
        words,
        cut_at: None,
    })
}

/// Words as a line for a shell.
pub(super) fn join(words: &[String]) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=@%+,".contains(c);
    let quoted = words.iter().map(|word| {
        if !word.is_empty() && word.chars().all(plain) {
            word.clone()
        } else {
            format!("'{}'", word.replace('\'', r"'\''"))
        }
    });
    quoted.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        split(line).unwrap().words
    }

    #[test]
    fn quotes_keep_words_together() {
        assert_eq!(
            words(r#"a "b c" 'd "e' f\ g"#),
            ["a", "b c", "d \"e", "f g"]
        );
        assert_eq!(words("a '' b"), ["a", "", "b"]);
        assert_eq!(words(r#"sh -c "echo \"x\"""#), ["sh", "-c", "echo \"x\""]);
        assert_eq!(words("  "), Vec::<String>::new());
        assert_eq!(split("a 'b"), None);
    }

    #[test]
    fn signs_of_the_shell_end_the_line() {
        let cut = split("migrate && serve").unwrap();
        assert_eq!(
            (cut.words, cut.cut_at),
            (vec!["migrate".to_owned()], Some('&'))
        );
        assert_eq!(split("sh -c 'a && b'").unwrap().cut_at, None);
    }

    #[test]
    fn joined_words_are_split_into_the_same() {
        let given = ["a b", "c", "it's", "", "$x"].map(str::to_owned);
        assert_eq!(words(&join(&given[..2])), &given[..2]);
        assert_eq!(join(&given), r"'a b' c 'it'\''s' '' '$x'");
    }
}
