//! Meters: amounts that the app consumes and the service counts (docs/client.md, "Limits and meters").

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use super::{Client, Inner, NOT_READ, RETRY_PAUSE};
use crate::input::check_use;
use crate::json::trim;
use crate::options::Offline;
use crate::queue::{Amount, Entry, Place, MAX_AGE};
use crate::service::Reply;
use crate::state::{Fault, FaultKind, InvalidInput};
use crate::storage::{random_hex, LockGuard};
use crate::token::verify_with;
use crate::waiting::lock;

/// A meter of the license, as the service counted it at the time of the response.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Meter {
    pub name: String,
    /// What was consumed in the current period. It may exceed `included`, if the vendor allows it.
    pub used: u64,
    pub included: u64,
    /// What is left of `included`.
    pub remaining: u64,
    /// `none` (the whole life of the license), `month` or `term` (the paid period).
    pub period: String,
    /// When the next period begins; None if none is known.
    pub resets_at: Option<SystemTime>,
}

/// The result of [`consume`](Client::consume).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Consumption {
    /// The service has counted the amount.
    Consumed(Meter),
    /// The amount is stored, and is sent when the service can be reached.
    Queued {
        /// The id with which the service counts the amount once.
        id: String,
    },
}

/// A refusal of [`consume`](Client::consume) or [`meters`](Client::meters). Nothing was consumed, and the license state stays.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UsageRefusal {
    /// One of the following values:
    /// - `meter_exhausted`: the amount does not fit into what is included
    /// - `unknown_meter`: the license has no such meter
    /// - `not_activated`: this device has no seat
    /// - `idempotency_mismatch`: the id was used for another meter or amount
    /// - `invalid_request`: the meter doesn't accept the amount, for example because it is negative
    /// - `unknown_key`, `sign_in_required`, or the status of a license that can't be used (`revoked`, `suspended`, `expired`)
    /// - `no_key`: this device has no key, so no request was sent
    /// - `queue_full`: 1,000 amounts are waiting, so the amount was neither stored nor sent
    pub reason: String,
    /// A message in English for logs and developers.
    pub message: String,
}

impl UsageRefusal {
    pub(crate) fn new(reason: &str, message: &str) -> Self {
        Self { reason: reason.to_owned(), message: message.to_owned() }
    }
}

/// Why [`meters`](Client::meters) has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UsageError {
    Refused(UsageRefusal),
    Fault(Fault),
}

/// Why [`consume`](Client::consume) has consumed nothing, or may have consumed nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConsumeError {
    /// An argument can't be sent, so nothing was sent.
    Input(InvalidInput),
    Refused(UsageRefusal),
    /// It is not known whether the service counted the amount. A repetition with the same id counts it once.
    Failed {
        id: String,
        fault: Fault,
    },
}

/// An amount that waits until it can be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PendingAmount {
    pub id: String,
    pub meter: String,
    pub amount: i64,
    /// When the app consumed the amount.
    pub since: SystemTime,
}

/// An amount that was not counted.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DroppedAmount {
    pub amount: PendingAmount,
    /// The reason of a [`UsageRefusal`], or `too_old` after 29 days.
    pub reason: String,
}

/// The result of [`pending`](Client::pending). Both lists have the oldest amount first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pending {
    pub amounts: Vec<PendingAmount>,
    /// The 100 amounts that were dropped last.
    pub dropped: Vec<DroppedAmount>,
}

impl fmt::Display for UsageRefusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.reason, self.message)
    }
}

impl fmt::Display for UsageError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(refusal) => refusal.fmt(formatter),
            Self::Fault(fault) => fault.fmt(formatter),
        }
    }
}

impl fmt::Display for ConsumeError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input(invalid) => invalid.fmt(formatter),
            Self::Refused(refusal) => refusal.fmt(formatter),
            Self::Failed { fault, .. } => fault.fmt(formatter),
        }
    }
}

impl Error for UsageRefusal {}
impl Error for UsageError {}
impl Error for ConsumeError {}

impl From<Fault> for UsageError {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl From<UsageRefusal> for UsageError {
    fn from(refusal: UsageRefusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<UsageRefusal> for ConsumeError {
    fn from(refusal: UsageRefusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<InvalidInput> for ConsumeError {
    fn from(invalid: InvalidInput) -> Self {
        Self::Input(invalid)
    }
}

impl UsageError {
    /// The error of the call that consumed the amount with that id.
    fn of(self, id: String) -> ConsumeError {
        match self {
            Self::Refused(refusal) => ConsumeError::Refused(refusal),
            Self::Fault(fault) => ConsumeError::Failed { id, fault },
        }
    }
}

fn no_key() -> UsageRefusal {
    UsageRefusal::new("no_key", "this device has no key")
}

impl Client {
    /// Consumes an amount of a meter of the license. The service counts it, and counts every id once. A refusal doesn't change the license
    /// state. With [`Offline::Queue`], the amount is stored before it is sent, and it is sent later if the service can't be reached now.
    /// Amounts are sent one at a time, in the order of the calls.
    ///
    /// The amount is from 1 to 1,000,000,000; for a meter that allows it, a negative amount gives back. The id has 8 to 64 characters, for
    /// example the id of the order or document that is counted; if it is None, the client makes a random one. To repeat a call, repeat its
    /// id.
    ///
    /// # Errors
    /// An argument can't be sent, the amount is refused, or it is not known whether the service counted it.
    pub fn consume(&self, meter: &str, amount: i64, id: Option<&str>) -> Result<Consumption, ConsumeError> {
        // Without random numbers there is no id, which is invalid input.
        let id = id.map_or_else(|| random_hex::<32>().unwrap_or_default(), String::from);
        check_use(meter, amount, &id)?;
        self.0.consume(trim(meter), amount, id)
    }

    /// The license's meters, as the service has counted them.
    ///
    /// # Errors
    /// The key or the license can't be used, or the service can't be asked.
    pub fn meters(&self) -> Result<Vec<Meter>, UsageError> {
        let (record, device) = lock(&self.0.held).identify();
        let device = device?;
        let key = record.key.ok_or_else(no_key)?;
        self.0.service.meters(&key, &device.id)
    }

    /// Amounts that wait until they can be sent, and amounts that were dropped. Sends no request.
    ///
    /// # Errors
    /// The stored data can't be read.
    pub fn pending(&self) -> Result<Pending, Fault> {
        self.0.queue.report().ok_or_else(|| Fault::new(FaultKind::Storage, NOT_READ))
    }
}

impl Inner {
    fn consume(self: &Arc<Self>, meter: &str, amount: i64, id: String) -> Result<Consumption, ConsumeError> {
        let found = self.assess();
        match found.device {
            Err(fault) if fault.kind == FaultKind::Storage => return Err(ConsumeError::Failed { id, fault }),
            _ => {}
        }
        let amount = Amount { id, meter: meter.to_owned(), amount, at: found.time.floor() as i64 };
        let entry = Entry { amount, key: found.record.key.ok_or_else(no_key)?, license: found.claims.map(|claims| claims.sub) };
        if self.offline == Offline::Queue {
            return self.consume_in_turn(entry);
        }
        self.send(&entry).map(Consumption::Consumed).map_err(|error| error.of(entry.amount.id))
    }

    /// Sends an amount with the key of its license.
    fn send(&self, entry: &Entry) -> Result<Meter, UsageError> {
        let found = self.assess();
        let device = found.device?;
        let is_of_held = entry.license.is_some() && found.claims.map(|claims| claims.sub) == entry.license;
        let held = found.record.key.filter(|_| is_of_held);
        self.service.consume(held.as_ref().unwrap_or(&entry.key), &device.id, &entry.amount)
    }

    /// Stores an amount and sends it, unless older amounts wait.
    fn consume_in_turn(self: &Arc<Self>, entry: Entry) -> Result<Consumption, ConsumeError> {
        let id = entry.amount.id.clone();
        let place = self.queue.add(entry.clone());
        match place {
            Place::Full => return Err(UsageRefusal::new("queue_full", "too many amounts are waiting").into()),
            Place::Mismatch => return Err(UsageRefusal::new("idempotency_mismatch", "another meter or amount is waiting with this id").into()),
            Place::Behind if self.is_behind() => return Ok(Consumption::Queued { id }),
            Place::First | Place::Behind | Place::NotStored => {}
        }
        let _sending = self.sending_amounts();
        let is_stored = place != Place::NotStored;
        if is_stored && self.queue.oldest().is_some_and(|oldest| oldest.amount.id != id) {
            let mut held = lock(&self.held);
            held.is_waiting_to_send = true;
            self.send_in_background(&mut held);
            return Ok(Consumption::Queued { id });
        }
        match self.send(&entry) {
            Err(UsageError::Fault(fault)) if fault.kind != FaultKind::Rejected => {
                if !is_stored {
                    return Err(ConsumeError::Failed { id, fault: Fault::new(FaultKind::Storage, "the amount was neither sent nor stored") });
                }
                self.wait_to_send(&fault);
                Ok(Consumption::Queued { id })
            }
            outcome => {
                self.queue.settle(&entry, None);
                outcome.map(Consumption::Consumed).map_err(|error| error.of(id))
            }
        }
    }

    /// Whether this process knows that older amounts could not be sent. If the pause has ended, it has them sent.
    fn is_behind(self: &Arc<Self>) -> bool {
        let mut held = lock(&self.held);
        if held.is_waiting_to_send && self.now() >= held.ask_again_at {
            self.send_in_background(&mut held);
        }
        held.is_waiting_to_send
    }

    /// Takes the locks that keep two threads or processes from sending stored amounts at the same time.
    fn sending_amounts(&self) -> (std::sync::MutexGuard<'_, ()>, Option<LockGuard>) {
        let own = lock(&self.sending);
        let cache = lock(&self.held).cache.clone();
        (own, cache.exclusively("sending", &self.service.waiting))
    }

    /// Sends the stored amounts, the oldest first, until the service can't be reached.
    fn send_amounts(self: &Arc<Self>) {
        let _sending = self.sending_amounts();
        loop {
            let oldest = self.queue.oldest();
            let mut held = lock(&self.held);
            let was_waiting = std::mem::replace(&mut held.is_waiting_to_send, oldest.is_some());
            let Some(entry) = oldest else {
                if was_waiting {
                    self.sleep(&mut held);
                }
                return;
            };
            drop(held);
            match self.send_stored(&entry) {
                Err(UsageError::Fault(fault)) => return self.wait_to_send(&fault),
                Err(UsageError::Refused(refusal)) => self.queue.settle(&entry, Some(refusal.reason)),
                Ok(_) => self.queue.settle(&entry, None),
            }
        }
    }

    /// Sends a stored amount, unless it is too old. This device's clock may be wrong, so before an amount is dropped, the service is asked
    /// for the time, which is in its token.
    fn send_stored(&self, entry: &Entry) -> Result<Meter, UsageError> {
        let found = self.assess();
        let device = found.device?;
        let (at, now) = (entry.amount.at, found.time.floor() as i64);
        if at > now {
            // The clock was ahead when the amount was consumed. Its age counts from now.
            self.queue.correct_time(entry, now);
        }
        if now - at >= MAX_AGE {
            let key = found.record.key.as_deref().unwrap_or(&entry.key);
            if let Reply::Granted(grant) = self.ask_to_validate(key, &device, &found.record)? {
                let verified = verify_with(&self.rules.keys, &grant.token, &self.rules.expectation(&device.id), |claims| claims.iat * 1000.0);
                let claims = verified.claims.ok_or_else(|| Fault::new(FaultKind::Untrusted, "token not accepted"))?;
                if claims.iat * 1000.0 - at as f64 >= MAX_AGE as f64 {
                    return Err(UsageRefusal::new("too_old", "it waited for 29 days").into());
                }
            }
        }
        self.send(entry)
    }

    fn wait_to_send(self: &Arc<Self>, fault: &Fault) {
        let mut held = lock(&self.held);
        let pause = RETRY_PAUSE.max(fault.retry_after.unwrap_or_default().as_millis() as f64);
        held.ask_again_at = held.ask_again_at.max(self.now() + pause);
        held.is_waiting_to_send = true;
        self.sleep(&mut held);
    }

    pub(super) fn send_in_background(self: &Arc<Self>, held: &mut super::Held) {
        if self.offline == Offline::Queue && !std::mem::replace(&mut held.is_send_due, true) {
            self.in_background(|client| {
                lock(&client.held).is_send_due = false;
                client.send_amounts();
            });
        }
    }

    /// After its seat is freed, this device can't consume, so the stored amounts are sent before.
    pub(super) fn send_before_freeing(self: &Arc<Self>) {
        if self.offline == Offline::Queue {
            self.send_amounts();
        }
    }
}
