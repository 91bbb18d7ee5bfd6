//! A product's public keys.

use ed25519_dalek::{Signature, Verifier, VerifyingKey};
use serde_json::{json, Value};

use crate::json::{from_base64url, parse_object, to_hex, without_white_space};
use crate::state::InvalidOption;

/// 2^255 - 19, big-endian.
const FIELD_PRIME: &str = "7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffed";

/// Order of the Ed25519 group (RFC 8032, section 5.1), big-endian.
const GROUP_ORDER: &str = "1000000000000000000000000000000014def9dea2f79cd65812631a5cf5d3ed";

/// The y-coordinates of the points of small order, big-endian. A public key must not be such a point, because anybody could forge
/// signatures for this key.
const SMALL_ORDER: [&str; 5] = [
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0000000000000000000000000000000000000000000000000000000000000001",
    "7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffec",
    "05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826",
    "7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7",
];

/// Start and end of a SubjectPublicKeyInfo of an Ed25519 key (RFC 8410) as PEM without white space. The 12 bytes before the key are always
/// the same, and so are the first 16 base64 characters.
const PEM: (&str, &str) = ("-----BEGINPUBLICKEY-----MCowBQYDK2VwAyEA", "=-----ENDPUBLICKEY-----");

/// A key that may have signed a token.
#[derive(Clone)]
pub(crate) struct VerifyKey {
    /// The key's id; None for a key that is tried for every token, regardless of the key id in the token.
    pub(crate) kid: Option<String>,
    /// None for a point that is not on the curve; such a key has signed nothing.
    key: Option<VerifyingKey>,
}

fn big_endian(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().rev().copied().collect()
}

/// True if the y-coordinate is below the prime and the point is not of small order.
fn is_trustworthy(key: &[u8; 32]) -> bool {
    let mut coordinate = big_endian(key);
    coordinate[0] &= 0x7f;
    let hex = to_hex(&coordinate);
    hex.as_str() < FIELD_PRIME && !SMALL_ORDER.contains(&hex.as_str())
}

fn from_jwk(jwk: &Value) -> Option<VerifyKey> {
    let is = |name: &str, expected: &str, may_be_absent: bool| jwk.get(name).map_or(may_be_absent, |value| value == expected);
    let key: [u8; 32] = from_base64url(jwk.get("x")?.as_str()?)?.try_into().ok()?;
    let is_usable = is("kty", "OKP", false) && is("crv", "Ed25519", false) && is("use", "sig", true) && is("alg", "EdDSA", true) && is_trustworthy(&key);
    is_usable.then(|| VerifyKey { kid: jwk.get("kid").and_then(Value::as_str).map(String::from), key: VerifyingKey::from_bytes(&key).ok() })
}

/// The JWKs of a PEM or a JWK set.
fn jwks_of(source: &str) -> Vec<Value> {
    let compact = without_white_space(source);
    if let Some(key) = compact.strip_prefix(PEM.0).and_then(|rest| rest.strip_suffix(PEM.1)) {
        return vec![json!({ "kty": "OKP", "crv": "Ed25519", "x": key.replace('+', "-").replace('/', "_") })];
    }
    match parse_object(source.as_bytes()).and_then(|mut set| set.remove("keys")) {
        Some(Value::Array(jwks)) => jwks,
        _ => Vec::new(),
    }
}

/// The keys of PEMs and JWK sets. Keys of a set that are not Ed25519 signature keys are left out.
pub(crate) fn verify_keys(sources: &[String]) -> Result<Vec<VerifyKey>, InvalidOption> {
    let mut keys = Vec::new();
    for source in sources {
        let before = keys.len();
        keys.extend(jwks_of(source).iter().filter_map(from_jwk));
        if keys.len() == before {
            return Err(InvalidOption("public_keys"));
        }
    }
    if keys.is_empty() {
        return Err(InvalidOption("public_keys"));
    }
    Ok(keys)
}

impl VerifyKey {
    /// Whether this key has signed the content.
    pub(crate) fn verifies(&self, content: &[u8], signature: &[u8]) -> bool {
        let (Some(key), Ok(bytes)) = (&self.key, <[u8; 64]>::try_from(signature)) else { return false };
        // RFC 8032, section 5.1.7: S must be below the group's order. Otherwise a signature would have a second valid form.
        let is_reduced = to_hex(&big_endian(&bytes[32..])).as_str() < GROUP_ORDER;
        is_reduced && key.verify(content, &Signature::from_bytes(&bytes)).is_ok()
    }
}
