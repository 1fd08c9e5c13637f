//! What it costs the processor to run many children.

use super::contender::Contender;
use super::pods::Shape;
use super::table::{Bar, Measured, Row};
use super::yard::Yard;
use crate::bench::statistics::median;
use anyhow::{Context as _, bail};
use std::process::{Command, Stdio};

/// Measures so many children in that shape.
pub(super) fn run(
    yard: &mut Yard,
    contenders: &[Contender],
    (shape, count): (Shape, u32),
    rounds: u32,
) -> anyhow::Result<Row> {
    let what = match shape {
        Shape::AtOnce => format!("processor time, {count} containers at once"),
        Shape::Oneshots | Shape::Notify | Shape::Probed | Shape::Idle => {
            format!("processor time, chain of {count}")
        }
    };
    let mut row = Row::new(&what, "ms", Bar::TimesBare(2.0));
    let own = contenders
        .iter()
        .filter(|contender| !matches!(contender, Contender::Peer(_)));
    let own: Vec<_> = own.collect();
    let mut costs = vec![Vec::new(); own.len()];
    for _ in 0..rounds {
        for (contender, costs) in own.iter().zip(&mut costs) {
            costs.extend(cost(yard, contender, shape, count)?);
        }
    }
    for (contender, costs) in own.iter().zip(costs) {
        row.add(contender.name(), Measured::Value(median(costs)));
    }
    Ok(row)
}

/// Milliseconds of processor time of a whole run, with all processes of it.
fn cost(
    yard: &mut Yard,
    contender: &Contender,
    shape: Shape,
    count: u32,
) -> anyhow::Result<Option<f64>> {
    let round = yard.round()?;
    let Some(inner) = contender.command(shape, count, yard, &round)? else {
        return Ok(None);
    };
    let mut command = Command::new(yard.child());
    command.arg("cost").arg(inner.get_program());
    command.args(inner.get_args());
    let variables = inner
        .get_envs()
        .filter_map(|(name, value)| Some((name, value?)));
    command.envs(variables).current_dir(&round.folder);
    let output = command.stderr(Stdio::inherit()).output()?;
    if !output.status.success() {
        bail!("{} failed", contender.name());
    }
    let stamps = round.read()?.len();
    if stamps != count as usize {
        bail!("{} started {stamps} of {count} children", contender.name());
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let microseconds: f64 = text.trim().parse().context("no cost was told")?;
    Ok(Some(microseconds / 1e3))
}
