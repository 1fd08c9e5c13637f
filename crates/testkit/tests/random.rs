//! Every promise is kept in random lives of random pods.
//!
//! `PROPTEST_CASES=100000 cargo test -p pillion-testkit --test random` tries that many others.

use pillion_engine::Engine;
use pillion_testkit::generate::{cases, play};
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};

/// So many take about a minute.
const CASES: u32 = 2_000;

/// The same cases each time, unless somebody asks for a number of others.
fn runner() -> TestRunner {
    let asked = std::env::var_os("PROPTEST_CASES").is_some();
    let config = Config {
        cases: if asked {
            Config::default().cases
        } else {
            CASES
        },
        failure_persistence: None,
        max_shrink_iters: 20_000,
        max_global_rejects: 10_000_000,
        max_local_rejects: 10_000_000,
        ..Config::default()
    };
    if asked {
        return TestRunner::new(config);
    }
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    TestRunner::new_with_rng(config, rng)
}

#[test]
fn every_promise_is_kept_in_random_lives_of_random_pods() {
    let result = runner().run(&cases(), |case| match play::<Engine>(&case) {
        Ok(_) => Ok(()),
        Err(found) => Err(TestCaseError::fail(found.to_string())),
    });
    if let Err(error) = result {
        panic!("{error}");
    }
}
