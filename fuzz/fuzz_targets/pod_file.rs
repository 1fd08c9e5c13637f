//! Bytes as a pod file: read, drawn, checked, planned. It must not panic.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| pillion_testkit::fuzz::pod_file(bytes));
