//! What is accepted and what is not, side by side. The texts of findings are tested elsewhere.

mod contradiction;
mod keystone;
mod repetition;
mod rule;
mod start_time;
mod stop_time;

use crate::code::Code;
use crate::diagnostic::{Diagnostic, Severity};
use crate::load::load;
use crate::lower::LowerOptions;

/// The findings of a pod whose `spec` has these lines, with their severities.
fn findings(spec: &str) -> Vec<(Code, Severity)> {
    loaded(spec).iter().map(|d| (d.code, d.severity)).collect()
}

fn loaded(spec: &str) -> Vec<Diagnostic> {
    let indented: Vec<_> = spec
        .trim()
        .lines()
        .map(|line| format!("  {line}"))
        .collect();
    let head = "apiVersion: v1\nkind: Pod\nmetadata: {name: test}\nspec:\n";
    let text = head.to_owned() + &indented.join("\n");
    load("pod.yaml", text.as_bytes(), LowerOptions::default()).diagnostics
}

#[track_caller]
fn refused(spec: &str, code: Code) {
    assert_eq!(findings(spec), [(code, Severity::Error)], "{spec}");
}

#[track_caller]
fn warned(spec: &str, code: Code) {
    assert_eq!(findings(spec), [(code, Severity::Warning)], "{spec}");
}

#[track_caller]
fn accepted(spec: &str) {
    assert_eq!(findings(spec), [], "{spec}");
}

fn requires_b(edge: &str, b: &str, pod_policy: &str) -> String {
    format!(
        "
restartPolicy: {pod_policy}
containers:
- {{name: a, image: x, restartPolicy: Never, requires: [{{container: b, {edge}}}]}}
- {{name: b, image: x, {b}}}
"
    )
}

#[test]
fn a_condition_must_be_possible_under_the_policy_of_its_target() {
    for (edge, b, policy) in [
        ("until: exited", "provides: [b]", "Always"),
        ("until: succeeded", "provides: [b]", "Always"),
        ("until: succeeded", "backoff: {maxRestarts: 3}", "Always"),
        ("until: exited, need: order", "provides: [b]", "Always"),
        ("until: ready", "oneshot: true", "Always"),
        ("until: exited", "sidecar: true", "Never"),
    ] {
        refused(&requires_b(edge, b, policy), Code::NeverHolds);
    }
    for (edge, b, policy) in [
        ("until: exited", "provides: [b]", "OnFailure"),
        ("until: succeeded", "provides: [b]", "OnFailure"),
        ("until: succeeded", "provides: [b]", "Never"),
        ("until: succeeded", "oneshot: true", "Always"),
        ("until: exited", "oneshot: true", "Always"),
        ("until: started", "oneshot: true", "Always"),
        ("until: exited", "restartPolicy: Never", "Always"),
        (
            "until: exited",
            "sidecar: true, restartPolicy: Never",
            "Never",
        ),
    ] {
        accepted(&requires_b(edge, b, policy));
    }
}

/// `b` is always started again, but for its rules; `a` waits for its end.
fn waits_for_end_by_rules(until: &str, rules: &str) -> String {
    let b = format!("restartPolicy: Always, restartPolicyRules: [{rules}]");
    requires_b(&format!("until: {until}"), &b, "Always")
}

fn rule(operator: &str, code: u32, action: &str) -> String {
    format!("{{action: {action}, exitCodes: {{operator: {operator}, values: [{code}]}}}}")
}

#[test]
fn a_rule_ends_a_container_only_if_the_pod_goes_on_without_it() {
    let exited = |action| waits_for_end_by_rules("exited", &rule("In", 3, action));
    accepted(&exited("Ignore"));
    for action in [
        "Restart",
        "RestartAllContainers",
        "RestartPod",
        "FailPod",
        "CompletePod",
    ] {
        refused(&exited(action), Code::NeverHolds);
    }
}

#[test]
fn a_success_is_waited_for_only_where_a_rule_lets_it_stay() {
    let succeeded = |rules: &str| waits_for_end_by_rules("succeeded", rules);
    accepted(&succeeded(&rule("In", 0, "Ignore")));
    accepted(&succeeded(&rule("NotIn", 3, "Ignore")));
    for rules in [
        rule("In", 3, "Ignore"),
        rule("NotIn", 0, "Ignore"),
        rule("In", 0, "FailPod"),
        rule("In", 0, "CompletePod"),
        "{action: Ignore, signals: [SIGTERM]}".to_owned(),
        "{action: Ignore, oomKilled: true}".to_owned(),
        // The first that matches decides.
        rule("NotIn", 3, "Restart") + ", " + &rule("NotIn", 4, "Ignore"),
    ] {
        refused(&succeeded(&rules), Code::NeverHolds);
    }
}

#[test]
fn rules_can_keep_a_container_from_ending_whatever_its_policy() {
    let never = |rules: &str| {
        let b = format!("restartPolicy: Never, restartPolicyRules: [{rules}]");
        requires_b("until: exited", &b, "Never")
    };
    accepted(&never(&rule("NotIn", 0, "Restart")));
    let both = rule("NotIn", 0, "Restart") + ", " + &rule("In", 0, "RestartPod");
    refused(&never(&both), Code::NeverHolds);
}

#[test]
fn a_oneshot_that_has_succeeded_is_not_started_again_by_a_rule() {
    let oneshot = |action, more| {
        let rules = rule("In", 0, action);
        let b = format!("oneshot: true, restartPolicyRules: [{rules}]{more}");
        requires_b("until: succeeded", &b, "Never")
    };
    accepted(&oneshot("Restart", ""));
    accepted(&oneshot("RestartPod", ", rerun: never"));
    refused(&oneshot("RestartPod", ""), Code::NeverHolds);
}

#[test]
fn whoever_goes_down_with_a_success_has_succeeded() {
    let pod = |on_restart: &str| {
        format!(
            "
restartPolicy: Always
containers:
- {{name: a, image: x, requires: [{{container: b, until: succeeded}}]}}
- {{name: b, image: x, requires: [{{container: c, onRestart: {on_restart}}}]}}
- {{name: c, image: x, restartPolicy: OnFailure}}
"
        )
    };
    accepted(&pod("stop"));
    accepted(&pod("restart"));
    refused(&pod("keep"), Code::NeverHolds);
}

#[test]
fn a_wait_that_ends_by_itself_is_only_a_warning() {
    warned(
        &requires_b(
            "until: exited, need: soft, timeoutSeconds: 5",
            "provides: [b]",
            "Always",
        ),
        Code::NeverHolds,
    );
}

#[test]
fn a_keystone_must_be_able_to_end_in_its_way() {
    let keystone = |fields: &str| format!("containers: [{{name: a, image: x, {fields}}}]");
    for fields in [
        "keystone: any",
        "keystone: success, backoff: {maxRestarts: 3}",
        "keystone: failure, restartPolicy: OnFailure",
        "keystone: failure, oneshot: true",
    ] {
        refused(&keystone(fields), Code::KeystoneNeverEnds);
    }
    for fields in [
        "keystone: any, restartPolicy: OnFailure",
        "keystone: any, restartPolicy: Never",
        "keystone: any, oneshot: true",
        "keystone: any, backoff: {maxRestarts: 3}",
        "keystone: failure, backoff: {maxRestarts: 3}",
        "keystone: failure, restartPolicy: Never",
        "keystone: success, oneshot: true",
        "keystone: false",
    ] {
        accepted(&keystone(fields));
    }
    warned(
        &keystone("lifecycle: {onCompletion: TerminatePod}"),
        Code::KeystoneNeverEnds,
    );
}

#[test]
fn a_type_that_another_marker_contradicts_is_reported_and_waits_for_nobody() {
    for kind in ["Sidecar", "PreSidecar", "PostSidecar"] {
        refused(
            &format!(
                "
containers:
- {{name: app, image: x}}
- {{name: s, image: x, sidecar: false, lifecycle: {{type: {kind}}}}}
"
            ),
            Code::MarkersDisagree,
        );
    }
}

#[test]
fn a_sidecar_must_not_wait_for_the_last_main() {
    let spec = |mains: &str, requires: &str| {
        format!(
            "
restartPolicy: Never
containers:
{mains}
- {{name: s, image: x, sidecar: true, oneshot: true, requires: [{requires}]}}
"
        )
    };
    let two = "- {name: a, image: x}\n- {name: b, image: x}";
    let a = "{container: a, until: exited}";
    let b = "{container: b, until: exited}";
    accepted(&spec(two, a));
    let both = findings(&spec(two, &format!("{a}, {b}")));
    assert_eq!(both, [(Code::StartsAfterEnd, Severity::Error); 2]);

    // Through a barrier of phases, and through another sidecar.
    let phases =
        "- {name: a, image: x, phase: appInit, restartPolicy: Never}\n- {name: b, image: x}";
    refused(&spec(phases, b), Code::StartsAfterEnd);
    let through = "
restartPolicy: Never
containers:
- {name: a, image: x}
- {name: b, image: x}
- {name: t, image: x, sidecar: true, oneshot: true, requires: [{container: a, until: exited}]}
- {name: s, image: x, sidecar: true, oneshot: true, requires: [t, {container: b, until: exited}]}
";
    refused(through, Code::StartsAfterEnd);
}

#[test]
fn a_long_cycle_is_shown_by_its_ends() {
    let entries = (0..20).map(|i| {
        let next = (i + 1) % 20;
        format!("  - {{name: c{i}, image: x, requires: [c{next}]}}\n")
    });
    let text = "apiVersion: v1\nkind: Pod\nmetadata: {name: test}\nspec:\n  containers:\n"
        .to_owned()
        + &entries.collect::<String>();
    let loaded = load("pod.yaml", text.as_bytes(), LowerOptions::default());
    let cycle = &loaded.diagnostics[0];
    assert_eq!(
        cycle.message,
        "containers wait for each other: `c0` → `c1` → `c2` → `c3` → … 15 more … → `c19` → `c0`"
    );
    assert_eq!(cycle.labels.len(), 8);
}

#[test]
fn a_main_may_wait_for_the_end_of_another() {
    accepted(&requires_b("until: exited", "provides: [b]", "Never"));
}

#[test]
fn waiting_for_a_keystone_is_refused_only_for_the_end_that_ends_the_pod() {
    for (edge, keystone) in [
        ("until: exited", "any"),
        ("until: succeeded", "any"),
        ("until: succeeded", "success"),
        ("until: exited, need: order", "any"),
    ] {
        let spec = requires_b(edge, &format!("keystone: {keystone}"), "Never");
        refused(&spec, Code::StartsAfterEnd);
    }
    for (edge, keystone) in [
        ("until: exited", "success"),
        ("until: succeeded", "failure"),
        ("until: exited", "failure"),
        ("until: ready", "any"),
    ] {
        accepted(&requires_b(edge, &format!("keystone: {keystone}"), "Never"));
    }
}

#[test]
fn waiting_for_the_end_of_the_pod_is_noted_if_it_can_go_on_without() {
    for edge in [
        "until: exited, need: soft, timeoutSeconds: 9",
        "until: exited, need: order, timeoutSeconds: 9",
    ] {
        let spec = requires_b(edge, "keystone: any", "Never");
        let note = (Code::StartsAfterEnd, Severity::Note);
        assert_eq!(findings(&spec), [note], "{edge}");
    }
}

#[test]
fn a_sidecar_that_does_not_insist_on_the_last_main_is_told_too() {
    let spec = |policy: &str, edge: &str| {
        format!(
            "
restartPolicy: {policy}
containers:
- {{name: a, image: x, oneshot: true}}
- {{name: s, image: x, sidecar: true, requires: [{{container: a, {edge}}}]}}
"
        )
    };
    for edge in ["need: soft", "need: order", "need: soft, until: exited"] {
        refused(&spec("Never", edge), Code::StartsAfterEnd);
    }
    for (policy, edge) in [
        ("Never", "need: soft, timeoutSeconds: 5"),
        ("Never", "need: order, timeoutSeconds: 5"),
        ("OnFailure", "need: soft"),
    ] {
        let note = (Code::StartsAfterEnd, Severity::Note);
        assert_eq!(findings(&spec(policy, edge)), [note], "{edge}");
    }
    accepted(&spec("Never", "need: soft, until: started"));
}

#[test]
fn what_is_ignored_may_insist_on_what_is_ignored() {
    accepted(
        "
containers:
- {name: app, image: x, stopTimeoutSeconds: 1}
- {name: a, image: x, sidecar: true, onGiveUp: ignore, requires: [b]}
- {name: b, image: x, sidecar: true, onGiveUp: ignore}
",
    );
}

#[test]
fn stop_times_that_fit_are_accepted() {
    let spec = |app: u32, cache: u32| {
        format!(
            "
terminationGracePeriodSeconds: 30
containers:
- {{name: app, image: x, stopTimeoutSeconds: {app}, requires: [cache]}}
- {{name: cache, image: x, stopTimeoutSeconds: {cache}}}
"
        )
    };
    accepted(&spec(25, 5));
    warned(&spec(25, 6), Code::CutShort);
    warned(&spec(5, 31), Code::BeyondGrace);
}

#[test]
fn of_many_that_are_cut_short_the_first_are_shown() {
    let caches = (0..20)
        .map(|i| format!("  - {{name: c{i}, image: x, sidecar: true, stopTimeoutSeconds: 20}}\n"));
    let text = "apiVersion: v1\nkind: Pod\nmetadata: {name: test}\nspec:\n  containers:\n  - {name: app, image: x, stopTimeoutSeconds: 20}\n"
        .to_owned()
        + &caches.collect::<String>();
    let loaded = load("pod.yaml", text.as_bytes(), LowerOptions::default());
    let finding = &loaded.diagnostics[0];
    assert_eq!(
        finding.message,
        "a grace period of 30 s may cut `c0`, `c1`, `c2`, `c3` and 16 more short"
    );
    assert_eq!(finding.labels.len(), 4);
}

#[test]
fn a_plain_pod_is_never_told_about_its_grace_period() {
    accepted(
        "
initContainers:
- {name: r, image: x, restartPolicy: Always, lifecycle: {preStop: {sleep: {seconds: 20}}}}
containers: [{name: m, image: x}]
",
    );
}

#[test]
fn each_knot_is_reported_once() {
    let spec = "
containers:
- {name: a, image: x, requires: [b, c]}
- {name: b, image: x, requires: [a]}
- {name: c, image: x, requires: [a]}
- {name: d, image: x, requires: [e]}
- {name: e, image: x, requires: [d]}
- {name: f, image: x, requires: [a, d]}
";
    assert_eq!(findings(spec), [(Code::Cycle, Severity::Error); 2]);
}

/// A pod in which `proxy` is stopped after `app`, which takes up to 9 of 10 seconds.
fn stopped_last(proxy: &str) -> String {
    format!(
        "
terminationGracePeriodSeconds: 10
containers:
- {{name: app, image: x, stopTimeoutSeconds: 9, requires: [proxy]}}
- {{name: proxy, image: x, sidecar: true, {proxy}}}
"
    )
}

#[test]
fn the_last_moment_counts_for_signals_and_not_for_hooks() {
    accepted(&stopped_last("stopTimeoutSeconds: 2"));
    warned(&stopped_last("stopTimeoutSeconds: 3"), Code::CutShort);
    let sleep = |seconds| format!("lifecycle: {{preStop: {{sleep: {{seconds: {seconds}}}}}}}");
    accepted(&stopped_last(&sleep(1)));
    warned(&stopped_last(&sleep(2)), Code::CutShort);
}

#[test]
fn a_grace_period_of_nothing_counts_as_a_second() {
    let pod = |seconds| {
        format!(
            "
terminationGracePeriodSeconds: 0
containers: [{{name: app, image: x, stopTimeoutSeconds: {seconds}}}]
"
        )
    };
    accepted(&pod(2));
    warned(&pod(3), Code::BeyondGrace);
}

#[test]
fn a_pod_as_a_whole_has_at_least_what_its_containers_have() {
    let pod = |pod: &str, a: &str, b: &str| {
        format!(
            "
resources: {{{pod}}}
containers:
- {{name: a, image: x, resources: {{{a}}}}}
- {{name: b, image: x, resources: {{{b}}}}}
"
        )
    };
    let one = "requests: {cpu: 1}";
    accepted(&pod("requests: {cpu: 2}", one, one));
    accepted(&pod("limits: {cpu: 2}", one, one));
    accepted(&pod("limits: {cpu: 2}", "limits: {cpu: 2}", ""));
    accepted(&pod(
        "limits: {cpu: 3}, requests: {cpu: 2}",
        "limits: {cpu: 2}, requests: {cpu: 1}",
        one,
    ));
    for refusal in [
        pod("requests: {cpu: 1500m}", one, one),
        pod("limits: {cpu: 1500m}", one, one),
        pod("limits: {cpu: 1}, requests: {cpu: 2}", "", ""),
        pod(
            "limits: {cpu: 1}, requests: {cpu: 1}",
            "limits: {cpu: 2}, requests: {cpu: 1}",
            "",
        ),
        pod("requests: {cpu: -1}", "", ""),
        pod("requests: {cpu: 1, hugepages-2Mi: 2Mi}", "", ""),
    ] {
        refused(&refusal, Code::OutOfRange);
    }
    for refusal in [
        pod("requests: {ephemeral-storage: 1Gi}", "", ""),
        pod("claims: [{name: gpu}]", "", ""),
    ] {
        refused(&refusal, Code::NotAllowedHere);
    }
}

#[test]
fn a_port_by_name_must_be_one_of_the_container() {
    let pod = |lines: &str| {
        format!(
            "
containers:
- {{name: app, image: x, ports: [{{name: http, containerPort: 80}}], {lines}}}
- {{name: other, image: x, ports: [{{name: admin, containerPort: 81}}]}}
"
        )
    };
    accepted(&pod("readinessProbe: {httpGet: {port: http}}"));
    accepted(&pod("readinessProbe: {tcpSocket: {port: 99}}"));
    for lines in [
        "readinessProbe: {httpGet: {port: htpp}}",
        "livenessProbe: {tcpSocket: {port: admin}}",
        "lifecycle: {postStart: {httpGet: {port: admin}}}",
    ] {
        warned(&pod(lines), Code::UnknownPort);
    }
}

#[test]
fn a_oneshot_has_no_use_for_a_readiness_probe() {
    warned(
        "
containers:
- {name: app, image: x}
- {name: job, image: x, oneshot: true, readinessProbe: {exec: {command: [x]}}}
",
        Code::SettingWithoutEffect,
    );
}

#[test]
fn a_pod_knows_which_codes_are_reported_about_it() {
    let reports = |proxy: &str| {
        let text = format!(
            "
apiVersion: v1
kind: Pod
metadata: {{name: test}}
spec:
  containers:
  - {{name: app, image: x, requires: [proxy]}}
  - {{name: proxy, image: x, sidecar: true, {proxy}}}
"
        );
        let loaded = load("pod.yaml", text.as_bytes(), LowerOptions::default());
        loaded.pods[0].reports(Code::CutShort)
    };
    assert!(reports("stopTimeoutSeconds: 5"));
    assert!(!reports("provides: [proxy]"), "it asks for no time");
}

#[test]
fn a_container_without_a_name_is_called_by_its_place() {
    let found = loaded("containers: [{name: a, image: x}, {image: x, keystone: any}]");
    let told = found.iter().map(|d| d.message.as_str());
    let told: Vec<_> = told.filter(|text| text.starts_with("keystone")).collect();
    assert_eq!(told, ["keystone `containers[1]` never ends"]);
}

#[test]
fn a_hook_must_not_sleep_longer_than_its_container_has() {
    let pod = |seconds: u32| {
        format!(
            "containers: [{{name: a, image: x, stopTimeoutSeconds: 5, lifecycle: {{preStop: {{sleep: {{seconds: {seconds}}}}}}}}}]"
        )
    };
    accepted(&pod(5));
    warned(&pod(6), Code::CutShort);
}
