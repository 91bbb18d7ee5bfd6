"""The storage for a client's cache. The cache consists of a few small texts, each with a name."""

from __future__ import annotations

import logging
import os
import random
import secrets
import shutil
import stat
import threading
import time
import weakref
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import ContextManager, Dict, Iterator, Optional, Protocol, Tuple, Union

_logger = logging.getLogger("license_key_client")

#: If a lock file was not touched for this long (in seconds), the process that owns the lock is assumed to have ended. A
#: random time of up to half of this duration is added. The sum is less than the client's default time limit for an
#: access to the storage, so that a process that has crashed does not keep later processes from storing a license.
_ABANDONED_AFTER = 3.0
#: Time after which the owner of a lock touches its file again, in seconds.
_TOUCH_EVERY = 1.0
#: Minimum pause between two attempts to take a lock, in seconds. A random time of at most the same length is added.
_LOCK_POLL = 0.01
#: Maximum size of a file that is read, in bytes. A full queue of amounts is smaller.
_MAX_FILE_BYTES = 8_388_608


class Storage(Protocol):
    """A storage for the cache. Any method may raise any exception; the client then continues without the storage."""

    def get(self, name: str) -> Optional[str]:
        """The text with that name; None if there is none."""
        ...

    def set(self, name: str, text: str) -> None: ...

    def remove(self, name: str) -> None:
        """Deletes the text with that name, if there is one."""

    def lock(self, name: str) -> ContextManager[object]:
        """Returns a context manager that holds a lock. Only one process at a time may hold the lock with that name."""
        ...


class MemoryStorage:
    """Keeps the data in memory, until the process ends."""

    def __init__(self) -> None:
        self._items: Dict[str, str] = {}
        self._guard = threading.Lock()
        self._locks: Dict[str, threading.Lock] = {}

        if hasattr(os, "register_at_fork"):
            owner = weakref.ref(self)
            os.register_at_fork(after_in_child=lambda: _forget_locks(owner()))

    def get(self, name: str) -> Optional[str]:
        return self._items.get(name)

    def set(self, name: str, text: str) -> None:
        self._items[name] = text

    def remove(self, name: str) -> None:
        self._items.pop(name, None)

    @contextmanager
    def lock(self, name: str) -> Iterator[None]:
        with self._guard:
            own = self._locks.setdefault(name, threading.Lock())
        with own:
            yield


def _forget_locks(storage: Optional[MemoryStorage]) -> None:
    """The threads that had taken these locks exist only in the parent process."""
    if storage is not None:
        storage._guard = threading.Lock()
        storage._locks = {}


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


class FileStorage:
    """Keeps each item in a separate file. Only the user who owns a file may read it. A file is replaced completely or
    not at all, even if the process or the machine stops. Clients in other languages share the files. If another user owns
    a file, for example because the app was started once with ``sudo``, a second file is used from then on, and a warning is
    logged.

    :param folder: a folder of this app and this user; it is created if it is missing
    """

    def __init__(self, folder: Union[str, "os.PathLike[str]"]) -> None:
        self._folder = Path(folder)

    def get(self, name: str) -> Optional[str]:
        first, second = self._files_of(name)
        text = _read_if_present(second)
        if text is not None:
            return text
        try:
            return _read_if_present(first)
        except PermissionError:
            # On Windows the same error is raised for files that are in use.
            if os.name == "nt":
                raise
            _logger.warning("%s belongs to another user; %s is used instead", first, second)
            return None

    def set(self, name: str, text: str) -> None:
        """Writes a draft file, and renames it to the final name."""
        self._make_folder()
        first, second = self._files_of(name)
        is_second = second.exists() or (os.name != "nt" and first.exists() and not os.access(first, os.R_OK))
        file = second if is_second else first
        draft = file.with_name(f"{file.name}.{secrets.token_hex(6)}.tmp")
        try:
            with open(draft, "xb", opener=_private) as handle:
                handle.write(text.encode("utf-8"))
                handle.flush()
                # The draft is written to disk before it is renamed. Otherwise a power failure could leave the file name
                # with empty content.
                os.fsync(handle.fileno())
            os.replace(draft, file)
        finally:
            _unlink(draft)

    def remove(self, name: str) -> None:
        for file in self._files_of(name):
            _unlink(file)
            # If a process is killed while it writes the file, a draft remains. The draft also contains the license.
            for other in self._folder.iterdir() if self._folder.exists() else ():
                if other.name.startswith(f"{file.name}.") and other.name.endswith(".tmp"):
                    _unlink(other)

    @contextmanager
    def lock(self, name: str) -> Iterator[None]:
        self._make_folder()
        file = self._folder / f"{name}.lock"
        owner = _take_lock(file)
        is_given_back = threading.Event()
        threading.Thread(target=_touch, args=(file, is_given_back), daemon=True).start()
        try:
            yield
        finally:
            is_given_back.set()
            found = _look_at(file)
            # If this process did not touch the file in time, another process may have taken over the lock. The file
            # then belongs to the other process and must stay.
            if found is not None and found[0] == owner:
                _unlink(file)

    def _make_folder(self) -> None:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def _files_of(self, name: str) -> Tuple[Path, Path]:
        return self._folder / f"{name}.json", self._folder / f"{name}.own.json"


def _read_if_present(file: Path) -> Optional[str]:
    """The content of a file; None if there is no file. A file that is too large counts as empty, and so do pipes and
    devices: reading a pipe without a writer would wait for ever, and reading a device may never end. Reading a folder
    fails."""
    try:
        mode = file.stat().st_mode
        if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
            return ""
        with open(file, "rb") as handle:
            data = handle.read(_MAX_FILE_BYTES + 1)
    except FileNotFoundError:
        return None
    return "" if len(data) > _MAX_FILE_BYTES else data.decode("utf-8", "replace")


def _unlink(file: Path) -> None:
    try:
        file.unlink()
    except FileNotFoundError:
        pass


def _remove_lock(file: Path) -> None:
    if file.is_dir() and not file.is_symlink():
        with suppress(FileNotFoundError):
            shutil.rmtree(file)
    else:
        _unlink(file)


def _look_at(file: Path) -> Optional[Tuple[str, int]]:
    """The content of a lock file and when it was touched; None if there is no file. The content is empty if this user
    may not read the file, or if it is not a file but, for example, a folder. This is not an error, because such a lock
    can also be abandoned."""
    try:
        found = file.lstat()
    except FileNotFoundError:
        return None
    owner = ""
    if stat.S_ISREG(found.st_mode):
        with suppress(OSError):
            owner = _read_if_present(file) or ""
    return owner, found.st_mtime_ns


def _take_lock(file: Path) -> str:
    """Takes a lock file, and waits while another process has it. Returns the file's content."""
    owner = secrets.token_hex(8)
    patience = _ABANDONED_AFTER * (1 + random.random() / 2)
    last: Optional[Tuple[str, int]] = None
    since = 0.0
    while True:
        try:
            created = open(file, "x", encoding="utf-8", opener=_private)
        except FileExistsError:
            found = _look_at(file)
        else:
            try:
                with created as handle:
                    handle.write(owner)
            except OSError:
                # For example, the disk is full. If the empty file remained, every process would have to wait for a lock
                # without an owner.
                _unlink(file)
                raise
            return owner
        if found is None or found != last:
            last, since = found, time.monotonic()
        elif time.monotonic() - since > patience:
            _remove_lock(file)
        time.sleep(_LOCK_POLL * (1 + random.random()))


def _touch(file: Path, is_given_back: threading.Event) -> None:
    while not is_given_back.wait(_TOUCH_EVERY):
        try:
            os.utime(file)
        except OSError:
            pass
