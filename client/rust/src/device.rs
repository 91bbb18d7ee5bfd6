//! Identifies this device to the service.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use crate::cache::{is_device_id, Cache, Warn};
use crate::record::{DeviceKind, Record};
use crate::state::{Fault, FaultKind};
use crate::token::canonical_fingerprint;
use crate::waiting::Waiting;

/// Finds the fingerprint of this machine; None if the machine has none.
pub type FingerprintSource = Arc<dyn Fn() -> Result<Option<String>, Box<dyn Error + Send + Sync>> + Send + Sync>;

/// Maximum number of calls of the fingerprint function, one after the other. The first call may fail because of a virus scanner. If all
/// calls fail, the device counts as unknown, until the client needs the fingerprint again.
const ATTEMPTS: usize = 2;

#[derive(Clone, Debug)]
pub(crate) struct Device {
    pub(crate) id: String,
    pub(crate) kind: DeviceKind,
}

/// Finds this device's id: its fingerprint, or a random id. The random id is used if the current key was activated with it. It is also used
/// if the device has no fingerprint, and no seat in this storage was ever taken with a fingerprint. In all other cases a device whose
/// fingerprint isn't found is unknown, so that a temporary fault doesn't change the id. With another id, the user would lose the license
/// and need a second seat.
pub(crate) struct DeviceFinder {
    source: Option<FingerprintSource>,
    /// Maximum time for each attempt to find the fingerprint.
    timeout: Duration,
    warn: Warn,
    waiting: Waiting,
    /// The machine's fingerprint, after it was found.
    found: Option<String>,
    /// True if the machine reported that it has no fingerprint.
    is_none: bool,
}

impl DeviceFinder {
    pub(crate) fn new(source: Option<FingerprintSource>, timeout: Duration, warn: Warn) -> Self {
        let is_none = source.is_none();
        Self { source, timeout, warn, waiting: Waiting::default(), found: None, is_none }
    }

    /// This device, or why it can't be identified now.
    pub(crate) fn find(&mut self, cache: &Cache, record: &Record) -> Result<Device, Fault> {
        if record.device != Some(DeviceKind::Random) || record.key.is_none() {
            if let Some(id) = self.machine() {
                return Ok(Device { id, kind: DeviceKind::Machine });
            }
            if !self.is_none || record.device == Some(DeviceKind::Machine) {
                return Err(Fault::new(FaultKind::Device, "the fingerprint of this device was not found"));
            }
        }
        cache.device_id().map(|id| Device { id, kind: DeviceKind::Random }).map_err(|error| {
            (self.warn)("The id of this device was neither read nor stored", &error.to_string());
            Fault::new(FaultKind::Storage, "the id of this device was neither read nor stored")
        })
    }

    /// The fingerprint of the machine; None if there is none, or if it can't be found now.
    fn machine(&mut self) -> Option<String> {
        let Some(source) = self.source.clone().filter(|_| self.found.is_none() && !self.is_none) else { return self.found.clone() };
        for _ in 0..ATTEMPTS {
            let source = Arc::clone(&source);
            let cause = match self.waiting.within(self.timeout, move || source()) {
                Ok(Ok(None)) => {
                    self.is_none = true;
                    return None;
                }
                Ok(Ok(Some(text))) if is_device_id(&canonical_fingerprint(&text)) => {
                    self.found = Some(canonical_fingerprint(&text));
                    return self.found.clone();
                }
                Ok(Ok(Some(_))) => "it must be 8 to 128 printable ASCII characters without spaces".to_owned(),
                Ok(Err(error)) => error.to_string(),
                Err(_) => "it took too long".to_owned(),
            };
            (self.warn)("No fingerprint was found", &cause);
        }
        None
    }
}
