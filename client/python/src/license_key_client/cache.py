"""Keeps the record (license key, token and related data) and this device's random id in the app's storage."""

from __future__ import annotations

import re
import secrets
import threading
import time
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Callable, Iterator, List, Literal, Optional, TypeVar

from .record import Record, is_same_key, parse_record, with_release, write_record
from .storage import Storage
from .waiting import EndedError, Waiting

#: Called with a message and an exception, for logs. The exception doesn't change the result of a call.
Warn = Callable[[str, BaseException], None]

#: Computes a changed record; None if the record stays unchanged, because it contains another activation than expected.
Make = Callable[[Record], Optional[Record]]

Value = TypeVar("Value")

#: Maximum number of attempts to store a text. On Windows a virus scanner may keep a file open for some time, so that the
#: file can't be replaced. With the default pause the attempts take about a second.
_WRITE_ATTEMPTS = 5

_DEVICE_ID = re.compile(r"[\x21-\x7e]{8,128}")


def is_device_id(text: object) -> bool:
    """The format of fingerprints that the service accepts: 8 to 128 printable ASCII characters without spaces."""
    return isinstance(text, str) and _DEVICE_ID.fullmatch(text) is not None


class Cache:
    """Reads and writes the record and the random id. Processes with the same storage see each other's changes. While
    the storage can't be read or written, the client uses its copy of the record in memory. This copy is written as
    soon as the storage works.

    :param timeout: maximum time for one access, in seconds
    :param pause: pause between two attempts to store a text, in seconds
    """

    def __init__(self, storage: Storage, name: str, timeout: float, pause: float, warn: Warn) -> None:
        self._storage = storage
        self._name = name
        self._timeout = timeout
        self._pause = pause
        self._warn = warn
        self.after_fork()
        self._current = Record()
        #: The stored text that was last read or written; None before the first access.
        self._known: Optional[str] = None
        #: True while memory is newer than the storage: a write is in progress, or has failed.
        self._is_ahead = False
        #: True if the last attempt to write the record in memory has failed.
        self._has_failed = False
        self._device_name = f"{name}.device"
        self._queue_name = f"{name}.queue"
        #: The random id, after it was read or created.
        self._device_id: Optional[str] = None

    def after_fork(self) -> None:
        """Creates new locks and thread state, because a forked process has none of its parent's threads."""
        self._waiting = Waiting()
        #: Locked while a change is written to the storage. If the storage takes longer than the time limit, `_changing`
        #: stays locked until the storage has finished. Later changes wait for the lock.
        self._changing = threading.Lock()
        #: Only one thread at a time works on the record. The lock is never taken during an access to the storage.
        self._guard = threading.Lock()

    def load(self) -> Optional[Record]:
        """Never fails. If the record can't be read, the copy in this process is used; None if this process has never
        read the record."""
        if self._known is None or not self._changing.locked():
            text = self._attempt("read", lambda: self._read(self._name))
            if text is not None:
                self._adopt(text)
                if self._is_ahead:
                    self._update(lambda: None)
        return None if self._known is None else self._current

    @property
    def is_stored(self) -> bool:
        """False while the last change is only in memory, because it could not be written."""
        return not (self._is_ahead and self._has_failed)

    def change(self, make: Make) -> Optional[Record]:
        """Computes a new record from the current one, atomically across processes. This process uses the new record
        even if it can't be stored.

        :returns: the new record. None if nothing was changed, because `make` returned None, or because this process has
            never read the record
        """
        made: List[Optional[Record]] = []

        def decide() -> None:
            with self._guard:
                if made:
                    return
                found = make(self._current)
                made.append(found)
                if found is not None:
                    self._is_ahead = True
                    self._current = found

        self._update(decide, _WRITE_ATTEMPTS)
        if self._known is not None:
            # The storage has failed or takes too long, so the change is made in memory.
            decide()
        return made[0] if made else None

    @contextmanager
    def exclusively(self, what: Literal["seat", "sending"], waiting: Waiting) -> Iterator[None]:
        """For the duration of a ``with`` block, holds the lock that keeps two processes from taking or freeing seats, or
        from sending stored amounts, at the same time. If the lock can't be taken in time, or if `waiting` is ended, the
        block runs without it. This is safe, because every change of the record checks the expected activation, and the
        service counts each amount once."""
        with ExitStack() as held:
            try:
                # The maximum wait for the lock is the time that two requests of another process may take, each
                # with two attempts.
                waiting.enter(5 * self._timeout, held, lambda: self._storage.lock(f"{self._name}.{what}"))
            except EndedError:
                pass
            except Exception as error:
                self._warn("The license cache was not locked", error)
            yield

    def read_text(self) -> Optional[str]:
        """The text of the queue of amounts; empty if there is none, None if it can't be read."""
        return self._attempt("read", lambda: self._read(self._queue_name))

    def change_text(self, make: Callable[[str], Optional[str]]) -> bool:
        """Replaces the text of the queue, atomically across processes. If `make` returns None, the text stays. Returns
        whether the text was replaced."""

        def task() -> bool:
            with self._storage.lock(self._queue_name):
                text = make(self._read(self._queue_name))
                if text is not None:
                    self._store(self._queue_name, text, _WRITE_ATTEMPTS)
                return text is not None

        return self._attempt("changed", task) is True

    def settle(self) -> None:
        """If the last write failed, tries to write once more."""
        if self._is_ahead:
            self._update(lambda: None)

    def random_id(self) -> str:
        """The random id of this device, which is created once.

        :raises Exception: the error of the storage, if a stored id may exist but can't be read, or if a new id
            can't be stored
        """
        if self._device_id is None:
            self._device_id = self._access(self._find_device_id)
        return self._device_id

    def clear(self, expected: Record) -> bool:
        """Deletes everything that is stored, if the record's key is still the expected one. Returns whether it was
        deleted."""
        found: List[bool] = []

        def remove() -> None:
            with self._guard:
                found.append(self._current.key == expected.key)
            if found[0]:
                self._remove()

        self._update(remove)
        if not found:
            # A record that can't be read is deleted as well.
            self._attempt("deleted", self._remove)
        return not found or found[0]

    def _remove(self) -> None:
        with self._guard:
            self._current, self._is_ahead, self._device_id = Record(), False, None
            if self._known is not None:
                self._known = ""
        for name in (self._name, self._device_name, self._queue_name):
            try:
                self._storage.remove(name)
            except Exception as error:
                self._warn("The license cache was not deleted", error)

    def _find_device_id(self) -> str:
        with self._storage.lock(self._device_name):
            kept = self._read(self._device_name)
            if not is_device_id(kept):
                self._store(self._device_name, secrets.token_hex(32), _WRITE_ATTEMPTS)
                kept = self._read(self._device_name)
            if not is_device_id(kept):
                raise ValueError("it was not stored")
            return kept

    def _read(self, name: str) -> str:
        return self._storage.get(name) or ""

    def _adopt(self, text: str) -> None:
        """Replaces the record in memory with the text that was read from the storage. There is one exception: if the
        stored text is unchanged, and the record in memory contains changes that are not stored yet, the record in
        memory stays. If an activation was only in memory, and another process has stored another key in the meantime,
        the seat of the first key must be freed."""
        with self._guard:
            if self._is_ahead and self._known == text:
                return
            lost = self._current.key if self._is_ahead and self._current.token is not None else None
            stored = parse_record(text)
            self._is_ahead = lost is not None and not (stored.key is not None and is_same_key(stored.key, lost))
            self._known = text
            self._current = replace(stored, release=with_release(stored.release, lost, stored.key)) if self._is_ahead else stored

    def _update(self, decide: Callable[[], None], attempts: int = 1) -> None:
        """Reads the record, calls `decide`, which may change it, and writes the changed record. This is atomic across
        processes."""

        def task() -> None:
            with self._changing, self._storage.lock(self._name):
                self._adopt(self._read(self._name))
                decide()
                self._write(attempts)

        self._attempt("written", task)

    def _store(self, name: str, text: str, attempts: int) -> None:
        for _ in range(attempts - 1):
            try:
                return self._storage.set(name, text)
            except Exception:
                time.sleep(self._pause)
        self._storage.set(name, text)

    def _write(self, attempts: int) -> None:
        with self._guard:
            record = self._current
            if not self._is_ahead:
                return
        text = write_record(record)
        self._store(self._name, text, attempts)
        with self._guard:
            self._has_failed = False
            self._known = text
            if self._current is record:
                self._is_ahead = False

    def _access(self, task: Callable[[], Value]) -> Value:
        return self._waiting.within(self._timeout, task)

    def _attempt(self, what: str, task: Callable[[], Value]) -> Optional[Value]:
        """Returns None if the storage failed."""
        try:
            return self._access(task)
        except Exception as error:
            if what == "written":
                self._has_failed = True
            self._warn(f"The license cache was not {what}", error)
            return None
