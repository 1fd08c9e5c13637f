//! How long it takes from what is waited for to the first instruction of who waits.

use super::contender::Contender;
use super::pods::Shape;
use super::table::{Bar, Measured, Row};
use super::yard::{Yard, now};
use crate::bench::statistics::median;

/// Children in a chain.
const LENGTH: u32 = 20;
/// And in a chain of those that take a second for each.
const SHORT: u32 = 4;

/// Measures one shape of a chain, everybody in turn, so that all see the same machine.
pub(super) fn run(yard: &mut Yard, contenders: &[Contender], shape: Shape, rounds: u32) -> Row {
    let mut hops = vec![Vec::new(); contenders.len()];
    let mut trouble = vec![None; contenders.len()];
    for round in 0..rounds {
        for (index, contender) in contenders.iter().enumerate() {
            if round > 0 && contender.is_slow() {
                continue;
            }
            match hops_of(yard, contender, shape) {
                Ok(Some(found)) => hops[index].extend(found),
                Ok(None) => {}
                Err(error) => trouble[index] = Some(format!("{error:#}")),
            }
        }
    }
    let what = match shape {
        Shape::Oneshots => "hop, 20 oneshots",
        Shape::Notify => "hop, 20 services with `readyOn: notify`",
        Shape::Probed => "hop, 20 services with an exec probe of 1 s",
        Shape::AtOnce | Shape::Idle => "hop",
    };
    let bar = match shape {
        Shape::Oneshots | Shape::Notify => Bar::TimesBare(2.0),
        Shape::Probed | Shape::AtOnce | Shape::Idle => Bar::AtMost(50.0),
    };
    let mut row = Row::new(what, "ms", bar);
    row.ahead_of_peers = true;
    for ((contender, hops), trouble) in contenders.iter().zip(hops).zip(trouble) {
        row.add(
            contender.name(),
            match (trouble, hops.is_empty()) {
                (Some(trouble), _) => Measured::Failed(trouble),
                (None, true) => Measured::CannotDoThat,
                (None, false) => Measured::Value(median(hops)),
            },
        );
    }
    row
}

/// The hops of one chain, in milliseconds.
fn hops_of(
    yard: &mut Yard,
    contender: &Contender,
    shape: Shape,
) -> anyhow::Result<Option<Vec<f64>>> {
    let length = if contender.is_slow() { SHORT } else { LENGTH };
    let mut round = yard.round()?;
    let Some(mut command) = contender.command(shape, length, yard, &round)? else {
        return Ok(None);
    };
    let running = round.start(&mut command)?;
    round.wait_for(1)?;
    drop(running);
    let stamps = round.read()?;
    let hops = stamps
        .windows(2)
        .map(|pair| milliseconds(pair[1].began - pair[0].done));
    Ok(Some(hops.collect()))
}

/// From the start of the supervisor to the first instruction of its only child.
pub(super) fn start(yard: &mut Yard, contenders: &[Contender], rounds: u32) -> anyhow::Result<Row> {
    let what = "start to first instruction, one container";
    let mut row = Row::new(what, "ms", Bar::AtMost(10.0));
    let mut times = vec![Vec::new(); contenders.len()];
    for _ in 0..rounds {
        for (contender, times) in contenders.iter().zip(&mut times) {
            let shape = match contender {
                Contender::Bare => Shape::Oneshots,
                Contender::Pillion(_) | Contender::Peer(_) => Shape::Idle,
            };
            let mut round = yard.round()?;
            let Some(mut command) = contender.command(shape, 1, yard, &round)? else {
                continue;
            };
            let began = now();
            let running = round.start(&mut command)?;
            if round.wait_for(1).is_ok() {
                let first = round.read()?.first().map_or(began, |stamp| stamp.began);
                times.push(milliseconds(first - began));
            }
            drop(running);
        }
    }
    for (contender, times) in contenders.iter().zip(times) {
        let measured = if times.is_empty() {
            Measured::Failed("it did not start".to_owned())
        } else {
            Measured::Value(median(times))
        };
        row.add(contender.name(), measured);
    }
    Ok(row)
}

#[expect(clippy::cast_precision_loss, reason = "times are far below 2^52 ns")]
fn milliseconds(nanoseconds: i64) -> f64 {
    nanoseconds as f64 / 1e6
}
