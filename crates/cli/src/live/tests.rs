//! Tests of what `pillion run` shows, one file per subject.

mod frame;
mod log;
mod screen;
mod show;
mod stage;
mod teller;
mod terminal;
