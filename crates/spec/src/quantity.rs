//! Amounts of resources, such as `350m` or `1Gi`, with the meaning Kubernetes gives them.
//!
//! Parsing, rounding and the canonical form follow Kubernetes to the digit; the table in
//! `testdata/quantity` was written by its own code. One difference: amounts beyond 10^29 are
//! refused here, where Kubernetes takes them and never finds a machine for them.

use std::cmp::Ordering;
use std::fmt;
use std::ops::Add;
use std::str::FromStr;

/// An amount, exact to a billionth. Amounts compare by value, however they are written.
#[derive(Clone, Copy, Debug)]
pub struct Quantity {
    nanos: i128,
    format: Format,
}

/// How an amount is written.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Format {
    /// In thousands: `m`, `k`, `M`.
    DecimalSi,
    /// In 1024s: `Ki`, `Mi`.
    BinarySi,
    /// With an exponent: `1e3`.
    DecimalExponent,
}

/// Why a text is no amount.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum InvalidQuantity {
    /// It is empty.
    #[error("it is empty")]
    Empty,
    /// Something stands in it that belongs to no number.
    #[error("it is not a number with a suffix")]
    Form,
    /// The letters after the number are no suffix.
    #[error("its suffix is not one of n, u, m, k, M, G, T, P, E, Ki, Mi, Gi, Ti, Pi, Ei")]
    Suffix,
    /// No machine has that much.
    #[error("it is larger than anything that could be meant")]
    TooLarge,
}

/// A text taken apart.
struct Parts<'t> {
    negative: bool,
    whole: &'t str,
    fraction: &'t str,
    suffix: &'t str,
}

const NANOS: i128 = 1_000_000_000;

// === impl Quantity ===

impl Quantity {
    /// Nothing.
    pub const ZERO: Self = Self {
        nanos: 0,
        format: Format::DecimalSi,
    };

    /// The amount in billionths.
    pub fn nanos(self) -> i128 {
        self.nanos
    }

    /// The amount in thousandths, rounded up: CPU is counted so.
    pub fn millis(self) -> i128 {
        ceil_div(self.nanos, 1_000_000)
    }

    /// The amount in whole units, rounded up: memory is counted so.
    pub fn units(self) -> i128 {
        ceil_div(self.nanos, NANOS)
    }

    /// How it is written.
    pub fn format(self) -> Format {
        self.format
    }

    /// Whether it is less than nothing.
    pub fn is_negative(self) -> bool {
        self.nanos < 0
    }

    /// The canonical number and its power of ten, a multiple of three.
    fn decimal(self) -> (i128, i32) {
        let (mut amount, mut exponent) = (self.nanos, -9);
        while amount % 1000 == 0 && amount != 0 && exponent < 18 {
            amount /= 1000;
            exponent += 3;
        }
        (amount, exponent)
    }

    /// The canonical number and its power of 1024, if it has one.
    fn binary(self) -> Option<(i128, usize)> {
        let exact = self.nanos % NANOS == 0 && self.nanos.abs() >= 1024 * NANOS;
        if self.format != Format::BinarySi || !exact {
            return None;
        }
        let (mut amount, mut power) = (self.nanos / NANOS, 0);
        while amount % 1024 == 0 && power < BINARY.len() - 1 {
            amount /= 1024;
            power += 1;
        }
        Some((amount, power))
    }
}

impl PartialEq for Quantity {
    fn eq(&self, other: &Self) -> bool {
        self.nanos == other.nanos
    }
}

impl Eq for Quantity {}

impl PartialOrd for Quantity {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Quantity {
    fn cmp(&self, other: &Self) -> Ordering {
        self.nanos.cmp(&other.nanos)
    }
}

/// The sum is written as the first amount that is not zero.
impl Add for Quantity {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let format = if self.nanos == 0 {
            other.format
        } else {
            self.format
        };
        Self {
            nanos: self.nanos.saturating_add(other.nanos),
            format,
        }
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((amount, power)) = self.binary() {
            return write!(f, "{amount}{}", BINARY[power]);
        }
        let (amount, exponent) = self.decimal();
        let power = usize::try_from(exponent / 3 + 3).expect("exponents start at -9");
        match self.format {
            Format::DecimalExponent if amount == 0 || exponent == 0 => write!(f, "{amount}"),
            Format::DecimalExponent => write!(f, "{amount}e{exponent}"),
            Format::DecimalSi | Format::BinarySi if amount == 0 => write!(f, "0"),
            Format::DecimalSi | Format::BinarySi => write!(f, "{amount}{}", DECIMAL[power]),
        }
    }
}

impl FromStr for Quantity {
    type Err = InvalidQuantity;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parts = Parts::of(text)?;
        let (magnitude, format) = if let Some(power) = position(&BINARY[1..], parts.suffix) {
            binary_magnitude(&parts, 10 * (power + 1))
        } else {
            decimal_magnitude(&parts)?
        };
        Ok(Self {
            nanos: if parts.negative {
                -magnitude
            } else {
                magnitude
            },
            format,
        })
    }
}

/// Suffixes by power of ten, from 10^-9 in steps of three.
const DECIMAL: [&str; 10] = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];

/// Suffixes by power of 1024.
const BINARY: [&str; 7] = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

// === impl Parts ===

impl<'t> Parts<'t> {
    fn of(text: &'t str) -> Result<Self, InvalidQuantity> {
        if text.is_empty() {
            return Err(InvalidQuantity::Empty);
        }
        let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
        let (whole, rest) = split_digits(unsigned);
        let (fraction, suffix) = rest.strip_prefix('.').map_or(("", rest), split_digits);
        let exponent = suffix.trim_start_matches(SUFFIX_LETTERS);
        let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        if !split_digits(digits).1.is_empty() {
            return Err(InvalidQuantity::Form);
        }
        Ok(Self {
            negative: text.starts_with('-'),
            whole,
            fraction,
            suffix,
        })
    }

    fn digits(&self) -> impl Iterator<Item = u8> {
        self.whole
            .bytes()
            .chain(self.fraction.bytes())
            .map(|byte| byte - b'0')
    }
}

const SUFFIX_LETTERS: [char; 12] = ['e', 'E', 'i', 'n', 'u', 'm', 'k', 'K', 'M', 'G', 'T', 'P'];

fn split_digits(text: &str) -> (&str, &str) {
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    text.split_at(end)
}

fn position(suffixes: &[&str], suffix: &str) -> Option<usize> {
    suffixes.iter().position(|known| *known == suffix)
}

fn decimal_magnitude(parts: &Parts<'_>) -> Result<(i128, Format), InvalidQuantity> {
    let (exponent, format) = match position(&DECIMAL, parts.suffix) {
        Some(power) => (
            i64::try_from(power).expect("ten at most") * 3 - 9,
            Format::DecimalSi,
        ),
        None => (scientific(parts.suffix)?, Format::DecimalExponent),
    };
    let digits: Vec<u8> = parts.digits().skip_while(|digit| *digit == 0).collect();
    let length = |text: &[u8]| i64::try_from(text.len()).expect("texts are shorter");
    // How many of the digits stand before the point when counted in billionths.
    let kept = length(&digits) - length(parts.fraction.as_bytes()) + exponent + 9;
    if digits.is_empty() || kept <= 0 {
        // Whoever asks for a little gets a little.
        return Ok((i128::from(digits.iter().any(|digit| *digit != 0)), format));
    }
    let kept = usize::try_from(kept).unwrap_or(usize::MAX);
    let mut nanos = 0_i128;
    for at in 0..kept {
        let digit = digits.get(at).copied().unwrap_or(0);
        let shifted = nanos
            .checked_mul(10)
            .and_then(|nanos| nanos.checked_add(digit.into()));
        nanos = shifted.ok_or(InvalidQuantity::TooLarge)?;
    }
    let rest = digits.iter().skip(kept).any(|digit| *digit != 0);
    Ok((nanos + i128::from(rest), format))
}

/// The power of ten of `e3`, `E-3`, `e+3`.
fn scientific(suffix: &str) -> Result<i64, InvalidQuantity> {
    let digits = suffix
        .strip_prefix(['e', 'E'])
        .ok_or(InvalidQuantity::Suffix)?;
    let exponent: i64 = digits.parse().map_err(|_| InvalidQuantity::Suffix)?;
    if i32::try_from(exponent).is_ok() {
        Ok(exponent)
    } else {
        Err(InvalidQuantity::TooLarge)
    }
}

/// Whole and fraction separately, so that nothing overflows before it is capped.
fn binary_magnitude(parts: &Parts<'_>, bits: usize) -> (i128, Format) {
    let limit = i128::from(i64::MAX);
    let whole = match parts.whole {
        "" => 0,
        digits => digits.parse().map_or(limit, |whole: i128| whole.min(limit)),
    };
    let (fraction, rest) = parts
        .fraction
        .split_at(parts.fraction.len().min(FRACTION_DIGITS));
    let scale = 10_i128.pow(u32::try_from(fraction.len()).expect("few digits are kept"));
    let mut below_one = fraction.parse::<i128>().unwrap_or(0);
    let mut times = |factor: i128| {
        let product = below_one * factor;
        below_one = product % scale;
        product / scale
    };
    // In steps of ten bits, because the product of all would not fit.
    let fraction_units = (0..bits / 10).fold(0, |units, _| units * 1024 + times(1024));
    let nanos = fraction_units * NANOS + times(NANOS);
    let lost = below_one != 0 || rest.bytes().any(|digit| digit != b'0');
    let nanos = nanos + i128::from(lost);
    let units = (whole << bits).min(limit);
    let total = (units * NANOS + nanos).min(limit * NANOS);
    // Less than one of anything is clearer in thousandths.
    let small = total > 0 && total < NANOS;
    (
        total,
        if small {
            Format::DecimalSi
        } else {
            Format::BinarySi
        },
    )
}

/// Digits behind these are less than a billionth of any unit; they only round up.
const FRACTION_DIGITS: usize = 28;

fn ceil_div(number: i128, divisor: i128) -> i128 {
    number.div_euclid(divisor) + i128::from(number.rem_euclid(divisor) != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quantity(text: &str) -> Quantity {
        text.parse().unwrap()
    }

    #[test]
    fn quantities_are_what_kubernetes_makes_of_them() {
        for line in include_str!("../testdata/quantity/quantities.tsv").lines() {
            let (text, expected) = line.split_once('\t').unwrap();
            let found = match text.parse::<Quantity>() {
                Ok(quantity) => format!("{}\t{quantity}", quantity.nanos()),
                Err(_) => "!".to_owned(),
            };
            assert_eq!(found, expected, "{text:?}");
        }
    }

    #[test]
    fn sums_are_written_like_their_first_part() {
        assert_eq!((quantity("100Mi") + quantity("320Mi")).to_string(), "420Mi");
        assert_eq!((Quantity::ZERO + quantity("1Gi")).to_string(), "1Gi");
        assert_eq!((quantity("250m") + quantity("0.1")).to_string(), "350m");
    }

    #[test]
    fn amounts_compare_by_value() {
        assert_eq!(quantity("1Gi"), quantity("1024Mi"));
        assert!(quantity("1500m") < quantity("2"));
        assert_eq!(
            (quantity("1u").millis(), quantity("-1500m").units()),
            (1, -1)
        );
    }

    #[test]
    fn amounts_beyond_measure_are_refused() {
        for text in ["1e30", "1e99999999999", "1e2147483647", &"9".repeat(60)] {
            assert_eq!(
                text.parse::<Quantity>(),
                Err(InvalidQuantity::TooLarge),
                "{text}"
            );
        }
    }
}
