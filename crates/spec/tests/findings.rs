//! Every finding as people see it.
//!
//! Each file of `findings/` is a pod file with something wrong, named after the code it is an
//! example of; what is said about it stands beside it. A change of a text shows in the text.

use pillion_spec::render::Renderer;
use pillion_spec::{Code, LowerOptions, load};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/findings")
}

/// The examples: their names without the ending, and their bytes.
fn examples() -> Vec<(String, Vec<u8>)> {
    let mut examples = files();
    examples.extend(made_up());
    examples.sort();
    examples
}

fn files() -> Vec<(String, Vec<u8>)> {
    let entries = std::fs::read_dir(folder()).expect("the folder is part of the crate");
    let paths = entries.map(|entry| entry.expect("the folder can be listed").path());
    paths.filter_map(|path| example(&path)).collect()
}

/// Files that would be a nuisance to keep: large, binary or empty ones.
fn made_up() -> Vec<(String, Vec<u8>)> {
    let large = vec![b'#'; 4 << 20];
    let nested = "[".repeat(200) + &"]".repeat(200);
    let bomb = (1..10).fold("a0: &a0 [x, x, x, x, x, x]\n".to_owned(), |text, level| {
        let alias = format!("*a{}", level - 1);
        let list = [alias.as_str(); 6].join(", ");
        text + &format!("a{level}: &a{level} [{list}]\n")
    });
    let typos: Vec<_> = (0..1200).map(|i| format!("      x{i}: 1")).collect();
    let typos = typos.join("\n");
    let wrong = format!("{POD}  containers:\n    - name: app\n      image: shop/app:7\n{typos}");
    let examples = [
        ("L0002-large", large),
        ("L0003-binary", b"kind: Pod\nname: \xff\n".to_vec()),
        ("L0004-empty", b"\n".to_vec()),
        ("L0006-aliases", bomb.into_bytes()),
        ("L0007-nested", nested.into_bytes()),
        ("L0017-many", wrong.into_bytes()),
    ];
    examples
        .map(|(name, bytes)| (name.to_owned(), bytes))
        .into()
}

const POD: &str = "apiVersion: v1\nkind: Pod\nmetadata: {name: orders}\nspec:\n";

fn example(path: &Path) -> Option<(String, Vec<u8>)> {
    let name = path.file_name()?.to_str()?.strip_suffix(".yaml")?;
    Some((
        name.to_owned(),
        std::fs::read(path).expect("an example can be read"),
    ))
}

#[test]
fn every_finding_reads_as_it_stands_beside_its_example() {
    for (name, bytes) in files() {
        let loaded = load("pod.yaml", &bytes, LowerOptions::default());
        let text = Renderer::plain().render_all(&loaded.source, &loaded.diagnostics);
        insta::with_settings!({
            snapshot_path => folder(),
            prepend_module_to_snapshot => false,
            omit_expression => true,
        }, {
            insta::assert_snapshot!(name, text);
        });
    }
}

#[test]
fn an_example_is_about_the_code_in_its_name() {
    for (name, bytes) in examples() {
        let loaded = load("pod.yaml", &bytes, LowerOptions::default());
        let (code, _) = name
            .split_once('-')
            .expect("a code, a dash, what it is about");
        let found: BTreeSet<_> = loaded.diagnostics.iter().map(|d| d.code.id()).collect();
        assert!(found.contains(code), "{name}: {found:?}");
    }
}

#[test]
fn every_code_has_an_example() {
    let examples = examples();
    // Those of conversion have theirs where it is tested: in the command's own tests.
    let of_pod_files = Code::ALL
        .iter()
        .filter(|code| !code.id().starts_with("L06"));
    let missing =
        of_pod_files.filter(|code| !examples.iter().any(|(name, _)| name.starts_with(code.id())));
    assert_eq!(missing.collect::<Vec<_>>(), Vec::<&Code>::new());
}
