//! Verifies compact JWS (RFC 7515) with EdDSA over Ed25519 (RFC 8037), the form in which the service signs tokens and verdicts.

use crate::json::{from_base64url, parse_object, Object};
use crate::keys::VerifyKey;

/// Maximum length of an accepted token, in characters; a longer one is not parsed.
pub(crate) const MAX_LENGTH: usize = 8192;

/// Returns the claims of a JWS if one of the keys has signed it; otherwise the name of the first check that fails: `malformed` (not a
/// compact JWS of JSON objects), `algorithm` (not EdDSA), `type` (the header's type is not `typ`), `critical` (the header requires an
/// extension) or `signature`.
pub(crate) fn open_jws(keys: &[VerifyKey], text: &str, typ: &str) -> Result<Object, &'static str> {
    let parts: Vec<&str> = text.split('.').collect();
    let (true, [header_part, claims_part, signature_part]) = (text.len() <= MAX_LENGTH, parts.as_slice()) else { return Err("malformed") };
    let read = |part: &str| from_base64url(part).and_then(|bytes| parse_object(&bytes)).ok_or("malformed");
    let (header, claims) = (read(header_part)?, read(claims_part)?);
    let signature = from_base64url(signature_part).ok_or("malformed")?;
    // The client chooses the algorithm, and uses only the given keys. A token can't choose another algorithm, and a key within the token is
    // never used.
    if header.get("alg").and_then(|value| value.as_str()) != Some("EdDSA") {
        return Err("algorithm");
    }
    if header.get("typ").and_then(|value| value.as_str()) != Some(typ) {
        return Err("type");
    }
    if header.contains_key("crit") {
        return Err("critical");
    }
    let content = format!("{header_part}.{claims_part}");
    let may_have_signed = |key: &&VerifyKey| match (&key.kid, header.get("kid")) {
        (Some(name), Some(kid)) => kid == name.as_str(),
        _ => true,
    };
    let has_signed = keys.iter().filter(may_have_signed).any(|key| key.verifies(content.as_bytes(), &signature));
    has_signed.then_some(claims).ok_or("signature")
}
