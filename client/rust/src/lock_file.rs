//! A lock across processes: a file that only one process can create.

use std::fs::{self, OpenOptions};
use std::io::{Error, ErrorKind, Result};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{channel, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use crate::storage::{missing_or, random_hex, read, write};

/// If a lock file was not touched for this long, the process that owns the lock is assumed to have ended. A random time of up to half of
/// this duration is added. The sum is less than the client's default time limit for an access to the storage, so that a process that has
/// crashed does not keep later processes from storing a license.
const ABANDONED_AFTER: Duration = Duration::from_secs(3);
/// Time after which the owner of a lock touches its file again.
const TOUCH_EVERY: Duration = Duration::from_secs(1);
/// Pause between two attempts to take a lock; a random time of at most the same length is added.
const POLL: Duration = Duration::from_millis(10);

pub(crate) struct LockFile {
    path: PathBuf,
    /// The content of the lock file.
    owner: String,
    /// Dropping this sender ends the thread that touches the file.
    _touching: Sender<()>,
}

/// The content of a lock file and when it was touched; None if there is no file. The content is empty if this user may not read the file,
/// or if it is not a file but, for example, a folder. This is not an error, because such a lock can also be abandoned.
fn look_at(path: &Path) -> Result<Option<(String, SystemTime)>> {
    let Some(found) = missing_or(fs::symlink_metadata(path))? else {
        return Ok(None);
    };
    let owner = if found.is_file() { read(path).unwrap_or_default() } else { Vec::new() };
    Ok(Some((String::from_utf8_lossy(&owner).into_owned(), found.modified()?)))
}

/// Removes an abandoned lock.
fn remove(path: &Path) -> Result<()> {
    let is_folder = fs::symlink_metadata(path).is_ok_and(|found| found.is_dir());
    missing_or(if is_folder { fs::remove_dir_all(path) } else { fs::remove_file(path) }).map(drop)
}

/// A duration plus a random time of up to `more` times the duration.
fn with_chance(least: Duration, more: f64) -> Result<Duration> {
    let byte = u8::from_str_radix(&random_hex::<1>()?, 16).map_err(Error::other)?;
    Ok(least.mul_f64(1.0 + more * f64::from(byte) / 255.0))
}

impl LockFile {
    /// Takes the lock. Waits while another process has it.
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
                remove(&path)?;
            }
            thread::sleep(with_chance(POLL, 1.0)?);
        }
        let (touching, is_given_back) = channel::<()>();
        let touched = path.clone();
        thread::spawn(move || {
            while is_given_back.recv_timeout(TOUCH_EVERY) == Err(RecvTimeoutError::Timeout) {
                // A failure is ignored here, because a process that has lost its lock notices this when it releases the lock.
                let _ = OpenOptions::new().write(true).open(&touched).and_then(|file| file.set_modified(SystemTime::now()));
            }
        });
        Ok(Self { path, owner, _touching: touching })
    }
}

impl Drop for LockFile {
    fn drop(&mut self) {
        // If this process did not touch the file in time, another process may have taken over the lock. The file then belongs to the other
        // process and must stay.
        if matches!(look_at(&self.path), Ok(Some((owner, _))) if owner == self.owner) {
            let _ = fs::remove_file(&self.path);
        }
    }
}
