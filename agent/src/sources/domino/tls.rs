//! Whom a connection over TLS trusts: the authorities the system trusts, and those of a file.
//!
//! Refused: a connection that trusts anybody.

use std::path::Path;
use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};

use super::watched_file::{open, read_bounded};
use crate::sources::SourceError;

/// In bytes. A system's whole bundle has a quarter.
const LARGEST: usize = 1 << 20;

/// What a client trusts that has these roots.
///
/// # Errors
/// Where the cryptography cannot speak the versions that are safe.
pub fn trusting(roots: RootCertStore) -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    Ok(builder.with_root_certificates(roots).with_no_client_auth())
}

/// The authorities of the system, and those of `ca_file` beside them; `setting` names that file.
pub(super) fn roots(ca_file: Option<&Path>, setting: &str) -> Result<RootCertStore, SourceError> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if let Some(path) = ca_file {
        let (file, _) = open(path, setting)?;
        let bytes = read_bounded(path, &file, LARGEST)?;
        let certificates: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&bytes).collect();
        let (added, _) = roots.add_parsable_certificates(certificates.unwrap_or_default());
        if added == 0 {
            return Err(SourceError::Refused {
                what: format!("`{}` holds no certificate", path.display()),
                next: format!("set `{setting}` in [[partition]] to a PEM file with the certificate of the authority"),
            });
        }
    }
    if roots.is_empty() {
        return Err(SourceError::Refused {
            what: "this system trusts no authority".to_owned(),
            next: format!("install its package `ca-certificates`, or set `{setting}` in [[partition]]"),
        });
    }
    Ok(roots)
}
