"""The fingerprint of a machine: SHA-256, in lower-case hex, of the operating system's machine id."""

from __future__ import annotations

import hashlib
import hmac
import re
import subprocess
import sys
from dataclasses import dataclass
from typing import Callable, Iterator, Optional, Sequence

from .strict_json import trim

#: Maximum time that a command may take, in seconds.
_COMMAND_LIMIT = 5
#: The files in which Linux keeps its machine id (machine-id(5)), the usual one first.
_LINUX_FILES = ("/etc/machine-id", "/var/lib/dbus/machine-id")
#: Commands have absolute paths, so that another program of the same name is never run.
_MACOS_IOREG = "/usr/sbin/ioreg"

#: The pattern of the machine id in the output of each system.
_PATTERNS = {
    "linux": re.compile(r"\s*([0-9a-f]{32})\s*", re.IGNORECASE | re.ASCII),
    "darwin": re.compile(r'.*?"IOPlatformUUID"\s*=\s*"([0-9a-f-]{36})".*', re.IGNORECASE | re.ASCII | re.DOTALL),
    "win32": re.compile(r"\s*([0-9a-f-]{36})\s*", re.IGNORECASE | re.ASCII),
}
_PLACEHOLDER = re.compile(r"[0-]+|[f-]+")


@dataclass(frozen=True)
class System:
    """The system functions that read a machine id."""

    #: The platform: ``linux``, ``darwin`` or ``win32``; other platforms have no machine id.
    platform: str
    #: Reads a file as text.
    read_file: Callable[[str], str]
    #: Runs a command and returns its standard output.
    run: Callable[[Sequence[str]], str]
    #: Reads the value ``MachineGuid`` from the registry of Windows.
    machine_guid: Callable[[], str]


def _read_file(path: str) -> str:
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def _run(command: Sequence[str]) -> str:
    flags = getattr(subprocess, "CREATE_NO_WINDOW", 0)
    return subprocess.run(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, timeout=_COMMAND_LIMIT, check=True, creationflags=flags).stdout.decode("utf-8", "replace")


def _machine_guid() -> str:
    if sys.platform != "win32":
        raise OSError("only Windows has a registry")
    import winreg

    # Without this flag, a 32-bit process would read another part of the registry.
    access = winreg.KEY_READ | winreg.KEY_WOW64_64KEY
    with winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, r"SOFTWARE\Microsoft\Cryptography", 0, access) as key:
        return str(winreg.QueryValueEx(key, "MachineGuid")[0])


THIS_SYSTEM = System(sys.platform, _read_file, _run, _machine_guid)


def parse_machine_id(platform: str, shown: str) -> Optional[str]:
    """The machine id in a platform's output, in lower case; None if there is none, or only a placeholder."""
    pattern = _PATTERNS.get(platform)
    match = pattern.fullmatch(shown) if pattern else None
    found = match[1].lower() if match else None
    # Firmware and system images that were never set up have an id of only zeros or only ``f``.
    return None if found is None or _PLACEHOLDER.fullmatch(found) else found


def _shown_by(system: System) -> Iterator[str]:
    """The texts that may contain a system's machine id. A source that doesn't exist is skipped. A source that
    can't be read is an error, because a temporary fault must not give the machine another fingerprint."""
    if system.platform == "linux":
        for path in _LINUX_FILES:
            try:
                yield system.read_file(path)
            except (FileNotFoundError, NotADirectoryError):
                continue
    elif system.platform == "darwin":
        yield system.run([_MACOS_IOREG, "-rd1", "-c", "IOPlatformExpertDevice"])
    elif system.platform == "win32":
        yield system.machine_guid()


def _machine_id_of(system: System) -> Optional[str]:
    return next((found for found in (parse_machine_id(system.platform, shown) for shown in _shown_by(system)) if found), None)


def _normal(machine_id: str) -> bytes:
    return trim(machine_id).lower().encode("utf-8")


def fingerprint_of(machine_id: str) -> str:
    """The fingerprint of a machine id."""
    return hashlib.sha256(_normal(machine_id)).hexdigest()


def app_fingerprint_of(app: str, machine_id: str) -> str:
    """The fingerprint of a machine id for one app: HMAC-SHA256 with the machine id as key."""
    return hmac.new(_normal(machine_id), app.encode("utf-8"), hashlib.sha256).hexdigest()


def fingerprint(system: System = THIS_SYSTEM) -> Optional[str]:
    """This machine's fingerprint, which is the same after restarts and updates, and for every app and SDK. None if
    there is no machine id, for example in some containers; the client then creates a random id.

    :raises OSError, subprocess.SubprocessError: if there is a machine id that can't be read now
    """
    found = _machine_id_of(system)
    return None if found is None else fingerprint_of(found)


def app_fingerprint(app: str) -> Callable[..., Optional[str]]:
    """Returns a function like :func:`fingerprint` whose result differs between apps, so that two vendors can't
    recognize the same machine by the fingerprint. Choose one of the two functions before the first activation, because
    their fingerprints of the same machine differ.

    :param app: the product's slug
    """

    def find(system: System = THIS_SYSTEM) -> Optional[str]:
        found = _machine_id_of(system)
        return None if found is None else app_fingerprint_of(app, found)

    return find
