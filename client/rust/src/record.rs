//! What a client remembers between starts. The names are those of the stored JSON, which clients in other languages share.

use serde_json::{json, Value};

use crate::json::{filled, integer, number, parse_object, seats, Object, MAX_INTEGER};
use crate::refusals::is_status_name;
use crate::state::Seats;

const VERSION: i64 = 1;
/// Keys whose seats are still to be freed; more are forgotten.
const MAX_RELEASES: usize = 10;

/// What a seat was taken with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DeviceKind {
    /// A fingerprint of the machine.
    Machine,
    /// The random id that is stored alongside.
    Random,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Record {
    /// The key that this device was activated with.
    pub(crate) key: Option<String>,
    /// The newest offline token.
    pub(crate) token: Option<String>,
    /// The latest time that was seen, in epoch milliseconds.
    pub(crate) seen: Option<f64>,
    /// The service's verdict on the key, if the last one was a refusal.
    pub(crate) refused: Option<String>,
    pub(crate) device: Option<DeviceKind>,
    /// The license type's name.
    pub(crate) type_name: Option<String>,
    pub(crate) seats: Option<Seats>,
    /// When the lease of this device's seat ends: RFC 3339.
    pub(crate) lease_expires_at: Option<String>,
    /// The service signs its refusals: one that verified was seen.
    pub(crate) verdicts: bool,
    /// Keys that were replaced by another one, and whose seats are still to be freed.
    pub(crate) release: Vec<String>,
}

/// Reads a record. A field that is damaged is absent; so is all of a record that is no JSON object, or of another version.
pub(crate) fn parse_record(text: &str) -> Record {
    let Some(stored) = parse_object(text.as_bytes()).filter(|stored| integer(stored.get("v")) == Some(VERSION)) else { return Record::default() };
    let text = |name: &str| filled(stored.get(name)).map(String::from);
    Record {
        key: text("key"),
        token: text("token"),
        seen: number(stored.get("seen")),
        refused: text("refused").filter(|name| is_status_name(name)),
        device: match filled(stored.get("device")) {
            Some("machine") => Some(DeviceKind::Machine),
            Some("random") => Some(DeviceKind::Random),
            _ => None,
        },
        type_name: text("type_name"),
        seats: seats(stored.get("seats")),
        lease_expires_at: text("lease_expires_at"),
        verdicts: stored.get("verdicts") == Some(&Value::Bool(true)),
        release: stored
            .get("release")
            .and_then(Value::as_array)
            .and_then(|keys| keys.iter().map(|key| filled(Some(key)).map(String::from)).collect::<Option<_>>())
            .unwrap_or_default(),
    }
}

/// Whole numbers are written as such, as in every language.
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
            ("lease_expires_at", self.lease_expires_at.as_ref().map(|end| json!(end))),
            ("verdicts", self.verdicts.then_some(Value::Bool(true))),
            ("release", (!self.release.is_empty()).then(|| json!(self.release))),
        ];
        stored.extend(fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
        Value::Object(stored).to_string()
    }

    /// Whether two records hold the same activation: what a change of the record is compared by.
    pub(crate) fn is_same_activation(&self, other: &Self) -> bool {
        self.key == other.key && self.token == other.token
    }

    /// What stays of a record when the license goes: nothing that grants or names one.
    pub(crate) fn emptied(&self, seen: f64) -> Self {
        Self {
            seen: Some(seen),
            device: self.device.filter(|kind| *kind == DeviceKind::Machine),
            verdicts: self.verdicts,
            release: self.release.clone(),
            ..Self::default()
        }
    }

    /// Notes the key that this record's own has replaced, so that its seat is freed.
    pub(crate) fn releasing(mut self, replaced: Option<&str>) -> Self {
        let mut keys: Vec<String> = Vec::new();
        for key in self.release.iter().map(String::as_str).chain(replaced) {
            let is_held = self.key.as_ref().is_some_and(|held| is_same_key(held, key));
            if !is_held && !keys.iter().any(|noted| noted == key) {
                keys.push(key.to_owned());
            }
        }
        self.release = keys.split_off(keys.len().saturating_sub(MAX_RELEASES));
        self
    }
}

/// Keys as a person may type them: only letters and digits count; in keys of the service's shape `O` is `0`, `I` and `L`
/// are `1`.
pub(crate) fn is_same_key(held: &str, typed: &str) -> bool {
    let plain = |key: &str| -> String { key.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_uppercase()).collect() };
    let mapped = |key: &str| plain(key).replace('O', "0").replace(['I', 'L'], "1");
    if plain(held).len() == 25 {
        mapped(held) == mapped(typed)
    } else {
        plain(held) == plain(typed)
    }
}
