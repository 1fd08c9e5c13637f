//! The fuzz targets on stable: over the corpus, and over seeded random input.

use pillion_testkit::fuzz;
use std::fs;
use std::path::{Path, PathBuf};

/// A small generator with a fixed seed: a failure can be seen again.
struct Random(u64);

impl Random {
    fn byte(&mut self) -> u8 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.to_le_bytes()[3]
    }

    fn bytes(&mut self, length: usize) -> Vec<u8> {
        (0..length).map(|_| self.byte()).collect()
    }

    fn below(&mut self, limit: usize) -> usize {
        (usize::from(self.byte()) << 8 | usize::from(self.byte())) % limit.max(1)
    }
}

fn project(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(folder)
}

fn files(folder: &str) -> Vec<Vec<u8>> {
    let listed = fs::read_dir(project(folder)).expect("the folder is there");
    let mut paths: Vec<_> = listed
        .map(|entry| entry.expect("it can be listed").path())
        .collect();
    paths.sort();
    assert!(!paths.is_empty(), "{folder} holds nothing");
    paths
        .iter()
        .map(|path| fs::read(path).expect("it can be read"))
        .collect()
}

/// Makes a few changes that keep most of a text as it was.
fn damage(text: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..=random.below(4) {
        let at = random.below(text.len());
        match random.below(5) {
            0 => text.truncate(at),
            1 => drop(text.drain(at..(at + random.below(40)).min(text.len()))),
            2 => {
                let piece: Vec<_> = text[at..].iter().copied().take(random.below(60)).collect();
                let to = random.below(text.len());
                text.splice(to..to, piece);
            }
            3 if !text.is_empty() => text[at] = b":-[]{}&*#'\" \n\t0a"[random.below(16)],
            _ if !text.is_empty() => text[at] = random.byte(),
            _ => {}
        }
    }
}

#[test]
fn no_file_of_the_corpus_makes_the_reader_panic() {
    for bytes in files("fuzz/corpus/pod_file") {
        fuzz::pod_file(&bytes);
    }
}

#[test]
fn no_damaged_example_makes_the_reader_panic() {
    let mut random = Random(0x0bad_5eed);
    let examples = files("examples");
    for round in 0..1_500 {
        let mut text = examples[round % examples.len()].clone();
        damage(&mut text, &mut random);
        fuzz::pod_file(&text);
    }
}

#[test]
fn no_noise_makes_the_reader_panic() {
    let mut random = Random(0x5eed);
    for length in 0..500 {
        fuzz::pod_file(&random.bytes(length));
    }
}

#[test]
fn no_sequence_of_the_corpus_breaks_the_engine() {
    for bytes in files("fuzz/corpus/events") {
        fuzz::events(&bytes);
    }
}

#[test]
fn no_random_sequence_breaks_the_engine() {
    let mut random = Random(0xc0ff_ee00_5eed);
    for round in 0..4_000 {
        let length = 20 + random.below(400);
        let bytes = random.bytes(length);
        if breaks(&bytes) {
            let smallest = shrink(bytes);
            panic!("round {round}: fuzz::events(&{smallest:?})");
        }
    }
}

fn breaks(bytes: &[u8]) -> bool {
    std::panic::catch_unwind(|| fuzz::events(bytes)).is_err()
}

/// Leaves out and lowers what is not needed to break the engine.
fn shrink(mut bytes: Vec<u8>) -> Vec<u8> {
    // One panic is enough to read.
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let mut size = bytes.len() / 2;
    while size > 0 {
        let mut at = 0;
        while at < bytes.len() {
            let end = (at + size).min(bytes.len());
            let without = [&bytes[..at], &bytes[end..]].concat();
            let mut zeroed = bytes.clone();
            zeroed[at..end].fill(0);
            if breaks(&without) {
                bytes = without;
            } else {
                if bytes[at..end].iter().any(|byte| *byte != 0) && breaks(&zeroed) {
                    bytes = zeroed;
                }
                at = end;
            }
        }
        size /= 2;
    }
    std::panic::set_hook(hook);
    bytes
}
