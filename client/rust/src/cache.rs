//! The record and the random id in the app's storage.

use std::io::{Error, ErrorKind, Result};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::record::{parse_record, Record};
use crate::storage::{random_hex, LockGuard, Storage};
use crate::waiting::{lock, Waiting};

/// Receives faults for logs. These faults don't change the result of a call.
pub type Warn = Arc<dyn Fn(&str, &str) + Send + Sync>;

/// The format of fingerprints that the service accepts: 8 to 128 printable ASCII characters without spaces.
pub(crate) fn is_device_id(text: &str) -> bool {
    (8..=128).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic())
}

/// Reads and writes the record and the random id. Processes with the same storage see each other's changes. While the storage can't be read
/// or written, the client uses its copy of the record in memory, and writes this copy as soon as the storage works.
#[derive(Clone)]
pub(crate) struct Cache(Arc<Inner>);

struct Inner {
    storage: Arc<dyn Storage>,
    name: String,
    /// Maximum time for one access.
    timeout: Duration,
    warn: Warn,
    waiting: Waiting,
    /// Locked while a change is written to the storage. If the storage takes longer than the time limit, `changing` stays locked until the
    /// storage has finished. Later changes wait for the lock.
    changing: Mutex<()>,
    /// Never locked during an access to the storage.
    memory: Mutex<Memory>,
}

#[derive(Default)]
struct Memory {
    current: Record,
    /// The stored text that was last read or written; None before the first access.
    known: Option<String>,
    /// True while memory is newer than the storage: a write is in progress, or has failed.
    is_ahead: bool,
    /// The random id, after it was read or created.
    device_id: Option<String>,
}

impl Cache {
    pub(crate) fn new(storage: Arc<dyn Storage>, name: String, timeout: Duration, warn: Warn) -> Self {
        Self(Arc::new(Inner { storage, name, timeout, warn, waiting: Waiting::default(), changing: Mutex::default(), memory: Mutex::default() }))
    }

    /// The current record. If the storage can't be read now, the result is the copy in this process; None if this process has never read
    /// the record.
    pub(crate) fn load(&self) -> Option<Record> {
        let is_free = self.0.changing.try_lock().is_ok();
        if is_free || lock(&self.0.memory).known.is_none() {
            match self.access(|inner| inner.get(&inner.name)) {
                Err(error) => self.warn("read", &error),
                Ok(text) => {
                    self.0.adopt(text);
                    self.settle();
                }
            }
        }
        let memory = lock(&self.0.memory);
        memory.known.as_ref().map(|_| memory.current.clone())
    }

    /// Computes a new record from the current one, as a compare-and-set that is atomic across processes. The current record must contain
    /// the expected activation; if `expected` is None, it may contain any activation. This process uses the new record even if it can't be
    /// stored. Returns None, and changes nothing, if the record contains another activation, or if this process has never read the record.
    pub(crate) fn change<Make>(&self, expected: Option<&Record>, make: Make) -> Option<Record>
    where
        Make: FnOnce(&Record) -> Record + Send + 'static,
    {
        let expected = expected.cloned();
        let decision = Arc::new(Mutex::new((Some(make), None)));
        let decide = move |inner: &Inner, decision: &Mutex<(Option<Make>, Option<Record>)>| {
            let mut decision = lock(decision);
            let Some(make) = decision.0.take() else { return };
            let mut memory = lock(&inner.memory);
            if expected.as_ref().is_none_or(|expected| memory.current.is_same_activation(expected)) {
                memory.current = make(&memory.current);
                memory.is_ahead = true;
                decision.1 = Some(memory.current.clone());
            }
        };
        let (shared, early) = (Arc::clone(&decision), decide.clone());
        self.update(move |inner| early(inner, &shared));
        if lock(&self.0.memory).known.is_some() {
            // If the storage fails or takes too long, the change is made in memory.
            decide(&self.0, &decision);
        }
        let made = lock(&decision).1.clone();
        made
    }

    /// Takes the lock that keeps two processes from taking or freeing seats at the same time. Dropping the guard releases the lock. If the
    /// lock can't be taken in time, the function continues without the lock. This is safe, because every change of the record checks the
    /// expected activation.
    pub(crate) fn seat(&self) -> Option<LockGuard> {
        let inner = Arc::clone(&self.0);
        // The maximum wait for the lock is the time that two requests of another process may take, each with two attempts. If the lock is
        // taken only after the time limit, it is released at once.
        match self.within(5 * self.0.timeout, move || inner.storage.lock(&format!("{}.seat", inner.name))) {
            Ok(guard) => Some(guard),
            Err(error) => {
                self.warn("locked", &error);
                None
            }
        }
    }

    /// Writes the changes that are only in memory.
    pub(crate) fn settle(&self) {
        if lock(&self.0.memory).is_ahead {
            self.update(|_| {});
        }
    }

    /// The random id of this device. If no id is stored, an id is created and stored. Returns an error if a new id can't be stored, or if
    /// the storage can't be read (it may contain an id).
    pub(crate) fn device_id(&self) -> Result<String> {
        if let Some(id) = &lock(&self.0.memory).device_id {
            return Ok(id.clone());
        }
        let id = self.access(Inner::find_device_id)?;
        lock(&self.0.memory).device_id = Some(id.clone());
        Ok(id)
    }

    /// Deletes everything that is stored. If the record's activation is not the expected one, nothing is deleted and the result is false.
    pub(crate) fn clear(&self, expected: &Record) -> bool {
        let is_held = Arc::new(Mutex::new(None));
        let (found, expected) = (Arc::clone(&is_held), expected.clone());
        self.update(move |inner| {
            let is_same = lock(&inner.memory).current.is_same_activation(&expected);
            *lock(&found) = Some(is_same);
            if is_same {
                inner.remove();
            }
        });
        let is_held = *lock(&is_held);
        if is_held.is_none() {
            // A record that can't be read is deleted as well.
            let _ = self.access(|inner| {
                inner.remove();
                Ok(())
            });
        }
        is_held != Some(false)
    }

    /// Reads the record, calls `decide`, which may change the record, and writes the changed record. This is atomic across processes.
    fn update(&self, decide: impl FnOnce(&Inner) + Send + 'static) {
        let updated = self.access(move |inner| {
            let _changing = lock(&inner.changing);
            let _guard = inner.storage.lock(&inner.name)?;
            inner.adopt(inner.get(&inner.name)?);
            decide(inner);
            inner.write()
        });
        if let Err(error) = updated {
            self.warn("written", &error);
        }
    }

    fn access<Value: Send + 'static>(&self, task: impl FnOnce(&Inner) -> Result<Value> + Send + 'static) -> Result<Value> {
        let inner = Arc::clone(&self.0);
        self.within(self.0.timeout, move || task(&inner))
    }

    fn within<Value: Send + 'static>(&self, limit: Duration, task: impl FnOnce() -> Result<Value> + Send + 'static) -> Result<Value> {
        self.0.waiting.within(limit, task).unwrap_or_else(|_| Err(Error::new(ErrorKind::TimedOut, "it took too long")))
    }

    fn warn(&self, what: &str, error: &Error) {
        self.0.warn(what, error);
    }
}

impl Inner {
    fn device_name(&self) -> String {
        format!("{}.device", self.name)
    }

    fn warn(&self, what: &str, error: &Error) {
        (self.warn)(&format!("The license cache was not {what}"), &error.to_string());
    }

    /// The stored text with that name, or an empty text if nothing is stored.
    fn get(&self, name: &str) -> Result<String> {
        Ok(self.storage.get(name)?.unwrap_or_default())
    }

    /// Replaces the record in memory with the text that was read from the storage. There is one exception: if the stored text is unchanged,
    /// and the record in memory contains changes that are not stored yet, the record in memory stays.
    fn adopt(&self, text: String) {
        let mut memory = lock(&self.memory);
        if !memory.is_ahead || memory.known.as_ref() != Some(&text) {
            memory.is_ahead = false;
            memory.current = parse_record(&text);
            memory.known = Some(text);
        }
    }

    fn write(&self) -> Result<()> {
        let memory = lock(&self.memory);
        if !memory.is_ahead {
            return Ok(());
        }
        let text = memory.current.text();
        drop(memory);
        self.storage.set(&self.name, &text)?;
        let mut memory = lock(&self.memory);
        memory.is_ahead = memory.current.text() != text;
        memory.known = Some(text);
        Ok(())
    }

    fn find_device_id(&self) -> Result<String> {
        let name = self.device_name();
        let _guard = self.storage.lock(&name)?;
        let mut kept = self.get(&name)?;
        if !is_device_id(&kept) {
            self.storage.set(&name, &random_hex::<32>()?)?;
            kept = self.get(&name)?;
        }
        if is_device_id(&kept) {
            Ok(kept)
        } else {
            Err(Error::other("it was not stored"))
        }
    }

    fn remove(&self) {
        let mut memory = lock(&self.memory);
        let known = memory.known.as_ref().map(|_| String::new());
        *memory = Memory { known, ..Memory::default() };
        drop(memory);
        for name in [self.name.clone(), self.device_name()] {
            if let Err(error) = self.storage.remove(&name) {
                self.warn("deleted", &error);
            }
        }
    }
}
