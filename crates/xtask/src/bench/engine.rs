//! The engine's speed: whole lives of pods of growing size.

use super::life::{Life, live};
use super::shape::Shape;
use super::statistics::{exponent, median};
use super::{Figure, Goal};
use crate::clock::Effort;
use pillion_engine::Pod;

/// Containers in a pod.
const SIZES: [u32; 4] = [10, 100, 1_000, 10_000];
const ROUNDS: u32 = 9;
/// Containers that live in one round, so that small pods are measured as long as large ones.
const CONTAINERS_PER_ROUND: u32 = 20_000;

/// One shape at one size.
struct Sample {
    size: u32,
    pod: Pod,
    life: Life,
    /// For one life, round by round.
    seconds: Vec<f64>,
}

pub(super) fn run(only: Option<Shape>) -> Vec<Figure> {
    say!("whole lives: images, start, readiness probes, ready, deletion, end");
    say!("time on the processor, median of {ROUNDS} rounds, facts and entries taken out\n");
    say!("shape   containers    edges    events   ms per life   events/s   ns/event");
    let shapes = Shape::ALL.into_iter();
    let shapes = shapes.filter(|shape| only.is_none_or(|only| only == *shape));
    shapes.flat_map(measure_shape).collect()
}

/// All sizes take their turns in every round, so that a machine whose speed changes is the same machine for all of them.
fn measure_shape(shape: Shape) -> Vec<Figure> {
    let mut samples = SIZES.map(|size| Sample::new(shape, size));
    for _ in 0..ROUNDS {
        samples.iter_mut().for_each(Sample::live_a_round);
    }
    for sample in &samples {
        sample.print(shape);
    }
    let growth = Figure {
        what: format!("{}: growth exponent", shape.name()),
        measured: growth(&samples),
        unit: "",
        goal: Goal::AtMost(1.1),
    };
    let speed = samples.iter().filter(|sample| sample.size == 100);
    let speed = speed.map(|sample| Figure {
        what: format!("{}: 100 containers", shape.name()),
        measured: sample.events_per_second() / 1e6,
        unit: "M events/s",
        goal: Goal::AtLeast(1.0),
    });
    speed.chain([growth]).collect()
}

/// The middle of the exponents that the rounds give, each by itself. What grows is the graph: a large random pod has more
/// edges for each container than a small one, where there is not so much to require.
fn growth(samples: &[Sample]) -> f64 {
    let of_round = |round: usize| {
        let points = samples.iter();
        let points = points.map(|sample| (f64::from(sample.parts()), sample.seconds[round]));
        exponent(&points.collect::<Vec<_>>())
    };
    let rounds = samples.iter().map(|sample| sample.seconds.len()).min();
    median((0..rounds.unwrap_or(0)).map(of_round).collect())
}

fn edges(pod: &Pod) -> u32 {
    let of_containers = pod
        .containers
        .iter()
        .map(|container| container.requires.len());
    let of_barriers = pod.barriers.iter().map(|barrier| barrier.requires.len());
    u32::try_from(of_containers.chain(of_barriers).sum::<usize>()).unwrap_or(u32::MAX)
}

// === impl Sample ===

impl Sample {
    fn new(shape: Shape, size: u32) -> Self {
        Self {
            size,
            pod: shape.pod(size),
            life: Life::default(),
            seconds: Vec::new(),
        }
    }

    fn live_a_round(&mut self) {
        let lives = (CONTAINERS_PER_ROUND / self.size).max(1);
        let pods: Vec<_> = (0..lives).map(|_| self.pod.clone()).collect();
        let effort = Effort::start();
        for pod in pods {
            self.life = live(pod);
        }
        let seconds = effort.elapsed().as_secs_f64();
        self.seconds.push(seconds / f64::from(lives));
    }

    /// Containers and edges.
    fn parts(&self) -> u32 {
        self.size + edges(&self.pod)
    }

    fn seconds_per_life(&self) -> f64 {
        median(self.seconds.clone())
    }

    fn events_per_second(&self) -> f64 {
        f64::from(self.life.events) / self.seconds_per_life()
    }

    fn print(&self, shape: Shape) {
        let size = self.size;
        let edges = edges(&self.pod);
        let events = self.life.events;
        let milliseconds = self.seconds_per_life() * 1e3;
        let speed = self.events_per_second();
        let nanoseconds = 1e9 / speed;
        let name = shape.name();
        say!(
            "{name:<7} {size:>10} {edges:>8} {events:>9} {milliseconds:>13.3} {speed:>10.0} \
             {nanoseconds:>10.0}"
        );
    }
}
