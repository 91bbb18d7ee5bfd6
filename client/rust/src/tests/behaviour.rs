//! The behaviour vectors: docs/client.md, "Behaviour vectors".

use std::collections::VecDeque;
use std::error::Error;
use std::io;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{json, Map, Value};

use super::{list, read, text};
use crate::state::{Artifact, Fault, FaultKind, Latest, Licensed, ListedDevice, RequestError, Seats, Source, State, Target};
use crate::storage::{LockGuard, MemoryStorage, Storage};
use crate::timestamp::{parse_timestamp, to_system_time, to_text};
use crate::transport::{Request, Response, Transport};
use crate::waiting::lock;
use crate::{Client, Labels, Options, Release};

/// Clock, network, device and storage of one case, in the script's hands.
#[derive(Default)]
struct World {
    name: String,
    items: MemoryStorage,
    script: Mutex<Script>,
}

#[derive(Default)]
struct Script {
    now: f64,
    /// What of the storage fails.
    storage_fault: String,
    fingerprint: Value,
    responses: VecDeque<Value>,
    requests: Vec<Value>,
    wakes_after: Option<f64>,
}

/// The storage of a world, with its faults.
struct Scripted(Arc<World>);

impl Scripted {
    fn fail(&self, what: &str) -> io::Result<&MemoryStorage> {
        if lock(&self.0.script).storage_fault == what {
            return Err(io::Error::other(format!("the storage is {what}")));
        }
        Ok(&self.0.items)
    }
}

impl Storage for Scripted {
    fn get(&self, name: &str) -> io::Result<Option<String>> {
        self.fail("unreadable")?.get(name)
    }

    fn set(&self, name: &str, text: &str) -> io::Result<()> {
        self.fail("unwritable")?.set(name, text)
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.fail("unwritable")?.remove(name)
    }

    fn lock(&self, name: &str) -> io::Result<LockGuard> {
        self.0.items.lock(name)
    }
}

fn as_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), String::from)
}

fn decoded(text: &str) -> String {
    let mut parts = text.split('%');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        bytes.push(u8::from_str_radix(&part[..2], 16).expect("two hex digits"));
        bytes.extend_from_slice(&part.as_bytes()[2..]);
    }
    String::from_utf8(bytes).expect("UTF-8")
}

impl Transport for Scripted {
    fn send(&self, request: Request) -> Result<Response, Box<dyn Error + Send + Sync>> {
        let address = request.url.split_once("://").map_or("", |(_, rest)| rest);
        let path = &address[address.find('/').expect("a path")..];
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let mut seen = json!({ "method": request.method, "path": path });
        match &request.body {
            Some(body) => seen["body"] = serde_json::from_str(body)?,
            None => {
                seen["query"] = query
                    .split('&')
                    .filter_map(|field| field.split_once('='))
                    .map(|(name, value)| (name.to_owned(), json!(decoded(value))))
                    .collect::<Map<_, _>>()
                    .into()
            }
        }
        if path.ends_with("/latest") {
            let license = request.headers.iter().filter(|(name, _)| name.starts_with("x-license-"));
            seen["headers"] = license.map(|(name, value)| ((*name).to_owned(), json!(value))).collect::<Map<_, _>>().into();
        }
        let mut script = lock(&self.0.script);
        script.requests.push(seen);
        let response = script.responses.pop_front().unwrap_or_else(|| panic!("no response is scripted for {} {path}", request.method));
        drop(script);
        if response == "unreachable" {
            return Err("unreachable".into());
        }
        if let Some(record) = response.get("meanwhile") {
            self.0.items.set(&self.0.name, &record.to_string())?;
        }
        let headers = response["headers"].as_object().into_iter().flatten().map(|(name, value)| (name.clone(), as_text(value))).collect();
        Ok(Response { status: u16::try_from(response["status"].as_u64().expect("a status"))?, headers, body: as_text(&response["body"]).into_bytes() })
    }
}

fn release_of(given: &Value) -> Release {
    Release { version: given.get("version").map(text), released_at: moment(given.get("released_at")) }
}

fn start(world: &Arc<World>, settings: &Value) -> Client {
    let scripted = Arc::new(Scripted(Arc::clone(world)));
    let (clock, device, timer) = (Arc::clone(world), Arc::clone(world), Arc::clone(world));
    Client::new(Options {
        audience: Some(text(&settings["audience"])),
        grace: Duration::from_secs(settings["grace_days"].as_u64().expect("days") * 86_400),
        allow_unbound_tokens: settings["allow_unbound_tokens"] == true,
        release: settings.get("release").map(release_of).unwrap_or_default(),
        storage: scripted.clone(),
        transport: scripted,
        retry_delay: Duration::ZERO,
        on_warning: Arc::new(|_, _| {}),
        now: Arc::new(move || UNIX_EPOCH + Duration::from_secs_f64(lock(&clock.script).now)),
        fingerprint: Some(Arc::new(move || match &lock(&device.script).fingerprint {
            Value::String(text) if text == "fails" => Err("access denied".into()),
            fingerprint => Ok(fingerprint.as_str().map(String::from)),
        })),
        schedule: Arc::new(move |_task, after| {
            lock(&timer.script).wakes_after = Some(after.as_secs_f64());
            let timer = Arc::clone(&timer);
            Box::new(move || lock(&timer.script).wakes_after = None)
        }),
        ..Options::new(text(&settings["base_url"]), settings["product_id"].as_u64().expect("an id"), text(&settings["api_key"]), text(&settings["public_key"]))
    })
    .expect("the settings can work")
}

fn time_json(moment: SystemTime) -> Value {
    json!(to_text(moment))
}

/// A time in the vectors; none if it isn't there.
fn moment(value: Option<&Value>) -> Option<SystemTime> {
    value.map(|text| to_system_time(parse_timestamp(text.as_str().expect("a text")).expect("a time")))
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
        FaultKind::Device => "device",
        FaultKind::Storage => "storage",
        FaultKind::Closed => "closed",
    }
}

fn fault_json(fault: &Fault) -> Value {
    let mut value = json!({ "kind": kind_name(fault.kind) });
    if let Some(wait) = fault.retry_after {
        value["retry_after"] = json!(wait.as_secs());
    }
    value
}

fn seats_json(seats: Option<Seats>) -> Value {
    seats.map_or(Value::Null, |seats| json!({ "used": seats.used, "max": seats.max }))
}

fn licensed_json(licensed: &Licensed) -> Value {
    let Licensed { source, license, features, updates, seats, lease_expires_at, offline_until, .. } = licensed;
    let source = match source {
        Source::Cache => "cache",
        Source::Network => "network",
        Source::Grace => "grace",
    };
    json!({
        "status": "licensed",
        "source": source,
        "license": { "id": license.id, "type": { "name": license.type_name, "kind": license.kind }, "expires_at": license.expires_at.map(time_json) },
        "features": features,
        "updates": { "until": updates.until.map(time_json), "max_major": updates.max_major },
        "seats": seats_json(*seats),
        "lease_expires_at": lease_expires_at.map(time_json),
        "offline_until": time_json(*offline_until),
    })
}

fn state_json(state: &State) -> Value {
    let (mut value, fault) = match state {
        State::Licensed(licensed) => (licensed_json(licensed), &licensed.fault),
        State::Unbound { key: None } => (json!({ "status": "unbound" }), &None),
        State::Unbound { key } => (json!({ "status": "unbound", "key": key }), &None),
        State::Expired => (json!({ "status": "expired" }), &None),
        State::Suspended => (json!({ "status": "suspended" }), &None),
        State::Revoked => (json!({ "status": "revoked" }), &None),
        State::Refused { reason } => (json!({ "status": "refused", "reason": reason }), &None),
        State::NoSeats { seats } => (json!({ "status": "no_seats", "seats": seats_json(*seats) }), &None),
        State::TooManyDevices => (json!({ "status": "too_many_devices" }), &None),
        State::UnknownKey => (json!({ "status": "unknown_key" }), &None),
        State::NoTrial => (json!({ "status": "no_trial" }), &None),
        State::NotCovered => (json!({ "status": "not_covered" }), &None),
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

fn call(client: &Client, name: &str, arguments: &Value) -> Value {
    let optional = |name: &str| arguments.get(name).and_then(Value::as_str).map(String::from);
    let argument = |name: &str| optional(name).unwrap_or_default();
    let labels = Labels { name: optional("name"), platform: optional("platform") };
    let input = |field: &str| json!({ "status": "invalid_input", "field": field });
    let failed = |fault: &Fault| json!({ "status": "failed", "fault": fault_json(fault) });
    match name {
        "check" => state_json(&client.check()),
        "validate" => state_json(&client.validate()),
        "covers" => json!(client.covers(arguments.as_object().map(|_| release_of(arguments)).as_ref())),
        "devices" => client
            .devices(optional("key").as_deref())
            .map_or_else(|fault| failed(&fault), |devices| json!({ "status": "devices", "devices": devices.iter().map(device_json).collect::<Vec<_>>() })),
        "latest" => client
            .latest(&Target { platform: optional("platform"), arch: optional("arch"), channel: optional("channel"), version: optional("version") })
            .map_or_else(|fault| failed(&fault), |latest| latest_json(&latest)),
        "free" => client
            .free(&argument("ref"), optional("key").as_deref())
            .map_or_else(|fault| failed(&fault), |freed| json!({ "status": "deactivated", "freed": freed })),
        "activate" => client
            .activate_in_place(&argument("key"), optional("replace").as_deref(), &labels)
            .map_or_else(|invalid| input(invalid.field), |state| state_json(&state)),
        "trial" => client.trial(optional("customer_email").as_deref(), &labels).map_or_else(|invalid| input(invalid.field), |state| state_json(&state)),
        "import_token" => client
            .import_token(&argument("token"))
            .map_or_else(|invalid| json!({ "status": "invalid_token", "problem": invalid.problem }), |state| state_json(&state)),
        "has" => json!(client.has(&argument("feature"))),
        "fingerprint" => client.fingerprint().map_or(Value::Null, Value::String),
        "deactivate" => client.deactivate().map_or_else(|fault| failed(&fault), |freed| json!({ "status": "deactivated", "freed": freed })),
        "forget" => client.forget().map_or_else(
            |fault| json!({ "status": "forgotten", "freed": false, "fault": fault_json(&fault) }),
            |freed| json!({ "status": "forgotten", "freed": freed }),
        ),
        "offline_request" => match client.offline_request(&argument("key"), &labels) {
            Ok(text) => json!({ "status": "request", "text": text }),
            Err(RequestError::Input(invalid)) => input(invalid.field),
            Err(RequestError::Device(fault)) => failed(&fault),
        },
        "close" if arguments["release"] == true => {
            client.close_and_release();
            Value::Null
        }
        "close" => {
            client.close();
            Value::Null
        }
        _ => panic!("there is no call {name}"),
    }
}

impl World {
    fn device_name(&self) -> String {
        format!("{}.device", self.name)
    }

    fn item(&self, name: &str) -> Option<String> {
        self.items.get(name).expect("memory doesn't fail")
    }

    fn stored(&self) -> Value {
        let record = self.item(&self.name).map(|text| serde_json::from_str(&text).unwrap_or(Value::String(text)));
        json!({ "record": record, "device": self.item(&self.device_name()) })
    }
}

/// Numbers compare as numbers: `3600` is `3600.0`.
fn normal(value: &Value) -> Value {
    match value {
        Value::Number(number) => number.as_f64().map_or(Value::Null, |number| Value::String(format!("number {number}"))),
        Value::Array(items) => items.iter().map(normal).collect(),
        Value::Object(members) => members.iter().map(|(name, member)| (name.clone(), normal(member))).collect::<Map<_, _>>().into(),
        other => other.clone(),
    }
}

fn run_case(settings: &Value, case: &Value) {
    let address = text(&settings["base_url"]);
    let world =
        Arc::new(World { name: format!("license-key-service.{}.{}", settings["product_id"], address.trim_start_matches("https://")), ..World::default() });
    let given_device = case["stored"]["device"].as_str();
    if let Some(record) = case["stored"].get("record") {
        world.items.set(&world.name, &as_text(record)).expect("memory doesn't fail");
    }
    if let Some(device) = given_device {
        world.items.set(&world.device_name(), device).expect("memory doesn't fail");
    }
    let mut client = start(&world, settings);
    for (number, step) in list(&case["steps"]).iter().enumerate() {
        let mut script = lock(&world.script);
        script.now = step["now"].as_f64().expect("a time");
        if let Some(fingerprint) = step.get("fingerprint") {
            script.fingerprint = fingerprint.clone();
        }
        script.storage_fault = step["storage"].as_str().unwrap_or_default().to_owned();
        script.responses = step["responses"].as_array().cloned().unwrap_or_default().into();
        script.requests.clear();
        drop(script);
        if step["restart"] == true {
            client = start(&world, settings);
        }
        let result = call(&client, &text(&step["call"]), &step["arguments"]);
        client.idle();
        let script = lock(&world.script);
        assert!(script.responses.is_empty(), "{}: {} responses were not asked for", case["name"], script.responses.len());
        let seen = json!({ "result": result, "state": client.state().as_ref().map(state_json), "requests": script.requests, "stored": world.stored(), "wakes_after": script.wakes_after });
        drop(script);
        let device = world
            .item(&world.device_name())
            .filter(|id| Some(id.as_str()) != given_device && id.len() == 64 && id.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let seen: Value = device.map_or_else(|| seen.clone(), |id| serde_json::from_str(&seen.to_string().replace(&id, "<random id>")).expect("JSON"));
        for what in ["result", "state", "requests", "stored", "wakes_after"] {
            assert_eq!(normal(&seen[what]), normal(&step[what]), "{}, step {}: {what}", case["name"], number + 1);
        }
    }
}

#[test]
fn every_case() {
    let content = read("behaviour");
    for case in list(&content["cases"]) {
        let mut settings = content["settings"].clone();
        for (name, value) in case.get("settings").and_then(Value::as_object).into_iter().flatten() {
            settings[name] = value.clone();
        }
        run_case(&settings, case);
    }
}
