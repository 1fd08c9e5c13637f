//! The init list, native sidecars and plain containers.

use super::*;
use pillion_engine::pod::{Kind, OnGiveUp, RestartPolicy, Role};

#[test]
fn plain_containers_start_in_list_order_and_stop_in_none() {
    let edges = PodFixture::new([], [main("a"), main("b"), main("c")]).edges();

    assert_eq!(
        edges,
        "b: a attempted order start-only\n\
         c: b attempted order start-only\n"
    );
}

#[test]
fn init_containers_are_a_chain_that_all_regular_containers_wait_for() {
    let edges = PodFixture::new([init("i1"), init("i2")], [main("a"), main("b")]).edges();

    assert_eq!(
        edges,
        "i2: i1 succeeded\n\
         a: i2 succeeded\n\
         b: i2 succeeded, a attempted order start-only\n"
    );
}

#[test]
fn a_failed_init_container_still_holds_back_what_comes_after_the_next_sidecar() {
    let list = [init("i1"), sidecar("r1"), sidecar("r2"), init("i2")];
    let edges = PodFixture::new(list, [main("m")]).edges();

    assert_eq!(
        edges,
        "r1: i1 succeeded\n\
         r2: r1 started order, i1 succeeded\n\
         i2: r2 started order, i1 succeeded, [mains] stop-only\n\
         m: i2 succeeded, [mains] stop-only\n\
         [mains]: r1 stop-only, r2 stop-only\n"
    );
}

#[test]
fn native_sidecars_are_kept_up_and_init_containers_run_to_completion() {
    let pod = PodFixture::new([init("i"), sidecar("r")], [main("m")])
        .lower()
        .pod;
    let [i, r, m] = &pod.containers[..] else {
        panic!("three containers")
    };

    assert!(i.is_oneshot() && i.role == Role::Main && i.plain);
    assert_eq!(
        (r.kind, r.role, r.plain),
        (Kind::Service, Role::Sidecar, true)
    );
    assert_eq!(
        (r.restart.policy, r.on_give_up),
        (RestartPolicy::Always, OnGiveUp::Unready)
    );
    assert_eq!(
        (m.kind, m.role, m.on_give_up),
        (Kind::Service, Role::Main, OnGiveUp::FailPod)
    );
}
