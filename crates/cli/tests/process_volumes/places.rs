//! Where volumes are mounted, and what becomes of what is written beside them.

use super::machine::can_mount;
use super::pod::Pod;
use std::fs;

/// A pod of one container that writes into the folder that it works in, with these volumes.
fn pod(volumes: &str, mounts: &str, more: &str) -> Pod {
    Pod::new(&format!(
        "
  restartPolicy: Never
  volumes: [{volumes}]
  containers:
    - name: app
      command: [sh, -c, 'echo built > out.txt']
      volumeMounts: [{mounts}]
{more}"
    ))
}

const CACHE: &str = "{name: cache, emptyDir: {}}";

/// It is refused before anything starts, with these words.
fn assert_refused(pod: &Pod, words: &[&str]) {
    let ended = pod.run();
    assert_eq!(ended.code, 125, "{ended:?}");
    for word in words {
        assert!(ended.notes.contains(word), "{word}: {}", ended.notes);
    }
    assert!(!pod.path("out.txt").exists());
    pod.assert_nothing_is_left();
}

fn mount(pod: &Pod, name: &str) -> String {
    let path = pod.path(name).canonicalize().unwrap_or(pod.path(name));
    format!("{{name: cache, mountPath: {}}}", path.display())
}

#[test]
fn what_is_written_beside_a_mount_is_not_lost() {
    if !can_mount() {
        return;
    }
    let missing = pod(CACHE, "", "");
    let spec = fs::read_to_string(missing.file()).unwrap();
    let mounts = mount(&missing, "cache");
    let spec = spec.replace("volumeMounts: []", &format!("volumeMounts: [{mounts}]"));
    fs::write(missing.file(), spec).unwrap();
    let place = missing.path("cache");
    let place = place.to_str().unwrap();
    assert_refused(&missing, &["pod.yaml:", "would be lost", place, "first"]);

    fs::create_dir(missing.path("cache")).unwrap();
    let ended = missing.run();

    assert_eq!(ended.code, 0, "{ended:?}");
    let out = fs::read_to_string(missing.path("out.txt")).unwrap();
    assert_eq!(out, "built\n");
}

#[test]
fn a_mount_on_a_host_path_needs_its_place_there() {
    if !can_mount() {
        return;
    }
    let host = tempfile::tempdir().unwrap();
    let volumes = format!(
        "{CACHE}, {{name: host, hostPath: {{path: {}}}}}",
        host.path().display()
    );
    let mounts = "{name: host, mountPath: /pillion-h}, {name: cache, mountPath: /pillion-h/cache}";
    let pod = pod(&volumes, mounts, "      workingDir: /pillion-h\n");
    let needed = host.path().join("cache");
    assert_refused(
        &pod,
        &["host path", &format!("make `{}`", needed.display())],
    );

    fs::create_dir(&needed).unwrap();
    let ended = pod.run();

    assert_eq!(ended.code, 0, "{ended:?}");
    let out = fs::read_to_string(host.path().join("out.txt")).unwrap();
    assert_eq!(out, "built\n");
}

#[test]
fn a_mount_in_a_folder_that_all_write_to_is_refused() {
    if !can_mount() {
        return;
    }
    let name = format!("pillion-missing-{}", std::process::id());
    let mounts = format!("{{name: cache, mountPath: /tmp/{name}/in}}");
    let ready = "      readyOn: {file: /tmp/x}\n";

    assert_refused(&pod(CACHE, &mounts, ready), &["would be lost", "`/tmp`"]);
}

#[test]
fn a_place_where_nothing_can_be_mounted_is_told_before_anything_starts() {
    if !can_mount() {
        return;
    }
    let places = [
        ("/proc/new", "the system itself is in `/proc`"),
        ("/", "it would hide everything else"),
        ("/etc/passwd/new", "`/etc/passwd` is a file"),
        ("/etc/passwd", "the volume is a folder"),
    ];
    for (place, why) in places {
        let mounts = format!("{{name: cache, mountPath: {place}}}");
        assert_refused(&pod(CACHE, &mounts, ""), &["pod.yaml:", place, why]);
    }
}
