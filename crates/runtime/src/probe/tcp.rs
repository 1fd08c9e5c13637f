//! TCP probes: a connection that opens is a success, and is closed again.

use super::Answer;
use super::connection::Connection;
use super::deadline::Deadline;
use super::trouble::Trouble;

/// Opens a connection.
pub(super) fn open(host: &str, port: u16, deadline: Deadline<'_>) -> Result<Answer, Trouble> {
    Connection::open(host, port, deadline).map(|_| Answer::success("connected"))
}
