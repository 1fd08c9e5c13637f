//! What is told of real files. The kernel has told all that a call did when the call returns.

use super::*;
use std::os::unix::fs::symlink;
use tempfile::TempDir;

/// A folder, and one who watches a path in it.
struct Yard {
    folder: TempDir,
    watcher: Watcher,
}

impl Yard {
    /// With these files, watching that path.
    fn new(files: &[&str], watched: &str) -> Self {
        let mut yard = Self {
            folder: tempfile::tempdir().unwrap(),
            watcher: Watcher::new().unwrap(),
        };
        for file in files {
            yard.write(file, "old");
        }
        let root = yard.path(watched);
        assert_eq!(yard.watcher.add(&root), root.exists());
        assert_eq!(yard.told(), [] as [String; 0]);
        yard
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn rename(&self, from: &str, to: &str) {
        fs::rename(self.path(from), self.path(to)).unwrap();
    }

    fn remove(&self, path: &str) {
        fs::remove_file(self.path(path)).unwrap();
    }

    /// What has changed; `-` before what is gone.
    fn told(&mut self) -> Vec<String> {
        let changes = self.watcher.read();
        let top = self.path("");
        let told = changes.into_iter().map(|change| {
            let path = change.path.strip_prefix(&top).unwrap();
            let gone = if change.gone { "-" } else { "" };
            format!("{gone}{}", path.display())
        });
        told.collect()
    }
}

#[test]
fn a_file_changes_however_it_is_written() {
    let mut yard = Yard::new(&["pod.yaml", "other"], "pod.yaml");
    yard.write("pod.yaml", "truncated and written");
    assert_eq!(yard.told(), ["pod.yaml"]);

    yard.write(".pod.yaml.swp", "beside");
    yard.write("new", "beside");
    yard.write("other", "nobody asked for it");
    assert_eq!(yard.told(), [] as [&str; 0]);
    yard.rename("new", "pod.yaml");
    assert_eq!(yard.told(), ["pod.yaml"]);

    yard.rename("pod.yaml", "pod.yaml~");
    yard.write("pod.yaml", "with a copy of the old one");
    assert_eq!(yard.told(), ["pod.yaml"], "nobody saw that it was gone");
    yard.write("pod.yaml", "once more");
    assert_eq!(yard.told(), ["pod.yaml"]);
}

#[test]
fn a_file_that_is_gone_is_told_and_waited_for() {
    let mut yard = Yard::new(&["a/pod.yaml"], "a/pod.yaml");
    yard.remove("a/pod.yaml");
    assert_eq!(yard.told(), ["-a/pod.yaml"]);
    fs::remove_dir(yard.path("a")).unwrap();
    assert_eq!(yard.told(), [] as [&str; 0]);
    yard.write("a/pod.yaml", "it is back, in another folder");
    assert_eq!(yard.told(), ["a/pod.yaml"]);
    yard.write("a/pod.yaml", "and watched");
    assert_eq!(yard.told(), ["a/pod.yaml"]);
}

#[test]
fn a_file_counts_when_whoever_made_it_closes_it() {
    let mut yard = Yard::new(&["src/main"], "src");
    let open = fs::File::create(yard.path("src/new")).unwrap();
    assert_eq!(yard.told(), [] as [&str; 0]);
    drop(open);
    assert_eq!(yard.told(), ["src/new"]);
}

#[test]
fn what_is_missing_is_seen_when_it_comes_however_deep() {
    let mut yard = Yard::new(&[], "a/b/src");
    yard.write("a/x", "");
    assert_eq!(yard.told(), [] as [&str; 0]);
    yard.write("a/b/src/main", "");
    assert_eq!(yard.told(), ["a/b/src"]);
    yard.write("a/b/src/deep/er", "");
    assert_eq!(yard.told(), ["a/b/src/deep/er"]);
}

#[test]
fn everything_below_a_folder_counts_and_folders_that_come_too() {
    let mut yard = Yard::new(&["src/main", "src/deep/er/lib"], "src");
    yard.write("src/deep/er/lib", "new");
    assert_eq!(yard.told(), ["src/deep/er/lib"]);
    yard.remove("src/deep/er/lib");
    assert_eq!(yard.told(), ["src/deep/er/lib"]);

    fs::create_dir(yard.path("src/empty")).unwrap();
    assert_eq!(yard.told(), [] as [&str; 0]);
    yard.write("src/empty/file", "");
    assert_eq!(yard.told(), ["src/empty/file"]);

    yard.write("elsewhere/file", "");
    yard.rename("elsewhere", "src/moved");
    assert_eq!(yard.told(), ["src/moved/file"]);
    yard.rename("src/moved", "src/again");
    assert_eq!(yard.told(), ["src/again/file", "src/moved"]);
    yard.write("src/again/file", "");
    assert_eq!(yard.told(), ["src/again/file"]);
    yard.rename("src/again", "elsewhere");
    assert_eq!(yard.told(), ["src/again"]);
    yard.write("elsewhere/file", "");
    assert_eq!(yard.told(), [] as [&str; 0]);
}

#[test]
fn what_tools_leave_in_a_folder_does_not_count() {
    let mut yard = Yard::new(&["src/main", "src/cache/CACHEDIR.TAG"], "src");
    for noise in [
        "src/.git/index",
        "src/.main.swp",
        "src/main~",
        "src/#main#",
        "src/4913",
        "src/main.pyc",
        "src/__pycache__/main.pyc",
        "src/node_modules/left-pad/index.js",
        "src/target/debug/app",
        "src/cache/file",
    ] {
        yard.write(noise, "");
        assert_eq!(yard.told(), [] as [&str; 0], "{noise}");
    }
}

#[test]
fn what_is_named_itself_counts_whatever_its_name() {
    let mut yard = Yard::new(&["target/debug/app", ".env"], "target/debug/app");
    yard.write("target/debug/app", "new");
    assert_eq!(yard.told(), ["target/debug/app"]);
    let env = yard.path(".env");
    yard.watcher.add(&env);
    yard.write(".env", "new");
    assert_eq!(yard.told(), [".env"]);
}

#[test]
fn behind_a_link_the_real_thing_is_watched_and_the_link_too() {
    let mut yard = Yard::new(&["real/pod.yaml", "other/pod.yaml"], "nothing");
    symlink(yard.path("real/pod.yaml"), yard.path("pod.yaml")).unwrap();
    let link = yard.path("pod.yaml");
    yard.watcher.add(&link);
    yard.write("real/pod.yaml", "new");
    assert_eq!(yard.told(), ["pod.yaml"]);
    symlink(yard.path("other/pod.yaml"), yard.path("new")).unwrap();
    yard.rename("new", "pod.yaml");
    assert_eq!(yard.told(), ["pod.yaml"]);
    yard.write("other/pod.yaml", "newer");
    assert_eq!(yard.told(), ["pod.yaml"]);
}

/// Makes a link lead elsewhere in one step, as `mv -T` does.
fn swap(yard: &Yard, target: &str, link: &str) {
    symlink(target, yard.path("swap")).unwrap();
    yard.rename("swap", link);
}

#[test]
fn a_link_to_a_folder_on_the_way_can_be_swapped() {
    let mut yard = Yard::new(&["d1/pod.yaml", "d2/pod.yaml"], "nothing");
    swap(&yard, "d1", "current");
    swap(&yard, "current/pod.yaml", "pod.yaml");
    for watched in ["pod.yaml", "current/pod.yaml"] {
        let watched = yard.path(watched);
        yard.watcher.add(&watched);
    }
    let both = ["current/pod.yaml", "pod.yaml"];
    swap(&yard, "d2", "current");
    assert_eq!(yard.told(), both);
    yard.write("d2/pod.yaml", "watched there");
    assert_eq!(yard.told(), both);
    yard.write("d1/pod.yaml", "and here no more");
    assert_eq!(yard.told(), [] as [&str; 0]);
    let folders: BTreeSet<_> = yard.watcher.folders.values().flatten().collect();
    assert_eq!(folders, BTreeSet::from([&yard.path(""), &yard.path("d2")]));

    swap(&yard, "d3", "current");
    assert_eq!(yard.told(), ["-current/pod.yaml", "-pod.yaml"]);
    yard.write("d3/pod.yaml", "it leads somewhere now");
    assert_eq!(yard.told(), both);
}

#[test]
fn a_folder_behind_a_link_can_be_swapped_with_all_below_it() {
    let mut yard = Yard::new(&["d1/src/lib/a", "d2/src/lib/a", "x/y"], "nothing");
    swap(&yard, "../d1", "x/current");
    let src = yard.path("x/current/src");
    yard.watcher.add(&src);
    yard.write("d1/src/lib/a", "new");
    assert_eq!(yard.told(), ["x/current/src/lib/a"]);
    swap(&yard, "../d2", "x/current");
    assert_eq!(yard.told(), ["x/current/src"]);
    yard.write("d2/src/lib/a", "new");
    assert_eq!(yard.told(), ["x/current/src/lib/a"]);
    yard.write("d1/src/lib/a", "nobody asks any more");
    assert_eq!(yard.told(), [] as [&str; 0]);
}

#[test]
fn a_link_is_followed_anew_though_it_leads_to_the_same_file() {
    let mut yard = Yard::new(&["d1/pod.yaml", "d2/other"], "nothing");
    fs::hard_link(yard.path("d1/pod.yaml"), yard.path("d2/pod.yaml")).unwrap();
    swap(&yard, "d1", "current");
    let file = yard.path("current/pod.yaml");
    yard.watcher.add(&file);
    swap(&yard, "d2", "current");
    assert_eq!(yard.told(), [] as [&str; 0], "it says the same");
    yard.write("new", "beside");
    yard.rename("new", "d2/pod.yaml");
    assert_eq!(yard.told(), ["current/pod.yaml"]);
}

#[test]
fn a_folder_behind_a_link_that_is_renamed_is_waited_for() {
    let mut yard = Yard::new(&["d1/pod.yaml", "d2/pod.yaml"], "nothing");
    swap(&yard, "d1", "current");
    let file = yard.path("current/pod.yaml");
    yard.watcher.add(&file);
    yard.rename("d1", "old");
    assert_eq!(yard.told(), ["-current/pod.yaml"]);
    yard.rename("d2", "d1");
    assert_eq!(yard.told(), ["current/pod.yaml"]);
    yard.write("d1/pod.yaml", "another one, and watched");
    assert_eq!(yard.told(), ["current/pod.yaml"]);
}

#[test]
fn a_link_into_a_folder_that_is_replaced_is_still_followed() {
    let mut yard = Yard::new(&["src/target/app", "new/target/app"], "src");
    swap(&yard, "src/target/app", "app");
    let app = yard.path("app");
    yard.watcher.add(&app);
    yard.rename("src", "old");
    yard.rename("new", "src");
    assert_eq!(yard.told(), ["app", "src"]);
    yard.write("src/target/app", "nobody else looks in there");
    assert_eq!(yard.told(), ["app"]);
    yard.write("old/target/app", "nobody at all");
    assert_eq!(yard.told(), [] as [&str; 0]);
}

#[test]
fn links_that_lead_around_are_told_and_mended() {
    let mut yard = Yard::new(&["d1/pod.yaml"], "nothing");
    swap(&yard, "d1", "current");
    let file = yard.path("current/pod.yaml");
    yard.watcher.add(&file);
    swap(&yard, "current", "other");
    swap(&yard, "other", "current");
    assert_eq!(yard.told(), ["-current/pod.yaml"]);
    let trouble = yard.watcher.take_trouble().unwrap();
    let told = format!("cannot watch {}", file.display());
    assert_eq!(trouble.to_string(), told);
    swap(&yard, "d1", "other");
    assert_eq!(yard.told(), ["current/pod.yaml"]);
}

#[test]
fn two_who_watch_the_same_are_both_told() {
    let mut yard = Yard::new(&["src/lib/file"], "src");
    let lib = yard.path("src/lib");
    yard.watcher.add(&lib);
    yard.write("src/lib/file", "new");
    assert_eq!(yard.told(), ["src/lib/file", "src/lib/file"]);

    let src = yard.path("src");
    yard.watcher.retain(|path| path != src);
    yard.write("src/lib/file", "newer");
    yard.write("src/other", "");
    assert_eq!(yard.told(), ["src/lib/file"]);
    yard.watcher.retain(|_| false);
    assert!(yard.watcher.folders.is_empty());
}

#[test]
fn too_many_folders_are_told_and_the_others_are_watched() {
    let mut yard = Yard::new(&["src/a/b/c/d/file"], "nothing");
    yard.watcher.most = 4;
    let src = yard.path("src");
    yard.watcher.add(&src);
    let trouble = yard.watcher.take_trouble().unwrap();
    let told = "only 4 folders are watched, and there are more";
    assert_eq!(trouble.to_string(), told);
    assert!(yard.watcher.take_trouble().is_none());
    yard.write("src/a/file", "");
    assert_eq!(yard.told(), ["src/a/file"]);

    let limit = WatchError::of(Path::new("src"), Errno::NOSPC);
    assert!(limit.help().unwrap().contains("max_user_watches"));
}

#[test]
fn when_the_kernel_has_lost_count_everything_counts() {
    let mut yard = Yard::new(&["src/main", "pod.yaml"], "src");
    let file = yard.path("pod.yaml");
    yard.watcher.add(&file);
    let mut changes = BTreeSet::new();
    yard.watcher.look_everywhere(&mut changes);
    let told: Vec<_> = changes.iter().map(|change| &change.path).collect();
    assert_eq!(told, [&yard.path("src")], "the file is as it was");
}

#[test]
fn much_that_happens_at_once_is_told_by_and_by() {
    let mut yard = Yard::new(&["src/main"], "src");
    for number in 0..1000 {
        yard.write(&format!("src/{number}"), "");
    }
    let first = yard.watcher.read().len();
    assert!((1..1000).contains(&first), "{first}");
    let mut all = first;
    loop {
        let more = yard.watcher.read().len();
        if more == 0 {
            break;
        }
        all += more;
    }
    assert!(all >= 1000, "{all}");
}
