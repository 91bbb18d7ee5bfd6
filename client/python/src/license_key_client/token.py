"""Verifies offline tokens without a network."""

from __future__ import annotations

import math
import re
import time
from dataclasses import dataclass, field
from typing import Any, Callable, Mapping, Optional, Sequence, Tuple, Union

from .jws import open_jws
from .keys import PublicKey, VerifyKey, verify_keys
from .strict_json import MAX_INTEGER, JsonObject, is_count, is_text, is_time, trim
from .timestamp import Milliseconds, is_numeric_date, parse_timestamp

#: Maximum tolerated difference between a device's clock and the service's clock, in milliseconds.
CLOCK_SKEW_MS = 300_000

#: How far a device's clock may be behind the latest time seen, in milliseconds. A day is allowed, because a wrong time
#: zone can set a clock back by several hours, and wrong time zones are more common than clocks that were set back on
#: purpose.
CLOCK_BEHIND_MS = 86_400_000

#: The issuer in all tokens and verdicts of the service.
TOKEN_ISSUER = "license-key-service"

_LICENSE_ID = re.compile(r"[1-9][0-9]{0,15}")
_HEX = re.compile(r"[0-9a-fA-F]+")


@dataclass(frozen=True)
class TokenClaims:
    """The claims of a token. Times are seconds since 1970 (RFC 7519, "NumericDate")."""

    #: The product's slug.
    aud: str
    #: The license's id.
    sub: str
    iat: Union[int, float]
    exp: Union[int, float]
    nbf: Union[int, float]
    #: The fingerprint of the device to which the token is bound; None in a token that is bound to no device.
    fingerprint: Optional[str]
    kind: str
    features: Tuple[str, ...]
    #: When the license expires, in epoch milliseconds; infinite if it never expires.
    license_end: Milliseconds
    #: The last release date that the license covers, in epoch milliseconds; None if it covers releases of any date.
    updates_until: Optional[Milliseconds] = None
    #: The highest major version that the license covers; None if it covers every major version.
    max_major: Optional[int] = None
    #: When the lease of the device's seat ends, in epoch milliseconds; None if the seat has no lease.
    lease_end: Optional[Milliseconds] = None
    #: True if the service signs its refusals. In that case an unsigned refusal does not end the license.
    verdicts: bool = False
    #: The limits that were bought, by name.
    limits: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Verification:
    """The result of verifying a token.

    ``problem`` is None for a valid token. Otherwise it is the name of the first check that fails: ``malformed``,
    ``algorithm``, ``type``, ``critical``, ``signature``, ``claims``, ``issuer``, ``audience``, ``fingerprint`` (the
    token is bound to another device), ``unbound`` (the token is bound to no device, and such tokens are not allowed),
    ``from_the_future`` or ``expired``.
    """

    problem: Optional[str]
    #: The claims, if all checks except ``from_the_future`` and ``expired`` have passed; otherwise None.
    claims: Optional[TokenClaims] = None


@dataclass(frozen=True)
class Expectation:
    """The expected values of a token's claims, except the times."""

    #: This device's fingerprint.
    fingerprint: str
    #: The product's slug; not compared if it is None.
    audience: Optional[str] = None
    #: Whether a token that is bound to no device is accepted.
    allow_unbound_tokens: bool = False


def canonical_fingerprint(fingerprint: str) -> str:
    """Converts a fingerprint to the form in which it is compared. A hex string is converted to lower case, as in
    the service."""
    trimmed = trim(fingerprint)
    return trimmed.lower() if _HEX.fullmatch(trimmed) else trimmed


def _claims_of(claims: JsonObject) -> Optional[TokenClaims]:
    get = claims.get
    sub: Any = get("sub")
    end, features, limits, nbf = get("license_expires_at", 0), get("features", []), get("limits", {}), get("nbf", 0)
    license_end = math.inf if end is None else parse_timestamp(end)
    updates, lease, major = get("updates_until"), get("lease_expires_at"), get("max_major")
    updates_until, lease_end = parse_timestamp(updates), parse_timestamp(lease)
    is_whole = (
        all(map(is_text, (sub, get("iss"), get("aud"), get("kind"), get("fingerprint", ""))))
        and all(map(is_numeric_date, (get("iat"), get("exp"), nbf)))
        and _LICENSE_ID.fullmatch(sub)
        and int(sub) <= MAX_INTEGER
        and isinstance(features, list)
        and all(map(is_text, features))
        and isinstance(limits, dict)
        and all(map(is_count, limits.values()))
    )
    is_damaged = (updates is not None and updates_until is None) or (lease is not None and lease_end is None) or ("max_major" in claims and not is_count(major))
    if not is_whole or license_end is None or is_damaged:
        return None
    return TokenClaims(claims["aud"], sub, claims["iat"], claims["exp"], nbf, get("fingerprint"), claims["kind"], tuple(features), license_end, updates_until, major, lease_end, get("verdicts") is True, limits)


def verify_with(keys: Sequence[VerifyKey], token: str, expected: Expectation, time_of: Callable[[TokenClaims], Milliseconds]) -> Verification:
    """Verifies a token. `time_of` returns the time of the verification (epoch ms), which may depend on the token's
    claims."""
    opened = open_jws(keys, token, "JWT")
    if isinstance(opened, str):
        return Verification(opened)
    claims = _claims_of(opened)
    if claims is None:
        return Verification("claims")
    if opened["iss"] != TOKEN_ISSUER:
        return Verification("issuer")
    if expected.audience is not None and claims.aud != expected.audience:
        return Verification("audience")
    if claims.fingerprint is None:
        if not expected.allow_unbound_tokens:
            return Verification("unbound")
    elif claims.fingerprint != canonical_fingerprint(expected.fingerprint):
        return Verification("fingerprint")
    now = time_of(claims)
    if max(claims.iat, claims.nbf) * 1000 > now + CLOCK_SKEW_MS:
        return Verification("from_the_future", claims)
    return Verification("expired" if now >= claims.exp * 1000 + CLOCK_SKEW_MS else None, claims)


def verify_token(
    token: str, *, public_key: PublicKey, fingerprint: str, audience: Optional[str] = None, allow_unbound_tokens: bool = False, now: Optional[float] = None
) -> Verification:
    """Verifies an offline token: form, signature, issuer, audience, fingerprint and times, with a tolerance of five
    minutes.

    :param now: seconds since 1970; default: now
    :raises ValueError: only for an invalid public key or time
    """
    moment = time.time() if now is None else now
    if not is_time(moment):
        raise ValueError("now is not a time in seconds since 1970")
    return verify_with(verify_keys(public_key), token, Expectation(fingerprint, audience, allow_unbound_tokens), lambda _: moment * 1000)
