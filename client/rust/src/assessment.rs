//! Determines what the cached token proves on a device at a given time. The functions implement the rules for working offline. They use
//! neither network nor storage.

use crate::coverage::Updates;
use crate::device::Device;
use crate::keys::VerifyKey;
use crate::record::Record;
use crate::refusals::refusal_state;
use crate::state::{Fault, FaultKind, License, Licensed, Source, State};
use crate::timestamp::to_system_time;
use crate::token::{verify_with, Expectation, TokenClaims, CLOCK_BEHIND_MS, CLOCK_SKEW_MS};

/// The app's settings that extend what a token allows.
pub(crate) struct Rules {
    pub(crate) keys: Vec<VerifyKey>,
    pub(crate) audience: Option<String>,
    pub(crate) allow_unbound_tokens: bool,
    /// In milliseconds.
    pub(crate) grace: f64,
}

#[derive(Clone)]
pub(crate) struct Assessment {
    pub(crate) record: Record,
    pub(crate) device: Result<Device, Fault>,
    /// This device's clock, in epoch milliseconds.
    pub(crate) now: f64,
    /// The latest time that is known to have passed, in epoch milliseconds.
    pub(crate) time: f64,
    /// Why the token is not accepted; None if it is accepted.
    pub(crate) problem: Option<&'static str>,
    /// The token's claims, if the token is for this product and this device, even if it has expired.
    pub(crate) claims: Option<TokenClaims>,
}

impl Assessment {
    /// Whether the client knows that this service signs its refusals.
    pub(crate) fn signs(&self) -> bool {
        self.record.verdicts || self.claims.as_ref().is_some_and(|claims| claims.verdicts)
    }
}

impl TokenClaims {
    pub(crate) fn end(&self) -> f64 {
        self.exp * 1000.0
    }

    /// When a token is due to be refreshed in the background: after half of the token's lifetime. A token expires no later than the seat's
    /// lease, so the refresh is due before the lease ends.
    pub(crate) fn refresh_time(&self) -> f64 {
        (self.iat + self.exp) / 2.0 * 1000.0
    }
}

/// The state of a device with an accepted token. The token licenses the device until the time `until` (epoch ms).
pub(crate) fn licensed_state(source: Source, claims: &TokenClaims, record: &Record, fault: Option<Fault>, until: f64) -> State {
    State::Licensed(Licensed {
        source,
        license: License {
            // Parsing can't fail, because the verification of the token has checked that the subject is a number.
            id: claims.sub.parse().unwrap_or_default(),
            type_name: record.type_name.clone(),
            kind: claims.kind.clone(),
            expires_at: claims.license_end.is_finite().then(|| to_system_time(claims.license_end)),
        },
        features: claims.features.clone(),
        limits: claims.limits.clone(),
        updates: Updates { until: claims.updates_until.map(to_system_time), max_major: claims.max_major },
        seats: record.seats,
        lease_expires_at: claims.lease_end.map(to_system_time),
        offline_until: to_system_time(until),
        fault,
    })
}

/// The state of a device that has no accepted token, and for which the service gave no decision.
pub(crate) fn offline_state(assessment: &Assessment, fault: Option<Fault>) -> State {
    let is_ahead = fault.as_ref().is_some_and(|fault| fault.kind == FaultKind::Clock);
    let reason = if is_ahead { "clock_ahead" } else { assessment.problem.unwrap_or("no_token") };
    State::OfflineWithoutToken { reason: reason.to_owned(), fault }
}

impl Rules {
    pub(crate) fn expectation(&self, fingerprint: &str) -> Expectation {
        Expectation { fingerprint: fingerprint.to_owned(), audience: self.audience.clone(), allow_unbound_tokens: self.allow_unbound_tokens }
    }

    /// Verifies the token `other`, or the record's own token if `other` is None, and returns what the token proves on this device.
    /// `time_of` gets the token's claims and the latest time that is known to have passed, and returns the time at which the token is
    /// verified.
    pub(crate) fn assess(
        &self,
        record: Record,
        device: Result<Device, Fault>,
        now: f64,
        other: Option<&str>,
        time_of: impl FnOnce(&TokenClaims, f64) -> f64,
    ) -> Assessment {
        let mut time = record.seen.map_or(now, |seen| seen.max(now));
        let token = other.map(String::from).or_else(|| record.token.clone());
        let (problem, claims) = match (&device, token) {
            (Err(fault), _) if fault.kind == FaultKind::Storage => (Some("storage_failed"), None),
            (Err(_), _) => (Some("device_unknown"), None),
            (Ok(_), None) => (Some("no_token"), None),
            (Ok(device), Some(token)) => {
                let verified = verify_with(&self.keys, &token, &self.expectation(&device.id), |claims| {
                    time = time_of(claims, time);
                    time
                });
                // If the clock is more than a day behind a time that is known to have passed, it can't show whether the token has expired.
                let is_rolled_back = verified.claims.is_some() && now < time - CLOCK_BEHIND_MS;
                (if is_rolled_back { Some("clock_rolled_back") } else { verified.problem }, verified.claims)
            }
        };
        Assessment { record, device, now, time, problem, claims }
    }

    /// Grace starts at the token's `exp`, without the clock tolerance, and ends no later than the license. A leased seat has no grace,
    /// because another device may take the seat when the lease has ended.
    fn grace_end(&self, claims: &TokenClaims) -> f64 {
        claims.lease_end.map_or((claims.end() + self.grace).min(claims.license_end), |_| 0.0)
    }

    /// The claims of the token, if the token may license this device, now or after the clock is corrected. If the result is None, the
    /// device has no license that must be protected from a forged refusal.
    pub(crate) fn may_still_count<'a>(&self, assessment: &'a Assessment) -> Option<&'a TokenClaims> {
        assessment.claims.as_ref().filter(|claims| assessment.time < (claims.end() + CLOCK_SKEW_MS).max(self.grace_end(claims)))
    }

    /// The state of this device if there is no new decision from the service. `fault` is the fault that prevented a decision; None if there
    /// was no fault.
    pub(crate) fn state_from_cache(&self, assessment: &Assessment, fault: Option<Fault>) -> State {
        let (record, time) = (&assessment.record, assessment.time);
        if let (None, Some(claims)) = (assessment.problem, &assessment.claims) {
            return licensed_state(Source::Cache, claims, record, fault, claims.end());
        }
        if let Some(name) = &record.refused {
            return refusal_state(name, record.key.as_deref(), record.seats);
        }
        if let (Some("expired"), Some(claims)) = (assessment.problem, &assessment.claims) {
            let until = self.grace_end(claims);
            if time >= claims.license_end {
                return State::Expired;
            }
            if time < until {
                return licensed_state(Source::Grace, claims, record, fault, until);
            }
        }
        if assessment.problem == Some("no_token") && record.key.is_none() && fault.is_none() {
            return State::Unbound { key: None };
        }
        offline_state(assessment, fault.or_else(|| assessment.device.as_ref().err().cloned()))
    }
}
