//! The record and the random id in the app's storage.

use std::io::{Error, ErrorKind, Result};
use std::sync::Arc;
use std::time::Duration;

use crate::record::{parse_record, Record};
use crate::storage::{random_hex, Storage};
use crate::waiting::Waiting;

/// Called with what went wrong without consequence for the result, for logs.
pub type Warn = Arc<dyn Fn(&str, &str) + Send + Sync>;

/// What the service accepts as a fingerprint: 8 to 128 printable ASCII characters without spaces.
pub(crate) fn is_device_id(text: &str) -> bool {
    (8..=128).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic())
}

/// The storage rules: processes which share a storage see each other's changes; memory stands in while it can't be read,
/// and for what it failed to take, which is written as soon as it can be.
pub(crate) struct Cache {
    storage: Arc<dyn Storage>,
    name: String,
    /// Maximum time that one access may take.
    timeout: Duration,
    warn: Warn,
    waiting: Waiting,
    current: Record,
    /// The text that was last read or written; none before.
    known: Option<String>,
    /// Memory is ahead of the storage: a write failed.
    is_ahead: bool,
    /// The random id, once it was read or made.
    device_id: Option<String>,
}

impl Cache {
    pub(crate) fn new(storage: Arc<dyn Storage>, name: String, timeout: Duration, warn: Warn) -> Self {
        Self { storage, name, timeout, warn, waiting: Waiting::default(), current: Record::default(), known: None, is_ahead: false, device_id: None }
    }

    fn device_name(&self) -> String {
        format!("{}.device", self.name)
    }

    fn access<Value: Send + 'static>(&self, task: impl FnOnce(&dyn Storage) -> Result<Value> + Send + 'static) -> Result<Value> {
        let storage = Arc::clone(&self.storage);
        let outcome = self.waiting.within(self.timeout, move || task(&*storage));
        outcome.unwrap_or_else(|_| Err(Error::new(ErrorKind::TimedOut, "it took too long")))
    }

    /// The text of a name, which is empty if there is none.
    fn read(&self, name: String) -> Result<String> {
        self.access(move |storage| Ok(storage.get(&name)?.unwrap_or_default()))
    }

    fn warn(&self, what: &str, error: &Error) {
        (self.warn)(&format!("The license cache was not {what}"), &error.to_string());
    }

    /// Never fails: if the record can't be read, that of this process counts.
    pub(crate) fn load(&mut self) -> Record {
        match self.read(self.name.clone()) {
            Err(error) => self.warn("read", &error),
            Ok(text) => {
                let is_changed_elsewhere = self.known.as_ref().is_some_and(|known| *known != text);
                if self.is_ahead && !is_changed_elsewhere {
                    self.settle();
                } else {
                    self.is_ahead = false;
                    self.current = parse_record(&text);
                    self.known = Some(text);
                }
            }
        }
        self.current.clone()
    }

    /// This process sees the record at once, whether it can be stored or not.
    pub(crate) fn save(&mut self, record: Record) {
        self.current = record;
        self.is_ahead = true;
        self.settle();
    }

    /// Writes what memory is ahead by.
    pub(crate) fn settle(&mut self) {
        if !self.is_ahead {
            return;
        }
        let (name, text) = (self.name.clone(), self.current.text());
        let copy = text.clone();
        match self.access(move |storage| storage.set(&name, &copy)) {
            Err(error) => self.warn("written", &error),
            Ok(()) => {
                self.known = Some(text);
                self.is_ahead = false;
            }
        }
    }

    /// The random id of this device, made once; an error if it may exist and can't be read.
    pub(crate) fn device_id(&mut self) -> Result<String> {
        if let Some(id) = &self.device_id {
            return Ok(id.clone());
        }
        let kept = self.read(self.device_name())?;
        let id = if is_device_id(&kept) { kept } else { self.make_device_id(!kept.is_empty())? };
        self.device_id = Some(id.clone());
        Ok(id)
    }

    /// Makes the random id. What is damaged is replaced; what another process has stored meanwhile is kept.
    fn make_device_id(&self, is_damaged: bool) -> Result<String> {
        let (name, made) = (self.device_name(), random_hex::<32>()?);
        let copy = made.clone();
        let stored = self.access(move |storage| if is_damaged { storage.set(&name, &copy).map(|()| copy) } else { storage.create(&name, &copy) });
        Ok(match stored {
            Ok(id) if is_device_id(&id) => id,
            Ok(_) => made,
            Err(error) => {
                self.warn("written", &error);
                made
            }
        })
    }

    /// Deletes everything that is stored.
    pub(crate) fn clear(&mut self) {
        (self.current, self.known, self.is_ahead, self.device_id) = (Record::default(), None, false, None);
        for name in [self.name.clone(), self.device_name()] {
            if let Err(error) = self.access(move |storage| storage.remove(&name)) {
                self.warn("deleted", &error);
            }
        }
    }
}
