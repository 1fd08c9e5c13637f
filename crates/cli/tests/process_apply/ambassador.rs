//! An ambassador is exchanged under a running app: nobody who connects is refused, whatever the new one is like.

use super::place::Place;
use super::{READY, pids, timeless};
use std::io::Read as _;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// Whoever connects, again and again.
struct Consumer {
    enough: Arc<AtomicBool>,
    thread: JoinHandle<Vec<String>>,
}

/// Below those that the kernel gives to whoever connects.
const PORT: u16 = 20_000;

// === impl Consumer ===

impl Consumer {
    fn of(address: SocketAddr) -> Self {
        let enough = Arc::new(AtomicBool::new(false));
        let stop = Arc::clone(&enough);
        // Heard before anything is changed, and once more when all is done, however slow the thread between is.
        let mut heard = vec![hear(address)];
        let thread = thread::spawn(move || {
            while !stop.load(Ordering::Relaxed) {
                heard.push(hear(address));
            }
            heard.push(hear(address));
            heard
        });
        Self { enough, thread }
    }

    /// What was heard, in order, each change once.
    fn end(self) -> Vec<String> {
        self.enough.store(true, Ordering::Relaxed);
        let mut heard = self.thread.join().expect("nobody is refused");
        // One that was taken up by a process which then had to go hears nothing.
        heard.retain(|heard| !heard.is_empty());
        heard.dedup();
        heard
    }
}

fn hear(address: SocketAddr) -> String {
    let mut stream = TcpStream::connect(address).expect("nobody is refused");
    let limit = Some(Duration::from_mins(2));
    stream.set_read_timeout(limit).expect("it is ours");
    let mut heard = String::new();
    match stream.read_to_string(&mut heard) {
        Ok(_) => heard,
        // Cut off, but not refused.
        Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => String::new(),
        Err(error) => panic!("{error}"),
    }
}

/// A place on this machine that nobody else is given meanwhile, as a free port of the usual address would be.
fn free_address() -> SocketAddr {
    static COUNT: AtomicU8 = AtomicU8::new(1);
    let [_, _, high, low] = std::process::id().to_be_bytes();
    let last = COUNT.fetch_add(1, Ordering::Relaxed);
    (Ipv4Addr::new(127, high, low, last), PORT).into()
}

fn answer() -> PathBuf {
    let mut folder = std::env::current_exe().expect("it runs");
    folder.pop();
    if folder.ends_with("deps") {
        folder.pop();
    }
    let answer = folder.join("examples/answer");
    assert!(
        answer.exists(),
        "it is missing: `cargo build -p pillion --example answer` makes it"
    );
    answer
}

/// An app, and an ambassador that runs this.
fn pod(address: SocketAddr, script: &str) -> String {
    format!(
        r#"
  containers:
    - name: app
      requires: [ambassador]
      command: [sleep, "1000"]
    - name: ambassador
      sidecar: true
      listen: ["{address}"]
      readyOn: {{logLine: "^answering"}}
      startTimeoutSeconds: 2
      command: [sh, -c, {script:?}]
"#
    )
}

fn serves(version: &str) -> String {
    format!("exec {} {version} <&3", answer().display())
}

#[test]
fn nobody_is_refused_while_one_version_goes_and_the_next_one_comes() {
    let (place, address) = (Place::new(), free_address());
    let _pod = place.run("shop", &pod(address, &serves("one")), READY);
    let before = pids(&place, "shop");
    let consumer = Consumer::of(address);

    let file = place.file("shop", &pod(address, &serves("two")));
    let (_, told, code) = place.says(&["apply", &file]);

    assert_eq!(code, Some(0), "{told}");
    assert_eq!(consumer.end(), ["one", "two"]);
    let after = pids(&place, "shop");
    assert_eq!(before["app"], after["app"]);
    assert_ne!(before["ambassador"], after["ambassador"]);
}

#[test]
fn a_version_that_does_not_get_ready_is_put_back() {
    let (place, address) = (Place::new(), free_address());
    let _pod = place.run("shop", &pod(address, &serves("one")), READY);
    let before = pids(&place, "shop");
    let consumer = Consumer::of(address);

    let file = place.file("shop", &pod(address, "exec sleep 1000"));
    let (_, told, code) = place.says(&["apply", &file]);

    assert_eq!(code, Some(1), "{told}");
    assert!(
        timeless(&told).contains("  ambassador  put back: the new one was not ready after T\n"),
        "{told}"
    );
    assert_eq!(consumer.end(), ["one"]);
    assert_eq!(before["app"], pids(&place, "shop")["app"]);
    let (row, _, _) = place.says(&["ps", "shop"]);
    assert!(row.contains("the new version was bad"), "{row}");
}

#[test]
fn a_version_that_ends_is_put_back() {
    let (place, address) = (Place::new(), free_address());
    let _pod = place.run("shop", &pod(address, &serves("one")), READY);
    let consumer = Consumer::of(address);

    let file = place.file("shop", &pod(address, "echo no; exit 3"));
    let (_, told, code) = place.says(&["apply", &file]);

    assert_eq!(code, Some(1), "{told}");
    let lines = [
        "  ambassador  put back: the new one exited 3\n",
        "`pillion logs shop ambassador` shows what it wrote\n",
    ];
    assert!(lines.iter().all(|line| told.contains(line)), "{told}");
    assert_eq!(consumer.end(), ["one"]);
    let logs = place.says(&["logs", "shop", "ambassador"]).0;
    assert!(
        logs.contains("no\n") && logs.ends_with("answering one\n"),
        "{logs}"
    );
}

#[test]
fn why_a_version_could_not_be_run_is_told() {
    let (place, address) = (Place::new(), free_address());
    let spec = pod(address, &serves("one"));
    let _pod = place.run("shop", &spec, READY);

    let command = spec.replacen("command: [sh, ", "command: [/no/such/program, ", 1);
    assert_ne!(command, spec);
    let file = place.file("shop", &command);
    let (_, told, code) = place.says(&["apply", &file]);

    assert_eq!(code, Some(1), "{told}");
    let reason = "put back: the new one exited 127 (StartError) (cannot run `/no/such/program`: No such file";
    assert!(told.contains(reason), "{told}");
}

#[test]
fn sockets_come_and_go_with_the_versions_that_have_them() {
    let (place, [one, two, taken]) = (Place::new(), [(); 3].map(|()| free_address()));
    let _pod = place.run("shop", &pod(one, &serves("one")), READY);

    let other = TcpListener::bind(taken).expect("it was free");
    let file = place.file("shop", &pod(taken, &serves("two")));
    let (_, told, code) = place.says(&["apply", &file]);
    assert_eq!(code, Some(1), "{told}");
    let expected = format!("  ambassador  listen: cannot listen on {taken}: ");
    assert!(told.contains(&expected), "{told}");
    assert_eq!(hear(one), "one", "nothing was touched");
    drop(other);

    let file = place.file("shop", &pod(two, &serves("two")));
    let (_, told, code) = place.says(&["apply", &file]);
    assert_eq!(code, Some(0), "{told}");
    assert_eq!(hear(two), "two");
    assert!(
        TcpStream::connect(one).is_err(),
        "nobody listens there any more"
    );

    let file = place.file("shop", &pod(one, "exit 1"));
    let (_, told, code) = place.says(&["apply", &file]);
    assert_eq!(code, Some(1), "{told}");
    assert_eq!(hear(two), "two");
    assert!(
        TcpStream::connect(one).is_err(),
        "what was bad holds nothing"
    );
}
