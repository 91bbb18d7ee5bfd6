#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod assessment;
mod cache;
mod client;
mod coverage;
mod device;
mod fingerprint;
mod input;
mod json;
mod jws;
mod keys;
mod lock_file;
mod offline_request;
mod options;
mod queue;
mod record;
mod refusals;
#[doc(hidden)]
pub mod results;
mod service;
mod state;
mod storage;
mod timestamp;
mod token;
mod transport;
mod verdict;
mod waiting;

#[cfg(test)]
mod tests;

pub use cache::Warn;
pub use client::meters::{ConsumeError, Consumption, DroppedAmount, Meter, Pending, PendingAmount, UsageError, UsageRefusal};
pub use client::sign_in::SignIn;
pub use client::{Client, Unsubscribe};
pub use coverage::{Release, Updates};
pub use device::FingerprintSource;
pub use fingerprint::{app_fingerprint, machine_fingerprint};
pub use input::Labels;
pub use offline_request::{read_offline_request, OfflineRequest};
pub use options::{Offline, Options, Schedule, Task};
pub use state::{
    Artifact, Fault, FaultKind, InvalidInput, InvalidOption, InvalidToken, Latest, License, Licensed, ListedDevice, NewestRelease, RequestError, Seats, Source,
    State, Target, Update,
};
pub use storage::{FileStorage, LockGuard, MemoryStorage, Storage};
pub use token::{verify_token, Expectation, TokenClaims, Verification, CLOCK_SKEW};
pub use transport::{Request, Response, Transport, MAX_RESPONSE_BYTES};
