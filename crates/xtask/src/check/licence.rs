//! Everything we build on may be given away under our own terms.

use super::Findings;
use super::metadata::{Metadata, Package};

/// Licences that ask for nothing but their own text and a name.
const ALLOWED: [&str; 10] = [
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "MIT",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

pub(super) fn check(metadata: &Metadata) -> Findings {
    let packages: Vec<_> = metadata
        .packages
        .values()
        .filter(|p| !p.is_member)
        .collect();
    Findings {
        errors: packages
            .iter()
            .filter_map(|package| wrong(package))
            .collect(),
        looked_at: format!("{} packages that we depend on", packages.len()),
        ..Findings::default()
    }
}

fn wrong(package: &Package) -> Option<String> {
    let Package {
        name,
        version,
        license,
        ..
    } = package;
    match license {
        Some(license) if is_allowed(license) => None,
        Some(license) => Some(format!("{name} {version} is under `{license}`")),
        None => Some(format!("{name} {version} names no licence")),
    }
}

/// Whether one may choose among the licences so that all that remain are allowed.
fn is_allowed(expression: &str) -> bool {
    // Old manifests write a slash where they mean a choice.
    let expression = expression
        .replace('/', " OR ")
        .replace('(', " ( ")
        .replace(')', " ) ");
    let words: Vec<_> = expression.split_whitespace().collect();
    let mut words = words.as_slice();
    either(&mut words) == Some(true) && words.is_empty()
}

fn either(words: &mut &[&str]) -> Option<bool> {
    let mut holds = all(words)?;
    while let ["OR", rest @ ..] = words {
        *words = rest;
        holds |= all(words)?;
    }
    Some(holds)
}

fn all(words: &mut &[&str]) -> Option<bool> {
    let mut holds = one(words)?;
    while let ["AND", rest @ ..] = words {
        *words = rest;
        holds &= one(words)?;
    }
    Some(holds)
}

fn one(words: &mut &[&str]) -> Option<bool> {
    match words {
        ["(", rest @ ..] => {
            *words = rest;
            let holds = either(words)?;
            *words = words.strip_prefix(&[")"])?;
            Some(holds)
        }
        [name, "WITH", exception, rest @ ..] => {
            *words = rest;
            Some(ALLOWED.contains(&format!("{name} WITH {exception}").as_str()))
        }
        [name, rest @ ..] => {
            *words = rest;
            Some(ALLOWED.contains(name))
        }
        [] => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_needs_one_allowed_licence_and_a_sum_needs_all() {
        let allowed = [
            "MIT",
            "GPL-3.0 OR MIT",
            "MIT/Apache-2.0",
            "(MIT OR GPL-2.0) AND Unicode-3.0",
        ];
        let refused = [
            "GPL-3.0",
            "MIT AND GPL-2.0",
            "",
            "MIT OR",
            "(MIT",
            "MIT) OR MIT",
        ];

        assert_eq!(allowed.map(is_allowed), [true; 4]);
        assert_eq!(refused.map(is_allowed), [false; 6]);
    }
}
