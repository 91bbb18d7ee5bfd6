"""Reads JSON and base64url by the same strict rules as every client of the service, so that a text has one meaning
in all languages."""

from __future__ import annotations

import base64
import binascii
import json
import math
import re
from typing import Any, Dict, Optional

JsonObject = Dict[str, Any]

#: Maximum nesting of accepted JSON; the outermost object is level 1. A fixed limit makes clients in all languages
#: accept the same texts.
MAX_LEVELS = 32

#: The largest integer that every language represents exactly.
MAX_INTEGER = 2**53 - 1

#: The characters that ECMAScript's `trim` removes, so that every client sends and compares the same texts.
WHITE_SPACE = "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"

_BASE64URL = re.compile(r"[A-Za-z0-9_-]*")
_ANY_WHITE_SPACE = re.compile(f"[{WHITE_SPACE}]+")


def trim(text: str) -> str:
    return text.strip(WHITE_SPACE)


def without_white_space(text: str) -> str:
    return _ANY_WHITE_SPACE.sub("", text)


def from_base64url(text: str) -> Optional[bytes]:
    """Decodes base64url (RFC 7515, section 2) without padding, other characters or nonzero unused bits; None for
    anything else."""
    if not _BASE64URL.fullmatch(text) or len(text) % 4 == 1:
        return None
    try:
        data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except binascii.Error:
        return None
    return data if to_base64url(data) == text else None


def to_base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


def _number(text: str) -> Any:
    """A number with the precision of a double; an integer if a double represents it exactly."""
    value = float(text)
    return int(value) if math.isfinite(value) and value.is_integer() and abs(value) <= MAX_INTEGER else value


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not JSON")


def _is_nested_deeper(value: Any, levels: int) -> bool:
    if not isinstance(value, (dict, list)):
        return False
    inner = value.values() if isinstance(value, dict) else value
    return levels == 0 or any(_is_nested_deeper(item, levels - 1) for item in inner)


def _parse(text: str) -> Any:
    try:
        # Byte order marks are ignored (RFC 8259, section 8.1).
        value = json.loads(text.lstrip("\ufeff"), parse_int=_number, parse_float=_number, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None
    return None if _is_nested_deeper(value, MAX_LEVELS) else value


def parse_object(text: str) -> Optional[JsonObject]:
    """The JSON object in a text; None if the text is anything else or is nested too deeply."""
    value = _parse(text)
    return value if isinstance(value, dict) else None


def decode_json(data: Optional[bytes]) -> Any:
    """The JSON value in UTF-8 bytes; None if they contain anything else, or if the value is nested too deeply."""
    try:
        return None if data is None else _parse(data.decode("utf-8"))
    except UnicodeDecodeError:
        return None


def decode_object(data: Optional[bytes]) -> Optional[JsonObject]:
    """The JSON object in UTF-8 bytes; None if they contain anything else."""
    value = decode_json(data)
    return value if isinstance(value, dict) else None


def is_text(value: Any) -> bool:
    return isinstance(value, str)


def is_filled(value: Any) -> bool:
    """Whether a value is a text that isn't empty."""
    return isinstance(value, str) and value != ""


def is_time(value: Any) -> bool:
    """Whether a value is a finite number. A bool is not a number here."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def is_count(value: Any) -> bool:
    return is_integer(value) and value >= 0
