//! Runs the behaviour vectors: docs/client.md, "Behaviour vectors".

use std::collections::{HashMap, VecDeque};
use std::error::Error;
use std::io;
use std::sync::{Arc, Mutex};
use std::time::{Duration, UNIX_EPOCH};

use serde_json::{json, Map, Value};

use super::{list, read, text};
use crate::results::{call, input_json, release_of, state_json};
use crate::storage::{LockGuard, MemoryStorage, Storage};
use crate::transport::{Request, Response, Transport};
use crate::waiting::lock;
use crate::{Client, Labels, Offline, Options};

/// The clock, network, device and storage of one test case. The script of the test case controls all of them.
#[derive(Default)]
struct World {
    name: String,
    items: MemoryStorage,
    script: Mutex<Script>,
}

#[derive(Default)]
struct Script {
    now: f64,
    /// Which access to the storage fails.
    storage_fault: String,
    /// How many attempts to store a text fail.
    failing_renames: u64,
    /// The record that is stored when the client next takes the record's lock.
    between: Option<Value>,
    fingerprint: Value,
    responses: VecDeque<Value>,
    /// The responses to the questions for the decision about a sign-in.
    polls: VecDeque<Value>,
    /// The pauses of a sign-in, in seconds.
    pauses: Vec<f64>,
    requests: Vec<Value>,
    /// When each client checks again, by the client's name.
    wakes_after: HashMap<String, f64>,
}

/// The storage of a test case, with its faults.
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
        let items = self.fail("unwritable")?;
        let mut script = lock(&self.0.script);
        if script.failing_renames > 0 {
            script.failing_renames -= 1;
            return Err(io::Error::other("the file is in use"));
        }
        items.set(name, text)
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.fail("unwritable")?.remove(name)
    }

    fn lock(&self, name: &str) -> io::Result<LockGuard> {
        if name == self.0.name {
            if let Some(record) = lock(&self.0.script).between.take() {
                self.0.items.set(name, &record.to_string())?;
            }
        }
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
        if request.method == "GET" {
            let license = request.headers.iter().filter(|(name, _)| name.starts_with("x-license-") || *name == "x-svc-token");
            seen["headers"] = license.map(|(name, value)| ((*name).to_owned(), json!(value))).collect::<Map<_, _>>().into();
        }
        let mut script = lock(&self.0.script);
        script.requests.push(seen);
        let queue = if path.ends_with("/poll") { &mut script.polls } else { &mut script.responses };
        let response = queue.pop_front().unwrap_or_else(|| panic!("no response is scripted for {} {path}", request.method));
        drop(script);
        if response == "unreachable" {
            return Err("unreachable".into());
        }
        if let Some(record) = response.get("meanwhile") {
            self.0.items.set(&self.0.name, &record.to_string())?;
        }
        let mut script = lock(&self.0.script);
        script.now = response["clock"].as_f64().unwrap_or(script.now);
        script.between = response.get("between").cloned();
        if let Some(fault) = response.get("storage") {
            script.storage_fault = text(fault);
        }
        drop(script);
        let headers = response["headers"].as_object().into_iter().flatten().map(|(name, value)| (name.clone(), as_text(value))).collect();
        Ok(Response { status: u16::try_from(response["status"].as_u64().expect("a status"))?, headers, body: as_text(&response["body"]).into_bytes() })
    }
}

fn start(world: &Arc<World>, settings: &Value, name: &str) -> Client {
    let name = name.to_owned();
    let scripted = Arc::new(Scripted(Arc::clone(world)));
    let (clock, device, timer) = (Arc::clone(world), Arc::clone(world), Arc::clone(world));
    Client::new(Options {
        audience: Some(text(&settings["audience"])),
        grace: Duration::from_secs(settings["grace_days"].as_u64().expect("days") * 86_400),
        allow_unbound_tokens: settings["allow_unbound_tokens"] == true,
        release: settings.get("release").map(|release| release_of(release).expect("a release")).unwrap_or_default(),
        offline: if settings["offline"] == "queue" { Offline::Queue } else { Offline::Refuse },
        storage: scripted.clone(),
        transport: scripted,
        retry_delay: Duration::ZERO,
        on_warning: Arc::new(|_, _| {}),
        now: Arc::new(move || UNIX_EPOCH + Duration::from_secs_f64(lock(&clock.script).now)),
        fingerprint: Some(Arc::new(move || match &lock(&device.script).fingerprint {
            Value::String(text) if text == "fails" => Err("access denied".into()),
            fingerprint => Ok(fingerprint.as_str().map(String::from)),
        })),
        schedule: Arc::new(move |task, after| {
            let mut script = lock(&timer.script);
            if !script.polls.is_empty() {
                script.pauses.push(after.as_secs_f64());
                script.now += after.as_secs_f64();
                drop(script);
                task();
                return Box::new(|| {});
            }
            script.wakes_after.insert(name.clone(), after.as_secs_f64());
            let (timer, name) = (Arc::clone(&timer), name.clone());
            Box::new(move || {
                lock(&timer.script).wakes_after.remove(&name);
            })
        }),
        ..Options::new(text(&settings["base_url"]), settings["product_id"].as_u64().expect("an id"), text(&settings["api_key"]), text(&settings["public_key"]))
    })
    .expect("the settings can work")
}

impl World {
    fn device_name(&self) -> String {
        format!("{}.device", self.name)
    }

    fn queue_name(&self) -> String {
        format!("{}.queue", self.name)
    }

    fn item(&self, name: &str) -> Option<String> {
        self.items.get(name).expect("memory doesn't fail")
    }

    fn stored(&self) -> Value {
        let parsed = |name: &str| self.item(name).map(|text| serde_json::from_str(&text).unwrap_or(Value::String(text)));
        let mut stored = json!({ "record": parsed(&self.name), "device": self.item(&self.device_name()) });
        if let Some(queue) = parsed(&self.queue_name()) {
            stored["queue"] = queue;
        }
        stored
    }
}

/// Numbers are compared by value: `3600` equals `3600.0`. Messages for people are not compared. `<random id>` stands for any 64 hex digits
/// that the case doesn't contain.
fn normal(value: &Value, given: &str) -> Value {
    match value {
        Value::Number(number) => number.as_f64().map_or(Value::Null, |number| Value::String(format!("number {number}"))),
        Value::Array(items) => items.iter().map(|item| normal(item, given)).collect(),
        Value::Object(members) => {
            members.iter().filter(|(name, _)| *name != "message").map(|(name, member)| (name.clone(), normal(member, given))).collect::<Map<_, _>>().into()
        }
        Value::String(id) if id.len() == 64 && id.bytes().all(|byte| byte.is_ascii_hexdigit()) && !given.contains(id.as_str()) => json!("<random id>"),
        other => other.clone(),
    }
}

fn run_case(settings: &Value, case: &Value) {
    let address = text(&settings["base_url"]);
    let world =
        Arc::new(World { name: format!("license-key-service.{}.{}", settings["product_id"], address.trim_start_matches("https://")), ..World::default() });
    let given = case.to_string();
    for (item, name) in [("record", world.name.clone()), ("device", world.device_name()), ("queue", world.queue_name())] {
        if let Some(value) = case["stored"].get(item) {
            world.items.set(&name, &as_text(value)).expect("memory doesn't fail");
        }
    }
    let mut clients = HashMap::from([("first".to_owned(), start(&world, settings, "first"))]);
    for (number, step) in list(&case["steps"]).iter().enumerate() {
        let mut script = lock(&world.script);
        script.now = step["now"].as_f64().expect("a time");
        if let Some(fingerprint) = step.get("fingerprint") {
            script.fingerprint = fingerprint.clone();
        }
        script.storage_fault = step["storage"].as_str().unwrap_or_default().to_owned();
        script.failing_renames = step["failing_renames"].as_u64().unwrap_or_default();
        script.responses = step["responses"].as_array().cloned().unwrap_or_default().into();
        script.polls = step["polls"].as_array().cloned().unwrap_or_default().into();
        script.pauses.clear();
        script.requests.clear();
        drop(script);
        let name = step["client"].as_str().unwrap_or("first");
        if step["restart"] == true || !clients.contains_key(name) {
            clients.insert(name.to_owned(), start(&world, settings, name));
        }
        let client = &clients[name];
        let (mut code, mut url) = (None, None);
        let result = if step["call"] == "activate_in_browser" {
            let label = |name: &str| step["arguments"].get(name).map(text);
            client.activate_in_browser(&Labels { name: label("name"), platform: label("platform") }).map_or_else(
                |invalid| input_json(&invalid),
                |sign_in| {
                    (code, url) = (sign_in.code().map(String::from), sign_in.url().map(String::from));
                    state_json(&sign_in.wait())
                },
            )
        } else {
            call(client, &text(&step["call"]), &step["arguments"]).expect("there is such a call")
        };
        client.idle();
        let mut script = lock(&world.script);
        script.between = None;
        assert_eq!(script.responses.len() + script.polls.len(), 0, "{}: responses that were not asked for", case["name"]);
        let sign_in = step.get("sign_in").map(|_| json!({ "code": code, "url": url, "pauses": script.pauses }));
        let seen = json!({ "result": result, "sign_in": sign_in, "state": client.state().as_ref().map(state_json), "requests": script.requests, "stored": world.stored(), "wakes_after": script.wakes_after.get(name) });
        drop(script);
        for what in ["result", "sign_in", "state", "requests", "stored", "wakes_after"] {
            assert_eq!(normal(&seen[what], &given), normal(&step[what], &given), "{}, step {}: {what}", case["name"], number + 1);
        }
    }
}

fn run_cases(file: &str) {
    let content = read(file);
    for case in list(&content["cases"]) {
        let mut settings = content["settings"].clone();
        for (name, value) in case.get("settings").and_then(Value::as_object).into_iter().flatten() {
            settings[name] = value.clone();
        }
        run_case(&settings, case);
    }
}

#[test]
fn every_case() {
    run_cases("behaviour");
}

#[test]
fn limits_and_meters() {
    run_cases("meters");
}

#[test]
fn sign_in() {
    run_cases("sign-in");
}
