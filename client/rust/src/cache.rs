//! The record and the random id in the app's storage.

use std::io::{Error, ErrorKind, Result};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use crate::record::{parse_record, Record};
use crate::storage::{random_hex, LockGuard, Storage};
use crate::waiting::{lock, NoOutcome, Waiting};

/// Receives faults for logs. These faults don't change the result of a call.
pub type Warn = Arc<dyn Fn(&str, &str) + Send + Sync>;

/// Maximum number of attempts to store a text. On Windows a virus scanner may keep a file open for some time, so that the file can't be
/// replaced. With the default pause the attempts take about a second.
const WRITE_ATTEMPTS: u32 = 5;

/// The format of fingerprints that the service accepts: 8 to 128 printable ASCII characters without spaces.
pub(crate) fn is_device_id(text: &str) -> bool {
    (8..=128).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic())
}

fn late() -> Error {
    Error::new(ErrorKind::TimedOut, "it took too long")
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
    /// Pause between two attempts to store a text.
    pause: Duration,
    warn: Warn,
    waiting: Waiting,
    /// Locked while a change is written to the storage. If the storage takes longer than the time limit, `changing` stays locked until the
    /// storage has finished. Later changes wait for the lock.
    changing: Mutex<()>,
    /// Locked while the queue of amounts is changed.
    changing_queue: Mutex<()>,
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
    /// True if the last attempt to write the record in memory has failed.
    has_failed: bool,
    /// The random id, after it was read or created.
    device_id: Option<String>,
}

impl Cache {
    pub(crate) fn new(storage: Arc<dyn Storage>, name: String, timeout: Duration, pause: Duration, warn: Warn) -> Self {
        Self(Arc::new(Inner {
            storage,
            name,
            timeout,
            pause,
            warn,
            waiting: Waiting::default(),
            changing: Mutex::default(),
            changing_queue: Mutex::default(),
            memory: Mutex::default(),
        }))
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

    /// False while the last change is only in memory, because it could not be written.
    pub(crate) fn is_stored(&self) -> bool {
        let memory = lock(&self.0.memory);
        !memory.is_ahead || !memory.has_failed
    }

    /// Computes a new record from the current one, atomically across processes. This process uses the new record even if it can't be
    /// stored. Returns None, and changes nothing, if `make` returns None, because the record contains another activation than expected, or if
    /// this process has never read the record.
    pub(crate) fn change<Make>(&self, make: Make) -> Option<Record>
    where
        Make: FnOnce(&Record) -> Option<Record> + Send + 'static,
    {
        let decision = Arc::new(Mutex::new((Some(make), None)));
        let decide = move |inner: &Inner, decision: &Mutex<(Option<Make>, Option<Record>)>| {
            let mut decision = lock(decision);
            let Some(make) = decision.0.take() else { return };
            let mut memory = lock(&inner.memory);
            decision.1 = make(&memory.current);
            if let Some(made) = &decision.1 {
                memory.current = made.clone();
                memory.is_ahead = true;
            }
        };
        let shared = Arc::clone(&decision);
        self.update(move |inner| decide(inner, &shared), WRITE_ATTEMPTS);
        if lock(&self.0.memory).known.is_some() {
            // If the storage fails or takes too long, the change is made in memory.
            decide(&self.0, &decision);
        }
        let made = lock(&decision).1.clone();
        made
    }

    /// Takes the lock that keeps two processes from taking or freeing seats (`seat`), or from sending stored amounts (`sending`), at the same
    /// time. Dropping the guard releases the lock. If the lock can't be taken in time, or if `waiting` is ended, the function continues without
    /// the lock. This is safe, because every change of the record checks the expected activation, and the service counts each amount once.
    pub(crate) fn exclusively(&self, what: &'static str, waiting: &Waiting) -> Option<LockGuard> {
        let inner = Arc::clone(&self.0);
        // The maximum wait for the lock is the time that two requests of another process may take, each with two attempts. If the lock is
        // taken only after the wait has ended, it is released at once.
        match waiting.within(5 * self.0.timeout, move || inner.storage.lock(&format!("{}.{what}", inner.name))) {
            Ok(Ok(guard)) => return Some(guard),
            Ok(Err(error)) => self.warn("locked", &error),
            Err(NoOutcome::Late) => self.warn("locked", &late()),
            Err(NoOutcome::Ended) => {}
        }
        None
    }

    /// The text of the queue of amounts; empty if there is none, None if it can't be read.
    pub(crate) fn queue_text(&self) -> Option<String> {
        self.access(|inner| inner.get(&inner.queue_name())).map_err(|error| self.warn("read", &error)).ok()
    }

    /// Replaces the text of the queue, atomically across processes, and returns the second value of `make`. If the first one is None, the text
    /// stays. Returns None if the text can't be read or written.
    pub(crate) fn change_queue<Value: Send + 'static>(&self, make: impl FnOnce(&str) -> (Option<String>, Value) + Send + 'static) -> Option<Value> {
        let changed = self.access(move |inner| {
            let name = inner.queue_name();
            let _changing = lock(&inner.changing_queue);
            let _guard = inner.storage.lock(&name)?;
            let (text, value) = make(&inner.get(&name)?);
            if let Some(text) = text {
                inner.store(&name, &text, WRITE_ATTEMPTS)?;
            }
            Ok(value)
        });
        changed.map_err(|error| self.warn("changed", &error)).ok()
    }

    /// Writes the changes that are only in memory.
    pub(crate) fn settle(&self) {
        if lock(&self.0.memory).is_ahead {
            self.update(|_| {}, 1);
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

    /// Deletes everything that is stored. If the record's key is not the expected one, nothing is deleted and the result is false.
    pub(crate) fn clear(&self, expected: &Record) -> bool {
        let is_held = Arc::new(Mutex::new(None));
        let (found, expected) = (Arc::clone(&is_held), expected.clone());
        let remove = move |inner: &Inner| {
            let is_same = lock(&inner.memory).current.key == expected.key;
            *lock(&found) = Some(is_same);
            if is_same {
                inner.remove();
            }
        };
        self.update(remove, 1);
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
    fn update(&self, decide: impl FnOnce(&Inner) + Send + 'static, attempts: u32) {
        let updated = self.access(move |inner| {
            let _changing = lock(&inner.changing);
            let _guard = inner.storage.lock(&inner.name)?;
            inner.adopt(inner.get(&inner.name)?);
            decide(inner);
            inner.write(attempts)
        });
        if let Err(error) = updated {
            lock(&self.0.memory).has_failed = true;
            self.warn("written", &error);
        }
    }

    fn access<Value: Send + 'static>(&self, task: impl FnOnce(&Inner) -> Result<Value> + Send + 'static) -> Result<Value> {
        let inner = Arc::clone(&self.0);
        self.0.waiting.within(self.0.timeout, move || task(&inner)).unwrap_or_else(|_| Err(late()))
    }

    fn warn(&self, what: &str, error: &Error) {
        self.0.warn(what, error);
    }
}

impl Inner {
    fn device_name(&self) -> String {
        format!("{}.device", self.name)
    }

    fn queue_name(&self) -> String {
        format!("{}.queue", self.name)
    }

    fn warn(&self, what: &str, error: &Error) {
        (self.warn)(&format!("The license cache was not {what}"), &error.to_string());
    }

    /// The stored text with that name, or an empty text if nothing is stored.
    fn get(&self, name: &str) -> Result<String> {
        Ok(self.storage.get(name)?.unwrap_or_default())
    }

    /// Replaces the record in memory with the text that was read from the storage. There is one exception: if the stored text is unchanged,
    /// and the record in memory contains changes that are not stored yet, the record in memory stays. If an activation was only in memory,
    /// and another process has stored another key in the meantime, the seat of the first key must be freed.
    fn adopt(&self, text: String) {
        let mut memory = lock(&self.memory);
        if memory.is_ahead && memory.known.as_ref() == Some(&text) {
            return;
        }
        let stored = parse_record(&text);
        let lost = memory.current.key.take().filter(|key| memory.is_ahead && memory.current.token.is_some() && !stored.has_key(key));
        memory.is_ahead = lost.is_some();
        memory.current = if lost.is_some() { stored.releasing(lost.as_deref()) } else { stored };
        memory.known = Some(text);
    }

    fn store(&self, name: &str, text: &str, attempts: u32) -> Result<()> {
        for _ in 1..attempts {
            if self.storage.set(name, text).is_ok() {
                return Ok(());
            }
            thread::sleep(self.pause);
        }
        self.storage.set(name, text)
    }

    fn write(&self, attempts: u32) -> Result<()> {
        let memory = lock(&self.memory);
        if !memory.is_ahead {
            return Ok(());
        }
        let text = memory.current.text();
        drop(memory);
        self.store(&self.name, &text, attempts)?;
        let mut memory = lock(&self.memory);
        memory.has_failed = false;
        memory.is_ahead = memory.current.text() != text;
        memory.known = Some(text);
        Ok(())
    }

    fn find_device_id(&self) -> Result<String> {
        let name = self.device_name();
        let _guard = self.storage.lock(&name)?;
        let mut kept = self.get(&name)?;
        if !is_device_id(&kept) {
            self.store(&name, &random_hex::<32>()?, WRITE_ATTEMPTS)?;
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
        for name in [self.name.clone(), self.device_name(), self.queue_name()] {
            if let Err(error) = self.storage.remove(&name) {
                self.warn("deleted", &error);
            }
        }
    }
}
