//! What a client stores between starts. The field names are those of the stored JSON, which clients in other languages also read.

use serde_json::{json, Value};

use crate::json::{filled, integer, number, parse_object, seats, Object, MAX_INTEGER};
use crate::jws::MAX_LENGTH;
use crate::refusals::is_status_name;
use crate::state::Seats;

const VERSION: i64 = 1;
/// Maximum number of stored keys whose seats must still be freed. If there are more keys, the oldest ones are dropped.
const MAX_RELEASES: usize = 10;

/// The kind of id with which a seat was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DeviceKind {
    /// The device is identified by the fingerprint of its machine.
    Machine,
    /// The device is identified by the random id in the storage.
    Random,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Record {
    /// The key with which this device was activated.
    pub(crate) key: Option<String>,
    /// The newest offline token.
    pub(crate) token: Option<String>,
    /// The latest time that the client has seen, on its clock or in a response of the service, in epoch milliseconds.
    pub(crate) seen: Option<f64>,
    /// The name of the refusal, if the service's last response refused the key.
    pub(crate) refused: Option<String>,
    pub(crate) device: Option<DeviceKind>,
    /// The license type's name.
    pub(crate) type_name: Option<String>,
    pub(crate) seats: Option<Seats>,
    /// True after the client has verified a signed refusal, which shows that this service signs its refusals.
    pub(crate) verdicts: bool,
    /// The keys that were replaced by another key, and whose seats must still be freed.
    pub(crate) release: Vec<String>,
}

/// Reads a stored record. A damaged field is left out; the result is empty if the text is not a JSON object, or if the record's version
/// (`v`) is not 1.
pub(crate) fn parse_record(text: &str) -> Record {
    let Some(stored) = parse_object(text.as_bytes()).filter(|stored| integer(stored.get("v")) == Some(VERSION)) else { return Record::default() };
    let text = |name: &str| filled(stored.get(name)).map(String::from);
    Record {
        key: text("key"),
        // A damaged token may contain characters that no header can contain. The request that replaces it could then not be sent.
        token: text("token").filter(|token| token.len() <= MAX_LENGTH && token.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))),
        seen: number(stored.get("seen")),
        refused: text("refused").filter(|name| is_status_name(name)),
        device: match filled(stored.get("device")) {
            Some("machine") => Some(DeviceKind::Machine),
            Some("random") => Some(DeviceKind::Random),
            _ => None,
        },
        type_name: text("type_name"),
        seats: seats(stored.get("seats")),
        verdicts: stored.get("verdicts") == Some(&Value::Bool(true)),
        release: stored
            .get("release")
            .and_then(Value::as_array)
            .and_then(|keys| keys.iter().map(|key| filled(Some(key)).map(String::from)).collect::<Option<_>>())
            .unwrap_or_default(),
    }
}

/// Whole numbers are written without a fraction, as in the clients in other languages.
fn number_json(number: f64) -> Value {
    if number.trunc() == number && number.abs() <= MAX_INTEGER {
        json!(number as i64)
    } else {
        json!(number)
    }
}

impl Record {
    pub(crate) fn text(&self) -> String {
        let mut stored = Object::new();
        stored.insert("v".to_owned(), json!(VERSION));
        let fields = [
            ("key", self.key.as_ref().map(|key| json!(key))),
            ("token", self.token.as_ref().map(|token| json!(token))),
            ("seen", self.seen.map(number_json)),
            ("refused", self.refused.as_ref().map(|name| json!(name))),
            ("device", self.device.map(|kind| json!(if kind == DeviceKind::Machine { "machine" } else { "random" }))),
            ("type_name", self.type_name.as_ref().map(|name| json!(name))),
            ("seats", self.seats.map(|seats| json!({ "used": seats.used, "max": seats.max }))),
            ("verdicts", self.verdicts.then_some(Value::Bool(true))),
            ("release", (!self.release.is_empty()).then(|| json!(self.release))),
        ];
        stored.extend(fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
        Value::Object(stored).to_string()
    }

    /// Whether two records contain the same activation. A reply about one activation must not change a record with another activation.
    pub(crate) fn is_same_activation(&self, other: &Self) -> bool {
        self.key == other.key && self.token == other.token
    }

    /// The fields that stay in a record after the license is removed. They do not grant a license and do not contain its key.
    pub(crate) fn emptied(&self, seen: f64) -> Self {
        Self {
            seen: Some(seen),
            device: self.device.filter(|kind| *kind == DeviceKind::Machine),
            verdicts: self.verdicts,
            release: self.release.clone(),
            ..Self::default()
        }
    }

    /// Whether this is the record's key.
    pub(crate) fn has_key(&self, key: &str) -> bool {
        self.key.as_ref().is_some_and(|held| is_same_key(held, key))
    }

    /// The record with a new grant. Its other fields are those of the current record.
    pub(crate) fn granted_in(self, current: &Self) -> Self {
        Self { verdicts: current.verdicts, release: current.release.clone(), ..self }.releasing(None)
    }

    /// Adds a replaced key to the keys to release, so that the seat of the replaced key is freed later. The record's own key is never
    /// released.
    pub(crate) fn releasing(mut self, replaced: Option<&str>) -> Self {
        let mut keys: Vec<String> = Vec::new();
        for key in self.release.iter().map(String::as_str).chain(replaced) {
            if !self.has_key(key) && !keys.iter().any(|noted| noted == key) {
                keys.push(key.to_owned());
            }
        }
        self.release = keys.split_off(keys.len().saturating_sub(MAX_RELEASES));
        self
    }
}

/// Compares keys as a person may type them: only letters and digits count, without their case. In keys of the service's own format `O`
/// equals `0`, and `I` and `L` equal `1`. The pattern contains all characters outside ASCII whose upper case consists of ASCII letters.
pub(crate) fn is_same_key(held: &str, typed: &str) -> bool {
    let is_letter = |character: &char| character.is_ascii_alphanumeric() || matches!(character, 'ß' | 'ı' | 'ſ' | '\u{fb00}'..='\u{fb06}');
    let plain = |key: &str| -> String { key.chars().filter(is_letter).flat_map(char::to_uppercase).collect() };
    let mapped = |key: &str| plain(key).replace('O', "0").replace(['I', 'L'], "1");
    if plain(held).len() == 25 {
        mapped(held) == mapped(typed)
    } else {
        plain(held) == plain(typed)
    }
}
