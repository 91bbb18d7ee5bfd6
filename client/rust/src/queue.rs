//! Keeps amounts that could not be sent yet (docs/client.md, "The queue"). Every amount is stored before it is sent, and removed after the
//! service has responded. After a crash in between, it is sent again with the same id, and the service counts it once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use serde_json::{json, Value};

use crate::cache::Cache;
use crate::client::meters::{DroppedAmount, Pending, PendingAmount};
use crate::json::{filled, integer, member, parse_object};
use crate::timestamp::to_system_time;
use crate::waiting::lock;

const VERSION: i64 = 1;
/// Maximum number of waiting amounts.
const MAX_ENTRIES: usize = 1000;
/// Maximum number of reported amounts that were dropped.
const MAX_DROPPED: usize = 100;
/// The service remembers an id for 30 days. An amount whose first attempt is this long ago (ms) could be counted twice, so it is dropped.
pub(crate) const MAX_AGE: i64 = 29 * 86_400_000;

/// What the app consumed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Amount {
    pub(crate) id: String,
    pub(crate) meter: String,
    pub(crate) amount: i64,
    /// When the app consumed the amount, in epoch milliseconds.
    pub(crate) at: i64,
}

impl Amount {
    fn read(stored: &Value) -> Option<Self> {
        let text = |name| filled(stored.get(name)).map(String::from);
        Some(Self { id: text("id")?, meter: text("meter")?, amount: integer(stored.get("amount"))?, at: integer(stored.get("at"))? })
    }

    fn json(&self) -> Value {
        json!({ "id": self.id, "meter": self.meter, "amount": self.amount, "at": self.at })
    }

    fn pending(self) -> PendingAmount {
        PendingAmount { id: self.id, meter: self.meter, amount: self.amount, since: to_system_time(self.at as f64) }
    }
}

/// A waiting amount.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry {
    pub(crate) amount: Amount,
    /// The key that was held when the app consumed the amount.
    pub(crate) key: String,
    /// The id of the license that was held at that time, if its token was known. With a later key of this license the amount is sent too.
    pub(crate) license: Option<String>,
}

impl Entry {
    fn read(stored: &Value) -> Option<Self> {
        let license = match stored.get("license") {
            None => None,
            license => Some(filled(license)?.to_owned()),
        };
        Some(Self { amount: Amount::read(stored)?, key: filled(stored.get("key"))?.to_owned(), license })
    }

    fn json(&self) -> Value {
        let mut value = self.amount.json();
        value["key"] = json!(self.key);
        if let Some(license) = &self.license {
            value["license"] = json!(license);
        }
        value
    }
}

/// The stored data. Both lists have the oldest amount first.
struct Content {
    entries: Vec<Entry>,
    dropped: Vec<(Amount, String)>,
}

impl Content {
    /// Reads the stored text. Whatever has another form is ignored.
    fn read(text: &str) -> Self {
        let stored = parse_object(text.as_bytes()).filter(|stored| integer(stored.get("v")) == Some(VERSION)).unwrap_or_default();
        let list = |name| stored.get(name).and_then(Value::as_array).into_iter().flatten();
        let dropped = |value: &Value| Some((Amount::read(value)?, filled(member(Some(value), "reason"))?.to_owned()));
        Self { entries: list("entries").filter_map(Entry::read).collect(), dropped: list("dropped").filter_map(dropped).collect() }
    }

    fn text(&self) -> String {
        let dropped = |(amount, reason): &(Amount, String)| {
            let mut value = amount.json();
            value["reason"] = json!(reason);
            value
        };
        let (entries, dropped): (Vec<_>, Vec<_>) = (self.entries.iter().map(Entry::json).collect(), self.dropped.iter().map(dropped).collect());
        json!({ "v": VERSION, "entries": entries, "dropped": dropped }).to_string()
    }
}

/// What was done with an amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    First,
    /// It is stored, and older amounts wait.
    Behind,
    NotStored,
    /// Too many amounts wait.
    Full,
    /// Another meter or amount waits with the same id.
    Mismatch,
}

pub(crate) struct Queue {
    cache: Cache,
    /// The ids of amounts that this process has settled, with the reason if the amount was dropped. They are not sent again, even if their
    /// removal can't be stored.
    settled: Arc<Mutex<HashMap<String, Option<String>>>>,
}

impl Queue {
    pub(crate) fn new(cache: Cache) -> Self {
        Self { cache, settled: Arc::default() }
    }

    /// Stores an amount at the end. An amount with the id of a waiting one is that one.
    pub(crate) fn add(&self, entry: Entry) -> Place {
        let added = self.change(move |entries| {
            let id = entry.amount.id.clone();
            match entries.iter().find(|other| other.amount.id == id).map(|same| &same.amount) {
                Some(same) if same.meter != entry.amount.meter || same.amount != entry.amount.amount => return Err(Place::Mismatch),
                None if entries.len() >= MAX_ENTRIES => return Err(Place::Full),
                Some(_) => {}
                None => entries.push(entry),
            }
            Ok(if entries[0].amount.id == id { Place::First } else { Place::Behind })
        });
        added.unwrap_or(Place::NotStored)
    }

    /// The oldest amount that waits; None if there is none, or if the storage can't be read.
    pub(crate) fn oldest(&self) -> Option<Entry> {
        let text = self.cache.queue_text()?;
        current(&self.settled, &text).entries.into_iter().next()
    }

    /// Removes an amount for which the service has responded. With a reason it was dropped, and is reported.
    pub(crate) fn settle(&self, entry: &Entry, reason: Option<String>) {
        lock(&self.settled).insert(entry.amount.id.clone(), reason);
        self.change(|_| Ok(()));
    }

    /// Counts the age of an amount from another time.
    pub(crate) fn correct_time(&self, entry: &Entry, at: i64) {
        let id = entry.amount.id.clone();
        self.change(move |entries| {
            for entry in entries.iter_mut().filter(|entry| entry.amount.id == id) {
                entry.amount.at = at;
            }
            Ok(())
        });
    }

    /// What waits and what was dropped; None if it can't be read.
    pub(crate) fn report(&self) -> Option<Pending> {
        let Content { entries, dropped } = current(&self.settled, &self.cache.queue_text()?);
        Some(Pending {
            amounts: entries.into_iter().map(|entry| entry.amount.pending()).collect(),
            dropped: dropped.into_iter().map(|(amount, reason)| DroppedAmount { amount: amount.pending(), reason }).collect(),
        })
    }

    /// Changes the waiting amounts. If `make` returns an error, nothing is written, and the result is this error's value. Returns None if
    /// the change can't be stored.
    fn change<Value: Send + 'static>(&self, make: impl FnOnce(&mut Vec<Entry>) -> Result<Value, Value> + Send + 'static) -> Option<Value> {
        let settled = Arc::clone(&self.settled);
        let (value, written) = self.cache.change_queue(move |text| {
            let mut content = current(&settled, text);
            match make(&mut content.entries) {
                Ok(value) => (Some(content.text()), (value, lock(&settled).keys().cloned().collect())),
                Err(value) => (None, (value, Vec::new())),
            }
        })?;
        lock(&self.settled).retain(|id, _| !written.contains(id));
        Some(value)
    }
}

/// The content of the stored text without the amounts that this process has settled.
fn current(settled: &Mutex<HashMap<String, Option<String>>>, text: &str) -> Content {
    let mut content = Content::read(text);
    let settled = lock(settled);
    let (gone, entries): (Vec<_>, Vec<_>) = content.entries.into_iter().partition(|entry| settled.contains_key(&entry.amount.id));
    content.entries = entries;
    content.dropped.extend(gone.into_iter().filter_map(|entry| settled[&entry.amount.id].clone().map(|reason| (entry.amount, reason))));
    content.dropped.drain(..content.dropped.len().saturating_sub(MAX_DROPPED));
    content
}
