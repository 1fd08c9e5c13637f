//! HTTPS, with a certificate that says nothing of anybody. Neither a kubelet nor Pillion looks at it.

use super::{Visitor, http};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, Stream};
use std::io::{self, Write as _};
use std::sync::Arc;

/// The key is in it, too: nobody is to trust it.
const CERTIFICATE: &[u8] =
    include_bytes!("../../../../../runtime/tests/process_probe/throwaway.pem");

/// Answers one request.
pub(super) fn converse(config: Arc<ServerConfig>, visitor: &Visitor) -> io::Result<()> {
    let mut connection = ServerConnection::new(config).map_err(io::Error::other)?;
    let mut socket = &visitor.stream;
    let mut stream = Stream::new(&mut connection, &mut socket);
    http::converse(&mut stream, visitor)?;
    stream.conn.send_close_notify();
    stream.flush()
}

pub(super) fn config() -> io::Result<Arc<ServerConfig>> {
    let certificate = CertificateDer::from_pem_slice(CERTIFICATE).map_err(io::Error::other)?;
    let key = PrivateKeyDer::from_pem_slice(CERTIFICATE).map_err(io::Error::other)?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?;
    let config = config.with_no_client_auth();
    let config = config.with_single_cert(vec![certificate], key);
    config.map(Arc::new).map_err(io::Error::other)
}
