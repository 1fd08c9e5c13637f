//! Times as people read them.

use std::time::Duration;

/// A length of time, short and with its unit: `4.2 ms`, `0.82 s`, `42 s`, `12 min 5 s`, `2 h 10 min`.
pub fn length(duration: Duration) -> String {
    let micros = duration.as_micros();
    match micros {
        0 => "0 s".to_owned(),
        1..=9_999 => format!("{} ms", decimals(micros, 1_000)),
        10_000..=99_999 => format!("{} ms", micros / 1_000),
        100_000..=59_999_999 => format!("{} s", decimals(micros, 1_000_000)),
        60_000_000..=3_599_999_999 => two_units(duration.as_secs(), 60, "min", 1, "s"),
        3_600_000_000..=86_399_999_999 => two_units(duration.as_secs(), 3600, "h", 60, "min"),
        86_400_000_000.. => two_units(duration.as_secs(), 86_400, "d", 3600, "h"),
    }
}

/// A moment of a pod's life: `0.31s`, `2m03.4s`, `1h02m03s`.
pub fn moment(at: Duration) -> String {
    let (seconds, millis) = (at.as_secs(), at.subsec_millis());
    match seconds {
        0..=9 => format!("{seconds}.{millis:03}s"),
        10..=59 => format!("{seconds}.{:02}s", millis / 10),
        60..=3599 => format!("{}m{:02}.{}s", seconds / 60, seconds % 60, millis / 100),
        3600.. => format!(
            "{}h{:02}m{:02}s",
            seconds / 3600,
            seconds / 60 % 60,
            seconds % 60
        ),
    }
}

/// Lengths of time side by side, in one unit that is named once, at the end.
pub fn lengths(durations: &[Duration]) -> (Vec<String>, &'static str) {
    let total: Duration = durations.iter().sum();
    match total.as_millis() {
        0..=99 => (
            durations
                .iter()
                .map(|d| fixed(d.as_micros(), 1_000, 1))
                .collect(),
            " ms",
        ),
        100..=99_999 => (
            durations
                .iter()
                .map(|d| fixed(d.as_micros(), 1_000_000, 2))
                .collect(),
            " s",
        ),
        100_000.. => (durations.iter().map(|d| length(*d)).collect(), ""),
    }
}

/// Two places that matter: `0.82`, `4.2`, `42`.
fn decimals(micros: u128, unit: u128) -> String {
    let places = match micros / unit {
        0 => 2,
        1..=9 => 1,
        10.. => 0,
    };
    let text = fixed(micros, unit, places);
    if places == 0 {
        text
    } else {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    }
}

/// So many decimals, rounded.
fn fixed(micros: u128, unit: u128, places: u32) -> String {
    let scale = 10_u128.pow(places);
    let scaled = (micros * scale + unit / 2) / unit;
    match places {
        0 => scaled.to_string(),
        _ => format!(
            "{}.{:0width$}",
            scaled / scale,
            scaled % scale,
            width = places as usize
        ),
    }
}

fn two_units(seconds: u64, large: u64, large_name: &str, small: u64, small_name: &str) -> String {
    match seconds % large / small {
        0 => format!("{} {large_name}", seconds / large),
        rest => format!("{} {large_name} {rest} {small_name}", seconds / large),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_short_at_every_scale() {
        for (micros, text) in [
            (0, "0 s"),
            (5, "0.01 ms"),
            (250, "0.25 ms"),
            (4_200, "4.2 ms"),
            (10_000, "10 ms"),
            (99_999, "99 ms"),
            (310_000, "0.31 s"),
            (900_000, "0.9 s"),
            (1_000_000, "1 s"),
            (4_249_999, "4.2 s"),
            (30_000_000, "30 s"),
            (125_000_000, "2 min 5 s"),
            (600_000_000, "10 min"),
            (36_000_000_000, "10 h"),
            (7_800_000_000, "2 h 10 min"),
            (100_000_000_000, "1 d 3 h"),
        ] {
            assert_eq!(length(Duration::from_micros(micros)), text, "{micros}");
        }
        assert!(length(Duration::MAX).ends_with('h'));
    }

    #[test]
    fn moments_get_coarser_as_they_get_later() {
        for (millis, text) in [
            (0, "0.000s"),
            (310, "0.310s"),
            (12_345, "12.34s"),
            (123_400, "2m03.4s"),
            (3_723_000, "1h02m03s"),
            (360_000_000, "100h00m00s"),
        ] {
            assert_eq!(moment(Duration::from_millis(millis)), text);
        }
    }

    #[test]
    fn lengths_side_by_side_share_their_unit() {
        let of = |millis: &[u64]| {
            let durations: Vec<_> = millis.iter().map(|m| Duration::from_millis(*m)).collect();
            lengths(&durations)
        };
        assert_eq!(
            of(&[310, 510, 80]),
            (vec!["0.31".into(), "0.51".into(), "0.08".into()], " s")
        );
        assert_eq!(of(&[3, 7]), (vec!["3.0".into(), "7.0".into()], " ms"));
        assert_eq!(
            of(&[500, 120_000]),
            (vec!["0.5 s".into(), "2 min".into()], "")
        );
        assert_eq!(of(&[]), (vec![], " ms"));
    }
}
