//! The paths that containers are restarted for.

use super::place::Place;
use super::{READY, Yard, has, pod, run, swap, write};
use std::fs;

const APP: &str = r#"    - {name: db, command: [sh, -c, "exec sleep 1000"]}
    - {name: app, command: [sh, -c, "cat src/main; exec sleep 1000"]}
"#;

/// The same, and `app` is ready when it has read its source.
const READER: &str = r#"    - {name: db, command: [sh, -c, "exec sleep 1000"]}
    - {name: app, readyOn: {logLine: .}, command: [sh, -c, "cat src/main; exec sleep 1000"]}
"#;

fn restarts(reason: &str) -> String {
    format!(r#""cause":{{"kind":"asked","by":"app","reaction":"Restart","reason":"{reason}"}}"#)
}

#[test]
fn a_container_is_restarted_for_its_sources_and_nobody_else() {
    let mut yard = Yard::new(&["src/main", "src/deep/lib", "other"], "app: [src]", READER);
    yard.write("src/.main.swp", "noise");
    yard.write("src/target/out", "noise");
    yard.write("other", "nobody asked for it");
    yard.write("src/main", "new\n");
    let told = yard.hear(r#""container":"app","attempt":2,"what":"ready""#);
    assert!(has(&told, &[&restarts("src/main changed")]), "{told:#?}");
    assert!(has(&told, &[r#""line":"new""#]), "{told:#?}");

    yard.at_once(|| {
        for number in 0..20 {
            yard.write(&format!("src/deep/{number}"), "a burst");
        }
        yard.write("src/deep/lib", "new");
    });
    yard.hear(&restarts("src/deep/0 and 20 others changed"));
    yard.hear(r#""container":"app","attempt":3,"what":"ready""#);
    let told = yard.end();
    assert!(!has(&told, &["attempt\":4"]), "{told:#?}");
    assert!(
        !has(&told, &[r#""container":"db","attempt":2"#]),
        "{told:#?}"
    );
}

#[test]
fn dependants_go_by_their_on_restart() {
    let containers = r#"    - {name: app, command: [sh, -c, "exec sleep 1000"]}
    - name: follows
      requires: [{container: app, onRestart: restart}]
      command: [sh, -c, "exec sleep 1000"]
    - {name: keeps, requires: [app], command: [sh, -c, "exec sleep 1000"]}
"#;
    let mut yard = Yard::new(&["src"], "app: src", containers);
    yard.write("src", "new");
    yard.hear(&restarts("src changed"));
    yard.hear(r#""container":"follows","attempt":2,"what":"ready""#);
    let told = yard.end();
    assert!(
        !has(&told, &[r#""container":"keeps","attempt":2"#]),
        "{told:#?}"
    );
}

#[test]
fn what_is_missing_is_told_and_waited_for_and_so_is_what_goes() {
    let place = Place::new();
    write(place.path().join("pod.yaml"), &pod("app: [src]", APP));
    let mut child = run(&place, READY);
    write(place.path().join("src/main"), "here it is");
    child.hear(r#""container":"app","attempt":2,"what":"ready""#);

    fs::remove_dir_all(place.path().join("src")).unwrap();
    let told = child.hear("src is gone: app runs on, and it is waited for");
    assert!(!has(&told, &["attempt\":3"]), "{told:#?}");
    write(place.path().join("src/main"), "back");
    // With what is in it or without, as the kernel has it.
    child.hear(r#""reaction":"Restart","reason":"src"#);
}

#[test]
fn a_container_is_restarted_for_what_swapped_links_lead_to() {
    let place = Place::new();
    for file in ["1/src/main", "1/config/a", "2/src/main", "2/config/a"] {
        write(place.path().join(file), "old\n");
    }
    swap(&place, "1/src", "src");
    let watch = "app: [src, src/../config/a]";
    write(place.path().join("pod.yaml"), &pod(watch, APP));
    let mut child = run(&place, READY);
    write(place.path().join("1/config/a"), "new");
    child.hear(&restarts("src/../config/a changed"));
    child.hear(r#""container":"app","attempt":2,"what":"ready""#);

    swap(&place, "2/src", "src");
    child.hear(&restarts("src and 1 other changed"));
    child.hear(r#""container":"app","attempt":3,"what":"ready""#);
    write(place.path().join("2/src/main"), "new");
    child.hear(&restarts("src/main changed"));
    child.hear(r#""container":"app","attempt":4,"what":"ready""#);
    write(place.path().join("2/config/a"), "new");
    child.hear(&restarts("src/../config/a changed"));
}

#[test]
fn a_build_runs_again_and_who_watches_what_it_makes_follows() {
    let containers = r#"    - {name: build, oneshot: true, command: [sh, -c, "grep -v bad src > new && mv new made"]}
    - {name: app, requires: [build], command: [sh, -c, "cat made; exec sleep 1000"]}
"#;
    let mut yard = Yard::new(&["src"], "build: src\napp: made", containers);
    yard.write("src", "good\n");
    yard.hear(r#""by":"build","reaction":"Restart","reason":"src changed""#);
    yard.hear(&restarts("made changed"));
    yard.hear(r#""line":"good""#);

    yard.write("src", "bad\n");
    let told = yard.hear(r#""container":"build","attempt":3,"what":"exited","code":1"#);
    assert!(
        !has(&told, &[r#""container":"app","attempt":3"#]),
        "{told:#?}"
    );
    yard.write("src", "better\n");
    let told = yard.hear(r#""line":"better""#);
    assert!(
        has(&told, &[r#""container":"app","attempt":3"#]),
        "{told:#?}"
    );
}

#[test]
fn who_crashed_is_tried_again_at_once() {
    let containers = r#"    - {name: db, command: [sh, -c, "exec sleep 1000"]}
    - {name: app, command: [sh, -c, "grep -q good src && exec sleep 1000; exit 3"]}
"#;
    let place = Place::new();
    write(place.path().join("src"), "bad");
    write(place.path().join("pod.yaml"), &pod("app: src", containers));
    let mut child = run(&place, r#""restarting","after":10"#);
    write(place.path().join("src"), "good");
    child.hear(&restarts("src changed"));
    child.hear(READY);
}

#[test]
fn the_paths_of_a_new_file_are_watched_instead() {
    let mut yard = Yard::new(&["src/main", "lib"], "app: [src]", APP);
    yard.write("pod.yaml", &pod("app: [lib]", APP));
    yard.hear("pod.yaml changed: nothing to do: its 2 containers are as the file has them");
    yard.write("src/main", "nobody asks for it any more");
    yard.write("lib", "new");
    let told = yard.hear(r#""container":"app","attempt":2,"what":"ready""#);
    assert!(has(&told, &[&restarts("lib changed")]), "{told:#?}");
}

#[test]
fn paths_are_where_the_commands_of_their_container_find_them() {
    let place = Place::new();
    let folder = place.path().join("app");
    write(folder.join("src"), "old");
    let containers = format!(
        r#"    - {{name: db, command: [sh, -c, "exec sleep 1000"]}}
    - {{name: app, workingDir: {}, command: [sh, -c, "cat src; exec sleep 1000"]}}
"#,
        folder.display()
    );
    write(place.path().join("pod.yaml"), &pod("app: src", &containers));
    let mut child = run(&place, READY);
    write(folder.join("src"), "new");
    child.hear(&restarts("src changed"));
}
