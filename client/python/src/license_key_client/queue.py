"""Keeps amounts that could not be sent yet. Every amount is stored before it is sent, and removed after the service has
responded. After a crash in between, it is sent again with the same id, and the service counts it once."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from typing import Any, Callable, Dict, Iterator, List, Literal, Optional, Tuple

from .cache import Cache
from .state import DroppedAmount, Pending, PendingAmount
from .strict_json import MAX_INTEGER, is_filled, is_integer, parse_object
from .timestamp import to_datetime

_VERSION = 1
#: Maximum number of waiting amounts.
_MAX_ENTRIES = 1000
#: Maximum number of reported amounts that were dropped.
_MAX_DROPPED = 100
#: The service remembers an id for 30 days. An amount whose first attempt is this long ago (ms) could be counted twice, so
#: it is dropped.
MAX_AGE_MS = 29 * 86_400_000


@dataclass(frozen=True)
class Entry:
    """A stored amount."""

    id: str
    meter: str
    amount: int
    #: When the app consumed the amount, in epoch milliseconds.
    at: int
    #: The key that was held at that time.
    key: str
    #: The id of the license that was held at that time, if its token was known. With a later key of this license the
    #: amount is sent too.
    license: Optional[str] = None


@dataclass(frozen=True)
class Dropped:
    """An amount that was dropped, and why."""

    id: str
    meter: str
    amount: int
    at: int
    reason: str


#: What was done with an amount. ``first`` and ``behind``: it is stored, and ``behind`` says that older amounts wait.
#: ``mismatch``: another meter or amount waits with the same id.
Place = Literal["first", "behind", "full", "mismatch", "not_stored"]


@dataclass(frozen=True)
class _Content:
    """The stored data. Both lists have the oldest entry first."""

    entries: Tuple[Entry, ...]
    dropped: Tuple[Dropped, ...]


def _is_amount(value: Any) -> bool:
    if not isinstance(value, dict) or not is_filled(value.get("id")) or not is_filled(value.get("meter")):
        return False
    return all(is_integer(value.get(name)) and abs(value[name]) <= MAX_INTEGER for name in ("amount", "at"))


def _parse(text: str) -> _Content:
    """Reads the stored text. Whatever has another form is ignored."""
    stored = parse_object(text)
    if stored is None or isinstance(stored.get("v"), bool) or stored.get("v") != _VERSION:
        stored = {}

    def amounts(name: str) -> Iterator[Dict[str, Any]]:
        found: Any = stored.get(name)
        return filter(_is_amount, found if isinstance(found, list) else [])

    entries = tuple(
        Entry(entry["id"], entry["meter"], entry["amount"], entry["at"], entry["key"], entry.get("license"))
        for entry in amounts("entries")
        if is_filled(entry.get("key")) and ("license" not in entry or is_filled(entry["license"]))
    )
    dropped = tuple(Dropped(entry["id"], entry["meter"], entry["amount"], entry["at"], entry["reason"]) for entry in amounts("dropped") if is_filled(entry.get("reason")))
    return _Content(entries, dropped)


def _write(entries: Tuple[Entry, ...], dropped: Tuple[Dropped, ...]) -> str:
    stored = [{name: value for name, value in asdict(entry).items() if value is not None} for entry in entries]
    return json.dumps({"v": _VERSION, "entries": stored, "dropped": [asdict(entry) for entry in dropped]}, separators=(",", ":"))


class Queue:
    """The stored amounts of this device. No method raises."""

    def __init__(self, cache: Cache) -> None:
        self._cache = cache
        #: Amounts that this process has settled. If their removal can't be stored, they are still not sent again.
        self._settled: Dict[str, Optional[Dropped]] = {}

    def add(self, entry: Entry) -> Place:
        """Stores an amount at the end. An amount with the id of a waiting one is that one."""
        place: Place = "not_stored"

        def append(entries: Tuple[Entry, ...]) -> Optional[Tuple[Entry, ...]]:
            nonlocal place
            same = next((other for other in entries if other.id == entry.id), None)
            if same is not None and (same.meter, same.amount) != (entry.meter, entry.amount):
                place = "mismatch"
                return None
            if same is None and len(entries) >= _MAX_ENTRIES:
                place = "full"
                return None
            place = "first" if not entries or entries[0].id == entry.id else "behind"
            return entries if same else (*entries, entry)

        return place if self._change(append) or place in ("full", "mismatch") else "not_stored"

    def entries(self) -> Tuple[Entry, ...]:
        """The waiting amounts; empty if they can't be read."""
        text = self._cache.read_text()
        return () if text is None else self._current(text).entries

    def settle(self, entry: Entry, reason: Optional[str] = None) -> None:
        """Removes an amount for which the service has responded. With a `reason` it was dropped, and is reported."""
        self._settled[entry.id] = None if reason is None else Dropped(entry.id, entry.meter, entry.amount, entry.at, reason)
        self._change(lambda entries: entries)

    def correct_time(self, entry: Entry, at: int) -> None:
        """Counts the age of an amount from `at`."""
        self._change(lambda entries: tuple(replace(other, at=at) if other.id == entry.id else other for other in entries))

    def report(self) -> Optional[Pending]:
        """What waits and what was dropped; None if it can't be read."""
        text = self._cache.read_text()
        if text is None:
            return None
        content = self._current(text)
        return Pending(
            tuple(PendingAmount(entry.id, entry.meter, entry.amount, to_datetime(entry.at)) for entry in content.entries),
            tuple(DroppedAmount(entry.id, entry.meter, entry.amount, to_datetime(entry.at), entry.reason) for entry in content.dropped),
        )

    def _current(self, text: str) -> _Content:
        stored, settled = _parse(text), dict(self._settled)
        fresh = (settled.get(entry.id) for entry in stored.entries)
        dropped = (*stored.dropped, *(entry for entry in fresh if entry is not None))
        return _Content(tuple(entry for entry in stored.entries if entry.id not in settled), dropped[-_MAX_DROPPED:])

    def _change(self, make: Callable[[Tuple[Entry, ...]], Optional[Tuple[Entry, ...]]]) -> bool:
        """Returns whether the change is stored."""
        written: List[str] = []

        def change(text: str) -> Optional[str]:
            content = self._current(text)
            entries = make(content.entries)
            written[:] = self._settled
            return None if entries is None else _write(entries, content.dropped)

        is_stored = self._cache.change_text(change)
        if is_stored:
            for id in written:
                self._settled.pop(id, None)
        return is_stored
