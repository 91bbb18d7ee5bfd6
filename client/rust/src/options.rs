//! What a client is made with.

use std::sync::mpsc::{channel, RecvTimeoutError};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, SystemTime};

use crate::cache::Warn;
use crate::coverage::Release;
use crate::device::FingerprintSource;
use crate::json::{trim, MAX_INTEGER};
use crate::state::InvalidOption;
use crate::storage::{MemoryStorage, Storage};
use crate::token::TOKEN_ISSUER;
use crate::transport::{Transport, UreqTransport};

/// What is run once, later.
pub type Task = Box<dyn FnOnce() + Send>;
/// Runs a task once after a time, and gives what cancels that.
pub type Schedule = Arc<dyn Fn(Task, Duration) -> Task + Send + Sync>;

/// Options of a client: [`Options::new`] has what is required, and the fields what may be changed.
#[derive(Clone)]
pub struct Options {
    /// The service's address, such as `https://licenses.example.com`.
    pub base_url: String,
    /// The product's `id`.
    pub product_id: u64,
    /// The product's `api_key`; it ships with the app.
    pub api_key: String,
    /// The product's `public_key` (PEM), its JWK set (JSON), or several of them: every key given is trusted, so that the
    /// service's signing key can be rotated.
    pub public_keys: Vec<String>,
    /// The product's slug: tokens of another audience are refused. Without it the key alone stands for the product.
    pub audience: Option<String>,
    /// Finds this device's fingerprint: [`machine_fingerprint`](crate::machine_fingerprint). Without it, or if this machine
    /// has none, a random id stands in, made once and kept in `storage`.
    pub fingerprint: Option<FingerprintSource>,
    /// By default memory, so nothing survives the process.
    pub storage: Arc<dyn Storage>,
    /// 1 to 100 letters, digits, `.`, `_` and `-`. The default is made of `product_id` and `base_url`; give a name to keep
    /// the licenses when the address changes.
    pub storage_name: Option<String>,
    /// For how long an expired token still counts while the service can't be asked; never past the license's own end.
    pub grace: Duration,
    /// Maximum for each of at most two attempts of a request, and of every access to the storage. Twice as long for the
    /// fingerprint. Default: 5 s.
    pub timeout: Duration,
    /// Between the two attempts; chance adds up to half of it. Default: 500 ms.
    pub retry_delay: Duration,
    /// Accepts tokens that the operator minted for no device: they work on every machine that they are copied to.
    pub allow_unbound_tokens: bool,
    /// This build of the app: activating refuses a license that doesn't cover it, and [`covers`](crate::Client::covers) is
    /// about it.
    pub release: Release,
    /// Called with faults that change no result (a cache that can't be written), with their cause. Default: standard error.
    pub on_warning: Warn,
    /// HTTP. Default: `ureq`, with the proxies of the environment.
    pub transport: Arc<dyn Transport>,
    /// The clock.
    pub now: Arc<dyn Fn() -> SystemTime + Send + Sync>,
    /// Default: a timer in a thread of its own.
    pub schedule: Schedule,
}

impl Options {
    /// Options with what is required, and defaults.
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
            on_warning: Arc::new(|message, cause| eprintln!("{message}: {cause}")),
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
        ];
        checks.into_iter().find(|(is_good, _)| !is_good).map_or(Ok(()), |(_, option)| Err(InvalidOption(option)))
    }

    /// Made of the product and the address without its scheme, in lower case, with `_` for what file names can't hold: it
    /// tells two environments apart.
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

fn strip_scheme(address: &str) -> Option<&str> {
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
