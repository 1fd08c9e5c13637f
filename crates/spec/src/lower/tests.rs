//! Pods in, graphs out, in a form that people can read. One file per dialect or rule.
//!
//! A pod is written as the lines of its `spec`. A graph is one line for each container and barrier
//! that requires something: `app: proxy ready, cache started soft, [mains] stop-only`. A container
//! is one line too: `app: main service Never, keystone any`.

mod capability;
mod fixture;
mod graph;
mod job;
mod kep753;
mod keystone;
mod kruise;
mod native;
mod phases;
mod role;

use crate::code::Code;
use fixture::{PodText, codes, containers, edges};
use insta::assert_snapshot;
