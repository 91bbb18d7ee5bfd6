//! The fingerprint of a machine: SHA-256, in lower-case hex, of the operating system's machine id.

use std::error::Error;
use std::io::{ErrorKind, Read};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use hmac::{Hmac, Mac};
use sha2::{Digest, Sha256};

use crate::device::FingerprintSource;
use crate::json::{to_hex, trim};

type Result<Value> = std::result::Result<Value, Box<dyn Error + Send + Sync>>;

/// Maximum time that a command may take.
const COMMAND_LIMIT: Duration = Duration::from_secs(5);

/// The files in which Linux keeps its machine id (machine-id(5)), the usual one first.
const LINUX_FILES: [&str; 2] = ["/etc/machine-id", "/var/lib/dbus/machine-id"];

/// The system functions that read a machine id.
pub(crate) trait System {
    /// Rust's name of the system: `linux`, `macos` or `windows`; other systems have no machine id.
    fn name(&self) -> &str;
    fn read_file(&self, path: &str) -> std::io::Result<String>;
    /// Runs a command and returns its standard output.
    fn run(&self, command: &str, arguments: &[&str]) -> Result<String>;
    /// Reads the value `MachineGuid` from the registry of Windows.
    fn machine_guid(&self) -> Result<String>;
}

struct ThisSystem;

impl System for ThisSystem {
    fn name(&self) -> &str {
        std::env::consts::OS
    }

    fn read_file(&self, path: &str) -> std::io::Result<String> {
        std::fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    fn run(&self, command: &str, arguments: &[&str]) -> Result<String> {
        let mut child = Command::new(command).args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let deadline = Instant::now() + COMMAND_LIMIT;
        // The output of these commands fits into the pipe's buffer, so the commands end before their output is read.
        let status = loop {
            match child.try_wait()? {
                Some(status) => break status,
                None if Instant::now() >= deadline => {
                    child.kill()?;
                    child.wait()?;
                    return Err(format!("{command} took too long").into());
                }
                None => thread::sleep(Duration::from_millis(10)),
            }
        };
        let mut output = Vec::new();
        if let Some(mut stdout) = child.stdout.take() {
            stdout.read_to_end(&mut output)?;
        }
        if !status.success() {
            return Err(format!("{command} ended with {status}").into());
        }
        Ok(String::from_utf8_lossy(&output).into_owned())
    }

    #[cfg(windows)]
    fn machine_guid(&self) -> Result<String> {
        use winreg::enums::{HKEY_LOCAL_MACHINE, KEY_READ, KEY_WOW64_64KEY};
        // Without `KEY_WOW64_64KEY`, a 32-bit process would read another part of the registry.
        let key = winreg::RegKey::predef(HKEY_LOCAL_MACHINE).open_subkey_with_flags(r"SOFTWARE\Microsoft\Cryptography", KEY_READ | KEY_WOW64_64KEY)?;
        Ok(key.get_value("MachineGuid")?)
    }

    #[cfg(not(windows))]
    fn machine_guid(&self) -> Result<String> {
        Err("only Windows has a registry".into())
    }
}

/// Returns the `length` characters of the id that follows a name in a text. `name` is in lower case, and matches upper case as well. `skip`
/// removes the characters between the name and the id.
fn after<'a>(shown: &'a str, name: &str, skip: impl Fn(&'a str) -> Option<&'a str>, length: usize) -> Option<&'a str> {
    let lower = shown.to_ascii_lowercase();
    lower.match_indices(name).find_map(|(place, _)| skip(&shown[place + name.len()..])?.get(..length))
}

/// The machine id in a system's output, in lower case; None if there is none, or only a placeholder.
pub(crate) fn parse_machine_id(system: &str, shown: &str) -> Option<String> {
    let spaced = |rest: &'_ str, word: &str| -> Option<usize> {
        let start = rest.len() - rest.trim_start().len();
        rest[start..].to_ascii_lowercase().starts_with(word).then_some(start + word.len())
    };
    let id = match system {
        "linux" => Some(shown.trim()).filter(|id| id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit())),
        "macos" => after(shown, "\"ioplatformuuid\"", |rest| rest[spaced(rest, "=")?..].trim_start().strip_prefix('"'), 36),
        "windows" => Some(shown.trim()).filter(|id| id.len() == 36),
        _ => None,
    }?;
    let id = id.to_ascii_lowercase();
    let is_made_of = |allowed: &str| id.chars().all(|character| allowed.contains(character));
    // Firmware and system images that were never set up have an id of only zeros or only `f`.
    let is_placeholder = is_made_of("0-") || is_made_of("f-");
    (is_made_of("0123456789abcdef-") && !is_placeholder).then_some(id)
}

/// The machine id; None if there is none. A source that doesn't exist is skipped. A source that can't be read is an error, because a
/// temporary fault must not give the machine another fingerprint.
fn machine_id(system: &dyn System) -> Result<Option<String>> {
    let shown = match system.name() {
        "linux" => {
            for path in LINUX_FILES {
                match system.read_file(path) {
                    Ok(shown) => {
                        if let Some(id) = parse_machine_id("linux", &shown) {
                            return Ok(Some(id));
                        }
                    }
                    Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {}
                    Err(error) => return Err(error.into()),
                }
            }
            return Ok(None);
        }
        // The command has an absolute path, so that another program of the same name is never run.
        "macos" => system.run("/usr/sbin/ioreg", &["-rd1", "-c", "IOPlatformExpertDevice"])?,
        "windows" => system.machine_guid()?,
        _ => return Ok(None),
    };
    Ok(parse_machine_id(system.name(), &shown))
}

pub(crate) fn fingerprint_with(system: &dyn System) -> Result<Option<String>> {
    Ok(machine_id(system)?.map(|id| to_hex(&Sha256::digest(trim(&id).as_bytes()))))
}

pub(crate) fn app_fingerprint_with(system: &dyn System, app: &str) -> Result<Option<String>> {
    let Some(id) = machine_id(system)? else { return Ok(None) };
    let mut mac = Hmac::<Sha256>::new_from_slice(id.as_bytes())?;
    mac.update(app.as_bytes());
    Ok(Some(to_hex(&mac.finalize().into_bytes())))
}

/// Finds this machine's fingerprint, which is the same after restarts and updates, and for every app and SDK. None if there is no machine
/// id, for example in some containers; the client then creates a random id. The result is an error if there is a machine id that can't be
/// read now.
pub fn machine_fingerprint() -> FingerprintSource {
    Arc::new(|| fingerprint_with(&ThisSystem))
}

/// Like [`machine_fingerprint`], but the result differs between apps, so that two vendors can't recognize the same machine by the
/// fingerprint. Choose one of the two functions before the first activation, because their fingerprints of the same machine differ. `app`
/// is the product's slug.
pub fn app_fingerprint(app: impl Into<String>) -> FingerprintSource {
    let app = app.into();
    Arc::new(move || app_fingerprint_with(&ThisSystem, &app))
}
