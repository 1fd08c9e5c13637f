//! The engine's speed: whole lives of pods of growing size.

use super::life::{Life, live};
use super::shape::Shape;
use super::statistics::{exponent, median};
use super::{Figure, Goal};
use crate::clock::Effort;
use pillion_engine::Pod;

/// Containers in a pod.
const SIZES: [u32; 4] = [10, 100, 1_000, 10_000];
const ROUNDS: u32 = 7;
/// Containers that live in one round, so that small pods are measured as long as large ones.
const CONTAINERS_PER_ROUND: u32 = 20_000;

/// One shape at one size.
struct Measured {
    size: u32,
    edges: u32,
    life: Life,
    seconds_per_life: f64,
}

pub(super) fn run(only: Option<Shape>) -> Vec<Figure> {
    println!("whole lives: images, start, readiness probes, ready, deletion, end");
    println!("time on the processor, median of {ROUNDS} rounds, facts and entries taken out\n");
    println!("shape   containers    edges    events   ms per life   events/s   ns/event");
    let shapes = Shape::ALL.into_iter();
    let shapes = shapes.filter(|shape| only.is_none_or(|only| only == *shape));
    shapes.flat_map(measure_shape).collect()
}

fn measure_shape(shape: Shape) -> Vec<Figure> {
    let measured: Vec<_> = SIZES.into_iter().map(|size| measure(shape, size)).collect();
    let points: Vec<_> = measured
        .iter()
        .map(|m| (f64::from(m.size), m.seconds_per_life))
        .collect();
    let growth = Figure {
        what: format!("{}: growth exponent, 10 to 10 000", shape.name()),
        measured: exponent(&points),
        unit: "",
        goal: Goal::AtMost(1.1),
    };
    let speed = measured.iter().filter(|m| m.size == 100).map(|m| Figure {
        what: format!("{}: 100 containers", shape.name()),
        measured: m.events_per_second() / 1e6,
        unit: "M events/s",
        goal: Goal::AtLeast(1.0),
    });
    speed.chain([growth]).collect()
}

fn measure(shape: Shape, size: u32) -> Measured {
    let pod = shape.pod(size);
    let edges = edges(&pod);
    let lives = (CONTAINERS_PER_ROUND / size).max(1);
    let mut life = Life::default();
    let round = |_| {
        let pods: Vec<_> = (0..lives).map(|_| pod.clone()).collect();
        let effort = Effort::start();
        for pod in pods {
            life = live(pod);
        }
        effort.elapsed().as_secs_f64() / f64::from(lives)
    };
    let seconds_per_life = median((0..ROUNDS).map(round).collect());
    let measured = Measured {
        size,
        edges,
        life,
        seconds_per_life,
    };
    measured.print(shape);
    measured
}

fn edges(pod: &Pod) -> u32 {
    let of_containers = pod
        .containers
        .iter()
        .map(|container| container.requires.len());
    let of_barriers = pod.barriers.iter().map(|barrier| barrier.requires.len());
    u32::try_from(of_containers.chain(of_barriers).sum::<usize>()).unwrap_or(u32::MAX)
}

// === impl Measured ===

impl Measured {
    fn events_per_second(&self) -> f64 {
        f64::from(self.life.events) / self.seconds_per_life
    }

    fn print(&self, shape: Shape) {
        let Self {
            size,
            edges,
            life,
            seconds_per_life,
        } = self;
        let events = life.events;
        let milliseconds = seconds_per_life * 1e3;
        let speed = self.events_per_second();
        let nanoseconds = 1e9 / speed;
        let name = shape.name();
        println!(
            "{name:<7} {size:>10} {edges:>8} {events:>9} {milliseconds:>13.3} {speed:>10.0} \
             {nanoseconds:>10.0}"
        );
    }
}
