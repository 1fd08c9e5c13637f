//! Variables from the text of a pod file.

use super::volume_variable;
use crate::process::recipe::tests::fixture::{Written, app, variables};
use insta::assert_snapshot;

const CONFIG: &str = "kind: ConfigMap, metadata: {name: c}, data: {A: config, B: $(A), k.e-y: dotted}, \
                      binaryData: {BIN: aGk=, NOISE: /w==}";
const SECRET: &str =
    "kind: Secret, metadata: {name: s}, stringData: {A: secret, P: word}, data: {RAW: /w==}";

fn env(list: &str) -> Written {
    app(&format!("env: {list}")).beside(CONFIG).beside(SECRET)
}

#[test]
fn the_machine_comes_first_and_the_pod_wins() {
    let given = variables(&[
        ("PILLION", "/p"),
        ("PILLION_POD", "orders"),
        ("HOME", "/given"),
    ]);
    let pod = app("env: [{name: PILLION_POD, value: mine}]")
        .running(|run| drop(run.variables.insert("app".into(), given)));
    let expected = variables(&[
        ("HOME", "/given"),
        ("HOSTNAME", "orders"),
        ("PATH", "/bin"),
        ("PILLION", "/p"),
        ("PILLION_POD", "mine"),
    ]);
    assert_eq!(pod.recipe().environment, expected);
}

#[test]
fn what_was_meant_for_pillion_itself_is_not_passed_on() {
    let outer = [
        ("PATH", "/bin"),
        ("NOTIFY_SOCKET", "/run/systemd/notify"),
        ("LISTEN_FDS", "1"),
        ("PILLION", "/outer"),
        ("PILLION_VOLUME_X", "/outer/x"),
    ];
    let pod = app("").on(|host| host.environment = variables(&outer));
    let expected = variables(&[("HOSTNAME", "orders"), ("PATH", "/bin")]);
    assert_eq!(pod.recipe().environment, expected);
}

#[test]
fn the_host_name_is_the_pods() {
    let pod = |spec: &str| {
        let pod = Written::new(&format!(
            "containers: [{{name: app, command: [x]}}]\n  {spec}"
        ));
        pod.variable("HOSTNAME")
    };
    assert_eq!(pod("hostname: shop").as_deref(), Some("shop"));
    assert_eq!(pod("hostNetwork: true").as_deref(), Some("laptop"));
}

#[test]
fn a_long_host_name_is_cut() {
    let name = "a".repeat(62) + "-bc";
    let pod = app("").running(|run| run.name = name);
    assert_eq!(pod.variable("HOSTNAME"), Some("a".repeat(62)));
}

#[test]
fn references_find_what_stands_before_them() {
    let pod = env(
        "[{name: X, value: \"1\"}, {name: W, value: $(X)-$(Z)}, {name: Z, value: \"3\"}, \
                    {name: X, value: $(X)2}]",
    );
    assert_eq!(pod.variable("W").as_deref(), Some("1-$(Z)"));
    assert_eq!(pod.variable("X").as_deref(), Some("12"));
}

#[test]
fn references_do_not_find_the_machine() {
    assert_eq!(
        env("[{name: X, value: $(HOME)}]").variable("X").as_deref(),
        Some("$(HOME)")
    );
}

#[test]
fn whole_objects_come_before_single_variables_and_later_ones_win() {
    let pod = app(
        "envFrom: [{configMapRef: {name: c}}, {secretRef: {name: s}}, {prefix: C_, configMapRef: {name: c}}]\n\
         env: [{name: D, value: $(A)}, {name: P, value: own}]",
    );
    let pod = pod
        .beside(CONFIG)
        .beside("kind: Secret, metadata: {name: s}, stringData: {A: secret, P: word}");
    let expected = [
        ("A", Some("secret")),
        // Only values of `env` are expanded.
        ("B", Some("$(A)")),
        ("C_A", Some("config")),
        ("D", Some("secret")),
        ("P", Some("own")),
        // Any printable name will do since Kubernetes 1.34.
        ("k.e-y", Some("dotted")),
        ("BIN", None),
        ("NOISE", None),
    ];
    for (name, value) in expected {
        assert_eq!(pod.variable(name).as_deref(), value, "{name}");
    }
}

#[test]
fn keys_that_cannot_be_names_are_passed_over() {
    let map = "kind: ConfigMap, metadata: {name: odd}, data: {\"a=b\": x, \"ä\": y, ok: z}";
    let pod = app("envFrom: [{configMapRef: {name: odd}}]").beside(map);
    let environment = pod.recipe().environment;
    let names: Vec<_> = environment.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["HOME", "HOSTNAME", "PATH", "ok"]);
}

#[test]
fn single_keys_are_looked_up() {
    let pod = env(
        "[{name: X, valueFrom: {configMapKeyRef: {name: c, key: A}}}, \
                    {name: W, valueFrom: {secretKeyRef: {name: s, key: P}}}]",
    );
    assert_eq!(pod.variable("X").as_deref(), Some("config"));
    assert_eq!(pod.variable("W").as_deref(), Some("word"));
}

#[test]
fn what_may_be_missing_leaves_what_was_there() {
    let pod = app(
        "envFrom: [{configMapRef: {name: c}}, {secretRef: {name: none, optional: true}}]\n\
         env: [{name: A, valueFrom: {configMapKeyRef: {name: c, key: none, optional: true}}}, \
         {name: B, valueFrom: {secretKeyRef: {name: none, key: x, optional: true}}}]",
    );
    let pod = pod.beside(CONFIG);
    assert_eq!(pod.variable("A").as_deref(), Some("config"));
    assert_eq!(pod.variable("B").as_deref(), Some("$(A)"));
}

#[test]
fn what_is_missing_is_told_with_the_way_out() {
    let pod = app("envFrom: [{configMapRef: {name: none}}]\n\
         env: [{name: X, valueFrom: {secretKeyRef: {name: none, key: a}}}, \
         {name: W, valueFrom: {configMapKeyRef: {name: c, key: a}}}, \
         {name: Z, valueFrom: {configMapKeyRef: {name: c, key: BIN}}}]");
    assert_snapshot!(pod.beside(CONFIG).wrong(), @"
    spec.containers[0].envFrom[0].configMapRef: `envFrom` of container `app` needs the ConfigMap `none`, which is not in the file
      help: add a ConfigMap named `none` to the file, or `optional: true` where it is used
    spec.containers[0].env[0]: variable `X` of container `app` needs the Secret `none`, which is not in the file
      help: add a Secret named `none` to the file, or `optional: true` where it is used
    spec.containers[0].env[1]: variable `W` of container `app` needs the key `a`, which the ConfigMap `c` does not have
      help: it has `A`, `B`, `BIN`, `NOISE`, `k.e-y`; add the key to the ConfigMap `c`, or `optional: true` where it is used
    spec.containers[0].env[2]: variable `Z` of container `app` cannot hold the value of `BIN` in the ConfigMap `c`, which is not text
      help: mount it as a file of a volume: files can hold any bytes
    ");
}

#[test]
fn of_two_objects_with_one_name_the_later_counts() {
    let pod = app("envFrom: [{configMapRef: {name: c}}]").beside(CONFIG);
    let pod = pod.beside("kind: ConfigMap, metadata: {name: c}, data: {A: later}");
    assert_eq!(pod.variable("A").as_deref(), Some("later"));
}

#[test]
fn what_is_wrong_with_a_variable_is_told_once() {
    let pod = Written::new(
        "volumes: [{name: v, emptyDir: {}}]\n  containers: [{name: app, command: [x], \
         env: [{name: X, valueFrom: {secretKeyRef: {name: none, key: a}}}], \
         volumeMounts: [{name: v, mountPath: /v, subPathExpr: $(X)}]}]",
    );
    assert_eq!(pod.recipes().unwrap_err().len(), 1);
}

#[test]
fn an_object_of_another_namespace_is_not_seen() {
    let pod = app("envFrom: [{configMapRef: {name: far}}]");
    let pod = pod.beside("kind: ConfigMap, metadata: {name: far, namespace: shop}, data: {A: b}");
    assert_snapshot!(pod.wrong(), @"
    spec.containers[0].envFrom[0].configMapRef: `envFrom` of container `app` needs the ConfigMap `far`, which is in another namespace
      help: it is in `shop`, and a pod sees only its own namespace; give both the same, or none
    ");
}

#[test]
fn bytes_that_are_no_text_are_refused() {
    let pod = app("envFrom: [{secretRef: {name: s}}]\nenv: [{name: NUL, value: \"a\\0b\"}]");
    assert_snapshot!(pod.beside(SECRET).wrong(), @"
    spec.containers[0].envFrom[0].secretRef: `envFrom` of container `app` cannot hold the value of `RAW` in the Secret `s`, which is not text
      help: mount it as a file of a volume: files can hold any bytes
    spec.containers[0].env[0]: variable `NUL` of container `app` has a NUL character in its value
    ");
}

#[test]
fn a_pod_tells_of_itself() {
    let cases = [
        ("metadata.name", "orders"),
        ("metadata.namespace", "default"),
        ("metadata.uid", "0000-1111"),
        ("metadata.labels['app']", "shop"),
        ("metadata.labels['none']", ""),
        ("metadata.annotations['none']", ""),
        ("spec.nodeName", "laptop"),
        ("spec.serviceAccountName", "default"),
        ("status.hostIP", "192.0.2.7"),
        ("status.hostIPs", "192.0.2.7,2001:db8::7"),
        ("status.podIP", "127.0.0.1"),
        ("status.podIPs", "127.0.0.1"),
    ];
    for (path, value) in cases {
        let pod = env(&format!(
            "[{{name: X, valueFrom: {{fieldRef: {{fieldPath: \"{path}\"}}}}}}]"
        ));
        assert_eq!(pod.variable("X").as_deref(), Some(value), "{path}");
    }
}

#[test]
fn amounts_are_counted_in_their_unit_and_rounded_up() {
    let cases = [
        ("resource: limits.cpu", "2"),
        ("resource: limits.cpu, divisor: 1m", "1500"),
        ("resource: limits.memory", "67108865"),
        ("resource: limits.memory, divisor: 1Mi", "65"),
        ("resource: limits.memory, divisor: \"0\"", "67108865"),
        // A limit is a request as well.
        ("resource: requests.cpu, divisor: 1m", "1500"),
        ("resource: requests.memory, divisor: 1Mi", "32"),
        ("resource: requests.ephemeral-storage", "0"),
        // Without a limit the machine is the limit.
        ("resource: limits.ephemeral-storage, divisor: 1Gi", "100"),
        ("resource: limits.hugepages-2Mi", "0"),
        ("containerName: other, resource: limits.cpu", "8"),
        (
            "containerName: other, resource: limits.memory, divisor: 1Gi",
            "16",
        ),
        ("containerName: other, resource: requests.cpu", "0"),
    ];
    for (wanted, value) in cases {
        let pod = Written::new(&format!(
            "containers:\n    - name: app\n      command: [x]\n      \
             resources: {{limits: {{cpu: 1500m, memory: 67108865}}, requests: {{memory: 32Mi}}}}\n      \
             env: [{{name: X, valueFrom: {{resourceFieldRef: {{{wanted}}}}}}}]\n    \
             - {{name: other, command: [x]}}"
        ));
        assert_eq!(pod.variable("X").as_deref(), Some(value), "{wanted}");
    }
}

#[test]
fn the_limit_of_the_pod_comes_before_the_machine() {
    let pod = Written::new(
        "resources: {limits: {cpu: 3}}\n  containers: [{name: app, command: [x], \
         env: [{name: X, valueFrom: {resourceFieldRef: {resource: limits.cpu}}}]}]",
    );
    assert_eq!(pod.variable("X").as_deref(), Some("3"));
}

#[test]
fn the_amount_of_a_container_that_does_not_exist_is_refused() {
    let pod = env(
        "[{name: X, valueFrom: {resourceFieldRef: {containerName: none, resource: limits.cpu}}}]",
    );
    assert_snapshot!(pod.wrong(), @"spec.containers[0].env[0]: variable `X` of container `app` asks for an amount of the container `none`, which does not exist");
}

#[test]
fn volumes_that_a_container_mounts_are_told() {
    let pod = Written::new(
        "containers: [{name: app, command: [x], args: [$(PILLION_VOLUME_MY_DATA)], volumeMounts: \
         [{name: my-data, mountPath: /d}, {name: logs, mountPath: /l}]}]\n  \
         volumes: [{name: my-data, emptyDir: {}}, {name: logs, hostPath: {path: /var/log}}, {name: z, emptyDir: {}}]",
    );
    let data = pod.variable("PILLION_VOLUME_MY_DATA");
    assert_eq!(data.as_deref(), Some("/state/volumes/my-data"));
    assert_eq!(
        pod.variable("PILLION_VOLUME_LOGS").as_deref(),
        Some("/var/log")
    );
    assert_eq!(pod.variable("PILLION_VOLUME_Z"), None);
    assert_eq!(pod.recipe().command, ["x", "/state/volumes/my-data"]);
    assert_eq!(volume_variable("a.b-c"), "PILLION_VOLUME_A_B_C");
}

#[test]
fn whoever_asks_for_a_volume_is_told_where_it_is_without_mounting_it() {
    let asking = |rest: &str| {
        Written::new(&format!(
            "containers: [{{name: app, command: [ls, $(PILLION_VOLUME_DATA)], {rest}}}]\n  \
             volumes: [{{name: data, emptyDir: {{}}}}, {{name: other, emptyDir: {{}}}}]"
        ))
    };
    let own = asking("args: []");
    assert_eq!(own.recipe().command, ["ls", "/state/volumes/data"]);
    assert_eq!(own.variable("PILLION_VOLUME_OTHER"), None);
    let by_value = asking("env: [{name: X, value: $(PILLION_VOLUME_OTHER)/x}]");
    let value = by_value.variable("X");
    assert_eq!(value.as_deref(), Some("/state/volumes/other/x"));
    let another = asking("securityContext: {runAsUser: 7}").on(|host| host.user = 0);
    assert_snapshot!(another.wrong(), @"
    spec.containers[0].volumeMounts: container `app` asks where the volume `data` is, and its user finds it only where it is mounted
      help: mount it: `volumeMounts: [{name: data, mountPath: /data}]`
    ");
}

#[test]
fn volumes_that_only_a_script_asks_for_are_told_beside_the_recipe() {
    let pod = |rest: &str| {
        Written::new(&format!(
            "containers: [{{name: app, command: [./script], {rest}}}]\n  \
             volumes: [{{name: data, emptyDir: {{}}}}, {{name: logs, hostPath: {{path: /var/log}}}}]"
        ))
    };
    let others = |pod: Written| {
        let definition = pod.definitions().remove(0);
        let others = definition.other_volumes.into_iter();
        let others = others.map(|(name, path)| format!("{name} {}", path.display()));
        others.collect::<Vec<_>>()
    };
    let (data, logs) = (
        "PILLION_VOLUME_DATA /state/volumes/data",
        "PILLION_VOLUME_LOGS /var/log",
    );
    assert_eq!(others(pod("args: []")), [data, logs]);
    assert_eq!(pod("args: []").variable("PILLION_VOLUME_DATA"), None);
    let own = "env: [{name: PILLION_VOLUME_DATA, value: mine}]";
    assert_eq!(others(pod(own)), [logs]);
    let another = pod("securityContext: {runAsUser: 7}").on(|host| host.user = 0);
    assert_eq!(
        others(another),
        [logs],
        "the folder of the others is closed to it"
    );
}

#[test]
fn an_undo_a_hook_or_a_probe_that_asks_for_a_volume_uses_it() {
    let asking = [
        "oneshot: true, undo: [ls, $(PILLION_VOLUME_DATA)]",
        "lifecycle: {preStop: {exec: {command: [sh, -c, ls $PILLION_VOLUME_DATA]}}}",
        "livenessProbe: {exec: {command: [sh, -c, ls $PILLION_VOLUME_DATA]}}",
    ];
    for rest in asking {
        let pod = Written::new(&format!(
            "containers: [{{name: app, command: [x], {rest}}}]\n  volumes: [{{name: data, emptyDir: {{}}}}]"
        ));
        let data = pod.variable("PILLION_VOLUME_DATA");
        assert_eq!(data.as_deref(), Some("/state/volumes/data"), "{rest}");
    }
}

#[test]
fn another_user_is_told_where_a_path_of_the_host_is() {
    let pod = Written::new(
        "containers: [{name: app, command: [ls, $(PILLION_VOLUME_LOGS), $(PILLION_VOLUME_LOGS_OLD)], \
         securityContext: {runAsUser: 7}, volumeMounts: [{name: logs-old, mountPath: /old}]}]\n  \
         volumes: [{name: logs, hostPath: {path: /var/log}}, {name: logs-old, emptyDir: {}}]",
    );
    let pod = pod.on(|host| host.user = 0);
    assert_eq!(pod.recipe().command, ["ls", "/var/log", "/old"]);
    let longer = Written::new(
        "containers: [{name: app, command: [ls, $(PILLION_VOLUME_LOGS_OLD)], \
         securityContext: {runAsUser: 7}, volumeMounts: [{name: logs-old, mountPath: /old}]}]\n  \
         volumes: [{name: logs, emptyDir: {}}, {name: logs-old, emptyDir: {}}]",
    );
    let longer = longer.on(|host| host.user = 0);
    assert_eq!(longer.recipe().command, ["ls", "/old"]);
}

#[test]
fn another_user_is_told_where_volumes_are_mounted() {
    let pod = Written::new(
        "containers: [{name: app, command: [x], securityContext: {runAsUser: 7}, volumeMounts: \
         [{name: data, mountPath: /d}, {name: data, mountPath: /e}]}]\n  volumes: [{name: data, emptyDir: {}}]",
    );
    let pod = pod.on(|host| host.user = 0);
    assert_eq!(pod.variable("PILLION_VOLUME_DATA").as_deref(), Some("/d"));
    let same = pod.on(|host| host.user = 7);
    let own = same.variable("PILLION_VOLUME_DATA");
    assert_eq!(own.as_deref(), Some("/state/volumes/data"));
}

/// A container whose variable `X` stands in a file.
fn from_file(rest: &str) -> Written {
    Written::new(&format!(
        "containers: [{{name: app, command: [\"$(X)\"], env: [{{name: X, valueFrom: {{fileKeyRef: \
         {{volumeName: work, path: env, key: K{rest}}}}}}}]}}]\n  volumes: [{{name: work, emptyDir: {{}}}}]"
    ))
}

#[test]
fn a_variable_in_a_file_waits_for_the_file() {
    let before = from_file("").recipe();
    let files: Vec<_> = before
        .env_files
        .iter()
        .map(|file| (&*file.volume, &*file.path))
        .collect();
    assert_eq!(files, [("work", "env")]);
    let after = from_file("")
        .with_env_file("env", Some("K='ls'\n"))
        .recipe();
    assert_eq!(after.command, ["ls"]);
}

#[test]
fn a_file_that_may_be_missing_gives_nothing() {
    let absent = from_file(", optional: true").with_env_file("env", None);
    assert_eq!(absent.variable("X"), None);
    let without = from_file(", optional: true").with_env_file("env", Some("L='1'"));
    assert_eq!(without.variable("X"), None);
}

#[test]
fn a_file_that_is_missing_or_bad_is_told() {
    let absent = from_file("").with_env_file("env", None);
    let without = from_file("").with_env_file("env", Some("L='1'"));
    let bad = from_file("").with_env_file("env", Some("L='1'\nK=2"));
    assert_snapshot!(absent.wrong() + &without.wrong() + &bad.wrong(), @"
    spec.containers[0].env[0]: variable `X` of container `app` needs the file `env` in the volume `work`, which is not there
      help: let a container that runs before this one write it, or add `optional: true`
    spec.containers[0].env[0]: variable `X` of container `app` needs the key `K`, which the file `env` in the volume `work` does not set
      help: let a container that runs before this one write it, or add `optional: true`
    spec.containers[0].env[0]: variable `X` of container `app` cannot be read from line 2 of `env` in the volume `work`: the value is not in single quotes
      help: write each line as `NAME='value'`
    ");
}
