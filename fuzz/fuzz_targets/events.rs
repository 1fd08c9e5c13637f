//! Bytes as a pod and what happens to it. It must not panic, and every pod must end.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| pillion_testkit::fuzz::events(bytes));
