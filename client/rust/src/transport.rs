//! Sends the client's HTTP requests. Apps may provide a transport of their own.

use std::error::Error;
use std::time::Duration;

use crate::json::trim;

/// Maximum size of a response, in bytes. A list of 1,000 devices or a release with 50 files is smaller. A transport may stop reading one
/// byte after this maximum.
pub const MAX_RESPONSE_BYTES: usize = 1_048_576;

/// A request to the service.
#[derive(Clone, Debug)]
pub struct Request {
    /// The HTTP method: `GET`, or `POST` with a body.
    pub method: &'static str,
    pub url: String,
    pub headers: Vec<(&'static str, String)>,
    pub body: Option<String>,
    /// Time limit after which the client no longer waits for the response.
    pub timeout: Duration,
}

/// A response, regardless of its status.
#[derive(Clone, Debug, Default)]
pub struct Response {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Response {
    /// The value of a header, whose name may be in any case. Not every HTTP library removes the white space around a value.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(header, _)| header.eq_ignore_ascii_case(name)).map(|(_, value)| trim(value))
    }
}

/// Sends requests. A transport must not follow redirects, because only the service may receive the license key.
pub trait Transport: Send + Sync {
    /// # Errors
    /// There was no response. The error text is for logs and must not contain the URL, because the URL contains the key.
    fn send(&self, request: Request) -> Result<Response, Box<dyn Error + Send + Sync>>;
}

/// Uses the proxies of the environment, and the certificates that the platform trusts.
pub(crate) struct UreqTransport(ureq::Agent);

impl Default for UreqTransport {
    fn default() -> Self {
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .user_agent(concat!("license-key-client-rust/", env!("CARGO_PKG_VERSION")));
        #[cfg(feature = "tls")]
        let config = config.tls_config(ureq::tls::TlsConfig::builder().root_certs(ureq::tls::RootCerts::PlatformVerifier).build());
        Self(config.build().into())
    }
}

impl Transport for UreqTransport {
    fn send(&self, request: Request) -> Result<Response, Box<dyn Error + Send + Sync>> {
        // The timeout is one second longer than the client's own limit for the whole response, so that the client's limit applies first.
        let timeout = Some(request.timeout + Duration::from_secs(1));
        let mut response = match request.body {
            None => {
                let asked = request.headers.iter().fold(self.0.get(&request.url), |asked, (name, value)| asked.header(*name, value));
                asked.config().timeout_global(timeout).build().call()?
            }
            Some(body) => {
                let asked = request.headers.iter().fold(self.0.post(&request.url), |asked, (name, value)| asked.header(*name, value));
                asked.config().timeout_global(timeout).build().send(body)?
            }
        };
        let status = response.status().as_u16();
        if matches!(status, 301 | 302 | 303 | 307 | 308) {
            return Err("the response is a redirect".into());
        }
        let headers = response.headers().iter().map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned())).collect();
        let mut body = Vec::new();
        std::io::Read::read_to_end(&mut std::io::Read::take(response.body_mut().as_reader(), MAX_RESPONSE_BYTES as u64 + 1), &mut body)?;
        Ok(Response { status, headers, body })
    }
}
