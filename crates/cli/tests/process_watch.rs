//! `pillion run --watch`: files that change under pods that really run.

#[path = "../../runtime/tests/support/machine.rs"]
#[expect(dead_code, reason = "other tests need more of it")]
mod machine;
#[path = "support/place.rs"]
#[expect(dead_code, reason = "other tests need more of it")]
mod place;
#[path = "support/started.rs"]
#[expect(dead_code, reason = "other tests need more of it")]
mod started;

#[path = "process_watch/file.rs"]
mod file;
#[path = "process_watch/paths.rs"]
mod paths;
#[path = "support/user.rs"]
mod user;

use place::{Place, Pod};
use rustix::process::Signal;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

const READY: &str = r#""podReady""#;

#[test]
fn the_same_holds_for_a_user_who_is_not_root() {
    user::try_again(&["file::", "paths::"]);
}

/// A folder with a pod that is watched.
struct Yard {
    place: Place,
    pod: Pod,
}

impl Yard {
    /// With these files; the pod has these containers, which are restarted for these paths.
    fn new(files: &[&str], watch: &str, containers: &str) -> Self {
        let place = Place::new();
        for file in files {
            write(place.path().join(file), "old\n");
        }
        write(place.path().join("pod.yaml"), &pod(watch, containers));
        let pod = run(&place, READY);
        Self { place, pod }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.place.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        write(self.path(name), text);
    }

    /// Does something while the pod's process cannot see it step by step, however busy the machine is.
    fn at_once(&self, deed: impl FnOnce()) {
        self.pod.signal(Signal::STOP);
        deed();
        self.pod.signal(Signal::CONT);
    }

    /// All that is told until something contains this.
    fn hear(&mut self, until: &str) -> Vec<String> {
        self.pod.hear(until)
    }

    /// Stops the pod and says what it told meanwhile.
    fn end(self) -> Vec<String> {
        self.place.says(&["stop"]);
        self.pod.end().1
    }
}

fn write(path: PathBuf, text: &str) {
    let folder = path.parent().expect("it is in a folder");
    fs::create_dir_all(folder).expect("it can be made");
    fs::write(path, text).expect("it can be written");
}

/// Makes a link lead elsewhere in one step, as `mv -T` does.
fn swap(place: &Place, target: &str, link: &str) {
    let new = place.path().join("swap");
    symlink(target, &new).expect("it can be made");
    fs::rename(new, place.path().join(link)).expect("it can be renamed");
}

/// Runs the pod where its file is.
fn run(place: &Place, until: &str) -> Pod {
    let options = ["--watch"];
    place.run_in(place.path(), "pod.yaml", &options, until)
}

fn pod(watch: &str, containers: &str) -> String {
    let watch = watch.trim().replace('\n', "\n      ");
    format!(
        "apiVersion: v1
kind: Pod
metadata:
  name: shop
  annotations:
    pillion.dev/watch: |
      {watch}
spec:
  containers:
{containers}"
    )
}

/// Whether one of the lines has all of these.
fn has(lines: &[String], parts: &[&str]) -> bool {
    let mut lines = lines.iter();
    lines.any(|line| parts.iter().all(|part| line.contains(part)))
}
