//! Version 2 on a tree of plain files that stands in for the kernel's, because many machines, and build machines above all,
//! have only version 1 to write to. What plain files cannot show, such as the removal of a group, is shown on the real
//! ones of version 1, by the tests with real processes.

use super::*;
use crate::guard::cgroup::CgroupLimits;
use std::path::PathBuf;

/// A machine with one hierarchy, on which this process is in a scope of a user's slice.
struct Machine {
    root: PathBuf,
}

const SLICE: &str = "sys/fs/cgroup/user.slice";

impl Machine {
    fn new(test: &str) -> Self {
        let name = format!("pillion-cgroup-{test}-{}", std::process::id());
        let machine = Self {
            root: std::env::temp_dir().join(name),
        };
        let mount =
            "31 23 0:28 / /sys/fs/cgroup rw,relatime shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";
        machine.file("proc/self/mountinfo", mount);
        machine.file("proc/self/cgroup", "0::/user.slice/run.scope\n");
        for (group, passed) in [("sys/fs/cgroup", "cpu memory pids"), (SLICE, "memory pids")] {
            machine.file(
                &format!("{group}/cgroup.controllers"),
                "cpuset cpu io memory pids",
            );
            machine.file(&format!("{group}/cgroup.subtree_control"), passed);
            machine.file(&format!("{group}/cgroup.procs"), "");
        }
        machine.file(&format!("{SLICE}/cgroup.type"), "domain");
        let scope = format!("{SLICE}/run.scope");
        machine.file(&format!("{scope}/cgroup.controllers"), "memory pids");
        machine.file(&format!("{scope}/cgroup.subtree_control"), "");
        machine.file(&format!("{scope}/cgroup.type"), "domain");
        machine.file(&format!("{scope}/cgroup.procs"), "4711\n");
        machine
    }

    fn file(&self, path: &str, text: &str) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn text(&self, path: &str) -> String {
        fs::read_to_string(self.root.join(path)).unwrap()
    }

    fn make(&self, limits: CgroupLimits) -> Result<Group, CgroupError> {
        let name = "shop-app".to_owned();
        Group::make_in(&self.root, &Cgroup { name, limits })
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.root).unwrap();
    }
}

#[test]
fn limits_are_written_next_to_the_group_that_we_are_in() {
    let machine = Machine::new("limits");
    let limits = CgroupLimits {
        cpu_milli: Some(250),
        memory: Some(64 << 20),
        pids: Some(100),
    };

    let _group = machine.make(limits).unwrap();

    let text = |file: &str| machine.text(&format!("{SLICE}/shop-app/{file}"));
    assert_eq!(text("cpu.max"), "25000 100000");
    assert_eq!(text("memory.max"), "67108864");
    assert_eq!(text("memory.swap.max"), "0");
    assert_eq!(text("pids.max"), "100");
}

#[test]
fn a_controller_that_is_not_passed_on_yet_is_asked_for() {
    let machine = Machine::new("controller");
    let limits = CgroupLimits {
        cpu_milli: Some(1),
        ..CgroupLimits::default()
    };

    let _group = machine.make(limits).unwrap();

    let asked = machine.text(&format!("{SLICE}/cgroup.subtree_control"));
    assert_eq!(asked, "+cpu");
    let quota = machine.text(&format!("{SLICE}/shop-app/cpu.max"));
    assert_eq!(quota, "1000 100000", "the kernel takes no less than 1 ms");
}

#[test]
fn a_group_with_processes_of_its_own_passes_nothing_on() {
    let machine = Machine::new("processes");
    machine.file(&format!("{SLICE}/cgroup.procs"), "1\n");
    let limits = CgroupLimits {
        cpu_milli: Some(1000),
        ..CgroupLimits::default()
    };

    let _group = machine.make(limits).unwrap();

    let quota = machine.text("sys/fs/cgroup/shop-app/cpu.max");
    assert_eq!(quota, "100000 100000");
}

#[test]
fn whoever_joins_and_whoever_ran_out_of_memory_is_counted() {
    let machine = Machine::new("events");
    let limits = CgroupLimits {
        memory: Some(1 << 20),
        ..CgroupLimits::default()
    };
    let group = machine.make(limits).unwrap();
    assert_eq!(group.out_of_memory_kills(), 0);

    group.join().unwrap();
    let events = "low 0\nhigh 0\nmax 31\noom 2\noom_kill 3\noom_group_kill 1\n";
    machine.file(&format!("{SLICE}/shop-app/memory.events"), events);

    assert_eq!(machine.text(&format!("{SLICE}/shop-app/cgroup.procs")), "0");
    assert_eq!(group.out_of_memory_kills(), 3);
}

#[test]
fn a_machine_without_groups_says_so() {
    let machine = Machine::new("none");
    machine.file(
        "proc/self/mountinfo",
        "22 27 0:21 / /proc rw,relatime - proc proc rw\n",
    );

    let refused = machine.make(CgroupLimits::default()).unwrap_err();

    assert!(matches!(refused, CgroupError::None), "{refused}");
}

#[test]
fn a_part_of_a_hierarchy_that_a_container_sees_is_enough() {
    let machine = Machine::new("part");
    let mount = "31 23 0:28 /user.slice /sys/fs/cgroup/user.slice rw - cgroup2 cgroup2 rw\n";
    machine.file("proc/self/mountinfo", mount);
    let limits = CgroupLimits {
        pids: Some(7),
        ..CgroupLimits::default()
    };

    let _group = machine.make(limits).unwrap();

    assert_eq!(machine.text(&format!("{SLICE}/shop-app/pids.max")), "7");
}

#[test]
fn no_group_is_made_anywhere_else() {
    let machine = Machine::new("name");
    for name in ["", ".", "..", "a/b", "/a", "a/"] {
        let name = name.to_owned();
        let limits = CgroupLimits::default();
        let refused = Group::make_in(&machine.root, &Cgroup { name, limits }).unwrap_err();
        assert!(matches!(refused, CgroupError::Name { .. }), "{refused}");
    }
}
