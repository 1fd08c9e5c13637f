//! What cannot be changed while a pod runs, and files that cannot be read.

use super::place::Place;
use super::{READY, pids};

const TWO: &str = r#"
  volumes: [{name: data, emptyDir: {}}]
  containers:
    - {name: db, sidecar: true, command: [sleep, "1000"], volumeMounts: [{name: data, mountPath: /data}]}
    - {name: app, requires: [{container: db, onRestart: stop}], command: [sleep, "1000"]}
"#;

#[test]
fn all_that_cannot_be_is_told_and_nothing_is_touched() {
    let place = Place::new();
    let _pod = place.run("shop", TWO, READY);
    let before = pids(&place, "shop");
    let new = r#"
  restartPolicy: OnFailure
  volumes: [{name: data, emptyDir: {sizeLimit: 1Gi}}]
  containers:
    - {name: db, command: [sleep, "1001"], volumeMounts: [{name: data, mountPath: /data}]}
    - {name: app, command: [sleep, "1000"]}
    - {name: extra, command: [sleep, "1000"]}
"#;
    let file = place.file("shop", new);
    let (_, told, code) = place.says(&["apply", &file]);
    let expected = "\
error: shop cannot be changed like this while it runs
  the pod  restartPolicy: is Always, and would be OnFailure
  extra    is new
  db       sidecar: is a sidecar, and would be a main
  app      requires: would wait for other things than it did
  the pod  volumes.data: what `db` has put there would be lost
help: stop the pod and run it again: `pillion stop`, then `pillion run`
";
    assert_eq!((told.as_str(), code), (expected, Some(1)));
    let (out, _, code) = place.says(&["apply", &file, "--json"]);
    let refused: serde_json::Value = serde_json::from_str(&out).expect("it is JSON");
    assert_eq!(refused["not-applied"][1]["container"], "extra");
    assert_eq!(code, Some(1));
    assert_eq!(before, pids(&place, "shop"));
}

#[test]
fn a_dependant_that_would_be_stopped_for_good_must_be_forced() {
    let place = Place::new();
    let _pod = place.run("shop", TWO, READY);
    let file = place.file("shop", &TWO.replacen("1000", "1001", 1));
    let (_, told, code) = place.says(&["apply", &file]);
    let expected = "\
error: shop cannot be changed like this while it runs
  db  `app` would be stopped for good
help: `--force` does it all the same
";
    assert_eq!((told.as_str(), code), (expected, Some(1)));

    let (plan, _, _) = place.says(&["apply", &file, "--force", "--dry-run"]);
    assert!(
        plan.contains("  db  command · app stops for good\n"),
        "{plan}"
    );
}

#[test]
fn what_this_machine_lacks_is_told_before_anything_is_touched() {
    let place = Place::new();
    let _pod = place.run("shop", TWO, READY);
    let before = pids(&place, "shop");
    let missing = "{name: app, envFrom: [{configMapRef: {name: gone}}],";
    let file = place.file("shop", &TWO.replace("{name: app,", missing));
    let (_, told, code) = place.says(&["apply", &file]);
    assert!(
        told.contains("needs the ConfigMap `gone`, which is not in the file"),
        "{told}"
    );
    assert_eq!(code, Some(1));
    assert_eq!(before, pids(&place, "shop"));
}

#[test]
fn a_file_with_errors_is_shown_with_its_places() {
    let place = Place::new();
    let _pod = place.run("shop", TWO, READY);
    let before = pids(&place, "shop");
    let wrong = place.file("shop", &TWO.replace("container: db", "container: dv"));
    let (_, told, code) = place.says(&["apply", &wrong]);
    assert!(told.contains("error[L0102]"), "{told}");
    assert!(told.contains("shop.yaml:10:"), "{told}");
    assert_eq!(code, Some(1));
    let (out, _, code) = place.says(&["apply", &wrong, "--json"]);
    assert!(
        out.contains(r#"{"code":"L0102","severity":"error""#),
        "{out}"
    );
    assert_eq!(code, Some(1));

    let broken = place.file("shop", "  containers: [\n");
    assert_eq!(place.says(&["apply", &broken]).2, Some(2));
    let (_, told, code) = place.says(&["apply", "/no/such/file"]);
    assert!(
        told.starts_with("error: cannot read /no/such/file\n"),
        "{told}"
    );
    assert_eq!(code, Some(2));

    let other = place.file("other", TWO);
    let (_, told, code) = place.says(&["apply", &other]);
    assert!(
        told.starts_with("error: there is no running pod `default/other`\n"),
        "{told}"
    );
    assert_eq!(code, Some(2));
    assert_eq!(before, pids(&place, "shop"));
}
