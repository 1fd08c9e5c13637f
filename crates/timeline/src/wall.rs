//! Wall time as it stands in records: a moment of the calendar, in UTC, to the microsecond.
//!
//! This crate never asks what time it is; the caller does, once, and everything else is added up.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// A moment of the calendar, written `2026-11-15T08:30:00.250000Z`.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Wall {
    unix_micros: u64,
}

/// The text is not a moment in UTC.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct InvalidWall;

// === impl Wall ===

impl Wall {
    /// The moment this long after the beginning of 1970.
    pub fn from_unix(since: Duration) -> Self {
        Self {
            unix_micros: micros(since),
        }
    }

    /// Time since the beginning of 1970.
    pub const fn as_unix(self) -> Duration {
        Duration::from_micros(self.unix_micros)
    }

    /// The moment this much later.
    #[must_use]
    pub fn after(self, duration: Duration) -> Self {
        Self {
            unix_micros: self.unix_micros.saturating_add(micros(duration)),
        }
    }
}

impl fmt::Display for Wall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.unix_micros / MICROS;
        let (year, month, day) = date(seconds / DAY);
        let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
        let fraction = self.unix_micros % MICROS;
        write!(
            f,
            "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{fraction:06}Z"
        )
    }
}

impl FromStr for Wall {
    type Err = InvalidWall;

    fn from_str(text: &str) -> Result<Self, InvalidWall> {
        let (date, time) = text
            .strip_suffix('Z')
            .and_then(|text| text.split_once('T'))
            .ok_or(InvalidWall)?;
        let [year, month, day] = numbers(date, '-')?;
        let (time, fraction) = time.split_once('.').unwrap_or((time, ""));
        let [hour, minute, second] = numbers(time, ':')?;
        if hour > 23 || minute > 59 || second > 60 {
            return Err(InvalidWall);
        }
        let seconds = days(year, month, day)?
            .checked_mul(DAY)
            .and_then(|s| s.checked_add(hour * 3600 + minute * 60 + second))
            .ok_or(InvalidWall)?;
        let unix_micros = seconds
            .checked_mul(MICROS)
            .and_then(|m| m.checked_add(parse_fraction(fraction)?))
            .ok_or(InvalidWall)?;
        Ok(Self { unix_micros })
    }
}

impl Serialize for Wall {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Wall {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(de::Error::custom)
    }
}

// === impl InvalidWall ===

impl fmt::Display for InvalidWall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a moment such as 2026-11-15T08:30:00.250000Z")
    }
}

impl std::error::Error for InvalidWall {}

const MICROS: u64 = 1_000_000;
const DAY: u64 = 86_400;
/// The calendar repeats after 400 years, which have this many days.
const ERA_DAYS: u64 = 146_097;
/// From the first of March of the year 0, where an era begins, to the beginning of 1970.
const EPOCH_DAYS: u64 = 719_468;

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

/// The date that is so many days after the beginning of 1970.
///
/// Years are counted from March on, so that the leap day is the last of its year and the lengths of
/// the months before it follow one line: month `m` begins on day `(153 m + 2) / 5`.
fn date(days: u64) -> (u64, u64, u64) {
    let days = days + EPOCH_DAYS;
    let (era, day) = (days / ERA_DAYS, days % ERA_DAYS);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let year = year + 400 * era;
    if month < 10 {
        (year, month + 3, day)
    } else {
        (year + 1, month - 9, day)
    }
}

/// The other way round: days from the beginning of 1970 to that date.
fn days(year: u64, month: u64, day: u64) -> Result<u64, InvalidWall> {
    if !(1970..=600_000).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return Err(InvalidWall);
    }
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let (era, year) = (year / 400, year % 400);
    let day = 365 * year + year / 4 - year / 100 + (153 * month + 2) / 5 + day - 1;
    Ok(era * ERA_DAYS + day - EPOCH_DAYS)
}

fn numbers(text: &str, separator: char) -> Result<[u64; 3], InvalidWall> {
    let mut parts = text.split(separator).map(number);
    let mut next = || parts.next().ok_or(InvalidWall)?;
    let numbers = [next()?, next()?, next()?];
    if parts.next().is_some() {
        Err(InvalidWall)
    } else {
        Ok(numbers)
    }
}

fn number(text: &str) -> Result<u64, InvalidWall> {
    // `parse` alone would take a sign.
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(InvalidWall);
    }
    text.parse().map_err(|_| InvalidWall)
}

/// Microseconds from the digits after the point; digits beyond the sixth are dropped.
fn parse_fraction(digits: &str) -> Option<u64> {
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let micros = digits.bytes().chain(std::iter::repeat(b'0')).take(6);
    Some(micros.fold(0, |sum, digit| sum * 10 + u64::from(digit - b'0')))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wall(seconds: u64) -> Wall {
        Wall::from_unix(Duration::from_secs(seconds))
    }

    #[test]
    fn known_moments_have_their_dates() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00.000000Z"),
            (951_782_400, "2000-02-29T00:00:00.000000Z"),
            (951_868_800, "2000-03-01T00:00:00.000000Z"),
            (1_709_251_199, "2024-02-29T23:59:59.000000Z"),
            (1_794_990_600, "2026-11-18T08:30:00.000000Z"),
            (4_107_542_400, "2100-03-01T00:00:00.000000Z"),
        ] {
            assert_eq!(wall(seconds).to_string(), text);
            assert_eq!(text.parse(), Ok(wall(seconds)));
        }
    }

    #[test]
    fn every_day_of_three_centuries_reads_back() {
        for day in 0..110_000 {
            let moment = wall(day * DAY + 12_345);
            assert_eq!(moment.to_string().parse(), Ok(moment));
        }
    }

    #[test]
    fn fractions_are_microseconds_whatever_their_length() {
        let at = |text: &str| text.parse::<Wall>().unwrap().as_unix();
        assert_eq!(at("1970-01-01T00:00:01Z"), Duration::from_secs(1));
        assert_eq!(at("1970-01-01T00:00:01.5Z"), Duration::from_millis(1500));
        assert_eq!(
            at("1970-01-01T00:00:01.0000019Z"),
            Duration::from_micros(1_000_001)
        );
    }

    #[test]
    fn the_last_moment_reads_back() {
        let last = Wall {
            unix_micros: u64::MAX,
        };
        assert_eq!(last.to_string().parse(), Ok(last));
        assert_eq!(last.after(Duration::MAX), last);
    }

    #[test]
    fn nonsense_is_refused() {
        for text in [
            "",
            "Z",
            "T",
            "2026-11-15",
            "2026-11-15T08:30:00",
            "2026-11-15T08:30Z",
            "2026-13-01T00:00:00Z",
            "2026-00-01T00:00:00Z",
            "2026-01-32T00:00:00Z",
            "1969-12-31T23:59:59Z",
            "2026-01-01T24:00:00Z",
            "2026-01-01T00:00:00.xZ",
            "+2026-01-01T00:00:00Z",
            "99999999999999999999-01-01T00:00:00Z",
            "2026-1-1-1T0:0:0Z",
        ] {
            assert_eq!(text.parse::<Wall>(), Err(InvalidWall), "{text}");
        }
    }
}
