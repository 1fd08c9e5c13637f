//! Which fields of a container differ, by the names that a file has for them.

use crate::container::Container;
use crate::hook::Lifecycle;
use crate::pillion::PillionFields;

/// The fields in which two containers differ, by name.
pub fn fields(old: &Container, new: &Container) -> Vec<&'static str> {
    let Container {
        name: _,
        image,
        image_pull_policy,
        command,
        args,
        working_dir,
        ports,
        env,
        env_from,
        resources,
        volume_mounts,
        volume_devices,
        liveness_probe,
        readiness_probe,
        startup_probe,
        lifecycle,
        termination_message_path,
        termination_message_policy,
        security_context,
        stdin,
        stdin_once,
        tty,
        restart_policy,
        restart_policy_rules,
        target_container_name,
        pillion,
    } = old;
    let message_path = *termination_message_path == new.termination_message_path;
    let message_policy = *termination_message_policy == new.termination_message_policy;
    let target = *target_container_name == new.target_container_name;
    let own = [
        ("args", *args == new.args),
        ("command", *command == new.command),
        ("env", *env == new.env),
        ("envFrom", *env_from == new.env_from),
        ("image", *image == new.image),
        (
            "imagePullPolicy",
            *image_pull_policy == new.image_pull_policy,
        ),
        ("livenessProbe", *liveness_probe == new.liveness_probe),
        ("ports", *ports == new.ports),
        ("readinessProbe", *readiness_probe == new.readiness_probe),
        ("resources", *resources == new.resources),
        ("restartPolicy", *restart_policy == new.restart_policy),
        (
            "restartPolicyRules",
            *restart_policy_rules == new.restart_policy_rules,
        ),
        ("securityContext", *security_context == new.security_context),
        ("startupProbe", *startup_probe == new.startup_probe),
        ("stdin", *stdin == new.stdin),
        ("stdinOnce", *stdin_once == new.stdin_once),
        ("targetContainerName", target),
        ("terminationMessagePath", message_path),
        ("terminationMessagePolicy", message_policy),
        ("tty", *tty == new.tty),
        ("volumeDevices", *volume_devices == new.volume_devices),
        ("volumeMounts", *volume_mounts == new.volume_mounts),
        ("workingDir", *working_dir == new.working_dir),
    ];
    let all = own
        .into_iter()
        .chain(of_lifecycle(lifecycle, &new.lifecycle));
    let all = all.chain(of_pillion(pillion, &new.pillion));
    let others = all.filter_map(|(name, same)| (!same).then_some(name));
    let mut others: Vec<_> = others.collect();
    others.sort_unstable();
    others
}

/// The name of each field, and whether both sides have the same there.
fn of_lifecycle(old: &Lifecycle, new: &Lifecycle) -> [(&'static str, bool); 6] {
    let Lifecycle {
        post_start,
        pre_stop,
        stop_signal,
        pod_stopping,
        kind,
        on_completion,
    } = old;
    [
        (
            "lifecycle.onCompletion",
            *on_completion == new.on_completion,
        ),
        ("lifecycle.podStopping", *pod_stopping == new.pod_stopping),
        ("lifecycle.postStart", *post_start == new.post_start),
        ("lifecycle.preStop", *pre_stop == new.pre_stop),
        ("lifecycle.stopSignal", *stop_signal == new.stop_signal),
        ("lifecycle.type", *kind == new.kind),
    ]
}

fn of_pillion(old: &PillionFields, new: &PillionFields) -> [(&'static str, bool); 16] {
    let PillionFields {
        requires,
        oneshot,
        undo,
        rerun,
        sidecar,
        keystone,
        backoff,
        on_give_up,
        provides,
        uses,
        network,
        phase,
        ready_on,
        start_timeout_seconds,
        stop_timeout_seconds,
        listen,
    } = old;
    [
        ("backoff", *backoff == new.backoff),
        ("keystone", *keystone == new.keystone),
        ("listen", *listen == new.listen),
        ("network", *network == new.network),
        ("onGiveUp", *on_give_up == new.on_give_up),
        ("oneshot", *oneshot == new.oneshot),
        ("phase", *phase == new.phase),
        ("provides", *provides == new.provides),
        ("readyOn", *ready_on == new.ready_on),
        ("requires", *requires == new.requires),
        ("rerun", *rerun == new.rerun),
        ("sidecar", *sidecar == new.sidecar),
        (
            "startTimeoutSeconds",
            *start_timeout_seconds == new.start_timeout_seconds,
        ),
        (
            "stopTimeoutSeconds",
            *stop_timeout_seconds == new.stop_timeout_seconds,
        ),
        ("undo", *undo == new.undo),
        ("uses", *uses == new.uses),
    ]
}
