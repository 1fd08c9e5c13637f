//! Gets peers by the ordinary clients of those who offer them, into a folder outside the project; only s6 has to be installed.

use super::peer::{Kind, Peer};
use anyhow::{Context as _, bail};
use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// Where peers are kept between runs.
struct Cache(PathBuf);

/// All peers that can be had. The others are named, with the reason.
pub(super) fn all() -> anyhow::Result<Vec<Peer>> {
    let cache = Cache::locate()?;
    let mut peers = Vec::new();
    for kind in Kind::ALL {
        match cache.get(kind) {
            Ok(peer) => peers.push(peer),
            Err(error) => say!("    {} cannot be had: {error:#}", kind.name()),
        }
    }
    Ok(peers)
}

// === impl Cache ===

impl Cache {
    fn locate() -> anyhow::Result<Self> {
        let absolute = |name| {
            let path = env::var_os(name).map(PathBuf::from);
            path.filter(|path| path.is_absolute())
        };
        let folder = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")));
        let folder = folder.context("neither `XDG_CACHE_HOME` nor `HOME` is set")?;
        let folder = folder.join("pillion-bench");
        fs::create_dir_all(&folder)?;
        Ok(Self(folder))
    }

    /// A peer, installed now if it is not there yet.
    fn get(&self, kind: Kind) -> anyhow::Result<Peer> {
        let programs = match kind {
            Kind::S6 => PathBuf::from("/usr/bin"),
            Kind::Runit => self.0.join("debian/root/usr/bin"),
            Kind::Supervisord | Kind::Circus => self.0.join("python/bin"),
            Kind::Horust | Kind::Procman | Kind::Decompose => self.0.join("cargo/bin"),
        };
        let program = programs.join(kind.program());
        if !program.exists() {
            say!("    installing {} into {}", kind.name(), programs.display());
            self.install(kind)?;
        }
        if !program.exists() {
            bail!("{} was not installed", program.display());
        }
        Ok(Peer { kind, programs })
    }

    fn install(&self, kind: Kind) -> anyhow::Result<()> {
        match kind {
            Kind::S6 => installed("s6"),
            Kind::Runit => self.unpacked("runit"),
            Kind::Supervisord => self.python("supervisor"),
            Kind::Circus => self.python("circus"),
            Kind::Horust | Kind::Procman | Kind::Decompose => self.cargo(kind.program()),
        }
    }

    /// The package is fetched and unpacked, and not installed: the system stays as it is.
    fn unpacked(&self, package: &str) -> anyhow::Result<()> {
        let folder = self.0.join("debian");
        fs::create_dir_all(&folder)?;
        let mut download = Command::new("apt-get");
        run(download.args(["download", package]).current_dir(&folder))?;
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "deb") {
                let mut unpack = Command::new("dpkg-deb");
                run(unpack.arg("--extract").arg(&path).arg(folder.join("root")))?;
            }
        }
        Ok(())
    }

    fn python(&self, package: &str) -> anyhow::Result<()> {
        let folder = self.0.join("python");
        if !folder.exists() {
            run(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
        }
        let mut pip = Command::new(folder.join("bin/pip"));
        run(pip.args(["install", "--quiet", package]))
    }

    fn cargo(&self, package: &str) -> anyhow::Result<()> {
        let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(cargo);
        command.args(["install", "--quiet", "--locked", package, "--root"]);
        command.arg(self.0.join("cargo"));
        run(command.env("CARGO_TARGET_DIR", self.0.join("cargo/target")))
    }
}

/// The programs of s6 look for each other in the folder that they were built for.
fn installed(package: &str) -> anyhow::Result<()> {
    run(Command::new("apt-get").args(["install", "--yes", "--no-install-recommends", package]))
        .context("it takes root")
}

fn run(command: &mut Command) -> anyhow::Result<()> {
    let program = command.get_program().display().to_string();
    // What it says is of interest only if it fails.
    let output = command
        .output()
        .with_context(|| format!("cannot run {program}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let last = said.trim().lines().last().unwrap_or_default().to_owned();
        bail!("{program} ended with {}: {last}", output.status);
    }
    Ok(())
}
