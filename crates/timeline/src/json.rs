//! A timeline as lines of JSON: a header that names format and version, then one record a line.
//!
//! Lines can be appended while the pod lives. Whoever reads takes what is whole: the line that was
//! being written when the writer died is left out and reported, and so is any other that makes no
//! sense. Fields and kinds of records that are not known are skipped, and so are lines of logs that
//! stand among the records. `docs/timeline.md` lists the names.

use crate::record::Record;
use crate::timeline::{Header, Timeline};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The version that is written, and the highest that is read.
pub const VERSION: u32 = 1;

/// A timeline that was read, and what was not understood.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Reading {
    /// All that made sense.
    pub timeline: Timeline,
    /// The last line is not whole: its writer died, or is writing it now.
    pub torn: bool,
    /// Lines before it that made no sense.
    pub unreadable: Vec<Unreadable>,
}

/// A line that made no sense.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Unreadable {
    /// Its number, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub message: String,
}

/// Why a text is no timeline.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum ReadError {
    /// There is nothing, or not even the header is whole.
    Empty,
    /// The first line is not a timeline's header.
    NotATimeline,
    /// A later Pillion wrote it.
    Version {
        /// The version it says.
        found: u32,
    },
}

/// The first line.
#[derive(Deserialize, Serialize)]
struct HeaderLine<H> {
    format: String,
    version: u32,
    #[serde(flatten)]
    header: H,
}

/// What all versions have in common.
#[derive(Deserialize)]
struct AnyHeader {}

/// The line that opens a timeline, with its line feed.
pub fn header_line(header: &Header) -> String {
    line(&HeaderLine {
        format: FORMAT.to_owned(),
        version: VERSION,
        header,
    })
}

/// The line of one record, with its line feed.
pub fn record_line(record: &Record) -> String {
    line(record)
}

/// The whole file.
pub fn write(timeline: &Timeline) -> String {
    let mut text = header_line(timeline.header());
    text.extend(timeline.records().iter().map(record_line));
    text
}

/// Reads a whole file, or as much of it as there is.
pub fn read(text: &str) -> Result<Reading, ReadError> {
    let mut lines = (1..)
        .zip(text.lines())
        .filter(|(_, line)| !line.trim().is_empty())
        .peekable();
    let (_, first) = lines.next().ok_or(ReadError::Empty)?;
    let header = read_header(first, lines.peek().is_some())?;
    let mut reading = Reading {
        timeline: Timeline::new(header),
        torn: false,
        unreadable: Vec::new(),
    };
    while let Some((number, line)) = lines.next() {
        match serde_json::from_str(line) {
            Ok(record) => reading.timeline.push(record),
            Err(_) if is_beside(line) => {}
            Err(_) if lines.peek().is_none() => reading.torn = true,
            Err(error) => {
                reading.unreadable.push(Unreadable {
                    line: number,
                    message: error.to_string(),
                });
            }
        }
    }
    Ok(reading)
}

/// Whether a line stands among the records without being one.
fn is_beside(line: &str) -> bool {
    let known = BESIDE.iter().any(|begin| line.starts_with(begin));
    known && line.ends_with('}')
}

fn read_header(line: &str, more: bool) -> Result<Header, ReadError> {
    let refused = || {
        if more {
            ReadError::NotATimeline
        } else {
            ReadError::Empty
        }
    };
    match serde_json::from_str::<HeaderLine<AnyHeader>>(line) {
        Ok(any) if any.format != FORMAT => return Err(ReadError::NotATimeline),
        Ok(any) if any.version > VERSION => return Err(ReadError::Version { found: any.version }),
        Ok(_) => {}
        // A whole line of something else is no beginning of ours.
        Err(error) if error.is_eof() => return Err(refused()),
        Err(_) => return Err(ReadError::NotATimeline),
    }
    serde_json::from_str::<HeaderLine<Header>>(line)
        .map(|line| line.header)
        .map_err(|_| ReadError::NotATimeline)
}

fn line(value: &impl Serialize) -> String {
    let mut line = serde_json::to_string(value)
        .expect("maps with string keys and plain values have a JSON form");
    line.push('\n');
    line
}

// === impl ReadError ===

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the timeline is empty"),
            Self::NotATimeline => f.write_str("the first line is not the header of a timeline"),
            Self::Version { found } => write!(
                f,
                "the timeline has version {found}, and this pillion reads up to version {VERSION}"
            ),
        }
    }
}

impl std::error::Error for ReadError {}

/// How lines begin that stand among the records where all is printed: what a container wrote, and what was said about
/// files that are watched.
const BESIDE: [&str; 2] = ["{\"log\":", "{\"watch\":"];
/// What the header says it is the header of.
const FORMAT: &str = "pillion-timeline";
