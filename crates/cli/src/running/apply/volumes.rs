//! The volumes of a new file: where they go, and which of them cannot be others while their containers run.
//!
//! A volume of files that are different now goes into a folder of its own. Whoever runs by the old definition keeps the
//! old files, also if it is put back; nobody sees a mixture.

use super::RUN_AGAIN;
use crate::control::apply::Problem;
use pillion_runtime::process::volume::{VolumeContent, VolumePlan};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Where volumes go that cannot be in the folder of their name.
pub(super) fn moved(wanted: &[VolumePlan], placed: &[VolumePlan]) -> BTreeMap<String, PathBuf> {
    let all = placed.iter().chain(wanted);
    let mut taken: BTreeSet<_> = all.map(|plan| plan.path.clone()).collect();
    let mut moved = BTreeMap::new();
    for plan in wanted.iter().filter(|plan| is_ours(plan)) {
        let there = placed.iter().any(|other| other.path == plan.path);
        let path = match placed.iter().find(|other| is_same(other, plan)) {
            Some(same) => same.path.clone(),
            None if there => free_path(&plan.path, &taken),
            None => plan.path.clone(),
        };
        taken.insert(path.clone());
        if path != plan.path {
            moved.insert(plan.name.clone(), path);
        }
    }
    moved
}

/// Volumes that would have to be others under containers that use them.
pub(super) fn refusals(
    old: &[VolumePlan],
    new: &[VolumePlan],
    users: impl Fn(&str) -> Vec<String>,
) -> Vec<Problem> {
    let both = new.iter().filter_map(|new| {
        let old = old.iter().find(|old| old.name == new.name)?;
        let same = is_same(old, new) && (is_ours(new) || old.path == new.path);
        (!same).then_some((old, new))
    });
    let refused = both.filter_map(|(old, new)| {
        let message = refusal(old, new, &users(&new.name))?;
        Some(Problem {
            container: None,
            fields: vec![format!("volumes.{}", new.name)],
            message,
            help: Some(RUN_AGAIN.to_owned()),
        })
    });
    refused.collect()
}

fn refusal(old: &VolumePlan, new: &VolumePlan, users: &[String]) -> Option<String> {
    let (first, more) = match users {
        [] => return None,
        [first, more @ ..] => (first, more),
    };
    match (&old.content, &new.content) {
        (VolumeContent::Files(_), VolumeContent::Files(_)) => None,
        (VolumeContent::Folder { .. }, _) => {
            Some(format!("what `{first}` has put there would be lost"))
        }
        (VolumeContent::Files(_) | VolumeContent::HostPath(_), VolumeContent::Folder { .. }) => {
            Some(format!("`{first}` would find nothing there"))
        }
        (VolumeContent::HostPath(_), VolumeContent::Files(_) | VolumeContent::HostPath(_))
        | (VolumeContent::Files(_), VolumeContent::HostPath(_)) => {
            let other = more.first()?;
            Some(format!("`{first}` and `{other}` share it"))
        }
    }
}

/// Whether it is made for the pod, and not a part of the machine.
fn is_ours(plan: &VolumePlan) -> bool {
    match plan.content {
        VolumeContent::Folder { .. } | VolumeContent::Files(_) => true,
        VolumeContent::HostPath(_) => false,
    }
}

/// Whether one can stand for the other, wherever they are.
fn is_same(old: &VolumePlan, new: &VolumePlan) -> bool {
    let VolumePlan {
        name,
        path: _,
        content,
        group,
    } = old;
    *name == new.name && *content == new.content && *group == new.group
}

/// No name of a volume has a dot, so that no other volume wants to be there.
fn free_path(path: &Path, taken: &BTreeSet<PathBuf>) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut paths = (2_u64..).map(|number| path.with_file_name(format!("{name}.{number}")));
    paths
        .find(|path| !taken.contains(path))
        .unwrap_or_else(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use pillion_runtime::process::volume::VolumeFile;
    use pillion_spec::volume::HostPathType;

    fn plan(name: &str, path: &str, content: VolumeContent) -> VolumePlan {
        VolumePlan {
            name: name.to_owned(),
            path: path.into(),
            content,
            group: None,
        }
    }

    fn files(text: &str) -> VolumeContent {
        VolumeContent::Files(vec![VolumeFile {
            path: "a".into(),
            mode: 0o644,
            content: text.into(),
        }])
    }

    fn folder(size_limit: Option<u64>) -> VolumeContent {
        VolumeContent::Folder {
            memory: false,
            size_limit,
        }
    }

    #[test]
    fn files_that_are_others_go_elsewhere_and_those_that_are_there_stay() {
        let placed = [
            plan("config", "/v/config", files("1")),
            plan("config", "/v/config.2", files("2")),
            plan("data", "/v/data", folder(None)),
        ];
        let wanted = |text: &str| {
            [
                plan("config", "/v/config", files(text)),
                plan("data", "/v/data", folder(None)),
                plan("new", "/v/new", files("x")),
            ]
        };
        let at = |path: &str| BTreeMap::from([("config".to_owned(), PathBuf::from(path))]);
        assert_eq!(moved(&wanted("1"), &placed), BTreeMap::new());
        assert_eq!(moved(&wanted("2"), &placed), at("/v/config.2"));
        assert_eq!(moved(&wanted("3"), &placed), at("/v/config.3"));
    }

    #[test]
    fn what_containers_share_or_have_written_cannot_be_exchanged_under_them() {
        let told = |old: VolumeContent, new: VolumeContent, users: &[&str]| {
            let (old, new) = ([plan("v", "/old", old)], [plan("v", "/new", new)]);
            let users: Vec<_> = users.iter().map(|&user| user.to_owned()).collect();
            let problems = refusals(&old, &new, |_| users.clone());
            let told = problems.into_iter().map(|problem| problem.message);
            told.collect::<Vec<_>>()
        };
        let nothing = [] as [&str; 0];
        let host = || VolumeContent::HostPath(HostPathType::Unset);
        assert_eq!(told(files("1"), files("2"), &["a", "b"]), nothing);
        assert_eq!(told(folder(None), folder(Some(1)), &[]), nothing);
        assert_eq!(
            told(folder(None), folder(Some(1)), &["a"]),
            ["what `a` has put there would be lost"]
        );
        assert_eq!(told(host(), host(), &["a"]), nothing);
        assert_eq!(told(host(), host(), &["a", "b"]), ["`a` and `b` share it"]);
        assert_eq!(
            told(files("1"), folder(None), &["a"]),
            ["`a` would find nothing there"]
        );
    }
}
