//! Whole pods as real processes: the engine, the pump, the guard and the containers.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "support/scene.rs"]
mod support;

use pillion_engine::Request;
use support::{Scene, Told};

#[test]
fn a_pod_runs_to_its_end_in_the_order_of_its_graph() {
    let scene = Scene::new(
        r#"
        restartPolicy: Never
        containers:
          - {name: proxy, sidecar: true, provides: [network], readyOn: notify,
             command: [sh, -c, 'trap "echo down; exit 0" TERM; echo up; "$PILLION"; while :; do sleep 0.01; done']}
          - {name: migrate, oneshot: true, command: [echo, migrated]}
          - {name: app, keystone: true, requires: [migrate], command: [sh, -c, 'echo served; exit 3']}
        "#,
    );
    let told = scene.run();

    assert_eq!(told.code(), 3);
    assert_eq!(
        told.lines(),
        [
            "proxy: up",
            "migrate: migrated",
            "app: served",
            "proxy: down"
        ]
    );
}

#[test]
fn a_program_that_is_not_there_ends_as_a_shell_would_tell_it() {
    let scene = Scene::new(
        "
        restartPolicy: Never
        containers: [{name: app, command: [/no/such/program]}]
        ",
    );
    let told = scene.run();

    assert_eq!(told.code(), 127);
}

#[test]
fn an_undo_that_is_not_there_is_named() {
    let scene = Scene::new(
        "
        restartPolicy: Never
        containers:
          - {name: prep, oneshot: true, command: [echo, made], undo: [/no/such/undo]}
          - {name: app, keystone: true, requires: [prep], command: [echo, served]}
        ",
    );
    let told = scene.run();

    assert_eq!(told.exit_of("prep"), Some(127));
    let why = told.last_words_of("prep").unwrap();
    assert!(why.starts_with("cannot run `/no/such/undo`: "), "{why}");
}

#[test]
fn a_deletion_stops_in_order_and_kills_who_does_not_listen() {
    let scene = Scene::new(
        r#"
        terminationGracePeriodSeconds: 1
        containers:
          - {name: proxy, sidecar: true, provides: [network],
             command: [sh, -c, 'trap "echo down; exit 0" TERM; echo up; while :; do sleep 0.01; done']}
          - {name: app, command: [sh, -c, 'trap "" TERM; echo deaf; while :; do sleep 0.01; done']}
        "#,
    );
    let told = scene
        .once("app: deaf", Request::Delete { grace: None })
        .run();

    assert_eq!(told.lines(), ["proxy: up", "app: deaf", "proxy: down"]);
    assert_eq!(told.exit_of("app"), Some(137));
}

#[test]
fn containers_that_share_processes_find_and_signal_each_other() {
    let scene = Scene::new(
        r#"
        restartPolicy: Never
        shareProcessNamespace: true
        volumes: [{name: v, emptyDir: {}}]
        containers:
          - {name: app, sidecar: true, readyOn: {logLine: up},
             command: [sh, -c, 'trap "echo reloaded; touch $PILLION_VOLUME_V/done" USR1; echo $$$$ > $PILLION_VOLUME_V/pid; echo up; while :; do sleep 0.01; done']}
          - {name: reload, requires: [app],
             command: [sh, -c, 'kill -USR1 "$(cat $PILLION_VOLUME_V/pid)"; until [ -e $PILLION_VOLUME_V/done ]; do sleep 0.01; done']}
        "#,
    );
    let told = scene.run();

    assert_eq!(told.lines(), ["app: up", "app: reloaded"]);
}

#[test]
fn a_line_makes_ready_whatever_its_colours() {
    let scene = Scene::new(
        r#"
        restartPolicy: Never
        containers:
          - {name: app, sidecar: true, readyOn: {logLine: ^ready$}, startTimeoutSeconds: 60,
             command: [sh, -c, 'printf "\033[32mrea\033[0mdy\n"; exec sleep 1000']}
          - {name: next, requires: [app], command: [sh, -c, 'echo next']}
        "#,
    );

    assert!(scene.run().lines().contains(&"next: next"));
}

#[test]
fn a_hook_and_a_probe_see_what_their_container_sees() {
    let scene = Scene::new(
        r#"
        restartPolicy: Never
        volumes: [{name: shared, emptyDir: {}}]
        containers:
          - name: app
            command: [sh, -c, 'while [ ! -e /pillion/there/go ]; do sleep 0.01; done; echo "$NAME"; echo bye > /pillion/last']
            env: [{name: NAME, value: "from $(KIND)"}, {name: KIND, value: env}]
            terminationMessagePath: /pillion/last
            volumeMounts: [{name: shared, mountPath: /pillion/there}]
            readinessProbe: {exec: {command: [test, -e, /pillion/there/started]}, periodSeconds: 1}
            lifecycle: {postStart: {exec: {command: [touch, /pillion/there/started]}}}
          - name: next
            requires: [app]
            volumeMounts: [{name: shared, mountPath: /pillion/there}]
            command: [sh, -c, 'touch /pillion/there/go']
        "#,
    );
    let told: Told = scene.run();

    assert_eq!(told.lines(), ["app: from $(KIND)"]);
    assert_eq!(told.last_words_of("app").as_deref(), Some("bye\n"));
    assert!(!std::path::Path::new("/pillion").exists());
}

#[test]
fn a_oneshot_that_ends_before_its_hook_has_not_failed() {
    let scene = Scene::new(
        r#"
        restartPolicy: OnFailure
        containers:
          - name: app
            oneshot: true
            backoff: {maxRestarts: 1}
            command: [sh, -c, 'echo done; sleep 0.1']
            lifecycle: {postStart: {exec: {command: [sleep, "1000"]}}}
        "#,
    );

    let told = scene.run();

    assert_eq!(told.lines(), ["app: done"]);
    assert_eq!(told.code(), 0);
}

#[test]
fn last_words_are_found_at_the_usual_place_by_those_who_speak_of_it() {
    let scene = Scene::new(
        r"
        restartPolicy: Never
        containers:
          - {name: app, command: [sh, -c, 'echo bye > /dev/termination-log']}
        ",
    );

    let told = scene.run();

    assert_eq!(told.last_words_of("app").as_deref(), Some("bye\n"));
    assert!(!std::path::Path::new("/dev/termination-log").exists());
}

#[test]
fn a_hook_has_the_variables_that_its_process_has() {
    let scene = Scene::new(
        r#"
        restartPolicy: Never
        volumes: [{name: v, emptyDir: {}}]
        containers:
          - name: app
            readyOn: notify
            command:
              - sh
              - -c
              - |
                until [ -e "$PILLION_VOLUME_V/hook" ]; do sleep 0.01; done
                env | grep -e ^NOTIFY -e ^PILLION_T | sort > "$PILLION_VOLUME_V/process"
                wc -l < "$PILLION_VOLUME_V/hook"; cmp "$PILLION_VOLUME_V/hook" "$PILLION_VOLUME_V/process" && echo the same
            lifecycle:
              postStart:
                exec:
                  command:
                    - sh
                    - -c
                    - cd "$PILLION_VOLUME_V"; env | grep -e ^NOTIFY -e ^PILLION_T | sort > new; mv new hook
        "#,
    );
    let told = scene.run();

    assert_eq!(told.lines(), ["app: 2", "app: the same"]);
}

#[test]
fn a_container_is_told_of_volumes_that_its_file_does_not_show_it_to_use() {
    let scene = Scene::new(
        "
        restartPolicy: Never
        volumes: [{name: v, emptyDir: {}}]
        containers: [{name: app, command: [sh, -c, 'test -d \"$(printenv PILLION_VOLUME\"\"_V)\" && echo there']}]
        ",
    );
    let told = scene.run();

    assert_eq!(told.lines(), ["app: there"]);
}

#[test]
fn one_with_a_terminal_is_in_it() {
    let scene = Scene::new(
        r#"
        restartPolicy: Never
        volumes: [{name: shared, emptyDir: {}}]
        containers:
          - name: app
            tty: true
            readyOn: {logLine: ^up$}
            volumeMounts: [{name: shared, mountPath: /pillion/there}]
            command:
              - sh
              - -c
              - |
                test -t 0 && test -t 1 && test -t 2 && echo all three
                stty size < /dev/tty; echo "$TERM"
                read -r _ _ _ _ _ _ _ front _ < /proc/$$$$/stat; test "$front" = $$$$ && echo in front
                exec <&- >&- 2>&-; exec > /dev/tty 2>&1 < /dev/tty; echo up
                while [ ! -e /pillion/there/go ]; do sleep 0.01; done; echo bye >&2; exit 3
          - name: next
            requires: [app]
            volumeMounts: [{name: shared, mountPath: /pillion/there}]
            command: [sh, -c, 'touch /pillion/there/go']
        "#,
    );
    let told = scene.run();

    assert_eq!(
        told.lines(),
        ["all three", "24 80", "xterm", "in front", "up", "bye"].map(|line| format!("app: {line}"))
    );
    assert_eq!(told.exit_of("app"), Some(3));
}

#[test]
fn one_without_standard_input_reads_its_end_at_once() {
    let scene = Scene::new(
        "
        restartPolicy: Never
        containers: [{name: app, command: [sh, -c, 'cat; echo all read']}]
        ",
    );

    assert_eq!(scene.run().lines(), ["app: all read"]);
}
