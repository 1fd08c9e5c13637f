//! Lines of containers: whole, harmless, and the same in whatever pieces they come.

use crate::live::log::tail::LONGEST;
use crate::live::log::{Form, Log, Options, Stream};
use pillion_engine::Tick;
use pillion_runtime::clean::Colours;
use pillion_timeline::story::Stamps;
use pillion_timeline::{Base, Style, Wall};
use std::time::Duration;

fn options(form: Form) -> Options {
    Options {
        form,
        style: Style::unicode(80),
        colours: Colours::Drop,
        stamps: Stamps::Relative,
        base: Base {
            tick: Tick::from_secs(100),
            elapsed: Duration::ZERO,
            wall: Some(Wall::from_unix(Duration::from_secs(1_794_990_605))),
        },
        only: Vec::new(),
    }
}

fn log(options: Options) -> Log {
    Log::new(["proxy", "app"], options)
}

/// Milliseconds after the pod began.
fn at(millis: u64) -> Tick {
    Tick::from_secs(100) + Duration::from_millis(millis)
}

/// What is shown of bytes that `app` writes at once.
fn shown(options: Options, bytes: &[u8]) -> String {
    let mut out = Vec::new();
    let mut log = log(options);
    log.take(at(310), 1, Stream::Stdout, bytes, &mut out);
    log.end(at(400), 1, &mut out);
    String::from_utf8(out).unwrap()
}

/// A generator that gives the same numbers in every run.
pub(super) struct Numbers(pub(super) u64);

impl Numbers {
    pub(super) fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap() % below
    }

    /// Bytes of which many mean something to a terminal.
    fn hostile(&mut self, length: usize) -> Vec<u8> {
        const PARTS: [&[u8]; 26] = [
            b"\x1b",
            b"[",
            b"]",
            b"m",
            b"31",
            b";",
            b"?",
            b">",
            b"\x07",
            b"\\",
            b"\r",
            b"\n",
            b"\x9b",
            b"\xc2\x9b",
            b"\xc2\x9d",
            b"\xe2\x82",
            b"\xf0",
            b"text",
            b" ",
            b"H",
            b"\x08",
            b"P",
            b"\t",
            b"\x7f",
            b"\0",
            b"\x1b[0m",
        ];
        let mut bytes = Vec::new();
        while bytes.len() < length {
            match self.next(8) {
                0 => bytes.push(u8::try_from(self.next(256)).unwrap()),
                _ => bytes.extend_from_slice(PARTS[self.next(PARTS.len())]),
            }
        }
        bytes
    }
}

#[test]
fn every_form_has_its_look() {
    let bytes = b"serving on :8080\n";
    assert_eq!(
        shown(options(Form::Terminal), bytes),
        " 0.310s app    serving on :8080\n"
    );
    assert_eq!(
        shown(options(Form::Prefixed), bytes),
        "app | serving on :8080\n"
    );
    assert_eq!(shown(options(Form::Bare), bytes), "serving on :8080\n");
    assert_eq!(
        shown(options(Form::Json), bytes),
        "{\"log\":{\"container\":\"app\",\"stream\":\"stdout\",\"at\":0.31,\"line\":\"serving on :8080\"}}\n"
    );
}

#[test]
fn absolute_times_come_first() {
    let absolute = |form| Options {
        stamps: Stamps::Absolute,
        ..options(form)
    };
    let time = "2026-11-18T08:30:05.310000Z";
    assert_eq!(
        shown(absolute(Form::Terminal), b"x\n"),
        format!("{time} app    x\n")
    );
    assert_eq!(
        shown(absolute(Form::Prefixed), b"x\n"),
        format!("{time} app | x\n")
    );
    assert_eq!(shown(absolute(Form::Bare), b"x\n"), format!("{time} x\n"));
    assert!(
        shown(absolute(Form::Json), b"x\n").contains(&format!("\"at\":0.31,\"time\":\"{time}\","))
    );
}

#[test]
fn each_container_keeps_its_colour() {
    let coloured = Options {
        colours: Colours::Keep,
        ..options(Form::Terminal)
    };
    let text = shown(coloured, b"one\n\x1b[31mtwo\n");
    let prefix = " 0.310s \u{1b}[38;5;133mapp  \u{1b}[0m  ";
    assert_eq!(
        text,
        format!("{prefix}one\n{prefix}\u{1b}[31mtwo\u{1b}[0m\n")
    );
}

#[test]
fn only_the_wanted_container_is_shown() {
    let only = Options {
        only: vec!["proxy".to_owned()],
        ..options(Form::Bare)
    };
    assert_eq!(shown(only.clone(), b"from app\n"), "");
    let mut out = Vec::new();
    log(only).take(at(0), 0, Stream::Stderr, b"from proxy\n", &mut out);
    assert_eq!(out, b"from proxy\n");
}

#[test]
fn bytes_of_a_container_that_is_not_there_go_nowhere() {
    let mut out = Vec::new();
    log(options(Form::Bare)).take(at(0), 9, Stream::Stdout, b"x\n", &mut out);
    assert_eq!(out, b"");
}

#[test]
fn the_two_streams_of_a_container_do_not_mix() {
    let mut out = Vec::new();
    let mut log = log(options(Form::Bare));
    log.take(at(0), 1, Stream::Stdout, b"out", &mut out);
    log.take(at(0), 1, Stream::Stderr, b"err\n", &mut out);
    log.take(at(0), 1, Stream::Stdout, b"put\n", &mut out);
    assert_eq!(out, b"err\noutput\n");
}

#[test]
fn a_line_without_an_end_is_shown_when_its_container_ends() {
    assert_eq!(shown(options(Form::Bare), b"one\ntwo"), "one\ntwo\n");
    assert!(shown(options(Form::Json), b"two").contains("\"line\":\"two\",\"partial\":true}}"));
}

#[test]
fn in_a_terminal_a_question_is_shown_though_its_line_has_no_end() {
    let mut out = Vec::new();
    let mut log = log(options(Form::Terminal));
    log.take(at(0), 1, Stream::Stdout, b"continue? ", &mut out);
    assert_eq!(log.next_flush(), Some(at(200)));
    log.flush_due(at(199), &mut out);
    assert!(out.is_empty());
    log.flush_due(at(200), &mut out);
    assert_eq!(
        String::from_utf8(out).unwrap(),
        " 0.200s app    continue? \n"
    );
    assert_eq!(log.next_flush(), None);
}

#[test]
fn in_a_pipe_a_line_is_never_cut_by_time() {
    let mut out = Vec::new();
    let mut log = log(options(Form::Prefixed));
    log.take(at(0), 1, Stream::Stdout, b"half a ", &mut out);
    assert_eq!(log.next_flush(), None);
    log.flush_due(at(60_000), &mut out);
    log.take(at(60_000), 1, Stream::Stdout, b"line\n", &mut out);
    assert_eq!(out, b"app | half a line\n");
}

#[test]
fn of_a_progress_bar_the_last_state_is_left() {
    assert_eq!(shown(options(Form::Bare), b"10%\r50%\r100%\n"), "100%\n");
    assert_eq!(shown(options(Form::Bare), b"10%\r50%\r\n"), "50%\n");
    assert_eq!(shown(options(Form::Bare), b"windows\r\n"), "windows\n");
    let mut log = log(options(Form::Terminal));
    log.take(at(0), 1, Stream::Stdout, b"10%\r20%", &mut Vec::new());
    assert_eq!(log.next_flush(), None, "not a line for each of its states");
}

#[test]
fn an_endless_progress_bar_needs_no_endless_memory_and_fills_no_screen() {
    let mut out = Vec::new();
    let mut log = log(options(Form::Bare));
    for percent in 0..100_000 {
        let state = format!("\r{percent} done");
        log.take(at(0), 1, Stream::Stdout, state.as_bytes(), &mut out);
    }
    log.take(at(0), 1, Stream::Stdout, b"\n", &mut out);
    assert_eq!(out, b"99999 done\n");
}

#[test]
fn a_very_long_line_comes_in_pieces() {
    let text = shown(
        options(Form::Bare),
        &[b"x".repeat(LONGEST + 5), b"\n".to_vec()].concat(),
    );
    let lengths: Vec<_> = text.lines().map(str::len).collect();
    assert_eq!(lengths, [LONGEST, 5]);
}

#[test]
fn a_long_line_is_not_cut_inside_a_character() {
    for lead in 0..4 {
        let mut bytes = b"x".repeat(LONGEST - lead);
        bytes.extend_from_slice("💡ü€\n".as_bytes());
        let text = shown(options(Form::Bare), &bytes);
        assert!(!text.contains('\u{fffd}'), "{lead}");
        assert_eq!(text.lines().count(), 2, "{lead}");
    }
}

/// The text without the sequences that choose colours.
fn without_colours(text: &str) -> String {
    let mut parts = text.split("\x1b[");
    let mut rest = parts.next().unwrap().to_owned();
    for part in parts {
        let numbers = part.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';' || c == ':');
        rest.push_str(numbers.strip_prefix('m').expect("a colour"));
    }
    rest
}

#[test]
fn hostile_bytes_never_yield_anything_but_text_and_colours() {
    let mut numbers = Numbers(0x1234_5678_9abc_def1);
    for round in 0..3_000 {
        let bytes = numbers.hostile(1 + round % 300);
        for form in [Form::Terminal, Form::Prefixed, Form::Bare, Form::Json] {
            let coloured = Options {
                colours: Colours::Keep,
                ..options(form)
            };
            let text = without_colours(&shown(coloured, &bytes));
            let odd = text
                .chars()
                .find(|c| c.is_control() && !matches!(c, '\n' | '\t'));
            assert_eq!(odd, None, "{bytes:?}");
        }
    }
}

#[test]
fn the_pieces_in_which_bytes_come_make_no_difference() {
    let mut numbers = Numbers(99);
    for round in 0..60 {
        let mut bytes = numbers.hostile(200);
        if round % 2 == 0 {
            bytes.extend(b"y".repeat(2 * LONGEST + numbers.next(LONGEST)));
            bytes.extend(numbers.hostile(100));
        }
        let whole = shown(options(Form::Bare), &bytes);
        let mut out = Vec::new();
        let mut log = log(options(Form::Bare));
        let mut rest = &bytes[..];
        while !rest.is_empty() {
            let most = if round % 3 == 0 { 7 } else { 20_000 };
            let (now, later) = rest.split_at((1 + numbers.next(most)).min(rest.len()));
            log.take(at(0), 1, Stream::Stdout, now, &mut out);
            rest = later;
        }
        log.end(at(0), 1, &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), whole);
    }
}

#[test]
fn every_line_of_json_can_be_read() {
    let mut numbers = Numbers(7);
    for _ in 0..200 {
        let text = shown(options(Form::Json), &numbers.hostile(120));
        for line in text.lines() {
            let value: serde_json::Value = serde_json::from_str(line).unwrap();
            assert_eq!(value["log"]["container"], "app");
        }
    }
}
