//! A lock for all processes: a file that only one of them can make.

use std::fs::{self, OpenOptions};
use std::io::{Error, ErrorKind, Result};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{channel, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use crate::storage::{random_hex, write};

/// A lock whose file nobody has touched for this long was left by a process that has ended. Chance adds up to half of it.
const ABANDONED_AFTER: Duration = Duration::from_secs(5);
/// How often the owner of a lock touches its file.
const TOUCH_EVERY: Duration = Duration::from_secs(1);
/// Between two attempts to take a lock; chance adds as much.
const POLL: Duration = Duration::from_millis(10);

pub(crate) struct LockFile {
    path: PathBuf,
    /// The file's content.
    owner: String,
    /// Dropped to end the touching.
    _touching: Sender<()>,
}

/// The content of a file and when it was touched; none if there is no file.
fn look_at(path: &Path) -> Result<Option<(String, SystemTime)>> {
    let look = || -> Result<_> { Ok((String::from_utf8_lossy(&fs::read(path)?).into_owned(), fs::metadata(path)?.modified()?)) };
    match look() {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        found => found.map(Some),
    }
}

/// A duration and up to `more` of it, by chance.
fn with_chance(least: Duration, more: f64) -> Result<Duration> {
    let byte = u8::from_str_radix(&random_hex::<1>()?, 16).map_err(Error::other)?;
    Ok(least.mul_f64(1.0 + more * f64::from(byte) / 255.0))
}

impl LockFile {
    /// Waits until no other process has the lock.
    pub(crate) fn take(path: PathBuf) -> Result<Self> {
        let owner = random_hex::<8>()?;
        let patience = with_chance(ABANDONED_AFTER, 0.5)?;
        let mut last = None;
        let mut since = Instant::now();
        while let Err(error) = write(&path, &owner) {
            if error.kind() != ErrorKind::AlreadyExists {
                return Err(error);
            }
            let found = look_at(&path)?;
            if found.is_none() || found != last {
                last = found;
                since = Instant::now();
            } else if since.elapsed() > patience {
                let _ = fs::remove_file(&path);
            }
            thread::sleep(with_chance(POLL, 1.0)?);
        }
        let (touching, is_given_back) = channel::<()>();
        let touched = path.clone();
        thread::spawn(move || {
            while is_given_back.recv_timeout(TOUCH_EVERY) == Err(RecvTimeoutError::Timeout) {
                // One that is lost is noticed when it is given back.
                let _ = OpenOptions::new().write(true).open(&touched).and_then(|file| file.set_modified(SystemTime::now()));
            }
        });
        Ok(Self { path, owner, _touching: touching })
    }
}

impl Drop for LockFile {
    fn drop(&mut self) {
        // One that was slow for too long has lost it to another process.
        if matches!(look_at(&self.path), Ok(Some((owner, _))) if owner == self.owner) {
            let _ = fs::remove_file(&self.path);
        }
    }
}
