//! Who a process is, and whom it can reach.

use super::kept::{Container, every_guard, nobodys_guard, own_guard};
use super::machine::is_root;
use pillion_runtime::guard::{Guard, Order};

#[test]
fn the_process_and_its_hooks_are_who_they_should_be() {
    if !is_root() {
        return assert_somebody_else_is_refused(&own_guard());
    }
    let guard = own_guard();
    let mut container = Container::shell("id -u; id -g; id -G; exec sleep 1000");
    container.stage.user = Some(1234);
    container.stage.group = Some(2345);
    container.stage.groups = vec![3456];
    let mut kept = container.start(&guard);
    kept.started();

    assert_eq!(
        [kept.line(), kept.line(), kept.line()],
        ["1234", "2345", "2345 3456"]
    );
    assert_eq!(
        kept.exec("id -u; id -g; id -G").0,
        "1234\n2345\n2345 3456\n"
    );

    kept.keeper.send(&Order::Kill, &[]).unwrap();
    kept.finish();
}

fn assert_somebody_else_is_refused(guard: &Guard) {
    let mut container = Container::shell("true");
    container.stage.user = Some(1234);

    let (_, message, hint) = container.refused(guard);

    assert!(message.contains("cannot run as user 1234"), "{message}");
    assert!(hint.unwrap().contains("run pillion as root"));
}

#[test]
fn only_root_becomes_somebody_else() {
    let (guard, _program) = nobodys_guard();

    assert_somebody_else_is_refused(&guard);
}

#[test]
fn to_be_who_one_is_needs_no_rights() {
    let (guard, _program) = nobodys_guard();
    let (user, group) = if is_root() {
        (65534, 65534)
    } else {
        let group = rustix::process::getegid();
        (rustix::process::geteuid().as_raw(), group.as_raw())
    };
    let mut container = Container::shell("id -u");
    container.stage.user = Some(user);
    container.stage.group = Some(group);
    container.stage.groups = vec![group];

    assert_eq!(container.says(&guard), format!("{user}\n"));
}

#[test]
fn no_program_gives_rights_where_none_may_be_gained() {
    for (guard, _program) in every_guard() {
        let mut container = Container::shell("grep NoNewPrivs: /proc/self/status");
        let own = std::fs::read_to_string("/proc/self/status").unwrap();
        let said = container.clone().says(&guard);
        assert!(own.contains(&said), "it is as around it: {said}");

        container.stage.no_new_privileges = true;
        assert_eq!(container.says(&guard), "NoNewPrivs:\t1\n");
    }
}

#[test]
fn without_a_network_there_is_a_loopback_of_its_own() {
    for (guard, _program) in every_guard() {
        let script =
            "sed -n 's/^ *\\(.*\\):.*/\\1/p' /proc/net/dev; grep -c 127.0.0.1 /proc/net/fib_trie";
        let mut container = Container::shell(script);
        container.stage.no_network = true;

        let said = container.says(&guard);

        let mut lines = said.lines();
        assert_eq!(lines.next(), Some("lo"));
        let addresses: u32 = lines.next().unwrap().parse().unwrap();
        assert!(addresses > 0, "the loopback is up");
        assert_eq!(lines.next(), None, "there is nothing else");
    }
}
