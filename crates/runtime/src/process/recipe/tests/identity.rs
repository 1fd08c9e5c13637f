//! Users and groups.

use super::fixture::Written;
use crate::process::recipe::Identity;
use crate::process::recipe::error::Problem;
use crate::process::recipe::identity::checked;
use insta::assert_snapshot;

fn pod(pod: &str, container: &str) -> Written {
    Written::new(&format!(
        "securityContext: {pod}\n  containers: [{{name: app, command: [x], securityContext: {container}}}]"
    ))
}

#[test]
fn the_container_comes_before_the_pod() {
    let pod = pod(
        "{runAsUser: 1, runAsGroup: 2, fsGroup: 3, supplementalGroups: [4, 5]}",
        "{runAsUser: 10}",
    );
    let expected = Identity {
        user: Some(10),
        group: Some(2),
        groups: vec![3, 4, 5],
    };
    let pod = pod.on(|host| host.user = 0);
    assert_eq!(pod.recipe().identity, expected);
}

#[test]
fn whoever_is_not_root_can_be_nobody_else() {
    let ours = pod(
        "{runAsUser: 1000, runAsGroup: 1000, supplementalGroups: [27]}",
        "{}",
    );
    assert_eq!(ours.recipe().identity.user, Some(1000));
    let others = pod("{runAsGroup: 27, fsGroup: 5}", "{runAsUser: 0}");
    assert_snapshot!(others.wrong(), @"
    spec.containers[0].securityContext: container `app` has the `runAsUser` 0, and only root can become somebody else: Pillion runs as user 1000
      help: run Pillion as root, or leave `runAsUser`, `runAsGroup`, `supplementalGroups` and `fsGroup` out
    spec.containers[0].securityContext: container `app` has the `runAsGroup` 27, and only root can become somebody else: Pillion runs as user 1000
      help: run Pillion as root, or leave `runAsUser`, `runAsGroup`, `supplementalGroups` and `fsGroup` out
    spec.containers[0].securityContext: container `app` has the `fsGroup` 5, and only root can become somebody else: Pillion runs as user 1000
      help: run Pillion as root, or leave `runAsUser`, `runAsGroup`, `supplementalGroups` and `fsGroup` out
    ");
}

#[test]
fn nothing_given_is_nothing_changed() {
    assert_eq!(pod("{}", "{}").recipe().identity, Identity::default());
}

#[test]
fn root_is_refused_where_it_is_forbidden() {
    let pod = pod("{runAsNonRoot: true}", "{runAsUser: 0}").on(|host| host.user = 0);
    assert_snapshot!(pod.wrong(), @"
    spec.containers[0].securityContext: container `app` breaks non-root policy: its `runAsUser` is 0
      help: give another `runAsUser`, or remove `runAsNonRoot`
    ");
}

#[test]
fn root_by_inheritance_is_refused_too() {
    let pod = pod("{runAsNonRoot: true}", "{}");
    assert_eq!(pod.recipe().identity, Identity::default());
    assert_snapshot!(pod.on(|host| host.user = 0).wrong(), @"
    spec.containers[0].securityContext: container `app` has `runAsNonRoot` and will run as root, as Pillion itself does
      help: add `runAsUser`, for example `runAsUser: 65534`, or start Pillion as another user
    ");
}

#[test]
fn a_container_can_allow_root_that_the_pod_forbids() {
    let pod = pod(
        "{runAsNonRoot: true}",
        "{runAsUser: 0, runAsNonRoot: false}",
    );
    let pod = pod.on(|host| host.user = 0);
    assert_eq!(pod.recipe().identity.user, Some(0));
}

#[test]
fn numbers_that_are_no_ids_are_refused() {
    assert_eq!(checked("runAsUser", 2_147_483_647), Ok(2_147_483_647));
    for id in [-1, 2_147_483_648, i64::MAX] {
        let field = "runAsUser";
        assert_eq!(checked(field, id), Err(Problem::BadId { field, id }));
    }
}
