//! `pillion trace`: which run is meant, what is shown of it, and what is said where there is none.

#[path = "support/run.rs"]
mod support;
#[path = "../../timeline/src/tests/xml.rs"]
mod xml;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;
use support::{pillion, root, run, run_with, stderr, stdout};

/// A state folder for one test.
struct State(PathBuf);

impl State {
    fn new(test: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join("state")
            .join(test);
        // It may be there from the last time.
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("the folder for tests can be written to");
        Self(folder)
    }

    /// A run that was told so many seconds after the others.
    fn run(self, namespace: &str, name: &str, number: u32, told: u64) -> Self {
        let folder = self
            .0
            .join(format!("pillion/{namespace}/{name}/runs/{number}"));
        fs::create_dir_all(&folder).expect("it can be made");
        let file = folder.join("timeline");
        fs::write(&file, life(name)).expect("it can be written");
        let when = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000 + told);
        let file = fs::File::options().append(true).open(file);
        file.and_then(|file| file.set_modified(when))
            .expect("it was just made");
        self
    }

    fn trace(&self, arguments: &[&str]) -> Output {
        let mut command = pillion(&[&["trace"], arguments].concat());
        command.env("XDG_STATE_HOME", &self.0);
        command.output().expect("pillion was built")
    }

    fn refused(&self, arguments: &[&str]) -> String {
        let output = self.trace(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert_eq!(stdout(&output), "", "{arguments:?}");
        stderr(&output)
    }

    fn title(&self, arguments: &[&str]) -> String {
        let output = self.trace(arguments);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        stdout(&output)
            .lines()
            .next()
            .unwrap_or_default()
            .to_owned()
    }
}

const POD: &str = "
apiVersion: v1
kind: Pod
metadata: {name: NAME}
spec:
  restartPolicy: Never
  containers:
    - {name: proxy, image: i, sidecar: true}
    - {name: app, image: i, keystone: true, requires: [proxy]}
";

/// The timeline of a pod of that name, as a simulation writes it.
fn life(name: &str) -> String {
    let pod = POD.replace("NAME", name);
    let arguments = ["simulate", "-", "--exit", "app=3@2s", "--json"];
    stdout(&run_with(&arguments, &pod))
}

fn scratch(name: &str, text: &str) -> String {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, text).expect("the folder for tests can be written to");
    path.to_string_lossy().into_owned()
}

#[test]
fn a_run_fits_on_one_screen() {
    let output = run_with(&["trace", "-"], &life("shop"));
    assert_eq!(stderr(&output), "");
    assert_eq!(
        stdout(&output),
        "\
shop · exit 3 after 2 s · ready after 0 s

        0s               0.5s              1s                1.5s
 proxy  ███████████████████████████████████████████████████████████████████████
 app    ██████████████████████████████████████████████████████████████████████×
 █ ready   × failed

 critical path  proxy 0.0 → app 0.0 ms
 2.000s  app exited 3, ended for good
         pod stops within 30 s: keystone app ended
         proxy told to stop: nothing needs it any more

shop failed: app exited 3 (keystone) after 2 s
"
    );
}

#[test]
fn the_story_is_told_on_demand() {
    let of = |arguments: &[&str]| {
        let output = run_with(&[&["trace", "-"], arguments].concat(), &life("shop"));
        stdout(&output)
    };
    let line = "0.000s  app starts: proxy ready\n";
    assert!(!of(&[]).contains(line));
    assert!(of(&["--story"]).contains(line), "{}", of(&["--story"]));
    assert!(of(&["--all"]).lines().count() > of(&["--story"]).lines().count());
}

#[test]
fn as_json_a_timeline_is_what_it_was() {
    let life = life("shop");
    let output = run_with(&["trace", "-", "-o", "json"], &life);
    assert_eq!(stdout(&output), life);
}

#[test]
fn without_a_name_the_latest_run_of_any_pod_is_shown() {
    let state = State::new("latest")
        .run("default", "first", 1, 30)
        .run("default", "orders", 1, 10)
        .run("default", "orders", 2, 20);
    assert!(state.title(&[]).starts_with("first · "));
}

#[test]
fn a_name_means_the_newest_run_and_a_number_one_of_them() {
    let state = State::new("named")
        .run("default", "orders", 9, 10)
        .run("default", "orders", 10, 10)
        .run("shop", "web", 1, 10);
    let folder = |number: u32| {
        let file = state
            .0
            .join(format!("pillion/default/orders/runs/{number}/timeline"));
        fs::write(file, life(&format!("run-{number}"))).expect("it is there");
    };
    folder(9);
    folder(10);
    assert!(state.title(&["orders"]).starts_with("run-10 · "));
    assert!(state.title(&["orders#9"]).starts_with("run-9 · "));
    assert!(state.title(&["shop/web"]).starts_with("web · "));
}

#[test]
fn a_folder_named_like_a_pod_hides_no_run() {
    let state = State::new("folder").run("default", "orders", 1, 10);
    fs::create_dir_all(state.0.join("orders")).expect("it can be made");
    let mut command = pillion(&["trace", "orders"]);
    command
        .env("XDG_STATE_HOME", &state.0)
        .current_dir(&state.0);
    let output = command.output().expect("pillion was built");
    assert!(
        stdout(&output).starts_with("orders · "),
        "{}",
        stderr(&output)
    );
}

#[test]
fn where_nothing_was_run_it_says_how_to() {
    for arguments in [&[][..], &["orders"], &["shop/orders#2"]] {
        assert_eq!(
            State::new("empty").refused(arguments),
            "error: no pod has been run yet\n\
             help: `pillion run pod.yaml` runs one; `pillion simulate pod.yaml --json | pillion trace -` plays one\n"
        );
    }
}

#[test]
fn a_name_that_is_not_there_gets_the_nearest_or_all() {
    let state = State::new("unknown")
        .run("default", "orders", 1, 10)
        .run("shop", "web", 1, 10)
        .run("blog", "web", 1, 10);
    assert_eq!(
        state.refused(&["ordres"]),
        "error: there is no run of a pod `ordres`\nhelp: did you mean `orders`?\n"
    );
    assert_eq!(
        state.refused(&["something"]),
        "error: there is no run of a pod `something`\nhelp: there are runs of orders, web\n"
    );
    assert_eq!(
        state.refused(&["orders#4"]),
        "error: there is no run 4 of `orders`\nhelp: the latest is `orders#1`\n"
    );
    assert_eq!(
        state.refused(&["web"]),
        "error: there are 2 pods of that name\nhelp: say which one: blog/web or shop/web\n"
    );
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let text = State::new("no-file").refused(&["./nothing.jsonl"]);
    assert!(
        text.starts_with("error: cannot read ./nothing.jsonl\n"),
        "{text}"
    );
}

#[test]
fn a_pod_file_is_no_timeline_and_says_what_is() {
    let output = run(&["trace", "examples/orders.yaml"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        stderr(&output),
        "error: examples/orders.yaml is no timeline\n  \
         because: the first line is not the header of a timeline\n\
         help: `pillion simulate examples/orders.yaml` plays a pod file; with `--json` it writes a timeline\n"
    );
}

#[test]
fn of_a_torn_file_what_can_be_read_is_shown() {
    let whole = life("shop");
    let torn = &whole[..whole.len() - 30];
    let output = run_with(&["trace", "-"], torn);
    assert_eq!(output.status.code(), Some(0));
    assert!(
        stdout(&output).starts_with("shop · not ended after 2 s"),
        "{}",
        stdout(&output)
    );
    assert_eq!(
        stderr(&output),
        "warning: <stdin>: its last line is not whole: somebody is writing it, or was cut off\n"
    );
}

#[test]
fn of_a_run_that_was_killed_before_anything_ran_that_is_said() {
    let state = State::new("nothing-ran").run("default", "orders", 1, 10);
    let pod = state.0.join("pillion/default/orders");
    fs::write(pod.join("lock"), "").expect("the folder is there");
    let told = life("orders");
    let header = told.split_inclusive('\n').next().unwrap_or_default();
    fs::write(pod.join("runs/1/timeline"), header).expect("it is there");

    let text = stdout(&state.trace(&["orders"]));

    let last = "told for 0 s, then pillion was killed while nothing was running\n";
    assert!(text.ends_with(last), "{text}");
}

#[test]
fn lines_that_make_no_sense_are_left_out_and_told() {
    let mut lines: Vec<_> = life("shop").lines().map(str::to_owned).collect();
    for (place, noise) in [(2, "noise"), (4, "{}"), (5, "[]"), (6, "1")] {
        lines.insert(place, noise.to_owned());
    }
    let output = run_with(&["trace", "-"], &lines.join("\n"));
    assert_eq!(output.status.code(), Some(1));
    let text = stderr(&output);
    assert!(text.starts_with("warning: <stdin>:3: left out: "), "{text}");
    assert!(
        text.ends_with("warning: <stdin>: 1 lines more are left out\n"),
        "{text}"
    );
}

#[test]
fn the_name_of_the_file_says_the_form() {
    let timeline = scratch("form.jsonl", &life("shop"));
    for (name, begins) in [
        ("form.svg", "<svg "),
        ("form.html", "<!doctype html>"),
        ("form.json", "{\"format\":"),
        ("form.txt", "shop · "),
    ] {
        let file = scratch(name, "what was there before");
        let output = run(&["trace", &timeline, "--output", &file]);
        assert_eq!(stdout(&output), "");
        assert_eq!(stderr(&output), format!("written to {file}\n"));
        let text = fs::read_to_string(&file).expect("it was written");
        assert!(text.starts_with(begins), "{name}: {text}");
    }
}

#[test]
fn a_form_in_the_place_of_a_file_is_noticed() {
    let output = run_with(&["trace", "-", "--output", "json"], &life("shop"));
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        stderr(&output),
        "error: `--output json` names a file, not a form\n\
         help: `-o json` chooses the form; `--output ./json` writes that file\n"
    );
}

#[test]
fn every_example_has_a_picture_and_a_page() {
    let examples = fs::read_dir(root().join("examples")).expect("there are examples");
    for example in examples {
        let path = example.expect("it can be listed").path();
        let path = path.to_string_lossy();
        let timeline = stdout(&run(&["simulate", &path, "--json"]));
        for (form, begins) in [("svg", "<svg "), ("html", "<!doctype html>")] {
            let text = stdout(&run_with(&["trace", "-", "-o", form], &timeline));
            assert!(text.starts_with(begins), "{path}");
            assert_eq!(xml::fault(&text), None, "{path}");
        }
    }
}
