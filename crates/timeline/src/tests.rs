//! Tests by subject. [`life`] builds pods and lets them live.

mod because;
mod golden;
mod json;
mod lanes;
mod life;
mod path;
mod waits;
