//! Builds the programs of Kubernetes from Go modules, once, into the cache.
//!
//! It takes about ten minutes of two processors, so it steps back behind whatever else the machine does. What Go keeps
//! while it builds, modules as well, goes into a folder that is removed afterwards; finished programs are put in place
//! all at once. One build goes on at a time: whoever comes second waits and finds the programs made, and what a killed
//! build has left goes with the next one.

use super::command::{command, output};
use super::go;
use super::place::Places;
use super::recipe::{self, PROGRAMS, Program, VERSION};
use super::space::{available, gibibytes, occupied};
use anyhow::{Context as _, bail, ensure};
use pillion_runtime::clock;
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What the build needs at its height, on the disk of the cache: 5 GiB, 0.6 of them for modules.
const SPACE: u64 = 5 << 30;

/// What the folders of builds are called, before a number.
const BUILD: &str = "build-";

/// So many packages from one word of progress to the next.
const STRIDE: usize = 250;

/// Whether there is nothing left to build.
pub(super) fn is_done(places: &Places) -> bool {
    let missing = |program: &Program| !places.program(program.name).is_file();
    !PROGRAMS.iter().any(missing)
}

/// Whether what is not there yet can be built, without building it.
pub(super) fn check(places: &Places) -> anyhow::Result<()> {
    if is_done(places) {
        return Ok(());
    }
    let cache = make_cache(places)?;
    go::check(cache)?;
    // Whoever builds now makes it for us too, and takes the room for it.
    let Some(_lock) = try_lock(&open_lock(cache)?) else {
        return Ok(());
    };
    check_space(cache, available(cache)? + occupied(&remains(cache)?))
}

/// Builds what is not there yet.
pub(super) fn build(places: &Places, tell: &dyn Fn(&str)) -> anyhow::Result<()> {
    if is_done(places) {
        return Ok(());
    }
    let cache = make_cache(places)?;
    let _lock = wait_for_others(cache, tell)?;
    if is_done(places) {
        return Ok(());
    }
    // What a killed build has left must not keep the next one from the room that it needs.
    remove_remains(cache)?;
    go::check(cache)?;
    check_space(cache, available(cache)?)?;
    let folder = cache.join(format!("{BUILD}{}", std::process::id()));
    let built = build_in(&folder, places, tell);
    // Whatever became of it, what Go kept for itself is of no use to anybody.
    let _ = fs::remove_dir_all(&folder);
    built
}

fn make_cache(places: &Places) -> anyhow::Result<&Path> {
    let cache = places.cache();
    fs::create_dir_all(cache).with_context(|| format!("cannot make {}", cache.display()))?;
    Ok(cache)
}

/// Held for as long as a build goes on; the kernel lets go of it however that ends.
fn wait_for_others(cache: &Path, tell: &dyn Fn(&str)) -> anyhow::Result<File> {
    let file = open_lock(cache)?;
    if try_lock(&file).is_none() {
        tell("somebody else builds Kubernetes; waiting for it");
        file.lock()
            .with_context(|| format!("cannot lock {}", lock_file(cache).display()))?;
    }
    Ok(file)
}

fn open_lock(cache: &Path) -> anyhow::Result<File> {
    let path = lock_file(cache);
    File::create(&path).with_context(|| format!("cannot open {}", path.display()))
}

fn try_lock(file: &File) -> Option<&File> {
    file.try_lock().is_ok().then_some(file)
}

fn lock_file(cache: &Path) -> PathBuf {
    cache.join("build.lock")
}

/// The folders of builds that were killed, as long as nobody builds: gigabytes that are of no use to anybody.
fn remains(cache: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let listing = || format!("cannot list {}", cache.display());
    let mut remains = Vec::new();
    for entry in fs::read_dir(cache).with_context(listing)? {
        let entry = entry.with_context(listing)?;
        if entry.file_name().to_string_lossy().starts_with(BUILD) && entry.path().is_dir() {
            remains.push(entry.path());
        }
    }
    Ok(remains)
}

fn remove_remains(cache: &Path) -> anyhow::Result<()> {
    for folder in remains(cache)? {
        fs::remove_dir_all(&folder)
            .with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    Ok(())
}

fn build_in(folder: &Path, places: &Places, tell: &dyn Fn(&str)) -> anyhow::Result<()> {
    let began = clock::now();
    tell(&format!(
        "building Kubernetes {VERSION} into {}: about ten minutes of two processors, once",
        places.programs().display()
    ));
    let out = folder.join("out");
    fs::create_dir_all(&out).with_context(|| format!("cannot make {}", out.display()))?;
    write_module(folder)?;
    compile(folder, tell)?;
    // Go names this one by the folder of its package.
    fs::rename(out.join("server"), out.join("etcd")).context("etcd was not built")?;
    for Program { name, .. } in PROGRAMS {
        ensure!(out.join(name).is_file(), "{name} was not built");
    }
    put_in_place(&out, &places.programs())?;
    let minutes = clock::now().since(began).as_secs_f64() / 60.0;
    tell(&format!("built in {minutes:.1} minutes"));
    Ok(())
}

/// Kubernetes' own `go.mod` lies where Go has put the module.
fn write_module(folder: &Path) -> anyhow::Result<()> {
    let module = format!("k8s.io/kubernetes@v{VERSION}");
    let found = output(go(folder).args(["mod", "download", "-json", &module]))
        .context("cannot get Kubernetes; is there a way to a Go module proxy?")?;
    let found: serde_json::Value = serde_json::from_str(&found)?;
    let file = found["GoMod"]
        .as_str()
        .context("the module has no go.mod")?;
    let text = output(go(folder).args(["mod", "edit", "-json", file]))?;
    let module = recipe::module(&serde_json::from_str(&text)?);
    let module = module.with_context(|| format!("{file} is not as it used to be"))?;
    fs::write(folder.join("go.mod"), module)?;
    Ok(())
}

fn compile(folder: &Path, tell: &dyn Fn(&str)) -> anyhow::Result<()> {
    let mut build = go(folder);
    build.args(["build", "-v", "-trimpath", "-mod=mod", "-o", "out/"]);
    build.arg(format!("-ldflags={}", recipe::link_flags()));
    build.args(PROGRAMS.iter().map(|program| program.package));
    let mut child = build
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .context("cannot run go")?;
    let mut last: Vec<String> = Vec::new();
    let mut packages = 0_usize;
    for line in child
        .stderr
        .take()
        .map(BufReader::new)
        .into_iter()
        .flat_map(BufReader::lines)
    {
        let line = line.context("cannot read what go says")?;
        // A package that is done is named; all else is a sentence.
        if line.contains(' ') {
            last.push(line);
            continue;
        }
        packages += 1;
        if packages.is_multiple_of(STRIDE) {
            tell(&format!("{packages} of about 2,600 packages"));
        }
    }
    let status = child.wait()?;
    if !status.success() {
        let from = last.len().saturating_sub(20);
        bail!("go build ended with {status}:\n{}", last[from..].join("\n"));
    }
    Ok(())
}

/// Go, behind everybody else, keeping what it keeps in that folder, and ending when we do.
fn go(folder: &Path) -> Command {
    let mut go = command("nice", ["-n", "10", "setpriv", "--pdeathsig", "TERM", "go"]);
    go.current_dir(folder)
        .env("GOCACHE", folder.join("go"))
        // Checksums of modules, beside them.
        .env("GOPATH", folder.join("path"))
        .env("GOMODCACHE", folder.join("modules"))
        .env("GOTMPDIR", folder)
        // Modules that nobody may write to could not be removed by everybody.
        .env("GOFLAGS", "-buildvcs=false -modcacherw")
        .env("GOWORK", "off")
        .env("CGO_ENABLED", "0");
    go
}

/// Whoever looks sees all programs or none. Somebody else may have been faster, with the same programs.
fn put_in_place(out: &Path, programs: &Path) -> anyhow::Result<()> {
    if programs.exists() {
        let old = out.with_extension("old");
        fs::rename(programs, old)?;
    }
    fs::rename(out, programs)
        .with_context(|| format!("cannot put the programs into {}", programs.display()))
}

fn check_space(folder: &Path, free: u64) -> anyhow::Result<()> {
    ensure!(
        free >= SPACE,
        "the build needs {} GiB at {}, and {} GiB are free: make room, or set `XDG_CACHE_HOME` to a larger disk",
        gibibytes(SPACE),
        folder.display(),
        gibibytes(free)
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn go_keeps_nothing_outside_the_folder_of_the_build() {
        let folder = Path::new("/cache/build-7");
        let go = go(folder);
        let variables: Vec<_> = go.get_envs().collect();
        for name in ["GOCACHE", "GOPATH", "GOMODCACHE", "GOTMPDIR"] {
            let found = variables.iter().find(|(variable, _)| *variable == name);
            let place = found.and_then(|(_, value)| *value).map(Path::new);
            assert!(
                place.is_some_and(|place| place.starts_with(folder)),
                "{name}"
            );
        }
    }

    #[test]
    fn a_full_disk_is_named_with_what_is_needed() {
        let folder = Path::new("/cache");
        assert!(check_space(folder, SPACE).is_ok());
        let error = check_space(folder, 1 << 30).unwrap_err().to_string();
        assert!(
            error.contains("needs 5 GiB at /cache, and 1 GiB are free"),
            "{error}"
        );
    }

    #[test]
    fn what_killed_builds_have_left_goes_and_programs_stay() {
        let cache = tempfile::tempdir().unwrap();
        for folder in ["build-7/go", "1.36.4-abc"] {
            fs::create_dir_all(cache.path().join(folder)).unwrap();
        }
        fs::write(cache.path().join("build.lock"), "").unwrap();

        remove_remains(cache.path()).unwrap();

        assert!(!cache.path().join("build-7").exists());
        assert!(cache.path().join("1.36.4-abc").exists());
        assert!(cache.path().join("build.lock").exists());
    }

    #[test]
    fn what_killed_builds_have_left_counts_as_free() {
        let cache = tempfile::tempdir().unwrap();
        for folder in ["build-7/go", "1.36.4-abc"] {
            fs::create_dir_all(cache.path().join(folder)).unwrap();
            fs::write(cache.path().join(folder).join("file"), vec![1; 1 << 20]).unwrap();
        }

        let size = occupied(&remains(cache.path()).unwrap());

        assert!((1 << 20..2 << 20).contains(&size), "{size}");
    }

    #[test]
    fn a_second_build_waits_for_the_first() {
        let cache = tempfile::tempdir().unwrap();
        let first = wait_for_others(cache.path(), &|_| ()).unwrap();
        let lock = File::open(cache.path().join("build.lock")).unwrap();
        assert!(lock.try_lock().is_err());
        drop(first);
        assert!(lock.try_lock().is_ok());
    }

    #[test]
    fn programs_are_put_in_place_over_what_was_there() {
        let folder = tempfile::tempdir().unwrap();
        let (out, programs) = (folder.path().join("out"), folder.path().join("programs"));
        for (place, text) in [(&programs, "old"), (&out, "new")] {
            fs::create_dir(place).unwrap();
            fs::write(place.join("kubelet"), text).unwrap();
        }

        put_in_place(&out, &programs).unwrap();

        assert_eq!(fs::read_to_string(programs.join("kubelet")).unwrap(), "new");
        assert!(!out.exists());
    }
}
