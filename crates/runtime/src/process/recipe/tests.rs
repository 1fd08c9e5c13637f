//! Recipes from the text of a pod file.

mod action;
pub(in crate::process) mod fixture;
mod identity;
mod mount;

use super::PIDS_LIMIT;
use crate::guard::cgroup::CgroupLimits;
use fixture::{Written, app};
use insta::assert_snapshot;
use pillion_spec::container::TerminationMessagePolicy;
use pillion_spec::pillion::ReadyOn;

#[test]
fn command_and_arguments_follow_each_other() {
    let recipe =
        Written::new("containers: [{name: app, command: [sh, -c], args: [exit 3]}]").recipe();
    assert_eq!(recipe.command, ["sh", "-c", "exit 3"]);
}

#[test]
fn commands_know_the_variables_of_the_pod_but_not_those_of_the_machine() {
    let pod = "containers:\n    - name: app\n      command: [\"$(WHAT)\", \"$(HOME)\", \"$$(WHAT)\"]\n      \
               args: [\"$(PILLION)\", \"$(NOTHING)\"]\n      env: [{name: WHAT, value: echo}]";
    let given = fixture::variables(&[("PILLION", "/bin/pillion")]);
    let pod = Written::new(pod).running(|run| drop(run.variables.insert("app".into(), given)));
    let command = pod.recipe().command;
    assert_eq!(
        command,
        ["echo", "$(HOME)", "$(WHAT)", "/bin/pillion", "$(NOTHING)"]
    );
}

#[test]
fn undo_is_expanded_like_the_command_it_reverses() {
    let recipe =
        app("oneshot: true\nundo: [rm, \"$(FILE)\"]\nenv: [{name: FILE, value: /x}]").recipe();
    assert_eq!(recipe.undo.unwrap(), ["rm", "/x"]);
}

#[test]
fn a_container_without_a_command_is_told_what_to_add() {
    let pod =
        Written::new("containers: [{name: app, image: \"shop/app:7\"}, {name: b, args: [x]}]");
    assert_snapshot!(pod.wrong(), @r#"
    spec.containers[0].command: container `app` has no `command`, and what its image `shop/app:7` runs is not known here
      help: containers run as host processes, without their images; add what it runs to the container: `command: ["/path/to/program"]`
            `docker image inspect shop/app:7` shows it as Entrypoint and Cmd
    spec.containers[1].command: container `b` has `args`, but no `command`, so there is nothing to run
      help: add what it runs to the container: `command: ["/path/to/program"]`
    "#);
}

#[test]
fn a_command_with_a_nul_character_is_refused() {
    let pod = Written::new("containers: [{name: app, command: [\"a\\0b\"]}]");
    assert_snapshot!(pod.wrong(), @"spec.containers[0].command: container `app` has a NUL character in its command");
}

#[test]
fn all_that_is_wrong_in_a_pod_is_told_at_once() {
    let pod = Written::new(
        "containers:\n    - {name: app, env: [{name: A, valueFrom: {configMapKeyRef: {name: c, key: k}}}]}\n    \
         - {name: b, command: [x], envFrom: [{secretRef: {name: s}}]}\n  \
         volumes: [{name: v, persistentVolumeClaim: {claimName: c}}]",
    );
    assert_snapshot!(pod.wrong(), @r#"
    spec.containers[0].env[0]: variable `A` of container `app` needs the ConfigMap `c`, which is not in the file
      help: add a ConfigMap named `c` to the file, or `optional: true` where it is used
    spec.containers[0].command: container `app` has no `command`, so there is nothing to run
      help: add what it runs to the container: `command: ["/path/to/program"]`
    spec.containers[1].envFrom[0].secretRef: `envFrom` of container `b` needs the Secret `s`, which is not in the file
      help: add a Secret named `s` to the file, or `optional: true` where it is used
    spec.volumes[0]: volume `v` is of the kind `persistentVolumeClaim`, which needs a cluster
      help: on this machine use `emptyDir: {}`, or `hostPath: {path: …}` for files that stay
    "#);
}

#[test]
fn what_a_container_is_besides_is_taken_over() {
    let recipe = app(
        "workingDir: /srv\nstdin: true\nstdinOnce: true\ntty: true\nnetwork: none\nreadyOn: notify\n\
         listen: [8080]\nterminationMessagePath: /tmp/last\n\
         terminationMessagePolicy: FallbackToLogsOnError\nlifecycle: {stopSignal: SIGRTMIN+3}\n\
         securityContext: {allowPrivilegeEscalation: false}",
    )
    .recipe();
    assert_eq!(recipe.working_dir.as_deref(), Some("/srv"));
    assert!(recipe.stdin && recipe.stdin_once && recipe.tty);
    assert!(recipe.no_network && recipe.no_new_privileges);
    assert_eq!(recipe.ready_on, Some(ReadyOn::Notify));
    assert_eq!(recipe.listen.len(), 1);
    assert_eq!(recipe.termination_message_path, "/tmp/last");
    let fallback = TerminationMessagePolicy::FallbackToLogsOnError;
    assert_eq!(recipe.termination_message_policy, fallback);
    assert_eq!(recipe.stop_signal, 37);
}

#[test]
fn a_container_that_says_little_gets_the_defaults() {
    let recipe = app("").recipe();
    assert_eq!(recipe.stop_signal, 15);
    assert_eq!(recipe.termination_message_path, "/dev/termination-log");
    assert_eq!(recipe.limits, CgroupLimits::default());
    assert!(!recipe.no_network && !recipe.no_new_privileges);
    assert!(recipe.hooks.is_empty() && recipe.probes.is_empty());
    assert!(recipe.env_files.is_empty() && recipe.undo.is_none());
}

#[test]
fn limits_are_thousandths_and_bytes_and_zero_is_none() {
    let limits = |text: &str| {
        app(&format!("resources: {{limits: {text}}}"))
            .recipe()
            .limits
    };
    let expected = CgroupLimits {
        cpu_milli: Some(1500),
        memory: Some(64 << 20),
        pids: None,
    };
    assert_eq!(limits("{cpu: 1.5, memory: 64Mi}"), expected);
    assert_eq!(limits("{cpu: 0, memory: 0}"), CgroupLimits::default());
}

#[test]
fn an_annotation_limits_the_processes_of_each_container() {
    let limited = |text: &str| app("args: []").annotated(PIDS_LIMIT, text);
    assert_eq!(limited("100").recipe().limits.pids, Some(100));
    assert_snapshot!(limited("0").wrong() + &limited("many").wrong(), @r#"
    metadata.annotations: the pod has the annotation `pillion.dev/pids-limit` with `0`, which is no number of processes
      help: write a number in quotes, for example `"100"`
    metadata.annotations: the pod has the annotation `pillion.dev/pids-limit` with `many`, which is no number of processes
      help: write a number in quotes, for example `"100"`
    "#);
}

#[test]
fn an_unknown_stop_signal_is_refused() {
    let pod = app("lifecycle: {stopSignal: SIGFOO}");
    assert_snapshot!(pod.wrong(), @"
    spec.containers[0].lifecycle.stopSignal: container `app` has the `stopSignal` `SIGFOO`, which is no signal of this system
      help: for example `SIGTERM`, `SIGINT` or `SIGRTMIN+3`
    ");
}

#[test]
fn containers_of_all_lists_have_recipes() {
    let pod = Written::new(
        "initContainers: [{name: init, command: [a]}]\n  containers: [{name: app, command: [b]}]",
    );
    let recipes = pod.recipes().unwrap();
    assert_eq!(
        recipes.containers.keys().collect::<Vec<_>>(),
        ["app", "init"]
    );
}
