//! What people see, letter by letter.

use super::*;
use crate::code::Code;
use crate::source::Span;
use insta::assert_snapshot;

fn source(text: &str) -> Source {
    Source::new("orders.yaml", text.as_bytes()).unwrap()
}

fn span_of(source: &Source, part: &str) -> Span {
    let at = source.text().find(part).unwrap();
    Span::new(at, at + part.len())
}

fn unknown(source: &Source, part: &str) -> Diagnostic {
    Diagnostic::new(
        Code::BadName,
        "container `app` requires `proxi`, which does not exist",
    )
    .primary(span_of(source, part), "no container has this name")
    .help("did you mean `proxy`?")
}

#[test]
fn a_mistake_shows_its_line_its_place_and_a_way_out() {
    let source = source("spec:\n  containers:\n    - name: app\n      requires: [proxi]\n");
    assert_snapshot!(Renderer::plain().render(&source, &unknown(&source, "proxi")), @"
    error[L0101]: container `app` requires `proxi`, which does not exist
     --> orders.yaml:4:18
      |
    4 |       requires: [proxi]
      |                  ^^^^^ no container has this name
      |
    help: did you mean `proxy`?
          `pillion explain L0101` tells more
    ");
}

#[test]
fn several_places_stand_in_one_picture() {
    let source = source("a: 1\nb: 2\nc: 3\nd: 4\ne: 5\nf: 6\na: 7\n");
    let diagnostic = Diagnostic::new(Code::DuplicateKey, "the key `a` is given twice")
        .primary(span_of(&source, "a: 7"), "given again")
        .secondary(Span::new(0, 1), "first given here");
    assert_snapshot!(Renderer::plain().render(&source, &diagnostic), @"
    error[L0005]: the key `a` is given twice
     --> orders.yaml:7:1
      |
    1 | a: 1
      | - first given here
    ...
    7 | a: 7
      | ^^^^ given again
      |
    help: `pillion explain L0005` tells more
    ");
}

#[test]
fn long_lines_are_cut_around_the_place() {
    let filler = "\"x\": 12345, ".repeat(5000);
    let source = source(&format!("{{{filler}\"wrong\": 1, {filler}}}"));
    let text = Renderer::plain().render(&source, &unknown(&source, "\"wrong\""));
    assert_snapshot!(text, @r#"
    error[L0101]: container `app` requires `proxi`, which does not exist
     --> orders.yaml:1:60002
      |
    1 | ...: 12345, "x": 12345, "wrong": 1, "x": 12345, "x": 12345, "x": 12345, "...
      |                         ^^^^^^^ no container has this name
      |
    help: did you mean `proxy`?
          `pillion explain L0101` tells more
    "#);
}

#[test]
fn a_place_over_several_lines_is_shown_by_its_first() {
    let source = source("spec:\n  containers:\n  - name: app\n    image: x\n  - name: y\n");
    let diagnostic = unknown(&source, "name: app\n    image: x");
    assert_snapshot!(Renderer::plain().render(&source, &diagnostic), @"
    error[L0101]: container `app` requires `proxi`, which does not exist
     --> orders.yaml:3:5
      |
    3 |   - name: app
      |     ^^^^^^^^^ no container has this name
      |
    help: did you mean `proxy`?
          `pillion explain L0101` tells more
    ");
}

#[test]
fn a_label_without_room_becomes_a_note() {
    let source = source(&format!("{}: {}\n", "key".repeat(12), "v".repeat(30)));
    assert_snapshot!(Renderer::plain().render(&source, &unknown(&source, &"v".repeat(30))), @"
    error[L0101]: container `app` requires `proxi`, which does not exist
     --> orders.yaml:1:39
      |
    1 | keykeykeykeykeykeykeykeykeykeykeykey: vvvvvvvvvvvvvvvvvvvvvvvvvvvvvv
      |                                       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
      = note: no container has this name
    help: did you mean `proxy`?
          `pillion explain L0101` tells more
    ");
}

#[test]
fn a_file_that_was_not_read_is_named() {
    let diagnostic = Diagnostic::new(Code::EmptyFile, "the file is empty");
    assert_snapshot!(Renderer::plain().render(&Source::unread("<stdin>"), &diagnostic), @"
    error[L0004]: <stdin>: the file is empty
    help: `pillion explain L0004` tells more
    ");
}

#[test]
fn control_characters_never_reach_the_terminal() {
    let name = "or\u{1b}[31mders.yaml";
    let text = "a: \"\u{1b}]0;x\u{7}\u{9b}31m\u{202e}\tß\"\nb: 1\r\n";
    let source = Source::new(name, text.as_bytes()).unwrap();
    let bad = "`\u{1b}[2J\u{9b}`";
    let diagnostic = Diagnostic::new(Code::BadName, bad)
        .primary(span_of(&source, "ß"), bad)
        .secondary(span_of(&source, "b"), bad)
        .help(bad);
    let text = Renderer::plain().render(&source, &diagnostic);
    assert!(
        text.chars().all(|c| c == '\n' || !wrap::is_dangerous(c)),
        "{text:?}"
    );
    assert_snapshot!(text, @r#"
    error[L0101]: `\u{1b}[2J\u{9b}`
     --> or\u{1b}[31mders.yaml:1:17
      |
    1 | a: "�]0;x��31m� ß"
      |                 ^ `\u{1b}[2J\u{9b}`
    2 | b: 1
      | - `\u{1b}[2J\u{9b}`
      |
    help: `\u{1b}[2J\u{9b}`
          `pillion explain L0101` tells more
    "#);
}

#[test]
fn texts_are_wrapped_at_the_width() {
    let source = source("a: b\n");
    let long = "several words that do not fit on one line ".repeat(4);
    let diagnostic = Diagnostic::new(Code::BadName, long.trim())
        .primary(span_of(&source, "b"), "here")
        .help(long.trim());
    let text = Renderer::plain().render(&source, &diagnostic);
    assert!(text.lines().all(|line| line.len() <= 80), "{text}");
    assert_snapshot!(text, @"
    error[L0101]: several words that do not fit on one line several words that do
                  not fit on one line several words that do not fit on one line
                  several words that do not fit on one line
     --> orders.yaml:1:4
      |
    1 | a: b
      |    ^ here
      |
    help: several words that do not fit on one line several words that do not fit on
          one line several words that do not fit on one line several words that do
          not fit on one line
          `pillion explain L0101` tells more
    ");
}

#[test]
fn colours_change_nothing_but_colours() {
    let source = source("a: b\n");
    let diagnostic = unknown(&source, "b");
    let coloured = Renderer::coloured().render(&source, &diagnostic);
    let mut stripped = String::new();
    let mut rest = coloured.as_str();
    while let Some((before, after)) = rest.split_once("\u{1b}[") {
        stripped.push_str(before);
        rest = after.split_once('m').unwrap().1;
    }
    stripped.push_str(rest);
    assert_ne!(coloured, stripped);
    assert_eq!(stripped, Renderer::plain().render(&source, &diagnostic));
}

#[test]
fn how_to_learn_more_is_said_once_per_code() {
    let source = source("a: b\n");
    let all = [unknown(&source, "a"), unknown(&source, "b")];
    let text = Renderer::plain().render_all(&source, &all);
    assert_eq!(text.matches("tells more").count(), 1);
}

#[test]
fn empty_and_last_places_are_shown() {
    let source = source("a:\n  b: [\n");
    let end = source.text().len();
    for at in 0..=end {
        let diagnostic = Diagnostic::new(Code::Syntax, "x").primary(Span::new(at, at), "here");
        let text = Renderer::plain().render(&source, &diagnostic);
        assert!(text.contains("here"), "{at}: {text}");
    }
}

#[test]
fn a_place_in_what_ends_a_line_is_shown_at_its_end() {
    let source = source("a: b\r\r\r\r");
    let diagnostic = Diagnostic::new(Code::Syntax, "it ends here").primary(Span::new(6, 7), "here");

    let rendered = Renderer::plain().render(&source, &diagnostic);

    assert!(rendered.contains("a: b\n"), "{rendered}");
}

#[test]
fn a_place_about_which_nothing_is_said_brings_no_note() {
    let source = source(&format!("command: [{}]\n", "x".repeat(100)));
    let place = Span::new(0, source.text().len() - 1);
    let diagnostic = Diagnostic::new(Code::MissingField, "`pod` is missing").primary(place, "");
    let text = Renderer::plain().render(&source, &diagnostic);
    assert!(!text.contains("note:"), "{text}");
}

#[test]
fn lines_between_places_that_are_far_apart_are_left_out() {
    let lines: Vec<_> = (1..=9).map(|line| format!("line{line}: x")).collect();
    let source = source(&lines.join("\n"));
    let place = |text: &str| {
        let start = source.text().find(text).unwrap();
        Span::new(start, start + text.len())
    };
    let apart = |other: &str| {
        let diagnostic = Diagnostic::new(Code::DuplicateName, "two")
            .primary(place("line9"), "here")
            .secondary(place(other), "and here");
        let text = Renderer::plain().render(&source, &diagnostic);
        let shown = text.lines().filter(|line| line.contains("line"));
        let shown: Vec<_> = shown.map(|line| line.trim()[..1].to_owned()).collect();
        (shown.concat(), text.contains("..."))
    };
    assert_eq!(apart("line7"), ("789".to_owned(), false));
    for far in 1..=6 {
        assert_eq!(apart(&format!("line{far}")), (format!("{far}9"), true));
    }
}

#[test]
fn no_line_is_wider_than_the_terminal_wherever_its_places_are() {
    let line = "- {name: a, startTimeoutSeconds: 5, readinessProbe: {exec: {command: [x]}, periodSeconds: 10, successThreshold: 3}}";
    let source = source(&format!(
        "- {{name: job, keystone: true}}\n{line}\n{line}\n"
    ));
    let places = ["name: a", "5", "readinessProbe", "10", "3", line, "job"];
    for width in [40, 60, 80] {
        for (first, second) in places
            .iter()
            .flat_map(|a| places.iter().map(move |b| (a, b)))
        {
            let diagnostic = Diagnostic::new(Code::BadName, "two places")
                .primary(span_of(&source, first), "what is wrong here")
                .secondary(span_of(&source, second), "and how it comes about");
            let text = Renderer::plain().width(width).render(&source, &diagnostic);
            let widest = text.lines().map(|line| line.chars().count()).max();
            assert!(widest <= Some(width), "{width}: {text}");
            // Each mark is below the beginning of its place.
            let lines: Vec<_> = text.lines().collect();
            for (mark, place) in [('^', first), ('-', second)] {
                let under = |pair: &[&str]| {
                    let column = pair[1].chars().position(|c| c == mark)?;
                    let shown: String = pair[0].chars().skip(column).collect();
                    Some(shown.chars().next()? == place.chars().next()?)
                };
                let marked = lines.windows(2).filter(|pair| {
                    pair[1].trim_start().starts_with('|') && pair[0].contains(" | ")
                });
                let mut found = marked.filter_map(under);
                assert!(
                    first == second || found.any(|right| right),
                    "{width} {mark}: {text}"
                );
            }
        }
    }
}
