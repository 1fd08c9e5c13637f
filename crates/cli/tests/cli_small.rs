//! Lives, scenarios and mistakes of small pods, each made for one claim.

#[path = "support/run.rs"]
mod support;

use std::path::Path;
use std::process::Stdio;
use support::{pillion, run, run_with, stderr, stdout};

/// A file for one test.
fn scratch(name: &str, text: &str) -> String {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).expect("the folder for tests can be written to");
    path.to_string_lossy().into_owned()
}

const PINNED: &str = "
apiVersion: v1
kind: Pod
metadata: {name: pinned}
spec:
  containers:
    - {name: amb, image: amb:1, sidecar: true}
    - {name: app, image: app:1, requires: [{container: amb, onRestart: stop}]}
";

const NEW_IMAGE: &str = "
acts:
  - {when: {condition: Ready}, after: 2s, replace: {container: amb, fields: {image: \"amb:2\"}}}
";

#[test]
fn a_request_that_is_refused_is_told_with_the_reason() {
    let pod = scratch("pinned.yaml", PINNED);
    let scenario = scratch("new-image.yaml", NEW_IMAGE);
    for json in [&[][..], &["--json"]] {
        let output = run(&[&["simulate", &pod, "-s", &scenario, "--delete", "9s"], json].concat());
        let told = "the replacement of amb at 2.000s was refused: app says `onRestart: stop`";
        assert!(stderr(&output).contains(told), "{}", stderr(&output));
    }
}

#[test]
fn the_fields_of_a_replacement_are_laid_over_the_given_pod() {
    let pod = scratch(
        "free.yaml",
        &PINNED.replace("onRestart: stop", "onRestart: keep"),
    );
    let scenario = scratch("new-image-2.yaml", NEW_IMAGE);
    let output = run(&["simulate", &pod, "-s", &scenario, "--all"]);
    assert_eq!(stderr(&output), "");
    assert!(
        stdout(&output).contains("amb was replaced"),
        "{}",
        stdout(&output)
    );
}

#[test]
fn a_scenario_with_a_pod_of_its_own_takes_no_other() {
    let pod = scratch("given.yaml", PINNED);
    let scenario = scratch("own-pod.yaml", "podFile: given.yaml\n");
    let output = run(&["simulate", &pod, "-s", &scenario]);
    let text = stderr(&output);
    assert!(text.contains("own-pod.yaml:1:10"), "{text}");
    assert!(
        text.contains("leave `podFile` out of the scenario"),
        "{text}"
    );
    assert!(
        run(&["simulate", "-s", &scenario, "--delete", "3s"])
            .status
            .success()
    );
}

#[test]
fn a_scenario_that_says_little_or_leaves_virtual_time_out_is_played_and_told() {
    let pod = scratch("said-little.yaml", PINNED);
    for (scenario, told) in [
        ("# nothing yet\n", ""),
        (
            "not_on: {virtual: \"needs a network\"}\n",
            "the scenario is not meant for virtual time: needs a network\n",
        ),
    ] {
        let scenario = scratch("little.yaml", scenario);
        let output = run(&["simulate", &pod, "-s", &scenario]);
        assert_eq!(stderr(&output), told);
        assert!(output.status.success());
        assert!(stdout(&output).contains("the pod is deleted"));
    }
}

#[test]
fn a_container_can_ask_to_be_left_out() {
    let pod = scratch(
        "ignored.yaml",
        &PINNED.replace(", requires: [{container: amb, onRestart: stop}]", ""),
    );
    let asks = ["--ask", "amb=ignore@2s", "--kill", "amb@3s"];
    let output = run(&[&["simulate", &pod][..], &asks].concat());
    assert_eq!(stderr(&output), "");
    assert!(
        stdout(&output).contains("amb counts nowhere any more"),
        "{}",
        stdout(&output)
    );
}

const RULED: &str = "
apiVersion: v1
kind: Pod
metadata: {name: ruled}
spec:
  restartPolicy: Always
  containers:
    - name: w
      image: w
      restartPolicy: Never
      restartPolicyRules: [{action: CompletePod, exitCodes: {operator: In, values: [5]}}]
    - {name: other, image: i}
";

#[test]
fn the_one_that_decides_exited_with_its_own_code() {
    let pod = scratch("ruled.yaml", RULED);
    let text = stdout(&run(&["simulate", &pod, "--exit", "w=5@4s"]));
    assert!(text.contains("ruled succeeded: w exited 5 ("), "{text}");
}

const PHASES: &str = "
apiVersion: v1
kind: Pod
metadata: {name: phases}
spec:
  terminationGracePeriodSeconds: 1
  containers:
    - {name: net, image: i, phase: 1, sidecar: true, lifecycle: {preStop: {sleep: {seconds: 1}}}}
    - {name: app, image: i, phase: 2}
    - {name: log, image: i, phase: 2, requires: [{container: app, onRestart: stop}], onGiveUp: ignore}
";

#[test]
fn the_story_says_why_and_says_it_once() {
    let pod = scratch("phases.yaml", PHASES);
    let kills = ["net@3s", "net@4s", "app@5s"].map(|kill| ["--kill", kill]);
    let text = stdout(&run(&[&["simulate", &pod][..], &kills.concat()].concat()));
    let held = "app exited 137 (killed), restarts when it may: policy";
    assert!(text.contains(held), "{text}");
    assert!(text.contains("log gave up: app went down"), "{text}");

    let scenario = scratch(
        "deaf-app.yaml",
        "actors: {app: {stopsIn: never}, log: {stopsIn: never}}\n",
    );
    let text = stdout(&run(&["simulate", &pod, "-s", &scenario]));
    assert!(
        text.contains("net's preStop hook was skipped: no time left\n"),
        "{text}"
    );
}

#[test]
fn one_mistake_is_told_once_and_in_its_place() {
    let pod =
        |spec: &str| format!("apiVersion: v1\nkind: Pod\nmetadata: {{name: x}}\nspec:\n{spec}");
    let lint = |text: &str| stdout(&run_with(&["lint", "-"], text));
    for containers in [
        "  containers:\n",
        "  containers: [null]\n",
        "  containers: [hello]\n",
    ] {
        let text = lint(&pod(containers));
        assert_eq!(text.matches("error[").count(), 1, "{text}");
    }
    let text = lint("---\n---\n");
    assert!(text.contains("nothing but empty documents"), "{text}");

    let requires = "  containers: [{name: a, image: i, requires: [\n    5,\n    zz,\n  ], uses: [\n    7,\n    gpu\n  ]}]";
    let text = lint(&pod(requires));
    for place in ["requires `zz`", "<stdin>:7:5", "uses `gpu`", "<stdin>:10:5"] {
        assert!(text.contains(place), "{place} in {text}");
    }
}

#[test]
fn an_order_after_a_capability_that_nobody_provides_is_noted() {
    let spec = "{containers: [{name: a, image: i, uses: [{name: gpu, need: order}]}]}";
    let text = format!("{{apiVersion: v1, kind: Pod, metadata: {{name: x}}, spec: {spec}}}");
    let output = run_with(&["lint", "-"], &text);
    assert!(
        stdout(&output).contains("note[L0106]"),
        "{}",
        stdout(&output)
    );
}

#[test]
fn a_condition_that_no_pod_has_is_refused() {
    let pod = scratch("conditions.yaml", PINNED);
    let scenario = scratch(
        "nope.yaml",
        "acts: [{when: {condition: Nope}, delete: {}}]\n",
    );
    let output = run(&["simulate", &pod, "-s", &scenario]);
    assert!(
        stderr(&output).contains("ContainersReady"),
        "{}",
        stderr(&output)
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told_with_the_output_that_is_full() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full");
    let mut command = pillion(&["explain", "L0102"]);
    command
        .stdout(full.expect("Linux has it"))
        .stderr(Stdio::piped());
    let output = command.output().expect("pillion was built");
    let text = stderr(&output);
    assert!(
        text.contains("cannot write to the standard output"),
        "{text}"
    );
}

const PRIORITIES: &str = "
apiVersion: v1
kind: Pod
metadata:
  name: ordered
  annotations: {apps.kruise.io/container-launch-priority: Ordered}
spec:
  containers:
    - {name: a, image: i}
    - {name: b, image: i}
    - {name: c, image: i}
    - {name: d, image: i}
";

#[test]
fn an_order_one_by_one_is_told_by_names_alone() {
    let text = stdout(&run_with(&["plan", "-"], PRIORITIES));
    assert!(!text.contains("priority -"), "{text}");
    assert!(text.contains("after c ready (order)"), "{text}");
}

#[test]
fn a_failure_that_nobody_decided_names_who_never_ran() {
    let pod = scratch(
        "idle.yaml",
        &PINNED.replace("image: amb:1, sidecar: true", "image: amb:1, oneshot: true"),
    );
    let scenario = scratch("slow-amb.yaml", "actors: {amb: {runs: 9s}}\n");
    let text = stdout(&run(&["simulate", &pod, "-s", &scenario, "--delete", "3s"]));
    assert!(
        text.contains("(the pod is deleted; app never ran)"),
        "{text}"
    );
}
