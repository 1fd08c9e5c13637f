//! The folder in which the actors of one pod find what to do, and leave what they have done.

use super::network::Service;
use super::plan::{HOOKS, Plan};
use pillion_engine::Tick;
use pillion_engine::pod::ProbeKind;
use pillion_runtime::clock;
use pillion_simulator::actor::Script;
use pillion_simulator::line::{LineName, Part, Who, Word};
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

/// The folder.
#[derive(Clone, Debug)]
pub struct Stage {
    folder: PathBuf,
}

/// So many runs of a container can differ from each other.
const RUNS: u32 = 16;

// === impl Stage ===

impl Stage {
    /// The stage in that folder.
    pub fn at(folder: impl AsRef<Path>) -> Self {
        let folder = folder.as_ref().to_owned();
        Self { folder }
    }

    /// Gives a container its script.
    pub fn cast(&self, name: &str, script: &Script) -> io::Result<()> {
        let lines: Vec<_> = (1..=RUNS)
            .map(|run| Plan::new(script, run).to_line())
            .collect();
        fs::write(self.path(name, "plan"), lines.join("\n"))
    }

    /// What a container does in a run.
    pub(super) fn plan(&self, name: &str, run: u32) -> io::Result<Plan> {
        let text = fs::read_to_string(self.path(name, "plan"))?;
        let place = usize::try_from(run.clamp(1, RUNS) - 1).unwrap_or_default();
        let line = text.lines().nth(place).and_then(Plan::from_line);
        line.ok_or_else(|| io::ErrorKind::InvalidData.into())
    }

    /// Says what a container serves.
    pub(crate) fn open(&self, name: &str, services: &[Service]) -> io::Result<()> {
        let lines: Vec<_> = services.iter().map(ToString::to_string).collect();
        fs::write(self.path(name, "services"), lines.join("\n"))
    }

    /// What a container serves, if anything.
    pub(super) fn services(&self, name: &str) -> io::Result<Vec<Service>> {
        let text = fs::read_to_string(self.path(name, "services")).unwrap_or_default();
        text.lines().map(str::parse).collect()
    }

    /// Begins a run.
    pub(super) fn next_run(&self, name: &str) -> io::Result<u32> {
        let run = self.count(name) + 1;
        fs::write(self.path(name, "runs"), run.to_string())?;
        Ok(run)
    }

    /// The run that a container is in.
    pub(super) fn run_of(&self, name: &str) -> u32 {
        self.count(name).max(1)
    }

    fn count(&self, name: &str) -> u32 {
        let text = fs::read_to_string(self.path(name, "runs"));
        text.ok().and_then(|text| text.parse().ok()).unwrap_or(0)
    }

    /// A container has come up.
    pub(super) fn is_up(&self, name: &str, run: u32, at: Tick) -> io::Result<()> {
        let draft = self.path(name, "up.draft");
        let process = std::process::id();
        fs::write(&draft, format!("{run} {process} {}", at.as_nanos()))?;
        fs::rename(draft, self.path(name, "up"))
    }

    /// When a container came up in this run. Between two runs it is not up: the next one has yet to say so.
    pub(super) fn up_since(&self, name: &str, run: u32) -> Option<Tick> {
        let text = fs::read_to_string(self.path(name, "up")).ok()?;
        let (of, text) = text.split_once(' ')?;
        let (process, at) = text.split_once(' ')?;
        let at = at.parse().ok().map(Tick::from_nanos)?;
        let is_there = Path::new("/proc").join(process).exists();
        (of.parse() == Ok(run) && is_there).then_some(at)
    }

    /// Says with which code a container ends when it is asked to.
    pub fn set_last_code(&self, name: &str, code: i32) -> io::Result<()> {
        fs::write(self.path(name, "code"), code.to_string())
    }

    pub(super) fn last_code(&self, name: &str) -> io::Result<i32> {
        let text = fs::read_to_string(self.path(name, "code"))?;
        text.parse().map_err(|_| io::ErrorKind::InvalidData.into())
    }

    /// What a probe finds from now on, whatever the plan says.
    pub fn set_answers(&self, name: &str, part: Part, word: &str) -> io::Result<()> {
        let draft = self.path(name, "answers.draft");
        fs::write(&draft, word)?;
        fs::rename(draft, self.path(name, part.as_str()))
    }

    pub(super) fn answers(&self, name: &str, part: Part) -> Option<String> {
        fs::read_to_string(self.path(name, part.as_str())).ok()
    }

    /// A hook or probe begins or ends: it leaves its number as long as it lives.
    pub(super) fn note_process(&self, name: &str, part: Part, lives: bool) -> io::Result<()> {
        let path = self.path(name, &format!("{}.pid", part.as_str()));
        if lives {
            fs::write(path, std::process::id().to_string())
        } else {
            fs::remove_file(path)
        }
    }

    /// The hooks and probes of a container that are gone and could not say so.
    pub(super) fn cut_off(&self, name: &str) -> Vec<Part> {
        let hooks = HOOKS.into_iter().map(Part::from);
        let parts = hooks.chain(ProbeKind::ALL.into_iter().map(Part::from));
        let is_cut_off = |part: &Part| {
            let path = self.path(name, &format!("{}.pid", part.as_str()));
            let Ok(pid) = fs::read_to_string(&path) else {
                return false;
            };
            let gone = !Path::new("/proc").join(pid).exists();
            gone && fs::remove_file(path).is_ok()
        };
        parts.filter(is_cut_off).collect()
    }

    /// Where whoever is to see every actor live and die listens, if anybody does.
    pub fn alive(&self) -> PathBuf {
        self.folder.join("alive")
    }

    /// Says who lives as long as the connection does.
    pub(super) fn announce(&self, who: &Who) -> io::Result<Option<UnixStream>> {
        if !self.alive().exists() {
            return Ok(None);
        }
        let mut stream = UnixStream::connect(self.alive())?;
        writeln!(stream, "{who}")?;
        Ok(Some(stream))
    }

    /// Adds a line. The time is taken first, so what follows from the line is later.
    pub(super) fn write(&self, who: &Who, word: Word) -> io::Result<Tick> {
        let now = clock::now();
        let line = format!("{} {who} {word}\n", now.as_nanos());
        let mut options = File::options();
        let mut file = options.create(true).append(true).open(self.lines_file())?;
        file.write_all(line.as_bytes())?;
        Ok(now)
    }

    /// Every line so far, as it was written: the time, who, what.
    pub fn lines(&self) -> Vec<(Tick, LineName)> {
        let text = fs::read_to_string(self.lines_file()).unwrap_or_default();
        text.lines().filter_map(read_line).collect()
    }

    /// How many bytes these are.
    pub(crate) fn extent(&self) -> u64 {
        fs::metadata(self.lines_file()).map_or(0, |found| found.len())
    }

    fn lines_file(&self) -> PathBuf {
        self.folder.join("lines")
    }

    fn path(&self, name: &str, what: &str) -> PathBuf {
        self.folder.join(format!("{name}.{what}"))
    }
}

/// The last one may be half written.
fn read_line(line: &str) -> Option<(Tick, LineName)> {
    let (at, name) = line.split_once(' ')?;
    Some((Tick::from_nanos(at.parse().ok()?), name.parse().ok()?))
}
