//! What is probed does not answer as it should: it is not ready, and nothing else is held up.

use super::pod::Pod;
use rustix::process::Signal;
use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

/// Somebody who listens on a port of this machine, and does this with everybody who comes.
fn server(answer: impl Fn(TcpStream) + Clone + Send + 'static) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let answer = answer.clone();
            thread::spawn(move || answer(stream));
        }
    });
    port
}

/// Waits until whoever asked has gone away.
fn until_they_go(mut stream: TcpStream) {
    let mut bytes = [0; 1024];
    while stream.read(&mut bytes).is_ok_and(|count| count > 0) {}
}

/// Waits until whoever asked has said something or has gone away, but not longer than that. Says whether they have gone.
fn they_go_within(stream: &mut TcpStream, time: Duration) -> bool {
    stream.set_read_timeout(Some(time)).unwrap();
    match stream.read(&mut [0; 1024]) {
        Ok(count) => count == 0,
        Err(error) => error.kind() != ErrorKind::WouldBlock,
    }
}

/// Runs a pod with an app that is probed in this way, until one waits no longer for it to be ready, and then stops it.
fn assert_is_never_ready(port: u16, probe: &str) {
    let pod = Pod::new(&format!(
        "
  restartPolicy: Never
  terminationGracePeriodSeconds: 5
  containers:
    - name: app
      readinessProbe: {{{probe}: {{port: {port}}}, periodSeconds: 1, timeoutSeconds: 1}}
      command: [sleep, '1000']
    - name: impatient
      requires: [{{container: app, until: ready, need: soft, timeoutSeconds: 3}}]
      command: [sh, -c, 'echo went on; exec sleep 1000']
    - name: patient
      requires: [{{container: app, until: ready}}]
      command: [sh, -c, 'echo it is ready; exec sleep 1000']
"
    ));
    let run = pod.start();

    run.hear("went on");
    run.signal(Signal::TERM);

    let ended = run.end();
    assert_eq!(ended.code, 143);
    assert!(!ended.said("it is ready"), "{ended:?}");
    pod.assert_nothing_is_left();
}

#[test]
fn one_that_hangs_is_not_ready() {
    let port = server(until_they_go);

    assert_is_never_ready(port, "httpGet");
}

#[test]
fn one_that_does_not_speak_grpc_is_not_ready() {
    let port = server(until_they_go);

    assert_is_never_ready(port, "grpc");
}

#[test]
fn one_that_answers_by_and_by_is_not_ready() {
    let port = server(|mut stream| {
        for byte in b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok" {
            if they_go_within(&mut stream, Duration::from_millis(200)) {
                return;
            }
            // They may be on their way.
            let _ = stream.write_all(&[*byte]);
        }
    });

    assert_is_never_ready(port, "httpGet");
}

#[test]
fn one_whose_headers_never_end_is_not_ready() {
    let port = server(|mut stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n");
        while stream.write_all(b"X-More: and more\r\n").is_ok() {}
    });

    assert_is_never_ready(port, "httpGet");
}

#[test]
fn one_that_hangs_up_is_not_ready() {
    let port = server(drop);

    assert_is_never_ready(port, "httpGet");
}

#[test]
fn an_answer_that_never_ends_is_not_waited_for() {
    let port = server(|mut stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
        while stream.write_all(&[b'x'; 4096]).is_ok() {}
    });
    let pod = Pod::new(&format!(
        "
  restartPolicy: Never
  containers:
    - name: app
      sidecar: true
      readinessProbe: {{httpGet: {{port: {port}}}, periodSeconds: 1, timeoutSeconds: 5}}
      command: [sleep, '1000']
    - {{name: next, requires: [{{container: app, until: ready}}], command: [echo, went on]}}
"
    ));

    let ended = pod.run();

    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(ended.said("went on"), "{ended:?}");
}
