//! A pod as Kubernetes would show it.

use super::place::Place;
use super::{READY, TWO, app};
use rustix::process::Signal;
use serde_json::{Value, json};

#[test]
fn get_shows_the_file_and_the_status_of_kubernetes() {
    let place = Place::new();
    let _pod = place.run("orders", TWO, READY);
    let (out, _, _) = place.says(&["get", "orders", "-o", "json"]);
    let object: Value = serde_json::from_str(&out).expect("it is JSON");
    assert_eq!(object["kind"], "Pod");
    assert_eq!(object["metadata"]["namespace"], "default");
    assert_eq!(object["spec"]["containers"][0]["readyOn"], "notify");
    let status = &object["status"];
    assert_eq!(status["phase"], "Running");
    assert_eq!(status["containerStatuses"][1]["name"], "app");
    assert!(status["containerStatuses"][1]["state"]["running"]["startedAt"].is_string());
    let conditions = status["conditions"].as_array().expect("it is a list");
    assert!(conditions.contains(&json!({"type": "Ready", "status": "True"})));
    let (yaml, _, _) = place.says(&["get"]);
    assert!(yaml.contains("\n  phase: Running\n"), "{yaml}");
}

#[test]
fn get_shows_how_a_pod_has_ended() {
    let place = Place::new();
    for code in [0, 3] {
        let pod = place.run("orders", &app(&format!("exit {code}")), "podEnded");
        pod.end();
    }
    let object = |run: &str| {
        let (out, error, _) = place.says(&["get", run, "-o", "json"]);
        serde_json::from_str::<Value>(&out).expect(&error)
    };
    let phases = ["orders#1", "orders#2", "orders", "default/orders"];
    let phases = phases.map(|run| object(run)["status"]["phase"].clone());
    assert_eq!(phases, ["Succeeded", "Failed", "Failed", "Failed"]);
    let state = &object("orders")["status"]["containerStatuses"][0]["state"];
    assert_eq!(state["terminated"]["exitCode"], 3);
    let (latest, _, code) = place.says(&["get"]);
    assert!(latest.contains("\n  phase: Failed\n"), "{latest}");
    assert_eq!(code, Some(0));

    let (_, error, code) = place.says(&["get", "orders#3"]);
    assert!(error.contains("no run 3 of `orders`"), "{error}");
    assert_eq!(code, Some(2));
}

#[test]
fn get_says_that_nobody_saw_the_end_of_a_pod_whose_pillion_was_killed() {
    let place = Place::new();
    let pod = place.run("orders", TWO, READY);
    pod.signal(Signal::KILL);
    pod.end();
    let (_, error, code) = place.says(&["get", "orders"]);
    assert!(error.contains("nobody kept how orders#1 ended"), "{error}");
    assert!(error.contains("`pillion trace orders#1`"), "{error}");
    assert_eq!(code, Some(2));
}
