//! Calls and their results as JSON, in the form of the vectors (docs/client.md, "Behaviour vectors") with an additional `message`. The C
//! library and the tests of this crate use this module.

use std::time::SystemTime;

use serde_json::{json, Map, Value};

use crate::client::meters::{ConsumeError, Consumption, Meter, Pending, PendingAmount, UsageError, UsageRefusal};
use crate::client::Client;
use crate::coverage::{Release, Updates};
use crate::input::Labels;
use crate::state::{Artifact, Fault, FaultKind, InvalidInput, Latest, Licensed, ListedDevice, RequestError, Seats, Source, State, Target};
use crate::timestamp::{parse_timestamp, to_system_time, to_text};

/// A release of an app, from `version` and `released_at`; None if `released_at` is not a valid time.
pub fn release_of(given: &Value) -> Option<Release> {
    let text = |name| given.get(name).and_then(Value::as_str);
    let released_at = match given.get("released_at") {
        None | Some(Value::Null) => None,
        Some(moment) => Some(to_system_time(parse_timestamp(moment.as_str()?)?)),
    };
    Some(Release { version: text("version").map(String::from), released_at })
}

fn time_json(moment: SystemTime) -> Value {
    json!(to_text(moment))
}

fn device_json(device: &ListedDevice) -> Value {
    json!({
        "ref": device.reference,
        "name": device.name,
        "platform": device.platform,
        "activated_at": time_json(device.activated_at),
        "last_seen_on": device.last_seen_on,
        "is_this": device.is_this,
    })
}

fn kind_name(kind: FaultKind) -> &'static str {
    match kind {
        FaultKind::Unreachable => "unreachable",
        FaultKind::Timeout => "timeout",
        FaultKind::Busy => "busy",
        FaultKind::Rejected => "rejected",
        FaultKind::Malformed => "malformed",
        FaultKind::Untrusted => "untrusted",
        FaultKind::Clock => "clock",
        FaultKind::Device => "device",
        FaultKind::Storage => "storage",
        FaultKind::Closed => "closed",
    }
}

/// Input that can't be sent.
pub fn input_json(invalid: &InvalidInput) -> Value {
    json!({ "status": "invalid_input", "field": invalid.field, "message": invalid.message })
}

fn fault_json(fault: &Fault) -> Value {
    let mut value = json!({ "kind": kind_name(fault.kind), "message": fault.message });
    if let Some(wait) = fault.retry_after {
        value["retry_after"] = json!(wait.as_secs());
    }
    value
}

fn seats_json(seats: Option<Seats>) -> Value {
    seats.map_or(Value::Null, |seats| json!({ "used": seats.used, "max": seats.max }))
}

fn updates_json(updates: &Updates) -> Value {
    json!({ "until": updates.until.map(time_json), "max_major": updates.max_major })
}

fn licensed_json(licensed: &Licensed) -> Value {
    let Licensed { source, license, features, limits, updates, seats, lease_expires_at, offline_until, .. } = licensed;
    let source = match source {
        Source::Cache => "cache",
        Source::Network => "network",
        Source::Grace => "grace",
    };
    let mut value = json!({
        "status": "licensed",
        "source": source,
        "license": { "id": license.id, "type": { "name": license.type_name, "kind": license.kind }, "expires_at": license.expires_at.map(time_json) },
        "features": features,
        "updates": updates_json(updates),
        "seats": seats_json(*seats),
        "lease_expires_at": lease_expires_at.map(time_json),
        "offline_until": time_json(*offline_until),
    });
    if !limits.is_empty() {
        value["limits"] = json!(limits);
    }
    value
}

/// A state as JSON, with its `status`.
pub fn state_json(state: &State) -> Value {
    let (mut value, fault) = match state {
        State::Licensed(licensed) => (licensed_json(licensed), &licensed.fault),
        State::Unbound { key: None } => (json!({ "status": "unbound" }), &None),
        State::Unbound { key } => (json!({ "status": "unbound", "key": key }), &None),
        State::Expired => (json!({ "status": "expired" }), &None),
        State::Suspended => (json!({ "status": "suspended" }), &None),
        State::Revoked => (json!({ "status": "revoked" }), &None),
        State::Reissued => (json!({ "status": "reissued" }), &None),
        State::SignInRequired => (json!({ "status": "sign_in_required" }), &None),
        State::Denied => (json!({ "status": "denied" }), &None),
        State::RequestExpired => (json!({ "status": "request_expired" }), &None),
        State::Refused { reason } => (json!({ "status": "refused", "reason": reason }), &None),
        State::NoSeats { seats } => (json!({ "status": "no_seats", "seats": seats_json(*seats) }), &None),
        State::TooManyDevices => (json!({ "status": "too_many_devices" }), &None),
        State::UnknownKey => (json!({ "status": "unknown_key" }), &None),
        State::NoTrial => (json!({ "status": "no_trial" }), &None),
        State::NotCovered { updates: None } => (json!({ "status": "not_covered" }), &None),
        State::NotCovered { updates: Some(updates) } => (json!({ "status": "not_covered", "updates": updates_json(updates) }), &None),
        State::OfflineWithoutToken { reason, fault } => (json!({ "status": "offline_without_token", "reason": reason }), fault),
    };
    if let Some(fault) = fault {
        value["fault"] = fault_json(fault);
    }
    value
}

fn latest_json(latest: &Latest) -> Value {
    let artifact = |file: &Artifact| {
        json!({
            "filename": file.filename,
            "platform": file.platform,
            "arch": file.arch,
            "size": file.size,
            "sha256": file.sha256,
            "sha512": file.sha512,
            "signature": file.signature,
            "url": file.url,
        })
    };
    let update = latest.update.as_ref().map(|found| {
        let artifacts: Vec<_> = found.artifacts.iter().map(artifact).collect();
        json!({ "version": found.version, "channel": found.channel, "released_at": time_json(found.released_at), "notes": found.notes, "artifacts": artifacts })
    });
    let newest = latest.newest.as_ref().map(|found| json!({ "version": found.version, "released_at": time_json(found.released_at), "covered": found.covered }));
    let headers: Map<_, _> = latest.headers.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
    json!({ "status": "latest", "update": update, "newest": newest, "headers": headers })
}

fn meter_json(meter: &Meter) -> Value {
    json!({
        "name": meter.name,
        "used": meter.used,
        "included": meter.included,
        "remaining": meter.remaining,
        "period": meter.period,
        "resets_at": meter.resets_at.map(time_json),
    })
}

fn usage_refusal_json(refusal: &UsageRefusal) -> Value {
    json!({ "status": "refused", "reason": refusal.reason, "message": refusal.message })
}

fn amount_json(amount: &PendingAmount) -> Value {
    json!({ "id": amount.id, "meter": amount.meter, "amount": amount.amount, "since": time_json(amount.since) })
}

fn pending_json(pending: &Pending) -> Value {
    let dropped = pending.dropped.iter().map(|dropped| {
        let mut value = amount_json(&dropped.amount);
        value["reason"] = json!(dropped.reason);
        value
    });
    json!({ "status": "pending", "amounts": pending.amounts.iter().map(amount_json).collect::<Vec<_>>(), "dropped": dropped.collect::<Vec<_>>() })
}

/// Calls the client's method called `name`, and returns the result as JSON. Names of methods and arguments are in snake case.
/// Returns None if there is no such method, or if `released_at` is not a valid time.
pub fn call(client: &Client, name: &str, arguments: &Value) -> Option<Value> {
    let optional = |name: &str| arguments.get(name).and_then(Value::as_str).map(String::from);
    let argument = |name: &str| optional(name).unwrap_or_default();
    let labels = Labels { name: optional("name"), platform: optional("platform") };
    let failed = |fault: &Fault| json!({ "status": "failed", "fault": fault_json(fault) });
    let unsent = |error: RequestError| match error {
        RequestError::Input(invalid) => input_json(&invalid),
        RequestError::Fault(fault) => failed(&fault),
    };
    let consumed = |outcome: Result<Consumption, ConsumeError>| match outcome {
        Ok(Consumption::Consumed(meter)) => json!({ "status": "consumed", "meter": meter_json(&meter) }),
        Ok(Consumption::Queued { id }) => json!({ "status": "queued", "id": id }),
        Err(ConsumeError::Input(invalid)) => input_json(&invalid),
        Err(ConsumeError::Refused(refusal)) => usage_refusal_json(&refusal),
        Err(ConsumeError::Failed { id, fault }) => json!({ "status": "failed", "id": id, "fault": fault_json(&fault) }),
    };
    let deactivated = |freed: bool| json!({ "status": "deactivated", "freed": freed });
    let entered = |state: Result<State, InvalidInput>| state.map_or_else(|invalid| input_json(&invalid), |state| state_json(&state));
    Some(match name {
        "check" => state_json(&client.check()),
        "validate" => state_json(&client.validate()),
        "activate" => entered(client.activate_in_place(&argument("key"), optional("replace").as_deref(), &labels)),
        "trial" => entered(client.trial(optional("customer_email").as_deref(), &labels)),
        "has" => json!(client.has(&argument("feature"))),
        "limit" => json!(client.limit(&argument("limit"))),
        "consume" => {
            consumed(client.consume(&argument("meter"), arguments.get("amount").and_then(Value::as_i64).unwrap_or_default(), optional("id").as_deref()))
        }
        "meters" => match client.meters() {
            Ok(meters) => json!({ "status": "meters", "meters": meters.iter().map(meter_json).collect::<Vec<_>>() }),
            Err(UsageError::Refused(refusal)) => usage_refusal_json(&refusal),
            Err(UsageError::Fault(fault)) => failed(&fault),
        },
        "pending" => client.pending().map_or_else(|fault| failed(&fault), |pending| pending_json(&pending)),
        "covers" if arguments.is_null() => json!(client.covers(None)),
        "covers" => json!(client.covers(Some(&release_of(arguments)?))),
        "devices" => client
            .devices(optional("key").as_deref())
            .map_or_else(unsent, |devices| json!({ "status": "devices", "devices": devices.iter().map(device_json).collect::<Vec<_>>() })),
        "latest" => client
            .latest(&Target { platform: optional("platform"), arch: optional("arch"), channel: optional("channel"), version: optional("version") })
            .map_or_else(|fault| failed(&fault), |latest| latest_json(&latest)),
        "free" => client.free(&argument("ref"), optional("key").as_deref()).map_or_else(unsent, deactivated),
        "deactivate" => client.deactivate().map_or_else(|fault| failed(&fault), deactivated),
        "forget" => client.forget().map_or_else(
            |fault| json!({ "status": "forgotten", "freed": false, "fault": fault_json(&fault) }),
            |freed| json!({ "status": "forgotten", "freed": freed }),
        ),
        "import_token" => client
            .import_token(&argument("token"))
            .map_or_else(|invalid| json!({ "status": "invalid_token", "problem": invalid.problem }), |state| state_json(&state)),
        "offline_request" => client.offline_request(&argument("key"), &labels).map_or_else(unsent, |text| json!({ "status": "request", "text": text })),
        "fingerprint" => client.fingerprint().map_or(Value::Null, Value::String),
        "close" => {
            if arguments["release"] == true {
                client.close_and_release();
            } else {
                client.close();
            }
            Value::Null
        }
        _ => return None,
    })
}
