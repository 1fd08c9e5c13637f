//! Which objects are read, and from where.

use super::*;

/// A workload whose pod template stands under a path.
fn workload(version: &str, kind: &str, policy: &str, wrap: &str) -> String {
    let pod = format!("{{spec: {{{policy}containers: [{{name: app, image: x}}]}}}}");
    format!(
        "apiVersion: {version}\nkind: {kind}\nmetadata: {{name: w}}\n{}\n",
        wrap.replace('$', &pod)
    )
}

#[test]
fn pods_are_found_in_every_workload() {
    let selected = "spec: {selector: {matchLabels: {a: b}}, template: $}";
    let never = "restartPolicy: Never, ";
    for (kind, text) in [
        (
            WorkloadKind::Deployment,
            workload("apps/v1", "Deployment", "", selected),
        ),
        (
            WorkloadKind::StatefulSet,
            workload("apps/v1", "StatefulSet", "", selected),
        ),
        (
            WorkloadKind::DaemonSet,
            workload("apps/v1", "DaemonSet", "", selected),
        ),
        (
            WorkloadKind::ReplicaSet,
            workload("apps/v1", "ReplicaSet", "", selected),
        ),
        (
            WorkloadKind::Job,
            workload("batch/v1", "Job", never, "spec: {template: $}"),
        ),
        (
            WorkloadKind::CronJob,
            workload(
                "batch/v1",
                "CronJob",
                never,
                "spec: {schedule: '* * * * *', jobTemplate: {spec: {template: $}}}",
            ),
        ),
        (
            WorkloadKind::PodTemplate,
            workload("v1", "PodTemplate", "", "template: $"),
        ),
    ] {
        let file = clean(&text);
        assert_eq!((file.kind, file.owner.name.as_deref()), (kind, Some("w")));
        assert_eq!(file.pod.spec.containers[0].name, "app");
        assert_eq!(
            file.pod.metadata.name, None,
            "a template has no name of its own"
        );
    }
}

#[test]
fn several_documents_and_lists_are_read_in_order() {
    let pod = |name: &str| {
        format!(
            "{{apiVersion: v1, kind: Pod, metadata: {{name: {name}}}, spec: {{containers: [{{name: c, image: x}}]}}}}"
        )
    };
    let text = format!(
        "{}\n---\napiVersion: v1\nkind: List\nitems: [{}, {}]\n---\n{}\n",
        pod("a"),
        pod("b"),
        pod("c"),
        pod("d")
    );
    let outcome = read_text(&text);
    assert!(outcome.diagnostics.is_empty(), "{:?}", outcome.diagnostics);
    let names: Vec<_> = outcome
        .pods
        .iter()
        .filter_map(|pod| pod.owner.name.as_deref())
        .collect();
    assert_eq!(names, ["a", "b", "c", "d"]);
}

#[test]
fn entries_of_a_list_of_pods_need_not_say_that_they_are_pods() {
    let text = "apiVersion: v1\nkind: PodList\nitems:\n- metadata: {name: a}\n  spec: {containers: [{name: c, image: x}]}\n";
    assert_eq!(clean(text).kind, WorkloadKind::Pod);
}

#[test]
fn json_is_read_like_yaml() {
    let text = r#"{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},
        "spec":{"containers":[{"name":"c","image":"x","oneshot":true,"args":["\ud83d\ude00"]}]}}"#;
    let file = clean(text);
    assert_eq!(file.pod.spec.containers[0].args, ["😀"]);
    assert_eq!(file.pod.spec.containers[0].pillion.oneshot, Some(true));
}

#[test]
fn config_maps_and_secrets_are_kept_with_their_bytes() {
    let text = container("")
        + "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: x, b: }\nbinaryData: {c: /w==}\n"
        + "---\napiVersion: v1\nkind: Secret\nmetadata: {name: s}\ntype: mine\ndata: {a: aGk=, b: aGk=}\nstringData: {b: plain}\n";
    let outcome = read_text(&text);
    assert!(!outcome.has_errors(), "{:?}", outcome.diagnostics);
    let bytes = |data: &BTreeMap<String, Vec<u8>>, key: &str| data[key].clone();
    let config = &outcome.config_maps[0].data;
    assert_eq!(bytes(config, "a"), b"x");
    assert_eq!(bytes(config, "b"), b"");
    assert_eq!(bytes(config, "c"), b"\xff");
    let secret = &outcome.secrets[0];
    assert_eq!(
        (secret.kind.as_str(), bytes(&secret.data, "a")),
        ("mine", b"hi".to_vec())
    );
    assert_eq!(bytes(&secret.data, "b"), b"plain", "stringData wins");
    assert!(
        !format!("{secret:?}").contains("plain"),
        "values stay out of logs"
    );
}

#[test]
fn objects_of_other_groups_with_a_known_kind_are_left_alone() {
    let text =
        container("") + "---\napiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nspec: {x: 1}\n";
    assert_eq!(codes(&text), [Code::KindIgnored]);
}

#[test]
fn a_kind_that_is_almost_one_that_is_read_is_refused() {
    for (version, kind, meant) in [
        ("v1", "pod", "Pod"),
        ("v1", "Pods", "Pod"),
        ("apps/v1", "Deploymnet", "Deployment"),
        ("v1", "list", "List"),
    ] {
        let outcome = read_text(&format!("apiVersion: {version}\nkind: {kind}\n"));
        assert!(outcome.has_errors(), "{kind}");
        let help = outcome.diagnostics[0].help.as_deref();
        assert_eq!(help, Some(&*format!("did you mean `{meant}`?")));
    }
    let other = container("") + "---\napiVersion: stable.example.com/v1\nkind: CronTab\n";
    assert_eq!(codes(&other), [Code::KindIgnored]);
    assert!(!read_text(&other).has_errors());
}

#[test]
fn versions_that_are_gone_are_refused() {
    for version in ["extensions/v1beta1", "apps/v1beta1", "apps/v2"] {
        let text = workload(
            version,
            "Deployment",
            "",
            "spec: {selector: {matchLabels: {a: b}}, template: $}",
        );
        assert_eq!(codes(&text), [Code::VersionUnknown], "{version}");
    }
}

#[test]
fn a_file_without_a_pod_says_so_and_a_broken_one_does_not() {
    let config = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n";
    assert_eq!(codes(config), [Code::NoPod]);
    assert_eq!(codes("# nothing\n"), [Code::EmptyFile]);
    assert_eq!(codes("---\n# nothing\n---\n"), [Code::EmptyFile]);
    assert_eq!(codes("a: [\n"), [Code::Syntax]);
    assert_eq!(codes("- a\n"), [Code::NotAnObject]);
    assert_eq!(codes("kind: Pod\n"), [Code::KindMissing]);
}

#[test]
fn a_pod_beside_a_broken_document_is_still_read() {
    let outcome = read_text(&format!("a: [\n---\n{}", container("")));
    assert_eq!(outcome.pods.len(), 1);
    assert!(outcome.has_errors());
}

#[test]
fn every_item_of_a_list_is_an_object() {
    let list = |items: &str| format!("apiVersion: v1\nkind: List\nitems: {items}\n");
    let pod = "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: a, image: x}]}}";
    clean(&list(&format!("[{pod}]")));
    let mixed = list(&format!("[{pod}, null, 3]"));
    assert_eq!(
        found(&mixed),
        [
            (Code::NotAnObject, "null".to_owned()),
            (Code::NotAnObject, "3".to_owned())
        ]
    );
    assert_eq!(
        found(&list("{a: b}")),
        [(Code::WrongType, "{a: b}".to_owned())]
    );
}

#[test]
fn a_kind_that_ends_in_list_is_one_only_with_items() {
    assert_eq!(
        codes("apiVersion: example.com/v1\nkind: AllowList\nmetadata: {name: a}\n"),
        [Code::NoPod, Code::KindIgnored]
    );
}

#[test]
fn a_kind_in_a_group_of_kubernetes_that_is_not_its_own_is_refused() {
    for (kind, version) in [
        ("Deployment", "v1"),
        ("Job", "v1"),
        ("Job", "apps/v1"),
        ("Pod", "apps/v1"),
        ("CronJob", "extensions/v1beta1"),
    ] {
        let text = format!("apiVersion: {version}\nkind: {kind}\nmetadata: {{name: a}}\n");
        assert!(
            found(&text).contains(&(Code::VersionUnknown, version.to_owned())),
            "{text}"
        );
    }
    assert_eq!(
        codes("apiVersion: example.com/v1\nkind: Job\nmetadata: {name: a}\n"),
        [Code::NoPod, Code::KindIgnored]
    );
}

#[test]
fn two_objects_of_a_kind_and_namespace_have_different_names() {
    let pod = |metadata: &str| {
        format!(
            "---\napiVersion: v1\nkind: Pod\nmetadata: {{{metadata}}}\nspec: {{containers: [{{name: a, image: x}}]}}\n"
        )
    };
    let file = |others: &[&str]| others.iter().map(|it| pod(it)).collect::<String>();

    let same = file(&["name: app", "name: other", "name: app, namespace: default"]);
    assert_eq!(found(&same), [(Code::DuplicateName, "app".to_owned())]);

    for different in [
        file(&["name: app", "name: app, namespace: shop"]),
        file(&["generateName: app-", "generateName: app-"]),
        pod("name: app") + "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: app}\n",
    ] {
        assert_eq!(codes(&different), [], "{different}");
    }
}

#[test]
fn a_pod_is_called_as_what_it_stands_in_whatever_its_template_says() {
    let template = "metadata: {name: own, namespace: elsewhere}, spec: {restartPolicy: Never, containers: [{name: a, image: x}]}";
    let of = |metadata: &str| {
        let text = format!(
            "apiVersion: batch/v1\nkind: Job\nmetadata: {metadata}\nspec: {{template: {{{template}}}}}\n"
        );
        let file = clean(&text);
        (file.namespace().to_owned(), file.name().to_owned())
    };
    let named = |namespace: &str, name: &str| (namespace.to_owned(), name.to_owned());
    assert_eq!(of("{name: j, namespace: shop}"), named("shop", "j"));
    assert_eq!(of("{generateName: j-}"), named("default", "j"));
}

#[test]
fn no_name_leads_out_of_a_folder() {
    for field in ["name", "generateName", "namespace"] {
        for wrong in ["x/../../y", "..", ".", "/etc", "a/b", "a b", "-", "A"] {
            let rest = if field == "namespace" {
                ", name: p"
            } else {
                ""
            };
            let text = format!(
                "apiVersion: v1\nkind: Pod\nmetadata: {{{field}: \"{wrong}\"{rest}}}\nspec: {{containers: [{{name: a, image: x}}]}}\n"
            );
            let outcome = read("pod.yaml", text.as_bytes());
            let refused = outcome.diagnostics.iter().any(Diagnostic::is_error);
            assert!(refused, "{field}: {wrong}");
        }
    }
}
