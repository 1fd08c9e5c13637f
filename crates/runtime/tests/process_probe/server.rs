//! Servers on loopback that do what a test says, well or badly.

use rustix::net::{AddressFamily, SocketType, bind, getsockname, socket};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned, SupportedProtocolVersion};
use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// Serves each connection, one after the other: the port.
pub(crate) fn serve(mut each: impl FnMut(TcpStream) + Send + 'static) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for stream in listener.incoming() {
            each(stream.unwrap());
        }
    });
    port
}

/// Answers each request with what its head calls for.
pub(crate) fn answer(mut each: impl FnMut(&str) -> String + Send + 'static) -> u16 {
    serve(move |mut stream| {
        let request = head(&mut stream);
        say(&mut stream, each(&request).as_bytes());
    })
}

/// Answers every request with this.
pub(crate) fn always(response: impl Into<String>) -> u16 {
    let response = response.into();
    answer(move |_| response.clone())
}

/// Answers over TLS, and hangs up without saying so.
pub(crate) fn secure(version: &'static SupportedProtocolVersion, response: &'static str) -> u16 {
    let config = Arc::new(config(version));
    serve(move |stream| {
        let connection = ServerConnection::new(Arc::clone(&config)).unwrap();
        let mut stream = StreamOwned::new(connection, stream);
        let _ = head(&mut stream);
        stream.write_all(response.as_bytes()).unwrap();
        stream.flush().unwrap();
    })
}

/// A port that nobody listens on, and nobody else gets as long as the tests run.
pub(crate) fn closed() -> u16 {
    let socket = socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
    bind(&socket, &SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).unwrap();
    let address = getsockname(&socket).unwrap();
    std::mem::forget(socket);
    SocketAddr::try_from(address).unwrap().port()
}

/// Says something, and listens until the other side hangs up. That it does so early is none of a server's business.
pub(crate) fn say(stream: &mut TcpStream, bytes: &[u8]) {
    if stream.write_all(bytes).is_ok() {
        stream
            .shutdown(std::net::Shutdown::Write)
            .unwrap_or_default();
        hear_out(stream);
    }
}

/// Listens until the other side hangs up.
pub(crate) fn hear_out(stream: &mut TcpStream) {
    let mut buffer = [0; 1024];
    while stream.read(&mut buffer).is_ok_and(|read| read > 0) {}
}

/// Says the same again and again, with pauses, until the other side hangs up.
pub(crate) fn drip(stream: &mut TcpStream, bytes: &[u8]) {
    stream
        .set_read_timeout(Some(Duration::from_millis(5)))
        .unwrap();
    while stream.write_all(bytes).is_ok() && falls_silent(stream) {}
}

/// Hears the other side out; says whether it is still there.
fn falls_silent(stream: &mut TcpStream) -> bool {
    let mut buffer = [0; 1024];
    loop {
        match stream.read(&mut buffer) {
            Ok(0) => return false,
            Ok(_) => {}
            Err(error) => return error.kind() == ErrorKind::WouldBlock,
        }
    }
}

/// The head of a request.
pub(crate) fn head(stream: &mut impl Read) -> String {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|read| read > 0) {
        head.push(byte[0]);
    }
    String::from_utf8(head).unwrap()
}

fn config(version: &'static SupportedProtocolVersion) -> ServerConfig {
    let pem = include_bytes!("throwaway.pem");
    let certificate = CertificateDer::from_pem_slice(pem).unwrap();
    let key = PrivateKeyDer::from_pem_slice(pem).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(&[version])
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .unwrap()
}
