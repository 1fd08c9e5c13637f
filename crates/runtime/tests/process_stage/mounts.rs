//! What a process finds at its paths, and that the host sees nothing of it.

use super::kept::{Container, Folder, every_guard, nobodys_guard, own_guard, program, unique};
use super::machine::is_root;
use pillion_runtime::guard::{Guard, Mount, MountKind, Order, Outcome, Refused, Stage};
use std::fs;
use std::path::Path;

/// What is mounted on the host where our tests have mounted something for themselves.
fn host_mounts() -> Vec<String> {
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap();
    let ours = |line: &&str| line.contains("pillion-") || line.contains(" /tmp ");
    mounts.lines().filter(ours).map(str::to_owned).collect()
}

#[test]
fn a_mount_is_found_where_the_host_has_nothing() {
    let before = host_mounts();
    for (guard, _program) in every_guard() {
        let volume = Folder::new();
        volume.write("greeting", "hello\n");
        let top = format!("/{}", unique());
        let target = format!("{top}/deep/data");

        let script = format!("cat {target}/greeting; echo answer > {target}/answer");
        let said = Container::shell(&script)
            .bind(volume.path(), &target)
            .says(&guard);

        assert_eq!(said, "hello\n");
        let answer = fs::read_to_string(volume.path().join("answer")).unwrap();
        assert_eq!(answer, "answer\n");
        assert!(!Path::new(&top).exists(), "the host has no mount point");
    }
    assert_eq!(host_mounts(), before);
}

#[test]
fn a_mount_in_a_directory_of_the_host_leaves_the_rest_of_it() {
    for (guard, _program) in every_guard() {
        let (volume, host) = (Folder::new(), Folder::new());
        volume.write("setting", "on\n");
        host.write("file", "text\n");
        host.make("folder");
        host.write("folder/inner", "");
        std::os::unix::fs::symlink("file", host.path().join("link")).unwrap();
        let at = host.path().display();

        let script =
            format!("cd {at}; cat new/setting link; stat -c %a .; find . | sort; echo more > file");
        let said = Container::shell(&script)
            .bind(volume.path(), &format!("{at}/new"))
            .says(&guard);

        let listed = [
            "./file",
            "./folder",
            "./folder/inner",
            "./link",
            "./new",
            "./new/setting",
        ];
        let lines: Vec<_> = said.lines().collect();
        assert_eq!(lines[..4], ["on", "text", "777", "."]);
        assert_eq!(lines[4..], listed);
        let file = fs::read_to_string(host.path().join("file")).unwrap();
        assert_eq!(file, "more\n", "what is on the host is still written to");
        assert!(!host.path().join("new").exists());
    }
}

#[test]
fn a_path_may_go_through_links_of_the_host() {
    for (guard, _program) in every_guard() {
        let volume = Folder::new();
        volume.write("token", "secret");
        let links = Folder::new();
        let name = unique();
        std::os::unix::fs::symlink(format!("/{name}/real"), links.path().join("link")).unwrap();
        let target = links.path().join("link/token");

        let script = format!("cat /{name}/real/token/token {}/token", target.display());
        let container = Container::shell(&script).bind(volume.path(), target.to_str().unwrap());

        assert_eq!(container.says(&guard), "secretsecret");
    }
}

#[test]
fn a_part_of_a_volume_is_looked_for_when_it_is_mounted_and_never_outside() {
    for (guard, _program) in every_guard() {
        let (volume, outside) = (Folder::new(), Folder::new());
        volume.make("folder");
        volume.write("folder/file", "inside\n");
        outside.write("file", "outside\n");
        let link = |to: &Path, name: &str| {
            std::os::unix::fs::symlink(to, volume.path().join(name)).unwrap();
        };
        link(Path::new("folder"), "near");
        link(outside.path(), "far");
        let target = format!("/{}", unique());
        let container = |part: &str| {
            let container = Container::shell(&format!("cat {target}/file"));
            container.bind(volume.path(), &target).part(part)
        };

        assert_eq!(container("near").says(&guard), "inside\n");
        let (_, message, _) = container("far").refused(&guard);
        let told = message.replace(volume.path().to_str().unwrap(), "VOLUME");
        assert_eq!(
            told,
            "cannot mount VOLUME/far: a link leads out of the volume"
        );
    }
}

#[test]
fn a_file_can_be_mounted_among_the_devices() {
    for (guard, _program) in every_guard() {
        let folder = Folder::new();
        let message = folder.write("message", "");
        let target = format!("/dev/{}", unique());

        let script = format!("echo gone wrong > {target}; echo lost > /dev/null; ls -l /dev/fd/0");
        Container::shell(&script)
            .bind(&message, &target)
            .says(&guard);

        assert_eq!(fs::read_to_string(message).unwrap(), "gone wrong\n");
        assert!(!Path::new(&target).exists());
    }
}

#[test]
fn nobody_writes_to_what_is_read_only_nor_below_it() {
    for (guard, _program) in every_guard() {
        let volume = Folder::new();
        let (target, devices) = (format!("/{}", unique()), format!("/{}", unique()));

        // Memory is mounted below the devices.
        let script = format!(
            "for at in {target} {devices}/shm; do touch $at/file 2>&1 && exit 1; done; true"
        );
        let said = Container::shell(&script)
            .bind(volume.path(), &target)
            .read_only()
            .bind(Path::new("/dev"), &devices)
            .read_only()
            .says(&guard);

        let refusals = said.lines().filter(|line| line.contains("Read-only"));
        assert_eq!(refusals.count(), 2, "{said}");
    }
}

#[test]
fn a_mount_below_another_comes_after_it_and_may_leave_its_place_in_what_is_ours() {
    for (guard, _program) in every_guard() {
        let (ours, theirs, inner) = (Folder::new(), Folder::new(), Folder::new());
        inner.write("file", "inner");
        theirs.write("kept", "kept");
        let (a, b) = (format!("/{}", unique()), format!("/{}", unique()));

        let script = format!("cat {a}/in/file {b}/in/file {b}/kept; touch {a}/new");
        let said = Container::shell(&script)
            .bind(inner.path(), &format!("{a}/in"))
            .bind(inner.path(), &format!("{b}/in"))
            .bind(ours.path(), &a)
            .taking_mounts()
            .bind(theirs.path(), &b)
            .says(&guard);

        assert_eq!(said, "innerinnerkept");
        assert!(
            ours.path().join("new").exists(),
            "a volume is written to beside a mount"
        );
        assert!(ours.path().join("in").is_dir());
        assert!(
            !theirs.path().join("in").exists(),
            "what is not ours stays as it is"
        );
    }
}

#[test]
fn memory_holds_as_much_as_it_says() {
    for (guard, _program) in every_guard() {
        let target = format!("/{}", unique());

        let script = format!(
            "head -c 65536 /dev/zero > {target}/a && ! head -c 1000000 /dev/zero > {target}/b"
        );
        let container = Container::shell(&script).tmpfs(1 << 17, &target);

        let (said, outcome, _) = container.start(&guard).ends();
        assert_eq!(outcome, Outcome::Code(0), "{said}");
    }
}

#[test]
fn a_hook_finds_what_the_process_finds() {
    for (guard, _program) in every_guard() {
        let volume = Folder::new();
        volume.write("file", "found");
        let target = format!("/{}", unique());
        let container = Container::shell("echo up; exec sleep 1000").bind(volume.path(), &target);
        let mut kept = container.start(&guard);
        kept.started();
        assert_eq!(kept.line(), "up");

        let (said, outcome) = kept.exec(&format!("cat {target}/file"));

        assert_eq!((said.as_str(), outcome), ("found", Outcome::Code(0)));
        kept.keeper.send(&Order::Kill, &[]).unwrap();
        kept.finish();
    }
}

#[test]
fn a_program_is_looked_up_in_the_containers_own_path_and_root() {
    for (guard, _program) in every_guard() {
        let bin = Folder::new();
        bin.script("greet", "#!/bin/sh\necho hello from $PWD\n");
        let closed = bin.write("closed", "");
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o644);
        fs::set_permissions(closed, mode).unwrap();
        let target = format!("/{}", unique());
        let run = |program: &str| {
            let mut container = Container::shell("").bind(bin.path(), &target);
            container.launch.command = vec![program.to_owned()];
            container.launch.environment = vec![("PATH".into(), format!("{target}:/usr/bin:/bin"))];
            container.launch.directory = Some(target.clone().into());
            container
        };

        assert_eq!(run("greet").says(&guard), format!("hello from {target}\n"));
        assert_eq!(run("closed").refused(&guard).0, Some(13));
        assert_eq!(run("missing").refused(&guard).0, Some(2));
    }
}

#[test]
fn what_cannot_be_mounted_is_refused_with_the_reason() {
    let guard = own_guard();
    let folder = Folder::new();
    let file = folder.write("file", "");
    let below = format!("{}/below", file.display());
    let on_file = file.to_str().unwrap();
    for (source, target, reason) in [
        (folder.path(), "/", "that would hide everything else"),
        (folder.path(), "relative", "does not begin with a slash"),
        (folder.path(), "/proc/sys", "the system itself is there"),
        (folder.path(), &below, "a file is in the way"),
        (
            folder.path(),
            on_file,
            "there is a file, and this is a directory",
        ),
        (&file, "/etc", "there is a directory, and this is a file"),
        (
            Path::new("/does/not/exist"),
            "/data",
            "cannot mount /does/not/exist at /data: No such file",
        ),
    ] {
        let (errno, message, _) = Container::shell("true")
            .bind(source, target)
            .refused(&guard);

        assert!(message.contains(reason), "{message}");
        assert_eq!(errno, None, "no program was looked for");
    }
}

#[test]
fn a_kernel_that_gives_no_namespaces_is_named_with_the_way_without() {
    let program = program();
    let forbid = "echo 0 > /proc/sys/user/max_mnt_namespaces; exec \"$0\"";
    let arguments = ["--user", "--map-root-user", "/bin/sh", "-c", forbid];
    let arguments = [&arguments[..], &[program.to_str().unwrap()]].concat();
    let guard = Guard::start("/usr/bin/unshare", &arguments).unwrap();
    let folder = Folder::new();

    let (_, message, hint) = Container::shell("true")
        .bind(folder.path(), "/data")
        .refused(&guard);

    assert!(
        message.contains("cannot get a view of the file system of its own"),
        "{message}"
    );
    assert!(message.contains("settings below user. allow"), "{message}");
    assert!(hint.clone().unwrap().contains("PILLION_VOLUME_<NAME>"));
    let rehearsed = guard.rehearse(Stage {
        mounts: vec![Mount {
            kind: MountKind::Tmpfs { size: None },
            target: "/pillion-rehearsal".into(),
            read_only: false,
        }],
        ..Stage::default()
    });
    assert_eq!(rehearsed.unwrap(), Some(Refused { message, hint }));
    let plain = guard.rehearse(Stage::default());
    assert_eq!(plain.unwrap(), None);
}

#[test]
fn a_process_in_a_user_namespace_is_still_who_it_was_and_has_no_rights_of_its_own() {
    let (guard, _program) = nobodys_guard();
    let volume = Folder::new();
    let container = Container::shell("id -u; grep CapEff /proc/self/status; mount -t tmpfs none /tmp 2>/dev/null || echo refused")
        .bind(volume.path(), &format!("/{}", unique()));

    let said = container.says(&guard);

    let user = if is_root() {
        65534
    } else {
        rustix::process::geteuid().as_raw()
    };
    assert_eq!(
        said,
        format!("{user}\nCapEff:\t0000000000000000\nrefused\n")
    );
}
