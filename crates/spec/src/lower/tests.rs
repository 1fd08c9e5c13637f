//! Pods in, edges out, in a form that people can read.

mod fixture;
mod native;

use fixture::{PodFixture, init, main, sidecar};
