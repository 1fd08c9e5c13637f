//! Proof: the promises as laws over traces, and what produces the traces.

pub mod fuzz;
