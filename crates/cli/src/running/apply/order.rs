//! In which order containers are exchanged: what others require comes first, so that one that turns out bad is put
//! back before anybody above it is touched. Those who would go down with it anyway are exchanged along with it.

use pillion_engine::life::Record;
use pillion_engine::pod::{OnRestart, Pod, Target, Until};
use pillion_engine::{ContainerId, Engine};
use pillion_spec::plan::start_waves;
use std::collections::{BTreeMap, BTreeSet};

/// Who goes down while a container is exchanged, and whether for good.
pub(super) fn along(engine: &Engine, container: ContainerId) -> BTreeMap<ContainerId, bool> {
    let is_up = |id: ContainerId| engine.record(id).is_some_and(Record::is_up);
    let mut along = BTreeMap::new();
    let mut going = vec![container];
    while let Some(target) = going.pop() {
        for (id, on_restart) in dependants(engine.pod(), target) {
            let for_good = match on_restart {
                OnRestart::Keep => continue,
                OnRestart::Restart => false,
                OnRestart::Stop => true,
            };
            if is_up(id) && along.insert(id, for_good).is_none() {
                going.push(id);
            }
        }
    }
    along
}

/// What those do who require a container that goes down.
fn dependants(pod: &Pod, target: ContainerId) -> impl Iterator<Item = (ContainerId, OnRestart)> {
    let all = (0..).map(ContainerId).zip(&pod.containers);
    all.flat_map(move |(id, def)| {
        let edges = def.requires.iter().filter(move |edge| {
            edge.target == Target::Container(target)
                && matches!(edge.until, Until::Started | Until::Ready)
        });
        edges.map(move |edge| (id, edge.on_restart))
    })
}

/// The containers in the order of their start. Those of one group are exchanged at the same time.
pub(super) fn batches(
    pod: &Pod,
    changed: impl IntoIterator<Item = ContainerId>,
    along: impl Fn(ContainerId) -> BTreeSet<ContainerId>,
) -> Vec<Vec<ContainerId>> {
    let mut left: BTreeSet<_> = changed.into_iter().collect();
    let mut batches = Vec::new();
    let waves = start_waves(pod);
    let rest = (0..).map(ContainerId).take(pod.containers.len()).collect();
    for wave in waves.into_iter().chain([rest]) {
        let mut batch: BTreeSet<_> = wave.into_iter().filter(|id| left.contains(id)).collect();
        let with: BTreeSet<_> = batch.iter().flat_map(|id| along(*id)).collect();
        batch.extend(with.intersection(&left));
        left.retain(|id| !batch.contains(id));
        if !batch.is_empty() {
            batches.push(batch.into_iter().collect());
        }
    }
    batches
}

#[cfg(test)]
mod tests {
    use super::*;
    use pillion_spec::{LowerOptions, load};

    const POD: &str = "
apiVersion: v1
kind: Pod
metadata: {name: x}
spec:
  containers:
    - {name: app, requires: [proxy, cache], command: [x]}
    - {name: worker, requires: [{container: cache, onRestart: restart}], command: [x]}
    - {name: proxy, sidecar: true, command: [x]}
    - {name: cache, sidecar: true, command: [x]}
";

    fn order(changed: &[u32], along: impl Fn(u32) -> Vec<u32>) -> Vec<Vec<u32>> {
        let loaded = load("pod.yaml", POD.as_bytes(), LowerOptions::WITHOUT_IMAGES);
        let ids = |ids: Vec<u32>| ids.into_iter().map(ContainerId).collect();
        let changed = changed.iter().copied().map(ContainerId);
        let batches = batches(&loaded.pods[0].lowered.pod, changed, |id| ids(along(id.0)));
        let numbers = |batch: Vec<ContainerId>| batch.into_iter().map(|id| id.0).collect();
        batches.into_iter().map(numbers).collect()
    }

    #[test]
    fn what_others_require_comes_first() {
        let nobody = |_| Vec::new();
        assert_eq!(order(&[0, 2], nobody), [[2], [0]]);
        assert_eq!(order(&[0, 2, 3], nobody), [vec![2, 3], vec![0]]);
        assert_eq!(order(&[], nobody), [] as [Vec<u32>; 0]);
    }

    #[test]
    fn whoever_goes_down_anyway_is_exchanged_along_with_it() {
        let worker = |id| if id == 3 { vec![1] } else { Vec::new() };
        assert_eq!(order(&[0, 1, 3], worker), [vec![1, 3], vec![0]]);
        assert_eq!(order(&[0, 3], worker), [[3], [0]]);
    }
}
