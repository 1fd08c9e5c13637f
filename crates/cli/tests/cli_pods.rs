//! What people see of the example pods: plans, lives and problems.

#[path = "support/run.rs"]
mod support;

use std::io::Write as _;
use std::path::Path;
use std::process::{Output, Stdio};
use support::{feed, pillion, root, run, run_with, stderr, stdout};

/// In a terminal of so many columns.
fn run_in(columns: &str, arguments: &[&str], input: &str) -> Output {
    let mut command = pillion(arguments);
    command.env("COLUMNS", columns);
    feed(command, input)
}

fn examples() -> Vec<String> {
    let files = std::fs::read_dir(root().join("examples")).expect("there are examples");
    let paths = files.map(|file| file.expect("it can be listed").path());
    let yaml = paths.filter(|path| path.extension().is_some_and(|end| end == "yaml"));
    let mut names: Vec<_> = yaml
        .map(|path| path.to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

const CYCLE: &str = "
apiVersion: v1
kind: Pod
metadata: {name: circle}
spec:
  containers:
    - {name: a, image: x, requires: [b]}
    - {name: b, image: x, requires: [a]}
";

/// A pod with names as long as Kubernetes allows, which differ only in their middle or at an end.
fn long_names(differ_in_the_middle: bool) -> String {
    let name = |mark: &str| {
        let rest = "-of-the-department-of-long-names-and-of-everything-else";
        let (head, tail) = rest.split_at(if differ_in_the_middle { 28 } else { 0 });
        format!("a{head}{mark}{tail}")
    };
    let [proxy, cache, app] = ["proxy", "cache", "apple"].map(name);
    assert!(proxy.len() > 60 && proxy.len() < 64);
    format!(
        "
apiVersion: v1
kind: Pod
metadata: {{name: {pod}}}
spec:
  restartPolicy: Never
  containers:
  - {{name: {proxy}, image: x, sidecar: true, provides: [network, {capability}]}}
  - {{name: {cache}, image: x, sidecar: true, stopTimeoutSeconds: 5, resources: {{limits: {{cpu: 1}}}}}}
  - name: {app}
    image: x
    keystone: true
    requires: [{{container: {cache}, until: started, need: soft, timeoutSeconds: 9}}]
",
        pod = "p".repeat(200),
        capability = "c".repeat(63),
    )
}

#[test]
fn plans_and_lives_fit_the_terminal() {
    for width in [20, 40, 60, 80, 120] {
        for pod in [long_names(false), long_names(true)] {
            for arguments in [&["plan", "-"][..], &["simulate", "-"]] {
                let columns = width.to_string();
                let output = run_in(&columns, arguments, &pod);
                assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
                for line in stdout(&output).lines() {
                    assert!(line.chars().count() <= width, "{width}: {line}");
                }
            }
        }
    }
}

#[test]
fn names_are_shortened_only_while_they_can_be_told_apart() {
    let plan = |pod: &str| stdout(&run_in("80", &["plan", "-"], pod));
    let shortened = plan(&long_names(false));
    assert!(
        shortened.contains("after aproxy-of-the…rything-else ready"),
        "{shortened}"
    );
    let whole = plan(&long_names(true)).replace(['\n', ' '], "");
    assert!(
        whole.contains("a-of-the-department-of-long-nproxyames-and"),
        "{whole}"
    );
    assert!(!whole.contains('…'), "{whole}");
}

#[test]
fn the_plan_of_the_example() {
    let output = run(&["plan", "examples/orders.yaml"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(
        stdout(&output),
        "\
orders · 4 containers · graph

  proxy ─┬─▶ migrate ───▶ app
         └─▶ cache ·····▶ app        ───▶ then   ···▶ then, if it comes up

  start  1  proxy    sidecar · provides network
         2  migrate  oneshot                     after proxy ready
            cache    sidecar                     after proxy ready
         3  app      main · keystone             after migrate succeeded,
                                                       cache started (soft)
  stop   1  app      up to 30 s
         2  cache    up to 5 s, at least 2 s
         3  proxy    what is left, at least 2 s

  grace 30 s, worst case 32 s: cache and proxy may be cut short (L0311)
  counted by the scheduler: cpu 350m, memory 420Mi
"
    );
}

#[test]
fn a_plan_says_how_long_each_hook_may_hold_a_stop_up() {
    let stop = |hook: &str| {
        let pod = format!(
            "
apiVersion: v1
kind: Pod
metadata: {{name: shop}}
spec:
  containers:
  - {{name: app, image: x, stopTimeoutSeconds: 5, lifecycle: {{preStop: {{{hook}}}}}}}
"
        );
        let plan = stdout(&run_with(&["plan", "-"], &pod));
        let line = plan.lines().find(|line| line.starts_with("  stop"));
        line.unwrap_or_default().to_owned()
    };
    assert_eq!(stop("sleep: {seconds: 4}"), "  stop   1  app  up to 5 s");
    assert_eq!(stop("sleep: {seconds: 9}"), "  stop   1  app  up to 7 s");
    assert_eq!(
        stop("exec: {command: [drain]}"),
        "  stop   1  app  up to 5 s, 7 s if its hook hangs"
    );
}

#[test]
fn a_plan_shows_every_written_requirement_and_what_is_not_usual() {
    let pod = "
apiVersion: v1
kind: Pod
metadata: {name: shop}
spec:
  containers:
    - {name: broker, image: x, sidecar: true, onGiveUp: failPod, resources: {limits: {cpu: 1}}}
    - {name: license, image: x, sidecar: true, requires: [broker]}
    - name: app
      image: x
      requires:
        - {container: broker, onRestart: restart}
        - {container: license, onRestart: stop, timeoutSeconds: 20}
";
    let plan = stdout(&run_with(&["plan", "-"], pod));
    for part in [
        "broker ready (restart), license ready (stop, 20 s)",
        "  broker ─┬─▶ license ───▶ app\n          └──────────────▶ app\n",
        "sidecar · onGiveUp failPod",
        "  limits of broker only: cpu 1\n",
    ] {
        assert!(plan.contains(part), "{part}: {plan}");
    }
    assert!(!plan.contains("one after another"), "{plan}");
}

#[test]
fn a_plan_shows_all_that_is_required_of_one_container() {
    let pod = "
apiVersion: v1
kind: Pod
metadata: {name: shop}
spec:
  restartPolicy: Never
  containers:
    - {name: worker, image: x}
    - name: upload
      image: x
      requires:
        - {container: worker, until: exited}
        - {container: worker, need: soft, timeoutSeconds: 5}
";
    let plan = stdout(&run_with(&["plan", "-"], pod));
    let both = "after worker exited, worker ready (soft, 5 s)";
    assert!(plan.contains(both), "{plan}");
}

#[test]
fn a_plan_says_that_plain_containers_start_in_list_order() {
    let pod = "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: a, image: x}, {name: b, image: x}]}}";
    let plan = stdout(&run_with(&["plan", "-"], pod));
    let order = "plain containers start one after another, in list order";
    assert!(plan.contains(order), "{plan}");
}

#[test]
fn long_lists_of_names_are_counted_and_not_told() {
    let containers: Vec<_> = (0..40)
        .map(|number| format!("{{name: c{number}, image: x, sidecar: true}}"))
        .collect();
    let pod = format!(
        "{{apiVersion: v1, kind: Pod, metadata: {{name: p}}, spec: {{containers: [{{name: a, image: x}}, {}]}}}}",
        containers.join(", ")
    );
    let plan = stdout(&run_with(&["plan", "-"], &pod));
    assert!(plan.contains("40 containers may"), "{plan}");
    assert!(plan.contains("c0, c1, c2, …\n"), "{plan}");
}

#[test]
fn problems_are_ascii_when_asked_for() {
    let output = run_with(&["lint", "--ascii", "-"], CYCLE);
    assert!(output.stdout.is_ascii(), "{}", stdout(&output));
}

#[test]
fn stories_fit_narrow_terminals() {
    for (columns, limit) in [("40", 40), ("80", 80)] {
        let output = pillion(&["simulate", "examples/orders.yaml"])
            .env("COLUMNS", columns)
            .output()
            .unwrap();
        for line in stdout(&output).lines() {
            assert!(line.chars().count() <= limit, "{line}");
        }
    }
}

#[test]
fn every_example_is_clean_and_has_a_plan_that_fits() {
    assert!(examples().len() > 5);
    for file in examples() {
        let lint = run(&["lint", &file]);
        assert_eq!(lint.status.code(), Some(0), "{}", stdout(&lint));
        for (width, arguments) in [("80", &["plan"][..]), ("60", &["plan", "--ascii"])] {
            let output = pillion(arguments)
                .arg(&file)
                .env("COLUMNS", width)
                .output()
                .unwrap();
            assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
            let limit: usize = width.parse().unwrap();
            for line in stdout(&output).lines() {
                assert!(line.chars().count() <= limit, "{file}: {line}");
            }
        }
    }
}

#[test]
fn every_example_can_be_played_to_its_end() {
    for file in examples() {
        let output = run(&["simulate", &file]);
        assert_eq!(output.status.code(), Some(0), "{file}: {}", stderr(&output));
        assert!(
            stdout(&output).contains("pod succeeded"),
            "{file}: {}",
            stdout(&output)
        );
        assert!(
            stdout(&output)
                .lines()
                .all(|line| line.chars().count() <= 100),
            "{file}"
        );
    }
}

#[test]
fn plans_are_made_for_other_tools() {
    let plan = |format| stdout(&run(&["plan", "-o", format, "examples/orders.yaml"]));
    assert!(plan("mermaid").starts_with("flowchart LR\n  n0(\"proxy\")\n"));
    assert!(plan("dot").starts_with("digraph \"orders\" {\n"));
    let json: serde_json::Value = serde_json::from_str(&plan("json")).unwrap();
    assert_eq!(
        json["start"]["waves"][1],
        serde_json::json!(["migrate", "cache"])
    );
    assert_eq!(json["stop"]["worstCaseSeconds"], 32.0);
    assert_eq!(json["stop"]["containers"]["cache"]["cutShort"], true);
    assert_eq!(json["resources"]["requests"]["cpu"], "350m");
    let edge = &json["containers"][2]["requires"][0];
    assert_eq!(
        (&edge["container"], &edge["need"]),
        (&"migrate".into(), &"hard".into())
    );
}

#[test]
fn a_file_with_errors_is_not_planned_nor_played() {
    for verb in ["plan", "simulate"] {
        let output = run_with(&[verb, "-"], CYCLE);
        assert_eq!(output.status.code(), Some(1));
        assert!(stdout(&output).is_empty());
        assert!(
            stderr(&output).starts_with("error[L0201]"),
            "{}",
            stderr(&output)
        );
    }
}

#[test]
fn problems_are_data_and_the_count_is_not() {
    let output = run_with(&["lint", "-"], CYCLE);
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).starts_with("error[L0201]") && stdout(&output).contains("<stdin>:7:"));
    assert_eq!(stderr(&output), "1 error in 1 file\n");
}

#[test]
fn a_closed_pipe_does_not_turn_findings_into_success() {
    for (text, code) in [(CYCLE, 1), ("a: [", 2)] {
        let (reader, writer) = std::io::pipe().expect("there are pipes");
        drop(reader);
        let mut command = pillion(&["lint", "-"]);
        command
            .stdin(Stdio::piped())
            .stdout(writer)
            .stderr(Stdio::null());
        let mut child = command.spawn().expect("pillion was built");
        let mut stdin = child.stdin.take().expect("it is piped");
        stdin.write_all(text.as_bytes()).expect("pillion reads");
        drop(stdin);
        assert_eq!(child.wait().expect("pillion ends").code(), Some(code));
    }
}

#[test]
fn problems_are_lines_of_json_when_asked_for() {
    let output = run_with(&["lint", "--json", "-"], CYCLE);
    assert_eq!(
        (output.status.code(), stderr(&output).as_str()),
        (Some(1), "")
    );
    let finding: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(
        (&finding["code"], &finding["file"]),
        (&"L0201".into(), &"<stdin>".into())
    );
}

#[test]
fn a_file_that_cannot_be_taken_apart_is_exit_code_two() {
    for text in ["a: [", "", "\u{0}", "\t- x"] {
        let output = run_with(&["lint", "-"], text);
        assert_eq!(
            output.status.code(),
            Some(2),
            "{text:?}: {}",
            stdout(&output)
        );
    }
}

#[test]
fn what_if_the_proxy_dies() {
    let output = run(&["simulate", "examples/orders.yaml", "--kill", "proxy@3s"]);
    let text = stdout(&output);
    assert!(
        text.contains("3.000s  proxy exited 137 (killed), restarts at once: policy\n"),
        "{text}"
    );
    assert!(text.contains("\n restarts       proxy 1x\n"), "{text}");
}

#[test]
fn a_timeline_is_lines_of_json_when_asked_for() {
    let output = run(&["simulate", "--json", "examples/orders.yaml"]);
    let reading = pillion_timeline::json::read(&stdout(&output)).unwrap();
    assert!(!reading.torn && reading.unreadable.is_empty());
    assert!(reading.timeline.ending().is_some());
    assert!(output.stderr.is_empty());
}

#[test]
fn scenarios_bring_their_own_pod_or_are_given_one() {
    let output = run(&["simulate", "-s", "scenarios/stories/orders-deaf-app.yaml"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(
        stderr(&output).contains("orders-4 passed"),
        "{}",
        stderr(&output)
    );
    assert!(stdout(&output).contains("pod's time to stop is used up"));

    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let file = folder.join("slow.yaml");
    std::fs::write(&file, "actors: {migrate: {runs: 20s}}\nexpect: [{case: x, title: never, checks: [{neverStarts: app}]}]\n").unwrap();
    let output = run(&[
        "simulate",
        "examples/orders.yaml",
        "-s",
        &file.to_string_lossy(),
    ]);
    assert_eq!(
        output.status.code(),
        Some(1),
        "an expectation fails: {}",
        stderr(&output)
    );
    assert!(
        stdout(&output).contains("20.00s  migrate succeeded\n"),
        "{}",
        stdout(&output)
    );
}

#[test]
fn what_is_asked_for_and_changes_nothing_is_said() {
    let output = run(&[
        "simulate",
        "examples/orders.yaml",
        "--delete",
        "2s",
        "--kill",
        "proxy@5m",
        "--kill",
        "app@500ms",
    ]);
    assert_eq!(
        stderr(&output),
        "signal 9 to app at 0.500s changes nothing: app had not started yet\n\
         signal 9 to proxy was never done: the pod had ended at 2.000s\n"
    );
}

#[test]
fn names_that_do_not_exist_are_refused_with_those_that_do() {
    let output = run(&["simulate", "examples/orders.yaml", "--kill", "proxi@3s"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("help: it has proxy, migrate, app, cache\n"));
    let output = run(&["plan", "examples/orders.yaml", "--pod", "order"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("help: it has orders\n"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn a_file_with_errors_is_refused_with_these_alone() {
    let containers =
        "  - {name: a, command: [a]}\n  - {name: b, command: [b], requires: [nobody]}\n";
    let text = refusal_of_run("one-error.yaml", containers);
    assert!(text.starts_with("error[L0102]: "), "{text}");
    assert_eq!(text.matches("[L0").count(), 1, "{text}");
    assert!(
        text.contains(" more findings that are no errors: `pillion lint "),
        "{text}"
    );
}

#[test]
fn a_field_that_is_misspelt_is_shown_with_the_error_that_it_makes() {
    let containers = "  - {name: a, comand: [a]}\n  - {name: b, command: [b]}\n";
    let text = refusal_of_run("misspelt.yaml", containers);
    assert!(text.starts_with("error[L0505]: "), "{text}");
    assert!(text.contains("warning[L0501]: "), "{text}");
    assert!(text.contains("help: did you mean `command`?"), "{text}");
    let more = "\n1 more finding that is no error: `pillion lint ";
    assert!(text.contains(more), "{text}");
}

/// What `pillion run` says of a pod with these containers, which has errors.
fn refusal_of_run(name: &str, containers: &str) -> String {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let head = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n";
    std::fs::write(&file, format!("{head}{containers}"))
        .expect("the folder for tests can be written to");
    let output = run(&["run", &file.to_string_lossy()]);
    assert_eq!(output.status.code(), Some(1));
    stderr(&output)
}
