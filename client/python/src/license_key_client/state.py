"""What an app can learn about its license. Every result is a value to switch over by ``status``."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, Mapping, Optional, Tuple, Union

FaultKind = Literal["unreachable", "timeout", "busy", "rejected", "malformed", "untrusted", "device", "storage", "closed"]


@dataclass(frozen=True)
class Fault:
    """Why there is no verdict of the service.

    - ``unreachable``: no connection, or it broke
    - ``timeout``: no complete response in time
    - ``busy``: the service failed or asks for patience (5xx, throttled)
    - ``rejected``: it refuses the request itself (a wrong API key, for example): a mistake in the app's configuration
    - ``malformed``: the response is not the service's (a captive portal's page, for example)
    - ``untrusted``: the token or the refusal in the response is not proved
    - ``device``: this device could not be identified, so nothing was asked
    - ``storage``: what is stored can't be read, or this device's random id can't be stored; nothing was asked
    - ``closed``: the client was closed meanwhile
    """

    kind: FaultKind
    #: For logs. Holds neither license key nor credential.
    message: str
    #: Seconds that the service asks to wait (``Retry-After``).
    retry_after: Optional[int] = None


@dataclass(frozen=True)
class Seats:
    """Seats of a license when the service was last asked."""

    used: int
    #: 0: unlimited.
    max: int


@dataclass(frozen=True)
class LicenseType:
    #: As the operator named it; None if the service was never asked (an imported token).
    name: Optional[str]
    #: ``lifetime``, ``subscription``, ``floating`` or ``trial``.
    kind: str


@dataclass(frozen=True)
class License:
    """What was bought."""

    id: int
    type: LicenseType
    #: None if it never expires.
    expires_at: Optional[datetime]


@dataclass(frozen=True)
class Updates:
    """What limits the releases of a license; None: no such limit."""

    #: Releases published until then are covered.
    until: Optional[datetime]
    #: Releases up to this major version are covered.
    max_major: Optional[int]


@dataclass(frozen=True)
class ListedDevice:
    """A device that holds a seat of a license."""

    #: Names the device to ``free`` and ``replace``. Not a fingerprint.
    ref: str
    name: str
    platform: str
    activated_at: datetime
    #: The day (``2026-11-20``) of its last validation or activation; None if the service doesn't know it.
    last_seen_on: Optional[str]
    #: Whether it is this device.
    is_this: bool


@dataclass(frozen=True)
class DeviceList:
    devices: Tuple[ListedDevice, ...]
    status: Literal["devices"] = field(default="devices", init=False)


@dataclass(frozen=True)
class Licensed:
    """Use is granted."""

    #: What it rests on: a cached token; the service's response just now; or a token that has just expired while the
    #: service can't be asked (``grace_days``).
    source: Literal["cache", "network", "grace"]
    license: License
    #: Names of the features that were bought, signed by the service.
    features: Tuple[str, ...]
    #: Which releases were bought, signed by the service.
    updates: Updates
    #: None if the service was never asked (an imported token).
    seats: Optional[Seats]
    #: When this device's seat may go to another device unless the lease is renewed; None if it has no lease.
    lease_expires_at: Optional[datetime]
    #: Until when it holds without a network; for ``grace`` the end of the grace.
    offline_until: datetime
    #: Why the service could not be asked, if it was tried.
    fault: Optional[Fault] = None
    status: Literal["licensed"] = field(default="licensed", init=False)


@dataclass(frozen=True)
class Unbound:
    """This device holds no seat: ask for a key and call ``activate``."""

    #: The key that this device was activated with, if its seat was freed meanwhile.
    key: Optional[str] = None
    status: Literal["unbound"] = field(default="unbound", init=False)


@dataclass(frozen=True)
class NoSeats:
    """Every seat is taken by another device. Deactivate one of them, or reset the license."""

    #: None if the service could not be asked for the numbers.
    seats: Optional[Seats]
    status: Literal["no_seats"] = field(default="no_seats", init=False)


@dataclass(frozen=True)
class Refusal:
    """The service refuses use. ``refused`` is a status that this version doesn't know; ``reason`` names it."""

    status: Literal["expired", "revoked", "suspended", "too_many_devices", "unknown_key", "no_trial", "not_covered", "refused"]
    reason: Optional[str] = None
    #: With ``not_covered``: what limits the license that is held, which stays; None if the service refused an activation.
    updates: Optional[Updates] = None


@dataclass(frozen=True)
class OfflineWithoutToken:
    """Nothing in the cache counts, and the service can't be asked: try again when there is a network."""

    #: Why the cached token doesn't count: ``no_token``, ``clock_rolled_back``, ``device_unknown``, ``storage_failed``, or the token's problem.
    reason: str
    #: Why there is no verdict of the service; None if there is no key to ask it about.
    fault: Optional[Fault] = None
    status: Literal["offline_without_token"] = field(default="offline_without_token", init=False)


#: Where a device stands. Only ``licensed`` grants use.
LicenseState = Union[Licensed, Unbound, NoSeats, Refusal, OfflineWithoutToken]


@dataclass(frozen=True)
class InvalidInput:
    """What was given can't be sent, and wasn't. Not a state of the license."""

    field: Literal["key", "name", "platform", "customer_email", "replace"]
    #: In English, for logs and developers, such as ``must not be empty``.
    message: str
    status: Literal["invalid_input"] = "invalid_input"


@dataclass(frozen=True)
class InvalidToken:
    """An imported token that is not accepted."""

    problem: str
    status: Literal["invalid_token"] = field(default="invalid_token", init=False)


@dataclass(frozen=True)
class Deactivated:
    """The license is no longer held, or another device's seat was freed. ``freed``: a seat was taken before."""

    freed: bool
    status: Literal["deactivated"] = field(default="deactivated", init=False)


@dataclass(frozen=True)
class Failed:
    """Nothing has changed."""

    fault: Fault
    status: Literal["failed"] = field(default="failed", init=False)


@dataclass(frozen=True)
class Artifact:
    """A file of a release."""

    filename: str
    #: ``windows``, ``macos``, ``linux`` or ``any``.
    platform: str
    #: ``x64``, ``arm64``, ``ia32``, ``universal`` or ``any``.
    arch: str
    #: In bytes.
    size: int
    #: Hex in lower case, as `sha512`.
    sha256: str
    sha512: str
    #: The vendor's own; None if there is none.
    signature: Optional[str]
    #: Redirects to the file, for requests with the headers of :class:`Latest`.
    url: str


@dataclass(frozen=True)
class Update:
    """A release that the license covers."""

    version: str
    channel: str
    released_at: datetime
    #: Markdown.
    notes: Optional[str]
    artifacts: Tuple[Artifact, ...]


@dataclass(frozen=True)
class NewestRelease:
    version: str
    released_at: datetime
    #: If it isn't, offer the user a renewal.
    covered: bool


@dataclass(frozen=True)
class Latest:
    """The newest release that a license covers."""

    #: None if none is newer than the version given.
    update: Optional[Update]
    #: The newest release of all, whether the license covers it or not.
    newest: Optional[NewestRelease]
    #: To be sent with every download; they contain the license key or the token.
    headers: Mapping[str, str]
    status: Literal["latest"] = field(default="latest", init=False)


@dataclass(frozen=True)
class Forgotten:
    """Nothing is stored any more; the seat is still taken if there is a ``fault``."""

    freed: bool
    fault: Optional[Fault] = None
    status: Literal["forgotten"] = field(default="forgotten", init=False)


@dataclass(frozen=True)
class RequestText:
    """What a machine that is never online sends to the operator: one line of ASCII."""

    text: str
    status: Literal["request"] = field(default="request", init=False)
