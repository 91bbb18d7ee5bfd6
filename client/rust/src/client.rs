//! The license of this device.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, Weak};
use std::thread;
use std::time::{Duration, SystemTime};

use crate::assessment::{licensed_state, offline_state, Assessment, Rules};
use crate::cache::{Cache, Warn};
use crate::coverage::Release;
use crate::device::{Device, DeviceFinder};
use crate::input::{check_email, check_key, check_labels, check_replaced, Labels};
use crate::json::{trim, without_white_space};
use crate::keys::verify_keys;
use crate::offline_request::{write_offline_request, OfflineRequest};
use crate::options::{Options, Schedule, Task};
use crate::record::{is_same_key, Record};
use crate::refusals::{is_signable, refusal_state};
use crate::service::{Fields, Grant, Operation, Reply, Service};
use crate::state::{Fault, FaultKind, InvalidInput, InvalidOption, InvalidToken, Latest, Licensed, ListedDevice, RequestError, Seats, Source, State, Target};
use crate::storage::LockGuard;
use crate::timestamp::{from_system_time, to_text};
use crate::token::{verify_with, TokenClaims, CLOCK_BEHIND_MS, CLOCK_SKEW_MS};
use crate::verdict::{verify_verdict, VerdictExpectation};
use crate::waiting::{lock, Background, Shared, Waiting};

/// Time (ms) between two attempts to ask in the background, after one that failed.
const RETRY_PAUSE: f64 = 300_000.0;
/// Longest sleep (ms) of the background: clocks are set, and machines sleep.
const MAX_SLEEP: f64 = 3_600_000.0;
const MIN_SLEEP: f64 = 1000.0;
/// The latest time seen is stored to this precision (ms), which spares most starts a write.
const SEEN_PRECISION: f64 = 60_000.0;

/// The license of this device: one client per product and process. Clones share it, and several threads may use it.
///
/// [`check`](Self::check) at the app's start is all that most apps need besides [`activate`](Self::activate): from then on
/// [`state`](Self::state) follows the time, and tokens and leases are renewed in the background. What a network, a storage
/// or a token may contain is in the state, never an error.
#[derive(Clone)]
pub struct Client(Arc<Inner>);

/// Ends a subscription.
pub type Unsubscribe = Box<dyn FnOnce() + Send>;
type Listener = Arc<dyn Fn(&State) + Send + Sync>;

struct Inner {
    product_id: u64,
    release: Release,
    rules: Rules,
    service: Service,
    clock: Arc<dyn Fn() -> SystemTime + Send + Sync>,
    schedule: Schedule,
    checking: Shared,
    validating: Shared,
    background: Background,
    /// Held while a seat is taken or freed; never while a listener is called.
    seat: Mutex<()>,
    /// Held while the record is assessed and changed; never while the service is asked or a listener is called.
    held: Mutex<Held>,
    published: Mutex<Published>,
}

struct Held {
    cache: Cache,
    finder: DeviceFinder,
    /// When the background may ask again, in epoch milliseconds.
    ask_again_at: f64,
    is_releasing: bool,
    is_closed: bool,
    stop_timer: Option<Task>,
}

#[derive(Default)]
struct Published {
    state: Option<State>,
    listeners: BTreeMap<u64, Listener>,
    next_listener: u64,
    /// States that the listeners have not seen yet.
    news: VecDeque<State>,
    is_notifying: bool,
}

/// A reply whose signature, if it needs one, was verified.
enum Trusted {
    Granted { record: Box<Record>, claims: TokenClaims },
    Refused { name: String, seen: f64, is_signed: bool },
}

/// The time, when a signature from `issued_at` (in seconds) has just arrived. One that was made just now confirms the
/// clock, regardless of what was seen before. A clock that is behind is proved wrong by it. A clock that is ahead may be right, and
/// the response an old one.
fn latest_time(issued_at: f64, assessment: &Assessment) -> f64 {
    let issued_at = issued_at * 1000.0;
    if (assessment.now - issued_at).abs() > CLOCK_SKEW_MS {
        assessment.time.max(issued_at)
    } else {
        assessment.now
    }
}

/// The time, when a token is imported. One that is newer than the token that is held proves that the clock is right, unless
/// the clock is more than a day behind: a start with a clock that was ahead is undone by it.
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
    /// An option that can't work.
    pub fn new(options: Options) -> Result<Self, InvalidOption> {
        options.check()?;
        let keys = verify_keys(&options.public_keys)?;
        let address = options.base_url.trim_end_matches('/');
        let warn: Warn = Arc::clone(&options.on_warning);
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
            clock: Arc::clone(&options.now),
            schedule: Arc::clone(&options.schedule),
            checking: Shared::default(),
            validating: Shared::default(),
            background: Background::default(),
            seat: Mutex::default(),
            held: Mutex::new(Held {
                cache: Cache::new(Arc::clone(&options.storage), options.storage_name(address), options.timeout, Arc::clone(&warn)),
                finder: DeviceFinder::new(options.fingerprint.clone(), 2 * options.timeout, warn),
                ask_again_at: 0.0,
                is_releasing: false,
                is_closed: false,
                stop_timer: None,
            }),
            published: Mutex::default(),
        })))
    }

    /// The newest result; none before the first.
    pub fn state(&self) -> Option<State> {
        lock(&self.0.published).state.clone()
    }

    /// Calls a listener whenever [`state`](Self::state) changes, in the thread that has changed it. It may call the client.
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

    /// Whether use is granted now and a feature was bought, by [`state`](Self::state): works offline too.
    pub fn has(&self, feature: &str) -> bool {
        matches!(&lock(&self.0.published).state, Some(State::Licensed(Licensed { features, .. })) if features.iter().any(|bought| bought == feature))
    }

    /// Whether use is granted now and what was bought covers a release, by [`state`](Self::state): works offline too, and
    /// regardless of the clock. None stands for the option `release`.
    pub fn covers(&self, release: Option<&Release>) -> bool {
        let published = lock(&self.0.published);
        let (Some(State::Licensed(Licensed { updates, .. })) | Some(State::NotCovered { updates: Some(updates) })) = &published.state else {
            return false;
        };
        updates.covers(release.unwrap_or(&self.0.release))
    }

    /// This device as the service knows it.
    ///
    /// # Errors
    /// It can't be found now.
    pub fn fingerprint(&self) -> Result<String, Fault> {
        lock(&self.0.held).identify().1.map(|device| device.id)
    }

    /// May this app be used here? A cached token that verifies is accepted without the network, and refreshed in the
    /// background once half of its life is over. Otherwise the service is asked, once. Calls at the same time share one
    /// result.
    pub fn check(&self) -> State {
        let state = self.0.check();
        self.0.notify();
        state
    }

    /// Asks the service now. If it gives no verdict, the result is what the cache is worth, with the fault.
    pub fn validate(&self) -> State {
        let state = self.0.validate();
        self.0.notify();
        state
    }

    /// Takes a seat for this device and caches its token. The key is as the user typed it. A key that is refused leaves the
    /// license of another key as it is; one that is accepted replaces it, and the seat of the old key is freed. Repeating
    /// it is harmless.
    ///
    /// # Errors
    /// What was given can't be sent, and wasn't.
    pub fn activate(&self, key: &str, labels: &Labels) -> Result<State, InvalidInput> {
        self.activate_in_place(key, None, labels)
    }

    /// As [`activate`](Self::activate), and names a device ([`devices`](Self::devices)) whose seat is freed for this one, if the
    /// license is full.
    ///
    /// # Errors
    /// What was given can't be sent, and wasn't.
    pub fn activate_in_place(&self, key: &str, reference: Option<&str>, labels: &Labels) -> Result<State, InvalidInput> {
        check_key(key)?;
        check_replaced(reference.unwrap_or_default())?;
        check_labels(labels)?;
        let state = self.0.activate(trim(key), reference, labels);
        self.0.notify();
        Ok(state)
    }

    /// The devices that hold seats of a license, newest first, if the vendor lets apps see them. No key stands for the key that
    /// is held.
    ///
    /// # Errors
    /// The list is disabled (`Rejected`), or the service can't be asked.
    pub fn devices(&self, key: Option<&str>) -> Result<Vec<ListedDevice>, Fault> {
        let (record, device) = lock(&self.0.held).identify();
        let device = device?;
        let asked = key.map(|key| trim(key).to_owned()).or(record.key);
        asked.map_or(Ok(Vec::new()), |key| self.0.service.devices(&key, &device.id))
    }

    /// The newest release that the license covers, with its files and what a download must send. Asks the service, by the key that
    /// is held or else by the token; without either, only a product whose downloads are public responds with one.
    ///
    /// # Errors
    /// The license grants no downloads (`Rejected`), because it is revoked for example, or the service can't be asked.
    pub fn latest(&self, target: &Target) -> Result<Latest, Fault> {
        let (record, device) = lock(&self.0.held).identify();
        if let Err(fault) = device {
            if fault.kind == FaultKind::Storage {
                return Err(fault);
            }
        }
        let version = target.version.as_deref().or(self.0.release.version.as_deref());
        let [platform, arch, channel] = [&target.platform, &target.arch, &target.channel].map(Option::as_deref);
        self.0.service.latest(&record, &[("platform", platform), ("arch", arch), ("channel", channel), ("version", version)])
    }

    /// Frees the seat of another device ([`devices`](Self::devices)); whether there was one. This one's is freed by
    /// [`deactivate`](Self::deactivate), which forgets the key as well. No key stands for the key that is held.
    ///
    /// # Errors
    /// The seat is still taken.
    pub fn free(&self, reference: &str, key: Option<&str>) -> Result<bool, Fault> {
        let _changing = self.0.changing_seats();
        let (record, device) = lock(&self.0.held).identify();
        device?;
        let asked = key.map(|key| trim(key).to_owned()).or(record.key);
        asked.map_or(Ok(false), |key| self.0.service.free_other(&key, reference))
    }

    /// Starts the trial that the product offers without a key, or continues it on a device that had it before. A device
    /// that is licensed already stays as it is, and nobody is asked. A key that is held is validated, and never replaced. The
    /// e-mail address is kept with the trial.
    ///
    /// # Errors
    /// What was given can't be sent, and wasn't.
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

    /// Frees this device's seat and forgets its key and token; whether a seat was freed. Needs the network, unless the
    /// license came by [`import_token`](Self::import_token). What is activated meanwhile stays.
    ///
    /// # Errors
    /// The seat is still taken, and the license still held.
    pub fn deactivate(&self) -> Result<bool, Fault> {
        let freed = self.0.deactivate();
        self.0.notify();
        freed
    }

    /// For uninstallers: frees this device's seat if the service can be reached, and deletes everything that is stored.
    ///
    /// # Errors
    /// The seat is still taken; what was stored is deleted all the same.
    pub fn forget(&self) -> Result<bool, Fault> {
        let freed = self.0.forget();
        self.0.notify();
        freed
    }

    /// What a machine that is never online sends to the operator, as text, file or QR code. The operator's token goes to
    /// [`import_token`](Self::import_token).
    ///
    /// # Errors
    /// What was given can't be sent, or this device can't be identified now.
    pub fn offline_request(&self, key: &str, labels: &Labels) -> Result<String, RequestError> {
        check_key(key).and_then(|()| check_labels(labels)).map_err(RequestError::Input)?;
        let fingerprint = self.fingerprint().map_err(RequestError::Device)?;
        let product = i64::try_from(self.0.product_id).unwrap_or(i64::MAX);
        Ok(write_offline_request(&OfflineRequest {
            product,
            key: trim(key).to_owned(),
            fingerprint,
            name: labels.name.clone(),
            platform: labels.platform.clone(),
        }))
    }

    /// Licenses a machine that is never online with a token that came by other means: the operator's response to an
    /// [`offline_request`](Self::offline_request), or one that was minted for no device (needs `allow_unbound_tokens`). It
    /// takes the place of what was cached.
    ///
    /// # Errors
    /// The token is not accepted; what was cached stays.
    pub fn import_token(&self, token: &str) -> Result<State, InvalidToken> {
        let state = self.0.import_token(&without_white_space(token));
        self.0.notify();
        state.map_err(|problem| InvalidToken { problem: problem.to_owned() })
    }

    /// Returns when the background has come to rest: no request under way, the cache written.
    pub fn idle(&self) {
        self.0.background.wait();
        lock(&self.0.held).cache.settle();
    }

    /// Ends requests under way, timers and notifications. What is cached is still written.
    pub fn close(&self) {
        self.0.stop();
        self.end();
    }

    /// As [`close`](Self::close), but frees this device's seat first and keeps the key: for floating licenses. The next
    /// start is `Unbound` with the key to activate again. Without a network the seat is free when its lease has ended.
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
    /// The record and this device, which has a fault if the record could never be read.
    fn identify(&mut self) -> (Record, Result<Device, Fault>) {
        match self.cache.load() {
            None => (Record::default(), Err(Fault::new(FaultKind::Storage, "the license cache was not read"))),
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

    /// Assesses the cached token by key, clock and device, without a network.
    fn assess_held(&self, held: &mut Held) -> Assessment {
        let (record, device) = held.identify();
        self.rules.assess(record, device, self.now(), None, |_, time| time)
    }

    fn assess(&self) -> Assessment {
        self.assess_held(&mut lock(&self.held))
    }

    /// Waits until no other thread or process takes or frees seats, until the guards are dropped.
    fn changing_seats(&self) -> (MutexGuard<'_, ()>, Option<LockGuard>) {
        let own = lock(&self.seat);
        let cache = lock(&self.held).cache.clone();
        (own, cache.seat())
    }

    fn check(self: &Arc<Self>) -> State {
        self.checking.run(|| self.check_cache().unwrap_or_else(|| self.validate()))
    }

    fn validate(self: &Arc<Self>) -> State {
        self.validating.run(|| self.validate_once())
    }

    /// The state, if the cached token counts.
    fn check_cache(self: &Arc<Self>) -> Option<State> {
        let mut held = lock(&self.held);
        let assessment = self.assess_held(&mut held);
        self.keep_time(&mut held, &assessment);
        let (record, now) = (&assessment.record, assessment.now);
        if !record.release.is_empty() && now >= held.ask_again_at {
            self.release_in_background(&mut held);
        }
        let claims = assessment.claims.as_ref().filter(|_| assessment.problem.is_none())?;
        if record.key.is_some() && now >= claims.refresh_time().max(held.ask_again_at) {
            self.in_background(|client| drop(client.validate()));
        }
        let state = self.rules.state_from_cache(&assessment, None);
        Some(self.publish(&mut held, state, refresh_at(Some(claims), record)))
    }

    /// The state, if the cached token counts; and whether there is a key.
    fn held_state(self: &Arc<Self>) -> (Option<State>, bool) {
        let mut held = lock(&self.held);
        let assessment = self.assess_held(&mut held);
        let state = assessment.problem.is_none().then(|| self.rules.state_from_cache(&assessment, None));
        (state.map(|state| self.publish(&mut held, state, f64::INFINITY)), assessment.record.key.is_some())
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

        let reply = self.service.ask(Operation::Validate, &[("key", Some(key)), ("fingerprint", Some(&device.id))]);
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

    /// Another call or another process has overtaken a request: its reply is about what is no longer held.
    fn overtaken(self: &Arc<Self>) -> State {
        self.invalidate();
        self.check()
    }

    fn activate(self: &Arc<Self>, key: &str, replaced: Option<&str>, labels: &Labels) -> State {
        let released_at = self.release.released_at.map(to_text);
        let more = [("replace", replaced), ("release.version", self.release.version.as_deref()), ("release.released_at", released_at.as_deref())];
        self.take_seat(Operation::Activate, Some(key), labels, &more)
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
        self.conclude_seat(key, device, reply, seats, &before).unwrap_or_else(|| self.overtaken())
    }

    /// What a reply to an activation or a trial leads to; none if it was overtaken.
    fn conclude_seat(
        self: &Arc<Self>,
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
                // The token of the key that was held may have been refreshed meanwhile. A trial, or another key than that, comes too late.
                let is_late = match key {
                    None => !assessment.record.is_same_activation(&before.record),
                    Some(_) => assessment.record.key != before.record.key,
                };
                if is_late {
                    self.change(&mut held, None, move |current| current.clone().releasing(record.key.as_deref()));
                    self.release_in_background(&mut held);
                    return None;
                }
                let record = Box::new(record.releasing(assessment.record.key.as_deref()));
                self.conclude(&mut held, Trusted::Granted { record, claims }, &assessment)
            }
            Err(fault) if is_held => Some(self.conclude_fault(&mut held, Some(fault), &assessment)),
            // What is held is still held; the result says that the other key was not activated.
            Err(fault) => Some(self.publish_unless_licensed(&mut held, offline_state(&assessment, Some(fault)), &assessment)),
            Ok(Trusted::Refused { name, seen, is_signed }) => {
                if is_held && (is_signable(&name) || !self.is_protected(&assessment)) {
                    assessment.record.seats = seats.or(assessment.record.seats);
                    return self.conclude(&mut held, Trusted::Refused { name, seen, is_signed }, &assessment);
                }
                Some(self.publish_unless_licensed(&mut held, refusal_state(&name, None, seats), &assessment))
            }
        }
    }

    /// The numbers behind `no_seats`, which an error's body doesn't have.
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
            let kept = self.change(&mut held, Some(&before.record), move |current| {
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
        let _changing = self.changing_seats();
        let before = self.assess();
        let freed = self.free_seat()?;
        let mut held = lock(&self.held);
        let is_held = self.change(&mut held, Some(&before.record), move |current| current.emptied(before.time)).is_some();
        if is_held {
            self.publish(&mut held, State::Unbound { key: None }, f64::INFINITY);
        }
        drop(held);
        if !is_held {
            self.keep_seat(before.record.key.as_deref());
            self.overtaken();
        }
        Ok(freed)
    }

    fn forget(self: &Arc<Self>) -> Result<bool, Fault> {
        let _changing = self.changing_seats();
        loop {
            let record = self.assess().record;
            let freed = self.free_seat();
            let mut held = lock(&self.held);
            self.invalidate();
            // What another process has activated meanwhile is freed and deleted as well.
            if held.cache.clear(&record) {
                self.publish(&mut held, State::Unbound { key: None }, f64::INFINITY);
                return freed;
            }
        }
    }

    /// Whether a seat was freed.
    fn free_seat(&self) -> Result<bool, Fault> {
        let (record, device) = lock(&self.held).identify();
        match (record.key, device) {
            (_, Err(fault)) if fault.kind == FaultKind::Storage => Err(fault),
            (None, _) => Ok(false),
            (Some(key), device) => self.service.free(&key, &device?.id),
        }
    }

    /// After the seat of a key was freed: if the key is held again, by a process that did not wait, its seat is taken again.
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
    }

    fn release_seat(self: &Arc<Self>) {
        let _changing = self.changing_seats();
        let before = self.assess();
        let Some(key) = before.record.key.clone().filter(|_| before.record.token.is_some()) else { return };
        if self.free_seat().is_err() {
            return;
        }
        let mut held = lock(&self.held);
        let kept = self.change(&mut held, Some(&before.record), move |current| Record {
            key: current.key.clone(),
            refused: Some("unbound".to_owned()),
            device: current.device,
            ..current.emptied(before.time)
        });
        if kept.is_some() {
            self.publish(&mut held, State::Unbound { key: Some(key) }, f64::INFINITY);
            return;
        }
        drop(held);
        self.keep_seat(Some(&key));
    }

    /// The state if the service gave no verdict, or was not asked.
    fn conclude_fault(self: &Arc<Self>, held: &mut Held, fault: Option<Fault>, assessment: &Assessment) -> State {
        if let Some(fault) = &fault {
            held.ask_again_at = assessment.now + RETRY_PAUSE.max(fault.retry_after.unwrap_or_default().as_millis() as f64);
        }
        let state = self.rules.state_from_cache(assessment, fault);
        self.publish(held, state, refresh_at(assessment.claims.as_ref(), &assessment.record))
    }

    /// Keeps what the service said about the key that is held; none if another one is held now.
    fn conclude(self: &Arc<Self>, held: &mut Held, trusted: Trusted, assessment: &Assessment) -> Option<State> {
        let before = &assessment.record;
        match trusted {
            Trusted::Granted { record, claims } => {
                let record = self.change(held, Some(before), move |current| {
                    let granted = Record { verdicts: current.verdicts, ..*record };
                    current.release.iter().fold(granted.releasing(None), |record, key| record.releasing(Some(key)))
                })?;
                if !record.release.is_empty() {
                    self.release_in_background(held);
                }
                let state = licensed_state(Source::Network, &claims, &record, None, claims.end());
                Some(self.publish(held, state, refresh_at(Some(&claims), &record)))
            }
            Trusted::Refused { name, seen, is_signed } => {
                let (refused, seats) = (name.clone(), before.seats);
                let kept = self.change(held, Some(before), move |current| Record {
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

    fn in_background(self: &Arc<Self>, task: impl FnOnce(&Arc<Self>) + Send + 'static) {
        let client = Arc::clone(self);
        self.background.submit(move || {
            task(&client);
            // Outside of the background: a listener may wait for that, and close the client.
            thread::spawn(move || client.notify());
        });
    }

    fn release_in_background(self: &Arc<Self>, held: &mut Held) {
        if !std::mem::replace(&mut held.is_releasing, true) {
            self.in_background(|client| client.release_old_seats());
        }
    }

    /// Frees the seats of keys that were replaced, but never that of the key that is held. One that the service doesn't know
    /// is given up; one that can't be freed now stays.
    fn release_old_seats(self: &Arc<Self>) {
        lock(&self.held).is_releasing = false;
        let _changing = self.changing_seats();
        for key in self.assess().record.release {
            self.release_old_seat(key);
        }
    }

    fn release_old_seat(self: &Arc<Self>, key: String) {
        let (record, device) = lock(&self.held).identify();
        let Some(device) = device.ok().filter(|_| record.release.contains(&key)) else { return };
        let is_held = record.key.is_some_and(|held| is_same_key(&held, &key));
        let freed = if is_held { Ok(false) } else { self.service.free_or_unknown(&key, &device.id) };
        let mut held = lock(&self.held);
        if let Err((_, false)) = freed {
            held.ask_again_at = held.ask_again_at.max(self.now() + RETRY_PAUSE);
            return;
        }
        let settled = key.clone();
        held.cache.change(None, move |current| {
            let mut record = current.clone();
            record.release.retain(|key| *key != settled);
            record
        });
        drop(held);
        if !is_held {
            self.keep_seat(Some(&key));
        }
    }

    /// Whether what is held may only be taken away by a refusal that the service signs, or could have signed.
    fn is_protected(&self, assessment: &Assessment) -> bool {
        assessment.signs() || self.rules.may_still_count(assessment).is_some()
    }

    /// Verifies what a reply claims. Only a token grants a license. What is held is taken away only by what the service has
    /// proved, if it is known to sign its refusals; and while a token may still count, never by the service not knowing the
    /// key.
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
        if !is_about_held_key || !self.is_protected(assessment) {
            return Ok(unsigned);
        }
        match verdict {
            _ if name == "unknown_key" => untrusted("the service does not know a key that it has licensed"),
            _ if !is_signable(&name) => Ok(unsigned),
            None if assessment.signs() => untrusted("the refusal is not signed"),
            None if is_about_another => untrusted("the response is about another license"),
            None => Ok(unsigned),
            Some(verdict) => {
                let expected = VerdictExpectation {
                    audience: self.rules.audience.as_deref().or(claims.map(|claims| claims.aud.as_str())),
                    license_id: claims.map(|claims| claims.sub.as_str()),
                    fingerprint: assessment.device.as_ref().map_or("", |device| &device.id),
                    token_issued_at: claims.map_or(0.0, |claims| claims.iat),
                };
                match verify_verdict(&self.rules.keys, &verdict, &expected) {
                    Ok(verdict) => Ok(Trusted::Refused { name: verdict.status, seen: latest_time(verdict.issued_at, assessment), is_signed: true }),
                    Err(problem) => untrusted(&format!("verdict not accepted: {problem}")),
                }
            }
        }
    }

    fn verify_grant(&self, grant: Grant, assessment: &Assessment) -> Result<Trusted, Fault> {
        let device = assessment.device.clone()?;
        let mut seen = assessment.now;
        let verified = verify_with(&self.rules.keys, &grant.token, &self.rules.expectation(&device.id), |claims| {
            seen = latest_time(claims.iat, assessment);
            seen
        });
        let (None, Some(claims)) = (verified.problem, verified.claims) else {
            return Err(Fault::new(FaultKind::Untrusted, format!("token not accepted: {}", verified.problem.unwrap_or_default())));
        };
        let record = Box::new(Record {
            key: Some(grant.key),
            token: Some(grant.token),
            seen: Some(seen),
            refused: None,
            device: Some(device.kind),
            type_name: grant.type_name,
            seats: grant.seats,
            lease_expires_at: grant.lease_expires_at,
            verdicts: assessment.record.verdicts,
            release: assessment.record.release.clone(),
        });
        Ok(Trusted::Granted { record, claims })
    }

    /// Stores that time has passed, at most once a minute.
    fn keep_time(&self, held: &mut Held, assessment: &Assessment) {
        let record = &assessment.record;
        if record.token.is_none() || assessment.time - record.seen.unwrap_or_default() < SEEN_PRECISION {
            return;
        }
        let time = assessment.time;
        held.cache.change(Some(record), move |current| Record { seen: Some(current.seen.map_or(time, |seen| seen.max(time))), ..current.clone() });
    }

    /// Changes the record, if it holds the expected activation. Replies to earlier requests come too late from here on.
    fn change(&self, held: &mut Held, expected: Option<&Record>, make: impl FnOnce(&Record) -> Record + Send + 'static) -> Option<Record> {
        self.invalidate();
        held.cache.change(expected, make)
    }

    fn invalidate(&self) {
        self.checking.forget();
        self.validating.forget();
    }

    /// The state of a device that is licensed stays as it is when another key is refused.
    fn publish_unless_licensed(self: &Arc<Self>, held: &mut Held, state: State, assessment: &Assessment) -> State {
        if matches!(self.rules.state_from_cache(assessment, None), State::Licensed(_)) {
            state
        } else {
            self.publish(held, state, f64::INFINITY)
        }
    }

    /// Makes a state the newest one. `refresh_at` is when its token is due to be refreshed.
    fn publish(self: &Arc<Self>, held: &mut Held, state: State, refresh_at: f64) -> State {
        self.sleep(held, &state, refresh_at);
        let state = match state {
            // The license is looked after as ever: it may be extended, or an older release installed.
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

    /// Checks again automatically when the state may change: at the token's end, when it is due to be refreshed, or when a
    /// fault may be over.
    fn sleep(self: &Arc<Self>, held: &mut Held, state: &State, refresh_at: f64) {
        if let Some(stop) = held.stop_timer.take() {
            stop();
        }
        let now = self.now();
        let wake_at = match state {
            State::Licensed(licensed) if licensed.source == Source::Grace => from_system_time(licensed.offline_until).min(held.ask_again_at),
            State::Licensed(licensed) => (from_system_time(licensed.offline_until) + CLOCK_SKEW_MS).min(refresh_at.max(held.ask_again_at)),
            State::OfflineWithoutToken { fault: Some(_), .. } if held.ask_again_at > now => held.ask_again_at,
            _ => return,
        };
        if held.is_closed {
            return;
        }
        // The timer doesn't keep the client alive.
        let client: Weak<Self> = Arc::downgrade(self);
        let task = Box::new(move || {
            if let Some(client) = client.upgrade() {
                client.in_background(|client| drop(client.check()));
            }
        });
        let after = Duration::from_millis((wake_at - now).clamp(MIN_SLEEP, MAX_SLEEP) as u64);
        held.stop_timer = Some((self.schedule)(task, after));
    }

    /// Gives the listeners every state, in order, by one thread at a time and without a lock.
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

/// When the token that is held is due to be refreshed; without a key it can't be.
fn refresh_at(claims: Option<&TokenClaims>, record: &Record) -> f64 {
    claims.filter(|_| record.key.is_some()).map_or(f64::INFINITY, TokenClaims::refresh_time)
}
