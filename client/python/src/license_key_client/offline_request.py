"""The request of a device without a network. The device's user gives the request to the operator on paper, in a file or
as a QR code."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Optional

from .strict_json import decode_object, from_base64url, is_integer, to_base64url, without_white_space

_PREFIX = "LKS1-REQUEST."


@dataclass(frozen=True)
class OfflineRequest:
    #: The product's id.
    product: int
    key: str
    fingerprint: str
    name: Optional[str] = None
    platform: Optional[str] = None


def write_offline_request(request: OfflineRequest) -> str:
    """The request as one line of ASCII: ``LKS1-REQUEST.`` and base64url of a JSON object."""
    fields = {name: value for name, value in vars(request).items() if value is not None}
    return _PREFIX + to_base64url(json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode("utf-8"))


def read_offline_request(text: str) -> Optional[OfflineRequest]:
    """Reads an offline request, for tools of the operator. White space anywhere is ignored. Returns None if the text is
    not a request."""
    compact = without_white_space(text)
    found = decode_object(from_base64url(compact[len(_PREFIX) :])) if compact.startswith(_PREFIX) else None
    if found is None or not is_integer(found.get("product")):
        return None
    if not isinstance(found.get("key"), str) or not isinstance(found.get("fingerprint"), str):
        return None
    name, platform = (value if isinstance(value, str) else None for value in (found.get("name"), found.get("platform")))
    return OfflineRequest(found["product"], found["key"], found["fingerprint"], name, platform)
