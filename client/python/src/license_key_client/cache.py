"""The record and the random id in the app's storage."""

from __future__ import annotations

import re
import secrets
from typing import Callable, Optional, TypeVar

from .record import Record, parse_record, write_record
from .storage import Storage
from .waiting import Waiting

#: Called with what went wrong without consequence for the result, for logs.
Warn = Callable[[str, BaseException], None]

Value = TypeVar("Value")

_DEVICE_ID = re.compile(r"[\x21-\x7e]{8,128}")


def is_device_id(text: object) -> bool:
    """What the service accepts as a fingerprint: 8 to 128 printable ASCII characters without spaces."""
    return isinstance(text, str) and _DEVICE_ID.fullmatch(text) is not None


class Cache:
    """The storage rules: processes which share a storage see each other's changes; memory stands in while it can't be
    read, and for what it failed to take, which is written as soon as it can be. For one thread at a time.

    :param timeout: maximum time that one access may take, in seconds
    """

    def __init__(self, storage: Storage, name: str, timeout: float, warn: Warn) -> None:
        self._storage = storage
        self._name = name
        self._timeout = timeout
        self._warn = warn
        self._waiting = Waiting()
        self._current = Record()
        #: The text that was last read or written; None before.
        self._known: Optional[str] = None
        #: Memory is ahead of the storage: a write failed.
        self._is_ahead = False
        self._device_name = f"{name}.device"
        #: The random id, once it was read or made.
        self._device_id: Optional[str] = None

    def load(self) -> Record:
        """Never fails: if the record can't be read, that of this process counts."""
        text = self._attempt("read", lambda: self._storage.get(self._name) or "")
        if text is None:
            return self._current
        is_changed_elsewhere = self._known is not None and self._known != text
        if self._is_ahead and not is_changed_elsewhere:
            self._store()
            return self._current
        self._is_ahead = False
        self._known = text
        self._current = parse_record(text)
        return self._current

    def save(self, record: Record) -> None:
        """This process sees the record at once, whether it can be stored or not."""
        self._current = record
        self._store()

    def settle(self) -> None:
        """Tries once more to write what had failed."""
        if self._is_ahead:
            self._store()

    def random_id(self) -> str:
        """The random id of this device, made once.

        :raises Exception: what the storage raises, if the id may exist and can't be read
        """
        if self._device_id is not None:
            return self._device_id
        kept = self._access(lambda: self._storage.get(self._device_name))
        if not is_device_id(kept):
            made = secrets.token_hex(32)
            stored = self._attempt("written", lambda: self._create(made, kept))
            kept = stored if is_device_id(stored) else made
        self._device_id = kept
        return str(kept)

    def clear(self) -> None:
        """Deletes everything that is stored."""
        self._current = Record()
        self._is_ahead = False
        self._known = None
        self._device_id = None
        for name in (self._name, self._device_name):
            self._attempt("deleted", lambda name=name: self._storage.remove(name))  # type: ignore[misc]

    def _create(self, made: str, damaged: Optional[str]) -> Optional[str]:
        # What is damaged is replaced; what another process has stored meanwhile is kept.
        if not damaged:
            return self._storage.create(self._device_name, made)
        self._storage.set(self._device_name, made)
        return self._storage.get(self._device_name)

    def _store(self) -> None:
        text = write_record(self._current)
        self._is_ahead = True

        def write() -> bool:
            self._storage.set(self._name, text)
            return True

        if self._attempt("written", write):
            self._known = text
            self._is_ahead = False

    def _access(self, task: Callable[[], Value]) -> Value:
        return self._waiting.within(self._timeout, task)

    def _attempt(self, what: str, task: Callable[[], Value]) -> Optional[Value]:
        """None if the storage failed."""
        try:
            return self._access(task)
        except Exception as error:
            self._warn(f"The license cache was not {what}", error)
            return None
