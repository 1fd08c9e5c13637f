//! Answers everybody who connects to its standard input with its argument, for the tests.

use std::io::{self, Write as _};
use std::net::TcpListener;
use std::os::fd::AsFd as _;

fn main() -> io::Result<()> {
    let answer = std::env::args().nth(1).unwrap_or_default();
    let listener = TcpListener::from(io::stdin().as_fd().try_clone_to_owned()?);
    writeln!(io::stdout(), "answering {answer}")?;
    loop {
        let (mut stream, _) = listener.accept()?;
        // Whoever does not want to hear it has gone.
        let _ = stream.write_all(answer.as_bytes());
    }
}
