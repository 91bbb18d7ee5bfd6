//! The states that an app can receive about its license.

use std::collections::BTreeMap;
use std::fmt;
use std::time::{Duration, SystemTime};

use crate::coverage::Updates;

/// The license state of a device. The app may be used only in the state `Licensed`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum State {
    Licensed(Licensed),
    /// This device has no seat: ask the user for a key and activate it. If this device had a seat that was freed, `key` is the key with
    /// which the device was activated.
    Unbound {
        key: Option<String>,
    },
    /// The license has expired.
    Expired,
    /// The license is suspended, for example because a payment is overdue. It may become active again.
    Suspended,
    /// The license was revoked, for example after a refund.
    Revoked,
    /// The license received another key, for example because this key had leaked. Only the new key can be activated.
    Reissued,
    /// This device must sign in again ([`activate_in_browser`](crate::Client::activate_in_browser)), because its seat was freed, or because
    /// the license belongs to named people.
    SignInRequired,
    /// In the browser, the user has refused to activate this device.
    Denied,
    /// Nobody has approved the activation in time, or the request was replaced by a newer one of this device.
    RequestExpired,
    /// The license has another status that forbids use and that this version of the client doesn't know.
    Refused {
        reason: String,
    },
    /// Every seat is taken by another device. `seats` is None if the service couldn't be asked for the numbers.
    NoSeats {
        seats: Option<Seats>,
    },
    /// Too many devices that are new to the license have taken a seat this week.
    TooManyDevices,
    /// The service doesn't know this key.
    UnknownKey,
    /// The product offers no trial without a key.
    NoTrial,
    /// The license doesn't cover this release of the app (the option `release`). If this device already had the license, it keeps the
    /// license and may use an older release that the license covers.
    NotCovered {
        /// Which releases the license of this device covers; None if the service refused an activation.
        updates: Option<Updates>,
    },
    /// The cache contains no accepted token, and the service gave no decision. The app can try again when there is a network.
    OfflineWithoutToken {
        /// Why the cached token is not accepted: `no_token`, `clock_rolled_back`, `clock_ahead`, `device_unknown`, `storage_failed`, or a
        /// problem that [`verify_token`](crate::verify_token) reports.
        reason: String,
        /// Why the service gave no decision; None if there is no key to ask about.
        fault: Option<Fault>,
    },
}

/// The app may be used on this device.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Licensed {
    pub source: Source,
    pub license: License,
    /// Names of the features that the license includes. The service has signed them.
    pub features: Vec<String>,
    /// Numbers by name that the app reads, such as the maximum number of projects. The service has signed them, and enforces none of them.
    pub limits: BTreeMap<String, u64>,
    /// Which releases the license covers. The service has signed these limits.
    pub updates: Updates,
    /// Seats at the time of the last response; None if the license comes from an imported token and the service was not asked since the
    /// import.
    pub seats: Option<Seats>,
    /// When the seat's lease ends; None if the seat has no lease. If the lease ends without being renewed, another device may take the
    /// seat.
    pub lease_expires_at: Option<SystemTime>,
    /// The time until which the license works without a network; for `Source::Grace` the end of the grace period.
    pub offline_until: SystemTime,
    /// Why the service gave no decision, or why the license is not stored (`Storage`); None if there is no such problem.
    pub fault: Option<Fault>,
}

/// What grants a license.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Source {
    /// The cached token is valid; no request was sent.
    Cache,
    /// The service has just confirmed the license.
    Network,
    /// The token has expired, the grace period (the option `grace`) has not ended, and the service can't be asked.
    Grace,
}

/// What was bought.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct License {
    pub id: u64,
    /// The name that the operator gave the license type; None if the license comes from an imported token and the service has not been
    /// asked since the import.
    pub type_name: Option<String>,
    /// The kind of license: `lifetime`, `subscription`, `floating` or `trial`.
    pub kind: String,
    /// When the license expires; None if it never expires.
    pub expires_at: Option<SystemTime>,
}

/// How many seats of a license are used and how many exist, at the time of the last response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Seats {
    pub used: u64,
    /// The maximum number of seats; 0 means unlimited.
    pub max: u64,
}

/// Why the service gave no decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FaultKind {
    /// No connection, or the connection broke.
    Unreachable,
    /// No complete response within the time limit.
    Timeout,
    /// The service failed (status 5xx), or asks the client to wait (status 429).
    Busy,
    /// The service refuses the request because of a mistake in the app's configuration (a wrong API key, for example).
    Rejected,
    /// The response does not come from the service (a captive portal's page, for example).
    Malformed,
    /// The response contains a token or a refusal that could not be verified.
    Untrusted,
    /// The token in the response has already expired by this device's clock, so the clock is ahead.
    Clock,
    /// This device could not be identified, so no request was sent.
    Device,
    /// The stored data can't be read, or this device's random id can't be stored, so no request was sent.
    Storage,
    /// The client was closed before or during the call, or the app has canceled a sign-in.
    Closed,
}

/// Why the service gave no decision.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fault {
    pub kind: FaultKind,
    /// A message for logs. It contains neither license key nor credential.
    pub message: String,
    /// How long the service asks the client to wait.
    pub retry_after: Option<Duration>,
}

impl Fault {
    pub(crate) fn new(kind: FaultKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), retry_after: None }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:?}: {}", self.kind, self.message)
    }
}

impl std::error::Error for Fault {}

/// An argument can't be sent, so nothing was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct InvalidInput {
    /// The name of the argument: `key`, `name`, `platform`, `customer_email`, `replace`, `ref`, `meter`, `amount` or
    /// `id`.
    pub field: &'static str,
    /// A message in English for logs and developers, such as `must not be empty`.
    pub message: String,
}

impl fmt::Display for InvalidInput {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", self.field, self.message)
    }
}

impl std::error::Error for InvalidInput {}

/// An imported token is not accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct InvalidToken {
    /// Why the token is not accepted: `clock_rolled_back`, `device_unknown`, `storage_failed`, or a problem that
    /// [`verify_token`](crate::verify_token) reports.
    pub problem: String,
}

impl fmt::Display for InvalidToken {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "the token is not accepted: {}", self.problem)
    }
}

impl std::error::Error for InvalidToken {}

/// Why a call with input has failed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RequestError {
    /// An argument can't be sent, so nothing was sent.
    Input(InvalidInput),
    /// The service gave no decision, or this device can't be identified now.
    Fault(Fault),
}

impl fmt::Display for RequestError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input(input) => input.fmt(formatter),
            Self::Fault(fault) => fault.fmt(formatter),
        }
    }
}

impl std::error::Error for RequestError {}

impl From<InvalidInput> for RequestError {
    fn from(invalid: InvalidInput) -> Self {
        Self::Input(invalid)
    }
}

impl From<Fault> for RequestError {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

/// An invalid option: a mistake in the app's configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidOption(pub(crate) &'static str);

impl fmt::Display for InvalidOption {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "the option {} is not valid", self.0)
    }
}

impl std::error::Error for InvalidOption {}

/// A device that holds a seat of a license.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ListedDevice {
    /// Identifies the device for [`free`](crate::Client::free) and [`activate_in_place`](crate::Client::activate_in_place). It is not a
    /// fingerprint.
    pub reference: String,
    pub name: String,
    pub platform: String,
    pub activated_at: SystemTime,
    /// The day (`2026-11-20`) of the device's last validation or activation; None if the service doesn't know it.
    pub last_seen_on: Option<String>,
    /// Whether this entry is the device on which the app is running.
    pub is_this: bool,
}

/// A file of a release.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Artifact {
    pub filename: String,
    /// The platform of the file: `windows`, `macos`, `linux` or `any`.
    pub platform: String,
    /// The architecture of the file: `x64`, `arm64`, `ia32`, `universal` or `any`.
    pub arch: String,
    /// The size of the file in bytes.
    pub size: u64,
    /// The SHA-256 of the file, as hex in lower case.
    pub sha256: String,
    pub sha512: String,
    /// The vendor's own.
    pub signature: Option<String>,
    /// A URL that redirects to the file; requests need the headers of [`Latest`].
    pub url: String,
}

/// A release that the license covers.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Update {
    pub version: String,
    pub channel: String,
    pub released_at: SystemTime,
    /// The release notes in Markdown; None if there are none.
    pub notes: Option<String>,
    pub artifacts: Vec<Artifact>,
}

/// The newest release of the product. If the license doesn't cover this release, offer the user a renewal.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct NewestRelease {
    pub version: String,
    pub released_at: SystemTime,
    pub covered: bool,
}

/// The result of [`latest`](crate::Client::latest): the release to which the app may be updated.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Latest {
    /// The newest release that the license covers; None if none is newer than the given version.
    pub update: Option<Update>,
    pub newest: Option<NewestRelease>,
    /// Headers that every download request needs. They contain the API key, and the license key or the token.
    pub headers: Vec<(&'static str, String)>,
}

/// The platform and the version of an app, for which a release is requested.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Target {
    /// `windows`, `macos` or `linux`. A file for `any` fits every device. If this field is None, files for every platform fit.
    pub platform: Option<String>,
    /// `x64`, `arm64` or `ia32`. Files for `any` and `universal` fit every device. If this field is None, files for every architecture fit.
    pub arch: Option<String>,
    /// By default `stable`.
    pub channel: Option<String>,
    /// The version of the app; only a newer release counts as an update. Default: the version of the option `release`.
    pub version: Option<String>,
}
