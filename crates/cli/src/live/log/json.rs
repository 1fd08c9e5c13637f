//! A line of a container as JSON.
//!
//! The object has one field, `log`, which no record of a timeline has: whoever reads both from one
//! stream tells them apart by it.

use super::Stream;
use super::tail::Piece;
use pillion_runtime::clean;

/// Appends the object, without a line feed. The times are `"at":…` and, where known, `"time":…`.
///
/// The line has no colours: they say nothing to a program.
pub(super) fn write(name: &str, stream: Stream, times: &str, piece: Piece<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"log\":{\"container\":");
    string(name, out);
    out.extend_from_slice(b",\"stream\":\"");
    out.extend_from_slice(stream.as_str().as_bytes());
    out.extend_from_slice(b"\",");
    out.extend_from_slice(times.as_bytes());
    out.extend_from_slice(b",\"line\":");
    string(&clean::text(piece.bytes), out);
    if piece.partial {
        out.extend_from_slice(b",\"partial\":true");
    }
    out.extend_from_slice(b"}}");
}

fn string(text: &str, out: &mut Vec<u8>) {
    serde_json::to_writer(out, text).expect("memory takes every string");
}

// === impl Stream ===

impl Stream {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Stdout => "stdout",
            Self::Stderr => "stderr",
        }
    }
}
