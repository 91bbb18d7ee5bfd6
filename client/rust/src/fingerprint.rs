//! The fingerprint of a machine: SHA-256, as lower-case hex, of the machine id that its operating system keeps.

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

/// Longest that a command may take.
const COMMAND_LIMIT: Duration = Duration::from_secs(5);

/// Where Linux keeps its id (machine-id(5)), first the usual place.
const LINUX_FILES: [&str; 2] = ["/etc/machine-id", "/var/lib/dbus/machine-id"];

/// What a machine id is read from.
pub(crate) trait System {
    /// As Rust names it: `linux`, `macos` or `windows`; others have no machine id.
    fn name(&self) -> &str;
    fn read_file(&self, path: &str) -> std::io::Result<String>;
    /// Standard output of a command.
    fn run(&self, command: &str, arguments: &[&str]) -> Result<String>;
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
        // What these commands print fits into a pipe: they end without being read.
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
}

/// What stands behind a name: the id after it, and what is between them.
fn after<'a>(shown: &'a str, name: &str, skip: impl Fn(&'a str) -> Option<&'a str>, length: usize) -> Option<&'a str> {
    let lower = shown.to_ascii_lowercase();
    lower.match_indices(name).find_map(|(place, _)| skip(&shown[place + name.len()..])?.get(..length))
}

/// The machine id in what a system shows of it, in lower case; none if there is none, or only a placeholder.
pub(crate) fn parse_machine_id(system: &str, shown: &str) -> Option<String> {
    let spaced = |rest: &'_ str, word: &str| -> Option<usize> {
        let start = rest.len() - rest.trim_start().len();
        rest[start..].to_ascii_lowercase().starts_with(word).then_some(start + word.len())
    };
    let id = match system {
        "linux" => Some(shown.trim()).filter(|id| id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit())),
        "macos" => after(shown, "\"ioplatformuuid\"", |rest| rest[spaced(rest, "=")?..].trim_start().strip_prefix('"'), 36),
        "windows" => after(shown, "machineguid", |rest| Some(rest[spaced(rest, "reg_sz")?..].trim_start()), 36),
        _ => None,
    }?;
    let id = id.to_ascii_lowercase();
    let is_made_of = |allowed: &str| id.chars().all(|character| allowed.contains(character));
    // Firmware and images that were never set up have all zeros or ones.
    let is_placeholder = is_made_of("0-") || is_made_of("f-");
    (is_made_of("0123456789abcdef-") && !is_placeholder).then_some(id)
}

/// The machine id; none if there is none. What doesn't exist shows nothing; what can't be read is an error, so that a
/// machine doesn't look like another one for a moment.
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
        // By its whole path, as the next one: another program of that name must not be found first.
        "macos" => system.run("/usr/sbin/ioreg", &["-rd1", "-c", "IOPlatformExpertDevice"])?,
        "windows" => {
            let root = std::env::var("SystemRoot").unwrap_or_else(|_| r"C:\Windows".to_owned());
            system.run(&format!(r"{root}\System32\reg.exe"), &["query", r"HKLM\SOFTWARE\Microsoft\Cryptography", "/v", "MachineGuid", "/reg:64"])?
        }
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

/// Finds this machine's fingerprint: the same after restarts and updates, and for every app and SDK on it. None if there
/// is no machine id (some containers, other systems); the client then uses an id of its own making. An error: there is one
/// that can't be read now.
pub fn machine_fingerprint() -> FingerprintSource {
    Arc::new(|| fingerprint_with(&ThisSystem))
}

/// Like [`machine_fingerprint`], with another result in every app, so that two vendors can't recognize the same machine by
/// it. To be chosen before the first activation. The app is the product's slug.
pub fn app_fingerprint(app: impl Into<String>) -> FingerprintSource {
    let app = app.into();
    Arc::new(move || app_fingerprint_with(&ThisSystem, &app))
}
