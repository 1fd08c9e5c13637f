//! Bytes in, a panic if something is wrong: what fuzzers run, and tests on stable too.
//!
//! [`pod_file`] takes the bytes as a file, [`events`] as a pod and its life. Neither may panic for
//! any input. What is cheap to check is checked on the way: a pod without findings can be run, a
//! container never has two processes, nothing is asked of a process that is gone, every pod ends.

mod bytes;
mod driver;
mod pod;

use bytes::Bytes;
use driver::Driver;
use pillion_engine::Engine;
use pillion_spec::render::Renderer;
use pillion_spec::report::Finding;
use pillion_spec::{LowerOptions, load, plan};

/// Reads the bytes as a file, and does all that can be done with it without running it.
///
/// # Panics
/// If a pod is accepted that the engine refuses.
pub fn pod_file(bytes: &[u8]) {
    for images in [true, false] {
        let loaded = load(
            "fuzz.yaml",
            bytes,
            LowerOptions {
                images,
                ..LowerOptions::default()
            },
        );
        let renderer = Renderer::plain();
        for diagnostic in &loaded.diagnostics {
            let _ = renderer.render(&loaded.source, diagnostic);
            let _ = Finding::new(&loaded.source, diagnostic);
        }
        if loaded.has_errors() {
            continue;
        }
        for read in loaded.pods {
            let pod = read.lowered.pod;
            let _ = plan::start_waves(&pod);
            let _ = plan::stop::stop_plan(&pod, &read.file.pod.spec);
            let engine = Engine::new(pod, pillion_engine::Tick::ZERO);
            assert!(engine.is_ok(), "no finding, yet {:?}", engine.err());
        }
    }
}

/// Makes a pod of the first bytes, and of the others what happens to it; then lets it end.
///
/// # Panics
/// If a promise is broken.
pub fn events(bytes: &[u8]) {
    let mut bytes = Bytes::new(bytes);
    let pod = pod::generate(&mut bytes);
    let mut driver = Driver::new(pod);
    while !bytes.is_empty() {
        driver.step(&mut bytes);
    }
    driver.finish();
}
