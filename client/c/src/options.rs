//! Reads the options of a client from JSON. The options have the same names as in the Rust client.

use std::sync::Arc;
use std::time::Duration;

use license_key_client::results::release_of;
use license_key_client::{app_fingerprint, machine_fingerprint, FileStorage, Offline, Options};
use serde_json::{Map, Value};

type Object = Map<String, Value>;

fn wrong(name: &str) -> String {
    format!("the option {name} is not valid")
}

fn text(options: &mut Object, name: &str) -> Result<Option<String>, String> {
    match options.remove(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(wrong(name)),
    }
}

fn required(options: &mut Object, name: &str) -> Result<String, String> {
    text(options, name)?.ok_or_else(|| wrong(name))
}

fn milliseconds(options: &mut Object, name: &str, otherwise: Duration) -> Result<Duration, String> {
    match options.remove(name) {
        None | Some(Value::Null) => Ok(otherwise),
        Some(number) => number.as_u64().map(Duration::from_millis).ok_or_else(|| wrong(name)),
    }
}

fn keys(options: &mut Object) -> Result<Vec<String>, String> {
    let key = |value: Value| match value {
        Value::String(pem) => Ok(pem),
        Value::Object(set) => Ok(Value::Object(set).to_string()),
        _ => Err(wrong("public_key")),
    };
    match options.remove("public_key") {
        Some(Value::Array(several)) => several.into_iter().map(key).collect(),
        one => Ok(vec![key(one.unwrap_or_default())?]),
    }
}

/// # Errors
/// A field is missing, unknown, or of another type. The error text names the field.
pub(crate) fn read(json: &str) -> Result<Options, String> {
    let Ok(Value::Object(mut given)) = serde_json::from_str(json) else { return Err("the options are not a JSON object".to_owned()) };
    let product_id = given.remove("product_id").and_then(|id| id.as_u64()).ok_or_else(|| wrong("product_id"))?;
    let mut options = Options::new(required(&mut given, "base_url")?, product_id, required(&mut given, "api_key")?, "");
    options.public_keys = keys(&mut given)?;
    options.audience = text(&mut given, "audience")?;
    options.storage_name = text(&mut given, "storage_name")?;
    if let Some(folder) = text(&mut given, "storage")? {
        options.storage = Arc::new(FileStorage::new(folder));
    }
    options.fingerprint = match (given.remove("fingerprint"), text(&mut given, "app_fingerprint")?) {
        (None, None) => Some(machine_fingerprint()),
        (None, Some(app)) => Some(app_fingerprint(app)),
        (Some(Value::Null), None) => None,
        (Some(Value::String(own)), None) => Some(Arc::new(move || Ok(Some(own.clone())))),
        _ => return Err(wrong("fingerprint")),
    };
    options.timeout = milliseconds(&mut given, "timeout_ms", options.timeout)?;
    options.retry_delay = milliseconds(&mut given, "retry_delay_ms", options.retry_delay)?;
    if let Some(days) = given.remove("grace_days") {
        let days = days.as_f64().filter(|days| (0.0..=36_500.0).contains(days)).ok_or_else(|| wrong("grace_days"))?;
        options.grace = Duration::from_secs_f64(days * 86_400.0);
    }
    if let Some(allows) = given.remove("allow_unbound_tokens") {
        options.allow_unbound_tokens = allows.as_bool().ok_or_else(|| wrong("allow_unbound_tokens"))?;
    }
    if let Some(release) = given.remove("release") {
        options.release = Some(release).filter(Value::is_object).as_ref().and_then(release_of).ok_or_else(|| wrong("release"))?;
    }
    options.offline = match text(&mut given, "offline")?.as_deref() {
        None | Some("refuse") => Offline::Refuse,
        Some("queue") => Offline::Queue,
        Some(_) => return Err(wrong("offline")),
    };
    // A library must not write to the app's standard error unless the app asks for it.
    options.on_warning =
        if given.remove("warnings") == Some(Value::Bool(true)) { Arc::new(|message, cause| eprintln!("{message}: {cause}")) } else { Arc::new(|_, _| {}) };
    #[cfg(feature = "test")]
    crate::script::direct(&mut options);
    match given.keys().next() {
        Some(unknown) => Err(format!("there is no option {unknown}")),
        None => Ok(options),
    }
}
