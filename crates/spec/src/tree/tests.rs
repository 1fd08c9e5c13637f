//! Trees against the facts that kubectl's own reader wrote down, and against bad input.

use super::*;
use crate::code::Code;
use serde_json::{Number, Value as Json, json};
use std::fmt::Write;

fn read(text: &str) -> Documents {
    Documents::of_file(&Source::new("pod.yaml", text.as_bytes()).unwrap())
}

fn codes(text: &str) -> Vec<Code> {
    read(text)
        .diagnostics
        .iter()
        .map(|diagnostic| diagnostic.code)
        .collect()
}

/// The only document of a text, as JSON; `None` if anything is wrong with it.
fn json_of(text: &str) -> Option<Json> {
    let documents = read(text);
    let clean = documents.diagnostics.is_empty() && documents.roots.len() == 1;
    clean.then(|| to_json(documents.tree.node(documents.roots[0])))
}

fn to_json(node: Node<'_>) -> Json {
    match node.value() {
        Value::Null => Json::Null,
        Value::Bool(truth) => json!(truth),
        Value::Int(_) | Value::Float(_) => json_number(node),
        Value::String(text) => json!(text),
        Value::Sequence(_) => node.items().map(to_json).collect(),
        Value::Mapping(_) => node
            .entries()
            .map(|(key, _, value)| (key.to_owned(), to_json(value)))
            .collect(),
    }
}

fn json_number(node: Node<'_>) -> Json {
    let Value::Float(float) = node.value() else {
        return Json::Number(Number::from_i128(node.as_int().unwrap()).unwrap());
    };
    // Beyond 2^53 the table's digits are those of the nearest float.
    let exact = float.abs() < 9e15 && (*float != 0.0 || float.is_sign_positive());
    let whole = node.as_int().filter(|_| exact).and_then(Number::from_i128);
    whole.map_or_else(|| json!(float), Json::Number)
}

/// A pattern many times, with a number for its `#`.
fn numbered(count: usize, pattern: &str) -> String {
    let numbers = (0..count).map(|n| n.to_string());
    numbers.map(|n| pattern.replace('#', &n)).collect()
}

fn expected(answer: &str) -> Option<Json> {
    (answer != "!").then(|| serde_json::from_str(answer).unwrap())
}

fn check_table(table: &str, document: fn(&str) -> String) {
    for line in table.lines() {
        let (scalar, answer) = line.split_once('\t').unwrap();
        assert_eq!(json_of(&document(scalar)), expected(answer), "{scalar}");
    }
}

#[test]
fn scalars_are_what_kubectl_makes_of_them() {
    check_table(include_str!("../../testdata/kubectl/scalars.tsv"), |s| {
        format!("k: {s}\n")
    });
}

#[test]
fn keys_are_what_kubectl_makes_of_them() {
    check_table(include_str!("../../testdata/kubectl/keys.tsv"), |s| {
        format!("{s}: v\n")
    });
}

#[test]
fn documents_are_what_kubectl_makes_of_them() {
    let cases = include_str!("../../testdata/kubectl/documents.txt");
    for case in cases.split_terminator("====\n") {
        let (document, answer) = case.split_once("----\n").unwrap();
        assert_eq!(json_of(document), expected(answer.trim_end()), "{document}");
    }
}

#[test]
fn json_that_yaml_would_refuse_is_read() {
    let text = "{\"a\"\n: \"\\ud83d\\ude00\\/\",\t\"b\":\n[1e2,-0,\"\\ud800\"]}\n{\"c\":1}{}";
    let documents = read(text);
    assert!(
        documents.diagnostics.is_empty(),
        "{:?}",
        documents.diagnostics
    );
    let all: Vec<_> = documents
        .roots
        .iter()
        .map(|id| to_json(documents.tree.node(*id)))
        .collect();
    assert_eq!(
        all,
        [
            json!({"a": "😀/", "b": [100, 0, "\u{fffd}"]}),
            json!({"c": 1}),
            json!({})
        ]
    );
}

#[test]
fn what_begins_like_json_but_is_yaml_is_read_as_yaml() {
    assert_eq!(
        json_of("{a: b, c: [d,],}"),
        Some(json!({"a": "b", "c": ["d"]}))
    );
    assert_eq!(json_of("{\"a\": 0644}"), Some(json!({"a": 420})));
}

#[test]
fn documents_are_read_one_by_one() {
    let documents = read("a: 1\n---\nb: 2\n---\n---\nc: 3\n...\n");
    let all: Vec<_> = documents
        .roots
        .iter()
        .map(|id| to_json(documents.tree.node(*id)))
        .collect();
    assert_eq!(
        all,
        [
            json!({"a": 1}),
            json!({"b": 2}),
            json!(null),
            json!({"c": 3})
        ]
    );
}

#[test]
fn reading_goes_on_after_a_document_that_cannot_be_read() {
    let documents = read("a: [\n---\nb: 2\n---\nc: }\n---\nd: 4\n");
    let all: Vec<_> = documents
        .roots
        .iter()
        .map(|id| to_json(documents.tree.node(*id)))
        .collect();
    assert_eq!(all, [json!({"b": 2}), json!({"d": 4})]);
    let lines: Vec<_> = documents
        .diagnostics
        .iter()
        .map(|d| d.place().unwrap().start)
        .collect();
    assert_eq!(lines.len(), 2, "{:?}", documents.diagnostics);
}

#[test]
fn duplicate_keys_are_refused_at_both_places() {
    let text = "a: 1\nb: {c: 1, \"c\": 2}\na: 3\n";
    let documents = read(text);
    let labels = |at: usize| -> Vec<_> {
        documents.diagnostics[at]
            .labels
            .iter()
            .map(|label| label.span.start)
            .collect()
    };
    assert_eq!(codes(text), [Code::DuplicateKey, Code::DuplicateKey]);
    assert_eq!((labels(0), labels(1)), (vec![15, 9], vec![23, 0]));
    assert_eq!(codes("{\"a\": 1, \"a\": 2}"), [Code::DuplicateKey]);
}

#[test]
fn a_key_given_before_and_after_a_merge_is_still_a_duplicate() {
    assert_eq!(codes("a: 1\n<<: {a: 2}\na: 3\n"), [Code::DuplicateKey]);
}

#[test]
fn duplicates_are_found_in_large_maps() {
    let mut text: String = numbered(5000, "k#: v\n");
    assert!(codes(&text).is_empty());
    text.push_str("k4321: w\n");
    assert_eq!(codes(&text), [Code::DuplicateKey]);
}

#[test]
fn alias_bombs_are_refused() {
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..10 {
        let before = level - 1;
        let copies = format!("*a{before}, ").repeat(10);
        let _ = writeln!(bomb, "a{level}: &a{level} [{copies}]");
    }
    assert_eq!(codes(&bomb), [Code::TooManyAliases]);
    let base = numbered(1000, "k#: v, ");
    let merges = format!("a: &a {{{base}}}\n{}", numbered(500, "m#: {<<: *a}\n"));
    assert_eq!(codes(&merges), [Code::TooManyAliases]);
}

#[test]
fn a_thousand_honest_aliases_are_read() {
    let uses = numbered(1000, "u#: *a\n");
    assert!(codes(&format!("a: &a {{x: [1, 2, 3]}}\n{uses}")).is_empty());
}

#[test]
fn deep_nesting_is_refused_however_it_is_written() {
    assert!(codes(&format!("a: {}1{}", "[".repeat(99), "]".repeat(99))).is_empty());
    for text in [
        format!("a: {}1{}", "[".repeat(100), "]".repeat(100)),
        format!("{}1{}", "{a: ".repeat(101), "}".repeat(101)),
        "[".repeat(100_000),
        "- ".repeat(100_000),
        "{\"a\":".repeat(100_000),
        format!("{{\"a\":{}{}}}", "[".repeat(200), "]".repeat(200)),
        (0..150).map(|n| " ".repeat(n) + "a:\n").collect(),
        format!(
            "a: &a {0}1{1}\nb: {0}*a{1}\n",
            "[".repeat(60),
            "]".repeat(60)
        ),
    ] {
        assert_eq!(codes(&text), [Code::TooDeep], "{}", &text[..40]);
    }
}

#[test]
fn anchors_do_not_reach_into_the_next_document() {
    assert_eq!(codes("a: &a 1\n---\nb: *a\n"), [Code::BadAlias]);
}

#[test]
fn an_alias_inside_its_own_anchor_is_refused() {
    assert_eq!(codes("a: &a [*a]\n"), [Code::BadAlias]);
    assert_eq!(codes("a: &a {b: *a}\n"), [Code::BadAlias]);
}

fn place<'s>(source: &'s Source, documents: &Documents, keys: &[&str]) -> &'s str {
    let root = documents.tree.node(documents.roots[0]);
    source.slice(
        keys.iter()
            .fold(root, |node, key| node.entry(key).unwrap().1)
            .span(),
    )
}

#[test]
fn every_value_has_its_place() {
    let text =
        "# ä comment\nä: {b: [1, \"zwei\"], c: ü}\nd:\n  - x: 1\n    y: |\n      t\n  - z\nnull:\n";
    let text = text.replace("null", "'null'");
    let source = Source::new("pod.yaml", text.as_bytes()).unwrap();
    let documents = Documents::of_file(&source);
    assert_eq!(
        place(&source, &documents, &["ä"]),
        "{b: [1, \"zwei\"], c: ü}"
    );
    assert_eq!(place(&source, &documents, &["ä", "b"]), "[1, \"zwei\"]");
    assert_eq!(place(&source, &documents, &["ä", "c"]), "ü");
    assert_eq!(
        place(&source, &documents, &["null"]),
        "'null'",
        "nothing is placed at its key"
    );
    assert!(place(&source, &documents, &["d"]).starts_with("- x: 1\n"));
    assert!(place(&source, &documents, &["d"]).ends_with("- z"));
}

/// Where the scalar under `t` says it has its parts: `key` and `value` of its own text.
fn inner_places(text: &str) -> Vec<String> {
    let source = Source::new("pod.yaml", text.as_bytes()).unwrap();
    let documents = Documents::of_file(&source);
    assert!(
        documents.diagnostics.is_empty(),
        "{:?}",
        documents.diagnostics
    );
    let node = documents.tree.node(documents.roots[0]).get("t").unwrap();
    let inner = Documents::of_scalar(&source, node);
    assert!(inner.diagnostics.is_empty(), "{:?}", inner.diagnostics);
    let root = inner.tree.node(inner.roots[0]);
    let mut found = Vec::new();
    for (_, span, value) in root.entries() {
        found.extend([
            source.slice(span).to_owned(),
            source.slice(value.span()).to_owned(),
        ]);
    }
    found
}

#[test]
fn text_inside_a_scalar_has_places_in_the_file() {
    for text in [
        "t: |\n    key: val\n    more: end\n",
        "t: |-\n  key: val\n\n  # x\n  more: end",
        "t: |2\n  key: val\n  more: end\n",
        "t: >\n  key: val\n\n  more: end\n",
        "t: \"key: val\\nmore: end\"\n",
        "t: \"{key: val,\n  more: \\\n  end}\"\n",
        "t: '{key: val,\n\n  more: end}'\n",
        "ü: ä\nt: \"{\\u0020key: val, more: end}\"\n",
        "t: |\r\n  key: val\r\n  more: end\r\n",
        "{\"t\": \"key: val\\nmore: end\"}",
    ] {
        assert_eq!(inner_places(text), ["key", "val", "more", "end"], "{text}");
    }
    assert_eq!(
        inner_places("t: '{\"key\": ''it'', more: ü}'"),
        ["\"key\"", "''it''", "more", "ü"]
    );
    assert_eq!(
        inner_places(r#"{"t": "{\"key\": \"a\\\"b\", \"m\": 1}"}"#),
        [r#"\"key\""#, r#"\"a\\\"b\""#, r#"\"m\""#, "1"]
    );
}

#[test]
fn a_block_at_the_end_of_a_file_has_the_line_breaks_that_the_file_has() {
    assert_eq!(json_of("a: |\n  x"), Some(json!({"a": "x"})));
    assert_eq!(json_of("a: |\n  x\n"), Some(json!({"a": "x\n"})));
    assert_eq!(json_of("a: |+\n  x\n  "), Some(json!({"a": "x\n"})));
    assert_eq!(json_of("a: >-\n  x"), Some(json!({"a": "x"})));
}

#[test]
fn a_colon_without_a_space_in_braces_is_refused() {
    assert_eq!(codes("a: {b:}\n"), [Code::Syntax]);
    assert_eq!(codes("a: [b:, c]\n"), [Code::Syntax]);
    assert!(codes("a: {b: , c: }\n").is_empty());
}

#[test]
fn a_nul_is_not_taken_for_the_end_of_the_file() {
    let text = "a: 1\nb: \"x\0y\"\n";
    let source = Source::new("f.yaml", text.as_bytes()).unwrap();
    let found = &Documents::of_file(&source).diagnostics[0];
    assert_eq!(found.place().unwrap().range(), 10..11);
    assert_eq!(found.labels[0].text, "found unprintable character");
}
