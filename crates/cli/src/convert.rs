//! Other formats as pod files: a text in, a text out, and everything that did not fit.
//!
//! ```text
//! compose.yaml ─┐
//!               ├─▶ draft ─▶ text ─▶ read again by the pod reader
//! Procfile ─────┘     └──▶ findings
//! ```
//!
//! Nothing here opens a file: the text, its folder and the variables come from outside.

mod compose;
pub(crate) mod dotenv;
mod draft;
mod escape;
mod name;
mod notes;
mod pod;
mod procfile;
pub(crate) mod yaml;

use crate::args::SourceFormat;
use pillion_spec::{Diagnostic, Loaded, LowerOptions, Source, load};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What is known beside the text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Surroundings {
    /// The folder of the file, absolute: relative paths begin there.
    pub(crate) folder: PathBuf,
    /// The environment, over what stands in a `.env`.
    pub(crate) variables: BTreeMap<String, String>,
}

/// What became of a file.
#[derive(Debug)]
pub(crate) struct Converted {
    /// The pod file, unless one of the findings is an error.
    pub(crate) text: Option<String>,
    /// What did not fit, in the order of the file.
    pub(crate) findings: Vec<Diagnostic>,
}

/// The pod that came out is not one that can be run.
#[derive(Debug)]
pub(crate) struct Unusable(pub(crate) Box<Loaded>);

/// Converts a text.
pub(crate) fn convert(source: &Source, format: SourceFormat, around: &Surroundings) -> Converted {
    let mut notes = notes::Notes::default();
    let draft = match format {
        SourceFormat::Compose => compose::read(source, around, &mut notes),
        SourceFormat::Procfile => procfile::read(source, around, &mut notes),
    };
    let mut findings = notes.finish();
    let refused = findings.iter().any(Diagnostic::is_error);
    if refused {
        // What would have been left out does not matter now.
        findings.retain(Diagnostic::is_error);
    }
    let origin = file_name(source.name());
    let text = draft.filter(|_| !refused);
    Converted {
        text: text.map(|draft| pod::text(&draft, &origin)),
        findings,
    }
}

/// Reads what was written as everybody else will. An error is in the file that was converted, as a
/// circle of requirements is, and shows in the new one.
pub(crate) fn check(text: &str) -> Result<(), Unusable> {
    let loaded = load(
        "the converted pod",
        text.as_bytes(),
        LowerOptions::default(),
    );
    if loaded.has_errors() {
        return Err(Unusable(Box::new(loaded)));
    }
    Ok(())
}

/// What a file is, by its name, else by its content.
pub(crate) fn detect(source: &Source) -> SourceFormat {
    let name = file_name(source.name()).to_ascii_lowercase();
    let is_yaml = [".yaml", ".yml", ".json"]
        .iter()
        .any(|end| name.ends_with(end));
    if name.contains("procfile") && !is_yaml {
        return SourceFormat::Procfile;
    }
    let services = |line: &str| line.starts_with("services:") || line.starts_with('{');
    if is_yaml || source.text().lines().any(services) {
        return SourceFormat::Compose;
    }
    let lines = source
        .text()
        .lines()
        .filter(|line| !procfile::is_comment(line));
    let mut lines = lines.peekable();
    if lines.peek().is_some() && lines.all(|line| procfile::entry(line).is_some()) {
        return SourceFormat::Procfile;
    }
    SourceFormat::Compose
}

fn file_name(name: &str) -> String {
    let last = Path::new(name).file_name();
    let last = last.map_or_else(|| name.into(), |last| last.to_string_lossy());
    match &*last {
        "<stdin>" => "the standard input".to_owned(),
        last => last.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn detected(name: &str, text: &str) -> SourceFormat {
        detect(&Source::new(name, text.as_bytes()).unwrap())
    }

    #[test]
    fn the_name_tells_what_a_file_is() {
        assert_eq!(detected("a/Procfile", "services:"), SourceFormat::Procfile);
        assert_eq!(detected("Procfile.dev", "x"), SourceFormat::Procfile);
        assert_eq!(detected("compose.yaml", "web: run"), SourceFormat::Compose);
    }

    #[test]
    fn without_a_name_the_content_tells() {
        assert_eq!(
            detected("<stdin>", "# mine\nweb: run -p 80\n"),
            SourceFormat::Procfile
        );
        assert_eq!(
            detected("<stdin>", "services:\n  web: {}\n"),
            SourceFormat::Compose
        );
        assert_eq!(detected("<stdin>", "what is this\n"), SourceFormat::Compose);
    }

    /// A compose file with this text wherever text can stand.
    fn hostile(text: &str) -> String {
        let text = serde_json::to_string(text).unwrap();
        format!(
            r#"{{"name": {text}, "services": {{
              {text}: {{
                "image": {text}, "command": {text}, "build": {text}, "working_dir": {text},
                "environment": {{"A": {text}, {text}: {text}}},
                "healthcheck": {{"test": {text}, "start_period": {text}}}
              }},
              "other": {{
                "image": "i", "entrypoint": [{text}], "command": ["x", {text}],
                "environment": [{text}],
                "ports": [{{"target": 80, "published": {text}}}],
                "volumes": [{{"type": "bind", "source": {text}, "target": "/x"}}],
                "pre_stop": [{{"command": {text}}}, {{"command": [{text}]}}]
              }}
            }}}}"#
        )
    }

    proptest! {
        #[test]
        fn no_text_breaks_the_file(text in any::<String>(), name in r"[a-z$(){}:\\n #'-]{1,8}") {
            for text in [text, name] {
                let compose = hostile(&text);
                let source = Source::new("compose.json", compose.as_bytes()).unwrap();
                let around = Surroundings { folder: "/somewhere".into(), ..Surroundings::default() };
                let converted = convert(&source, SourceFormat::Compose, &around);
                if let Some(pod) = converted.text {
                    let loaded = load("pod.yaml", pod.as_bytes(), LowerOptions::default());
                    prop_assert_eq!(loaded.pods.len(), 1, "{}", pod);
                    let read = loaded.diagnostics.iter().find(|one| one.code.id().starts_with("L00"));
                    prop_assert_eq!(read, None, "{}", pod);
                }
            }
        }

        #[test]
        fn no_line_of_a_procfile_breaks_the_file(command in "[^\\n\\r]{1,20}") {
            let text = format!("web: x{command}\n");
            let source = Source::new("Procfile", text.as_bytes()).unwrap();
            let converted = convert(&source, SourceFormat::Procfile, &Surroundings::default());
            prop_assert!(check(&converted.text.unwrap()).is_ok());
        }
    }
}
