//! Other terminals, and containers, that talk to pods which really run.

#[path = "process_control/crowd.rs"]
mod crowd;
#[path = "process_control/get.rs"]
mod get;
#[path = "process_control/logs.rs"]
mod logs;
#[path = "process_control/lost.rs"]
mod lost;
#[expect(dead_code, reason = "other tests need more of it")]
#[path = "../../runtime/tests/support/machine.rs"]
mod machine;
#[path = "support/place.rs"]
mod place;
#[path = "support/started.rs"]
#[expect(dead_code, reason = "other tests need more of it")]
mod started;
#[path = "support/user.rs"]
mod user;

use machine::{is_root, skip};
use place::{Place, rest, told};
use rustix::process::{PidfdFlags, Signal, Uid, pidfd_open};
use rustix::thread::set_thread_uid;
use started::{Started, has_something, hear, pid};
use std::io::Write as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::process::Stdio;
use std::thread;

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
fn the_same_holds_for_a_user_who_is_not_root() {
    user::try_again(&["--skip=a_user_who_is_not_root"]);
}

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
    let pod = place.run("orders", &stubborn, r#""line":"on""#);
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
    let mut started = Started::of(&mut command);
    let mut input = started.input();
    input.write_all(b"from here").expect("somebody reads");
    drop(input);
    let expected = ("from here".to_owned(), "to proxy\n".to_owned(), Some(7));
    assert_eq!(told(&started.end()), expected);

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
fn a_command_whose_folder_is_gone_is_not_one_that_is_missing() {
    let place = Place::new();
    let folder = place.path().join("work");
    std::fs::create_dir(&folder).expect("the place is ours");
    let containers = format!(
        "  containers:\n    - {{name: app, workingDir: {folder:?}, command: [sleep, '1000']}}\n"
    );
    let _pod = place.run("orders", &containers, READY);
    std::fs::remove_dir(&folder).expect("it is empty");

    let (_, error, code) = place.says(&["exec", "orders", "--", "true"]);

    let expected = format!(
        "error: cannot run `true`: cannot begin in {}: ",
        folder.display()
    );
    assert!(error.starts_with(&expected), "{error}");
    assert_eq!(code, Some(126));
}

#[test]
fn an_interrupt_reaches_the_command() {
    let place = Place::new();
    let _pod = place.run("orders", TWO, READY);
    let script = "trap 'exit 9' INT; echo on; while :; do sleep 0.01; done";
    let mut command = place.pillion(&["exec", "orders", "--", "sh", "-c", script]);
    let mut started = Started::of(command.stdout(Stdio::piped()));
    started.hear("on\n");
    started.signal(Signal::INT);
    assert_eq!(started.end().status.code(), Some(9));
}

#[test]
fn whoever_is_killed_takes_their_command_along() {
    let place = Place::new();
    let _pod = place.run("orders", TWO, READY);
    let script = "echo $$; exec sleep 1000";
    let mut command = place.pillion(&["exec", "orders", "--", "sh", "-c", script]);
    let mut started = Started::of(command.stdout(Stdio::piped()));
    let number = started.hear("\n");
    let number = number.trim().parse().expect("it is a number");
    let sleeper = pidfd_open(pid(number), PidfdFlags::empty()).expect("it runs");
    drop(started);
    assert!(has_something(&sleeper), "it lives");
    assert_eq!(place.says(&["ps"]).2, Some(0));
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
    let (_, left) = told.split_once(r#""line":"stopping, "#).expect(&told);
    let (left, _) = left.split_once(" s left").expect(&told);
    let left: u64 = left.parse().expect("it is a number");
    // However long it took to ask; without a word the pod would have had 20.
    assert!((1..=15).contains(&left), "{told}");
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
    if user::is_reachable() {
        let output = Started::output(place.pillion(&["ps"]).uid(65534).gid(65534));
        let (out, _, _) = told(&output);
        assert_eq!(out, "");
    }
}

#[test]
fn whoever_gets_through_to_the_socket_of_somebody_else_is_not_heard() {
    if !is_root() {
        return skip("nobody here can become somebody else");
    }
    let place = Place::new();
    let _pod = place.run("orders", TWO, READY);
    let (runs, room) = (place.path().join("run"), place.room("orders"));
    for path in [place.path(), &runs, &room, &room.join("control")] {
        let open = std::fs::Permissions::from_mode(0o777);
        std::fs::set_permissions(path, open).expect("it is ours");
    }
    hear(&mut place.connect("orders"), "\n");

    let stranger = || {
        // Of this thread alone, which ends with it.
        set_thread_uid(Uid::from_raw(65534)).expect("root can");
        rest(&mut place.connect("orders"))
    };
    let told = thread::scope(|scope| scope.spawn(stranger).join());

    assert_eq!(told.expect("it ends"), "");
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
    if !user::is_reachable() {
        return;
    }
    let place = Place::new();
    std::os::unix::fs::chown(place.path(), Some(65534), Some(65534)).expect("it is ours");
    let file = place.file("orders", &app("echo up; exec sleep 1000"));
    let mut run = place.pillion(&["run", "--json", &file]);
    let run = run.uid(65534).gid(65534).current_dir("/");
    let mut run = Started::of(run.stdout(Stdio::piped()));
    run.hear("\"line\":\"up\"");

    let (out, error, code) = place.says(&["exec", "orders", "--", "true"]);
    assert_eq!((out.as_str(), code), ("", Some(2)), "{error}");
    assert!(error.contains("belongs to somebody else"), "{error}");
    let mut inside = place.pillion(&["status"]);
    let inside = inside.env("PILLION_SOCKET", place.room("orders").join("ask-0"));
    let (_, error, _) = told(&Started::output(inside));
    assert!(
        error.contains("is run by somebody else, user 65534"),
        "{error}"
    );

    run.signal(Signal::TERM);
    run.end();
}

#[test]
fn a_container_of_another_user_gets_through_to_its_own_socket_only() {
    if !user::is_reachable() {
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
        let pod = place.run("orders", TWO, READY);
        match by {
            "Ctrl-C" => pod.signal(Signal::INT),
            "SIGTERM" => pod.signal(Signal::TERM),
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
fn the_trace_tells_the_status_of_the_run_in_every_form() {
    let quiet = app("trap 'exit 0' TERM; echo on; while :; do sleep 0.01; done");
    for (signal, status) in [
        (Some(Signal::INT), 130),
        (Some(Signal::TERM), 143),
        (None, 0),
    ] {
        let place = Place::new();
        let pod = place.run("orders", &quiet, r#""line":"on""#);
        match signal {
            Some(signal) => pod.signal(signal),
            None => drop(place.says(&["stop"])),
        }
        assert_eq!(pod.end().0.code(), Some(status));
        let json = match signal {
            Some(_) => format!(r#""code":0,"status":{status},"cause""#),
            None => r#""phase":"Succeeded","code":0,"cause""#.to_owned(),
        };
        for (form, told) in [
            ("text", format!("orders · exit {status} after ")),
            ("json", json),
            ("svg", format!("exit status: {status}. ")),
            ("html", format!("<dt>exit status</dt><dd>{status}</dd>")),
        ] {
            let (trace, _, _) = place.says(&["trace", "-o", form]);
            assert!(trace.contains(&told), "{told}: {trace}");
        }
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
