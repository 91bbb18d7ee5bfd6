//! The names under which refusals of a key are stored, and the states that belong to them.

use crate::state::{Seats, State};

/// Whether a text has the form of a status name; a text of another form does not come from the service.
pub(crate) fn is_status_name(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes.next().is_some_and(|first| first.is_ascii_lowercase())
        && name.len() <= 64
        && bytes.all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
}

/// Whether the service signs this refusal. The signed refusals are statuses of the license, and `unbound`, which says that this device has
/// no seat. An unknown name counts as a status that only a newer version of the service knows.
pub(crate) fn is_signable(name: &str) -> bool {
    !matches!(name, "no_seats" | "too_many_devices" | "unknown_key" | "no_trial" | "not_covered")
}

/// Whether a text can be the status of a license that must not be used. An unknown name counts as a status that only a newer version of the
/// service knows. `active`, `unbound`, and the refusals that the service does not sign (such as `no_seats`) are not such statuses: a
/// response that contains one of them as the license's status does not come from the service.
pub(crate) fn is_refused_status(name: &str) -> bool {
    is_status_name(name) && is_signable(name) && !matches!(name, "unbound" | "active")
}

/// The state of a device whose key was refused. An unknown name counts as a status that only a newer version of the service knows.
pub(crate) fn refusal_state(name: &str, key: Option<&str>, seats: Option<Seats>) -> State {
    match name {
        "revoked" => State::Revoked,
        "suspended" => State::Suspended,
        "expired" => State::Expired,
        "reissued" => State::Reissued,
        "sign_in_required" => State::SignInRequired,
        "unbound" => State::Unbound { key: key.map(String::from) },
        "no_seats" => State::NoSeats { seats },
        "too_many_devices" => State::TooManyDevices,
        "unknown_key" => State::UnknownKey,
        "no_trial" => State::NoTrial,
        "not_covered" => State::NotCovered { updates: None },
        _ => State::Refused { reason: name.to_owned() },
    }
}
