"""Determines what the cached token proves on a device at a given time. The functions implement the rules for
working offline. They use neither network nor storage."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Callable, Literal, Optional, Sequence, Union

from .device import Device
from .keys import VerifyKey
from .record import Record
from .refusals import refusal_state
from .state import Fault, License, Licensed, LicenseState, LicenseType, OfflineWithoutToken, Refusal, Unbound, Updates
from .timestamp import Milliseconds, to_datetime
from .token import CLOCK_BEHIND_MS, CLOCK_SKEW_MS, Expectation, TokenClaims, verify_with


@dataclass(frozen=True)
class Rules:
    """The app's settings that extend what a token allows."""

    keys: Sequence[VerifyKey]
    audience: Optional[str]
    allow_unbound_tokens: bool
    grace_ms: Milliseconds

    def expectation(self, fingerprint: str) -> Expectation:
        return Expectation(fingerprint, self.audience, self.allow_unbound_tokens)


@dataclass(frozen=True)
class Assessment:
    record: Record
    device: Union[Device, Fault]
    #: This device's clock, in epoch milliseconds.
    now: int
    #: The latest time that is known to have passed, in epoch milliseconds.
    time: Milliseconds
    #: Why the token is not accepted; None if it is accepted.
    problem: Optional[str]
    #: The token's claims, if the token is for this product and this device, even if it has expired.
    claims: Optional[TokenClaims] = None


def assess(
    rules: Rules,
    record: Record,
    device: Union[Device, Fault],
    now: int,
    other: Optional[str] = None,
    time_of: Optional[Callable[[TokenClaims], Milliseconds]] = None,
) -> Assessment:
    """Verifies the token of a record, or another token, and returns what it proves on this device.

    :param other: the token to verify; default: the token of the record
    :param time_of: computes, from the token's claims, the time at which the token is verified; default: `now` or the
        record's ``seen``, whichever is later
    """
    token = record.token if other is None else other
    time = now if record.seen is None else max(now, record.seen)
    if isinstance(device, Fault):
        return Assessment(record, device, now, time, "storage_failed" if device.kind == "storage" else "device_unknown")
    if token is None:
        return Assessment(record, device, now, time, "no_token")
    verified = verify_with(rules.keys, token, rules.expectation(device.id), lambda claims: time if time_of is None else time_of(claims))
    if time_of is not None and verified.claims is not None:
        time = time_of(verified.claims)
    # If the clock is more than a day behind a time that is known to have passed, it can't show whether the token has
    # expired.
    is_rolled_back = verified.claims is not None and now < time - CLOCK_BEHIND_MS
    return Assessment(record, device, now, time, "clock_rolled_back" if is_rolled_back else verified.problem, verified.claims)


def token_end(claims: TokenClaims) -> Milliseconds:
    return claims.exp * 1000


def _grace_end(claims: TokenClaims, rules: Rules) -> Milliseconds:
    """Grace starts at the token's ``exp``, without the clock tolerance, and ends no later than the license. A leased
    seat has no grace, because another device may take the seat when the lease has ended."""
    return 0 if claims.lease_end is not None else min(token_end(claims) + rules.grace_ms, claims.license_end)


def refresh_time(claims: TokenClaims) -> Milliseconds:
    """The time at which a token is due to be refreshed in the background: after half of the token's lifetime. A token
    expires no later than the seat's lease, so the refresh is due before the lease ends."""
    return (claims.iat + claims.exp) / 2 * 1000


def may_still_count(assessment: Assessment, rules: Rules) -> bool:
    """Whether the token may license this device, now or after the clock is corrected. If not, the device has no
    license that must be protected from a forged refusal."""
    claims = assessment.claims
    return claims is not None and assessment.time < max(token_end(claims) + CLOCK_SKEW_MS, _grace_end(claims, rules))


def licensed_state(
    source: Literal["cache", "network", "grace"], claims: TokenClaims, record: Record, fault: Optional[Fault] = None, until: Optional[Milliseconds] = None
) -> Licensed:
    """The state of a device that is licensed by a token."""
    return Licensed(
        source=source,
        license=License(int(claims.sub), LicenseType(record.type_name, claims.kind), None if math.isinf(claims.license_end) else to_datetime(claims.license_end)),
        features=claims.features,
        limits=claims.limits,
        updates=Updates(None if claims.updates_until is None else to_datetime(claims.updates_until), claims.max_major),
        seats=record.seats,
        lease_expires_at=None if claims.lease_end is None else to_datetime(claims.lease_end),
        offline_until=to_datetime(token_end(claims) if until is None else until),
        fault=fault,
    )


def state_from_cache(assessment: Assessment, rules: Rules, fault: Optional[Fault] = None) -> LicenseState:
    """The state of this device if there is no new decision from the service. `fault` is the fault that prevented a
    decision; None if there was no fault."""
    record, claims, problem = assessment.record, assessment.claims, assessment.problem
    if problem is None and claims is not None:
        return licensed_state("cache", claims, record, fault)
    if record.refused is not None:
        return refusal_state(record.refused, key=record.key, seats=record.seats)
    if problem == "expired" and claims is not None:
        until = _grace_end(claims, rules)
        if assessment.time >= claims.license_end:
            return Refusal("expired")
        if assessment.time < until:
            return licensed_state("grace", claims, record, fault, until)
    if problem == "no_token" and record.key is None and fault is None:
        return Unbound()
    device_fault = assessment.device if isinstance(assessment.device, Fault) else None
    return offline_state(assessment, fault or device_fault)


def offline_state(assessment: Assessment, fault: Optional[Fault]) -> OfflineWithoutToken:
    """The state of a device that has no accepted token, and for which the service gave no decision."""
    is_ahead = fault is not None and fault.kind == "clock"
    return OfflineWithoutToken("clock_ahead" if is_ahead else assessment.problem or "no_token", fault)
