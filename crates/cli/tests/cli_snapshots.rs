//! What people see, written down: the help of every command, what the commands print about pods, and the words of every
//! mistake. `INSTA_UPDATE=always cargo test --test cli_snapshots` writes them anew; read the difference.

#[expect(dead_code, reason = "other tests need more of it")]
#[path = "support/place.rs"]
mod place;
#[expect(dead_code, reason = "other tests need more of it")]
#[path = "support/started.rs"]
mod started;
#[expect(dead_code, reason = "other tests need more of it")]
#[path = "support/run.rs"]
mod support;

use place::{Place, told};
use regex::Regex;
use started::Started;
use std::fmt::Write as _;
use std::fs;
use std::process::Output;
use support::{pillion, root, run, stdout};

/// A command as a reader of the snapshots sees it.
struct Shown {
    command: String,
    output: Output,
}

/// Pods with two services and something that is done once.
const SHOP: &str = "  containers:
    - {name: proxy, image: p, sidecar: true, command: [sh, -c, 'echo listening; exec sleep 1000'], readyOn: {logLine: listening}}
    - {name: migrate, image: m, oneshot: true, requires: [proxy], command: [sh, -c, 'echo done']}
    - {name: app, image: a, requires: [migrate, proxy], command: [sh, -c, 'trap \"exit 0\" TERM; echo serving; while :; do sleep 0.05; done']}
";

const READY: &str = r#""podReady""#;

#[test]
fn the_help_of_every_command() {
    let help = stdout(&run(&["--help"]));
    let commands = help.split_once("Commands:\n").expect("there are commands");
    let commands = commands.1.lines().take_while(|line| !line.is_empty());
    for command in commands.filter_map(|line| line.split_whitespace().next()) {
        let shown = Shown::of(&[command, "--help"]);
        insta::assert_snapshot!(format!("help-{command}"), shown.text());
    }
    insta::assert_snapshot!("help", help);
}

#[test]
fn the_plan_and_the_findings_of_every_example() {
    for example in examples() {
        let file = format!("examples/{example}.yaml");
        let mut text = Shown::of(&["plan", &file]).text();
        text += &Shown::of(&["lint", &file]).text();
        insta::assert_snapshot!(format!("example-{example}"), text);
    }
}

#[test]
fn a_plan_for_programs() {
    for form in ["json", "mermaid", "dot"] {
        let shown = Shown::of(&["plan", "-o", form, "examples/orders.yaml"]);
        insta::assert_snapshot!(format!("plan-{form}"), shown.text());
    }
}

#[test]
fn the_words_of_mistakes_with_the_program() {
    let wrong: [&[&str]; 13] = [
        &["frobnicate"],
        &["lint", "missing.yaml"],
        &["plan", "crates"],
        &["plan", "--pod", "nobody", "examples/orders.yaml"],
        &["plan", "-o", "picture", "examples/orders.yaml"],
        &["explain", "L9999"],
        &["explain", "nonsense"],
        &["simulate", "examples/orders.yaml", "--exit", "nobody@1s"],
        &["simulate", "examples/orders.yaml", "--exit", "app@soon"],
        &["simulate", "examples/orders.yaml", "-s", "missing.yaml"],
        &["run", "examples/orders.yaml", "--max-backoff", "10m"],
        &["convert", "missing.yaml"],
        &["completions", "basic"],
    ];
    let shown: String = wrong.iter().map(|line| Shown::of(line).text()).collect();
    insta::assert_snapshot!("mistakes", shown);
}

#[test]
fn the_words_where_no_pod_runs() {
    let place = Place::new();
    let lines: [&[&str]; 9] = [
        &["ps"],
        &["ps", "orders"],
        &["logs"],
        &["logs", "orders"],
        &["stop", "orders"],
        &["restart", "orders"],
        &["exec", "orders", "--", "true"],
        &["get", "orders"],
        &["trace"],
    ];
    let shown: String = lines.iter().map(|line| Shown::at(&place, line)).collect();
    insta::assert_snapshot!("no-pod", shown);
}

#[test]
fn a_pod_that_runs_seen_from_another_terminal() {
    let place = Place::new();
    let _pod = place.run("shop", SHOP, READY);
    let lines: [&[&str]; 9] = [
        &["ps"],
        &["ps", "shop"],
        &["logs", "shop"],
        &[
            "exec",
            "shop/app",
            "--",
            "sh",
            "-c",
            "echo $PILLION_CONTAINER; exit 3",
        ],
        &["exec", "shop/app", "--", "no-such-program"],
        &["exec", "shop/nobody", "--", "true"],
        &["restart", "shop/nobody"],
        &["logs", "shop", "nobody"],
        &["get", "nobody"],
    ];
    let shown: String = lines.iter().map(|line| Shown::at(&place, line)).collect();
    insta::assert_snapshot!("running", shown);
}

#[test]
fn a_run_in_a_pipe() {
    let place = Place::new();
    let spec = SHOP.replace("while :; do sleep 0.05; done", "exit 3");
    let file = place.path().join("shop.yaml");
    let head = "apiVersion: v1\nkind: Pod\nmetadata: {name: shop}\nspec:\n  restartPolicy: Never\n";
    fs::write(&file, format!("{head}{spec}")).expect("it can be written");
    let file = file.to_string_lossy();
    let lines: [&[&str]; 6] = [
        &["run", &file],
        &["run", "--quiet", &file],
        &["run", &file, "--kill", "nobody@1s"],
        &["run", &file, "--only-logs", "nobody"],
        &["run", "missing.yaml"],
        &["run", "-"],
    ];
    let shown: String = lines.iter().map(|line| Shown::at(&place, line)).collect();
    insta::assert_snapshot!("run", shown);
}

fn examples() -> Vec<String> {
    let files = fs::read_dir(root().join("examples")).expect("there are examples");
    let paths = files.map(|entry| entry.expect("it can be listed").path());
    let mut names: Vec<_> = paths
        .filter_map(|path| Some(path.file_stem()?.to_string_lossy().into_owned()))
        .collect();
    names.sort();
    names
}

// === impl Shown ===

impl Shown {
    fn of(arguments: &[&str]) -> Self {
        let output = pillion(arguments).output().expect("pillion was built");
        Self {
            command: arguments.join(" "),
            output,
        }
    }

    /// A command in a place of its own, without what is another each time.
    fn at(place: &Place, arguments: &[&str]) -> String {
        let shown = Self {
            command: arguments.join(" "),
            output: Started::output(&mut place.pillion(arguments)),
        };
        let path = place.path().to_string_lossy();
        without_numbers(&shown.text().replace(&*path, "PLACE"))
    }

    fn text(&self) -> String {
        let (stdout, stderr, code) = told(&self.output);
        let mut text = format!("$ pillion {}\n{stdout}", self.command);
        if !stderr.is_empty() {
            let _ = write!(text, "--- stderr ---\n{stderr}");
        }
        let code = code.map_or("a signal".to_owned(), |code| code.to_string());
        let _ = writeln!(text, "--- exit {code} ---\n");
        text
    }
}

/// Times and process numbers become `N`, and the spaces before them one.
fn without_numbers(text: &str) -> String {
    let times = Regex::new(r" *\b\d+(\.\d+)? ?(ms|s|min)\b").expect("it is a pattern");
    let processes = Regex::new(r"\bpid \d+").expect("it is a pattern");
    let text = times.replace_all(text, " N s");
    processes.replace_all(&text, "pid N").into_owned()
}
