//! Everything together: what goes to the standard output, and what to the standard error.

use super::screen::Wire;
use super::stage::Stage;
use super::terminal::Terminal;
use crate::live::log::Stream;
use crate::live::screen::Look;
use crate::live::show::{Mode, Settings, Show};
use pillion_engine::pod::Reaction;
use pillion_engine::{ContainerId, Engine, Event, Exit, Request, Tick};
use pillion_timeline::story::Stamps;
use pillion_timeline::{Base, Line, Recorder, Style, Tone, json};

/// The two ends of a run.
struct Seen {
    out: String,
    err: String,
}

fn settings(mode: Mode) -> Settings {
    Settings {
        mode,
        look: Look {
            style: Style::unicode(80),
            height: 24,
            colour: false,
        },
        quiet: false,
        stamps: Stamps::Relative,
        only: Vec::new(),
    }
}

/// Shows a life from beginning to end. Each container says `hello` when it starts.
fn seen(stage: &Stage, settings: Settings) -> Seen {
    let (out, err) = (Wire::default(), Wire::default());
    let mut scene = stage.at(0);
    let mut recorder = Recorder::new(scene.engine.pod(), Base::default());
    let header = recorder.header(scene.engine.pod());
    let mut show = Show::new(&header, Base::default(), settings, out.clone(), err.clone());
    scene.engine = Engine::new(scene.engine.pod().clone(), Tick::ZERO).unwrap();
    for step in &stage.played.trace.steps {
        scene.take(step);
        for entry in scene.entries() {
            let record = recorder.record(scene.engine.pod(), &entry);
            if let (Some(id), pillion_timeline::What::Running) = (entry.container, &record.what) {
                say(&mut show, step.at, id);
            }
            show.told(record);
        }
        show.settle(step.at, &scene.engine).unwrap();
    }
    let end = stage.played.record.until;
    show.finish(end, &scene.engine).unwrap();
    drop(show);
    Seen {
        out: out.text(),
        err: err.text(),
    }
}

fn say(show: &mut Show<Wire, Wire>, now: Tick, id: ContainerId) {
    show.wrote(now, id, Stream::Stdout, b"hello\n").unwrap();
}

#[test]
fn in_a_pipe_logs_and_story_go_different_ways() {
    let Seen { out, err } = seen(&Stage::story("orders"), settings(Mode::Pipe));
    assert_eq!(
        out,
        "proxy | hello\nmigrate | hello\ncache | hello\napp | hello\n"
    );
    assert_eq!(
        err,
        " 0.000s pod starts
 0.000s migrate waits for proxy to be ready
 0.000s app waits for migrate to succeed, for cache to start, for proxy to be ready
 0.000s cache waits for proxy to be ready
 0.000s proxy starts
 0.300s proxy ready
 0.300s migrate starts: proxy ready
 0.300s cache starts: proxy ready
 0.300s cache ready
 0.800s migrate succeeded
 0.800s app starts: migrate succeeded
 0.800s app ready
 0.800s pod ready
 4.800s app exited 0
 4.800s pod stops within 30 s: keystone app ended
 4.800s cache told to stop: nothing needs it any more
 5.000s cache exited 0
 5.000s proxy told to stop: nothing needs it any more
 5.100s proxy exited 0
orders succeeded: app exited 0 (keystone) after 5.1 s · pillion trace
"
    );
}

#[test]
fn quiet_is_quiet_unless_it_fails() {
    let quiet = |mode| Settings {
        quiet: true,
        ..settings(mode)
    };
    for mode in [Mode::Pipe, Mode::Terminal] {
        let Seen { out, err } = seen(&Stage::story("orders"), quiet(mode));
        assert_eq!((out.lines().count(), &*err), (4, ""));
        let Seen { err, .. } = seen(&Stage::story("orders-migration-fails"), quiet(mode));
        assert_eq!(
            err,
            "orders failed: migrate exited 5 after 1.1 s · pillion trace\n"
        );
    }
}

#[test]
fn the_logs_of_one_container_come_alone_and_bare() {
    let only = Settings {
        only: vec!["app".to_owned()],
        ..settings(Mode::Pipe)
    };
    let Seen { out, err } = seen(&Stage::story("orders"), only);
    assert_eq!(out, "hello\n");
    assert_eq!(
        err,
        "orders succeeded: app exited 0 (keystone) after 5.1 s · pillion trace\n"
    );
}

#[test]
fn json_is_a_timeline_with_logs_in_between() {
    let stage = Stage::story("orders");
    let Seen { out, err } = seen(&stage, settings(Mode::Json));
    let reading = json::read(&out).unwrap();
    assert_eq!((reading.torn, &reading.unreadable[..]), (false, &[][..]));
    assert_eq!(reading.timeline, stage.played.timeline());
    assert_eq!(out.matches("{\"log\":{\"container\":\"").count(), 4);
    assert_eq!(err, "");
}

#[test]
fn in_a_terminal_trouble_stays_among_the_logs_and_the_rest_is_below() {
    let Seen { out, err } = seen(
        &Stage::story("orders-migration-fails"),
        settings(Mode::Terminal),
    );
    let mut terminal = Terminal::new(80, 24);
    terminal.write(out.as_bytes());
    assert_eq!(
        terminal.text().join("\n"),
        " 0.000s proxy    hello
 0.300s migrate  hello
 0.300s cache    hello
 0.800s migrate exited 5, ended for good
 0.800s app gave up: migrate did not succeed
──────────────────────────────────────────────────────────────────────
 – proxy    stopped   exited 0 at 1.1 s
 ✗ migrate  failed    exited 5 at 0.8 s
 ✗ app      gave up   migrate did not succeed
 – cache    stopped   exited 0 at 1 s
orders failed: migrate exited 5 after 1.1 s · pillion trace
"
    );
    assert_eq!(err, "");
}

/// A pod that has just started, and a terminal that shows it.
fn begun() -> (Show<Wire, Wire>, Engine, Wire) {
    let wire = Wire::default();
    let engine = Stage::story("orders").at(2_000).engine;
    let header = Recorder::new(engine.pod(), Base::default()).header(engine.pod());
    let terminal = settings(Mode::Terminal);
    let show = Show::new(
        &header,
        Base::default(),
        terminal,
        wire.clone(),
        Wire::default(),
    );
    (show, engine, wire)
}

#[test]
fn it_wants_to_be_called_when_there_is_something_to_show_and_only_then() {
    let (mut show, engine, _) = begun();
    let at = Tick::from_millis;
    show.settle(at(2_000), &engine).unwrap();
    assert_eq!(show.next(at(2_000)), None, "all is ready");
    show.wrote(at(2_000), ContainerId(0), Stream::Stderr, b"password: ")
        .unwrap();
    assert_eq!(show.next(at(2_000)), Some(at(2_200)), "a question");
    show.settle(at(2_200), &engine).unwrap();
    assert_eq!(show.next(at(2_200)), None);
    show.resize(100, 30);
    assert_eq!(show.next(at(2_250)), Some(at(2_300)), "another size");
}

#[test]
fn the_terminal_can_be_left_and_what_was_written_is_there() {
    let (mut show, engine, wire) = begun();
    show.settle(Tick::from_secs(2), &engine).unwrap();
    let now = Tick::from_secs(3);
    show.wrote(now, ContainerId(0), Stream::Stdout, b"no end")
        .unwrap();
    show.hung_up(now, ContainerId(0));
    show.leave().unwrap();
    let mut terminal = Terminal::new(80, 24);
    terminal.write(wire.text().as_bytes());
    assert_eq!(terminal.text(), [" 3.000s proxy    no end", ""]);
    assert!(terminal.cursor_shown);
}

#[test]
fn a_restart_that_was_asked_for_is_told_once_and_its_exit_is_no_trouble() {
    let (mut show, mut engine, wire) = begun();
    let mut recorder = Recorder::new(engine.pod(), Base::default());
    let app = ContainerId(2);
    let mut tell = |engine: &mut Engine, now| {
        while engine.poll_fact().is_some() || engine.poll_action().is_some() {}
        while let Some(entry) = engine.poll_entry() {
            show.told(recorder.record(engine.pod(), &entry));
        }
        show.settle(now, engine).unwrap();
    };
    let now = Tick::from_secs(3);
    let reason = "src/main.py changed".into();
    let ask = Request::Ask {
        reaction: Reaction::Restart,
        by: Some(app),
        reason,
    };
    engine.handle_request(now, ask).unwrap();
    tell(&mut engine, now);
    let exited = Event::Exited {
        container: app,
        attempt: 1,
        exit: Exit::signal(15),
    };
    let now = Tick::from_secs(4);
    engine.handle_event(now, exited);
    tell(&mut engine, now);
    show.leave().unwrap();
    let mut terminal = Terminal::new(80, 24);
    terminal.write(wire.text().as_bytes());
    assert_eq!(
        terminal.text(),
        [" 3.000s app restarts: src/main.py changed", ""]
    );
}

#[test]
fn what_is_said_beside_the_story_goes_where_the_story_goes() {
    let said = [
        Line::new(Tone::Strong, "orders.yaml").and(Tone::Plain, " changed"),
        Line::new(Tone::Plain, "  app  command"),
    ];
    let heard = |settings: Settings| {
        let (out, err) = (Wire::default(), Wire::default());
        let engine = Stage::story("orders").at(2_000).engine;
        let header = Recorder::new(engine.pod(), Base::default()).header(engine.pod());
        let mut show = Show::new(&header, Base::default(), settings, out.clone(), err.clone());
        show.say(Tick::from_millis(2_500), &said);
        show.settle(Tick::from_millis(2_500), &engine).unwrap();
        (out.text(), err.text())
    };
    let lines = " 2.500s orders.yaml changed\n  app  command\n";
    assert_eq!(heard(settings(Mode::Pipe)).1, lines);
    assert!(
        heard(settings(Mode::Terminal))
            .0
            .contains("orders.yaml changed")
    );
    let json = heard(settings(Mode::Json)).0;
    let object = r#"{"watch":{"at":2.5,"told":"orders.yaml changed\n  app  command"}}"#;
    assert_eq!(json.lines().last(), Some(object));
    assert!(json::read(&json).unwrap().unreadable.is_empty());
    let quiet = Settings {
        quiet: true,
        ..settings(Mode::Pipe)
    };
    assert_eq!(heard(quiet), (String::new(), String::new()));
}
