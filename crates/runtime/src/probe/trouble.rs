//! Why an attempt got no answer that could be judged.

use std::io;
use std::time::Duration;

/// What went wrong.
#[derive(Debug, thiserror::Error)]
pub(super) enum Trouble {
    /// The time was over.
    #[error("no answer in time")]
    Late,
    /// Nobody listens.
    #[error("connection refused")]
    Refused,
    /// The other side hung up.
    #[error("connection closed without an answer")]
    Closed,
    /// The name has no address.
    #[error("no address for {host}")]
    NoAddress { host: String },
    /// The operating system said no.
    #[error("{0}")]
    Io(io::Error),
    /// The request cannot be written down.
    #[error("the header {name} cannot be sent")]
    Header { name: String },
    /// What came back is something else.
    #[error("not an HTTP answer")]
    NotHttp,
    /// The answer's head or frames outgrow what a probe looks at.
    #[error("the answer is too long")]
    TooLong,
    /// The answer began well and broke off.
    #[error("HTTP {status}, but the answer broke off")]
    Body { status: u16 },
    /// A redirect that leads nowhere.
    #[error("redirected to {location}, which cannot be followed")]
    Redirect { location: String },
    /// Each answer named another place.
    #[error("stopped after 10 redirects")]
    Redirects,
    /// No TLS connection.
    #[error("TLS failed: {0}")]
    Tls(rustls::Error),
    /// Something else than TLS came back.
    #[error("the server does not speak TLS")]
    NotTls,
    /// HTTPS was wanted.
    #[error("the server speaks HTTP, not HTTPS")]
    PlainHttp,
    /// HTTP/2 was wanted.
    #[error("not a gRPC server")]
    NotGrpc,
    /// The other side gave the call up.
    #[error("gRPC call given up by the server")]
    Reset,
}

// === impl Trouble ===

impl Trouble {
    /// What to say of an attempt that had this time.
    pub(super) fn words(&self, timeout: Duration) -> String {
        match self {
            Self::Late => format!("no answer within {}", seconds(timeout)),
            Self::Refused
            | Self::Closed
            | Self::NoAddress { .. }
            | Self::Io(_)
            | Self::Header { .. }
            | Self::NotHttp
            | Self::TooLong
            | Self::Body { .. }
            | Self::Redirect { .. }
            | Self::Redirects
            | Self::Tls(_)
            | Self::NotTls
            | Self::PlainHttp
            | Self::NotGrpc
            | Self::Reset => self.to_string(),
        }
    }
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        #[expect(
            clippy::wildcard_enum_match_arm,
            reason = "the standard library's kinds grow"
        )]
        match error.kind() {
            // A socket whose time is over says that it would block.
            io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => Self::Late,
            io::ErrorKind::ConnectionRefused => Self::Refused,
            io::ErrorKind::ConnectionReset
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::BrokenPipe
            | io::ErrorKind::UnexpectedEof => Self::Closed,
            _ => match error.downcast::<rustls::Error>() {
                Ok(rustls::Error::InvalidMessage(_)) => Self::NotTls,
                Ok(error) => Self::Tls(error),
                Err(error) => Self::Io(error),
            },
        }
    }
}

/// `1 s`, `0.2 s`.
fn seconds(time: Duration) -> String {
    format!("{} s", time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_late_answer_tells_the_time_it_had() {
        let words = |millis| Trouble::Late.words(Duration::from_millis(millis));

        assert_eq!(words(1000), "no answer within 1 s");
        assert_eq!(words(200), "no answer within 0.2 s");
    }

    #[test]
    fn an_error_of_the_system_keeps_its_words() {
        let error = io::Error::other("no such luck");

        assert_eq!(Trouble::from(error).to_string(), "no such luck");
    }
}
