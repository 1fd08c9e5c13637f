//! How the engine's own types, and times, are written in JSON.
//!
//! The engine knows no serialisation, so its enums are spelled out here; a variant added there does
//! not compile until it has a name here.

use pillion_engine::entry::Impossible;
use pillion_engine::event::StartFailure;
use pillion_engine::pod::{HookKind, Need, ProbeKind, Reaction, Until};
use pillion_engine::status::Phase;
use serde::{Deserialize, Serialize};

#[derive(Deserialize, Serialize)]
#[serde(remote = "Until", rename_all = "camelCase")]
pub(crate) enum UntilForm {
    Attempted,
    Started,
    Ready,
    Succeeded,
    Exited,
    Settled,
}

#[derive(Deserialize, Serialize)]
#[serde(remote = "Need", rename_all = "camelCase")]
pub(crate) enum NeedForm {
    Hard,
    Soft,
    Order,
}

#[derive(Deserialize, Serialize)]
#[serde(remote = "Impossible", rename_all = "camelCase")]
pub(crate) enum ImpossibleForm {
    GaveUp,
    Ended,
    TimedOut,
}

#[derive(Deserialize, Serialize)]
#[serde(remote = "HookKind", rename_all = "camelCase")]
pub(crate) enum HookForm {
    PostStart,
    PreStop,
    PodStopping,
}

#[derive(Deserialize, Serialize)]
#[serde(remote = "ProbeKind", rename_all = "camelCase")]
pub(crate) enum ProbeForm {
    Startup,
    Readiness,
    Liveness,
}

/// Spelled as in a pod file.
#[derive(Deserialize, Serialize)]
#[serde(remote = "Reaction")]
pub(crate) enum ReactionForm {
    Restart,
    RestartAllContainers,
    RestartPod,
    FailPod,
    CompletePod,
    Ignore,
}

/// Spelled as Kubernetes spells them.
#[derive(Deserialize, Serialize)]
#[serde(remote = "StartFailure")]
#[expect(clippy::enum_variant_names, reason = "the names are Kubernetes' own")]
pub(crate) enum StartFailureForm {
    CreateContainerConfigError,
    CreateContainerError,
    RunContainerError,
}

/// Spelled as Kubernetes spells them.
#[derive(Deserialize, Serialize)]
#[serde(remote = "Phase")]
pub(crate) enum PhaseForm {
    Pending,
    Running,
    Succeeded,
    Failed,
}

/// Seconds as a number with up to six decimals: exact for the first seventy years.
pub(crate) mod seconds {
    use serde::{Deserialize, Deserializer, Serializer, de};
    use std::time::Duration;

    pub(crate) fn serialize<S: Serializer>(
        duration: &Duration,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let micros = duration.as_micros();
        match u64::try_from(micros / 1_000_000) {
            // `3`, not `3.0`.
            Ok(whole) if micros.is_multiple_of(1_000_000) => serializer.serialize_u64(whole),
            Ok(_) | Err(_) => serializer.serialize_f64(as_float(micros) / 1e6),
        }
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Duration, D::Error> {
        let seconds = f64::deserialize(deserializer)?;
        from_seconds(seconds).ok_or_else(|| de::Error::custom("a time cannot be negative"))
    }

    fn from_seconds(seconds: f64) -> Option<Duration> {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a float is cut to the range of the integer, which is what is wanted"
        )]
        (seconds >= 0.0).then(|| Duration::from_micros((seconds * 1e6).round() as u64))
    }

    #[expect(clippy::cast_precision_loss, reason = "exact up to 2^53 microseconds")]
    fn as_float(micros: u128) -> f64 {
        micros as f64
    }
}

/// The same for a time that may not be there.
pub(crate) mod maybe_seconds {
    use serde::{Deserialize, Deserializer, Serializer};
    use std::time::Duration;

    #[derive(Deserialize)]
    struct Seconds(#[serde(with = "super::seconds")] Duration);

    #[expect(clippy::ref_option, reason = "the signature that serde calls")]
    pub(crate) fn serialize<S: Serializer>(
        duration: &Option<Duration>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match duration {
            Some(duration) => super::seconds::serialize(duration, serializer),
            None => serializer.serialize_none(),
        }
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Duration>, D::Error> {
        let seconds = Option::<Seconds>::deserialize(deserializer)?;
        Ok(seconds.map(|seconds| seconds.0))
    }
}
