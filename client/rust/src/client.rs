//! The license of this device.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, Weak};
use std::thread;
use std::time::{Duration, SystemTime};

use crate::assessment::{licensed_state, offline_state, Assessment, Rules};
use crate::cache::{Cache, Warn};
use crate::coverage::Release;
use crate::device::{Device, DeviceFinder};
use crate::input::{check_email, check_key, check_labels, check_reference, check_replaced, Labels};
use crate::json::{trim, without_white_space};
use crate::keys::verify_keys;
use crate::offline_request::{write_offline_request, OfflineRequest};
use crate::options::{Offline, Options, Schedule, Task};
use crate::queue::Queue;
use crate::record::{is_same_key, Record};
use crate::refusals::{is_signable, refusal_state};
use crate::service::{Fields, Grant, Operation, Reply, Service, TOKEN_HEADER};
use crate::state::{Fault, FaultKind, InvalidInput, InvalidOption, InvalidToken, Latest, Licensed, ListedDevice, RequestError, Seats, Source, State, Target};
use crate::storage::LockGuard;
use crate::timestamp::{from_system_time, to_text};
use crate::token::{verify_with, TokenClaims, CLOCK_BEHIND_MS, CLOCK_SKEW_MS};
use crate::verdict::{verify_verdict, VerdictExpectation};
use crate::waiting::{lock, Background, Shared, Waiting};

pub(crate) mod meters;
pub(crate) mod sign_in;

/// The message of the fault that the stored data can't be read.
const NOT_READ: &str = "the license cache was not read";
/// Pause (ms) between a failed background request and the next one.
const RETRY_PAUSE: f64 = 300_000.0;
/// Maximum sleep (ms) of the background timer. During a sleep the clock may be changed, and the device may go to standby. Therefore a longer
/// sleep could end too late.
const MAX_SLEEP: f64 = 3_600_000.0;
const MIN_SLEEP: f64 = 1000.0;
/// Pause (ms) between attempts to store a record that could not be stored.
const STORE_PAUSE: f64 = 10_000.0;
/// The latest time seen is stored with this precision (ms), so that most starts of the app write nothing to the storage.
const SEEN_PRECISION: f64 = 60_000.0;

/// A client for the license of this device. Create one client per product and process. Clones refer to the same client, and several threads
/// may use it.
///
/// Most apps need only [`activate`](Self::activate), and [`check`](Self::check) at the start. After `check`, [`state`](Self::state) is kept
/// up to date, and tokens and leases are renewed in the background. Faults of the network, the storage or a token are part of the state,
/// never an error.
#[derive(Clone)]
pub struct Client(Arc<Inner>);

impl fmt::Debug for Client {
    /// Shows the product and the state, and neither license key nor credential.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let published = lock(&self.0.published);
        let state = published.state.as_ref().map(|state| match state {
            State::Unbound { .. } => State::Unbound { key: None },
            state => state.clone(),
        });
        formatter.debug_struct("Client").field("product_id", &self.0.product_id).field("state", &state).finish_non_exhaustive()
    }
}

/// Ends a subscription.
pub type Unsubscribe = Box<dyn FnOnce() + Send>;
type Listener = Arc<dyn Fn(&State) + Send + Sync>;

struct Inner {
    product_id: u64,
    release: Release,
    rules: Rules,
    service: Service,
    offline: Offline,
    queue: Queue,
    clock: Arc<dyn Fn() -> SystemTime + Send + Sync>,
    schedule: Schedule,
    checking: Shared,
    validating: Shared,
    background: Background,
    /// Locked while a seat is taken or freed. It is never locked while a listener is called, because the listener may call the client.
    seat: Mutex<()>,
    /// Locked while stored amounts are sent.
    sending: Mutex<()>,
    /// Locked while the record is assessed and changed. It is never locked during a request or while a listener is called.
    held: Mutex<Held>,
    published: Mutex<Published>,
}

struct Held {
    cache: Cache,
    finder: DeviceFinder,
    /// The earliest time at which the next background request may be sent, in epoch milliseconds.
    ask_again_at: f64,
    is_releasing: bool,
    /// True if the stored amounts will be sent in the background.
    is_send_due: bool,
    /// True if this process knows of stored amounts that could not be sent.
    is_waiting_to_send: bool,
    /// The latest state before the release of the app is compared with what the license covers.
    found: Option<State>,
    /// When the current token is due to be refreshed, in epoch milliseconds; infinite if it can't be refreshed.
    refresh_at: f64,
    is_closed: bool,
    stop_timer: Option<Task>,
    /// Each of these ends a sign-in.
    sign_ins: Vec<Waiting>,
}

#[derive(Default)]
struct Published {
    state: Option<State>,
    listeners: BTreeMap<u64, Listener>,
    next_listener: u64,
    /// States that the listeners have not received yet.
    news: VecDeque<State>,
    is_notifying: bool,
}

/// A reply of the service. If the reply needs a signature, the signature was verified.
enum Trusted {
    Granted { record: Box<Record>, claims: Box<TokenClaims> },
    Refused { name: String, seen: f64, is_signed: bool },
}

/// The new latest time that is known to have passed, after a signed token or verdict with the time of issue `issued_at` (in seconds) has
/// arrived. If the clock and `issued_at` differ by at most `CLOCK_SKEW`, the clock is right: the result is the clock's time, even if a
/// later time was stored. Otherwise the result is the latest of the clock's time, the stored time and `issued_at`: a clock behind
/// `issued_at` is wrong, but a clock ahead of `issued_at` may be right, because the response may be old.
fn latest_time(issued_at: f64, assessment: &Assessment) -> f64 {
    let issued_at = issued_at * 1000.0;
    if (assessment.now - issued_at).abs() > CLOCK_SKEW_MS {
        assessment.time.max(issued_at)
    } else {
        assessment.now
    }
}

/// The time at which an imported token is verified; this time is then stored as the latest time seen. Normally it is the token's issue time
/// or the latest time seen, whichever is later. There are two exceptions. If the imported token is newer than the current one, the clock's
/// time replaces the latest time seen, so that an import corrects a wrong time from a clock that was ahead. If the token's issue time is
/// more than a day ahead of the clock, the issue time is ignored.
fn import_time(imported: &TokenClaims, before: &Assessment) -> f64 {
    let is_newer = before.claims.as_ref().is_some_and(|held| imported.iat > held.iat);
    let base = if is_newer { before.now } else { before.time };
    let issued_at = imported.iat * 1000.0;
    if issued_at - before.now > CLOCK_BEHIND_MS {
        base
    } else {
        base.max(issued_at)
    }
}

impl Client {
    /// # Errors
    /// An option is invalid.
    pub fn new(options: Options) -> Result<Self, InvalidOption> {
        options.check()?;
        let keys = verify_keys(&options.public_keys)?;
        let address = options.base_url.trim_end_matches('/');
        let warn: Warn = Arc::clone(&options.on_warning);
        let cache = Cache::new(Arc::clone(&options.storage), options.storage_name(address), options.timeout, options.retry_delay / 2, Arc::clone(&warn));
        Ok(Self(Arc::new(Inner {
            product_id: options.product_id,
            release: options.release.clone(),
            rules: Rules {
                keys,
                audience: options.audience.clone(),
                allow_unbound_tokens: options.allow_unbound_tokens,
                grace: options.grace.as_millis() as f64,
            },
            service: Service {
                prefix: format!("{address}/v1/products/{}", options.product_id),
                api_key: options.api_key.clone(),
                transport: Arc::clone(&options.transport),
                timeout: options.timeout,
                retry_delay: options.retry_delay,
                waiting: Waiting::default(),
            },
            offline: options.offline,
            queue: Queue::new(cache.clone()),
            clock: Arc::clone(&options.now),
            schedule: Arc::clone(&options.schedule),
            checking: Shared::default(),
            validating: Shared::default(),
            background: Background::default(),
            seat: Mutex::default(),
            sending: Mutex::default(),
            held: Mutex::new(Held {
                cache,
                finder: DeviceFinder::new(options.fingerprint.clone(), 2 * options.timeout, warn),
                ask_again_at: 0.0,
                is_releasing: false,
                is_send_due: false,
                is_waiting_to_send: false,
                found: None,
                refresh_at: f64::INFINITY,
                is_closed: false,
                stop_timer: None,
                sign_ins: Vec::new(),
            }),
            published: Mutex::default(),
        })))
    }

    /// The latest license state; None before the first result.
    pub fn state(&self) -> Option<State> {
        lock(&self.0.published).state.clone()
    }

    /// Calls a listener whenever [`state`](Self::state) changes, in the thread that changed it. The listener may call the client.
    pub fn subscribe(&self, listener: impl Fn(&State) + Send + Sync + 'static) -> Unsubscribe {
        let mut published = lock(&self.0.published);
        let place = published.next_listener;
        published.next_listener += 1;
        published.listeners.insert(place, Arc::new(listener));
        let inner = Arc::downgrade(&self.0);
        Box::new(move || {
            if let Some(inner) = inner.upgrade() {
                lock(&inner.published).listeners.remove(&place);
            }
        })
    }

    /// Whether the app may be used now and the license includes a feature, according to [`state`](Self::state). Works offline.
    pub fn has(&self, feature: &str) -> bool {
        matches!(&lock(&self.0.published).state, Some(State::Licensed(Licensed { features, .. })) if features.iter().any(|bought| bought == feature))
    }

    /// A limit of the license, according to [`state`](Self::state). Works offline. None if the license has no such limit, or the app may not
    /// be used now.
    pub fn limit(&self, name: &str) -> Option<u64> {
        match &lock(&self.0.published).state {
            Some(State::Licensed(Licensed { limits, .. })) => limits.get(name).copied(),
            _ => None,
        }
    }

    /// Whether the app may be used now and the license covers a release, according to [`state`](Self::state). Works offline, and doesn't
    /// depend on the clock. If `release` is None, the release from the client's options is used.
    pub fn covers(&self, release: Option<&Release>) -> bool {
        let published = lock(&self.0.published);
        let (Some(State::Licensed(Licensed { updates, .. })) | Some(State::NotCovered { updates: Some(updates) })) = &published.state else {
            return false;
        };
        updates.covers(release.unwrap_or(&self.0.release))
    }

    /// This device's fingerprint in the canonical form that the service stores.
    ///
    /// # Errors
    /// The fingerprint can't be found now.
    pub fn fingerprint(&self) -> Result<String, Fault> {
        lock(&self.0.held).identify().1.map(|device| device.id)
    }

    /// Checks whether the app may be used on this device. A valid cached token is accepted without the network, and is refreshed in
    /// the background after half of its lifetime. Otherwise the service is asked once. Simultaneous calls share one result.
    pub fn check(&self) -> State {
        let state = self.0.check();
        self.0.notify();
        state
    }

    /// Asks the service now. If the service gives no decision, the result comes from the cache. If this result is `Licensed` or
    /// `OfflineWithoutToken`, its fault says why there is no decision.
    pub fn validate(&self) -> State {
        let state = self.0.validate();
        self.0.notify();
        state
    }

    /// Takes a seat for this device and caches its token. Pass the key as the user typed it. If the service refuses the key, the license of
    /// an earlier key stays active. If the service accepts the key, the new license replaces the earlier one, and the seat of the earlier
    /// key is freed. Repeating a call is harmless.
    ///
    /// # Errors
    /// An argument can't be sent, so nothing was sent.
    pub fn activate(&self, key: &str, labels: &Labels) -> Result<State, InvalidInput> {
        self.activate_in_place(key, None, labels)
    }

    /// Like [`activate`](Self::activate). In addition, if the license is full, the service frees the seat of the device with the given ref
    /// (see [`devices`](Self::devices)), and gives this seat to the current device.
    ///
    /// # Errors
    /// An argument can't be sent, so nothing was sent.
    pub fn activate_in_place(&self, key: &str, reference: Option<&str>, labels: &Labels) -> Result<State, InvalidInput> {
        check_key(key)?;
        check_replaced(reference.unwrap_or_default())?;
        check_labels(labels)?;
        let state = self.0.activate(trim(key), reference, labels);
        self.0.notify();
        Ok(state)
    }

    /// The devices that have seats of a license; the device that was activated last comes first. If `key` is None, the key of the current
    /// activation is used.
    ///
    /// # Errors
    /// The key can't be sent, the vendor doesn't let apps see the list (`Rejected`), or the service can't be asked.
    pub fn devices(&self, key: Option<&str>) -> Result<Vec<ListedDevice>, RequestError> {
        key.map_or(Ok(()), check_key)?;
        let (record, device) = lock(&self.0.held).identify();
        let device = device?;
        let asked = key.map(|key| trim(key).to_owned()).or(record.key);
        Ok(asked.map_or(Ok(Vec::new()), |key| self.0.service.devices(&key, &device.id))?)
    }

    /// The newest release that the license covers, with its files and the headers that a download needs. The request contains the
    /// current key, or the token if there is no key. Without key and token, the result contains a release only if the product's downloads
    /// are public.
    ///
    /// # Errors
    /// The license grants no downloads (`Rejected`), for example because it is revoked, or the service can't be asked.
    pub fn latest(&self, target: &Target) -> Result<Latest, Fault> {
        let (record, device) = lock(&self.0.held).identify();
        if let Err(fault) = device {
            if fault.kind == FaultKind::Storage {
                return Err(fault);
            }
        }
        let version = target.version.as_deref().filter(|version| !trim(version).is_empty()).or(self.0.release.version.as_deref());
        let [platform, arch, channel] = [&target.platform, &target.arch, &target.channel].map(Option::as_deref);
        self.0.service.latest(&record, &[("platform", platform), ("arch", arch), ("channel", channel), ("version", version)])
    }

    /// Frees the seat of another device ([`devices`](Self::devices)), and returns whether there was a seat. To free the seat of this
    /// device, use [`deactivate`](Self::deactivate), which also forgets the key. If `key` is None, the key of the current activation is
    /// used.
    ///
    /// # Errors
    /// An argument can't be sent, or the seat may still be taken.
    pub fn free(&self, reference: &str, key: Option<&str>) -> Result<bool, RequestError> {
        check_reference(reference)?;
        key.map_or(Ok(()), check_key)?;
        let _changing = self.0.changing_seats();
        let (record, device) = lock(&self.0.held).identify();
        device?;
        let asked = key.map(|key| trim(key).to_owned()).or(record.key);
        Ok(asked.map_or(Ok(false), |key| self.0.service.free_other(&key, reference))?)
    }

    /// Starts the product's trial, which needs no key. If this device had the trial before, the trial continues. On a licensed device
    /// nothing changes, and no request is sent. If the device has a key but no accepted token, the key is validated and never replaced. The
    /// e-mail address is stored with the trial.
    ///
    /// # Errors
    /// An argument can't be sent, so nothing was sent.
    pub fn trial(&self, customer_email: Option<&str>, labels: &Labels) -> Result<State, InvalidInput> {
        check_labels(labels)?;
        check_email(customer_email.unwrap_or_default())?;
        let state = match self.0.held_state() {
            (Some(licensed), _) => licensed,
            (None, true) => self.0.validate(),
            (None, false) => self.0.take_seat(Operation::Trial, None, labels, &[("customer_email", customer_email)]),
        };
        self.0.notify();
        Ok(state)
    }

    /// Frees this device's seat, and deletes the key and the token. Returns whether a seat was freed. Needs the network only if a key is
    /// stored; a license from [`import_token`](Self::import_token) may have no key. If another key is activated during the call, that
    /// activation stays.
    ///
    /// # Errors
    /// The seat may still be taken, and this device still has the license.
    pub fn deactivate(&self) -> Result<bool, Fault> {
        let freed = self.0.deactivate();
        self.0.notify();
        freed
    }

    /// For uninstallers: frees this device's seat if the service can be reached, and deletes all stored data.
    ///
    /// # Errors
    /// The seat may still be taken; the stored data is deleted nevertheless.
    pub fn forget(&self) -> Result<bool, Fault> {
        let freed = self.0.forget();
        self.0.notify();
        freed
    }

    /// Returns a request for a device that is never online. The user gives this text to the operator, for example in a file or as a QR
    /// code. The operator responds with a token for [`import_token`](Self::import_token).
    ///
    /// # Errors
    /// An argument can't be sent, or this device can't be identified now.
    pub fn offline_request(&self, key: &str, labels: &Labels) -> Result<String, RequestError> {
        check_key(key)?;
        check_labels(labels)?;
        let fingerprint = self.fingerprint()?;
        let filled = |text: &Option<String>| text.as_deref().map(trim).filter(|text| !text.is_empty()).map(String::from);
        let product = i64::try_from(self.0.product_id).unwrap_or(i64::MAX);
        Ok(write_offline_request(&OfflineRequest {
            product,
            key: trim(key).to_owned(),
            fingerprint,
            name: filled(&labels.name),
            platform: filled(&labels.platform),
        }))
    }

    /// Licenses a device that is never online. The token is the operator's response to an [`offline_request`](Self::offline_request), or a
    /// token that is bound to no device (needs `allow_unbound_tokens`). If the token is accepted, it replaces the cached data.
    ///
    /// # Errors
    /// The token is not accepted; the cache stays unchanged.
    pub fn import_token(&self, token: &str) -> Result<State, InvalidToken> {
        let state = self.0.import_token(&without_white_space(token));
        self.0.notify();
        state.map_err(|problem| InvalidToken { problem: problem.to_owned() })
    }

    /// Returns when no background request is in progress and the cache is written.
    pub fn idle(&self) {
        self.0.background.wait();
        lock(&self.0.held).cache.settle();
    }

    /// Stops requests, timers and notifications. The cache is still written.
    pub fn close(&self) {
        self.0.stop();
        self.end();
    }

    /// For floating licenses: frees this device's seat, and then does the same as [`close`](Self::close). The key stays stored: at the next
    /// start the state is `Unbound`, and the app can activate the state's `key` again. Without a network the seat is freed when its lease
    /// ends.
    pub fn close_and_release(&self) {
        self.0.stop();
        self.0.release_seat();
        self.0.notify();
        self.end();
    }

    fn end(&self) {
        self.0.service.waiting.end();
        lock(&self.0.published).listeners.clear();
        self.idle();
    }
}

impl Held {
    /// Returns the record and this device. Returns a fault instead of the device if the device can't be identified now, or if this process
    /// has never read the record.
    fn identify(&mut self) -> (Record, Result<Device, Fault>) {
        match self.cache.load() {
            None => (Record::default(), Err(Fault::new(FaultKind::Storage, NOT_READ))),
            Some(record) => {
                let device = self.finder.find(&self.cache, &record);
                (record, device)
            }
        }
    }
}

impl Inner {
    fn now(&self) -> f64 {
        from_system_time((self.clock)())
    }

    /// Verifies the cached token for this device, without a network.
    fn assess_held(&self, held: &mut Held) -> Assessment {
        let (record, device) = held.identify();
        self.rules.assess(record, device, self.now(), None, |_, time| time)
    }

    fn assess(&self) -> Assessment {
        self.assess_held(&mut lock(&self.held))
    }

    /// Takes the locks that keep two threads or processes from taking or freeing seats at the same time. Waits while another thread or
    /// process has a lock. Dropping the guards releases the locks.
    fn changing_seats(&self) -> (MutexGuard<'_, ()>, Option<LockGuard>) {
        let own = lock(&self.seat);
        let cache = lock(&self.held).cache.clone();
        (own, cache.exclusively("seat", &self.service.waiting))
    }

    fn check(self: &Arc<Self>) -> State {
        self.checking.run(|| {
            let (state, assessment) = self.check_cache();
            let state = state.unwrap_or_else(|| self.validate());
            self.keep_time(&assessment);
            state
        })
    }

    fn validate(self: &Arc<Self>) -> State {
        self.validating.run(|| self.validate_once())
    }

    /// The state, if the cached token is accepted.
    fn check_cache(self: &Arc<Self>) -> (Option<State>, Assessment) {
        let mut held = lock(&self.held);
        let assessment = self.assess_held(&mut held);
        let (record, now) = (&assessment.record, assessment.now);
        if now >= held.ask_again_at {
            self.send_in_background(&mut held);
            if !record.release.is_empty() {
                self.release_in_background(&mut held);
            }
        }
        let Some(claims) = assessment.claims.as_ref().filter(|_| assessment.problem.is_none()) else { return (None, assessment) };
        if record.key.is_some() && now >= claims.refresh_time().max(held.ask_again_at) {
            self.in_background(|client| drop(client.validate()));
        }
        let state = self.rules.state_from_cache(&assessment, None);
        (Some(self.publish(&mut held, state, refresh_at(Some(claims), record))), assessment)
    }

    /// Returns the state if the cached token is accepted, and whether the record contains a key.
    fn held_state(self: &Arc<Self>) -> (Option<State>, bool) {
        let mut held = lock(&self.held);
        let assessment = self.assess_held(&mut held);
        let state = assessment.problem.is_none().then(|| self.rules.state_from_cache(&assessment, None));
        (state.map(|state| self.publish(&mut held, state, f64::INFINITY)), assessment.record.key.is_some())
    }

    /// Validates a key of this device. The request contains the version of the app and the held token.
    fn ask_to_validate(&self, key: &str, device: &Device, held: &Record) -> Result<Reply, Fault> {
        let (version, token) = (self.release.version.as_deref(), held.token.as_deref());
        let fields = [("key", Some(key)), ("fingerprint", Some(&*device.id)), ("version", version), (TOKEN_HEADER, token)];
        self.service.ask(Operation::Validate, &fields)
    }

    fn validate_once(self: &Arc<Self>) -> State {
        let mut held = lock(&self.held);
        let before = self.assess_held(&mut held);
        let (device, key) = match (&before.device, &before.record.key) {
            (Err(fault), _) => return self.conclude_fault(&mut held, Some(fault.clone()), &before),
            (Ok(_), None) => return self.conclude_fault(&mut held, None, &before),
            (Ok(device), Some(key)) => (device, key),
        };
        drop(held);

        let reply = self.ask_to_validate(key, device, &before.record);
        let mut held = lock(&self.held);
        let assessment = self.assess_held(&mut held);
        let concluded = if assessment.record.is_same_activation(&before.record) {
            match reply.and_then(|reply| self.verify_reply(reply, &assessment, true)) {
                Ok(trusted) => self.conclude(&mut held, trusted, &assessment),
                Err(fault) => Some(self.conclude_fault(&mut held, Some(fault), &assessment)),
            }
        } else {
            None
        };
        drop(held);
        concluded.unwrap_or_else(|| self.overtaken())
    }

    /// Returns the current state. Called if another call or another process has changed the activation during a request, because the
    /// reply to the request then no longer applies.
    fn overtaken(self: &Arc<Self>) -> State {
        self.invalidate();
        self.check()
    }

    fn activate(self: &Arc<Self>, key: &str, replaced: Option<&str>, labels: &Labels) -> State {
        let released_at = self.released_at();
        let more = [&[("replace", replaced)][..], &self.release_fields(released_at.as_deref())].concat();
        self.take_seat(Operation::Activate, Some(key), labels, &more)
    }

    fn released_at(&self) -> Option<String> {
        self.release.released_at.map(to_text)
    }

    /// The release of the app, as requests name it.
    fn release_fields<'a>(&'a self, released_at: Option<&'a str>) -> [(&'static str, Option<&'a str>); 2] {
        [("release.version", self.release.version.as_deref()), ("release.released_at", released_at)]
    }

    fn take_seat(self: &Arc<Self>, operation: Operation, key: Option<&str>, labels: &Labels, more: &Fields<'_>) -> State {
        let _changing = self.changing_seats();
        let mut held = lock(&self.held);
        let before = self.assess_held(&mut held);
        let device = match &before.device {
            Ok(device) => device.clone(),
            Err(fault) => return self.conclude_fault(&mut held, Some(fault.clone()), &before),
        };
        drop(held);
        if key.is_none() && before.record.key.is_some() {
            return self.overtaken();
        }

        let common = [("key", key), ("name", labels.name.as_deref()), ("platform", labels.platform.as_deref()), ("fingerprint", Some(device.id.as_str()))];
        let fields = [&common, more].concat();
        let reply = self.service.ask(operation, &fields);
        let seats = match (&reply, key) {
            (Ok(Reply::Refused { name, .. }), Some(key)) if name == "no_seats" => self.seats_of(key, &device.id),
            _ => None,
        };
        self.conclude_seat(operation, key, device, reply, seats, &before).unwrap_or_else(|| self.overtaken())
    }

    /// The state after a reply to an activation or a trial; None if the activation has changed during the request. `key` is the key that was
    /// sent, if there was one.
    fn conclude_seat(
        self: &Arc<Self>,
        operation: Operation,
        key: Option<&str>,
        device: Device,
        reply: Result<Reply, Fault>,
        seats: Option<Seats>,
        before: &Assessment,
    ) -> Option<State> {
        let mut held = lock(&self.held);
        let mut assessment = self.assess_held(&mut held);
        let is_held = matches!((key, &assessment.record.key), (Some(key), Some(held)) if is_same_key(held, key));
        let asked = Assessment { device: Ok(device), ..assessment.clone() };
        match reply.and_then(|reply| self.verify_reply(reply, &asked, is_held)) {
            Ok(Trusted::Granted { record, claims }) => {
                // If no token tells the license of the held key, the key may be one of the license that the user has chosen in the browser.
                // Freeing its seat would free the new one.
                let is_unclear = operation == Operation::Poll && before.claims.is_none();
                let replaced = before.record.key.clone().filter(|_| !is_unclear && !is_of_license(&assessment, &claims));
                let late_key = record.key.clone();
                let make = move |current: &Record| record.granted_in(current).releasing(replaced.as_deref());
                let is_trial = operation == Operation::Trial;
                let kept = if is_trial { self.change_activation(&mut held, &before.record, make) } else { self.change_key(&mut held, &before.record, make) };
                if let Some(record) = kept {
                    return Some(self.conclude_grant(&mut held, &claims, &record));
                }
                // The reply comes too late, because another process has activated a key during the request.
                if !is_of_license(&self.assess_held(&mut held), &claims) {
                    self.change(&mut held, move |current| Some(current.clone().releasing(late_key.as_deref())));
                }
                self.release_in_background(&mut held);
                None
            }
            Err(fault) if is_held => Some(self.conclude_fault(&mut held, Some(fault), &assessment)),
            // If another key can't be activated, the current license stays, and the result says that the other key was not activated.
            Err(fault) => Some(self.publish_unless_licensed(&mut held, offline_state(&assessment, Some(fault)), &assessment)),
            Ok(Trusted::Refused { name, seen, is_signed }) => {
                if is_held && (is_signed || is_signable(&name) || !self.is_protected(&assessment)) {
                    assessment.record.seats = seats.or(assessment.record.seats);
                    return self.conclude(&mut held, Trusted::Refused { name, seen, is_signed }, &assessment);
                }
                Some(self.publish_unless_licensed(&mut held, refusal_state(&name, None, seats), &assessment))
            }
        }
    }

    /// Requests a validation to get the seat numbers for the state `no_seats`, because the refusal doesn't contain them. The service
    /// stores no version of a device without a seat, so this request contains none.
    fn seats_of(&self, key: &str, fingerprint: &str) -> Option<Seats> {
        match self.service.ask(Operation::Validate, &[("key", Some(key)), ("fingerprint", Some(fingerprint))]) {
            Ok(Reply::NotBound { seats, .. }) => Some(seats),
            _ => None,
        }
    }

    fn import_token(self: &Arc<Self>, text: &str) -> Result<State, &'static str> {
        let mut held = lock(&self.held);
        loop {
            let before = self.assess_held(&mut held);
            let imported = self.rules.assess(before.record.clone(), before.device.clone(), self.now(), Some(text), |claims, _| import_time(claims, &before));
            let (None, Some(claims), Ok(device)) = (imported.problem, &imported.claims, &imported.device) else {
                return Err(imported.problem.unwrap_or("malformed"));
            };
            let is_of_held_license = before.claims.is_some_and(|held| held.sub == claims.sub);
            let (token, time, kind) = (text.to_owned(), imported.time, device.kind);
            let kept = self.change_activation(&mut held, &before.record, move |current| {
                let key = current.key.clone().filter(|_| is_of_held_license);
                Record { token: Some(token), key, device: Some(kind), ..current.emptied(time) }.releasing(current.key.as_deref())
            });
            if let Some(record) = kept {
                let state = licensed_state(Source::Cache, claims, &record, None, claims.end());
                return Ok(self.publish(&mut held, state, refresh_at(Some(claims), &record)));
            }
        }
    }

    fn deactivate(self: &Arc<Self>) -> Result<bool, Fault> {
        self.send_before_freeing();
        let _changing = self.changing_seats();
        let before = self.assess();
        let freed = self.free_seat(&before)?;
        let mut held = lock(&self.held);
        let is_held = self.change_key(&mut held, &before.record, move |current| current.emptied(before.time)).is_some();
        if is_held {
            self.publish(&mut held, State::Unbound { key: None }, f64::INFINITY);
        }
        drop(held);
        if !is_held {
            self.overtaken();
        }
        Ok(freed)
    }

    fn forget(self: &Arc<Self>) -> Result<bool, Fault> {
        self.send_before_freeing();
        let _changing = self.changing_seats();
        loop {
            let before = self.assess();
            let freed = self.free_seat(&before);
            let mut held = lock(&self.held);
            self.invalidate();
            // If another process has activated a key in the meantime, the next round frees the seat of that key and deletes its data as
            // well.
            if held.cache.clear(&before.record) {
                held.is_waiting_to_send = false;
                self.publish(&mut held, State::Unbound { key: None }, f64::INFINITY);
                return freed;
            }
        }
    }

    /// Frees this device's seat. Returns whether a seat was freed.
    fn free_seat(&self, before: &Assessment) -> Result<bool, Fault> {
        match (&before.record.key, &before.device) {
            (_, Err(fault)) if fault.kind == FaultKind::Storage => Err(fault.clone()),
            (None, _) => Ok(false),
            (Some(_), Err(fault)) => Err(fault.clone()),
            (Some(key), Ok(device)) => self.service.free(key, &device.id),
        }
    }

    /// Runs after the seat of a key was freed. If another process has activated the same key in the meantime, that process needs the seat,
    /// so the key is activated again.
    fn keep_seat(self: &Arc<Self>, freed: Option<&str>) {
        let (record, _) = lock(&self.held).identify();
        let (Some(freed), Some(key), Some(_)) = (freed, record.key, record.token) else { return };
        if is_same_key(&key, freed) {
            self.in_background(move |client| drop(client.activate(&key, None, &Labels::default())));
        }
    }

    fn stop(&self) {
        let mut held = lock(&self.held);
        held.is_closed = true;
        if let Some(stop) = held.stop_timer.take() {
            stop();
        }
        for sign_in in &held.sign_ins {
            sign_in.end();
        }
    }

    fn release_seat(self: &Arc<Self>) {
        self.send_before_freeing();
        let _changing = self.changing_seats();
        let before = self.assess();
        let Some(key) = before.record.key.clone().filter(|_| before.record.token.is_some()) else { return };
        if self.free_seat(&before).is_err() {
            return;
        }
        let mut held = lock(&self.held);
        let kept = self.change_key(&mut held, &before.record, move |current| Record {
            key: current.key.clone(),
            refused: Some("unbound".to_owned()),
            device: current.device,
            ..current.emptied(before.time)
        });
        if kept.is_some() {
            self.publish(&mut held, State::Unbound { key: Some(key) }, f64::INFINITY);
        }
    }

    /// The state if there is no decision from the service. `fault` is the fault that prevented a decision; None if there was no fault.
    fn conclude_fault(self: &Arc<Self>, held: &mut Held, fault: Option<Fault>, assessment: &Assessment) -> State {
        if let Some(fault) = &fault {
            held.ask_again_at = assessment.now + RETRY_PAUSE.max(fault.retry_after.unwrap_or_default().as_millis() as f64);
        }
        let state = self.rules.state_from_cache(assessment, fault);
        self.publish(held, state, refresh_at(assessment.claims.as_ref(), &assessment.record))
    }

    /// Stores the service's decision about the current key; None if the activation has changed since the request.
    fn conclude(self: &Arc<Self>, held: &mut Held, trusted: Trusted, assessment: &Assessment) -> Option<State> {
        let before = &assessment.record;
        match trusted {
            Trusted::Granted { record, claims } => {
                let record = self.change_activation(held, before, move |current| record.granted_in(current))?;
                Some(self.conclude_grant(held, &claims, &record))
            }
            Trusted::Refused { name, seen, is_signed } => {
                let (refused, seats) = (name.clone(), before.seats);
                let kept = self.change_activation(held, before, move |current| Record {
                    key: current.key.clone(),
                    refused: Some(refused),
                    type_name: current.type_name.clone(),
                    device: current.device,
                    seats,
                    verdicts: current.verdicts || is_signed,
                    ..current.emptied(seen)
                })?;
                let state = refusal_state(&name, kept.key.as_deref(), kept.seats);
                Some(self.publish(held, state, f64::INFINITY))
            }
        }
    }

    /// The state after a grant was stored.
    fn conclude_grant(self: &Arc<Self>, held: &mut Held, claims: &TokenClaims, record: &Record) -> State {
        // Ends the pause between background requests. If the pause began while the clock was ahead, it could otherwise last for days after
        // the clock is corrected.
        held.ask_again_at = 0.0;
        self.send_in_background(held);
        if !record.release.is_empty() {
            self.release_in_background(held);
        }
        let state = licensed_state(Source::Network, claims, record, None, claims.end());
        self.publish(held, state, refresh_at(Some(claims), record))
    }

    fn in_background(self: &Arc<Self>, task: impl FnOnce(&Arc<Self>) + Send + 'static) {
        let client = Arc::clone(self);
        self.background.submit(move || {
            task(&client);
            // Listeners run outside of the background thread, because a listener may wait for background work or close the client.
            thread::spawn(move || client.notify());
        });
    }

    fn release_in_background(self: &Arc<Self>, held: &mut Held) {
        if !std::mem::replace(&mut held.is_releasing, true) {
            self.in_background(|client| client.release_old_seats());
        }
    }

    /// Frees the seats of replaced keys, but never the seat of the current key. A key that the service doesn't know is dropped; a key whose
    /// seat can't be freed now stays in the record's list `release`. No seat is freed while the storage may still contain the replaced key,
    /// because the app would start with this key after a crash.
    fn release_old_seats(self: &Arc<Self>) {
        lock(&self.held).is_releasing = false;
        let _changing = self.changing_seats();
        for key in self.assess().record.release {
            self.release_old_seat(key);
        }
    }

    fn release_old_seat(self: &Arc<Self>, key: String) {
        let mut held = lock(&self.held);
        let (record, device) = held.identify();
        let is_due = record.release.contains(&key) && held.cache.is_stored();
        drop(held);
        let Some(device) = device.ok().filter(|_| is_due) else { return };
        let is_held = record.has_key(&key);
        let freed = if is_held { Ok(false) } else { self.service.free_or_unknown(&key, &device.id) };
        let mut held = lock(&self.held);
        if let Err((_, false)) = freed {
            held.ask_again_at = held.ask_again_at.max(self.now() + RETRY_PAUSE);
            return;
        }
        let settled = key.clone();
        held.cache.change(move |current| {
            let mut record = current.clone();
            record.release.retain(|key| *key != settled);
            Some(record)
        });
        drop(held);
        if !is_held {
            self.keep_seat(Some(&key));
        }
    }

    /// Whether a refusal must pass the checks of `verify_reply` before it may end the current license. This is the case if the service
    /// signs its refusals, or if the license may still be valid.
    fn is_protected(&self, assessment: &Assessment) -> bool {
        assessment.signs() || self.rules.may_still_count(assessment).is_some()
    }

    /// Verifies the content of a reply. A reply grants a license only if it contains a valid token. A refusal of the current key is
    /// verified if the current license is protected (`is_protected`). In that case a reply that says that the key is unknown is never
    /// trusted. If the service is known to sign its refusals, a refusal that can be signed must be signed.
    fn verify_reply(&self, reply: Reply, assessment: &Assessment, is_about_held_key: bool) -> Result<Trusted, Fault> {
        let claims = assessment.claims.as_ref();
        let untrusted = |message: &str| Err(Fault::new(FaultKind::Untrusted, message));
        let (name, verdict, is_about_another) = match reply {
            Reply::Granted(grant) => return self.verify_grant(grant, assessment),
            Reply::NotBound { key, license_id, verdict, .. } => {
                let is_same =
                    claims.is_some_and(|claims| claims.sub == license_id) && assessment.record.key.as_ref().is_some_and(|held| is_same_key(held, &key));
                ("unbound".to_owned(), verdict, !is_same)
            }
            Reply::Refused { name, verdict } => (name, verdict, false),
        };
        let unsigned = Trusted::Refused { name: name.clone(), seen: assessment.time, is_signed: false };
        let is_protected = is_about_held_key && self.is_protected(assessment);
        if let Some(verdict) = verdict.filter(|_| is_signable(&name) || name == "unknown_key") {
            let about = claims.filter(|_| is_about_held_key);
            let expected = VerdictExpectation {
                audience: self.rules.audience.as_deref().or(claims.map(|claims| claims.aud.as_str())),
                license_id: about.map(|claims| claims.sub.as_str()),
                fingerprint: assessment.device.as_ref().map_or("", |device| &device.id),
                token_issued_at: about.map_or(0.0, |claims| claims.iat),
            };
            return match verify_verdict(&self.rules.keys, &verdict, &expected) {
                Ok(verdict) => {
                    let name = if verdict.status == "unknown" { "unknown_key".to_owned() } else { verdict.status };
                    Ok(Trusted::Refused { name, seen: latest_time(verdict.issued_at, assessment), is_signed: true })
                }
                Err(problem) if is_protected => untrusted(&format!("verdict not accepted: {problem}")),
                Err(_) => Ok(unsigned),
            };
        }
        match name.as_str() {
            _ if !is_protected => Ok(unsigned),
            "unknown_key" => untrusted("the service does not know a key that it has licensed"),
            name if !is_signable(name) => Ok(unsigned),
            _ if assessment.signs() => untrusted("the refusal is not signed"),
            _ if is_about_another => untrusted("the response is about another license"),
            _ => Ok(unsigned),
        }
    }

    fn verify_grant(&self, grant: Grant, assessment: &Assessment) -> Result<Trusted, Fault> {
        let device = assessment.device.clone()?;
        let mut seen = assessment.now;
        let verified = verify_with(&self.rules.keys, &grant.token, &self.rules.expectation(&device.id), |claims| {
            seen = latest_time(claims.iat, assessment);
            seen
        });
        if verified.problem == Some("expired") {
            return Err(Fault::new(FaultKind::Clock, "the clock is ahead: the new token has already expired"));
        }
        let (None, Some(claims)) = (verified.problem, verified.claims) else {
            return Err(Fault::new(FaultKind::Untrusted, format!("token not accepted: {}", verified.problem.unwrap_or_default())));
        };
        let record = Box::new(Record {
            key: Some(grant.key),
            token: Some(grant.token),
            seen: Some(seen),
            device: Some(device.kind),
            type_name: grant.type_name,
            seats: grant.seats,
            ..Record::default()
        });
        Ok(Trusted::Granted { record, claims: Box::new(claims) })
    }

    /// Stores the latest time that is known to have passed, at most once a minute. It does so in the background, so that a lock that another
    /// process has left behind doesn't delay the app's start.
    fn keep_time(self: &Arc<Self>, assessment: &Assessment) {
        let (record, time) = (assessment.record.clone(), assessment.time);
        if record.token.is_none() || time - record.seen.unwrap_or_default() < SEEN_PRECISION {
            return;
        }
        self.in_background(move |client| {
            let cache = lock(&client.held).cache.clone();
            cache.change(move |current| {
                let seen = Some(current.seen.map_or(time, |seen| seen.max(time)));
                current.is_same_activation(&record).then(|| Record { seen, ..current.clone() })
            });
        });
    }

    /// Changes the record. Later calls don't share the result of a check that has already started.
    fn change(&self, held: &mut Held, make: impl FnOnce(&Record) -> Option<Record> + Send + 'static) -> Option<Record> {
        self.invalidate();
        held.cache.change(make)
    }

    /// Changes the record if it still has the expected key and token.
    fn change_activation(&self, held: &mut Held, expected: &Record, make: impl FnOnce(&Record) -> Record + Send + 'static) -> Option<Record> {
        let expected = expected.clone();
        self.change(held, move |current| current.is_same_activation(&expected).then(|| make(current)))
    }

    /// Changes the record if it still has the expected key. This is the comparison for calls that have the lock for seats: meanwhile only a
    /// refresh can have stored another token, and that token is about the same seat.
    fn change_key(&self, held: &mut Held, expected: &Record, make: impl FnOnce(&Record) -> Record + Send + 'static) -> Option<Record> {
        let key = expected.key.clone();
        self.change(held, move |current| (current.key == key).then(|| make(current)))
    }

    fn invalidate(&self) {
        self.checking.forget();
        self.validating.forget();
    }

    /// Publishes a state only if the device is not licensed. For example, if the service refuses another key, a licensed device keeps its
    /// state.
    fn publish_unless_licensed(self: &Arc<Self>, held: &mut Held, state: State, assessment: &Assessment) -> State {
        if matches!(self.rules.state_from_cache(assessment, None), State::Licensed(_)) {
            state
        } else {
            self.publish(held, state, f64::INFINITY)
        }
    }

    /// Makes a state the latest one. `refresh_at` is when the current token is due to be refreshed.
    fn publish(self: &Arc<Self>, held: &mut Held, mut state: State, refresh_at: f64) -> State {
        if let State::Licensed(licensed) = &mut state {
            if licensed.fault.is_none() && !held.cache.is_stored() {
                licensed.fault = Some(Fault::new(FaultKind::Storage, "the license was not stored"));
            }
        }
        held.refresh_at = refresh_at;
        held.found = Some(state.clone());
        self.sleep(held);
        let state = match state {
            // The token of a license that doesn't cover this release is still refreshed, because the operator may extend the license, or
            // the user may install an older release.
            State::Licensed(Licensed { updates, .. }) if !updates.covers(&self.release) => State::NotCovered { updates: Some(updates) },
            state => state,
        };
        let mut published = lock(&self.published);
        if published.state.as_ref() != Some(&state) {
            published.state = Some(state.clone());
            published.news.push_back(state.clone());
        }
        state
    }

    /// Schedules the next check for the time at which the state may change: when the token ends, when the token is due to be refreshed, when
    /// the pause after a failed request ends, or when a record that could not be stored is to be stored again.
    fn sleep(self: &Arc<Self>, held: &mut Held) {
        if let Some(stop) = held.stop_timer.take() {
            stop();
        }
        let now = self.now();
        let wake_at = match &held.found {
            Some(State::Licensed(licensed)) if licensed.source == Source::Grace => from_system_time(licensed.offline_until).min(held.ask_again_at),
            Some(State::Licensed(licensed)) => (from_system_time(licensed.offline_until) + CLOCK_SKEW_MS).min(held.refresh_at.max(held.ask_again_at)),
            Some(State::OfflineWithoutToken { fault: Some(_), .. }) if held.ask_again_at > now => held.ask_again_at,
            _ => f64::INFINITY,
        };
        let wake_at = if held.is_waiting_to_send { wake_at.min(held.ask_again_at) } else { wake_at };
        let wake_at = if held.cache.is_stored() { wake_at } else { wake_at.min(now + STORE_PAUSE) };
        if held.is_closed || wake_at.is_infinite() {
            return;
        }
        // The timer has a weak reference, so that it doesn't keep the client alive.
        let client: Weak<Self> = Arc::downgrade(self);
        let task = Box::new(move || {
            if let Some(client) = client.upgrade() {
                client.in_background(|client| drop(client.check()));
            }
        });
        let after = Duration::from_millis((wake_at - now).clamp(MIN_SLEEP, MAX_SLEEP) as u64);
        held.stop_timer = Some((self.schedule)(task, after));
    }

    /// Passes every state to the listeners, in order, from one thread at a time and without a lock.
    fn notify(&self) {
        let mut published = lock(&self.published);
        while !published.is_notifying {
            let Some(state) = published.news.pop_front() else { return };
            let listeners: Vec<Listener> = published.listeners.values().cloned().collect();
            published.is_notifying = true;
            drop(published);
            for listener in listeners {
                listener(&state);
            }
            published = lock(&self.published);
            published.is_notifying = false;
        }
    }
}

/// Whether the held token is of the same license as a new token. If so, its key has the same seat, even if the key is written differently.
fn is_of_license(assessment: &Assessment, claims: &TokenClaims) -> bool {
    assessment.claims.as_ref().is_some_and(|held| held.sub == claims.sub)
}

/// When the current token is due to be refreshed; without a key it can't be refreshed.
fn refresh_at(claims: Option<&TokenClaims>, record: &Record) -> f64 {
    claims.filter(|_| record.key.is_some()).map_or(f64::INFINITY, TokenClaims::refresh_time)
}
