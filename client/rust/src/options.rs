//! The options with which a client is created.

use std::fmt;
use std::sync::mpsc::{channel, RecvTimeoutError};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, SystemTime};

use crate::cache::Warn;
use crate::coverage::Release;
use crate::device::FingerprintSource;
use crate::input::is_version;
use crate::json::{trim, MAX_INTEGER};
use crate::state::InvalidOption;
use crate::storage::{MemoryStorage, Storage};
use crate::token::TOKEN_ISSUER;
use crate::transport::{Transport, UreqTransport};

/// A function that is called only once.
pub type Task = Box<dyn FnOnce() + Send>;
/// Runs a task once after a time, and returns a function that cancels it.
pub type Schedule = Arc<dyn Fn(Task, Duration) -> Task + Send + Sync>;

/// What [`consume`](crate::Client::consume) does with an amount if the service can't be reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Offline {
    /// The call fails.
    #[default]
    Refuse,
    /// The amount is stored, and sent when the service can be reached.
    Queue,
}

/// Options of a client. [`Options::new`] takes the required options. To change the default of another option, set its field.
#[derive(Clone)]
pub struct Options {
    /// The service's URL, such as `https://licenses.example.com`.
    pub base_url: String,
    /// The product's `id`.
    pub product_id: u64,
    /// The product's `api_key`; it ships with the app.
    pub api_key: String,
    /// Each item is a `public_key` of the product (PEM) or a JWK set of the product (JSON). Every given key is trusted, so that the
    /// service's signing key can be rotated.
    pub public_keys: Vec<String>,
    /// The product's slug: tokens for another audience are refused. Without a slug, only the signing key identifies the product.
    pub audience: Option<String>,
    /// The function that finds this device's fingerprint. Use [`machine_fingerprint`](crate::machine_fingerprint), or
    /// [`app_fingerprint`](crate::app_fingerprint) with the product's slug. Without a function, or if this machine has no fingerprint, the
    /// client creates a random id once and keeps it in `storage`.
    pub fingerprint: Option<FingerprintSource>,
    /// The storage for the license. Default: memory, so the license is lost when the process ends.
    pub storage: Arc<dyn Storage>,
    /// The name under which the data is stored: 1 to 100 letters, digits, `.`, `_` and `-`. The default name contains `product_id` and
    /// `base_url`. Set a name if the licenses must be kept when the service's URL changes.
    pub storage_name: Option<String>,
    /// How long an expired token is still accepted while the service can't be asked. The grace period ends no later than the license.
    pub grace: Duration,
    /// Maximum time for each of the two attempts of a request, and for each access to the storage. The fingerprint function may take twice
    /// as long. Default: 5 s.
    pub timeout: Duration,
    /// Pause between the two attempts of a request; a random time of up to half of the pause is added. Default: 500 ms.
    pub retry_delay: Duration,
    /// Accepts tokens that the operator issued without a device: they work on every machine to which they are copied.
    pub allow_unbound_tokens: bool,
    /// This build of the app. An activation takes no seat if the license doesn't cover this release. [`covers`](crate::Client::covers)
    /// checks this release, unless another one is passed. Activations and validations contain its version, so that the operator sees which
    /// versions are in use.
    pub release: Release,
    /// What [`consume`](crate::Client::consume) does with an amount if the service can't be reached. Default: the call fails.
    pub offline: Offline,
    /// Called with each fault that changes no result (for example, the cache can't be written), and with the fault's cause. Default: log
    /// both with `log::warn!`.
    pub on_warning: Warn,
    /// Sends HTTP requests. Default: `ureq`, with the proxies of the environment.
    pub transport: Arc<dyn Transport>,
    /// The clock.
    pub now: Arc<dyn Fn() -> SystemTime + Send + Sync>,
    /// Runs tasks later. Default: a timer in a thread of its own.
    pub schedule: Schedule,
}

impl fmt::Debug for Options {
    /// Shows the options that are not functions, without the API key.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Options")
            .field("base_url", &self.base_url)
            .field("product_id", &self.product_id)
            .field("public_keys", &self.public_keys)
            .field("audience", &self.audience)
            .field("storage_name", &self.storage_name)
            .field("grace", &self.grace)
            .field("timeout", &self.timeout)
            .field("retry_delay", &self.retry_delay)
            .field("allow_unbound_tokens", &self.allow_unbound_tokens)
            .field("release", &self.release)
            .field("offline", &self.offline)
            .finish_non_exhaustive()
    }
}

impl Options {
    /// Takes the required options, and sets the defaults of the other options.
    pub fn new(base_url: impl Into<String>, product_id: u64, api_key: impl Into<String>, public_key: impl Into<String>) -> Self {
        Self {
            base_url: base_url.into(),
            product_id,
            api_key: api_key.into(),
            public_keys: vec![public_key.into()],
            audience: None,
            fingerprint: None,
            storage: Arc::new(MemoryStorage::default()),
            storage_name: None,
            grace: Duration::ZERO,
            timeout: Duration::from_secs(5),
            retry_delay: Duration::from_millis(500),
            allow_unbound_tokens: false,
            release: Release::default(),
            offline: Offline::default(),
            on_warning: Arc::new(|message, cause| log::warn!("{message}: {cause}")),
            transport: Arc::new(UreqTransport::default()),
            now: Arc::new(SystemTime::now),
            schedule: Arc::new(start_timer),
        }
    }

    pub(crate) fn check(&self) -> Result<(), InvalidOption> {
        const MAX_TIMEOUT: Duration = Duration::from_secs(600);
        const MAX_GRACE: Duration = Duration::from_secs(36_500 * 86_400);
        let address = strip_scheme(&self.base_url).unwrap_or_default();
        let is_address =
            !address.is_empty() && !address.starts_with('/') && !address.contains(|character: char| character.is_whitespace() || "?#@".contains(character));
        let is_name = |name: &String| (1..=100).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte));
        let checks = [
            (is_address, "base_url"),
            (self.product_id > 0 && self.product_id as f64 <= MAX_INTEGER, "product_id"),
            (!self.api_key.is_empty() && self.api_key.bytes().all(|byte| byte.is_ascii_graphic()), "api_key"),
            (self.audience.as_ref().is_none_or(|audience| !trim(audience).is_empty()), "audience"),
            (self.storage_name.as_ref().is_none_or(is_name), "storage_name"),
            (self.grace <= MAX_GRACE, "grace"),
            (!self.timeout.is_zero() && self.timeout <= MAX_TIMEOUT, "timeout"),
            (self.retry_delay <= MAX_TIMEOUT, "retry_delay"),
            (self.release.version.as_deref().is_none_or(is_version), "release"),
        ];
        checks.into_iter().find(|(is_good, _)| !is_good).map_or(Ok(()), |(_, option)| Err(InvalidOption(option)))
    }

    /// The option `storage_name`, or a default name. The default name contains the product's id and the service's URL without its scheme,
    /// in lower case, with `_` for characters that file names can't contain. The environments of a service, such as test and production,
    /// have different URLs, so their storage names differ.
    pub(crate) fn storage_name(&self, address: &str) -> String {
        let mut place = String::new();
        for character in strip_scheme(address).unwrap_or(address).chars() {
            if character.is_ascii_alphanumeric() || ".-".contains(character) {
                place.push(character.to_ascii_lowercase());
            } else if !place.ends_with('_') {
                place.push('_');
            }
        }
        self.storage_name.clone().unwrap_or_else(|| format!("{TOKEN_ISSUER}.{}.{place}", self.product_id))
    }
}

/// The part of a URL after its scheme; None if the scheme is neither `http` nor `https`.
pub(crate) fn strip_scheme(address: &str) -> Option<&str> {
    let (scheme, rest) = address.split_once("://")?;
    ["http", "https"].iter().any(|known| scheme.eq_ignore_ascii_case(known)).then_some(rest)
}

fn start_timer(task: Task, after: Duration) -> Task {
    let (cancel, is_cancelled) = channel::<()>();
    thread::spawn(move || {
        if is_cancelled.recv_timeout(after) == Err(RecvTimeoutError::Timeout) {
            task();
        }
    });
    Box::new(move || drop(cancel))
}
