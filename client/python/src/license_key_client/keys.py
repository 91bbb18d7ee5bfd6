"""A product's public keys."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, List, Mapping, Optional, Sequence, Union

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from .strict_json import from_base64url, without_white_space

#: The product's ``public_key`` as PEM, or its JWK set.
KeySource = Union[str, Mapping[str, Any]]
#: One key, several keys, or a JWK set. Every given key is trusted, so that the service's signing key can be rotated.
PublicKey = Union[KeySource, Sequence[KeySource]]

_SIGNATURE_BYTES = 64
#: Order of the Ed25519 group (RFC 8032, section 5.1).
_GROUP_ORDER = 2**252 + 27742317777372353535851937790883648493
_FIELD_PRIME = 2**255 - 19
#: The y-coordinates of the points of small order. A public key must not be such a point, because anybody could forge
#: signatures for this key.
_SMALL_ORDER = (
    0,
    1,
    2**255 - 20,
    0x05FC536D880238B13933C6D305ACDFD5F098EFF289F4C345B027B2C28F95E826,
    0x7A03AC9277FDC74EC6CC392CFA53202A0F67100D760B3CBA4FD84D3D706A17C7,
)

#: SubjectPublicKeyInfo of an Ed25519 key (RFC 8410) as PEM without white space. The 12 bytes before the key are always
#: the same, and so are the first 16 base64 characters.
_PEM = re.compile(r"-----BEGINPUBLICKEY-----MCowBQYDK2VwAyEA([A-Za-z0-9+/]{43})=-----ENDPUBLICKEY-----")


@dataclass(frozen=True)
class VerifyKey:
    """A key that may have signed a token."""

    #: The key's id; None for a key that is tried for every token, regardless of the key id in the token.
    kid: Optional[str]
    _key: Ed25519PublicKey

    def verifies(self, content: bytes, signature: bytes) -> bool:
        if len(signature) != _SIGNATURE_BYTES or int.from_bytes(signature[32:], "little") >= _GROUP_ORDER:
            return False
        try:
            self._key.verify(signature, content)
        except InvalidSignature:
            return False
        return True


def _is_trustworthy(key: bytes) -> bool:
    coordinate = int.from_bytes(key, "little") & (2**255 - 1)
    return len(key) == 32 and coordinate < _FIELD_PRIME and coordinate not in _SMALL_ORDER


def _from_jwk(jwk: Any) -> Optional[VerifyKey]:
    if not isinstance(jwk, Mapping):
        return None
    x, kid = jwk.get("x"), jwk.get("kid")
    key = from_base64url(x) if isinstance(x, str) else None
    is_signature_key = (jwk.get("kty"), jwk.get("crv"), jwk.get("use", "sig"), jwk.get("alg", "EdDSA")) == ("OKP", "Ed25519", "sig", "EdDSA")
    if not is_signature_key or key is None or not _is_trustworthy(key):
        return None
    return VerifyKey(kid if isinstance(kid, str) else None, Ed25519PublicKey.from_public_bytes(key))


def _jwks_of(source: KeySource) -> Sequence[Any]:
    if not isinstance(source, str):
        keys = source.get("keys") if isinstance(source, Mapping) else None
        return keys if isinstance(keys, (list, tuple)) else ()
    match = _PEM.fullmatch(without_white_space(source))
    return [{"kty": "OKP", "crv": "Ed25519", "x": match[1].replace("+", "-").replace("/", "_")}] if match else ()


def verify_keys(public_key: PublicKey) -> List[VerifyKey]:
    """The keys of PEMs and JWK sets. Keys of a set that are not Ed25519 signature keys are left out.

    :raises ValueError: if a PEM is not an Ed25519 public key, or if a set has no usable key
    """
    sources: Sequence[KeySource] = [public_key] if isinstance(public_key, (str, Mapping)) else list(public_key)
    found: List[VerifyKey] = []
    for source in sources:
        keys = [key for key in map(_from_jwk, _jwks_of(source)) if key]
        if not keys:
            raise ValueError("public_key is not an Ed25519 key: neither PEM nor JWK set")
        found.extend(keys)
    if not found:
        raise ValueError("public_key is empty")
    return found
