//! What is written comes back, and looks as it should.

use super::*;
use pillion_spec::Source;
use pillion_spec::tree::{Documents, Node};
use proptest::prelude::*;

fn read_back(text: &str, look: impl FnOnce(Node<'_>)) {
    let source = Source::new("test.yaml", text.as_bytes()).unwrap();
    let documents = Documents::of_file(&source);
    assert!(
        documents.diagnostics.is_empty(),
        "{text}\n{:?}",
        documents.diagnostics
    );
    look(documents.tree.node(documents.roots[0]));
}

/// Wherever the text stands, it is read as itself.
fn assert_survives(text: &str) {
    let flow = Map::in_braces().with("key", text);
    let inner = Map::default().with("deep", text).with("next", true);
    let map = Map::default()
        .with(text, 1u64)
        .with("value", text)
        .with("list", Yaml::texts([text, "other"]))
        .with("flow", flow)
        .with("items", Yaml::List(vec![inner.into()]));
    read_back(&document(&map), |root| {
        let (key, ..) = root.entries().next().unwrap();
        assert_eq!(key, text);
        assert_eq!(root.get("value").unwrap().as_str(), Some(text));
        assert_eq!(
            root.get("list").unwrap().item(0).unwrap().as_str(),
            Some(text)
        );
        assert_eq!(
            root.get("flow").unwrap().get("key").unwrap().as_str(),
            Some(text)
        );
        let item = root.get("items").unwrap().item(0).unwrap();
        assert_eq!(item.get("deep").unwrap().as_str(), Some(text));
        assert_eq!(item.get("next").unwrap().as_bool(), Some(true));
    });
}

#[test]
fn texts_that_look_like_something_else_stay_texts() {
    let tricky = [
        "",
        " ",
        "yes",
        "No",
        "on",
        "y",
        "null",
        "~",
        "true",
        "0644",
        "0x1f",
        "1e3",
        "1_000",
        ".inf",
        "-.inf",
        ".NaN",
        "12:30:45",
        "2001-01-01",
        "-",
        "--",
        "---",
        "--- a",
        "- a",
        "-1",
        "-c",
        "a: b",
        "a:",
        ":a",
        "a #b",
        "#a",
        "[a]",
        "{a}",
        "a, b",
        "*a",
        "&a",
        "!a",
        "%a",
        "@a",
        "`a`",
        "|",
        ">",
        "'",
        "\"",
        "a'b",
        "\\",
        "\t",
        "a\tb",
        "\r",
        "\u{85}",
        "\u{2028}",
        "\u{feff}",
        "\u{7}",
        "é",
        "日本",
        "\u{1f600}",
        "=",
        "<<",
        "?",
        "? a",
        "...",
        "a ",
        " a",
        "a\n",
        "\na",
        "a\nb",
        "a\nb\n",
        "a\nb\n\n",
        " a\nb",
        "a\n  b\n\nc",
        "a\n\tb",
        "a\r\nb",
        "\n",
        "a\n#b",
        "a: b\nc: d\n",
        "$(A) $$",
        "a\n ",
        "a -",
        "a -b",
    ];
    for text in tricky {
        assert_survives(text);
    }
}

proptest! {
    #[test]
    fn every_text_comes_back(text in r#"[a-z0-9 \n\t:#'"\\\[\]{},&*!|>%@`$().~=<?\r-]{0,12}"#) {
        assert_survives(&text);
    }

    #[test]
    fn every_character_comes_back(text in any::<String>()) {
        assert_survives(&text);
    }
}

#[test]
fn short_things_stand_in_one_line_and_long_ones_do_not() {
    let probe = Map::in_braces().with(
        "exec",
        Map::in_braces().with("command", Yaml::texts(["a", "b c"])),
    );
    let mut map = Map::default().with("probe", probe);
    map.comment("why");
    map.push_with("port", 80u64, Some("was 8080".to_owned()));
    map.push("long", Yaml::texts(["x".repeat(60), "y".repeat(60)]));
    map.push("script", Yaml::texts(["sh", "-c", "one\ntwo\n"]));
    let text = document(&map);
    let (x, y) = ("x".repeat(60), "y".repeat(60));
    assert_eq!(
        text,
        format!(
            "probe: {{exec: {{command: [a, b c]}}}}\n# why\nport: 80  # was 8080\nlong:\n  - {x}\n  - {y}\n\
             script:\n  - sh\n  - -c\n  - |\n    one\n    two\n"
        )
    );
}
