//! The machine does not let a pod have what it wants: all of it is told at once, with its places, and nothing is started.

use super::machine::skip;
use super::pod::{Pod, Running};
use std::net::TcpListener;
use std::process::Command;

const WANTS: &str = "
  restartPolicy: Never
  volumes: [{name: data, emptyDir: {}}]
  containers:
    - name: mounts
      command: [echo, started]
      volumeMounts: [{name: data, mountPath: /data}]
    - name: silent
      command: [echo, started]
      network: none
    - {name: nothing, image: busybox}
";

/// Root in a user namespace in which no others can be made.
fn confined(pod: &Pod) -> Command {
    let mut command = Command::new("unshare");
    pod.dress(&mut command);
    let script = "cd /proc/sys/user; echo 0 > max_mnt_namespaces; echo 0 > max_net_namespaces; \
                  cd \"$OLDPWD\"; exec \"$0\" run pod.yaml";
    let pillion = env!("CARGO_BIN_EXE_pillion");
    command.args(["--user", "--map-root-user", "sh", "-c", script, pillion]);
    command
}

fn can_be_confined() -> bool {
    let mut command = Command::new("unshare");
    let tried = command.args(["--user", "--map-root-user", "true"]).status();
    tried.is_ok_and(|status| status.success())
}

#[test]
fn all_that_cannot_be_had_is_told_before_anything_starts() {
    if !can_be_confined() {
        return skip("there are no users of one's own here");
    }
    let pod = Pod::new(WANTS);

    let ended = Running::start(confined(&pod)).end();

    assert_eq!(ended.code, 125, "{ended:?}");
    assert_eq!(ended.lines, [] as [&str; 0]);
    let name = &pod.name;
    let expected = format!(
        "error: `{name}` cannot be run on this machine
  pod.yaml:11:7: container `mounts` cannot get a view of the file system of its own: there are as many namespaces as the settings below user. allow: No space left on device (os error 28)
  pod.yaml:14:7: container `silent` cannot get a network of its own: there are as many namespaces as the settings below user. allow: No space left on device (os error 28)
  pod.yaml:15:7: container `nothing` has no `command`, and what its image `busybox` runs is not known here
help: "
    );
    assert!(ended.notes.starts_with(&expected), "{}", ended.notes);
    for hint in ["PILLION_VOLUME_<NAME>", "`network: none`", "command: ["] {
        assert!(ended.notes.contains(hint), "{}", ended.notes);
    }
    pod.assert_nothing_is_left();
}

#[test]
fn whatever_keeps_it_from_being_run_is_told_at_once() {
    let pod = Pod::new("");
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let folder = pod.file().parent().unwrap().display().to_string();
    pod.write(&format!(
        "
  volumes:
    - {{name: gone, hostPath: {{path: {folder}/gone, type: Directory}}}}
    - {{name: other, hostPath: {{path: {folder}/pod.yaml, type: Socket}}}}
    - {{name: settings, configMap: {{name: settings}}}}
    - {{name: made, hostPath: {{path: {folder}/made}}}}
  containers:
    - name: lacks
      command: [echo, started]
      envFrom: [{{secretRef: {{name: keys}}}}]
      volumeMounts: [{{name: made, mountPath: {folder}/inside}}]
    - name: hears
      command: [echo, started]
      listen: ['{address}', '{folder}/made/socket']
    - {{name: nothing, image: busybox}}
"
    ));

    let ended = pod.run();

    assert_eq!(ended.code, 125, "{ended:?}");
    assert_eq!(ended.lines, [] as [&str; 0]);
    let notes = ended.notes.replace(&format!("{folder}/"), "");
    let expected = format!(
        "error: `{}` cannot be run on this machine
  pod.yaml:7:7: volume `gone` cannot be had: the host path gone is not there; its type is `Directory`
  pod.yaml:8:7: volume `other` cannot be had: the host path pod.yaml is a file; its type is `Socket`
  pod.yaml:9:7: volume `settings` needs the ConfigMap `settings`, which is not in the file
  pod.yaml:14:18: `envFrom` of container `lacks` needs the Secret `keys`, which is not in the file
  pod.yaml:15:22: the mount at `inside` of container `lacks` is not on this machine, and so what the container writes beside it in `{folder}` would be lost
  pod.yaml:18:16: container `hears` cannot listen on {address}: Address already in use (os error 98)
  pod.yaml:19:7: container `nothing` has no `command`, and what its image `busybox` runs is not known here
help: line 7: make it, or write `DirectoryOrCreate` as its type
      line 8: correct the type, or leave it out
      line 9: add a ConfigMap named `settings` to the file, or `optional: true` where it is used
      line 14: add a Secret named `keys` to the file, or `optional: true` where it is used
      line 15: make `inside` first, or choose another `mountPath`, such as one right below `/`
      line 18: stop whoever listens there, or choose another address
      line 19: containers run as host processes, without their images; add what it runs to the container: ",
        pod.name
    );
    assert!(notes.starts_with(&expected), "{notes}");
    assert!(!pod.path("made").exists(), "something was made");
    pod.assert_nothing_is_left();
}

#[test]
fn what_could_never_be_is_told_before_anything_starts() {
    let pod = Pod::new(
        "
  containers:
    - {name: first, command: [echo, began]}
    - name: app
      network: none
      readinessProbe: {tcpSocket: {port: 80}}
      command: [sleep, '1000']
",
    );

    let ended = pod.run();

    assert_eq!(ended.code, 125, "{ended:?}");
    let why = "has `network: none`, and its `readinessProbe` asks it over the network";
    assert!(ended.notes.contains(why), "{ended:?}");
    assert!(!ended.said("began"), "{ended:?}");
}

#[test]
fn a_pod_that_was_not_started_hides_no_earlier_run() {
    let pod =
        Pod::new("  restartPolicy: Never\n  containers: [{name: app, command: [echo, one]}]\n");
    assert_eq!(pod.run().code, 0);
    pod.write("  containers: [{name: app, image: busybox}]\n");
    assert_eq!(pod.run().code, 125);

    for command in ["logs", "trace"] {
        let mut shown = Command::new(env!("CARGO_BIN_EXE_pillion"));
        pod.dress(&mut shown);
        let shown = shown.args([command, &pod.name]).output().unwrap();

        let error = String::from_utf8_lossy(&shown.stderr);
        assert!(shown.status.success(), "{command}: {error}");
        let text = String::from_utf8_lossy(&shown.stdout);
        assert!(text.contains("app"), "{command}: {text}");
    }
    let runs = pod.first_run().with_file_name("2");
    assert!(!runs.exists(), "{} is left", runs.display());
}
