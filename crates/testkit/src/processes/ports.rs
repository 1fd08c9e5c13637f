//! Ports of this machine that stand for those of a pod.
//!
//! Host processes share the machine's network, and pods are played side by side, by several processes of tests: each
//! play has ports that nobody else gets as long as it goes on.

use std::collections::BTreeMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, UdpSocket};
use std::sync::atomic::{AtomicU32, Ordering};

/// The ports of one play, by those of its pod.
#[derive(Debug, Default)]
pub(crate) struct Ports(BTreeMap<u16, Port>);

/// A port that is kept.
#[derive(Debug)]
struct Port {
    address: SocketAddr,
    /// Nobody here speaks UDP: whoever holds this number there has it for TCP as well, in whatever process.
    _held: UdpSocket,
}

/// Below those that the kernel gives to whoever connects.
const FIRST: u32 = 20_000;
const COUNT: u32 = 10_000;

/// Processes that begin one after the other begin far from each other.
const STRIDE: u32 = 61;

// === impl Ports ===

impl Ports {
    /// The place that stands for a port, always the same one.
    pub(crate) fn place(&mut self, port: u16) -> io::Result<SocketAddr> {
        if let Some(there) = self.0.get(&port) {
            return Ok(there.address);
        }
        let free = Port::free()?;
        let address = free.address;
        self.0.insert(port, free);
        Ok(address)
    }
}

// === impl Port ===

impl Port {
    fn free() -> io::Result<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let first = std::process::id().wrapping_mul(STRIDE);
        for _ in 0..COUNT {
            let place = first.wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed)) % COUNT;
            let port = u16::try_from(FIRST + place).unwrap_or_default();
            if let Ok(port) = Self::hold((Ipv4Addr::LOCALHOST, port).into()) {
                return Ok(port);
            }
        }
        Err(io::ErrorKind::AddrInUse.into())
    }

    fn hold(address: SocketAddr) -> io::Result<Self> {
        let held = UdpSocket::bind(address)?;
        TcpListener::bind(address)?;
        Ok(Self {
            address,
            _held: held,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_plays_have_different_ports_and_keep_them() {
        let (mut one, mut other) = (Ports::default(), Ports::default());
        let place = one.place(80).unwrap();

        assert_eq!(one.place(80).unwrap(), place);
        assert_ne!(one.place(81).unwrap(), place);
        assert_ne!(other.place(80).unwrap(), place);
        assert!(Port::hold(place).is_err());
        assert!(TcpListener::bind(place).is_ok());
    }
}
