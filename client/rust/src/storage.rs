//! The storage for a client's cache. The cache consists of a few short texts, each with a name.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{Error, ErrorKind, Read, Result, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::json::to_hex;
use crate::lock_file::LockFile;
use crate::waiting::lock;

/// Maximum size of a file that is read, in bytes. A full queue of amounts is smaller.
const MAX_FILE_BYTES: u64 = 8_388_608;

/// A lock that this process has taken; dropping the guard releases it.
pub type LockGuard = Box<dyn Send>;

/// A storage for the cache. Any method may fail; the client then continues without the storage.
pub trait Storage: Send + Sync {
    /// The text with that name; None if there is none.
    fn get(&self, name: &str) -> Result<Option<String>>;
    fn set(&self, name: &str, text: &str) -> Result<()>;
    /// Deletes the text with that name, if there is one.
    fn remove(&self, name: &str) -> Result<()>;
    /// Waits until no other process has the lock with that name, then takes the lock. Dropping the guard releases the lock.
    fn lock(&self, name: &str) -> Result<LockGuard>;
}

/// Keeps the data in memory, until the process ends.
#[derive(Debug, Default)]
pub struct MemoryStorage(Mutex<HashMap<String, String>>);

impl Storage for MemoryStorage {
    fn get(&self, name: &str) -> Result<Option<String>> {
        Ok(lock(&self.0).get(name).cloned())
    }

    fn set(&self, name: &str, text: &str) -> Result<()> {
        lock(&self.0).insert(name.to_owned(), text.to_owned());
        Ok(())
    }

    fn remove(&self, name: &str) -> Result<()> {
        lock(&self.0).remove(name);
        Ok(())
    }

    /// No lock is needed: the memory belongs to one process, and every client has its own lock for its threads.
    fn lock(&self, _name: &str) -> Result<LockGuard> {
        Ok(Box::new(()))
    }
}

/// Keeps each text in a separate file that only the file's owner may read. A file is replaced completely or not at all, even if the process
/// or the machine stops. Clients in other languages share the files. If another user owns a file, for example because the app was started
/// once with `sudo`, a second file is used from then on, and a warning is logged (`log::warn!`).
#[derive(Debug)]
pub struct FileStorage {
    folder: PathBuf,
}

impl FileStorage {
    /// The folder belongs to this app and this user; it is created if it is missing.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    fn files(&self, name: &str) -> [PathBuf; 2] {
        [self.folder.join(format!("{name}.json")), self.folder.join(format!("{name}.own.json"))]
    }
}

impl Storage for FileStorage {
    fn get(&self, name: &str) -> Result<Option<String>> {
        let [first, second] = self.files(name);
        let bytes = match missing_or(read(&second))? {
            Some(bytes) => Some(bytes),
            None => match missing_or(read(&first)) {
                Err(error) if is_forbidden(&error) => {
                    log::warn!("{} belongs to another user; {} is used instead", first.display(), second.display());
                    None
                }
                found => found?,
            },
        };
        Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
    }

    fn set(&self, name: &str, text: &str) -> Result<()> {
        make_folder(&self.folder)?;
        let [first, second] = self.files(name);
        let is_second = fs::symlink_metadata(&second).is_ok() || read(&first).is_err_and(|error| is_forbidden(&error));
        let file = if is_second { second } else { first };
        let mut draft = file.clone().into_os_string();
        draft.push(format!(".{}.tmp", random_hex::<6>()?));
        let placed = write(Path::new(&draft), text).and_then(|()| fs::rename(&draft, &file));
        // After the rename the draft file no longer exists, so the removal only cleans up after an error.
        let _ = fs::remove_file(&draft);
        placed
    }

    fn remove(&self, name: &str) -> Result<()> {
        for file in self.files(name) {
            remove(&file)?;
        }
        // If a process is killed while it writes the file, a draft remains. The draft also contains the license.
        let starts = [format!("{name}.json."), format!("{name}.own.json.")];
        for other in missing_or(fs::read_dir(&self.folder))?.into_iter().flatten() {
            let other = other?;
            if other.file_name().to_str().is_some_and(|other| starts.iter().any(|start| other.starts_with(start)) && other.ends_with(".tmp")) {
                remove(&other.path())?;
            }
        }
        Ok(())
    }

    fn lock(&self, name: &str) -> Result<LockGuard> {
        make_folder(&self.folder)?;
        Ok(Box::new(LockFile::take(self.folder.join(format!("{name}.lock")))?))
    }
}

/// Whether an access failed because the file belongs to another user. On Windows the same error is reported for files that are in use.
fn is_forbidden(error: &Error) -> bool {
    cfg!(unix) && error.kind() == ErrorKind::PermissionDenied
}

/// The result of an access to a file; None if there is no file.
pub(crate) fn missing_or<Value>(result: Result<Value>) -> Result<Option<Value>> {
    match result {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        result => result.map(Some),
    }
}

/// The content of a file. A file that is too large counts as empty, and so do pipes and devices: reading a pipe without a writer would wait
/// for ever, and reading a device may never end. Reading a folder fails.
pub(crate) fn read(file: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let found = fs::metadata(file)?;
    if found.is_file() || found.is_dir() {
        File::open(file)?.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)?;
    }
    if bytes.len() as u64 > MAX_FILE_BYTES {
        bytes.clear();
    }
    Ok(bytes)
}

/// Deletes a file, if there is one.
fn remove(file: &Path) -> Result<()> {
    missing_or(fs::remove_file(file)).map(drop)
}

#[cfg(unix)]
fn make_folder(folder: &Path) -> Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

#[cfg(not(unix))]
fn make_folder(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)
}

/// Creates a file that only its owner may read.
fn new_file(path: &Path) -> Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options.open(path)
}

/// Creates a file and waits until its content is on the disk. Otherwise the file could be empty after a power failure. If the content can't
/// be written, for example because the disk is full, the function removes the file. If the file is a lock, every process would otherwise
/// have to wait for a lock without an owner.
pub(crate) fn write(path: &Path, text: &str) -> Result<()> {
    let mut file = new_file(path)?;
    let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
    if written.is_err() {
        let _ = fs::remove_file(path);
    }
    written
}

/// Random bytes in hex.
pub(crate) fn random_hex<const SIZE: usize>() -> Result<String> {
    let mut bytes = [0; SIZE];
    getrandom::fill(&mut bytes).map_err(|error| Error::other(error.to_string()))?;
    Ok(to_hex(&bytes))
}
