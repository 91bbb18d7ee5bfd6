//! What an app can learn about its license.

use std::fmt;
use std::time::{Duration, SystemTime};

use crate::coverage::Updates;

/// Where a device stands. Only `Licensed` grants use.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum State {
    Licensed(Licensed),
    /// This device holds no seat: ask for a key and activate it. `key` is the one that it was activated with, if its
    /// seat was freed meanwhile.
    Unbound {
        key: Option<String>,
    },
    /// The license has run out.
    Expired,
    /// The license is on hold, for a payment that is overdue for example. It may come back.
    Suspended,
    /// The license was taken back, after a refund for example.
    Revoked,
    /// The license has another status that refuses use, which this version of the client doesn't know.
    Refused {
        reason: String,
    },
    /// Every seat is taken by another device; the numbers are missing if the service couldn't be asked for them.
    NoSeats {
        seats: Option<Seats>,
    },
    /// Too many devices that are new to the license took a seat this week.
    TooManyDevices,
    /// The service knows no such key.
    UnknownKey,
    /// The product offers no trial without a key.
    NoTrial,
    /// The license doesn't cover this release of the app (the option `release`). What is held stays, and licenses an older release.
    NotCovered {
        /// What limits the license that is held; none if the service refused an activation.
        updates: Option<Updates>,
    },
    /// Nothing in the cache counts, and the service gives no verdict: try again when there is a network.
    OfflineWithoutToken {
        /// Why the cached token doesn't count: `no_token`, `clock_rolled_back`, `device_unknown`, `storage_failed`, or the token's problem.
        reason: String,
        /// Why there is no verdict of the service; none if there is no key to ask it about.
        fault: Option<Fault>,
    },
}

/// Use is granted.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Licensed {
    pub source: Source,
    pub license: License,
    /// Names of the features that were bought, signed by the service.
    pub features: Vec<String>,
    /// Which releases were bought, signed by the service.
    pub updates: Updates,
    /// Seats when the service was last asked; none if it never was (an imported token).
    pub seats: Option<Seats>,
    /// When this device's seat may go to another device unless the lease is renewed; none if it has no lease.
    pub lease_expires_at: Option<SystemTime>,
    /// Until when it holds without a network; for `Source::Grace` the end of the grace.
    pub offline_until: SystemTime,
    /// Why the service could not be asked, if it was tried.
    pub fault: Option<Fault>,
}

/// What a license rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Source {
    /// The cached token verifies; nobody was asked.
    Cache,
    /// The service has just confirmed it.
    Network,
    /// The token has just expired, and the service can't be asked.
    Grace,
}

/// What was bought.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct License {
    pub id: u64,
    /// As the operator named it; none if the service was never asked (an imported token).
    pub type_name: Option<String>,
    /// `lifetime`, `subscription`, `floating` or `trial`.
    pub kind: String,
    /// None if it never expires.
    pub expires_at: Option<SystemTime>,
}

/// Seats of a license when the service was last asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Seats {
    pub used: u64,
    /// 0: unlimited.
    pub max: u64,
}

/// What kept the service from giving a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FaultKind {
    /// No connection, or it broke.
    Unreachable,
    /// No complete response in time.
    Timeout,
    /// The service failed or asks for patience (5xx, throttled).
    Busy,
    /// It refuses the request itself (a wrong API key, for example): a mistake in the app's configuration.
    Rejected,
    /// The response is not the service's (a captive portal's page, for example).
    Malformed,
    /// The token or the refusal in the response is not proved.
    Untrusted,
    /// This device could not be identified, so nothing was asked.
    Device,
    /// What is stored can't be read, or this device's random id can't be stored; nothing was asked.
    Storage,
    /// The client was closed meanwhile.
    Closed,
}

/// Why there is no verdict of the service.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fault {
    pub kind: FaultKind,
    /// For logs. Holds neither license key nor credential.
    pub message: String,
    /// How long the service asks to wait.
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

/// What was given can't be sent, and wasn't.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct InvalidInput {
    /// `key`, `name`, `platform` or `customer_email`.
    pub field: &'static str,
    /// In English, for logs and developers, such as `must not be empty`.
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
    /// `clock_rolled_back`, `device_unknown`, or a problem of [`verify_token`](crate::verify_token).
    pub problem: String,
}

impl fmt::Display for InvalidToken {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "the token is not accepted: {}", self.problem)
    }
}

impl std::error::Error for InvalidToken {}

/// Why there is no request for a machine that is never online.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RequestError {
    Input(InvalidInput),
    /// This device can't be identified now.
    Device(Fault),
}

impl fmt::Display for RequestError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input(input) => input.fmt(formatter),
            Self::Device(fault) => fault.fmt(formatter),
        }
    }
}

impl std::error::Error for RequestError {}

/// An option that can't work: a mistake in the app's configuration.
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
    /// Names the device to [`free`](crate::Client::free) and as the one to replace. Not a fingerprint.
    pub reference: String,
    pub name: String,
    pub platform: String,
    pub activated_at: SystemTime,
    /// The day (`2026-11-20`) of its last validation or activation; none if the service doesn't know it.
    pub last_seen_on: Option<String>,
    /// Whether it is this device.
    pub is_this: bool,
}

/// A file of a release.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Artifact {
    pub filename: String,
    /// `windows`, `macos`, `linux` or `any`.
    pub platform: String,
    /// `x64`, `arm64`, `ia32`, `universal` or `any`.
    pub arch: String,
    /// In bytes.
    pub size: u64,
    /// Hex in lower case, as `sha512`.
    pub sha256: String,
    pub sha512: String,
    /// The vendor's own.
    pub signature: Option<String>,
    /// Redirects to the file, for requests with the headers of [`Latest`].
    pub url: String,
}

/// A release that the license covers.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Update {
    pub version: String,
    pub channel: String,
    pub released_at: SystemTime,
    /// Markdown.
    pub notes: Option<String>,
    pub artifacts: Vec<Artifact>,
}

/// The newest release of all. If it is not covered, offer the user a renewal.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct NewestRelease {
    pub version: String,
    pub released_at: SystemTime,
    pub covered: bool,
}

/// What a license may be updated to.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Latest {
    /// The newest release that the license covers; none if none is newer than the version given.
    pub update: Option<Update>,
    pub newest: Option<NewestRelease>,
    /// To be sent with every download; they contain the license key or the token.
    pub headers: Vec<(&'static str, String)>,
}

/// What an app runs on. What isn't given doesn't matter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Target {
    /// `windows`, `macos` or `linux`. A file for `any` fits every device, and without a platform each file does.
    pub platform: Option<String>,
    /// `x64`, `arm64` or `ia32`; the same with `any` and `universal`.
    pub arch: Option<String>,
    /// By default `stable`.
    pub channel: Option<String>,
    /// What the app has: only a newer one is an update. Default: the option `release`.
    pub version: Option<String>,
}
