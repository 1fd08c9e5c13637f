//! What of a cluster runs, and what to do where something does not.

use super::MEMBERS;
use super::member::Member;
use super::place::Places;
use anyhow::ensure;

/// One line of what is there.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Standing {
    /// A program of the cluster.
    pub name: &'static str,
    /// Its process, if it runs.
    pub pid: Option<i32>,
}

/// What runs and what does not.
pub fn standing(places: &Places) -> Vec<Standing> {
    let standing = MEMBERS.map(|name| {
        let member = Member::find(places, name).filter(|member| member.is_alive());
        let pid = member.map(Member::pid);
        Standing { name, pid }
    });
    standing.into()
}

/// Says what to do if that program does not run, before somebody else says it in other words.
pub(super) fn need(places: &Places, member: &str) -> anyhow::Result<()> {
    let runs = Member::find(places, member).is_some_and(Member::is_alive);
    let name = places.name();
    ensure!(
        runs,
        "the cluster `{name}` is not up ({member} does not run): `cargo xtask cluster up --name {name}` starts it"
    );
    need_root()
}

/// Whether we may do what a cluster needs.
pub(super) fn need_root() -> anyhow::Result<()> {
    ensure!(
        rustix::process::geteuid().is_root(),
        "containers, network namespaces and control groups need root: run this as root, or leave the cluster out"
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_asks_a_cluster_that_is_not_up_is_told_how_to_start_it() {
        let places = Places::of("neverup").unwrap();
        let error = need(&places, "kube-apiserver").unwrap_err().to_string();
        assert_eq!(
            error,
            "the cluster `neverup` is not up (kube-apiserver does not run): \
             `cargo xtask cluster up --name neverup` starts it"
        );
    }
}
