//! Bytes that are not always text, in a line of JSON: a string with one character for each byte.
//!
//! Most of what containers write is plain text, which stays readable and as long as it was.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Any bytes.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Bytes(pub(crate) Vec<u8>);

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text: String = self.0.iter().copied().map(char::from).collect();
        serializer.serialize_str(&text)
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let bytes = text.chars().map(u8::try_from);
        let bytes = bytes.collect::<Result<_, _>>();
        bytes.map(Self).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_arrives() {
        let all = Bytes((0..=255).collect());
        let line = serde_json::to_string(&all).expect("it can be written");
        assert_eq!(
            serde_json::from_str::<Bytes>(&line).expect("it is ours"),
            all
        );
        let text = Bytes(b"serving on :8080".to_vec());
        let line = serde_json::to_string(&text).expect("it can be written");
        assert_eq!(line, r#""serving on :8080""#);
        assert!(serde_json::from_str::<Bytes>("\"\u{2014}\"").is_err());
    }
}
