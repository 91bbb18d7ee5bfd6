//! Verifies verdicts: refusals that the service signs and sends in the response header `X-Svc-Verdict`.

use crate::jws::open_jws;
use crate::keys::VerifyKey;
use crate::refusals::is_status_name;
use crate::timestamp::numeric_date;
use crate::token::TOKEN_ISSUER;

/// The expected values of a verdict's claims.
pub(crate) struct VerdictExpectation<'a> {
    /// The product's slug, from the app's options or from the current token. If it is None, it is not compared.
    pub(crate) audience: Option<&'a str>,
    /// The current license's id, as in the token's `sub`; not compared if there is no token.
    pub(crate) license_id: Option<&'a str>,
    /// The fingerprint of this device in its canonical form.
    pub(crate) fingerprint: &'a str,
    /// The `iat` of the current token; 0 if there is no token. A verdict that is older than the token no longer applies.
    pub(crate) token_issued_at: f64,
}

#[derive(Debug, PartialEq)]
pub(crate) struct Verdict {
    pub(crate) status: String,
    /// When the verdict was signed, in seconds since 1970.
    pub(crate) issued_at: f64,
}

/// Verifies a verdict in a response to a request of this client. The verdict's times are not compared with this device's clock, because a
/// revoked license must not stay valid on a device with a wrong clock. The error is the first check that fails.
pub(crate) fn verify_verdict(keys: &[VerifyKey], verdict: &str, expected: &VerdictExpectation<'_>) -> Result<Verdict, &'static str> {
    let object = open_jws(keys, verdict, "verdict+jwt")?;
    let text = |name: &str| object.get(name).and_then(|value| value.as_str()).ok_or("claims");
    let (iss, aud, sub, fingerprint) = (text("iss")?, text("aud")?, text("sub")?, text("fingerprint")?);
    let status = text("status").ok().filter(|name| is_status_name(name)).ok_or("claims")?;
    let issued_at = numeric_date(object.get("iat")).ok_or("claims")?;
    let checks = [
        (iss == TOKEN_ISSUER, "issuer"),
        (expected.audience.is_none_or(|expected| aud == expected), "audience"),
        (expected.license_id.is_none_or(|expected| sub == expected), "license"),
        (fingerprint == expected.fingerprint, "fingerprint"),
        (issued_at >= expected.token_issued_at, "older_than_token"),
    ];
    match checks.into_iter().find(|(is_good, _)| !is_good) {
        Some((_, problem)) => Err(problem),
        None => Ok(Verdict { status: status.to_owned(), issued_at }),
    }
}
