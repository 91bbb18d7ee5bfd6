"""The fingerprint of a machine: SHA-256, as lower-case hex, of the machine id that its operating system keeps."""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from typing import Callable, Iterator, Optional, Sequence

from .strict_json import trim

#: Longest that a command may take, in seconds.
_COMMAND_LIMIT = 5
#: Where Linux keeps its id (machine-id(5)), first the usual place.
_LINUX_FILES = ("/etc/machine-id", "/var/lib/dbus/machine-id")
#: By their whole paths: another program of that name must not be found first.
_MACOS_IOREG = "/usr/sbin/ioreg"
_WINDOWS_REG = os.environ.get("SystemRoot", r"C:\Windows") + r"\System32\reg.exe"

#: How the id stands in what each system shows.
_PATTERNS = {
    "linux": re.compile(r"\s*([0-9a-f]{32})\s*", re.IGNORECASE | re.ASCII),
    "darwin": re.compile(r'.*?"IOPlatformUUID"\s*=\s*"([0-9a-f-]{36})".*', re.IGNORECASE | re.ASCII | re.DOTALL),
    "win32": re.compile(r".*?\bMachineGuid\s+REG_SZ\s+([0-9a-f-]{36})\s.*", re.IGNORECASE | re.ASCII | re.DOTALL),
}
_PLACEHOLDER = re.compile(r"[0-]+|[f-]+")


@dataclass(frozen=True)
class System:
    """What a machine id is read from."""

    #: ``linux``, ``darwin`` or ``win32``; others have none.
    platform: str
    #: The text of a file.
    read_file: Callable[[str], str]
    #: Standard output of a command.
    run: Callable[[Sequence[str]], str]


def _read_file(path: str) -> str:
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def _run(command: Sequence[str]) -> str:
    flags = getattr(subprocess, "CREATE_NO_WINDOW", 0)
    return subprocess.run(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, timeout=_COMMAND_LIMIT, check=True, creationflags=flags).stdout.decode("utf-8", "replace")


THIS_SYSTEM = System(sys.platform, _read_file, _run)


def parse_machine_id(platform: str, shown: str) -> Optional[str]:
    """The machine id in what a platform shows of it, in lower case; None if there is none, or only a placeholder."""
    pattern = _PATTERNS.get(platform)
    match = pattern.fullmatch(shown) if pattern else None
    found = match[1].lower() if match else None
    # Firmware and images that were never set up have all zeros or ones.
    return None if found is None or _PLACEHOLDER.fullmatch(found) else found


def _shown_by(system: System) -> Iterator[str]:
    """What a system shows of its machine id. What doesn't exist shows nothing; what can't be read raises, so that a
    machine doesn't look like another one for a moment."""
    if system.platform == "linux":
        for path in _LINUX_FILES:
            try:
                yield system.read_file(path)
            except (FileNotFoundError, NotADirectoryError):
                continue
    elif system.platform == "darwin":
        yield system.run([_MACOS_IOREG, "-rd1", "-c", "IOPlatformExpertDevice"])
    elif system.platform == "win32":
        yield system.run([_WINDOWS_REG, "query", r"HKLM\SOFTWARE\Microsoft\Cryptography", "/v", "MachineGuid", "/reg:64"])


def _machine_id_of(system: System) -> Optional[str]:
    return next((found for found in (parse_machine_id(system.platform, shown) for shown in _shown_by(system)) if found), None)


def _normal(machine_id: str) -> bytes:
    return trim(machine_id).lower().encode("utf-8")


def fingerprint_of(machine_id: str) -> str:
    """The fingerprint that belongs to a machine id."""
    return hashlib.sha256(_normal(machine_id)).hexdigest()


def app_fingerprint_of(app: str, machine_id: str) -> str:
    """The fingerprint that belongs to a machine id in one app: HMAC-SHA256 with the machine id as key."""
    return hmac.new(_normal(machine_id), app.encode("utf-8"), hashlib.sha256).hexdigest()


def fingerprint(system: System = THIS_SYSTEM) -> Optional[str]:
    """This machine's fingerprint: the same after restarts and updates, and for every app and SDK on it. None if there
    is no machine id (some containers, other systems); the client then uses an id of its own making.

    :raises OSError, subprocess.SubprocessError: if there is one that can't be read now
    """
    found = _machine_id_of(system)
    return None if found is None else fingerprint_of(found)


def app_fingerprint(app: str) -> Callable[..., Optional[str]]:
    """Makes a function like :func:`fingerprint` whose result is another one in every app, so that two vendors can't
    recognize the same machine by it. To be chosen before the first activation.

    :param app: the product's slug
    """

    def find(system: System = THIS_SYSTEM) -> Optional[str]:
        found = _machine_id_of(system)
        return None if found is None else app_fingerprint_of(app, found)

    return find
