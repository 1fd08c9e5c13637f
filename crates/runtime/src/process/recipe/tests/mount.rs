//! Mounts.

use super::fixture::Written;
use crate::process::recipe::MountRecipe;
use crate::process::volume::Shape;
use insta::assert_snapshot;
use std::path::Path;

const VOLUMES: &str = "volumes:\n  - {name: data, emptyDir: {}}\n  - {name: fast, emptyDir: {medium: Memory}}\n  \
                       - {name: host, hostPath: {path: /etc/hosts, type: File}}\n  \
                       - {name: conf, configMap: {name: c, optional: true}}";

fn pod(mounts: &str) -> Written {
    let volumes = VOLUMES.replace('\n', "\n  ");
    Written::new(&format!(
        "{volumes}\n  containers:\n    - name: app\n      command: [x]\n      \
         env: [{{name: WHO, value: me}}, {{name: UP, value: ..}}, {{name: NONE, value: \"\"}}]\n      \
         volumeMounts: {mounts}"
    ))
}

fn mount(mount: &str) -> MountRecipe {
    pod(&format!("[{mount}]")).recipe().mounts.remove(0)
}

#[test]
fn a_volume_is_mounted_where_it_is_asked_for() {
    let mount = mount("{name: data, mountPath: /data}");
    assert_eq!(mount.source(), Path::new("/state/volumes/data"));
    assert_eq!(mount.target, Path::new("/data"));
    assert_eq!(mount.shape, Shape::Folder);
    assert!(!mount.read_only);
}

#[test]
fn a_part_of_a_volume_is_below_it() {
    let mount = mount("{name: data, mountPath: /data, subPath: ./a//b}");
    assert_eq!(mount.source(), Path::new("/state/volumes/data/a/b"));
    assert_eq!(mount.shape, Shape::AsFound);
}

#[test]
fn an_expression_knows_the_variables() {
    let mount = mount("{name: data, mountPath: /data, subPathExpr: logs/$(WHO)}");
    assert_eq!(mount.source(), Path::new("/state/volumes/data/logs/me"));
}

#[test]
fn an_expression_needs_values_and_stays_inside() {
    let pod = pod(
        "[{name: data, mountPath: /a, subPathExpr: \"$(NOBODY)/$(NONE)\"}, \
                    {name: data, mountPath: /b, subPathExpr: \"x/$(UP)\"}]",
    );
    assert_snapshot!(pod.wrong(), @"
    spec.containers[0].volumeMounts[0]: the mount at `/a` of container `app` has a `subPathExpr` with variables that have no value: NOBODY, NONE
      help: give it a value under `env`: `- {name: NOBODY, value: …}`
    spec.containers[0].volumeMounts[1]: the mount at `/b` of container `app` has a path that leads out of the volume: `x/..`
      help: write a relative path without `..`
    ");
}

#[test]
fn targets_begin_at_the_root_and_have_no_steps_back() {
    assert_eq!(
        mount("{name: data, mountPath: data}").target,
        Path::new("/data")
    );
    assert_eq!(
        mount("{name: data, mountPath: /a/./b/../c/}").target,
        Path::new("/a/c")
    );
    assert_eq!(
        mount("{name: data, mountPath: /../../x}").target,
        Path::new("/x")
    );
}

#[test]
fn what_comes_from_objects_cannot_be_written_to() {
    assert!(mount("{name: conf, mountPath: /c}").read_only);
    assert!(mount("{name: data, mountPath: /c, readOnly: true}").read_only);
}

#[test]
fn read_only_all_the_way_down_needs_read_only_at_the_top() {
    let deep =
        |rest: &str| format!("{{name: data, mountPath: /c, recursiveReadOnly: Enabled{rest}}}");
    assert!(mount(&deep(", readOnly: true")).read_only);
    assert!(!mount("{name: data, mountPath: /c, recursiveReadOnly: Disabled}").read_only);
    assert_snapshot!(pod(&format!("[{}]", deep(""))).wrong(), @"
    spec.containers[0].volumeMounts[0]: the mount at `/c` of container `app` is `recursiveReadOnly`, but not `readOnly`
      help: add `readOnly: true`
    ");
    let travelling = deep(", readOnly: true, mountPropagation: HostToContainer");
    assert_snapshot!(pod(&format!("[{travelling}]")).wrong(), @"
    spec.containers[0].volumeMounts[0]: the mount at `/c` of container `app` is `recursiveReadOnly`, which goes with no mount propagation but `None`
      help: remove `mountPropagation` or `recursiveReadOnly`
    ");
}

#[test]
fn what_makes_no_difference_to_a_process_makes_none_to_its_recipe() {
    let read_only = |rest: &str| {
        mount(&format!(
            "{{name: data, mountPath: /c, readOnly: true{rest}}}"
        ))
    };
    let plain = read_only("");
    assert_eq!(read_only(", recursiveReadOnly: Enabled"), plain);
    assert_eq!(read_only(", mountPropagation: HostToContainer"), plain);
}

#[test]
fn a_host_path_is_its_own_place_and_tells_its_shape() {
    let mount = mount("{name: host, mountPath: /h}");
    assert_eq!(mount.source(), Path::new("/etc/hosts"));
    assert_eq!(mount.shape, Shape::File);
}

#[test]
fn memory_has_a_place_of_its_own_where_there_is_one() {
    let mounts = "[{name: fast, mountPath: /f}]";
    let source = |pod: Written| pod.recipe().mounts.remove(0).source();
    assert_eq!(source(pod(mounts)), Path::new("/state/volumes/fast"));
    let pod = pod(mounts).running(|run| run.memory_volumes = Some("/dev/shm/x".into()));
    assert_eq!(source(pod), Path::new("/dev/shm/x/fast"));
}

#[test]
fn a_volume_that_is_not_there_and_devices_are_refused() {
    let pod = Written::new(
        "containers: [{name: app, command: [x], volumeMounts: [{name: data, mountPath: /d}], \
         volumeDevices: [{name: disk, devicePath: /dev/x}]}]",
    );
    assert_snapshot!(pod.wrong(), @"
    spec.containers[0].volumeDevices: container `app` has `volumeDevices`, which a host process cannot be given
      help: mount the device with a `hostPath` volume of the type `BlockDevice`
    spec.containers[0].volumeMounts[0]: the mount at `/d` of container `app` needs the volume `data`, which the pod does not have
      help: add it under `spec.volumes`: `- {name: data, emptyDir: {}}`
    ");
}

#[test]
fn what_lies_below_another_mount_comes_after_it() {
    let pod = pod(
        "[{name: data, mountPath: /a/b/c}, {name: fast, mountPath: /x}, {name: conf, mountPath: /a}]",
    );
    let mounts = pod.recipe().mounts;
    let targets: Vec<_> = mounts
        .iter()
        .map(|mount| mount.target.to_str().unwrap())
        .collect();
    assert_eq!(targets, ["/x", "/a", "/a/b/c"]);
}
