//! Verifies offline tokens without a network.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use crate::json::{count, trim, Object, MAX_INTEGER};
use crate::jws::open_jws;
use crate::keys::{verify_keys, VerifyKey};
use crate::state::InvalidOption;
use crate::timestamp::{from_system_time, numeric_date, parse_timestamp};

/// Maximum tolerated difference between a device's clock and the service's clock.
pub const CLOCK_SKEW: Duration = Duration::from_secs(300);
pub(crate) const CLOCK_SKEW_MS: f64 = 300_000.0;

/// How far (ms) a device's clock may be behind the latest time seen. A day is allowed, because a wrong time zone can set a clock back by
/// several hours, and wrong time zones are more common than clocks that were set back on purpose.
pub(crate) const CLOCK_BEHIND_MS: f64 = 86_400_000.0;

/// The issuer in all tokens and verdicts of the service.
pub(crate) const TOKEN_ISSUER: &str = "license-key-service";

/// The claims of a token. Times are seconds since 1970 (RFC 7519, "NumericDate").
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct TokenClaims {
    /// The product's slug.
    pub aud: String,
    /// The license's id.
    pub sub: String,
    pub iat: f64,
    pub exp: f64,
    pub nbf: f64,
    /// The fingerprint of the device to which the token is bound; None in a token that is bound to no device.
    pub fingerprint: Option<String>,
    pub kind: String,
    pub features: Vec<String>,
    /// Numbers by name that the app reads.
    pub limits: BTreeMap<String, u64>,
    /// When the license expires, in epoch milliseconds; infinite if it never expires.
    pub license_end: f64,
    /// The last release date that the license covers, in epoch milliseconds; None if it covers releases of any date.
    pub updates_until: Option<f64>,
    /// When the lease of the device's seat ends, in epoch milliseconds; None if the seat has no lease.
    pub lease_end: Option<f64>,
    /// The highest major version that the license covers; None if it covers every major version.
    pub max_major: Option<u64>,
    /// True if the service signs its refusals. In that case a refusal without a verdict does not come from the service.
    pub verdicts: bool,
}

/// The result of the verification of a token. If only the time is wrong, the result contains both the problem and the claims.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Verification {
    /// None for a valid token; otherwise the first check that fails: `malformed`, `algorithm`, `type`, `critical`, `signature`, `claims`,
    /// `issuer`, `audience`, `fingerprint` (the token is bound to another device), `unbound` (the token is bound to no device, and
    /// `allow_unbound_tokens` is false), `from_the_future`, `expired`.
    pub problem: Option<&'static str>,
    /// The claims, if the token is valid or has only a problem with the time.
    pub claims: Option<TokenClaims>,
}

/// The expected values of a token's claims, except the times.
#[derive(Clone, Debug, Default)]
pub struct Expectation {
    /// This device's fingerprint.
    pub fingerprint: String,
    /// The product's slug; not compared if there is none.
    pub audience: Option<String>,
    /// Whether a token that is bound to no device is accepted.
    pub allow_unbound_tokens: bool,
}

/// Converts a fingerprint to the form in which it is compared. A hex string is converted to lower case, as in the service.
pub(crate) fn canonical_fingerprint(fingerprint: &str) -> String {
    let trimmed = trim(fingerprint);
    let is_hex = !trimmed.is_empty() && trimmed.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_hex {
        trimmed.to_ascii_lowercase()
    } else {
        trimmed.to_owned()
    }
}

fn is_license_id(sub: &str) -> bool {
    let is_decimal = sub.len() <= 16 && !sub.starts_with('0') && sub.bytes().all(|byte| byte.is_ascii_digit());
    is_decimal && sub.parse::<u64>().is_ok_and(|id| id as f64 <= MAX_INTEGER)
}

fn claims_of(object: &Object) -> Option<TokenClaims> {
    let text = |name: &str| object.get(name)?.as_str().map(String::from);
    let time = |name: &str| numeric_date(object.get(name));
    let moment = |name: &str| match object.get(name) {
        None | Some(serde_json::Value::Null) => Some(None),
        Some(moment) => Some(Some(parse_timestamp(moment.as_str()?)?)),
    };
    text("iss")?;
    let claims = TokenClaims {
        aud: text("aud")?,
        sub: text("sub").filter(|sub| is_license_id(sub))?,
        iat: time("iat")?,
        exp: time("exp")?,
        nbf: if object.contains_key("nbf") { time("nbf")? } else { 0.0 },
        fingerprint: if object.contains_key("fingerprint") { Some(text("fingerprint")?) } else { None },
        kind: text("kind")?,
        features: match object.get("features") {
            None => Vec::new(),
            Some(features) => features.as_array()?.iter().map(|feature| feature.as_str().map(String::from)).collect::<Option<_>>()?,
        },
        limits: match object.get("limits") {
            None => BTreeMap::new(),
            Some(limits) => limits.as_object()?.iter().map(|(name, limit)| Some((name.clone(), count(Some(limit))?))).collect::<Option<_>>()?,
        },
        license_end: match object.get("license_expires_at")? {
            serde_json::Value::Null => f64::INFINITY,
            end => parse_timestamp(end.as_str()?)?,
        },
        updates_until: moment("updates_until")?,
        lease_end: moment("lease_expires_at")?,
        max_major: match object.get("max_major") {
            None => None,
            major => Some(count(major)?),
        },
        verdicts: object.get("verdicts") == Some(&serde_json::Value::Bool(true)),
    };
    Some(claims)
}

/// Verifies a token. `time_of` returns the time of the verification (epoch ms), which may depend on the token's claims.
pub(crate) fn verify_with(keys: &[VerifyKey], token: &str, expected: &Expectation, time_of: impl FnOnce(&TokenClaims) -> f64) -> Verification {
    let failed = |problem| Verification { problem: Some(problem), claims: None };
    let object = match open_jws(keys, token, "JWT") {
        Ok(object) => object,
        Err(problem) => return failed(problem),
    };
    let Some(claims) = claims_of(&object) else { return failed("claims") };
    if object["iss"] != TOKEN_ISSUER {
        return failed("issuer");
    }
    if expected.audience.as_ref().is_some_and(|audience| *audience != claims.aud) {
        return failed("audience");
    }
    match &claims.fingerprint {
        None if !expected.allow_unbound_tokens => return failed("unbound"),
        Some(fingerprint) if *fingerprint != canonical_fingerprint(&expected.fingerprint) => return failed("fingerprint"),
        _ => {}
    }
    let now = time_of(&claims);
    let problem = if claims.iat.max(claims.nbf) * 1000.0 > now + CLOCK_SKEW_MS {
        Some("from_the_future")
    } else if now >= claims.exp * 1000.0 + CLOCK_SKEW_MS {
        Some("expired")
    } else {
        None
    };
    Verification { problem, claims: Some(claims) }
}

/// Verifies an offline token: form, signature, issuer, audience, fingerprint and times, with the tolerance of [`CLOCK_SKEW`]. The keys are
/// PEMs or JWK sets.
///
/// # Errors
/// A public key is invalid.
pub fn verify_token(token: &str, public_keys: &[String], expected: &Expectation, now: SystemTime) -> Result<Verification, InvalidOption> {
    let keys = verify_keys(public_keys)?;
    Ok(verify_with(&keys, token, expected, |_| from_system_time(now)))
}
