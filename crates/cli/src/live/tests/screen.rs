//! The terminal holds the logs above and exactly one area below, whatever happens in which order.

use super::log::Numbers;
use super::terminal::Terminal;
use crate::live::frame::frame;
use crate::live::screen::{Look, Screen};
use crate::live::view::{Head, Row, Standing, View};
use pillion_engine::Tick;
use pillion_timeline::{Line, Style, Tone};
use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;
use std::time::Duration;

/// What is written, until somebody takes it.
#[derive(Clone, Default)]
pub(super) struct Wire(Rc<RefCell<Vec<u8>>>);

/// A screen and the terminal at the other end of the wire.
struct Stage {
    wire: Wire,
    screen: Screen<Wire>,
    terminal: Terminal,
    style: Style,
    height: usize,
    logs: Vec<String>,
    now: Tick,
}

impl Wire {
    pub(super) fn text(&self) -> String {
        String::from_utf8(self.0.borrow().clone()).unwrap()
    }
}

impl Write for Wire {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn row(name: &str, standing: Standing, detail: &str) -> Row {
    Row {
        name: name.to_owned(),
        standing,
        detail: vec![detail.to_owned()],
        counts: true,
    }
}

fn view(text: &str, rows: Vec<Row>) -> View {
    View {
        head: Head {
            name: "orders".to_owned(),
            parts: vec![(Tone::Plain, text.to_owned())],
            hint: Some("Ctrl-C stops in order"),
        },
        rows,
        next: None,
    }
}

fn two_rows(text: &str) -> View {
    let rows = vec![
        row("proxy", Standing::Ready, "0.3 s to ready"),
        row("app", Standing::Waiting, text),
    ];
    view("starting", rows)
}

impl Stage {
    fn new(width: usize, height: usize) -> Self {
        let wire = Wire::default();
        let style = Style::unicode(width);
        let look = Look {
            style,
            height,
            colour: true,
        };
        Self {
            screen: Screen::new(wire.clone(), look),
            terminal: Terminal::new(width, height),
            wire,
            style,
            height,
            logs: Vec::new(),
            now: Tick::ZERO,
        }
    }

    fn log(&mut self, line: &str) {
        self.logs.push(line.to_owned());
        self.screen.logs().extend_from_slice(line.as_bytes());
        self.screen.logs().push(b'\n');
    }

    fn resize(&mut self, width: usize, height: usize) {
        self.terminal.resize(width, height);
        self.screen.resize(width, height);
        self.style.width = width;
        self.height = height;
    }

    /// Draws, and gives how many bytes that took.
    fn draw(&mut self, view: &View) -> usize {
        self.screen.draw(self.now, view).unwrap();
        self.receive()
    }

    fn receive(&mut self) -> usize {
        let bytes = std::mem::take(&mut *self.wire.0.borrow_mut());
        self.terminal.write(&bytes);
        bytes.len()
    }

    /// The logs above, exactly one area below, nothing else.
    fn check(&self, view: &View) {
        let area = frame(view, self.style, self.height);
        let area = area
            .iter()
            .map(|line| line.to_string().trim_end().to_owned());
        let expected: Vec<_> = self.logs.iter().cloned().chain(area).collect();
        assert_eq!(self.terminal.text(), expected);
    }
}

#[test]
fn logs_are_above_and_the_pod_is_below() {
    let mut stage = Stage::new(80, 24);
    for number in 0..100 {
        stage.log(&format!("line {number}"));
        let view = two_rows(&number.to_string());
        stage.draw(&view);
        stage.check(&view);
    }
}

#[test]
fn log_lines_may_be_wider_than_the_terminal() {
    let mut stage = Stage::new(40, 24);
    let view = two_rows("for migrate");
    for length in [39, 40, 41, 79, 80, 81, 500] {
        stage.log(&"x".repeat(length));
        stage.log(&"漢".repeat(length / 2));
        stage.draw(&view);
        stage.check(&view);
    }
}

#[test]
fn where_nothing_changed_nothing_is_written() {
    let mut stage = Stage::new(80, 24);
    assert!(stage.draw(&two_rows("a")) > 0);
    stage.screen.changed();
    assert_eq!(stage.draw(&two_rows("a")), 0);
}

#[test]
fn where_one_line_changed_only_that_is_written() {
    let mut stage = Stage::new(80, 24);
    let whole = stage.draw(&view("0.1 s", vec![row("app", Standing::Ready, ""); 6]));
    let mut rows = vec![row("app", Standing::Ready, ""); 6];
    rows[2] = row("app", Standing::Waiting, "x");
    let view = view("0.1 s", rows);
    let bytes = stage.draw(&view);
    stage.check(&view);
    assert!(bytes < whole / 3, "{bytes} of {whole}");
}

#[test]
fn the_logs_stay_and_the_area_stays_one_whatever_happens() {
    let mut numbers = Numbers(4711);
    let standings = [Standing::Ready, Standing::Waiting, Standing::Failed];
    for _ in 0..40 {
        let mut stage = Stage::new(80, 40);
        for step in 0..60 {
            match numbers.next(4) {
                0 => stage.resize(40 + numbers.next(160), 36 + numbers.next(40)),
                1 => (0..numbers.next(5)).for_each(|_| {
                    let length = numbers.next(200);
                    stage.log("log ".repeat(1 + length / 4).trim_end());
                }),
                2 if numbers.next(6) == 0 => {
                    stage.screen.leave().unwrap();
                    stage.receive();
                    assert!(stage.terminal.cursor_shown);
                }
                _ => {}
            }
            let rows = (0..numbers.next(6)).map(|number| {
                let detail = "for 漢字 and more ".repeat(numbers.next(4));
                row(
                    &format!("c{number}"),
                    standings[numbers.next(3)],
                    detail.trim_end(),
                )
            });
            let view = view(&format!("step {step}"), rows.collect());
            stage.draw(&view);
            stage.check(&view);
            assert!(!stage.terminal.cursor_shown);
        }
    }
}

#[test]
fn in_the_end_the_containers_and_the_result_stay_and_the_cursor_is_back() {
    let mut stage = Stage::new(80, 24);
    let view = two_rows("for migrate");
    stage.draw(&view);
    stage.log("the last words");
    let result = Line::new(Tone::Plain, "orders succeeded after 4.2 s");
    stage.screen.finish(&view, &result).unwrap();
    stage.receive();
    assert_eq!(
        stage.terminal.text(),
        [
            "the last words",
            &"─".repeat(70),
            " ● proxy  ready     0.3 s to ready",
            " ◌ app    waiting   for migrate",
            "orders succeeded after 4.2 s",
            "",
        ]
    );
    assert!(stage.terminal.cursor_shown);
}

#[test]
fn a_screen_that_goes_away_gives_the_cursor_back() {
    let mut stage = Stage::new(80, 24);
    stage.draw(&two_rows("a"));
    let Stage {
        wire,
        screen,
        mut terminal,
        ..
    } = stage;
    drop(screen);
    terminal.write(&wire.0.borrow()[..]);
    assert!(terminal.cursor_shown);
}

#[test]
fn a_pod_in_which_nothing_happens_is_not_drawn() {
    let mut stage = Stage::new(80, 24);
    assert_eq!(stage.screen.next_redraw(stage.now), Some(stage.now));
    stage.draw(&two_rows("a"));
    assert_eq!(stage.screen.next_redraw(Tick::from_secs(3600)), None);
}

#[test]
fn drawings_are_a_tenth_of_a_second_apart() {
    let mut stage = Stage::new(80, 24);
    let at = Tick::from_millis;
    let view = View {
        next: Some(at(5)),
        ..two_rows("a")
    };
    stage.draw(&view);
    assert_eq!(stage.screen.next_redraw(at(1)), Some(at(100)), "by itself");
    stage.log("x");
    assert_eq!(stage.screen.next_redraw(at(1)), Some(at(100)), "by a log");
    assert_eq!(stage.screen.next_redraw(at(500)), Some(at(500)), "late");
    let flood = b"y\n".repeat(40_000);
    stage.screen.logs().extend_from_slice(&flood);
    assert_eq!(stage.screen.next_redraw(at(1)), Some(at(1)), "a flood");
}

#[test]
fn a_time_that_runs_on_is_drawn_when_it_changes() {
    let mut stage = Stage::new(80, 24);
    let next = Tick::ZERO + Duration::from_secs(1);
    stage.draw(&View {
        next: Some(next),
        ..two_rows("a")
    });
    assert_eq!(stage.screen.next_redraw(Tick::from_millis(300)), Some(next));
}
