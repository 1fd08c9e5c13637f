//! Where groups can be made: what the kernel says about its mounts and about this process, read as text.
//!
//! Everything takes the root of the file system as an argument, so that a tree of plain files can stand in for it.

use super::{CgroupError, Controller};
use rustix::fs::{Access, access};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Which of the kernel's two ways.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Version {
    /// A hierarchy for each controller.
    One,
    /// One hierarchy for all.
    Two,
}

/// A group in which others can be made.
#[derive(Debug, Eq, PartialEq)]
pub(super) struct Hierarchy {
    pub(super) version: Version,
    /// The group that ours will be in.
    pub(super) parent: PathBuf,
    controllers: BTreeSet<Controller>,
}

/// A hierarchy as it is mounted, and where this process is in it.
struct Mounted {
    version: Version,
    point: PathBuf,
    own: PathBuf,
    controllers: BTreeSet<Controller>,
}

/// The hierarchies in which we can make a group; never none.
pub(super) fn writable(root: &Path) -> Result<Vec<Hierarchy>, CgroupError> {
    let mounted = mounted(root)?;
    let mut closed = None;
    let mut writable = Vec::new();
    for one in &mounted {
        match one.place() {
            Ok(Some(place)) => writable.push(place),
            Ok(None) => {}
            Err(error) => closed = Some(error),
        }
    }
    match (writable.is_empty(), closed) {
        (false, _) => Ok(writable),
        (true, Some(error)) => Err(error),
        (true, None) => Err(CgroupError::None),
    }
}

/// Where hierarchies are mounted, whoever may change them.
pub(super) fn mount_points(root: &Path) -> impl Iterator<Item = PathBuf> {
    let mounted = mounted(root).unwrap_or_default();
    mounted.into_iter().map(|one| one.point)
}

fn mounted(root: &Path) -> Result<Vec<Mounted>, CgroupError> {
    let mounts = read(root, "proc/self/mountinfo")?;
    let groups = read(root, "proc/self/cgroup")?;
    let mounted = mounts
        .lines()
        .filter_map(|line| Mounted::parse(line, &groups, root));
    Ok(mounted.collect())
}

fn read(root: &Path, path: &str) -> Result<String, CgroupError> {
    let path = root.join(path);
    fs::read_to_string(&path).map_err(|source| CgroupError::Unreadable { path, source })
}

/// The group of this process in a hierarchy: lines are `number:controllers:path`.
fn own_group<'a>(groups: &'a str, version: Version, options: &str) -> Option<&'a str> {
    let mut lines = groups.lines().map(|line| line.splitn(3, ':'));
    lines.find_map(|mut fields| {
        let (number, names, path) = (fields.next()?, fields.next()?, fields.next()?);
        let is_it = match version {
            Version::One => names
                .split(',')
                .any(|name| options.split(',').any(|is| is == name)),
            Version::Two => number == "0" && names.is_empty(),
        };
        is_it.then_some(path)
    })
}

fn named_in(list: &str, separator: char) -> BTreeSet<Controller> {
    list.trim()
        .split(separator)
        .filter_map(Controller::named)
        .collect()
}

// === impl Hierarchy ===

impl Hierarchy {
    /// What can be limited there.
    pub(super) fn controllers(&self) -> impl Iterator<Item = Controller> {
        self.controllers.iter().copied()
    }

    /// Has the kernel pass these on to the groups in the parent, where it does not do so yet.
    pub(super) fn pass_on(&self, wanted: &BTreeMap<Controller, u64>) -> Result<(), CgroupError> {
        if self.version == Version::One {
            return Ok(());
        }
        let path = self.parent.join("cgroup.subtree_control");
        let passed = fs::read_to_string(&path).unwrap_or_default();
        let passed = named_in(&passed, ' ');
        for controller in wanted.keys().filter(|one| !passed.contains(one)) {
            let value = format!("+{}", controller.name());
            fs::write(&path, &value).map_err(|source| CgroupError::Limit {
                path: path.clone(),
                value,
                source,
            })?;
        }
        Ok(())
    }
}

// === impl Mounted ===

impl Mounted {
    /// Reads a line of `mountinfo`; `None` if it is about something else.
    fn parse(line: &str, groups: &str, root: &Path) -> Option<Self> {
        let (mount, kind) = line.split_once(" - ")?;
        let mut mount = mount.split(' ').skip(3);
        let (shown, point) = (mount.next()?, mount.next()?);
        let mut kind = kind.split(' ');
        let version = match kind.next()? {
            "cgroup" => Version::One,
            "cgroup2" => Version::Two,
            _ => return None,
        };
        let options = kind.nth(1).unwrap_or_default();
        let point = root.join(point.trim_start_matches('/'));
        let group = Path::new(own_group(groups, version, options)?);
        // A container may see only a part of the hierarchy.
        let own = group.strip_prefix(shown).ok()?;
        let controllers = match version {
            Version::One => named_in(options, ','),
            Version::Two => named_in(
                &fs::read_to_string(point.join("cgroup.controllers")).ok()?,
                ' ',
            ),
        };
        let known = |one: &Self| !one.controllers.is_empty();
        let own = point.join(own);
        Some(Self {
            version,
            point,
            own,
            controllers,
        })
        .filter(known)
    }

    fn place(&self) -> Result<Option<Hierarchy>, CgroupError> {
        let place = match self.version {
            Version::One => {
                may_change(&self.own)?;
                Some(self.hierarchy(&self.own, self.controllers.clone()))
            }
            Version::Two => self.place_above()?,
        };
        Ok(place)
    }

    /// The nearest group that passes the most on. A group that has processes of its own passes nothing on, so it is rarely
    /// the one that we are in.
    fn place_above(&self) -> Result<Option<Hierarchy>, CgroupError> {
        let above = self
            .own
            .ancestors()
            .take_while(|path| path.starts_with(&self.point));
        let mut closed = None;
        let mut best: Option<Hierarchy> = None;
        for group in above {
            if let Err(error) = may_change(group) {
                closed.get_or_insert(error);
                continue;
            }
            let place = self.hierarchy(group, self.passed_on(group));
            let better = |best: &Hierarchy| place.controllers.len() > best.controllers.len();
            if best.as_ref().is_none_or(better) {
                best = Some(place);
            }
        }
        match (best.filter(|best| !best.controllers.is_empty()), closed) {
            (None, Some(error)) => Err(error),
            (best, _) => Ok(best),
        }
    }

    fn hierarchy(&self, parent: &Path, controllers: BTreeSet<Controller>) -> Hierarchy {
        Hierarchy {
            version: self.version,
            parent: parent.to_owned(),
            controllers,
        }
    }

    /// What the groups in this one have, or could have.
    fn passed_on(&self, group: &Path) -> BTreeSet<Controller> {
        let list = |name: &str| fs::read_to_string(group.join(name)).unwrap_or_default();
        let empty_or_first =
            list("cgroup.procs").trim().is_empty() || !group.join("cgroup.type").exists();
        let could_be = access(group.join("cgroup.subtree_control"), Access::WRITE_OK).is_ok();
        let from = if empty_or_first && could_be {
            "cgroup.controllers"
        } else {
            "cgroup.subtree_control"
        };
        let known = named_in(&list(from), ' ');
        known.intersection(&self.controllers).copied().collect()
    }
}

/// Whether we may make groups in this one and move processes into them.
fn may_change(group: &Path) -> Result<(), CgroupError> {
    let procs = group.join("cgroup.procs");
    for path in [group, &procs] {
        access(path, Access::WRITE_OK).map_err(|error| CgroupError::Closed {
            path: path.to_owned(),
            source: io::Error::from(error),
        })?;
    }
    Ok(())
}
