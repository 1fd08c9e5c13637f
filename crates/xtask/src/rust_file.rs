//! A Rust source file as the checks see it: what is code in it, and which paths of std it names.
//!
//! Not a parser. Comments and the insides of literals are blanked out, so that what remains can be
//! searched as text; lines keep their numbers.

use crate::workspace::{self, Workspace};
use std::path::Path;

/// A source file.
pub(crate) struct RustFile {
    /// From the project's folder.
    pub(crate) path: String,
    /// As it stands on disk.
    pub(crate) text: String,
    /// The same with comments and the insides of literals blanked out.
    pub(crate) code: String,
}

/// A path that begins with `std` or `core`, and the line where it stands.
#[derive(Debug, Eq, PartialEq)]
pub(crate) struct StdPath {
    pub(crate) line: usize,
    pub(crate) path: String,
}

// === impl RustFile ===

impl RustFile {
    pub(crate) fn read(workspace: &Workspace, path: &Path) -> anyhow::Result<Self> {
        let text = workspace::read(path)?;
        let code = code(&text);
        Ok(Self {
            path: workspace.relative(path).into(),
            text,
            code,
        })
    }

    /// Whether the file holds nothing but tests.
    pub(crate) fn is_test(&self) -> bool {
        self.path.contains("/tests/") || self.path.ends_with("/tests.rs")
    }

    /// The code before the tests at the end of the file.
    pub(crate) fn shipped(&self) -> &str {
        let end = self.code.find("#[cfg(test)]").unwrap_or(self.code.len());
        if self.is_test() {
            ""
        } else {
            &self.code[..end]
        }
    }

    /// Every path into the standard library that is named outside tests.
    pub(crate) fn std_paths(&self) -> Vec<StdPath> {
        std_paths(self.shipped())
    }

    /// The lines of code that hold a piece of text.
    pub(crate) fn lines_with(&self, needle: &str) -> Vec<usize> {
        let lines = (1..).zip(self.code.lines());
        lines
            .filter(|(_, line)| line.contains(needle))
            .map(|(number, _)| number)
            .collect()
    }
}

/// Blanks out comments and the insides of string and character literals.
fn code(text: &str) -> String {
    let mut rest = text;
    let mut code = String::with_capacity(text.len());
    let mut last = ' ';
    while let Some(next) = rest.chars().next() {
        let word_before = last.is_alphanumeric() || last == '_';
        let blank = blank_len(rest, word_before);
        let taken = &rest[..blank.unwrap_or(next.len_utf8())];
        if blank.is_some() {
            // Byte for byte, so that a place in the code is the same place in the text.
            code.extend(
                taken
                    .bytes()
                    .map(|byte| if byte == b'\n' { '\n' } else { ' ' }),
            );
            last = ' ';
        } else {
            code.push_str(taken);
            last = next;
        }
        rest = &rest[taken.len()..];
    }
    code
}

/// How much at the beginning is no code, if it begins with a comment or a literal.
fn blank_len(rest: &str, word_before: bool) -> Option<usize> {
    if rest.starts_with("//") {
        return Some(rest.find('\n').unwrap_or(rest.len()));
    }
    if rest.starts_with("/*") {
        return Some(block_comment_len(rest));
    }
    if rest.starts_with('"') {
        return Some(quoted_len(rest, '"'));
    }
    if !word_before && rest.starts_with('r') {
        return raw_string_len(rest);
    }
    // A lifetime has no closing quote right behind its first character.
    let mut letters = rest.strip_prefix('\'')?.chars();
    let first = letters.next()?;
    (first == '\\' || letters.next() == Some('\'')).then(|| quoted_len(rest, '\''))
}

fn block_comment_len(rest: &str) -> usize {
    let mut depth = 0_u32;
    for (at, pair) in rest.as_bytes().windows(2).enumerate() {
        match pair {
            b"/*" => depth += 1,
            b"*/" if depth == 1 => return at + 2,
            b"*/" => depth -= 1,
            _ => {}
        }
    }
    rest.len()
}

fn quoted_len(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

fn raw_string_len(rest: &str) -> Option<usize> {
    let hashes = rest[1..].bytes().take_while(|byte| *byte == b'#').count();
    let open = 1 + hashes;
    if !rest[open..].starts_with('"') {
        return None;
    }
    let close = format!("\"{}", "#".repeat(hashes));
    let end = rest[open + 1..].find(&close);
    Some(end.map_or(rest.len(), |end| open + 1 + end + close.len()))
}

fn std_paths(code: &str) -> Vec<StdPath> {
    let mut found = Vec::new();
    for root in ["std::", "core::"] {
        for (at, _) in code.match_indices(root) {
            let before = code[..at].chars().next_back();
            if before.is_some_and(|c| c.is_alphanumeric() || c == '_') {
                continue;
            }
            let line = 1 + code[..at].matches('\n').count();
            let mut paths = Vec::new();
            expand(&code[at + root.len()..], "std", &mut paths);
            found.extend(paths.into_iter().map(|path| StdPath { line, path }));
        }
    }
    found
}

/// Writes out every path of a tree such as `fs::{self, File}`, and returns what follows it.
fn expand<'c>(tree: &'c str, prefix: &str, paths: &mut Vec<String>) -> &'c str {
    let tree = tree.trim_start();
    if let Some(mut rest) = tree.strip_prefix('{') {
        while !rest.is_empty() {
            rest = expand(rest, prefix, paths).trim_start();
            match rest.chars().next() {
                Some(',') => rest = rest[1..].trim_start(),
                Some('}') => return &rest[1..],
                Some(_) | None => return rest,
            }
            if let Some(behind) = rest.strip_prefix('}') {
                return behind;
            }
        }
        return rest;
    }
    let end = tree.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '*'));
    let (word, rest) = tree.split_at(end.unwrap_or(tree.len()));
    let path = if word == "self" {
        prefix.to_owned()
    } else {
        format!("{prefix}::{word}")
    };
    match rest.strip_prefix("::") {
        Some(deeper) if !deeper.starts_with('<') => expand(deeper, &path, paths),
        Some(_) | None => {
            paths.push(path);
            skip_alias(rest)
        }
    }
}

/// Skips ` as name`.
fn skip_alias(rest: &str) -> &str {
    let Some(name) = rest.trim_start().strip_prefix("as ") else {
        return rest;
    };
    name.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals_are_no_code() {
        let text = "a // std::fs\nb /* x /* y */ z */ c \"std::fs\\\"\" r#\"todo!\"# 'x' &'a d";

        let code = code(text);

        assert_eq!(code.len(), text.len());
        let words: Vec<_> = code.split_whitespace().collect();
        assert_eq!(words, ["a", "b", "c", "&'a", "d"]);
    }

    #[test]
    fn a_quote_in_a_character_opens_no_string() {
        assert_eq!(
            code("'\"' x '\\'' y")
                .split_whitespace()
                .collect::<Vec<_>>(),
            ["x", "y"]
        );
    }

    #[test]
    fn grouped_imports_are_written_out() {
        let code = "use std::{\n    fs::{self, File},\n    io as stdio,\n};\nstd::env::var(x)";

        let paths: Vec<_> = std_paths(code)
            .into_iter()
            .map(|p| (p.line, p.path))
            .collect();

        let expected = [
            (1, "std::fs"),
            (1, "std::fs::File"),
            (1, "std::io"),
            (5, "std::env::var"),
        ];
        assert_eq!(paths, expected.map(|(line, path)| (line, path.to_owned())));
    }
}
