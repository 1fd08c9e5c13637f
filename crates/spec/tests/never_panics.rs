//! Whatever the bytes, reading ends without a panic, and so do drawing, checking and showing.
//!
//! Input is made from seeds, so that a failure comes back: random bytes, and good files with
//! pieces added, taken out, doubled and exchanged.

use pillion_spec::render::Renderer;
use pillion_spec::report::Finding;
use pillion_spec::{LowerOptions, Span, load};
use std::path::Path;

/// A small generator of numbers (xorshift): the same seed, the same numbers.
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number below a limit.
    fn below(&mut self, limit: usize) -> usize {
        let limit = u64::try_from(limit.max(1)).expect("limits are small");
        usize::try_from(self.next() % limit).expect("below a small limit")
    }

    fn pick<'t, T>(&mut self, from: &'t [T]) -> &'t T {
        &from[self.below(from.len())]
    }
}

/// Pieces that mean something to somebody.
const PIECES: &[&str] = &[
    ": ",
    ":",
    "- ",
    "\n",
    "\n  ",
    "  ",
    "\t",
    "\"",
    "'",
    "#",
    " #",
    "[",
    "]",
    "{",
    "}",
    ",",
    "|\n",
    ">-\n",
    "&a ",
    "*a",
    "<<: *a",
    "!!int ",
    "!",
    "? ",
    "---\n",
    "...\n",
    "%YAML 1.1\n",
    "\\",
    "\\u0041",
    "~",
    "null",
    "yes",
    "0644",
    "1e999",
    "-1",
    "99999999999999999999",
    "1Gi",
    ".inf",
    "\0",
    "\u{1b}[31m",
    "\u{202e}",
    "ä",
    "😀",
    "\u{feff}",
    "\r\n",
    "requires",
    "containers",
    "lifecycle",
    "pillion.dev/lifecycle",
    "apiVersion: v1\n",
    "kind: Pod\n",
    "kind: List\nitems:\n",
    "{\"a\":",
    "\"\\ud83d\"",
    "name: app\n",
    "restartPolicy: Always\n",
];

/// Good files: the examples of the project, and what stands beside the findings.
fn good_files() -> Vec<Vec<u8>> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = [own.join("tests/findings"), own.join("../../examples")];
    let entries = folders.iter().flat_map(|folder| {
        let entries = std::fs::read_dir(folder).expect("the folder is part of the project");
        entries.map(|entry| entry.expect("the folder can be listed").path())
    });
    let mut paths: Vec<_> = entries
        .filter(|path| path.extension().is_some_and(|e| e == "yaml"))
        .collect();
    paths.sort();
    let mut files: Vec<_> = paths
        .iter()
        .map(|path| std::fs::read(path).expect("a file of the project"))
        .collect();
    files.push(ANNOTATED.as_bytes().to_vec());
    files.push(JSON.as_bytes().to_vec());
    files
}

const ANNOTATED: &str = r#"apiVersion: v1
kind: Pod
metadata:
  name: orders
  annotations:
    pillion.dev/lifecycle: "{\"containers\": {\"app\":\n  {\"requires\": [\"proxy\"], \"keystone\": true}}}"
spec:
  containers: [{name: proxy, image: x, sidecar: true}, {name: app, image: x}]
"#;

const JSON: &str = r#"{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec":
  {"containers": [{"name": "app", "image": "x", "env": [{"name": "A", "value": "\u00e4\ud83d\ude00"}]}]}}"#;

/// A file with a few accidents.
fn damaged(file: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = file.to_vec();
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len() + 1);
        let until = (at + random.below(12)).min(bytes.len());
        match random.below(5) {
            0 => drop(bytes.splice(at..at, random.pick(PIECES).bytes())),
            1 => drop(bytes.drain(at..until)),
            2 => {
                let copy = bytes[at..until].to_vec();
                let to = random.below(bytes.len() + 1);
                bytes.splice(to..to, copy);
            }
            3 => drop(bytes.splice(at..until, random.pick(PIECES).bytes())),
            _ => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = random.next().to_le_bytes()[0];
                }
            }
        }
    }
    bytes
}

/// Does everything that is done with a file, and looks at what must hold for any.
fn exercise(bytes: &[u8]) {
    let loaded = load("pod.yaml", bytes, LowerOptions::default());
    let length = loaded.source.text().len();
    for diagnostic in &loaded.diagnostics {
        for label in &diagnostic.labels {
            let Span { start, end } = label.span;
            assert!(start <= end && end as usize <= length, "{diagnostic:?}");
            let text = loaded.source.text();
            assert!(text.is_char_boundary(start as usize) && text.is_char_boundary(end as usize));
        }
    }
    for renderer in [Renderer::plain().width(20), Renderer::coloured()] {
        let text = renderer.render_all(&loaded.source, &loaded.diagnostics);
        let escapes = |c: char| c.is_control() && c != '\n' && c != '\u{1b}';
        assert!(!text.contains(escapes), "{text:?}");
    }
    let plain = Renderer::plain().render_all(&loaded.source, &loaded.diagnostics);
    assert!(!plain.contains('\u{1b}'), "{plain:?}");
    for diagnostic in &loaded.diagnostics {
        serde_json::to_string(&Finding::new(&loaded.source, diagnostic)).expect("plain data");
    }
}

#[test]
fn good_files_are_read_whole() {
    for file in good_files() {
        exercise(&file);
    }
}

#[test]
fn random_bytes_are_refused_in_peace() {
    for seed in 0..400 {
        let mut random = Random::new(seed);
        let length = random.below(400);
        let bytes: Vec<u8> = (0..length)
            .map(|_| random.next().to_le_bytes()[0])
            .collect();
        exercise(&bytes);
        let pieces: String = (0..random.below(60))
            .map(|_| *random.pick(PIECES))
            .collect();
        exercise(pieces.as_bytes());
    }
}

#[test]
fn damaged_files_are_read_or_refused() {
    let files = good_files();
    for seed in 0..1500 {
        let mut random = Random::new(seed);
        let file: &Vec<u8> = random.pick(&files);
        exercise(&damaged(file, &mut random));
    }
}

#[test]
fn a_file_cut_anywhere_is_read_or_refused() {
    for file in [ANNOTATED.as_bytes(), JSON.as_bytes()] {
        for end in 0..file.len() {
            exercise(&file[..end]);
        }
    }
}
