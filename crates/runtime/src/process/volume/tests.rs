//! Volumes from the text of a pod file.

use super::{VolumeContent, VolumeFile, VolumePlan};
use crate::process::recipe::tests::fixture::Written;
use insta::assert_snapshot;
use pillion_spec::volume::HostPathType;
use std::fmt::Write as _;

const CONFIG: &str =
    "kind: ConfigMap, metadata: {name: c}, data: {a: one, b: two}, binaryData: {bin: /w==}";
const SECRET: &str = "kind: Secret, metadata: {name: s}, data: {p: cHc=}, stringData: {a: secret}";

fn pod(volume: &str) -> Written {
    let pod = Written::new(&format!(
        "securityContext: {{fsGroup: 7}}\n  \
         containers: [{{name: app, command: [x], resources: {{limits: {{cpu: 250m}}}}}}]\n  \
         volumes: [{{name: v, {volume}}}]"
    ));
    pod.beside(CONFIG).beside(SECRET)
}

fn plan(volume: &str) -> VolumePlan {
    pod(volume).recipes().unwrap().volumes.remove(0)
}

/// The files of a volume, one a line.
fn files(volume: &str) -> String {
    let VolumeContent::Files(files) = plan(volume).content else {
        panic!("no files: {volume}");
    };
    let mut text = String::new();
    for VolumeFile {
        path,
        mode,
        content,
    } in files
    {
        let content = content.escape_ascii();
        writeln!(text, "{} {mode:04o} {content}", path.display()).unwrap();
    }
    text
}

#[test]
fn an_empty_folder_has_a_place_and_a_group() {
    let plan = plan("emptyDir: {medium: Memory, sizeLimit: 1Mi}");
    let content = VolumeContent::Folder {
        memory: true,
        size_limit: Some(1 << 20),
    };
    assert_eq!((plan.content, plan.group), (content, Some(7)));
    assert_eq!(plan.path.to_str(), Some("/state/volumes/v"));
}

#[test]
fn a_host_path_is_where_it_says() {
    let plan = plan("hostPath: {path: /srv/x, type: DirectoryOrCreate}");
    let content = VolumeContent::HostPath(HostPathType::DirectoryOrCreate);
    assert_eq!(
        (plan.path.to_str(), plan.content),
        (Some("/srv/x"), content)
    );
}

#[test]
fn all_keys_are_files() {
    assert_snapshot!(files("configMap: {name: c}"), @r"
    a 0644 one
    b 0644 two
    bin 0644 \xff
    ");
    assert_snapshot!(files("secret: {secretName: s, defaultMode: 0400}"), @"
    a 0400 secret
    p 0400 pw
    ");
}

#[test]
fn chosen_keys_are_files_with_their_own_names_and_modes() {
    let items = "[{key: a, path: x/./y, mode: 0600}, {key: b, path: z}]";
    assert_snapshot!(files(&format!("configMap: {{name: c, defaultMode: 0440, items: {items}}}")), @"
    x/y 0600 one
    z 0440 two
    ");
}

#[test]
fn what_may_be_missing_is_left_out() {
    assert_eq!(files("secret: {secretName: none, optional: true}"), "");
    let items = "[{key: a, path: a}, {key: none, path: b}]";
    assert_snapshot!(files(&format!("configMap: {{name: c, optional: true, items: {items}}}")), @"a 0644 one");
}

#[test]
fn a_pod_tells_of_itself_in_files() {
    let items = "[{path: labels, fieldRef: {fieldPath: metadata.labels}}, \
                 {path: notes, fieldRef: {fieldPath: metadata.annotations}, mode: 0600}, \
                 {path: cpu, resourceFieldRef: {containerName: app, resource: limits.cpu, divisor: 1m}}]";
    assert_snapshot!(files(&format!("downwardAPI: {{items: {items}}}")), @r#"
    cpu 0644 250
    labels 0644 app=\"shop\"\ntier=\"web\"
    notes 0600 note=\"a \\\"b\\\"\\n\"
    "#);
}

#[test]
fn later_parts_of_a_projection_win() {
    let sources = "[{configMap: {name: c}}, {secret: {name: s, items: [{key: a, path: a, mode: 0400}]}}, \
                   {downwardAPI: {items: [{path: d/name, fieldRef: {fieldPath: metadata.name}}]}}]";
    assert_snapshot!(files(&format!("projected: {{defaultMode: 0640, sources: {sources}}}")), @r"
    a 0400 secret
    b 0640 two
    bin 0640 \xff
    d/name 0640 orders
    ");
}

#[test]
fn what_is_missing_is_told_with_the_way_out() {
    let missing = [
        "configMap: {name: none}",
        "secret: {secretName: s, items: [{key: none, path: x}]}",
        "projected: {sources: [{secret: {name: none}}]}",
    ];
    assert_snapshot!(missing.map(|volume| pod(volume).wrong()).concat(), @"
    spec.volumes[0]: volume `v` needs the ConfigMap `none`, which is not in the file
      help: add a ConfigMap named `none` to the file, or `optional: true` where it is used
    spec.volumes[0]: volume `v` needs the key `none`, which the Secret `s` does not have
      help: it has `a`, `p`; add the key to the Secret `s`, or `optional: true` where it is used
    spec.volumes[0]: volume `v` needs the Secret `none`, which is not in the file
      help: add a Secret named `none` to the file, or `optional: true` where it is used
    ");
}

#[test]
fn what_needs_a_cluster_is_refused_by_name() {
    let kinds = [
        "persistentVolumeClaim: {claimName: c}",
        "nfs: {server: a, path: /}",
        "projected: {sources: [{serviceAccountToken: {path: token}}]}",
    ];
    assert_snapshot!(kinds.map(|volume| pod(volume).wrong()).concat(), @"
    spec.volumes[0]: volume `v` is of the kind `persistentVolumeClaim`, which needs a cluster
      help: on this machine use `emptyDir: {}`, or `hostPath: {path: …}` for files that stay
    spec.volumes[0]: volume `v` is of the kind `nfs`, which needs a cluster
      help: on this machine use `emptyDir: {}`, or `hostPath: {path: …}` for files that stay
    spec.volumes[0]: volume `v` has a part of the kind `serviceAccountToken`, which needs a cluster
      help: on this machine leave it out, or put its files into a Secret
    ");
}

#[test]
fn what_no_disk_can_hold_is_refused() {
    let odd = [
        "emptyDir: {medium: HugePages}",
        "hostPath: {path: data}",
        "configMap: {name: c, items: [{key: a, path: x}, {key: b, path: x/y}]}",
    ];
    let slash = "kind: ConfigMap, metadata: {name: odd}, data: {\"../x\": y}";
    let text = odd.map(|volume| pod(volume).wrong()).concat();
    assert_snapshot!(text + &pod("configMap: {name: odd}").beside(slash).wrong(), @"
    spec.volumes[0]: volume `v` is an emptyDir on the medium `HugePages`, which is not known here
      help: leave it out, or write `medium: Memory`
    spec.volumes[0]: volume `v` has the host path `data`, which is not absolute
      help: write the whole path, from `/`
    spec.volumes[0]: volume `v` has both the file `x` and files below it, such as `x/y`
    spec.volumes[0]: volume `v` has a path that leads out of the volume: `../x`
      help: write a relative path without `..`
    ");
}

#[test]
fn what_stands_in_a_file_is_not_shown_by_accident() {
    let plan = plan("secret: {secretName: s}");
    assert!(!format!("{plan:?}").contains("secret"), "{plan:?}");
}
