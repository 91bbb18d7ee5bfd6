//! Calls the client routes of the service. A call returns a reply or a fault.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serde_json::{json, Value};

use crate::client::meters::{Meter, UsageError, UsageRefusal};
use crate::json::{count, filled, integer, is_white_space, member, parse_json, seats, trim, Object};
use crate::options::strip_scheme;
use crate::queue::Amount;
use crate::record::{is_same_key, Record};
use crate::refusals::{is_refused_status, is_status_name};
use crate::state::{Artifact, Fault, FaultKind, Latest, ListedDevice, NewestRelease, Seats, Update};
use crate::timestamp::{parse_timestamp, to_system_time};
use crate::transport::{Request, Response, Transport, MAX_RESPONSE_BYTES};
use crate::waiting::{NoOutcome, Waiting};

/// Maximum `Retry-After` for which a call waits before its second attempt.
const MAX_WAIT: Duration = Duration::from_secs(5);
const DAY: Duration = Duration::from_secs(86_400);

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    Validate,
    Activate,
    Trial,
    Deactivate,
    Devices,
    Latest,
    /// With the amount, which is the only number in a request.
    Consume(i64),
    Meters,
    RequestActivation,
    Poll,
}

impl Operation {
    fn route(self) -> &'static str {
        match self {
            Self::Validate => "validate",
            Self::Activate => "activate",
            Self::Trial => "trial",
            Self::Deactivate => "deactivate",
            Self::Devices => "devices",
            Self::Latest => "releases/latest",
            Self::Consume(_) => "consume",
            Self::Meters => "meters",
            Self::RequestActivation => "activation-requests",
            Self::Poll => "activation-requests/poll",
        }
    }
}

/// The response of the service about a key and a device. Nothing in it is verified yet.
pub(crate) enum Reply {
    Granted(Grant),
    NotBound {
        key: String,
        license_id: String,
        seats: Seats,
        /** The header `X-Svc-Verdict`. */
        verdict: Option<String>,
    },
    Refused {
        name: String,
        /** The header `X-Svc-Verdict`. */
        verdict: Option<String>,
    },
}

/// A request to activate this device, which somebody approves in the browser.
pub(crate) struct ActivationRequest {
    /// The secret with which this device asks for the decision.
    pub(crate) request: String,
    pub(crate) user_code: String,
    pub(crate) url: String,
    /// The pause before the next question.
    pub(crate) interval: Duration,
}

/// The decision about an [`ActivationRequest`].
pub(crate) enum Decision {
    Reply(Reply),
    Pending { interval: Duration },
    Denied,
    Expired,
}

pub(crate) struct Grant {
    pub(crate) token: String,
    /// In its canonical form.
    pub(crate) key: String,
    // The following fields are not signed; they are information only.
    pub(crate) type_name: Option<String>,
    pub(crate) seats: Option<Seats>,
}

/// A response that contains a JSON object, regardless of its content.
struct Reading {
    status: u16,
    code: String,
    verdict: Option<String>,
    body: Object,
}

/// Whether a response with status 429 and this error code asks the client to wait. With another code it is a refusal, which must not be
/// retried.
fn is_throttling(code: &str) -> bool {
    matches!(code, "" | "rate_limited")
}

/// Whether an error code with status 429 is about seats.
fn is_seat_refusal(code: &str) -> bool {
    matches!(code, "no_seats" | "too_many_devices")
}

/// Returns the fault for a response that does not come from the service, but from a captive portal or a proxy.
fn foreign(status: u16) -> Fault {
    Fault::new(FaultKind::Malformed, format!("not a response of the service: HTTP {status}"))
}

/// The time to wait according to `Retry-After` (RFC 9110, section 10.2.3), at most a day. A header with a date or 0 is ignored.
fn retry_after(header: Option<&str>) -> Option<Duration> {
    let seconds: f64 = header.filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()))?.parse().ok()?;
    Some(Duration::from_secs_f64(seconds.min(DAY.as_secs_f64()))).filter(|wait| !wait.is_zero())
}

fn read(operation: Operation, response: &Response) -> Result<Reading, Fault> {
    let status = response.status;
    let code = response.header("X-Svc-Error-Code").unwrap_or_default().to_owned();
    if status >= 500 || (status == 429 && is_throttling(&code)) {
        return Err(Fault { retry_after: retry_after(response.header("Retry-After")), ..Fault::new(FaultKind::Busy, format!("HTTP {status}")) });
    }
    let whole = Some(&response.body).filter(|body| body.len() <= MAX_RESPONSE_BYTES);
    let body = match whole.and_then(|body| parse_json(body)).ok_or_else(|| foreign(status))? {
        // These are the only responses that are not an object.
        list if matches!(operation, Operation::Devices | Operation::Meters) && status == 200 => Object::from_iter([("list".to_owned(), list)]),
        Value::Object(object) => object,
        _ => return Err(foreign(status)),
    };
    let verdict = response.header("X-Svc-Verdict").map(str::to_owned);
    Ok(Reading { status, code, verdict, body })
}

impl Reading {
    fn grant(&self) -> Option<Reply> {
        Self::grant_in(&self.body)
    }

    fn grant_in(body: &Object) -> Option<Reply> {
        let license = body.get("license");
        let text = |value| filled(value).map(String::from);
        Some(Reply::Granted(Grant {
            token: text(body.get("offline_token"))?,
            key: text(member(license, "key"))?,
            type_name: text(member(member(license, "license_type"), "name")),
            seats: seats(body.get("seats")),
        }))
    }

    /// For a valid key on a device without a seat, the response has neither device nor token.
    fn not_bound(&self) -> Option<Reply> {
        let license = self.body.get("license");
        filled(self.body.get("status")).filter(|name| is_status_name(name))?;
        if self.body.contains_key("device") || self.body.contains_key("offline_token") {
            return None;
        }
        Some(Reply::NotBound {
            key: filled(member(license, "key"))?.to_owned(),
            license_id: integer(member(license, "id"))?.to_string(),
            seats: seats(self.body.get("seats"))?,
            verdict: self.verdict.clone(),
        })
    }

    /// Reads the reply in a response to a validation; None if the response contains no reply of the service. An error response contains no
    /// decision about the license. A refusal without a verdict must have exactly the members `valid` and `status`. A refusal with a verdict
    /// may have further members, because the verdict can prove that the refusal comes from the service.
    fn validation(&self) -> Option<Reply> {
        match self.body.get("valid") {
            _ if self.status != 200 => None,
            Some(Value::Bool(true)) => self.grant().or_else(|| self.not_bound()),
            Some(Value::Bool(false)) if self.verdict.is_some() || self.body.len() == 2 => {
                let name = filled(self.body.get("status")).filter(|name| is_refused_status(name))?;
                Some(Reply::Refused { name: if name == "invalid" { "unknown_key" } else { name }.to_owned(), verdict: self.verdict.clone() })
            }
            _ => None,
        }
    }

    /// Reads the reply in a response to an activation or a trial.
    fn activation(&self, operation: Operation) -> Option<Reply> {
        if matches!(self.status, 200 | 201) {
            return self.grant();
        }
        self.body.get("detail")?.as_str()?;
        let name = match (self.status, self.code.as_str()) {
            (403, "release_not_covered") => "not_covered",
            (403, code @ "sign_in_required") => code,
            (403, _) => self.license_status()?,
            (404, "not_found") if operation == Operation::Trial => "no_trial",
            (404, "not_found") => "unknown_key",
            (429, code) if is_seat_refusal(code) => code,
            _ => return None,
        };
        Some(Reply::Refused { name: name.to_owned(), verdict: self.verdict.clone() })
    }

    fn activation_request(&self) -> Option<ActivationRequest> {
        let text = |name| filled(self.body.get(name)).map(String::from);
        // The app opens this address, so it must not be one that starts a program.
        let is_address = |url: &String| strip_scheme(url).is_some_and(|rest| !rest.is_empty() && !rest.contains(is_white_space));
        Some(ActivationRequest {
            request: text("request").filter(|_| self.status == 201)?,
            user_code: text("user_code")?,
            url: text("url").filter(is_address)?,
            interval: self.interval()?,
        })
    }

    fn interval(&self) -> Option<Duration> {
        count(self.body.get("interval")).map(Duration::from_secs)
    }

    /// Reads the decision about an activation request.
    fn decision(&self) -> Option<Decision> {
        match (self.status, self.body.get("status").and_then(Value::as_str)) {
            (200, Some("pending")) => Some(Decision::Pending { interval: self.interval()? }),
            (200, Some("denied")) => Some(Decision::Denied),
            (200, Some("expired")) => Some(Decision::Expired),
            (200, Some("approved")) => Self::grant_in(self.body.get("activation")?.as_object()?).map(Decision::Reply),
            // A refusal of the approved license has the form of a refused activation. An unknown request is `expired`, and never 404.
            (200 | 404, _) => None,
            _ => self.activation(Operation::Activate).map(Decision::Reply),
        }
    }

    /// The status of the license in an error code such as `license_revoked`.
    fn license_status(&self) -> Option<&str> {
        self.code.strip_prefix("license_").filter(|name| self.status == 403 && is_refused_status(name))
    }

    /// The refusal of `consume` or `meters`, or the fault of a response that contains none.
    fn usage_error(&self) -> UsageError {
        let reason = self.license_status().or(match (self.status, self.code.as_str()) {
            (404, "not_found") => Some("unknown_key"),
            (403, code @ ("not_activated" | "sign_in_required"))
            | (404, code @ "unknown_meter")
            | (409, code @ "idempotency_mismatch")
            | (422, code @ "invalid_request")
            | (429, code @ "meter_exhausted") => Some(code),
            _ => None,
        });
        match (reason, self.body.get("detail").and_then(Value::as_str)) {
            (Some(reason), Some(detail)) => UsageRefusal::new(reason, detail).into(),
            _ => self.unusable().into(),
        }
    }

    /// The fault to report if a response says nothing about the license.
    fn unusable(&self) -> Fault {
        match self.body.get("detail").and_then(Value::as_str) {
            Some(detail) if self.status >= 400 && !self.code.is_empty() => {
                Fault::new(FaultKind::Rejected, format!("HTTP {} {}: {detail}", self.status, self.code))
            }
            _ => foreign(self.status),
        }
    }
}

fn listed_device(device: &Value) -> Option<ListedDevice> {
    let text = |name| device.get(name)?.as_str().map(String::from);
    Some(ListedDevice {
        reference: text("ref").filter(|reference| !reference.is_empty())?,
        name: text("name")?,
        platform: text("platform")?,
        activated_at: to_system_time(parse_timestamp(&text("activated_at")?)?),
        last_seen_on: match device.get("last_seen_on") {
            None | Some(Value::Null) => None,
            Some(day) => Some(day.as_str()?.to_owned()),
        },
        is_this: device.get("this")?.as_bool()?,
    })
}

fn meter_in(object: &Object) -> Option<Meter> {
    Some(Meter {
        name: filled(object.get("meter"))?.to_owned(),
        used: count(object.get("used"))?,
        included: count(object.get("included"))?,
        remaining: count(object.get("remaining"))?,
        period: filled(object.get("period"))?.to_owned(),
        resets_at: match object.get("resets_at")? {
            Value::Null => None,
            moment => Some(to_system_time(parse_timestamp(moment.as_str()?)?)),
        },
    })
}

/// A text, or null; None if the value is anything else or an empty text.
fn text_or_null(value: Option<&Value>) -> Option<Option<String>> {
    match value {
        None | Some(Value::Null) => Some(None),
        text => filled(text).map(|text| Some(text.to_owned())),
    }
}

/// Reads an object with `read`. Some(None) means that the value is null; None means that it is missing or that `read` refuses it.
fn object_or_null<Found>(value: Option<&Value>, read: impl FnOnce(&Value) -> Option<Found>) -> Option<Option<Found>> {
    match value? {
        Value::Null => Some(None),
        object => read(object).map(Some),
    }
}

fn version_of(release: &Value) -> Option<(String, SystemTime)> {
    let released_at = parse_timestamp(release.get("released_at")?.as_str()?)?;
    Some((filled(release.get("version"))?.to_owned(), to_system_time(released_at)))
}

fn update_in(release: &Value) -> Option<Update> {
    let (version, released_at) = version_of(release)?;
    Some(Update {
        version,
        released_at,
        channel: filled(release.get("channel"))?.to_owned(),
        notes: match release.get("notes") {
            None | Some(Value::Null) => None,
            Some(notes) => Some(notes.as_str()?.to_owned()),
        },
        artifacts: release.get("artifacts")?.as_array()?.iter().map(artifact_in).collect::<Option<_>>()?,
    })
}

fn artifact_in(artifact: &Value) -> Option<Artifact> {
    let text = |name| filled(artifact.get(name)).map(String::from);
    Some(Artifact {
        filename: text("filename")?,
        platform: text("platform")?,
        arch: text("arch")?,
        size: count(artifact.get("size"))?,
        sha256: text("sha256")?,
        sha512: text("sha512")?,
        signature: text_or_null(artifact.get("signature"))?,
        url: text("url")?,
    })
}

fn newest_in(release: &Value) -> Option<NewestRelease> {
    let (version, released_at) = version_of(release)?;
    Some(NewestRelease { version, released_at, covered: release.get("covered")?.as_bool()? })
}

/// Encodes a text for a URL, like JavaScript's `encodeURIComponent`.
fn encoded(text: &str) -> String {
    text.bytes()
        .map(|byte| if byte.is_ascii_alphanumeric() || b"-_.!~*'()".contains(&byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

/// Calls the client routes of the service for one product.
pub(crate) struct Service {
    /// The part of every request's URL before the name of the operation.
    pub(crate) prefix: String,
    pub(crate) api_key: String,
    pub(crate) transport: Arc<dyn Transport>,
    /// Time limit of each of the two attempts.
    pub(crate) timeout: Duration,
    /// Pause before the second attempt; a random time of up to half of the pause is added.
    pub(crate) retry_delay: Duration,
    pub(crate) waiting: Waiting,
}

/// The header with the device's token, with which the service can sign that the license no longer exists.
pub(crate) const TOKEN_HEADER: &str = "x-svc-token";

/// Names and values of a request. Texts are trimmed, and fields without a text are left out. Names that start with `x-` are headers.
pub(crate) type Fields<'a> = [(&'static str, Option<&'a str>)];
/// The prefix of a release's fields in a request.
const RELEASE: &str = "release.";

impl Service {
    /// Sends a request that is safe to repeat, because a device that already has a seat takes no second seat.
    pub(crate) fn ask(&self, operation: Operation, fields: &Fields<'_>) -> Result<Reply, Fault> {
        let reading = self.call(operation, fields)?;
        let mut reply = if operation == Operation::Validate { reading.validation() } else { reading.activation(operation) };
        let sent = fields.iter().find_map(|(name, value)| value.filter(|_| *name == "key"));
        if let (Some(Reply::Granted(grant)), Some(sent)) = (&mut reply, sent) {
            // The key in the response may differ from the key in the request. The token doesn't prove which key is right, so the client
            // keeps the key that it sent. Otherwise a server that pretends to be the service could replace the license's key.
            if !is_same_key(&grant.key, sent) {
                sent.clone_into(&mut grant.key);
            }
        }
        reply.ok_or_else(|| reading.unusable())
    }

    /// The devices of a license.
    pub(crate) fn devices(&self, key: &str, fingerprint: &str) -> Result<Vec<ListedDevice>, Fault> {
        let reading = self.call(Operation::Devices, &[("key", Some(key)), ("fingerprint", Some(fingerprint))])?;
        let devices = reading.body.get("list").and_then(Value::as_array);
        devices.and_then(|devices| devices.iter().map(listed_device).collect()).ok_or_else(|| reading.unusable())
    }

    /// Creates a request that somebody approves in the browser. It ends the previous request of this device.
    pub(crate) fn request_activation(&self, fields: &Fields<'_>) -> Result<ActivationRequest, Fault> {
        let reading = self.call(Operation::RequestActivation, fields)?;
        reading.activation_request().ok_or_else(|| reading.unusable())
    }

    /// Asks once for the decision about a request. `waiting` can end the wait for the response.
    pub(crate) fn poll(&self, request: &str, fingerprint: &str, waiting: &Waiting) -> Result<Decision, Fault> {
        let reading = self.attempt(waiting, Operation::Poll, &[("request", Some(request)), ("fingerprint", Some(fingerprint))])?;
        reading.decision().ok_or_else(|| reading.unusable())
    }

    /// Consumes an amount of a meter. A request with the same id consumes nothing more, so it is safe to repeat.
    pub(crate) fn consume(&self, key: &str, fingerprint: &str, amount: &Amount) -> Result<Meter, UsageError> {
        let fields = [("key", Some(key)), ("fingerprint", Some(fingerprint)), ("meter", Some(amount.meter.as_str())), ("id", Some(amount.id.as_str()))];
        let reading = self.call(Operation::Consume(amount.amount), &fields)?;
        let meter = meter_in(&reading.body).filter(|_| reading.status == 200);
        meter.ok_or_else(|| reading.usage_error())
    }

    /// The meters of a license.
    pub(crate) fn meters(&self, key: &str, fingerprint: &str) -> Result<Vec<Meter>, UsageError> {
        let reading = self.call(Operation::Meters, &[("key", Some(key)), ("fingerprint", Some(fingerprint))])?;
        let meters = reading.body.get("list").and_then(Value::as_array);
        meters.and_then(|meters| meters.iter().map(|meter| meter_in(meter.as_object()?)).collect()).ok_or_else(|| reading.usage_error())
    }

    /// The newest release that a license covers, and the headers of the request, because downloads need the same headers. If both a key and
    /// a token exist, the key is sent.
    pub(crate) fn latest(&self, held: &Record, fields: &[(&'static str, Option<&str>)]) -> Result<Latest, Fault> {
        let license = held.key.as_ref().map(|key| ("x-license-key", key)).or(held.token.as_ref().map(|token| ("x-license-token", token)));
        let all: Vec<_> = fields.iter().copied().chain(license.map(|(name, value)| (name, Some(value.as_str())))).collect();
        let reading = self.call(Operation::Latest, &all)?;
        let headers = [Some(("x-api-key", &self.api_key)), license].into_iter().flatten().map(|(name, value)| (name, value.clone())).collect();
        let found = object_or_null(reading.body.get("update"), update_in).zip(object_or_null(reading.body.get("newest"), newest_in));
        let found = found.filter(|_| reading.status == 200).map(|(update, newest)| Latest { update, newest, headers });
        found.ok_or_else(|| reading.unusable())
    }

    /// Frees the seat of the device with the given ref, and returns whether there was a seat.
    pub(crate) fn free_other(&self, key: &str, reference: &str) -> Result<bool, Fault> {
        let reading = self.call(Operation::Deactivate, &[("key", Some(key)), ("device", Some(reference))])?;
        let freed = reading.body.get("freed").and_then(Value::as_bool).filter(|_| reading.status == 200);
        freed.ok_or_else(|| reading.unusable())
    }

    /// Frees the seat of the device with the given fingerprint, and returns whether there was a seat.
    pub(crate) fn free(&self, key: &str, fingerprint: &str) -> Result<bool, Fault> {
        self.free_or_unknown(key, fingerprint).map_err(|(fault, _)| fault)
    }

    /// Like [`free`](Self::free), but the error also says whether the service doesn't know the key.
    pub(crate) fn free_or_unknown(&self, key: &str, fingerprint: &str) -> Result<bool, (Fault, bool)> {
        let reading = self.call(Operation::Deactivate, &[("key", Some(key)), ("fingerprint", Some(fingerprint))]).map_err(|fault| (fault, false))?;
        let freed = reading.body.get("freed").and_then(Value::as_bool).filter(|_| reading.status == 200);
        freed.ok_or_else(|| {
            let fault = reading.unusable();
            let is_unknown = fault.kind == FaultKind::Rejected && reading.code == "not_found";
            (fault, is_unknown)
        })
    }

    /// Sends a request. After a fault that may be temporary, the request is sent a second time.
    fn call(&self, operation: Operation, fields: &Fields<'_>) -> Result<Reading, Fault> {
        let fault = match self.attempt(&self.waiting, operation, fields) {
            Err(fault) if !self.waiting.is_ended() => fault,
            outcome => return outcome,
        };
        let wait = fault.retry_after.unwrap_or_default();
        if wait > MAX_WAIT {
            return Err(fault);
        }
        self.waiting.pause(wait.max(self.retry_delay.mul_f64(1.0 + chance() / 2.0)));
        self.attempt(&self.waiting, operation, fields)
    }

    fn attempt(&self, waiting: &Waiting, operation: Operation, fields: &Fields<'_>) -> Result<Reading, Fault> {
        let (transport, request) = (Arc::clone(&self.transport), self.request(operation, fields));
        match waiting.within(self.timeout, move || transport.send(request)) {
            Ok(Ok(response)) => read(operation, &response),
            Ok(Err(error)) => Err(Fault::new(FaultKind::Unreachable, error.to_string())),
            Err(NoOutcome::Late) => Err(Fault::new(FaultKind::Timeout, format!("no response within {:?}", self.timeout))),
            Err(NoOutcome::Ended) => Err(Fault::new(FaultKind::Closed, "client closed")),
        }
    }

    fn request(&self, operation: Operation, fields: &Fields<'_>) -> Request {
        let all = fields.iter().filter_map(|(name, value)| Some((*name, trim((*value)?)))).filter(|(_, value)| !value.is_empty());
        let (credential, given): (Vec<_>, Vec<_>) = all.partition(|(name, _)| name.starts_with("x-"));
        let url = format!("{}/{}", self.prefix, operation.route());
        let mut headers = vec![("X-API-Key", self.api_key.clone())];
        headers.extend(credential.into_iter().map(|(name, value)| (name, value.to_owned())));
        let timeout = self.timeout;
        if matches!(operation, Operation::Validate | Operation::Latest) {
            let query: Vec<String> = given.iter().map(|(name, value)| format!("{name}={}", encoded(value))).collect();
            return Request { method: "GET", url: format!("{url}?{}", query.join("&")), headers, body: None, timeout };
        }
        headers.push(("Content-Type", "application/json".to_owned()));
        let mut body = Object::new();
        if let Operation::Consume(amount) = operation {
            body.insert("amount".to_owned(), json!(amount));
        }
        for (name, value) in given {
            match name.strip_prefix(RELEASE) {
                None => drop(body.insert(name.to_owned(), json!(value))),
                Some(part) => {
                    let release = body.entry("release").or_insert_with(|| json!({}));
                    release[part] = json!(value);
                }
            }
        }
        Request { method: "POST", url, headers, body: Some(Value::Object(body).to_string()), timeout }
    }
}

/// A random number from 0 to 1. It spreads the retries of clients whose requests failed at the same time.
fn chance() -> f64 {
    let mut byte = [0];
    // Without random numbers the pause has its minimum length.
    let _ = getrandom::fill(&mut byte);
    f64::from(byte[0]) / 255.0
}
