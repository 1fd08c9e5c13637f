//! The images of a cluster, made here: no registry is asked for anything.
//!
//! One image has all that pods of tests need, the actor and a shell, and it serves as the sandbox of pods as well. It is
//! there under two names, with two ids, so that a container can change its image.

use super::command::{command, output, run};
use super::files::{IMAGE, OTHER_IMAGE};
use super::place::Places;
use anyhow::Context as _;
use serde_json::json;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// Where the actor is in the image.
pub const ACTOR: &str = "/actor";

/// Which actor the images were made of.
const MADE_OF: &str = "actor.sum";

/// Makes the images and hands them to containerd.
pub(super) fn make(places: &Places, actor: &Path) -> anyhow::Result<()> {
    let folder = places.file("images");
    if folder.exists() {
        // Somebody was killed in the middle of this.
        fs::remove_dir_all(&folder)?;
    }
    let root = folder.join("root");
    lay_out(&root, actor)?;
    let layer = folder.join("layer.tar");
    archive(&root, &layer, &["."])?;
    let sum = checksum(&layer)?;
    for image in [IMAGE, OTHER_IMAGE] {
        let file = pack(&folder, image, &sum)?;
        import(places, &file)?;
    }
    fs::remove_dir_all(&folder)?;
    fs::write(places.file(MADE_OF), checksum(actor)?)?;
    Ok(())
}

/// Whether the images were made of that actor, and not of one that was there before it.
pub(super) fn is_made_of(places: &Places, actor: &Path) -> anyhow::Result<bool> {
    is_sum_of(&places.file(MADE_OF), actor)
}

fn is_sum_of(sum: &Path, file: &Path) -> anyhow::Result<bool> {
    let file = checksum(file)?;
    Ok(fs::read_to_string(sum).is_ok_and(|sum| sum == file))
}

fn checksum(file: &Path) -> anyhow::Result<String> {
    let sum = output(command("sha256sum", ["--binary"]).arg(file))?;
    Ok(sum.split(' ').next().unwrap_or_default().to_owned())
}

/// Hands an archive in Docker's form to containerd.
pub(super) fn import(places: &Places, archive: &Path) -> anyhow::Result<()> {
    run(ctr(places).args(["images", "import"]).arg(archive))
        .with_context(|| format!("cannot import {}", archive.display()))
}

/// The names of the images that are there.
pub(super) fn list(places: &Places) -> anyhow::Result<Vec<String>> {
    let names = output(ctr(places).args(["images", "list", "--quiet"]))?;
    let names = names.lines().filter(|name| !name.starts_with("sha256:"));
    Ok(names.map(str::to_owned).collect())
}

/// Containerd's own command, in the namespace that the kubelet uses.
pub(super) fn ctr(places: &Places) -> std::process::Command {
    let mut ctr = command("ctr", ["--namespace", "k8s.io", "--address"]);
    ctr.arg(places.file("containerd.sock"));
    ctr
}

/// The files of the image.
fn lay_out(root: &Path, actor: &Path) -> anyhow::Result<()> {
    for folder in ["bin", "etc", "root", "tmp"] {
        fs::create_dir_all(root.join(folder))?;
    }
    fs::write(root.join("etc/passwd"), "root:x:0:0::/root:/bin/sh\n")?;
    let own = root.join(&ACTOR[1..]);
    fs::copy(actor, &own).with_context(|| format!("cannot copy the actor {}", actor.display()))?;
    // A large image is slower to make, and no worse.
    let _ = run(command("strip", ["--strip-all"]).arg(&own));
    for library in libraries(&output(command("ldd", ["--"]).arg(actor))?) {
        let place = root.join(library.trim_start_matches('/'));
        if let Some(folder) = place.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::copy(library, place).with_context(|| format!("cannot copy {library}"))?;
    }
    let busybox = ["/bin/busybox", "/usr/bin/busybox"].map(Path::new);
    let busybox = busybox.into_iter().find(|path| path.is_file());
    let busybox = busybox.context("there is no busybox; the package is busybox-static")?;
    fs::copy(busybox, root.join("bin/busybox"))?;
    for applet in output(&mut command(busybox, ["--list"]))?.lines() {
        if applet != "busybox" {
            symlink("busybox", root.join("bin").join(applet))?;
        }
    }
    Ok(())
}

/// The files that a program needs, as `ldd` lists them: `name => file (address)`, or `file (address)`.
fn libraries(list: &str) -> impl Iterator<Item = &str> {
    list.lines().filter_map(|line| {
        let line = line.rsplit_once(" (").map_or(line, |(line, _)| line);
        let file = line.rsplit_once("=> ").map_or(line, |(_, file)| file);
        let file = file.trim();
        file.starts_with('/').then_some(file)
    })
}

/// An image of one layer. Its name is in its configuration, so that every name has an id of its own.
fn pack(folder: &Path, image: &str, layer: &str) -> anyhow::Result<PathBuf> {
    let config = json!({
        "architecture": architecture(),
        "os": "linux",
        "rootfs": {"type": "layers", "diff_ids": [format!("sha256:{layer}")]},
        "config": {
            "Entrypoint": [ACTOR, "pause"],
            "Env": ["PATH=/bin"],
            "Labels": {"image": image},
        },
    });
    let manifest = json!([{
        "Config": "config.json",
        "RepoTags": [image],
        "Layers": ["layer.tar"],
    }]);
    fs::write(folder.join("config.json"), config.to_string())?;
    fs::write(folder.join("manifest.json"), manifest.to_string())?;
    let file = folder.join("image.tar");
    archive(
        folder,
        &file,
        &["manifest.json", "config.json", "layer.tar"],
    )?;
    Ok(file)
}

/// The same files give the same archive.
fn archive(folder: &Path, file: &Path, what: &[&str]) -> anyhow::Result<()> {
    let mut tar = command(
        "tar",
        ["--sort=name", "--mtime=@0", "--owner=0", "--group=0"],
    );
    tar.args(["--numeric-owner", "--create", "--file"])
        .arg(file);
    run(tar.arg("--directory").arg(folder).args(what))
}

/// As Go calls it.
fn architecture() -> &'static str {
    match std::env::consts::ARCH {
        "aarch64" => "arm64",
        "x86_64" => "amd64",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_files_that_a_program_needs_are_read() {
        let list = "\tlinux-vdso.so.1 (0x00007ffd)\n\
                    \tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f1)\n\
                    \t/lib64/ld-linux-x86-64.so.2 (0x00007f2)\n";
        let found: Vec<_> = libraries(list).collect();
        let wanted = [
            "/lib/x86_64-linux-gnu/libc.so.6",
            "/lib64/ld-linux-x86-64.so.2",
        ];
        assert_eq!(found, wanted);
        assert_eq!(libraries("\tstatically linked\n").count(), 0);
    }

    #[test]
    fn an_actor_that_was_built_anew_is_another_one() {
        let folder = tempfile::tempdir().unwrap();
        let (actor, sum) = (folder.path().join("actor"), folder.path().join("sum"));
        fs::write(&actor, "old").unwrap();
        assert!(!is_sum_of(&sum, &actor).unwrap());

        fs::write(&sum, checksum(&actor).unwrap()).unwrap();
        assert!(is_sum_of(&sum, &actor).unwrap());

        fs::write(&actor, "new").unwrap();
        assert!(!is_sum_of(&sum, &actor).unwrap());
    }
}
