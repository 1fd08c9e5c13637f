//! Tests by subject. [`life`] builds pods and lets them live.

mod because;
mod golden;
mod json;
mod life;
