//! What the cache is worth at a time on a device: the rules for working offline, without any access to the outside.

use crate::coverage::Updates;
use crate::device::Device;
use crate::keys::VerifyKey;
use crate::record::Record;
use crate::refusals::refusal_state;
use crate::state::{Fault, FaultKind, License, Licensed, Source, State};
use crate::timestamp::{parse_timestamp, to_system_time};
use crate::token::{verify_with, Expectation, TokenClaims, CLOCK_BEHIND_MS, CLOCK_SKEW_MS};

/// What the app allows, beyond what the token says.
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
    /// This machine's clock, in epoch milliseconds.
    pub(crate) now: f64,
    /// The latest time that is known to have passed.
    pub(crate) time: f64,
    /// Why the token doesn't count; none if it does.
    pub(crate) problem: Option<&'static str>,
    /// What a token of this product for this device says, regardless of the time.
    pub(crate) claims: Option<TokenClaims>,
}

impl Assessment {
    /// Whether the service is known to sign its refusals.
    pub(crate) fn signs(&self) -> bool {
        self.record.verdicts || self.claims.as_ref().is_some_and(|claims| claims.verdicts)
    }
}

impl TokenClaims {
    pub(crate) fn end(&self) -> f64 {
        self.exp * 1000.0
    }

    /// When a token is due to be refreshed in the background: at half of its life, which is at most half of the seat's lease.
    pub(crate) fn refresh_time(&self) -> f64 {
        (self.iat + self.exp) / 2.0 * 1000.0
    }
}

/// The state of a device that is licensed by a token until a time (epoch ms).
pub(crate) fn licensed_state(source: Source, claims: &TokenClaims, record: &Record, fault: Option<Fault>, until: f64) -> State {
    State::Licensed(Licensed {
        source,
        license: License {
            // The claims were checked: the subject is a number.
            id: claims.sub.parse().unwrap_or_default(),
            type_name: record.type_name.clone(),
            kind: claims.kind.clone(),
            expires_at: claims.license_end.is_finite().then(|| to_system_time(claims.license_end)),
        },
        features: claims.features.clone(),
        updates: Updates { until: claims.updates_until.map(to_system_time), max_major: claims.max_major },
        seats: record.seats,
        lease_expires_at: record.lease_expires_at.as_deref().and_then(parse_timestamp).map(to_system_time),
        offline_until: to_system_time(until),
        fault,
    })
}

/// The state of a device that has nothing that counts, and no verdict.
pub(crate) fn offline_state(assessment: &Assessment, fault: Option<Fault>) -> State {
    State::OfflineWithoutToken { reason: assessment.problem.unwrap_or("no_token").to_owned(), fault }
}

impl Rules {
    pub(crate) fn expectation(&self, fingerprint: &str) -> Expectation {
        Expectation { fingerprint: fingerprint.to_owned(), audience: self.audience.clone(), allow_unbound_tokens: self.allow_unbound_tokens }
    }

    /// Assesses the record with its own token, or another one in its place, at the time that `time_of` makes of the latest
    /// time that is known to have passed.
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
                // A clock that stands before a moment that has passed says nothing about expiry.
                let is_rolled_back = verified.claims.is_some() && now < time - CLOCK_BEHIND_MS;
                (if is_rolled_back { Some("clock_rolled_back") } else { verified.problem }, verified.claims)
            }
        };
        Assessment { record, device, now, time, problem, claims }
    }

    /// Grace counts from the token's `exp`, without the tolerance for clocks, and ends with the license at the latest.
    fn grace_end(&self, claims: &TokenClaims) -> f64 {
        (claims.end() + self.grace).min(claims.license_end)
    }

    /// What is held and may still license this device, now or once the clock is right: something that can be taken away.
    pub(crate) fn may_still_count<'a>(&self, assessment: &'a Assessment) -> Option<&'a TokenClaims> {
        assessment.claims.as_ref().filter(|claims| assessment.time < (claims.end() + CLOCK_SKEW_MS).max(self.grace_end(claims)))
    }

    /// The state of this device if the service gives no verdict now; `fault` says why, if it was asked.
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
