//! Requests and limits: of a container, and of the pod as a whole against its containers.
//!
//! An API server judges the pod's amounts after it has completed them: a limit without a request
//! is a request as well, and what the containers ask for together is the request of a pod that
//! only says its limit.

use super::{Checker, Place};
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::effective::{self, Amounts, PodLevel};
use crate::quantity::Quantity;
use crate::resources::Resources;

impl Checker<'_> {
    pub(super) fn check_container_resources(&mut self, place: &Place<'_>) {
        self.check_amounts(&place.container.resources, &place.path("resources"));
    }

    /// What is given for the pod as a whole.
    pub(super) fn check_pod_resources(&mut self) {
        let spec = &self.file.pod.spec;
        let Some(given) = &spec.resources else {
            return;
        };
        if !given.claims.is_empty() {
            let message = "a pod as a whole takes no claims of resources".to_owned();
            let span = self.key("spec.resources.claims");
            self.refuse(Code::NotAllowedHere, span, message, "for containers only");
        }
        self.check_names(given);
        self.check_amounts(given, POD);
        let level = effective::pod_level(spec);
        self.check_huge_pages(given, &level);
        self.check_sums(given, &level);
        self.check_shares(given);
    }

    fn check_amounts(&mut self, resources: &Resources, path: &str) {
        let Resources {
            requests,
            limits,
            claims: _,
        } = resources;
        for (list, amounts) in [("requests", requests), ("limits", limits)] {
            for (resource, amount) in amounts.iter().filter(|(_, amount)| amount.is_negative()) {
                let span = self.value(&entry(path, list, resource));
                let message = format!("{amount} of `{resource}` is less than nothing");
                self.refuse(Code::OutOfRange, span, message, "negative");
            }
        }
        for (resource, request) in requests {
            let Some(limit) = limits.get(resource).filter(|limit| request > limit) else {
                continue;
            };
            let message =
                format!("`{resource}`: the request of {request} is over the limit of {limit}");
            let diagnostic = Diagnostic::new(Code::OutOfRange, message)
                .primary(
                    self.value(&entry(path, "requests", resource)),
                    "more than the limit",
                )
                .secondary(self.value(&entry(path, "limits", resource)), "the limit");
            self.report(diagnostic);
        }
    }

    /// Only some resources can be given for a pod as a whole.
    fn check_names(&mut self, given: &Resources) {
        for (list, amounts) in [("requests", &given.requests), ("limits", &given.limits)] {
            let others = amounts.keys().filter(|name| !effective::is_pod_level(name));
            for resource in others {
                let message = format!("`{resource}` cannot be given for a pod as a whole");
                let span = self.key(&entry(POD, list, resource));
                let diagnostic = Diagnostic::new(Code::NotAllowedHere, message)
                    .primary(span, "neither cpu, memory nor huge pages")
                    .help("give it to the container that needs it");
                self.report(diagnostic);
            }
        }
    }

    /// Huge pages are never lent: what is requested is the limit as well.
    fn check_huge_pages(&mut self, given: &Resources, level: &PodLevel) {
        let requests = given.requests.iter();
        for (resource, request) in requests.filter(|(name, _)| effective::is_huge_page(name)) {
            let limit = level.completed.limits.get(resource);
            // A request over its limit has been reported.
            if limit.is_none_or(|limit| limit > request) {
                let message = format!("`{resource}`: request and limit of the pod must be equal");
                let span = self.value(&entry(POD, "requests", resource));
                self.refuse(Code::OutOfRange, span, message, "not the limit");
            }
        }
    }

    /// The pod must have what its containers have together.
    fn check_sums(&mut self, given: &Resources, level: &PodLevel) {
        let huge_limits = level.counted_limits.iter();
        let huge_limits: Amounts = huge_limits
            .filter(|(name, _)| effective::is_huge_page(name))
            .map(|(name, amount)| (name.clone(), *amount))
            .collect();
        for (list, have, need) in [
            ("requests", &given.requests, &level.counted_requests),
            ("limits", &given.limits, &huge_limits),
        ] {
            for (resource, have) in have {
                if let Some(need) = need.get(resource).filter(|need| *need > have) {
                    self.too_little(list, resource, *have, *need);
                }
            }
        }
        // A pod that says only its limit requests what its containers do.
        for (resource, limit) in &given.limits {
            let completed = level.completed.requests.get(resource);
            let unsaid = completed.filter(|_| !given.requests.contains_key(resource));
            if let Some(need) = unsaid.filter(|need| *need > limit) {
                self.too_little("limits", resource, *limit, *need);
            }
        }
    }

    fn too_little(&mut self, list: &str, resource: &str, have: Quantity, need: Quantity) {
        let message =
            format!("`{resource}`: the containers ask for {need} together, the pod has {have}");
        let span = self.value(&entry(POD, list, resource));
        let diagnostic = Diagnostic::new(Code::OutOfRange, message)
            .primary(span, "less than its containers ask for")
            .help(format!("give the pod at least {need}"));
        self.report(diagnostic);
    }

    /// No container may have more than the pod.
    fn check_shares(&mut self, given: &Resources) {
        for (index, container) in self.file.pod.spec.containers.iter().enumerate() {
            for (resource, own) in &container.resources.limits {
                let Some(limit) = given.limits.get(resource).filter(|limit| own > limit) else {
                    continue;
                };
                let path = format!("spec.containers[{index}].resources");
                let message = format!(
                    "`{resource}`: container `{}` may use {own}, the whole pod {limit}",
                    container.name
                );
                let diagnostic = Diagnostic::new(Code::OutOfRange, message)
                    .primary(
                        self.value(&entry(&path, "limits", resource)),
                        "more than the pod has",
                    )
                    .secondary(
                        self.value(&entry(POD, "limits", resource)),
                        "the limit of the pod",
                    );
                self.report(diagnostic);
            }
        }
    }
}

/// Where the amounts of the pod as a whole stand.
const POD: &str = "spec.resources";

fn entry(path: &str, list: &str, resource: &str) -> String {
    format!("{path}.{list}[\"{resource}\"]")
}
