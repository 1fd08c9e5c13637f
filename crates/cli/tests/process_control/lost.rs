//! Pods whose sockets are gone, or elsewhere, or that are suspended: everybody says that they run.

use super::place::{Place, told};
use super::started::Started;
use super::{READY, TWO, app};
use rustix::process::Signal;

#[test]
fn a_pod_that_has_lost_its_sockets_is_said_to_run_by_everybody() {
    let place = Place::new();
    let pod = place.run("orders", TWO, READY);
    let _other = place.run("web", &app("echo up; exec sleep 1000"), r#""line":"up""#);
    std::fs::remove_dir_all(place.room("orders")).expect("it is ours");

    let expected = format!(
        "error: `orders` is running, but cannot be reached: its sockets in {} are gone\n\
         help: `kill {}` stops it in order, as Ctrl-C would where it was started; ",
        place.room("orders").display(),
        pod.id()
    );
    for arguments in [
        &["ps"][..],
        &["ps", "orders"],
        &["stop", "orders"],
        &["stop", "default/orders"],
        &["get", "orders"],
        &["restart", "orders/app"],
        &["exec", "orders", "--", "true"],
        &["attach", "orders/app"],
        &["apply", &place.file("orders", TWO)],
        &["logs", "orders", "-f"],
    ] {
        let (_, error, code) = place.says(arguments);
        assert!(error.starts_with(&expected), "{arguments:?}: {error}");
        assert_ne!(code, Some(0), "{arguments:?}");
    }
    let (out, _, _) = place.says(&["ps"]);
    assert!(out.contains("\nweb  "), "{out}");
    let (out, _, _) = place.says(&["logs", "orders", "app", "-f"]);
    assert_eq!(out, "one\ntwo\n");
    let (_, error, _) = place.says(&["stop"]);
    let both = "error: there are 2 running pods\nhelp: say which one: web or orders\n";
    assert_eq!(error, both);
    let (_, error, _) = place.says(&["run", &place.file("orders", TWO)]);
    assert!(error.contains("is running already"), "{error}");

    pod.signal(Signal::TERM);
    assert_eq!(pod.end().0.code(), Some(143));
    let (out, error, code) = place.says(&["ps"]);
    assert_eq!((error.as_str(), code), ("", Some(0)));
    assert!(!out.contains("orders"), "{out}");
}

#[test]
fn a_pod_is_found_from_a_session_that_has_other_folders() {
    let place = Place::new();
    let pod = place.run("orders", TWO, READY);
    let elsewhere = |arguments: &[&str]| {
        let mut command = place.pillion(arguments);
        let command = command.env("PILLION_RUNTIME_DIR", place.path().join("other"));
        told(&Started::output(command))
    };

    let (out, error, _) = elsewhere(&["ps"]);
    assert!(out.contains("\norders  ready "), "{out}{error}");
    assert_eq!(elsewhere(&["stop"]).2, Some(0));
    pod.end();
    let nothing = (String::new(), "no pod is running\n".to_owned(), Some(0));
    assert_eq!(elsewhere(&["ps"]), nothing);
}

#[test]
fn a_pod_that_is_suspended_keeps_nobody_from_the_others() {
    let place = Place::new();
    let pod = place.run("orders", TWO, READY);
    let _other = place.run("web", &app("echo up; exec sleep 1000"), r#""line":"up""#);
    pod.signal(Signal::STOP);

    let expected = format!(
        "error: orders is suspended: it does not answer until it goes on\n\
         help: `kill -CONT {}` lets it go on, as `fg` does in its terminal; its containers run meanwhile\n",
        pod.id()
    );
    let (out, error, code) = place.says(&["ps"]);
    assert!(out.contains("\nweb  "), "{out}");
    assert_eq!((error, code), (expected.clone(), Some(1)));
    for arguments in [
        &["ps", "orders"][..],
        &["stop", "orders"],
        &["restart", "orders/app"],
        &["exec", "orders/app", "--", "true"],
        &["logs", "orders", "-f"],
    ] {
        let (_, error, code) = place.says(arguments);
        assert_eq!(error, expected, "{arguments:?}");
        assert_ne!(code, Some(0), "{arguments:?}");
    }
    let (_, error, code) = place.says(&["exec", "web/app", "--", "true"]);
    assert_eq!((error.as_str(), code), ("", Some(0)));
    let (_, error, _) = place.says(&["stop", "wbe"]);
    let unknown = "error: there is no running pod `wbe`\nhelp: did you mean `web`?\n";
    assert_eq!(error, unknown);
    let (_, error, _) = place.says(&["stop"]);
    let both = "error: there are 2 running pods\nhelp: say which one: web or orders\n";
    assert_eq!(error, both);

    pod.signal(Signal::CONT);
    assert_eq!(place.says(&["stop", "orders"]).2, Some(0));
    pod.end();
}
