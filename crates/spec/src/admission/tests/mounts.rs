//! Volumes, mounts and ports.

use super::*;

#[test]
fn ports_have_numbers_and_names_of_their_own() {
    for number in ["0", "65536", "-1"] {
        refused(
            &container(&format!("ports: [{{containerPort: {number}}}]")),
            OutOfRange,
            number,
        );
    }
    taken(&container("ports: [{containerPort: 65535, hostPort: 0}]"));
    refused(
        &container("ports: [{containerPort: 1, hostPort: 70000}]"),
        OutOfRange,
        "70000",
    );
    refused(
        &container("ports: [{containerPort: 1, name: HTTP}]"),
        BadName,
        "HTTP",
    );
    refused(
        &container("ports: [{containerPort: 1, name: a}, {containerPort: 2, name: a}]"),
        DuplicateName,
        "a",
    );
    refused(
        &container("livenessProbe: {tcpSocket: {port: '80'}}"),
        BadFormat,
        "'80'",
    );
    for port in ["0", "70000", "9223372036854775888", "36893488147419103232"] {
        refused(
            &container(&format!("livenessProbe: {{tcpSocket: {{port: {port}}}}}")),
            OutOfRange,
            port,
        );
    }
}

#[test]
fn a_port_of_the_host_has_one_owner() {
    let pod = |first: &str, second: &str| {
        spec(&format!(
            "containers:\n- {{name: a, image: x, ports: [{{containerPort: 1, hostPort: 9{first}}}]}}\n- {{name: b, image: x, ports: [{{containerPort: 2, hostPort: 9{second}}}]}}"
        ))
    };
    refused(&pod("", ""), DuplicateName, "9");
    taken(&pod("", ", protocol: UDP"));
    taken(&pod(", hostIP: 1.2.3.4", ", hostIP: 1.2.3.5"));
    refused(
        &spec(
            "hostNetwork: true\ncontainers: [{name: a, image: x, ports: [{containerPort: 1, hostPort: 2}]}]",
        ),
        OutOfRange,
        "2",
    );
}

#[test]
fn mounts_are_of_volumes_that_exist_at_paths_of_their_own() {
    let mounts = |mounts: &str| {
        spec(&format!(
            "containers: [{{name: a, image: x, volumeMounts: [{mounts}]}}]\nvolumes: [{{name: data}}]"
        ))
    };
    taken(&mounts(
        "{name: data, mountPath: /a}, {name: data, mountPath: /b}",
    ));
    refused(
        &mounts("{name: date, mountPath: /a}"),
        UnknownVolume,
        "date",
    );
    refused(
        &mounts("{name: data, mountPath: /a}, {name: data, mountPath: /a}"),
        DuplicateName,
        "/a",
    );
    refused(
        &mounts("{name: data, mountPath: /a, subPath: ../x}"),
        BadFormat,
        "../x",
    );
    refused(
        &mounts("{name: data, mountPath: /a, subPath: /x}"),
        BadFormat,
        "/x",
    );
    refused(
        &mounts("{name: data, mountPath: /a, subPath: a, subPathExpr: b}"),
        OneHandler,
        "subPathExpr",
    );
}

#[test]
fn claims_of_a_stateful_set_are_volumes_of_its_pods() {
    taken(
        "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: s}\nspec:\n  selector: {matchLabels: {a: b}}\n  template: {spec: {containers: [{name: a, image: x, volumeMounts: [{name: data, mountPath: /d}]}]}}\n  volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce]}}]\n",
    );
}

#[test]
fn volumes_have_one_source_and_a_name_of_their_own() {
    let volumes = |volumes: &str| {
        spec(&format!(
            "containers: [{{name: a, image: x}}]\nvolumes: [{volumes}]"
        ))
    };
    refused(
        &volumes("{name: a, emptyDir: {}, hostPath: {path: /}}"),
        OneHandler,
        "hostPath",
    );
    refused(&volumes("{name: a}, {name: a}"), DuplicateName, "a");
    refused(&volumes("{name: A}"), BadName, "A");
    refused(&volumes("{name: a, configMap: {}}"), MissingField, "{}");
    refused(&volumes("{name: a, secret: {}}"), MissingField, "{}");
    refused(
        &volumes("{name: a, configMap: {name: c, defaultMode: 01000}}"),
        OutOfRange,
        "01000",
    );
    refused(
        &volumes("{name: a, hostPath: {path: /a/../b}}"),
        BadFormat,
        "/a/../b",
    );
    refused(
        &volumes("{name: a, configMap: {name: c, items: [{key: k, path: ../x}]}}"),
        BadFormat,
        "../x",
    );
    refused(
        &volumes(
            "{name: a, downwardAPI: {items: [{path: p, fieldRef: {fieldPath: status.podIP}}]}}",
        ),
        UnknownValue,
        "status.podIP",
    );
}
