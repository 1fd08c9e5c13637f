//! `pillion convert`: a compose file or a Procfile as a pod file.

use crate::args::ConvertArgs;
use crate::convert::{self, Converted, Surroundings, Unusable, dotenv};
use crate::exit::ExitStatus;
use crate::input;
use crate::new_file;
use crate::printer::Printer;
use anyhow::{Context as _, Result};
use pillion_spec::render::Renderer;
use pillion_spec::{Code, Diagnostic, Source};
use pillion_timeline::{Line, Tone};
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Convert a file.
pub(crate) fn convert(args: &ConvertArgs, printer: &mut Printer) -> Result<ExitStatus> {
    let ConvertArgs {
        file,
        from,
        output,
        force,
    } = args;
    let input = input::read(file)?;
    let source = match Source::new(&*input.name, &input.bytes) {
        Ok(source) => source,
        Err(mut finding) => {
            if finding.code == Code::EmptyFile {
                // It was not to be a pod file.
                finding.help = Some(WHAT_IS_THERE.to_owned());
            }
            show(&Source::unread(&*input.name), &[finding], printer)?;
            return Ok(ExitStatus::Unusable);
        }
    };
    let around = surroundings(file)?;
    let format = from.unwrap_or_else(|| convert::detect(&source));
    let Converted { text, findings } = convert::convert(&source, format, &around);
    show(&source, &findings, printer)?;
    let Some(text) = text else {
        return Ok(ExitStatus::Unusable);
    };
    if let Err(Unusable(loaded)) = convert::check(&text) {
        show(&loaded.source, &loaded.diagnostics, printer)?;
        let why = "not written: the pod would have these errors";
        printer.note(&Line::new(Tone::Bad, why))?;
        return Ok(ExitStatus::Unusable);
    }
    match output.as_deref().filter(|path| *path != Path::new("-")) {
        None => printer.bytes(text.as_bytes())?,
        Some(path) => {
            new_file::write(path, &text, *force)?;
            tell(path, &findings, printer)?;
        }
    }
    Ok(ExitStatus::Success)
}

const WHAT_IS_THERE: &str =
    "a compose file has `services`, a Procfile has lines like `web: ./serve`";

fn show(source: &Source, findings: &[Diagnostic], printer: &mut Printer) -> Result<()> {
    if !findings.is_empty() {
        let renderer = Renderer::coloured().width(printer.style().width);
        printer.note_text(&renderer.render_all(source, findings))?;
        printer.note_text("")?;
    }
    Ok(())
}

fn tell(path: &Path, findings: &[Diagnostic], printer: &mut Printer) -> Result<()> {
    let name = path.display();
    let look = if findings.is_empty() {
        ""
    } else {
        "; look at what is said above, then"
    };
    printer.note(&Line::new(Tone::Good, format!("wrote {name}")).and(Tone::Plain, look))?;
    printer.note(&Line::new(Tone::Plain, format!("  pillion plan {name}")))?;
    Ok(())
}

/// The folder of the file and its `.env`, and the environment, which wins.
fn surroundings(file: &Path) -> Result<Surroundings> {
    let folder = folder(file)?;
    let beside = fs::read_to_string(folder.join(".env")).unwrap_or_default();
    let environment = env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    Ok(Surroundings {
        variables: dotenv::read(&beside)
            .into_iter()
            .chain(environment)
            .collect(),
        folder,
    })
}

fn folder(file: &Path) -> Result<PathBuf> {
    let here = env::current_dir().context("cannot find out the current folder")?;
    let folder = file.parent().filter(|_| file != Path::new("-"));
    let folder = here.join(folder.unwrap_or(Path::new("")));
    Ok(fs::canonicalize(&folder).unwrap_or(folder))
}
