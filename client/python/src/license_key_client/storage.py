"""Where a client keeps its cache: a few small texts by name."""

from __future__ import annotations

import os
import secrets
import shutil
from pathlib import Path
from typing import Callable, Dict, Optional, Protocol, Union


class Storage(Protocol):
    """Anything may fail, by any exception; the client then continues without."""

    def get(self, name: str) -> Optional[str]:
        """The text of that name; None if there is none."""

    def set(self, name: str, text: str) -> None: ...

    def remove(self, name: str) -> None:
        """Deletes the text of that name, if there is one."""

    def create(self, name: str, text: str) -> str:
        """Stores a text unless there is one of that name, in one step for all processes, and gives what is stored then."""


class MemoryStorage:
    """Keeps nothing beyond the process."""

    def __init__(self) -> None:
        self._items: Dict[str, str] = {}

    def get(self, name: str) -> Optional[str]:
        return self._items.get(name)

    def set(self, name: str, text: str) -> None:
        self._items[name] = text

    def remove(self, name: str) -> None:
        self._items.pop(name, None)

    def create(self, name: str, text: str) -> str:
        return self._items.setdefault(name, text)


def _link_unless_taken(draft: Path, file: Path) -> None:
    """Gives a file a second name, unless that is taken: in one step for all processes."""
    try:
        os.link(draft, file)
    except FileExistsError:
        raise
    except OSError:
        # File systems without hard links (FAT): a copy may be seen half-written, for a moment.
        with open(draft, "rb") as source, open(file, "xb", opener=_private) as target:
            shutil.copyfileobj(source, target)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


class FileStorage:
    """Keeps each item in a file of its own that only its owner may read. A file is replaced whole or not at all,
    whenever the process or the machine stops. Clients in other languages share the files.

    :param folder: of this app and this user, made if it is missing
    """

    def __init__(self, folder: Union[str, "os.PathLike[str]"]) -> None:
        self._folder = Path(folder)

    def get(self, name: str) -> Optional[str]:
        try:
            return self._file_of(name).read_bytes().decode("utf-8", "replace")
        except FileNotFoundError:
            return None

    def set(self, name: str, text: str) -> None:
        self._put(name, text, os.replace)

    def remove(self, name: str) -> None:
        try:
            self._file_of(name).unlink()
        except FileNotFoundError:
            pass

    def create(self, name: str, text: str) -> str:
        try:
            self._put(name, text, _link_unless_taken)
        except FileExistsError:
            found = self.get(name)
            return text if found is None else found
        return text

    def _file_of(self, name: str) -> Path:
        return self._folder / f"{name}.json"

    def _put(self, name: str, text: str, place: Callable[[Path, Path], object]) -> None:
        """Writes a draft, and has it put in its place."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = self._file_of(name)
        draft = file.with_name(f"{file.name}.{secrets.token_hex(6)}.tmp")
        try:
            with open(draft, "xb", opener=_private) as handle:
                handle.write(text.encode("utf-8"))
                handle.flush()
                # Before the draft gets its name: a machine that loses power must not find a name without content.
                os.fsync(handle.fileno())
            place(draft, file)
        finally:
            try:
                draft.unlink()
            except FileNotFoundError:
                pass
