//! Other terminals, and containers, that talk to pods which really run.

#[path = "process_control/logs.rs"]
mod logs;
#[path = "support/place.rs"]
mod place;

use place::{Place, hear, rest, told};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open};
use std::io::Write as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};

/// A sidecar that tells when it is ready, and a main.
const TWO: &str = r#"
  containers:
    - name: proxy
      sidecar: true
      provides: [network]
      readyOn: notify
      command: [sh, -c, 'echo up; "$PILLION" notify ready; exec sleep 1000']
    - name: app
      command: [sh, -c, 'echo one; echo two; exec sleep 1000']
"#;

/// A main that does this.
fn app(script: &str) -> String {
    format!(
        "  containers:\n    - {{name: app, restartPolicy: Never, command: [sh, -c, {script:?}]}}\n"
    )
}

const READY: &str = r#""podReady""#;

#[test]
fn ps_shows_the_pods_and_their_containers() {
    let place = Place::new();
    assert_eq!(
        place.says(&["ps"]),
        (String::new(), "no pod is running\n".to_owned(), Some(0))
    );
    let pod = place.run("orders", TWO, READY);

    let (out, _, code) = place.says(&["ps"]);
    let lines: Vec<_> = out.lines().collect();
    assert_eq!(lines[0], "pod     state  up     restarts  age");
    assert!(
        lines[1].starts_with("orders  ready  2/2    0         "),
        "{out}"
    );
    assert_eq!((lines.len(), code), (2, Some(0)));

    let (out, _, _) = place.says(&["ps", "orders"]);
    assert!(out.starts_with("orders  running · ready after "), "{out}");
    assert!(out.contains(&format!("pid {}", pod.id())), "{out}");
    assert!(out.contains("\n ● proxy  ready "), "{out}");

    let (out, _, _) = place.says(&["ps", "--json"]);
    let look: serde_json::Value = serde_json::from_str(&out).expect("it is a line of JSON");
    assert_eq!(look["containers"][1]["state"], "ready");
    assert!(look["containers"][1]["pid"].as_i64() > Some(1));
}

#[test]
fn which_pod_is_meant_must_be_plain() {
    let place = Place::new();
    let _one = place.run("one", TWO, READY);
    let only = place.says(&["restart", "one/app"]);
    assert_eq!(only.2, Some(0), "{}", only.1);
    let _two = place.run("two", TWO, READY);
    let errors = [
        (
            vec!["stop"],
            "error: there are 2 running pods\nhelp: say which one: one or two\n",
        ),
        (
            vec!["stop", "tvo"],
            "error: there is no running pod `tvo`\nhelp: did you mean `two`?\n",
        ),
        (
            vec!["restart", "one/ap"],
            "error: the pod has no container `ap`\nhelp: it has proxy, app\n",
        ),
        (
            vec!["exec", "default/two/x", "--", "id"],
            "error: the pod has no container `x`\nhelp: it has proxy, app\n",
        ),
    ];
    for (arguments, expected) in errors {
        let (_, error, code) = place.says(&arguments);
        assert_eq!((error.as_str(), code), (expected, Some(2)));
    }
}

#[test]
fn stop_waits_in_order_and_leaves_nothing() {
    let place = Place::new();
    let pod = place.run("orders", TWO, READY);
    let (_, told, code) = place.says(&["stop", "orders"]);
    assert!(
        told.contains("orders  stopping · waiting for app\n"),
        "{told}"
    );
    assert!(told.ends_with("orders has stopped\n"), "{told}");
    assert_eq!(code, Some(0));
    assert!(!place.room("orders").exists());
    pod.end();
}

#[test]
fn stop_now_kills_what_does_not_want_to_go() {
    let place = Place::new();
    let stubborn = app("trap '' TERM; echo on; while :; do sleep 1000; done");
    let mut pod = place.run("orders", &stubborn, r#""line":"on""#);
    pod.let_go();
    let (_, _, code) = place.says(&["stop", "--now"]);
    assert_eq!(code, Some(0));
    pod.end();
}

#[test]
fn restart_takes_the_pod_down_and_up_again() {
    let place = Place::new();
    let mut pod = place.run("orders", TWO, READY);
    let (_, told, code) = place.says(&["restart"]);
    assert_eq!(code, Some(0), "{told}");
    pod.wait_for("podStarted");
    pod.wait_for(READY);
    let (out, _, _) = place.says(&["ps", "orders"]);
    assert!(out.contains(" · run 2 · "), "{out}");
}

#[test]
fn a_command_has_the_streams_of_whoever_runs_it() {
    let place = Place::new();
    let _pod = place.run("orders", TWO, READY);
    let script = "cat; echo to $PILLION_CONTAINER >&2; exit 7";
    let mut command = place.pillion(&["exec", "orders/proxy", "--", "sh", "-c", script]);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().expect("pillion was built");
    let mut input = child.stdin.take().expect("it is piped");
    input.write_all(b"from here").expect("somebody reads");
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    let expected = ("from here".to_owned(), "to proxy\n".to_owned(), Some(7));
    assert_eq!(told(&output), expected);

    let (_, error, code) = place.says(&["exec", "orders", "--", "no-such-program"]);
    assert!(
        error.starts_with("error: cannot run `no-such-program`: "),
        "{error}"
    );
    assert_eq!(code, Some(127));
    let (_, _, code) = place.says(&["exec", "orders", "--", "sh", "-c", "kill -9 $$"]);
    assert_eq!(code, Some(137));
}

#[test]
fn an_interrupt_reaches_the_command() {
    let place = Place::new();
    let _pod = place.run("orders", TWO, READY);
    let script = "trap 'exit 9' INT; echo on; while :; do sleep 0.01; done";
    let mut command = place.pillion(&["exec", "orders", "--", "sh", "-c", script]);
    let mut child = command
        .stdout(Stdio::piped())
        .spawn()
        .expect("pillion was built");
    hear(child.stdout.as_mut().expect("it is piped"), "on\n");
    kill_process(pid(child.id()), Signal::INT).expect("it runs");
    assert_eq!(child.wait().expect("it is ours").code(), Some(9));
}

#[test]
fn whoever_is_killed_takes_their_command_along() {
    let place = Place::new();
    let _pod = place.run("orders", TWO, READY);
    let script = "echo $$; exec sleep 1000";
    let mut command = place.pillion(&["exec", "orders", "--", "sh", "-c", script]);
    let mut child = command
        .stdout(Stdio::piped())
        .spawn()
        .expect("pillion was built");
    let number = hear(child.stdout.as_mut().expect("it is piped"), "\n");
    let number = number.trim().parse().expect("it is a number");
    let sleeper = pidfd_open(pid(number), PidfdFlags::empty()).expect("it runs");
    child.kill().expect("it runs");
    child.wait().expect("it is ours");
    poll(&mut [PollFd::new(&sleeper, PollFlags::IN)], None).expect("it can be waited for");
    assert_eq!(place.says(&["ps"]).2, Some(0));
}

fn pid(number: u32) -> Pid {
    let number = i32::try_from(number).expect("numbers of processes are small");
    Pid::from_raw(number).expect("it is not 0")
}

#[test]
fn get_shows_the_file_and_the_status_of_kubernetes() {
    let place = Place::new();
    let _pod = place.run("orders", TWO, READY);
    let (out, _, _) = place.says(&["get", "orders", "-o", "json"]);
    let object: serde_json::Value = serde_json::from_str(&out).expect("it is JSON");
    assert_eq!(object["kind"], "Pod");
    assert_eq!(object["metadata"]["namespace"], "default");
    assert_eq!(object["spec"]["containers"][0]["readyOn"], "notify");
    let status = &object["status"];
    assert_eq!(status["phase"], "Running");
    assert_eq!(status["containerStatuses"][1]["name"], "app");
    assert!(status["containerStatuses"][1]["state"]["running"]["startedAt"].is_string());
    let conditions = status["conditions"].as_array().expect("it is a list");
    assert!(conditions.contains(&serde_json::json!({"type": "Ready", "status": "True"})));
    let (yaml, _, _) = place.says(&["get"]);
    assert!(yaml.contains("\n  phase: Running\n"), "{yaml}");
}

#[test]
fn a_container_asks_for_a_restart_and_then_for_the_end() {
    let place = Place::new();
    let script = format!(
        "if mkdir {0} 2>/dev/null; then \"$PILLION\" ask restart-pod --reason first; else \"$PILLION\" ask fail-pod --reason 'that is all'; fi; exec sleep 1000",
        place.path().join("marker").display()
    );
    let pod = place.run("orders", &app(&script), "podStarted");
    let (_, told) = pod.end();
    let told = told.join("\n");
    assert!(told.contains("first"), "{told}");
    assert!(told.contains("that is all"), "{told}");
    assert!(told.contains(r#""Failed""#), "{told}");
}

#[test]
fn a_container_learns_that_the_pod_is_stopping() {
    let place = Place::new();
    let script = "trap '\"$PILLION\" status; exit 0' TERM; \"$PILLION\" status; while :; do sleep 0.01; done";
    let pod = place.run("orders", &app(script), r#""line":"running""#);
    let (_, error, code) = place.says(&["stop", "--grace", "15s"]);
    assert_eq!(code, Some(0), "{error}");
    let (_, told) = pod.end();
    let told = told.join("\n");
    assert!(
        told.contains(r#""line":"stopping, 14 s left""#)
            || told.contains(r#""line":"stopping, 15 s left""#),
        "{told}"
    );
}

#[test]
fn what_a_container_tells_must_mean_something() {
    let place = Place::new();
    let pod = place.run(
        "orders",
        &app("\"$PILLION\" notify ready; echo $?"),
        "podEnded",
    );
    pod.end();
    let told = place.says(&["logs", "orders", "app"]).0;
    assert_eq!(
        told,
        "error: the readiness of `app` does not depend on what it tells\n\
         help: say `readyOn: notify` for `app` in the pod file\n2\n"
    );
    let (_, error, code) = place.says(&["notify", "ready"]);
    assert!(
        error.contains("`PILLION_SOCKET` is not set\nhelp: "),
        "{error}"
    );
    assert_eq!(code, Some(2));
}

#[test]
fn sockets_are_for_their_users_alone() {
    let place = Place::new();
    let _pod = place.run("orders", TWO, READY);
    let mode = |path: &str| {
        let found = std::fs::metadata(place.room("orders").join(path)).expect("it is there");
        found.permissions().mode() & 0o777
    };
    assert_eq!([mode("control"), mode("ask-0"), mode("ask-1")], [0o600; 3]);
    if rustix::process::geteuid().is_root() {
        let output = place.pillion(&["ps"]).uid(65534).gid(65534).output();
        let (out, _, _) = told(&output.expect("pillion can be run by anybody"));
        assert_eq!(out, "");
    }
}

#[test]
fn what_a_container_tells_is_told_by_its_user_alone() {
    let place = Place::new();
    let open = std::fs::Permissions::from_mode(0o711);
    std::fs::set_permissions(place.path(), open).expect("it is ours");
    let root = rustix::process::geteuid();
    let user = if root.is_root() { 65534 } else { root.as_raw() };
    let containers = format!(
        r#"
  restartPolicy: Never
  securityContext: {{runAsUser: {user}}}
  containers:
    - name: app
      readyOn: notify
      command: [sh, -c, 'echo up; until [ -e {} ]; do sleep 0.02; done; echo bye > "$PILLION_TERMINATION_LOG"; exit 3']
"#,
        place.path().join("go").display()
    );
    let pod = place.run("orders", &containers, r#""line":"up""#);
    for file in ["notify-0", "last-words-0"] {
        let found = std::fs::metadata(place.room("orders").join(file)).expect("it is there");
        let mode = found.permissions().mode() & 0o777;
        assert_eq!((found.uid(), mode), (user, 0o600), "{file}");
    }
    std::fs::write(place.path().join("go"), "").expect("it is ours");

    let (_, told) = pod.end();
    assert!(told.iter().any(|line| line.contains("bye")), "{told:#?}");
}

#[test]
fn nobody_talks_to_the_pod_of_somebody_else_by_mistake() {
    let nobody = |command: &mut Command| command.uid(65534).gid(65534).output();
    let runs = nobody(Command::new(env!("CARGO_BIN_EXE_pillion")).arg("--version"));
    if !rustix::process::geteuid().is_root() || !runs.is_ok_and(|output| output.status.success()) {
        return;
    }
    let place = Place::new();
    std::os::unix::fs::chown(place.path(), Some(65534), Some(65534)).expect("it is ours");
    let file = place.file("orders", &app("echo up; exec sleep 1000"));
    let mut run = place.pillion(&["run", "--json", &file]);
    let run = run.uid(65534).gid(65534).current_dir("/");
    let mut run = run
        .stdout(Stdio::piped())
        .spawn()
        .expect("it was seen to run");
    hear(run.stdout.as_mut().expect("it is piped"), "\"line\":\"up\"");

    let (out, error, code) = place.says(&["exec", "orders", "--", "true"]);
    assert_eq!((out.as_str(), code), ("", Some(2)), "{error}");
    assert!(error.contains("belongs to somebody else"), "{error}");
    let mut inside = place.pillion(&["status"]);
    let inside = inside.env("PILLION_SOCKET", place.room("orders").join("ask-0"));
    let (_, error, _) = told(&inside.output().expect("pillion was built"));
    assert!(
        error.contains("is run by somebody else, user 65534"),
        "{error}"
    );

    kill_process(pid(run.id()), Signal::TERM).expect("it runs");
    run.wait().expect("it ends");
}

#[test]
fn a_container_of_another_user_gets_through_to_its_own_socket_only() {
    let nobody = |command: &mut Command| command.uid(65534).gid(65534).output();
    let runs = nobody(Command::new(env!("CARGO_BIN_EXE_pillion")).arg("--version"));
    if !rustix::process::geteuid().is_root() || !runs.is_ok_and(|output| output.status.success()) {
        return;
    }
    let place = Place::new();
    let open = std::fs::Permissions::from_mode(0o711);
    std::fs::set_permissions(place.path(), open).expect("it is ours");
    let containers = r#"
  containers:
    - {name: root, sidecar: true, command: [sleep, "1000"]}
    - name: app
      restartPolicy: Never
      requires: [root]
      securityContext: {runAsUser: 65534}
      command:
        - sh
        - -c
        - |
          "$PILLION" status; room=${PILLION_SOCKET%/ask-1}
          for other in ask-0 control; do PILLION_SOCKET=$room/$other "$PILLION" status 2>&1 | grep -o 'Permission denied'; done
"#;
    let pod = place.run("orders", containers, "podEnded");
    pod.end();
    assert_eq!(
        place.says(&["logs", "orders", "app"]).0,
        "running\nPermission denied\nPermission denied\n"
    );
}

#[test]
fn a_containers_socket_takes_nothing_that_is_for_people() {
    let place = Place::new();
    let pod = place.run("orders", TWO, READY);
    for request in [
        "\"look\"",
        "{\"stop\":{\"grace\":0}}",
        "{\"exec\":{\"command\":[\"id\"]}}",
    ] {
        let door = place.room("orders").join("ask-1");
        let mut stream = UnixStream::connect(door).expect("somebody listens");
        hear(&mut stream, "\n");
        writeln!(stream, "{request}").expect("somebody reads");
        assert_eq!(rest(&mut stream), "");
    }
    assert!(place.says(&["ps"]).0.contains("ready"));
    drop(pod);
}

#[test]
fn nobody_can_hold_a_pod_up() {
    let place = Place::new();
    let pod = place.run("orders", TWO, READY);
    let silent: Vec<_> = (0..50).map(|_| place.connect("orders")).collect();
    let mut half = place.connect("orders");
    half.write_all(b"{\"stop\":").expect("somebody reads");
    let mut garbage = place.connect("orders");
    hear(&mut garbage, "\n");
    garbage
        .write_all(b"\xff\x00 what?\n")
        .expect("somebody reads");
    assert_eq!(rest(&mut garbage), "");
    // It is cut off before it has said all of this.
    let mut endless = place.connect("orders");
    assert!((0..64).any(|_| endless.write_all(&vec![b' '; 1 << 20]).is_err()));
    // It wants to see everything, and reads nothing.
    let mut deaf = place.connect("orders");
    deaf.write_all(b"\"watch\"\n").expect("somebody reads");
    // It hears what it asked for, and is not to ask for more.
    let mut talkative = place.connect("orders");
    talkative
        .write_all(b"\"watch\"\n\"watch\"\n\"look\"\n")
        .expect("somebody reads");
    rest(&mut talkative);

    assert!(place.says(&["ps"]).0.contains("ready"));
    let (_, _, code) = place.says(&["stop"]);
    assert_eq!(code, Some(0));
    drop((silent, half, deaf));
    pod.end();
}

#[test]
fn a_hundred_people_watch_at_once() {
    let place = Place::new();
    let pod = place.run("orders", TWO, READY);
    let mut people: Vec<_> = (0..100).map(|_| place.connect("orders")).collect();
    for person in &mut people {
        person.write_all(b"\"watch\"\n").expect("somebody reads");
    }
    for person in &mut people {
        hear(person, "\"ready\":true");
    }
    place.says(&["restart", "orders/app"]);
    for person in &mut people {
        hear(person, "\"restarts\":1");
    }
    place.says(&["stop"]);
    for mut person in people {
        let last = rest(&mut person);
        assert!(last.contains("\"stopping\""), "{last}");
    }
    pod.end();
}

#[test]
fn the_timeline_says_what_ended_the_pod() {
    for by in ["Ctrl-C", "SIGTERM", "`pillion stop`"] {
        let place = Place::new();
        let mut pod = place.run("orders", TWO, READY);
        pod.let_go();
        let pid = Pid::from_raw(i32::try_from(pod.id()).unwrap()).unwrap();
        match by {
            "Ctrl-C" => kill_process(pid, Signal::INT).unwrap(),
            "SIGTERM" => kill_process(pid, Signal::TERM).unwrap(),
            _ => drop(place.says(&["stop"])),
        }
        let (_, lines) = pod.end();
        let cause = format!(r#""cause":{{"kind":"deletion","by":"{by}"}}"#);
        let stopping = lines.iter().find(|line| line.contains("podStopping"));
        assert!(stopping.unwrap().contains(&cause), "{by}: {lines:#?}");
        let (trace, _, _) = place.says(&["trace", "--story"]);
        let story = format!("pod stops within 20 s: {by}");
        assert!(trace.contains(&story), "{trace}");
    }
}

#[test]
fn why_a_probe_fails_is_told_while_it_does_and_afterwards() {
    let place = Place::new();
    let containers = r#"
  containers:
    - name: app
      command: [sh, -c, "exec sleep 1000"]
      readinessProbe: {exec: {command: [sh, -c, "test -e up || exit 7"]}, periodSeconds: 1, failureThreshold: 1}
    - name: web
      requires: [app]
      command: [sh, -c, "exec sleep 1000"]
      startupProbe: {tcpSocket: {host: 127.0.0.1, port: 1}, periodSeconds: 1, failureThreshold: 1}
      restartPolicy: Never
"#;
    let pod = place.file("orders", containers);
    std::fs::write(place.path().join("up"), "").unwrap();
    let mut pod = place.run_in(place.path(), &pod, &[], "probeVerdict");
    pod.wait_for(r#""container":"web","attempt":1,"what":"ended""#);
    std::fs::remove_file(place.path().join("up")).unwrap();
    let told = pod.hear(r#""container":"app","attempt":1,"what":"unready""#);
    let why = r#""cause":{"kind":"probe","probe":"readiness","message":"it exited 7"}"#;
    assert!(told.last().unwrap().contains(why), "{told:#?}");
    let (shown, _, _) = place.says(&["ps", "orders"]);
    assert!(
        shown.contains("readiness probe failed: it exited 7"),
        "{shown}"
    );
    let (trace, _, _) = place.says(&["trace", "--story"]);
    let web = "web told to stop: startup probe failed: connection refused";
    assert!(trace.contains(web), "{trace}");
}
