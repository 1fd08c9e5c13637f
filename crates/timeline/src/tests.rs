//! Tests by subject. [`life`] builds pods and lets them live.

mod because;
mod edge;
mod gantt;
mod golden;
mod json;
mod lanes;
mod life;
mod odd;
mod path;
mod picture;
mod reason;
mod story;
mod trace;
mod waits;
mod xml;
