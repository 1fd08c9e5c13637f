//! The annotation `pillion.dev/watch`.

use super::*;

/// A pod with the containers `proxy` and `app`, and this annotation.
fn annotated(annotation: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: orders\n  annotations:\n    pillion.dev/watch: {annotation}\nspec:\n  containers:\n  - {{name: proxy, image: x}}\n  - {{name: app, image: x}}\n"
    )
}

#[test]
fn each_container_has_its_paths_in_any_way_of_writing_them() {
    for annotation in [
        "|\n      app:\n      - src\n      - config/app.toml\n      proxy: proxy.conf",
        "'{app: [src, config/app.toml], proxy: [proxy.conf]}'",
        r#""{\"app\": [\"src\", \"config/app.toml\"], \"proxy\": \"proxy.conf\"}""#,
    ] {
        let file = clean(&annotated(annotation));
        assert_eq!(file.watch["app"], ["src", "config/app.toml"]);
        assert_eq!(file.watch["proxy"], ["proxy.conf"]);
    }
    assert!(clean(&container("")).watch.is_empty());
}

#[test]
fn names_must_exist_and_the_nearest_is_offered() {
    let text = annotated("'{ap: [src]}'");
    assert_eq!(found(&text), [(Code::UnknownAnnotated, "ap".to_owned())]);
    let outcome = read_text(&text);
    let help = format!("{:?}", outcome.diagnostics[0]);
    assert!(help.contains("did you mean `app`?"), "{help}");
}

#[test]
fn what_is_no_map_of_paths_is_refused_where_it_stands() {
    for (annotation, code, place) in [
        ("src", Code::WrongType, "src"),
        ("''", Code::WrongType, "''"),
        ("'[app]'", Code::WrongType, "[app]"),
        ("'{app: 5}'", Code::WrongType, "5"),
        ("'{app: {src: true}}'", Code::WrongType, "{src: true}"),
        ("'{app: [src, 7]}'", Code::WrongType, "7"),
        ("'{app: [\"\"]}'", Code::EmptyEntry, "\"\""),
        ("'{app: [~]}'", Code::EmptyEntry, "~"),
        ("'{app: [src}'", Code::Syntax, "}"),
    ] {
        let found = found(&annotated(annotation));
        assert_eq!(
            found.first(),
            Some(&(code, place.to_owned())),
            "{annotation}: {found:?}"
        );
    }
}

#[test]
fn on_a_workload_it_has_no_effect_and_is_reported() {
    let text = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d, annotations: {pillion.dev/watch: 'a: src'}}\nspec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: a, image: x}]}}}\n";
    assert_eq!(codes(text), [Code::AnnotationMisplaced]);
}
