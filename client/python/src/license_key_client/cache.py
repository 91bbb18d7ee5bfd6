"""Keeps the record (license key, token and related data) and this device's random id in the app's storage."""

from __future__ import annotations

import re
import secrets
import threading
from contextlib import ExitStack, contextmanager
from typing import Callable, Iterator, List, Optional, TypeVar

from .record import Record, is_same_activation, parse_record, write_record
from .storage import Storage
from .waiting import Waiting

#: Called with a message and an exception, for logs. The exception doesn't change the result of a call.
Warn = Callable[[str, BaseException], None]

Value = TypeVar("Value")

_DEVICE_ID = re.compile(r"[\x21-\x7e]{8,128}")


def is_device_id(text: object) -> bool:
    """The format of fingerprints that the service accepts: 8 to 128 printable ASCII characters without spaces."""
    return isinstance(text, str) and _DEVICE_ID.fullmatch(text) is not None


class Cache:
    """Reads and writes the record and the random id. Processes with the same storage see each other's changes. While
    the storage can't be read or written, the client uses its copy of the record in memory. This copy is written as
    soon as the storage works.

    :param timeout: maximum time for one access, in seconds
    """

    def __init__(self, storage: Storage, name: str, timeout: float, warn: Warn) -> None:
        self._storage = storage
        self._name = name
        self._timeout = timeout
        self._warn = warn
        self.after_fork()
        self._current = Record()
        #: The stored text that was last read or written; None before the first access.
        self._known: Optional[str] = None
        #: True while memory is newer than the storage: a write is in progress, or has failed.
        self._is_ahead = False
        self._device_name = f"{name}.device"
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

    def change(self, expected: Optional[Record], make: Callable[[Record], Record]) -> Optional[Record]:
        """Computes a new record from the current one, as a compare-and-set that is atomic across processes. This
        process uses the new record even if it can't be stored.

        :param expected: a record with the activation that the current record must contain; None if the current
            record may contain any activation
        :returns: the new record. None if nothing was changed, because the current record contains another activation,
            or because this process has never read the record
        """
        made: List[Optional[Record]] = []

        def decide() -> None:
            with self._guard:
                if made:
                    return
                if expected is not None and not is_same_activation(self._current, expected):
                    made.append(None)
                    return
                self._is_ahead = True
                self._current = make(self._current)
                made.append(self._current)

        self._update(decide)
        if self._known is not None:
            # The storage has failed or takes too long, so the change is made in memory.
            decide()
        return made[0] if made else None

    @contextmanager
    def seat(self) -> Iterator[None]:
        """For the duration of a ``with`` block, holds the lock that keeps two processes from taking or freeing seats at
        the same time. If the lock can't be taken in time, the block runs without it. This is safe, because every
        change of the record checks the expected activation."""
        with ExitStack() as held:
            try:
                # The maximum wait for the lock is the time that two requests of another process may take, each
                # with two attempts.
                self._waiting.enter(5 * self._timeout, held, lambda: self._storage.lock(f"{self._name}.seat"))
            except Exception as error:
                self._warn("The license cache was not locked", error)
            yield

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
        """Deletes everything that is stored, if the activation is still the expected one. Returns whether it was
        deleted."""
        found: List[bool] = []

        def remove() -> None:
            with self._guard:
                found.append(is_same_activation(self._current, expected))
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
        for name in (self._name, self._device_name):
            try:
                self._storage.remove(name)
            except Exception as error:
                self._warn("The license cache was not deleted", error)

    def _find_device_id(self) -> str:
        with self._storage.lock(self._device_name):
            kept = self._read(self._device_name)
            if not is_device_id(kept):
                self._storage.set(self._device_name, secrets.token_hex(32))
                kept = self._read(self._device_name)
            if not is_device_id(kept):
                raise ValueError("it was not stored")
            return kept

    def _read(self, name: str) -> str:
        return self._storage.get(name) or ""

    def _adopt(self, text: str) -> None:
        """Replaces the record in memory with the text that was read from the storage. There is one exception: if the
        stored text is unchanged, and the record in memory contains changes that are not stored yet, the record in
        memory stays."""
        with self._guard:
            if self._is_ahead and self._known == text:
                return
            self._is_ahead = False
            self._known = text
            self._current = parse_record(text)

    def _update(self, decide: Callable[[], None]) -> None:
        """Reads the record, calls `decide`, which may change it, and writes the changed record. This is atomic across
        processes."""

        def task() -> None:
            with self._changing, self._storage.lock(self._name):
                self._adopt(self._read(self._name))
                decide()
                self._write()

        self._attempt("written", task)

    def _write(self) -> None:
        with self._guard:
            record = self._current
            if not self._is_ahead:
                return
        text = write_record(record)
        self._storage.set(self._name, text)
        with self._guard:
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
            self._warn(f"The license cache was not {what}", error)
            return None
