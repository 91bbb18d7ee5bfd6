"""What a client stores between starts. The field names are those of the stored JSON, which clients in other
languages also read."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, fields
from typing import Any, Callable, Dict, Literal, Optional, Tuple

from .refusals import is_status_name
from .state import Seats
from .strict_json import is_count, is_filled, is_time, parse_object
from .timestamp import Milliseconds

_VERSION = 1
#: Maximum number of stored keys whose seats must still be freed. If there are more keys, the oldest ones are dropped.
_MAX_RELEASES = 10

DeviceKind = Literal["machine", "random"]


@dataclass(frozen=True)
class Record:
    #: The key with which this device was activated.
    key: Optional[str] = None
    #: The newest offline token.
    token: Optional[str] = None
    #: The latest time that the client has seen, on its clock or in a response of the service, in epoch milliseconds.
    seen: Optional[Milliseconds] = None
    #: The name of the refusal, if the service's last response refused the key.
    refused: Optional[str] = None
    #: The kind of id with which the seat was taken: a fingerprint of the machine, or the stored random id.
    device: Optional[DeviceKind] = None
    #: The license type's name.
    type_name: Optional[str] = None
    seats: Optional[Seats] = None
    #: True after the client has verified a signed refusal, which shows that this service signs its refusals.
    verdicts: Optional[Literal[True]] = None
    #: Keys that were replaced by another key, and whose seats must still be freed.
    release: Optional[Tuple[str, ...]] = None


def parse_seats(value: Any) -> Optional[Seats]:
    """The number of used seats and their maximum, from a response or a record; None if the value has another form."""
    is_whole = isinstance(value, dict) and is_count(value.get("used")) and is_count(value.get("max"))
    return Seats(value["used"], value["max"]) if is_whole else None


def _text(value: Any) -> Optional[str]:
    return value if is_filled(value) else None


#: A damaged token may contain characters that no header can contain. The request that replaces it could then not be sent.
_TOKEN = re.compile(r"[A-Za-z0-9_.-]{1,8192}")


def _token(value: Any) -> Optional[str]:
    return value if isinstance(value, str) and _TOKEN.fullmatch(value) else None


def _release(value: Any) -> Optional[Tuple[str, ...]]:
    is_list = isinstance(value, list) and len(value) > 0 and all(map(is_filled, value))
    return tuple(value) if is_list else None


_PARSERS: Dict[str, Callable[[Any], Any]] = {
    "key": _text,
    "token": _token,
    "seen": lambda value: value if is_time(value) else None,
    "refused": lambda value: value if is_status_name(value) else None,
    "device": lambda value: value if value in ("machine", "random") else None,
    "type_name": _text,
    "seats": parse_seats,
    "verdicts": lambda value: True if value is True else None,
    "release": _release,
}


def parse_record(text: str) -> Record:
    """Reads a stored record. A damaged field is left out; the result is empty if the text is not a JSON object, or if
    the record's version (``v``) is not 1."""
    stored = parse_object(text)
    version = None if stored is None else stored.get("v")
    if stored is None or isinstance(version, bool) or version != _VERSION:
        return Record()
    return Record(**{name: parse(stored.get(name)) for name, parse in _PARSERS.items()})


def write_record(record: Record) -> str:
    stored: Dict[str, Any] = {"v": _VERSION}
    for field in fields(record):
        value = getattr(record, field.name)
        if value is not None:
            stored[field.name] = vars(value) if isinstance(value, Seats) else value
    return json.dumps(stored, separators=(",", ":"))


def emptied(record: Record, seen: Milliseconds) -> Record:
    """The fields that stay in a record after the license is removed. They do not grant a license and do not
    contain its key."""
    return Record(seen=seen, device="machine" if record.device == "machine" else None, verdicts=record.verdicts, release=record.release)


def is_same_activation(one: Record, other: Record) -> bool:
    """Whether two records contain the same activation, which means the same key and the same token."""
    return (one.key, one.token) == (other.key, other.token)


#: ASCII letters, and all characters outside ASCII whose upper case consists of ASCII letters.
_KEY_LETTERS = re.compile("[a-z\u00df\u0131\u017f\ufb00-\ufb06]")


def is_same_key(held: str, typed: str) -> bool:
    """Compares keys as a person may type them: only letters and digits count, without their case. In keys of the
    service's own format ``O`` equals ``0``, and ``I`` and ``L`` equal ``1``."""

    def plain(key: str) -> str:
        return re.sub(r"[^0-9A-Z]", "", _KEY_LETTERS.sub(lambda letter: letter[0].upper(), key))

    def mapped(key: str) -> str:
        return plain(key).translate(str.maketrans("OIL", "011"))

    return mapped(held) == mapped(typed) if len(plain(held)) == 25 else plain(held) == plain(typed)


def with_release(release: Optional[Tuple[str, ...]], replaced: Optional[str], key: Optional[str]) -> Optional[Tuple[str, ...]]:
    """Adds the replaced key to the keys whose seats must be freed, and removes the current key from them."""
    noted = dict.fromkeys((*(release or ()), *(() if replaced is None else (replaced,))))
    keys = [other for other in noted if key is None or not is_same_key(key, other)]
    return tuple(keys[-_MAX_RELEASES:]) or None
