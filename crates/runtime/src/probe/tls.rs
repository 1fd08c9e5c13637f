//! TLS for probes: whoever answers is believed.
//!
//! A container's certificate is seldom made out to the address that it is probed at, and a probe has no secret to give
//! away. So nothing about the certificate is checked, not even that the other side has its key.

use super::connection::{Connection, Stream};
use super::trouble::Trouble;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, ClientConnection, DigitallySignedStruct, SignatureScheme, StreamOwned};
use std::io::{self, Read, Write};
use std::sync::{Arc, OnceLock};

/// A connection whose other side may close it without a word, as many servers do.
#[derive(Debug)]
struct Secure(StreamOwned<ClientConnection, Connection>);

/// Believes everybody.
#[derive(Debug)]
struct Anybody(Arc<CryptoProvider>);

/// Agrees on keys with the other side.
pub(super) fn wrap(host: &str, mut connection: Connection) -> Result<Box<dyn Stream>, Trouble> {
    // What is no name in the eyes of TLS can still be an address.
    let name = match ServerName::try_from(host.to_owned()) {
        Ok(name) => name,
        Err(_) => ServerName::from(connection.peer()?),
    };
    let mut client = ClientConnection::new(config()?, name).map_err(Trouble::Tls)?;
    while client.is_handshaking() {
        if let Err(error) = client.complete_io(&mut connection) {
            if connection.was_greeted_in_http() {
                return Err(Trouble::PlainHttp);
            }
            return Err(error.into());
        }
    }
    Ok(Box::new(Secure(StreamOwned::new(client, connection))))
}

/// Made once: all probes want the same.
fn config() -> Result<Arc<ClientConfig>, Trouble> {
    static CONFIG: OnceLock<Arc<ClientConfig>> = OnceLock::new();
    if let Some(config) = CONFIG.get() {
        return Ok(Arc::clone(config));
    }
    let provider = Arc::new(ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(Trouble::Tls)?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(Anybody(provider)))
        .with_no_client_auth();
    // Each attempt is a new acquaintance: a server that cannot make one any more must be noticed.
    config.resumption = rustls::client::Resumption::disabled();
    Ok(Arc::clone(CONFIG.get_or_init(|| Arc::new(config))))
}

// === impl Secure ===

impl Read for Secure {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.0.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(0),
            read => read,
        }
    }
}

impl Write for Secure {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.0.write(buffer)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

// === impl Anybody ===

impl ServerCertVerifier for Anybody {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _message: &[u8],
        _cert: &CertificateDer<'_>,
        _dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _message: &[u8],
        _cert: &CertificateDer<'_>,
        _dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
