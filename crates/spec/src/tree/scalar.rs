//! What an unquoted scalar is.
//!
//! These are the rules of the YAML reader inside `kubectl`, which are those of YAML 1.1 with a few
//! of Go's own: `0644` and `0o644` are octal, `yes`, `on` and `y` are true, `1_000` is a number,
//! `08` and `1e3` are floats, dates are text. The table in `testdata/scalars.tsv` was made by that
//! reader itself.

use super::Value;

/// Why a tagged scalar has no meaning.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Refusal {
    /// The text is not of the type that its tag says.
    TagMismatch,
    /// `!!binary` without base64 that is text.
    NotBase64,
    /// Infinity or not-a-number.
    NoJsonForm,
}

/// The value of an unquoted, untagged scalar; none if it is the text itself.
pub(super) fn resolve(text: &str) -> Result<Option<Value>, Refusal> {
    match text.as_bytes().first() {
        None => Ok(Some(Value::Null)),
        Some(b'.') => match fixed_word(text) {
            Ok(None) => Ok(float(&without_separators(text))),
            found => found,
        },
        Some(b'+' | b'-' | b'0'..=b'9') => match fixed_word(text) {
            Ok(None) => Ok(number(text)),
            found => found,
        },
        Some(b'y' | b'Y' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'o' | b'O' | b'~') => {
            fixed_word(text)
        }
        Some(_) => Ok(None),
    }
}

/// The value of a scalar with a tag, quoted or not; none if it is the text itself. `tag` is in its
/// short form: `!!int`, `!mine`.
pub(super) fn resolve_tagged(tag: &str, text: &str) -> Result<Option<Value>, Refusal> {
    let only = |fits: fn(&Value) -> bool| match resolve(text)? {
        Some(value) if fits(&value) => Ok(Some(value)),
        Some(_) | None => Err(Refusal::TagMismatch),
    };
    match tag {
        "!!bool" => only(|value| matches!(value, Value::Bool(_))),
        "!!int" => only(|value| matches!(value, Value::Int(_))),
        "!!float" => only(|value| matches!(value, Value::Float(_) | Value::Int(_))),
        "!!null" => only(|value| matches!(value, Value::Null)),
        "!!timestamp" if !looks_like_date(text) => Err(Refusal::TagMismatch),
        "!!binary" => crate::base64::decode(text)
            .and_then(|bytes| String::from_utf8(bytes).ok())
            .map(|text| Some(Value::String(text)))
            .ok_or(Refusal::NotBase64),
        // `!!str`, and tags that nobody here knows.
        _ => Ok(None),
    }
}

/// A value as the text of a key, as `kubectl` writes it into JSON.
pub(super) fn key_text(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text),
        Value::Bool(truth) => Some(truth.to_string()),
        Value::Int(number) => i64::try_from(number).ok().map(|number| number.to_string()),
        Value::Float(number) => Some(float_key(number)),
        Value::Null | Value::Sequence(_) | Value::Mapping(_) => None,
    }
}

/// Infinity and not-a-number cannot be values, but as keys they become text.
pub(super) fn infinite_key(text: &str) -> &'static str {
    match text.as_bytes() {
        [b'-', ..] => "-.inf",
        [b'.', b'n' | b'N', ..] => ".nan",
        _ => ".inf",
    }
}

fn fixed_word(text: &str) -> Result<Option<Value>, Refusal> {
    match text {
        "~" | "null" | "Null" | "NULL" => Ok(Some(Value::Null)),
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
            Ok(Some(Value::Bool(true)))
        }
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            Ok(Some(Value::Bool(false)))
        }
        ".nan" | ".NaN" | ".NAN" | ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF"
        | "-.inf" | "-.Inf" | "-.INF" => Err(Refusal::NoJsonForm),
        _ => Ok(None),
    }
}

/// An integer in any of Go's notations, or a decimal float, with `_` anywhere.
fn number(text: &str) -> Option<Value> {
    let plain = if text.contains('_') {
        text.replace('_', "")
    } else {
        text.to_owned()
    };
    integer(&plain).map(Value::Int).or_else(|| float(&plain))
}

/// Go lets `_` separate digits of a float that begins with a dot, and nothing else.
fn without_separators(text: &str) -> String {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let separates = |(at, _): (usize, &str)| digit(at.wrapping_sub(1)) && digit(at + 1);
    if text.match_indices('_').all(separates) {
        text.replace('_', "")
    } else {
        text.to_owned()
    }
}

fn integer(text: &str) -> Option<i128> {
    let (negative, signed, digits) = match text.as_bytes().first()? {
        b'-' => (true, true, &text[1..]),
        b'+' => (false, true, &text[1..]),
        _ => (false, false, text),
    };
    let (radix, digits) = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, &digits[2..]),
        [b'0', b'o' | b'O', ..] => (8, &digits[2..]),
        [b'0', b'b' | b'B', ..] => (2, &digits[2..]),
        [b'0', _, ..] => (8, &digits[1..]),
        _ => (10, digits),
    };
    if !digits.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return None;
    }
    let magnitude = i128::from(u64::from_str_radix(digits, radix).ok()?);
    let number = if negative { -magnitude } else { magnitude };
    // Only a number without a sign may need the sixty-fourth bit.
    (!signed || i64::try_from(number).is_ok()).then_some(number)
}

/// A decimal float; anything that overflows is text.
fn float(text: &str) -> Option<Value> {
    if !is_decimal(text) {
        return None;
    }
    let number: f64 = text.parse().ok()?;
    number.is_finite().then_some(Value::Float(number))
}

/// Whether a text is `[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`.
fn is_decimal(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = match unsigned.find(['e', 'E']) {
        Some(at) => (&unsigned[..at], Some(&unsigned[at + 1..])),
        None => (unsigned, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = all_digits(whole)
        && all_digits(fraction)
        && mantissa.len() > usize::from(mantissa.contains('.'));
    digits
        && exponent.is_none_or(|exponent| {
            let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
            !digits.is_empty() && all_digits(digits)
        })
}

fn all_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// `2001-…`: every date form that YAML knows begins so, and all of them are text in the end.
fn looks_like_date(text: &str) -> bool {
    text.len() >= 8 && text.as_bytes()[4] == b'-' && all_digits(&text[..4])
}

/// A float as a key: the shortest digits that a 32-bit float needs, as Go's `%g` writes them.
fn float_key(number: f64) -> String {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "kubectl narrows keys to 32 bits"
    )]
    let narrow = number as f32;
    if narrow.is_infinite() {
        return if narrow > 0.0 {
            ".inf".to_owned()
        } else {
            "-.inf".to_owned()
        };
    }
    let scientific = format!("{narrow:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if (-4..6).contains(&exponent) {
        return format!("{narrow}");
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.abs())
}
