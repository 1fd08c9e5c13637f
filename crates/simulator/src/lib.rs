//! Plays scenarios in virtual time.

pub mod trace;
