//! Volumes on the disk.

use super::*;
use crate::process::volume::Shape;
use insta::assert_snapshot;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;

/// A folder that is gone after the test.
struct Folder(tempfile::TempDir);

// === impl Folder ===

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    fn plan(&self, content: VolumeContent) -> VolumePlan {
        VolumePlan {
            name: "v".into(),
            path: self.path("volumes/v"),
            content,
            group: None,
        }
    }

    fn host_path(&self, path: &str, wanted: HostPathType) -> VolumePlan {
        VolumePlan {
            path: self.path(path),
            ..self.plan(VolumeContent::HostPath(wanted))
        }
    }

    fn part(&self, part: &str) -> MountRecipe {
        MountRecipe {
            volume: "v".into(),
            root: self.path("volumes/v"),
            sub_path: Some(part.into()),
            target: "/x".into(),
            read_only: false,
            shape: Shape::AsFound,
            own: true,
        }
    }

    /// The text of an error, without the name of this folder.
    fn shown(&self, error: &PlaceError) -> String {
        let folder = self.0.path().to_str().unwrap();
        let help = error.help().map(|help| format!("\n  help: {help}"));
        error.to_string().replace(folder, "DIR") + &help.unwrap_or_default()
    }
}

const EMPTY: VolumeContent = VolumeContent::Folder {
    memory: false,
    size_limit: None,
};

fn file(path: &str, mode: u32, content: &str) -> VolumeFile {
    VolumeFile {
        path: path.into(),
        mode,
        content: content.into(),
    }
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().mode() & 0o7777
}

#[test]
fn volumes_lie_in_a_folder_that_only_the_user_can_enter() {
    let folder = Folder::new();
    place(&folder.plan(EMPTY)).unwrap();
    assert_eq!(mode(&folder.path("volumes")), 0o700);
    assert_eq!(mode(&folder.path("volumes/v")), 0o777);
}

#[test]
fn a_folder_keeps_what_containers_put_into_it() {
    let folder = Folder::new();
    let plan = folder.plan(EMPTY);
    place(&plan).unwrap();
    fs::write(folder.path("volumes/v/kept"), "x").unwrap();
    place(&plan).unwrap();
    assert!(folder.path("volumes/v/kept").exists());
}

#[test]
fn files_have_their_contents_and_permissions() {
    let folder = Folder::new();
    let files = vec![file("a", 0o400, "one"), file("x/y", 0o664, "two")];
    place(&folder.plan(VolumeContent::Files(files))).unwrap();
    assert_eq!(
        fs::read_to_string(folder.path("volumes/v/x/y")).unwrap(),
        "two"
    );
    assert_eq!(mode(&folder.path("volumes/v/a")), 0o400);
    assert_eq!(mode(&folder.path("volumes/v/x/y")), 0o664);
    assert_eq!(mode(&folder.path("volumes/v/x")), 0o755);
    assert_eq!(fs::read_dir(folder.path("volumes")).unwrap().count(), 1);
}

#[test]
fn a_newer_plan_replaces_files_and_removes_those_it_does_not_have() {
    let folder = Folder::new();
    let older = vec![
        file("a", 0o400, "old"),
        file("x/y", 0o644, ""),
        file("x/z", 0o644, ""),
    ];
    place(&folder.plan(VolumeContent::Files(older))).unwrap();
    let newer = vec![file("a", 0o600, "new"), file("x/z", 0o644, "")];
    place(&folder.plan(VolumeContent::Files(newer))).unwrap();
    assert_eq!(
        fs::read_to_string(folder.path("volumes/v/a")).unwrap(),
        "new"
    );
    assert!(!folder.path("volumes/v/x/y").exists());
    assert!(folder.path("volumes/v/x/z").exists());
}

#[test]
fn a_file_can_become_a_folder_and_back() {
    let folder = Folder::new();
    for path in ["a", "a/b", "a"] {
        let files = vec![file(path, 0o644, path)];
        place(&folder.plan(VolumeContent::Files(files))).unwrap();
        let found = fs::read_to_string(folder.path("volumes/v").join(path));
        assert_eq!(found.unwrap(), path);
    }
}

#[test]
fn the_group_of_the_volumes_may_use_them_where_root_can_say_so() {
    let folder = Folder::new();
    let files = vec![file("a", 0o400, "one")];
    let plan = VolumePlan {
        group: Some(4321),
        ..folder.plan(VolumeContent::Files(files))
    };
    place(&plan).unwrap();
    let found = fs::metadata(folder.path("volumes/v/a")).unwrap();
    if rustix::process::geteuid().is_root() {
        assert_eq!((found.gid(), found.mode() & 0o777), (4321, 0o440));
        assert_eq!(mode(&folder.path("volumes/v")), 0o2755);
    } else {
        assert_eq!(found.mode() & 0o777, 0o400);
    }
}

#[test]
fn what_was_made_is_removed_and_what_is_the_machines_stays() {
    let folder = Folder::new();
    let plan = folder.plan(EMPTY);
    place(&plan).unwrap();
    remove(&plan).unwrap();
    remove(&plan).unwrap();
    assert!(!folder.path("volumes/v").exists());
    let host = folder.host_path("host", HostPathType::DirectoryOrCreate);
    place(&host).unwrap();
    remove(&host).unwrap();
    assert!(folder.path("host").is_dir());
}

#[test]
fn host_paths_are_made_where_their_type_allows_it() {
    let folder = Folder::new();
    place(&folder.host_path("a/b", HostPathType::DirectoryOrCreate)).unwrap();
    place(&folder.host_path("a/c", HostPathType::Unset)).unwrap();
    place(&folder.host_path("a/f", HostPathType::FileOrCreate)).unwrap();
    assert!(folder.path("a/b").is_dir() && folder.path("a/c").is_dir());
    assert!(folder.path("a/f").is_file());
}

#[test]
fn host_paths_must_be_what_they_are_said_to_be() {
    let folder = Folder::new();
    fs::write(folder.path("file"), "").unwrap();
    let _socket = UnixListener::bind(folder.path("socket")).unwrap();
    let fits = [
        ("file", HostPathType::File),
        ("file", HostPathType::FileOrCreate),
        ("file", HostPathType::Unset),
        ("socket", HostPathType::Socket),
        (".", HostPathType::Directory),
        ("/dev/null", HostPathType::CharDevice),
    ];
    for (path, wanted) in fits {
        place(&folder.host_path(path, wanted)).unwrap();
    }
    let wrong = [
        ("file", HostPathType::Directory),
        ("socket", HostPathType::File),
        (".", HostPathType::BlockDevice),
        ("none", HostPathType::Directory),
        ("none", HostPathType::Socket),
    ];
    let told = wrong.map(|(path, wanted)| {
        let error = place(&folder.host_path(path, wanted)).unwrap_err();
        folder.shown(&error)
    });
    assert_snapshot!(told.join("\n"), @"
    the host path DIR/file is a file; its type is `Directory`
      help: correct the type, or leave it out
    the host path DIR/socket is a socket; its type is `File`
      help: correct the type, or leave it out
    the host path DIR/. is a directory; its type is `BlockDevice`
      help: correct the type, or leave it out
    the host path DIR/none is not there; its type is `Directory`
      help: make it, or write `DirectoryOrCreate` as its type
    the host path DIR/none is not there; its type is `Socket`
      help: start the program that listens there
    ");
}

#[test]
fn a_part_of_a_volume_is_made_like_the_volume() {
    let folder = Folder::new();
    place(&folder.plan(EMPTY)).unwrap();
    prepare(&folder.part("a/b")).unwrap();
    for made in ["volumes/v/a", "volumes/v/a/b"] {
        assert_eq!(mode(&folder.path(made)), 0o777);
    }
    fs::write(folder.path("volumes/v/f"), "").unwrap();
    prepare(&folder.part("f")).unwrap();
    assert!(folder.path("volumes/v/f").is_file());
}

#[test]
fn a_mount_shows_what_is_there() {
    let folder = Folder::new();
    place(&folder.plan(EMPTY)).unwrap();
    let mount = mount(&folder.part("a")).unwrap();
    assert!(folder.path("volumes/v/a").is_dir());
    let kind = MountKind::Bind {
        source: folder.path("volumes/v"),
        part: Some("a".into()),
        takes_mounts: true,
    };
    assert_eq!((mount.kind, mount.target.to_str()), (kind, Some("/x")));
}

#[test]
fn a_part_of_a_volume_does_not_lead_out_of_it() {
    let folder = Folder::new();
    place(&folder.plan(EMPTY)).unwrap();
    fs::create_dir(folder.path("outside")).unwrap();
    let outside = folder.path("outside").display().to_string();
    for (link, to) in [
        ("inside", "a"),
        ("out", &*outside),
        ("up", "../../outside"),
        ("missing", &format!("{outside}/new")),
        ("dangling", "none"),
    ] {
        symlink(to, folder.path("volumes/v").join(link)).unwrap();
    }
    fs::create_dir(folder.path("volumes/v/a")).unwrap();

    prepare(&folder.part("inside/b")).unwrap();

    assert!(folder.path("volumes/v/a/b").is_dir());
    let told = ["out/b", "up", "missing", "dangling/b"];
    let told = told.map(|part| folder.shown(&prepare(&folder.part(part)).unwrap_err()));
    assert_snapshot!(told.join("\n"), @"
    the part out/b of volume `v` is a link that leads out of the volume
    the part up of volume `v` is a link that leads out of the volume
    the part missing of volume `v` is a link that leads out of the volume
    cannot make the folder DIR/volumes/v/dangling
    ");
    assert_eq!(fs::read_dir(folder.path("outside")).unwrap().count(), 0);
}

#[test]
fn a_full_disk_is_called_so() {
    let folder = Folder::new();
    fs::create_dir_all(folder.path("volumes")).unwrap();
    // Every write to this device fails as on a full disk.
    symlink("/dev/full", folder.path("volumes/.v.new")).unwrap();
    let files = vec![file("a", 0o644, "x")];
    let error = place(&folder.plan(VolumeContent::Files(files))).unwrap_err();
    assert_snapshot!(folder.shown(&error), @"
    cannot write DIR/volumes/v/a: the disk is full
      help: make room, or set XDG_STATE_HOME to a folder that has some
    ");
}
