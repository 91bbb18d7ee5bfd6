"""Verifies compact JWS (RFC 7515) with EdDSA over Ed25519 (RFC 8037), the form in which the service signs tokens and
verdicts."""

from __future__ import annotations

from typing import Sequence, Union

from .keys import VerifyKey
from .strict_json import JsonObject, decode_object, from_base64url

#: Maximum length of an accepted token, in characters; a longer one is not parsed.
_MAX_LENGTH = 8192


def open_jws(keys: Sequence[VerifyKey], text: str, typ: str) -> Union[JsonObject, str]:
    """The claims of a JWS that one of the keys has signed.

    :returns: the claims, or the name of the first check that fails: ``malformed`` (not a compact JWS of JSON objects),
        ``algorithm`` (not EdDSA), ``type`` (the header's type is not `typ`), ``critical`` (the header requires an
        extension) or ``signature``
    """
    parts = [] if len(text) > _MAX_LENGTH else text.split(".")
    if len(parts) != 3:
        return "malformed"
    header, claims, signature = decode_object(from_base64url(parts[0])), decode_object(from_base64url(parts[1])), from_base64url(parts[2])
    if header is None or claims is None or signature is None:
        return "malformed"
    # The client chooses the algorithm, and uses only the given keys. A token can't choose another algorithm, and a key
    # within the token is never used.
    if header.get("alg") != "EdDSA":
        return "algorithm"
    if header.get("typ") != typ:
        return "type"
    if "crit" in header:
        return "critical"
    content = f"{parts[0]}.{parts[1]}".encode("ascii")
    named = "kid" in header
    for key in keys:
        may_have_signed = not named or key.kid is None or key.kid == header["kid"]
        if may_have_signed and key.verifies(content, signature):
            return claims
    return "signature"
