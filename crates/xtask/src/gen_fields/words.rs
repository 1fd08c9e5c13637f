//! Which words a field takes, from the Go code that describes the types.

use std::collections::BTreeMap;

/// Words by type and field.
pub(super) struct Words(BTreeMap<(String, String), Vec<String>>);

// === impl Words ===

impl Words {
    /// Looks for the three kinds of lines that matter: where a type begins, where a field of it
    /// begins, and a list of words.
    pub(super) fn parse(source: &str) -> Self {
        let mut words = BTreeMap::new();
        let (mut name, mut field) = (String::new(), String::new());
        for line in source.lines() {
            if let Some(function) = line.strip_prefix("func schema_") {
                name = type_name(function).unwrap_or_default();
            } else if let Some(key) = line.strip_prefix("\t\t\t\t\t\"") {
                key.trim_end_matches("\": {").clone_into(&mut field);
            } else if let Some(list) = line.trim_start().strip_prefix("Enum:")
                && !name.is_empty()
            {
                words.insert((name.clone(), field.clone()), quoted(list));
            }
        }
        Self(words)
    }

    pub(super) fn of(&self, name: &str, field: &str) -> Option<&[String]> {
        self.0
            .get(&(name.to_owned(), field.to_owned()))
            .map(Vec::as_slice)
    }
}

/// The type of a function such as `k8sio_api_core_v1_Container(ref …`, if it is one of ours.
fn type_name(function: &str) -> Option<String> {
    let (path, _) = function.split_once('(')?;
    let groups = [
        "k8sio_api_core_v1_",
        "k8sio_api_apps_v1_",
        "k8sio_api_batch_v1_",
    ];
    groups
        .iter()
        .find_map(|group| path.strip_prefix(group))
        .map(str::to_owned)
}

fn quoted(list: &str) -> Vec<String> {
    list.split('"')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}
