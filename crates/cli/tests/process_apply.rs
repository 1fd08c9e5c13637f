//! Other files for pods that really run.

#[path = "../../runtime/tests/support/machine.rs"]
#[expect(dead_code, reason = "other tests need more of it")]
mod machine;
#[path = "support/place.rs"]
#[expect(dead_code, reason = "other tests need more of it")]
mod place;
#[path = "support/started.rs"]
#[expect(dead_code, reason = "other tests need more of it")]
mod started;

#[path = "process_apply/ambassador.rs"]
mod ambassador;
#[path = "process_apply/changes.rs"]
mod changes;
#[path = "process_apply/refusals.rs"]
mod refusals;
#[path = "support/user.rs"]
mod user;

use place::Place;
use std::collections::BTreeMap;

const READY: &str = r#""podReady""#;

#[test]
fn the_same_holds_for_a_user_who_is_not_root() {
    user::try_again(&["ambassador::", "changes::", "refusals::"]);
}

/// The numbers of the processes of a pod's containers.
fn pids(place: &Place, pod: &str) -> BTreeMap<String, i64> {
    let (out, error, _) = place.says(&["ps", pod, "--json"]);
    let look: serde_json::Value = serde_json::from_str(&out).expect(&error);
    let containers = look["containers"].as_array().expect("it is a list");
    let pids = containers.iter().filter_map(|one| {
        let name = one["name"].as_str()?.to_owned();
        Some((name, one["pid"].as_i64()?))
    });
    pids.collect()
}

/// The text with every length of time as `T`.
fn timeless(text: &str) -> String {
    let mut words: Vec<_> = text.split_inclusive(' ').map(str::to_owned).collect();
    for index in 1..words.len() {
        let number = words[index - 1].trim().parse::<f64>().is_ok();
        let unit = ["ms", "min", "s"]
            .iter()
            .find_map(|unit| words[index].strip_prefix(unit));
        if let (true, Some(rest)) = (number, unit) {
            words[index] = format!("T{rest}");
            words[index - 1].clear();
        }
    }
    words.concat()
}
