//! Lets a test control the clock, the device and the storage of all clients in the process.

use std::collections::BTreeMap;
use std::ffi::c_char;
use std::io;
use std::ptr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, UNIX_EPOCH};

use license_key_client::{LockGuard, Options, Storage};
use serde_json::{json, Value};

struct Script {
    now: f64,
    fingerprint: Value,
    storage: String,
    /// How many attempts to store a text fail.
    failing_renames: u64,
    /// The record that is stored when a client next takes the record's lock.
    between: Option<String>,
    /// The name of the client that makes the next call, or that is opened next.
    client: String,
    /// How many questions for the decision about a sign-in are left. While there are some, a timer is a pause of the sign-in.
    polls: u64,
    /// The pauses of the sign-in, in seconds.
    pauses: Vec<f64>,
    /// When each client checks again, by the client's name.
    wakes_after: BTreeMap<String, f64>,
}

static SCRIPT: Mutex<Script> = Mutex::new(Script {
    now: 0.0,
    fingerprint: Value::Null,
    storage: String::new(),
    failing_renames: 0,
    between: None,
    client: String::new(),
    polls: 0,
    pauses: Vec::new(),
    wakes_after: BTreeMap::new(),
});

fn script() -> MutexGuard<'static, Script> {
    SCRIPT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A storage whose reading or writing fails if the test has set this fault. It has the name of the record.
struct Scripted(Arc<dyn Storage>, String);

impl Scripted {
    fn fail(&self, what: &str) -> io::Result<&dyn Storage> {
        if script().storage == what {
            return Err(io::Error::other(format!("the storage is {what}")));
        }
        Ok(&*self.0)
    }
}

impl Storage for Scripted {
    fn get(&self, name: &str) -> io::Result<Option<String>> {
        self.fail("unreadable")?.get(name)
    }

    fn set(&self, name: &str, text: &str) -> io::Result<()> {
        let storage = self.fail("unwritable")?;
        let mut script = script();
        if script.failing_renames > 0 {
            script.failing_renames -= 1;
            return Err(io::Error::other("the file is in use"));
        }
        drop(script);
        storage.set(name, text)
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.fail("unwritable")?.remove(name)
    }

    fn lock(&self, name: &str) -> io::Result<LockGuard> {
        let guard = self.0.lock(name)?;
        let between = if name == self.1 { script().between.take() } else { None };
        if let Some(record) = between {
            self.0.set(name, &record)?;
        }
        Ok(guard)
    }
}

/// If the test has set a time, replaces the clock, the device, the storage and the timers in the options with ones that the test
/// controls.
pub(crate) fn direct(options: &mut Options) {
    if script().now == 0.0 {
        return;
    }
    options.storage = Arc::new(Scripted(Arc::clone(&options.storage), options.storage_name.clone().unwrap_or_default()));
    options.now = Arc::new(|| UNIX_EPOCH + Duration::from_secs_f64(script().now));
    options.fingerprint = Some(Arc::new(|| match &script().fingerprint {
        Value::String(text) if text == "fails" => Err("access denied".into()),
        fingerprint => Ok(fingerprint.as_str().map(String::from)),
    }));
    let name = script().client.clone();
    options.schedule = Arc::new(move |task, after| {
        let mut script = script();
        if script.polls > 0 {
            script.polls -= 1;
            script.pauses.push(after.as_secs_f64());
            script.now += after.as_secs_f64();
            drop(script);
            task();
            return Box::new(|| {});
        }
        script.wakes_after.insert(name.clone(), after.as_secs_f64());
        let name = name.clone();
        Box::new(move || {
            self::script().wakes_after.remove(&name);
        })
    });
}

/// Exists only in the library for tests: sets `now` (seconds), `fingerprint`, `storage`, `failing_renames`, `between`, `client` and `polls`
/// (their number) to the values of a step of the vectors. Returns the client's `wakes_after`, and the `pauses` since `polls` was set, as JSON;
/// the caller frees it. If the step contains `panic`, the function panics, so that the tests can check how the library handles a panic.
///
/// # Safety
/// `step` is NULL or ends with a zero byte.
#[no_mangle]
pub unsafe extern "C" fn lks_test(step: *const c_char) -> *mut c_char {
    super::guarded(ptr::null_mut(), || {
        // SAFETY: the caller promises that the text ends with a zero byte.
        let Ok(Some(text)) = (unsafe { super::text(step) }) else { return ptr::null_mut() };
        let step: Value = serde_json::from_str(text).unwrap_or_default();
        assert!(step.get("panic").is_none(), "a test asked for it");
        let mut script = script();
        script.now = step["now"].as_f64().unwrap_or(script.now);
        if let Some(fingerprint) = step.get("fingerprint") {
            script.fingerprint = fingerprint.clone();
        }
        if let Some(storage) = step.get("storage") {
            script.storage = storage.as_str().unwrap_or_default().to_owned();
        }
        if let Some(renames) = step.get("failing_renames") {
            script.failing_renames = renames.as_u64().unwrap_or_default();
        }
        if let Some(record) = step.get("between") {
            script.between = Some(record).filter(|record| !record.is_null()).map(Value::to_string);
        }
        if let Some(client) = step.get("client") {
            script.client = client.as_str().unwrap_or_default().to_owned();
        }
        if let Some(polls) = step.get("polls") {
            script.polls = polls.as_u64().unwrap_or_default();
            script.pauses.clear();
        }
        super::owned(&json!({ "wakes_after": script.wakes_after.get(&script.client), "pauses": script.pauses }).to_string())
    })
}
