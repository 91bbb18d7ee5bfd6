//! The license key client as a C library: the Rust client behind an opaque handle. The comments of the public functions are also the
//! comments of the generated header.
//!
//! Every function is safe only under these conditions: a client pointer is NULL, or was returned by `lks_open` and was not freed yet. A
//! text pointer is NULL, or its text ends with a zero byte.

#![allow(clippy::missing_safety_doc)] // The safety rules are the same for all functions; they are at the top of this file.

use std::collections::BTreeMap;
use std::ffi::{c_char, CStr, CString};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use license_key_client::results::{call, input_json, release_of, state_json};
use license_key_client::{Client, Labels, SignIn, State};
use serde_json::{json, Map, Value};

mod options;
#[cfg(feature = "test")]
mod script;

/// A client. Create one client for each product in a process.
pub struct LksClient {
    client: Client,
    published: Arc<Published>,
    /// The sign-in that was begun last.
    sign_in: Mutex<Option<SignIn>>,
}

/// The current grant, for threads that must not wait, such as an audio thread. A thread loads a pointer to the current grant. Every
/// grant stays in memory until the client is freed.
struct Published {
    grant: AtomicPtr<Grant>,
    changes: AtomicU64,
    /// Each distinct grant is stored once, so that the memory does not grow when a license is renewed. The grants are boxed: they must not
    /// move in memory, because other threads have pointers to them.
    #[allow(clippy::vec_box)]
    grants: Mutex<Vec<Box<Grant>>>,
}

/// What a license permits; None if the app may not be used.
type Grant = Option<Permitted>;

#[derive(PartialEq, Eq)]
struct Permitted {
    features: Vec<String>,
    limits: BTreeMap<String, u64>,
}

impl LksClient {
    fn sign_in(&self) -> MutexGuard<'_, Option<SignIn>> {
        self.sign_in.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Published {
    fn publish(&self, state: &State) {
        let grant = match state {
            State::Licensed(licensed) => Some(Permitted { features: licensed.features.clone(), limits: licensed.limits.clone() }),
            _ => None,
        };
        let mut grants = self.grants.lock().unwrap_or_else(PoisonError::into_inner);
        let place = grants.iter().position(|known| **known == grant).unwrap_or_else(|| {
            grants.push(Box::new(grant));
            grants.len() - 1
        });
        self.grant.store(ptr::from_mut(&mut *grants[place]), Ordering::Release);
        self.changes.fetch_add(1, Ordering::Release);
    }

    fn permitted(&self) -> Option<&Permitted> {
        let grant = self.grant.load(Ordering::Acquire);
        // SAFETY: a stored pointer refers to an element of `grants`, and elements are never removed or changed.
        unsafe { grant.as_ref() }?.as_ref()
    }
}

/// Runs a task and catches panics, because a panic must not reach the C caller.
fn guarded<Value>(otherwise: Value, task: impl FnOnce() -> Value) -> Value {
    catch_unwind(AssertUnwindSafe(task)).unwrap_or(otherwise)
}

/// Reads a text of the caller; an error if the text isn't UTF-8, None for NULL.
unsafe fn text<'a>(given: *const c_char) -> Result<Option<&'a str>, ()> {
    if given.is_null() {
        return Ok(None);
    }
    // SAFETY: the caller promises that the text ends with a zero byte.
    unsafe { CStr::from_ptr(given) }.to_str().map(Some).map_err(drop)
}

fn owned(text: &str) -> *mut c_char {
    // A text with a zero byte would end early in C, but JSON text never contains a zero byte.
    CString::new(text).map_or(ptr::null_mut(), CString::into_raw)
}

/// Runs the call with the given name, and returns its result as JSON.
unsafe fn result_of(client: *const LksClient, name: &str, given: &[(&str, *const c_char)], required: &[&str]) -> *mut c_char {
    unsafe { result_with(client, name, given, required, Map::new()) }
}

/// Like `result_of`, with arguments that are not texts.
unsafe fn result_with(
    client: *const LksClient,
    name: &str,
    given: &[(&str, *const c_char)],
    required: &[&str],
    mut arguments: Map<String, Value>,
) -> *mut c_char {
    guarded(ptr::null_mut(), || {
        for (name, value) in given {
            // SAFETY: the caller promises that the text ends with a zero byte.
            match unsafe { text(*value) } {
                Ok(Some(value)) => drop(arguments.insert((*name).to_owned(), json!(value))),
                Ok(None) if required.contains(name) => return ptr::null_mut(),
                Ok(None) => {}
                Err(()) => return ptr::null_mut(),
            }
        }
        // SAFETY: the caller promises that the client is valid or NULL.
        let Some(client) = (unsafe { client.as_ref() }) else { return ptr::null_mut() };
        call(&client.client, name, &Value::Object(arguments)).map_or(ptr::null_mut(), |result| owned(&result.to_string()))
    })
}

/// The version of this library. The text belongs to the library, and must not be freed.
#[no_mangle]
pub extern "C" fn lks_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// Creates a client. `options` is a JSON object (docs/clients/c.md lists its fields). Its field `storage` is the folder for the stored
/// data. If an option is invalid, returns NULL and sets `*error` (unless `error` is NULL) to a text that names the option; the caller frees
/// that text. The caller frees the client with lks_client_free.
#[no_mangle]
pub unsafe extern "C" fn lks_open(options: *const c_char, error: *mut *mut c_char) -> *mut LksClient {
    let outcome = guarded(Err("the library failed".to_owned()), || {
        // SAFETY: the caller promises that the text ends with a zero byte.
        let text = unsafe { text(options) }.ok().flatten().ok_or("the options are not UTF-8")?;
        let client = Client::new(options::read(text)?).map_err(|problem| problem.to_string())?;
        let published = Arc::new(Published { grant: AtomicPtr::default(), changes: AtomicU64::new(0), grants: Mutex::default() });
        let heard = Arc::clone(&published);
        drop(client.subscribe(move |state| heard.publish(state)));
        Ok(Box::into_raw(Box::new(LksClient { client, published, sign_in: Mutex::default() })))
    });
    let (client, problem) = match outcome {
        Ok(client) => (client, ptr::null_mut()),
        Err(problem) => (ptr::null_mut(), owned(&problem)),
    };
    // SAFETY: the caller promises that `error` is valid or NULL.
    match unsafe { error.as_mut() } {
        Some(error) => *error = problem,
        // SAFETY: the text was just created, and no other code has a pointer to it.
        None => unsafe { lks_string_free(problem) },
    }
    client
}

/// Checks whether the app may be used on this device. Uses the stored token without a network, and asks the service only if necessary.
/// Waits for at most two attempts, each with the time limit `timeout_ms`. Returns the state as JSON; the caller frees it.
#[no_mangle]
pub unsafe extern "C" fn lks_check(client: *const LksClient) -> *mut c_char {
    unsafe { result_of(client, "check", &[], &[]) }
}

/// Asks the service now. Waits for at most two attempts, each with the time limit `timeout_ms`. Returns the state as JSON; the caller frees
/// it.
#[no_mangle]
pub unsafe extern "C" fn lks_validate(client: *const LksClient) -> *mut c_char {
    unsafe { result_of(client, "validate", &[], &[]) }
}

/// Takes a seat for this device. `key` is as the user typed it. `name` and `platform` are shown to the operator. `replace` is the `ref` of
/// a device (lks_devices) whose seat is freed if the license is full. `name`, `platform` and `replace` may be NULL. Returns a state or
/// `invalid_input` as JSON; the caller frees it.
#[no_mangle]
pub unsafe extern "C" fn lks_activate(
    client: *const LksClient,
    key: *const c_char,
    name: *const c_char,
    platform: *const c_char,
    replace: *const c_char,
) -> *mut c_char {
    unsafe { result_of(client, "activate", &[("key", key), ("name", name), ("platform", platform), ("replace", replace)], &["key"]) }
}

/// Begins an activation by a sign-in in the browser, instead of a key: sends the request. `name` and `platform` may be NULL. Returns `sign_in`
/// as JSON, with the `code` that the app shows and the `url` that it opens in the browser. The app then calls lks_sign_in_wait. If no request
/// could be created, returns a state or `invalid_input`. The caller frees the result. A new call ends the request of an earlier one.
#[no_mangle]
pub unsafe extern "C" fn lks_sign_in_begin(client: *const LksClient, name: *const c_char, platform: *const c_char) -> *mut c_char {
    guarded(ptr::null_mut(), || {
        // SAFETY: the caller promises that client and texts are valid or NULL.
        let (Some(client), Ok(name), Ok(platform)) = (unsafe { (client.as_ref(), text(name), text(platform)) }) else { return ptr::null_mut() };
        let labels = Labels { name: name.map(String::from), platform: platform.map(String::from) };
        let begun = match client.client.activate_in_browser(&labels) {
            Ok(sign_in) => {
                let shown = match (sign_in.code(), sign_in.url()) {
                    (Some(code), Some(url)) => json!({ "status": "sign_in", "code": code, "url": url }),
                    _ => state_json(&sign_in.wait()),
                };
                *client.sign_in() = Some(sign_in);
                shown
            }
            Err(invalid) => input_json(&invalid),
        };
        owned(&begun.to_string())
    })
}

/// Waits for the user's decision about the sign-in that was begun last, at most ten minutes. Returns a state as JSON: as lks_activate does, or
/// `denied` or `request_expired`; the caller frees it. After lks_sign_in_cancel or lks_close, the state has the fault `closed`. Returns NULL
/// if no sign-in was begun.
#[no_mangle]
pub unsafe extern "C" fn lks_sign_in_wait(client: *const LksClient) -> *mut c_char {
    guarded(ptr::null_mut(), || {
        // SAFETY: the caller promises that the client is valid or NULL.
        let Some(client) = (unsafe { client.as_ref() }) else { return ptr::null_mut() };
        let sign_in = client.sign_in().clone();
        sign_in.map_or(ptr::null_mut(), |sign_in| owned(&state_json(&sign_in.wait()).to_string()))
    })
}

/// Ends lks_sign_in_wait of another thread, for example when the user closes the dialog.
#[no_mangle]
pub unsafe extern "C" fn lks_sign_in_cancel(client: *const LksClient) {
    guarded((), || {
        // SAFETY: the caller promises that the client is valid or NULL.
        if let Some(sign_in) = unsafe { client.as_ref() }.and_then(|client| client.sign_in().clone()) {
            sign_in.cancel();
        }
    });
}

/// Starts or continues the trial of the product. `name`, `platform` and `customer_email` may be NULL. Returns a state or `invalid_input` as
/// JSON; the caller frees it.
#[no_mangle]
pub unsafe extern "C" fn lks_trial(client: *const LksClient, name: *const c_char, platform: *const c_char, customer_email: *const c_char) -> *mut c_char {
    unsafe { result_of(client, "trial", &[("name", name), ("platform", platform), ("customer_email", customer_email)], &[]) }
}

/// Frees this device's seat, and deletes the license key and the token from this device. Returns `deactivated` or `failed` as JSON; the
/// caller frees it.
#[no_mangle]
pub unsafe extern "C" fn lks_deactivate(client: *const LksClient) -> *mut c_char {
    unsafe { result_of(client, "deactivate", &[], &[]) }
}

/// For uninstallers: frees this device's seat if the service can be reached, and deletes all stored data. Returns `forgotten` as JSON; the
/// caller frees it.
#[no_mangle]
pub unsafe extern "C" fn lks_forget(client: *const LksClient) -> *mut c_char {
    unsafe { result_of(client, "forget", &[], &[]) }
}

/// The devices that have seats of a license. `key` may be NULL, which means the key of the current activation. Returns `devices` or
/// `failed` as JSON; the caller frees it.
#[no_mangle]
pub unsafe extern "C" fn lks_devices(client: *const LksClient, key: *const c_char) -> *mut c_char {
    unsafe { result_of(client, "devices", &[("key", key)], &[]) }
}

/// Frees the seat of another device. `reference` is the `ref` of the device in the result of lks_devices. `key` may be NULL, which means
/// the key of the current activation. Returns `deactivated` or `failed` as JSON; the caller frees it.
#[no_mangle]
pub unsafe extern "C" fn lks_release_device(client: *const LksClient, reference: *const c_char, key: *const c_char) -> *mut c_char {
    unsafe { result_of(client, "free", &[("ref", reference), ("key", key)], &["ref"]) }
}

/// The newest release that the license covers. Each text argument may be NULL. Returns `latest` or `failed` as JSON; the caller frees it.
#[no_mangle]
pub unsafe extern "C" fn lks_latest(
    client: *const LksClient,
    platform: *const c_char,
    arch: *const c_char,
    channel: *const c_char,
    version: *const c_char,
) -> *mut c_char {
    unsafe { result_of(client, "latest", &[("platform", platform), ("arch", arch), ("channel", channel), ("version", version)], &[]) }
}

/// Consumes an amount of a meter of the license: 1 to 1,000,000,000; for a meter that allows it, a negative amount gives back. The service counts
/// each `id` once; it has 8 to 64 characters, or is NULL for a random one. Returns `consumed` (with the `meter`), `refused` (with the
/// `reason`), `failed` (with the `id`, for a repetition), `invalid_input`, or with the option `offline: "queue"` also `queued`, as JSON; the
/// caller frees it.
#[no_mangle]
pub unsafe extern "C" fn lks_consume(client: *const LksClient, meter: *const c_char, amount: i64, id: *const c_char) -> *mut c_char {
    let number = Map::from_iter([("amount".to_owned(), json!(amount))]);
    unsafe { result_with(client, "consume", &[("meter", meter), ("id", id)], &["meter"], number) }
}

/// The meters of the license, as the service has counted them. Returns `meters`, `refused` or `failed` as JSON; the caller frees it.
#[no_mangle]
pub unsafe extern "C" fn lks_meters(client: *const LksClient) -> *mut c_char {
    unsafe { result_of(client, "meters", &[], &[]) }
}

/// The `amounts` that wait until they can be sent, and the last 100 that were `dropped`. Sends no request. Returns `pending` or `failed` as
/// JSON; the caller frees it.
#[no_mangle]
pub unsafe extern "C" fn lks_pending(client: *const LksClient) -> *mut c_char {
    unsafe { result_of(client, "pending", &[], &[]) }
}

/// Creates a request text, for a device that is never online. The user of the device gives the text to the operator, who returns a token
/// (lks_import_token). `name` and `platform` may be NULL. Returns `request` (with the text in `text`), `invalid_input` or `failed` as JSON;
/// the caller frees it.
#[no_mangle]
pub unsafe extern "C" fn lks_offline_request(client: *const LksClient, key: *const c_char, name: *const c_char, platform: *const c_char) -> *mut c_char {
    unsafe { result_of(client, "offline_request", &[("key", key), ("name", name), ("platform", platform)], &["key"]) }
}

/// Imports a token from the operator, which licenses a device that is never online. Returns a state or `invalid_token` as JSON; the caller
/// frees it.
#[no_mangle]
pub unsafe extern "C" fn lks_import_token(client: *const LksClient, token: *const c_char) -> *mut c_char {
    unsafe { result_of(client, "import_token", &[("token", token)], &["token"]) }
}

/// This device's fingerprint in the canonical form that the service stores. Returns a JSON text, or `null` if the fingerprint can't be
/// found now; the caller frees it.
#[no_mangle]
pub unsafe extern "C" fn lks_fingerprint(client: *const LksClient) -> *mut c_char {
    unsafe { result_of(client, "fingerprint", &[], &[]) }
}

/// The latest state as JSON, or `null` before the first state; the caller frees it. The function waits only for memory allocation. An app
/// needs to call it only when lks_changes returns a new number.
#[no_mangle]
pub unsafe extern "C" fn lks_state_json(client: *const LksClient) -> *mut c_char {
    guarded(ptr::null_mut(), || {
        // SAFETY: the caller promises that the client is valid or NULL.
        let Some(client) = (unsafe { client.as_ref() }) else { return ptr::null_mut() };
        owned(&client.client.state().as_ref().map_or(Value::Null, state_json).to_string())
    })
}

/// How often the state has changed. An app that polls needs to call lks_state_json only when this number has changed. The function is
/// wait-free.
#[no_mangle]
pub unsafe extern "C" fn lks_changes(client: *const LksClient) -> u64 {
    // SAFETY: the caller promises that the client is valid or NULL.
    unsafe { client.as_ref() }.map_or(0, |client| client.published.changes.load(Ordering::Acquire))
}

/// Whether the app may be used now. An audio thread may call this function, because it is wait-free and allocates no memory.
#[no_mangle]
pub unsafe extern "C" fn lks_is_licensed(client: *const LksClient) -> bool {
    // SAFETY: the caller promises that the client is valid or NULL.
    unsafe { client.as_ref() }.is_some_and(|client| client.published.permitted().is_some())
}

/// Whether the app may be used now and the license includes a feature. An audio thread may call this function, like lks_is_licensed.
#[no_mangle]
pub unsafe extern "C" fn lks_has(client: *const LksClient, feature: *const c_char) -> bool {
    // SAFETY: the caller promises that the client is valid or NULL.
    let Some(client) = (unsafe { client.as_ref() }).filter(|_| !feature.is_null()) else { return false };
    // SAFETY: the caller promises that the text ends with a zero byte.
    let asked = unsafe { CStr::from_ptr(feature) }.to_bytes();
    client.published.permitted().is_some_and(|permitted| permitted.features.iter().any(|bought| bought.as_bytes() == asked))
}

/// A limit of the license; -1 if the license has no such limit, or the app may not be used now. An audio thread may call this function, like
/// lks_is_licensed.
#[no_mangle]
pub unsafe extern "C" fn lks_limit(client: *const LksClient, name: *const c_char) -> i64 {
    // SAFETY: the caller promises that the client is valid or NULL, and that the text ends with a zero byte.
    let (Some(client), Ok(Some(name))) = (unsafe { (client.as_ref(), text(name)) }) else { return -1 };
    let limit = client.published.permitted().and_then(|permitted| permitted.limits.get(name));
    limit.and_then(|limit| i64::try_from(*limit).ok()).unwrap_or(-1)
}

/// Whether the app may be used now and the license covers a release. `version` and `released_at` (RFC 3339) describe the release; each may
/// be NULL. If both are NULL, the function uses the release from the option `release`. Returns false if `released_at` is not a valid time.
#[no_mangle]
pub unsafe extern "C" fn lks_covers(client: *const LksClient, version: *const c_char, released_at: *const c_char) -> bool {
    guarded(false, || {
        // SAFETY: the caller promises that client and texts are valid or NULL.
        let (Some(client), Ok(version), Ok(released_at)) = (unsafe { (client.as_ref(), text(version), text(released_at)) }) else { return false };
        if version.is_none() && released_at.is_none() {
            return client.client.covers(None);
        }
        release_of(&json!({ "version": version, "released_at": released_at })).is_some_and(|release| client.client.covers(Some(&release)))
    })
}

/// Returns when no background request is in progress and all data is stored.
#[no_mangle]
pub unsafe extern "C" fn lks_idle(client: *const LksClient) {
    guarded((), || {
        // SAFETY: the caller promises that the client is valid or NULL.
        if let Some(client) = unsafe { client.as_ref() } {
            client.client.idle();
        }
    });
}

/// Stops requests and timers, so that the process can end at once. If `release` is true, this device's seat is freed first, which is useful
/// for floating licenses. The functions that return the state still work afterwards.
#[no_mangle]
pub unsafe extern "C" fn lks_close(client: *const LksClient, release: bool) {
    guarded((), || {
        // SAFETY: the caller promises that the client is valid or NULL.
        if let Some(client) = unsafe { client.as_ref() } {
            drop(call(&client.client, "close", &json!({ "release": release })));
        }
    });
}

/// Closes a client without freeing its seat, and frees its memory. No other thread may use the client afterwards. NULL is ignored.
#[no_mangle]
pub unsafe extern "C" fn lks_client_free(client: *mut LksClient) {
    if client.is_null() {
        return;
    }
    guarded((), || {
        // SAFETY: `lks_open` has created the client, and no other code uses it now.
        let client = unsafe { Box::from_raw(client) };
        client.client.close();
    });
}

/// Reads a value from a result, for apps without a JSON library. `path` consists of field names and list indexes, separated by dots, such
/// as `license.type.kind` or `update.artifacts.0.url`. Returns a text value unchanged, and any other value as JSON. The caller frees the
/// returned text. Returns NULL if there is no such value, or if the value is null.
#[no_mangle]
pub unsafe extern "C" fn lks_json_get(json: *const c_char, path: *const c_char) -> *mut c_char {
    guarded(ptr::null_mut(), || {
        // SAFETY: the caller promises that the texts end with a zero byte.
        let (Ok(Some(json)), Ok(Some(path))) = (unsafe { (text(json), text(path)) }) else { return ptr::null_mut() };
        let Ok(whole) = serde_json::from_str::<Value>(json) else { return ptr::null_mut() };
        match whole.pointer(&format!("/{}", path.replace('.', "/"))) {
            None | Some(Value::Null) => ptr::null_mut(),
            Some(Value::String(text)) => owned(text),
            Some(other) => owned(&other.to_string()),
        }
    })
}

/// Frees a text that a function of this library returned. NULL is ignored.
#[no_mangle]
pub unsafe extern "C" fn lks_string_free(text: *mut c_char) {
    if !text.is_null() {
        // SAFETY: the function `owned` has created the text.
        drop(unsafe { CString::from_raw(text) });
    }
}
