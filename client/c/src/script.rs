//! Lets a test control the clock, the device and the storage of all clients in the process.

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
    wakes_after: Option<f64>,
}

static SCRIPT: Mutex<Script> = Mutex::new(Script { now: 0.0, fingerprint: Value::Null, storage: String::new(), wakes_after: None });

fn script() -> MutexGuard<'static, Script> {
    SCRIPT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A storage whose reading or writing fails if the test has set this fault.
struct Scripted(Arc<dyn Storage>);

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
        self.fail("unwritable")?.set(name, text)
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.fail("unwritable")?.remove(name)
    }

    fn lock(&self, name: &str) -> io::Result<LockGuard> {
        self.0.lock(name)
    }
}

/// If the test has set a time, replaces the clock, the device, the storage and the timers in the options with ones that the test
/// controls.
pub(crate) fn direct(options: &mut Options) {
    if script().now == 0.0 {
        return;
    }
    options.storage = Arc::new(Scripted(Arc::clone(&options.storage)));
    options.now = Arc::new(|| UNIX_EPOCH + Duration::from_secs_f64(script().now));
    options.fingerprint = Some(Arc::new(|| match &script().fingerprint {
        Value::String(text) if text == "fails" => Err("access denied".into()),
        fingerprint => Ok(fingerprint.as_str().map(String::from)),
    }));
    options.schedule = Arc::new(|_task, after| {
        script().wakes_after = Some(after.as_secs_f64());
        Box::new(|| script().wakes_after = None)
    });
}

/// Exists only in the library for tests: sets `now` (seconds), `fingerprint` and `storage` to the values of a step of the vectors. Returns
/// `wakes_after` as JSON; the caller frees it. If the step contains `panic`, the function panics, so that the tests can check how the
/// library handles a panic.
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
        super::owned(&json!(script.wakes_after).to_string())
    })
}
