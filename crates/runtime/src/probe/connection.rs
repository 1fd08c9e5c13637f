//! Connections, under one deadline from the name to the last byte.

use super::Purpose;
use super::deadline::{Deadline, Until};
use super::thread::at_once;
use super::trouble::Trouble;
use std::io::{self, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpStream, ToSocketAddrs as _};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;

/// What can be read and written.
pub(super) trait Stream: Read + Write {}

impl<S: Read + Write> Stream for S {}

/// An open connection: each call gets what is left of the time, and fails when nothing is.
#[derive(Debug)]
pub(super) struct Connection {
    stream: Arc<TcpStream>,
    until: Until,
    /// What the other side said first, to tell who it is.
    greeting: Greeting,
}

/// The first few bytes from the other side.
#[derive(Debug, Default)]
struct Greeting {
    bytes: [u8; 5],
    length: usize,
}

/// How many names may be looked up at once: as many as there are attempts. A lookup cannot be called back, so one that
/// hangs outlives its attempt.
const LOOKUPS: usize = at_once(Purpose::Probe) + at_once(Purpose::Hook);

/// The resolver of the C library keeps whole answers on its stack.
const LOOKUP_STACK: usize = 256 << 10;

static LOOKUPS_UNDER_WAY: AtomicUsize = AtomicUsize::new(0);

// === impl Connection ===

impl Connection {
    /// Connects to the first address of a host that answers.
    pub(super) fn open(host: &str, port: u16, deadline: Deadline<'_>) -> Result<Self, Trouble> {
        let addresses = addresses(host, port, deadline)?;
        let mut trouble = Trouble::NoAddress { host: host.into() };
        for (tried, address) in addresses.iter().enumerate() {
            let time = deadline.share(addresses.len() - tried)?;
            match TcpStream::connect_timeout(address, time) {
                Ok(stream) => return Ok(Self::new(stream, deadline)?),
                Err(error) => trouble = error.into(),
            }
        }
        Err(trouble)
    }

    fn new(stream: TcpStream, deadline: Deadline<'_>) -> io::Result<Self> {
        // Only costs time if it fails.
        let _ = stream.set_nodelay(true);
        let stream = Arc::new(stream);
        deadline.line.hold(&stream)?;
        Ok(Self {
            stream,
            until: deadline.until,
            greeting: Greeting::default(),
        })
    }

    /// The address of the other side.
    pub(super) fn peer(&self) -> io::Result<IpAddr> {
        self.stream.peer_addr().map(|address| address.ip())
    }

    /// Whether the other side began to speak HTTP/1.
    pub(super) fn was_greeted_in_http(&self) -> bool {
        &self.greeting.bytes == b"HTTP/"
    }
}

impl Read for Connection {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = uninterrupted(|| {
            self.stream.set_read_timeout(Some(self.until.left()?))?;
            (&*self.stream).read(buffer)
        })?;
        self.greeting.hear(buffer.get(..read).unwrap_or_default());
        Ok(read)
    }
}

impl Write for Connection {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        uninterrupted(|| {
            self.stream.set_write_timeout(Some(self.until.left()?))?;
            (&*self.stream).write(buffer)
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn uninterrupted(mut step: impl FnMut() -> io::Result<usize>) -> io::Result<usize> {
    loop {
        match step() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            done => return done,
        }
    }
}

// === impl Greeting ===

impl Greeting {
    fn hear(&mut self, bytes: &[u8]) {
        let free = self.bytes.get_mut(self.length..).unwrap_or_default();
        for (place, byte) in free.iter_mut().zip(bytes) {
            *place = *byte;
            self.length += 1;
        }
    }
}

/// All addresses of a host. An address is its own, without asking anybody.
fn addresses(host: &str, port: u16, deadline: Deadline<'_>) -> Result<Vec<SocketAddr>, Trouble> {
    if let Ok(address) = host.parse::<IpAddr>() {
        return Ok(vec![SocketAddr::new(address, port)]);
    }
    let unknown = || Trouble::NoAddress { host: host.into() };
    let looked_up = look_up(host.to_owned(), port)?;
    match looked_up.recv_timeout(deadline.left()?) {
        Ok(addresses) => addresses.map_err(|_| unknown()),
        Err(mpsc::RecvTimeoutError::Timeout) => Err(Trouble::Late),
        Err(mpsc::RecvTimeoutError::Disconnected) => Err(unknown()),
    }
}

/// Looks a name up on a thread of its own, since there is no way to set the resolver a time.
fn look_up(
    host: String,
    port: u16,
) -> Result<mpsc::Receiver<io::Result<Vec<SocketAddr>>>, Trouble> {
    let (sender, receiver) = mpsc::sync_channel(1);
    if LOOKUPS_UNDER_WAY.fetch_add(1, Ordering::Relaxed) >= LOOKUPS {
        LOOKUPS_UNDER_WAY.fetch_sub(1, Ordering::Relaxed);
        return Err(io::Error::other("too many names are being looked up").into());
    }
    let thread = thread::Builder::new()
        .name("lookup".into())
        .stack_size(LOOKUP_STACK);
    let spawned = thread.spawn(move || {
        let addresses = (host.as_str(), port).to_socket_addrs();
        LOOKUPS_UNDER_WAY.fetch_sub(1, Ordering::Relaxed);
        // Nobody listens any more when the attempt is over.
        let _ = sender.send(addresses.map(Iterator::collect));
    });
    spawned.inspect_err(|_| {
        LOOKUPS_UNDER_WAY.fetch_sub(1, Ordering::Relaxed);
    })?;
    Ok(receiver)
}
