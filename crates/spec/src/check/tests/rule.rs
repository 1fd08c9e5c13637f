//! Restart rules that are never asked, and ones that are.

use super::{accepted, warned};
use crate::code::Code;

fn pod(rules: &str) -> String {
    format!(
        "containers: [{{name: a, image: x, restartPolicy: OnFailure, restartPolicyRules: [{rules}]}}]"
    )
}

fn codes(operator: &str, values: &str) -> String {
    format!("{{action: RestartPod, exitCodes: {{operator: {operator}, values: [{values}]}}}}")
}

const SIGNAL: &str = "{action: FailPod, signals: [SIGSEGV]}";
const OOM: &str = "{action: FailPod, oomKilled: true}";

#[test]
fn a_rule_for_no_exit_has_no_effect() {
    for rule in [
        codes("In", ""),
        codes("In", "256, -1"),
        "{action: FailPod, signals: []}".to_owned(),
    ] {
        warned(&pod(&rule), Code::SettingWithoutEffect);
    }
    accepted(&pod(&codes("In", "255")));
    accepted(&pod(&codes("NotIn", "")));
}

#[test]
fn a_rule_behind_others_for_the_same_exits_has_no_effect() {
    let all = codes("NotIn", "");
    for (first, second) in [
        (codes("In", "3, 4"), codes("In", "4")),
        (all.clone(), SIGNAL.to_owned()),
        (codes("NotIn", "0"), OOM.to_owned()),
        (codes("In", "139"), SIGNAL.to_owned()),
    ] {
        let both = format!("{first}, {second}");
        warned(&pod(&both), Code::SettingWithoutEffect);
    }
    for (first, second) in [
        (codes("In", "3, 4"), codes("In", "4, 5")),
        (SIGNAL.to_owned(), codes("In", "139")),
        (OOM.to_owned(), all),
    ] {
        accepted(&pod(&format!("{first}, {second}")));
    }
}

#[test]
fn a_first_pause_over_the_longest_has_no_effect() {
    let pod = |backoff: &str| format!("containers: [{{name: a, image: x, backoff: {backoff}}}]");
    warned(
        &pod("{initialSeconds: 20, maxSeconds: 5}"),
        Code::SettingWithoutEffect,
    );
    accepted(&pod("{initialSeconds: 5, maxSeconds: 5}"));
    accepted(&pod("{maxSeconds: 5}"));
}
