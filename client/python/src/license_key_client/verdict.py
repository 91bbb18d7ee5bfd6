"""Verifies verdicts: refusals that the service signs and sends in the response header ``X-Svc-Verdict``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Sequence, Union

from .jws import open_jws
from .keys import VerifyKey
from .refusals import is_status_name
from .timestamp import is_numeric_date
from .token import TOKEN_ISSUER


@dataclass(frozen=True)
class VerdictExpectation:
    #: The product's slug, from the app's options or from the current token. If it is None, it is not compared.
    audience: Optional[str]
    #: The current license's id, as in the token's ``sub``; not compared if there is no token.
    license_id: Optional[str]
    #: The fingerprint of this device in its canonical form.
    fingerprint: str
    #: The ``iat`` of the current token, if there is one. A verdict that is older than the token no longer applies.
    token_issued_at: Union[int, float, None]


@dataclass(frozen=True)
class Verdict:
    status: str
    #: When the verdict was signed, in seconds since 1970.
    issued_at: Union[int, float]


def verify_verdict(keys: Sequence[VerifyKey], verdict: str, expected: VerdictExpectation) -> Union[Verdict, str]:
    """Verifies a verdict in a response to a request of this client. The verdict's times are not compared with this
    device's clock, because a revoked license must not stay valid on a device with a wrong clock.

    :returns: the verdict, or the name of the first check that fails
    """
    opened = open_jws(keys, verdict, "verdict+jwt")
    if isinstance(opened, str):
        return opened
    texts = [opened.get(name) for name in ("iss", "aud", "sub", "fingerprint")]
    iss, aud, sub, fingerprint = texts
    status, iat = opened.get("status"), opened.get("iat")
    if not all(isinstance(text, str) for text in texts) or not is_status_name(status) or not is_numeric_date(iat):
        return "claims"
    if iss != TOKEN_ISSUER:
        return "issuer"
    if expected.audience not in (None, aud):
        return "audience"
    if expected.license_id not in (None, sub):
        return "license"
    if fingerprint != expected.fingerprint:
        return "fingerprint"
    if opened["iat"] < (expected.token_issued_at or 0):
        return "older_than_token"
    return Verdict(opened["status"], opened["iat"])
