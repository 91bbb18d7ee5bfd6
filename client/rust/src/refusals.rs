//! Every way in which a key can be refused, by the name under which it is stored.

use crate::state::{Seats, State};

/// How statuses are named; what doesn't fit is not the service's.
pub(crate) fn is_status_name(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes.next().is_some_and(|first| first.is_ascii_lowercase())
        && name.len() <= 64
        && bytes.all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
}

/// Whether the service signs such a refusal: a status of the license, or that this device is not bound to it. Unknown names
/// are statuses.
pub(crate) fn is_signable(name: &str) -> bool {
    !matches!(name, "no_seats" | "too_many_devices" | "unknown_key" | "no_trial" | "not_covered")
}

/// The state of a device whose key was refused. A name that is not known is a status of a newer service.
pub(crate) fn refusal_state(name: &str, key: Option<&str>, seats: Option<Seats>) -> State {
    match name {
        "revoked" => State::Revoked,
        "suspended" => State::Suspended,
        "expired" => State::Expired,
        "unbound" => State::Unbound { key: key.map(String::from) },
        "no_seats" => State::NoSeats { seats },
        "too_many_devices" => State::TooManyDevices,
        "unknown_key" => State::UnknownKey,
        "no_trial" => State::NoTrial,
        "not_covered" => State::NotCovered { updates: None },
        _ => State::Refused { reason: name.to_owned() },
    }
}
