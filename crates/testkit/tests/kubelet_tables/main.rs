//! The unit tables of the kubelet (Kubernetes 1.36.4, `pkg/kubelet`), played on the engine.
//!
//! What must follow is what the originals say, never what the engine does. Rows whose situation
//! cannot arise in an engine that owns its state are mapped to what it comes to here and say so;
//! the few that are about other things are left out, each with its reason. Every table prints one
//! line with its count: `cargo test -p pillion-testkit --test kubelet_tables -- --nocapture`.

mod actions;
mod back_off;
mod conditions;
mod driver;
mod phase;
mod plain;
mod probes;
mod restart_in_stop;
mod situation;
mod standing;
mod table;
mod termination_order;

use pillion_engine::status::ConditionKind;

#[test]
fn regular_containers_are_started_and_stopped_as_the_kubelet_does() {
    actions::regular::table().check(actions::play);
}

#[test]
fn init_containers_are_started_as_the_kubelet_does() {
    actions::init::table().check(actions::play);
}

#[test]
fn sidecars_are_started_and_stopped_as_the_kubelet_does() {
    actions::sidecar::table().check(actions::play);
}

#[test]
fn ephemeral_containers_are_started_as_the_kubelet_does() {
    actions::ephemeral::table().check(actions::play);
}

#[test]
fn a_containers_own_policy_goes_before_the_pods() {
    actions::container_policy::table().check(actions::play);
}

#[test]
fn all_containers_are_restarted_as_the_kubelet_does() {
    actions::restart_all::table().check(actions::play);
}

#[test]
fn the_phase_follows_from_regular_containers() {
    phase::regular::always().check(phase::play);
    phase::regular::never().check(phase::play);
    phase::regular::on_failure().check(phase::play);
}

#[test]
fn the_phase_follows_from_init_containers() {
    phase::init::always().check(phase::play);
    phase::init::never().check(phase::play);
    phase::init::own_policy().check(phase::play);
}

#[test]
fn the_phase_follows_from_sidecars() {
    phase::sidecar::always().check(phase::play);
    phase::sidecar::never().check(phase::play);
}

#[test]
fn the_phase_follows_from_what_has_run_in_this_sandbox() {
    phase::has_run::table().check(phase::play);
}

#[test]
fn the_phase_follows_from_a_containers_own_policy() {
    phase::container_policy::table().check(phase::play);
}

#[test]
fn the_phase_while_all_containers_are_restarted_is_the_kubelets() {
    phase::restart_all::table().check(phase::play);
}

#[test]
fn containers_stop_in_the_kubelets_order() {
    termination_order::table().check(termination_order::play);
}

#[test]
fn sidecars_are_tended_until_their_turn_to_stop() {
    restart_in_stop::table().check(restart_in_stop::play);
}

#[test]
fn restarts_back_off_as_the_kubelets_do() {
    back_off::crashes().check(back_off::play_crashes);
    back_off::settings().check(back_off::play_settings);
    back_off::keys().check(back_off::play_keys);
}

#[test]
fn pulls_back_off_as_the_kubelets_do() {
    back_off::pulls().check(back_off::play_pulls);
}

#[test]
fn readiness_is_shown_as_the_kubelet_does() {
    let of_containers = |situation: &_| conditions::play(situation, ConditionKind::ContainersReady);
    conditions::ready::containers_ready().check(of_containers);
    conditions::ready::ready().check(|situation| conditions::play(situation, ConditionKind::Ready));
}

#[test]
fn initialisation_is_shown_as_the_kubelet_does() {
    let initialized = |situation: &_| conditions::play(situation, ConditionKind::Initialized);
    conditions::initialized::table().check(initialized);
}

#[test]
fn the_sandbox_is_shown_as_the_kubelet_does() {
    let sandbox =
        |situation: &_| conditions::play(situation, ConditionKind::PodReadyToStartContainers);
    conditions::sandbox::table().check(sandbox);
}

#[test]
fn a_restart_of_all_containers_is_shown_as_the_kubelet_does() {
    let restarting =
        |situation: &_| conditions::play(situation, ConditionKind::AllContainersRestarting);
    conditions::restarting::table().check(restarting);
}

#[test]
fn probes_are_shown_as_the_kubelet_does() {
    probes::regular().check(probes::play);
    probes::init_list().check(probes::play);
}
