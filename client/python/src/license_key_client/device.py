"""Identifies this device to the service."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Optional, Union

from .cache import Cache, Warn, is_device_id
from .record import DeviceKind, Record
from .state import Fault
from .token import canonical_fingerprint
from .waiting import Waiting

#: A fingerprint, or a function that finds it. None, as the value or as the function's result, means that this machine
#: has no fingerprint.
FingerprintSource = Union[str, Callable[[], Optional[str]], None]

#: Maximum number of calls of the fingerprint function, one after the other. The first call may fail, for example
#: because of a virus scanner. If all calls fail, the device counts as unknown, until the client needs the fingerprint
#: again.
_ATTEMPTS = 2


@dataclass(frozen=True)
class Device:
    id: str
    kind: DeviceKind


class DeviceFinder:
    """Finds this device's id: its fingerprint, or a random id. The random id is used if the current key was activated
    with it. It is also used if the device has no fingerprint, and no seat in this storage was ever taken with a
    fingerprint. In all other cases a device whose fingerprint isn't found is unknown, so that a temporary fault doesn't
    change the id. With another id, the user would lose the license and need a second seat.

    :param timeout: maximum time for each attempt to find the fingerprint, in seconds
    """

    def __init__(self, source: FingerprintSource, cache: Cache, timeout: float, warn: Warn) -> None:
        self._source = source
        self._cache = cache
        self._timeout = timeout
        self._warn = warn
        self._waiting = Waiting()
        #: The machine's fingerprint, after it was found.
        self._found: Optional[str] = None
        #: True if the machine reported that it has no fingerprint.
        self._is_none = False

    def after_fork(self) -> None:
        self._waiting = Waiting()

    def find(self, record: Record) -> Union[Device, Fault]:
        is_random = record.device == "random" and record.key is not None
        if not is_random:
            found = self._machine_fingerprint()
            if found is not None:
                return Device(found, "machine")
            if not self._is_none or record.device == "machine":
                return Fault("device", "the fingerprint of this device was not found")
        try:
            return Device(self._cache.random_id(), "random")
        except Exception as error:
            self._warn("The id of this device was neither read nor stored", error)
            return Fault("storage", "the id of this device was neither read nor stored")

    def _machine_fingerprint(self) -> Optional[str]:
        if self._found is not None or self._is_none:
            return self._found
        for _ in range(_ATTEMPTS):
            try:
                text = self._ask()
                if text is None:
                    self._is_none = True
                    return None
                found = canonical_fingerprint(text)
                if not is_device_id(found):
                    raise ValueError("The fingerprint must be 8 to 128 printable ASCII characters without spaces")
                self._found = found
                return found
            except Exception as error:
                self._warn("No fingerprint was found", error)
        return None

    def _ask(self) -> Optional[str]:
        source = self._source
        return self._waiting.within(self._timeout, source) if callable(source) else source
