//! `pillion lint`: every problem in some files.

use crate::args::LintArgs;
use crate::exit::ExitStatus;
use crate::hint;
use crate::input;
use crate::printer::Printer;
use anyhow::Result;
use pillion_spec::render::Renderer;
use pillion_spec::report::Finding;
use pillion_spec::{Code, Diagnostic, Loaded, LowerOptions, Severity, Source, load};
use pillion_timeline::{Line, Tone};

/// How many problems of each kind there were.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    files: usize,
    errors: usize,
    warnings: usize,
    notes: usize,
}

/// Show every problem in the files.
pub(crate) fn lint(args: &LintArgs, printer: &mut Printer) -> Result<ExitStatus> {
    let LintArgs {
        files,
        strict,
        quiet,
        json,
    } = args;
    let mut count = Count::default();
    let mut status = ExitStatus::Success;
    for path in files {
        let input = match input::read(path) {
            Ok(input) => input,
            Err(error) => {
                // The others may still have something to say.
                hint::report(&error.into());
                status = ExitStatus::Unusable;
                continue;
            }
        };
        let Loaded {
            source,
            diagnostics: mut findings,
            ..
        } = load(&input.name, &input.bytes, LowerOptions::default());
        findings.retain(|finding| !*quiet || finding.severity != Severity::Note);
        count.add(&findings);
        status = status.max(judge(&findings, *strict));
        show(&source, &findings, *json, printer)?;
    }
    if !*json && count.files > 0 {
        printer.note(&count.line())?;
    }
    Ok(status)
}

/// Prints the findings in a file as lines of JSON.
pub(crate) fn show_json(
    source: &Source,
    findings: &[Diagnostic],
    printer: &mut Printer,
) -> Result<()> {
    let mut findings = findings.iter().map(|finding| Finding::new(source, finding));
    Ok(findings.try_for_each(|finding| printer.json(&finding))?)
}

fn show(source: &Source, findings: &[Diagnostic], json: bool, printer: &mut Printer) -> Result<()> {
    if json {
        return show_json(source, findings, printer);
    }
    if !findings.is_empty() {
        let renderer = Renderer::coloured().width(printer.style().width);
        printer.text(&renderer.render_all(source, findings))?;
        printer.text("")?;
    }
    Ok(())
}

pub(crate) fn judge(findings: &[Diagnostic], strict: bool) -> ExitStatus {
    let status = |finding: &Diagnostic| match finding.severity {
        Severity::Error if is_unreadable(finding.code) => ExitStatus::Unusable,
        Severity::Error => ExitStatus::Findings,
        Severity::Warning if strict => ExitStatus::Findings,
        Severity::Warning | Severity::Note => ExitStatus::Success,
    };
    findings.iter().map(status).max().unwrap_or_default()
}

/// Whether the file could not even be taken apart.
const fn is_unreadable(code: Code) -> bool {
    matches!(
        code,
        Code::Syntax
            | Code::FileTooLarge
            | Code::NotUtf8
            | Code::EmptyFile
            | Code::TooManyAliases
            | Code::TooDeep
    )
}

// === impl Count ===

impl Count {
    fn add(&mut self, findings: &[Diagnostic]) {
        self.files += 1;
        for finding in findings {
            match finding.severity {
                Severity::Error => self.errors += 1,
                Severity::Warning => self.warnings += 1,
                Severity::Note => self.notes += 1,
            }
        }
    }

    /// `2 errors, 1 warning in 3 files`
    fn line(self) -> Line {
        let Self {
            files,
            errors,
            warnings,
            notes,
        } = self;
        let kinds = [(errors, "error"), (warnings, "warning"), (notes, "note")];
        let found: Vec<_> = kinds
            .into_iter()
            .filter(|(n, _)| *n > 0)
            .map(counted)
            .collect();
        let tone = if errors > 0 {
            Tone::Bad
        } else if warnings > 0 {
            Tone::Waiting
        } else {
            Tone::Good
        };
        let found = if found.is_empty() {
            "no problems".to_owned()
        } else {
            found.join(", ")
        };
        Line::new(tone, found).and(Tone::Plain, format!(" in {}", counted((files, "file"))))
    }
}

fn counted((number, name): (usize, &str)) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {name}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(code: Code) -> Diagnostic {
        Diagnostic::new(code, "something")
    }

    #[test]
    fn the_worst_finding_decides_the_exit_status() {
        let judge = |codes: &[Code], strict| {
            let findings: Vec<_> = codes.iter().copied().map(finding).collect();
            judge(&findings, strict)
        };
        assert_eq!(judge(&[], true), ExitStatus::Success);
        assert_eq!(judge(&[Code::KindIgnored], true), ExitStatus::Success);
        assert_eq!(judge(&[Code::UnknownField], false), ExitStatus::Success);
        assert_eq!(judge(&[Code::UnknownField], true), ExitStatus::Findings);
        assert_eq!(
            judge(&[Code::UnknownField, Code::BadName], false),
            ExitStatus::Findings
        );
        assert_eq!(
            judge(&[Code::BadName, Code::Syntax], false),
            ExitStatus::Unusable
        );
    }

    #[test]
    fn the_summary_counts_in_words() {
        let line = |codes: &[Code]| {
            let mut count = Count::default();
            count.add(&codes.iter().copied().map(finding).collect::<Vec<_>>());
            count.line().to_string()
        };
        assert_eq!(line(&[]), "no problems in 1 file");
        assert_eq!(
            line(&[Code::BadName, Code::BadName, Code::UnknownField]),
            "2 errors, 1 warning in 1 file"
        );
    }
}
