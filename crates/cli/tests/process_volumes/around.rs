//! What a file wants around a container is what its process finds: nothing of it is lost on the way.

use super::machine::{can_leave_the_network, can_limit, can_mount};
use super::pod::{Ended, Pod};
use std::fs;

/// Runs a pod to its end.
fn run(spec: &str) -> Ended {
    let pod = Pod::new(spec);
    let ended = pod.run();
    pod.assert_nothing_is_left();
    ended
}

#[test]
fn what_is_to_be_read_only_cannot_be_written_to() {
    if !can_mount() {
        return;
    }
    let ended = run("
  restartPolicy: Never
  volumes:
    - {name: data, emptyDir: {}}
    - {name: settings, configMap: {name: settings}}
  containers:
    - name: app
      volumeMounts:
        - {name: data, mountPath: /pillion-test/open}
        - {name: data, mountPath: /pillion-test/closed, readOnly: true}
        - {name: data, mountPath: /pillion-test/part, subPath: part, readOnly: true}
        - {name: settings, mountPath: /pillion-test/settings}
      command:
        - sh
        - -c
        - 'for at in open closed part settings; do (echo > /pillion-test/$at/file) 2> /dev/null && echo wrote $at; done; true'
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {colour: red}
");
    assert_eq!(ended.lines, ["app | wrote open"], "{ended:?}");
}

#[test]
fn one_that_wants_no_network_has_none_of_the_machines() {
    if !can_leave_the_network() {
        return;
    }
    let ended = run("
  restartPolicy: Never
  containers:
    - {name: app, network: none, command: [readlink, /proc/self/ns/net]}
");
    let own = fs::read_link("/proc/self/ns/net").unwrap();
    let line = format!("app | {}", own.display());
    assert_eq!(ended.lines.len(), 1, "{ended:?}");
    assert_ne!(ended.lines, [line], "{ended:?}");
}

#[test]
fn one_that_takes_more_memory_than_it_may_is_killed_and_shown_so() {
    if !can_limit("memory") {
        return;
    }
    let ended = run("
  restartPolicy: Never
  containers:
    - name: app
      resources: {limits: {memory: 50Mi}}
      command: [sh, -c, 'head -c 300000000 /dev/zero | tail -c 300000000 > /dev/null; sleep 0.1; exit 3']
");
    assert_eq!(ended.code, 3, "{ended:?}");
    assert!(
        ended.notes.contains("app exited 3 (out of memory)"),
        "{ended:?}"
    );
}

#[test]
fn a_file_that_tells_of_readiness_is_found_in_a_volume() {
    if !can_mount() {
        return;
    }
    let ended = run("
  restartPolicy: Never
  volumes: [{name: data, emptyDir: {}}]
  containers:
    - name: store
      sidecar: true
      readyOn: {file: /pillion-test/ready}
      startTimeoutSeconds: 60
      restartPolicy: Never
      volumeMounts: [{name: data, mountPath: /pillion-test, subPath: store}]
      command: [sh, -c, 'touch /pillion-test/ready; exec sleep 1000']
    - {name: app, requires: [store], command: [echo, reached]}
");
    assert!(ended.said("reached"), "{ended:?}");
}

#[test]
fn what_is_not_kept_is_said_once() {
    let ended = run("
  restartPolicy: Never
  containers:
    - {name: app, command: ['true'], securityContext: {readOnlyRootFilesystem: true}}
    - {name: web, command: ['true'], securityContext: {readOnlyRootFilesystem: true}}
");
    let warnings = ended.notes.matches("warning: not kept by host processes");
    assert_eq!((ended.code, warnings.count()), (0, 1), "{ended:?}");
}
