"""The states that an app can receive about its license. Code can distinguish all results by ``status``."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, Mapping, Optional, Tuple, Union

FaultKind = Literal["unreachable", "timeout", "busy", "rejected", "malformed", "untrusted", "clock", "device", "storage", "closed"]


@dataclass(frozen=True)
class Fault:
    """Why the service gave no decision.

    - ``unreachable``: no connection, or the connection broke
    - ``timeout``: no complete response within the time limit
    - ``busy``: the service failed (status 5xx), or asks the client to wait (status 429)
    - ``rejected``: the service refuses the request because of a mistake in the app's configuration (a wrong API key,
      for example)
    - ``malformed``: the response does not come from the service (a captive portal's page, for example)
    - ``untrusted``: the response contains a token or a refusal that could not be verified
    - ``clock``: the token in the response has already expired by this device's clock, so the clock is ahead
    - ``device``: this device could not be identified, so no request was sent
    - ``storage``: the stored data can't be read, or this device's random id can't be stored, so no request was sent. In
      the state ``licensed``: the license can't be stored now; the client tries again automatically
    - ``closed``: the client was closed before or during the call, or the app ended the call with its ``signal``
    """

    kind: FaultKind
    #: A message for logs. It contains neither license key nor credential.
    message: str
    #: Seconds that the service asks the client to wait (``Retry-After``).
    retry_after: Optional[int] = None


@dataclass(frozen=True)
class Seats:
    """How many seats of a license are used and how many exist, at the time of the last response."""

    used: int
    #: The maximum number of seats; 0 means unlimited.
    max: int


@dataclass(frozen=True)
class LicenseType:
    #: The name that the operator gave the license type; None if the license comes from an imported token and the
    #: service was not asked since the import.
    name: Optional[str]
    #: The kind of license: ``lifetime``, ``subscription``, ``floating`` or ``trial``.
    kind: str


@dataclass(frozen=True)
class License:
    """What was bought."""

    id: int
    type: LicenseType
    #: When the license expires; None if it never expires.
    expires_at: Optional[datetime]


@dataclass(frozen=True)
class Updates:
    """The limits of the releases that a license covers. A limit is None if the license doesn't have it."""

    #: Releases published up to this time are covered.
    until: Optional[datetime]
    #: Releases up to this major version are covered.
    max_major: Optional[int]


@dataclass(frozen=True)
class ListedDevice:
    """A device that holds a seat of a license."""

    #: Identifies the device for ``free`` and the argument ``replace``. It is not a fingerprint.
    ref: str
    name: str
    platform: str
    activated_at: datetime
    #: The day (``2026-11-20``) of the device's last validation or activation; None if the service doesn't know it.
    last_seen_on: Optional[str]
    #: Whether this entry is the device on which the app is running.
    is_this: bool


@dataclass(frozen=True)
class DeviceList:
    devices: Tuple[ListedDevice, ...]
    status: Literal["devices"] = field(default="devices", init=False)


@dataclass(frozen=True)
class Licensed:
    """The app may be used on this device."""

    #: What grants the license. ``cache``: a cached token. ``network``: the response to a request that was just sent.
    #: ``grace``: an expired token that is still accepted while the service can't be asked (option ``grace_days``).
    source: Literal["cache", "network", "grace"]
    license: License
    #: Names of the features that the license includes. The service has signed them.
    features: Tuple[str, ...]
    #: Numbers by name that the app reads, such as the maximum number of projects. The service has signed them, and
    #: enforces none of them.
    limits: Mapping[str, int]
    #: The limits of the releases that the license covers. The service has signed them.
    updates: Updates
    #: Seats at the time of the last response; None if the license comes from an imported token and the service was not
    #: asked since the import.
    seats: Optional[Seats]
    #: When the seat's lease ends; None if the seat has no lease. If the lease ends without being renewed, another
    #: device may take the seat.
    lease_expires_at: Optional[datetime]
    #: The time until which the license works without a network; for ``grace`` the end of the grace period.
    offline_until: datetime
    #: Why the service gave no decision, or why the license is not stored (kind ``storage``); None if there is no such
    #: problem.
    fault: Optional[Fault] = None
    status: Literal["licensed"] = field(default="licensed", init=False)


@dataclass(frozen=True)
class Unbound:
    """This device has no seat: ask the user for a key and call ``activate``."""

    #: The key with which this device was activated before its seat was freed; None if there is no such key.
    key: Optional[str] = None
    status: Literal["unbound"] = field(default="unbound", init=False)


@dataclass(frozen=True)
class NoSeats:
    """Every seat is taken by another device. To free a seat, deactivate one of the devices, or reset the
    license."""

    #: Seats of the license; None if the service could not be asked for the numbers.
    seats: Optional[Seats]
    status: Literal["no_seats"] = field(default="no_seats", init=False)


@dataclass(frozen=True)
class Refusal:
    """The app may not be used, because the license key or the license is refused. ``reissued``: the license received
    another key, and only the new key can be activated. ``sign_in_required``: this device must sign in again
    (``activate_in_browser``). ``denied``: in the browser, the user has refused to activate this device.
    ``request_expired``: nobody has approved the activation in time. ``refused`` stands for a status that this version of the client
    doesn't know; ``reason`` is then the name of the unknown status."""

    status: Literal[
        "expired",
        "revoked",
        "suspended",
        "reissued",
        "sign_in_required",
        "denied",
        "request_expired",
        "too_many_devices",
        "unknown_key",
        "no_trial",
        "not_covered",
        "refused",
    ]
    reason: Optional[str] = None
    #: Only set for ``not_covered``: the limits of the license that this device has and keeps. None if the service
    #: refused an activation.
    updates: Optional[Updates] = None


@dataclass(frozen=True)
class OfflineWithoutToken:
    """The cache contains no accepted token, and the service gave no decision. The app can try again when there is a
    network."""

    #: Why the cached token is not accepted: ``no_token``, ``clock_rolled_back``, ``clock_ahead``, ``device_unknown``,
    #: ``storage_failed``, or the token's problem.
    reason: str
    #: Why the service gave no decision; None if there is no key to ask about.
    fault: Optional[Fault] = None
    status: Literal["offline_without_token"] = field(default="offline_without_token", init=False)


#: The license state of a device. The app may be used only in the state ``licensed``.
LicenseState = Union[Licensed, Unbound, NoSeats, Refusal, OfflineWithoutToken]


@dataclass(frozen=True)
class InvalidInput:
    """An argument can't be sent, so nothing was sent. The result contains no decision about the license."""

    field: Literal["key", "name", "platform", "customer_email", "replace", "ref", "meter", "amount", "id"]
    #: A message in English for logs and developers, such as ``must not be empty``.
    message: str
    status: Literal["invalid_input"] = "invalid_input"


@dataclass(frozen=True)
class InvalidToken:
    """An imported token that is not accepted."""

    problem: str
    status: Literal["invalid_token"] = field(default="invalid_token", init=False)


@dataclass(frozen=True)
class Deactivated:
    """The result of a successful ``deactivate`` (this device no longer has the license) or ``free`` (the other device
    no longer has a seat). ``freed`` is False if there was no seat to free."""

    freed: bool
    status: Literal["deactivated"] = field(default="deactivated", init=False)


@dataclass(frozen=True)
class Failed:
    """The result of a call that failed. Nothing has changed on this device, but the service may have carried out the
    request."""

    fault: Fault
    status: Literal["failed"] = field(default="failed", init=False)


@dataclass(frozen=True)
class Meter:
    """A meter of the license, as the service counted it at the time of the response."""

    name: str
    #: What was consumed in the current period. It may exceed `included`, if the vendor allows it.
    used: int
    included: int
    #: What is left of `included`; never below 0.
    remaining: int
    #: ``none`` (the whole life of the license), ``month`` or ``term`` (the paid period).
    period: str
    #: When the next period begins; None if none is known.
    resets_at: Optional[datetime]


@dataclass(frozen=True)
class Consumed:
    """The service has counted the amount."""

    meter: Meter
    status: Literal["consumed"] = field(default="consumed", init=False)


@dataclass(frozen=True)
class Queued:
    """The amount is stored, and is sent when the service can be reached."""

    id: str
    status: Literal["queued"] = field(default="queued", init=False)


@dataclass(frozen=True)
class UsageRefusal:
    """A refusal of ``consume`` or ``meters``. Nothing was consumed, and the license state stays. `reason` is one of
    the following values:

    - ``meter_exhausted``: the amount does not fit into what is included
    - ``unknown_meter``: the license has no such meter
    - ``not_activated``: this device has no seat
    - ``idempotency_mismatch``: the id was used for another meter or amount
    - ``invalid_request``: the meter doesn't accept the amount, for example because it is negative
    - ``unknown_key``, ``sign_in_required``, or the status of a license that can't be used (``revoked``, ``suspended``,
      ``expired``)
    - ``no_key``: this device has no key, so no request was sent
    - ``queue_full``: 1,000 amounts are waiting, so the amount was neither stored nor sent
    """

    reason: str
    #: A message in English for logs and developers.
    message: str
    status: Literal["refused"] = field(default="refused", init=False)


@dataclass(frozen=True)
class NotConsumed:
    """It is not known whether the service counted the amount. A repetition with the same `id` counts it once."""

    id: str
    fault: Fault
    status: Literal["failed"] = field(default="failed", init=False)


#: The result of ``consume``.
Consumption = Union[Consumed, Queued, UsageRefusal, NotConsumed]


@dataclass(frozen=True)
class MeterList:
    """The license's meters, by name."""

    meters: Tuple[Meter, ...]
    status: Literal["meters"] = field(default="meters", init=False)


@dataclass(frozen=True)
class PendingAmount:
    """An amount that waits until it can be sent."""

    id: str
    meter: str
    amount: int
    #: When the app consumed the amount.
    since: datetime


@dataclass(frozen=True)
class DroppedAmount(PendingAmount):
    """An amount that was not counted."""

    #: The reason of a :class:`UsageRefusal`, or ``too_old`` after 29 days.
    reason: str


@dataclass(frozen=True)
class Pending:
    """The amounts that wait, and the 100 amounts that were dropped last. Both have the oldest amount first."""

    amounts: Tuple[PendingAmount, ...]
    dropped: Tuple[DroppedAmount, ...]
    status: Literal["pending"] = field(default="pending", init=False)


@dataclass(frozen=True)
class Artifact:
    """A file of a release."""

    filename: str
    #: The platform of the file: ``windows``, ``macos``, ``linux`` or ``any``.
    platform: str
    #: The architecture of the file: ``x64``, ``arm64``, ``ia32``, ``universal`` or ``any``.
    arch: str
    #: The size of the file in bytes.
    size: int
    #: The SHA-256 of the file, as hex in lower case.
    sha256: str
    sha512: str
    #: The vendor's own signature of the file; None if there is none.
    signature: Optional[str]
    #: A URL that redirects to the file; requests need the headers of :class:`Latest`.
    url: str


@dataclass(frozen=True)
class Update:
    """A release that the license covers."""

    version: str
    channel: str
    released_at: datetime
    #: The release notes in Markdown; None if there are none.
    notes: Optional[str]
    artifacts: Tuple[Artifact, ...]


@dataclass(frozen=True)
class NewestRelease:
    version: str
    released_at: datetime
    #: Whether the license covers the release. If not, offer the user a renewal.
    covered: bool


@dataclass(frozen=True)
class Latest:
    """The newest release that a license covers."""

    #: The newest release that the license covers; None if none is newer than the given version.
    update: Optional[Update]
    #: The newest release of the product, whether the license covers it or not.
    newest: Optional[NewestRelease]
    #: Headers that every download request needs. They contain the API key, and the license key or the token.
    headers: Mapping[str, str]
    status: Literal["latest"] = field(default="latest", init=False)


@dataclass(frozen=True)
class Forgotten:
    """All stored data is deleted. If there is a ``fault``, the seat may still be taken."""

    freed: bool
    fault: Optional[Fault] = None
    status: Literal["forgotten"] = field(default="forgotten", init=False)


@dataclass(frozen=True)
class RequestText:
    """The request for a device that is never online: one line of ASCII, which the user gives to the operator."""

    text: str
    status: Literal["request"] = field(default="request", init=False)
