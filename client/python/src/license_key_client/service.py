"""Calls the client routes of the service. A call returns a reply or a fault, and never raises."""

from __future__ import annotations

import json
import random
import re
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Dict, Literal, Mapping, Optional, Tuple, Union
from urllib.parse import quote

from .record import is_same_key, parse_seats
from .refusals import is_refused_status, is_status_name
from .state import Artifact, Fault, Latest, ListedDevice, Meter, NewestRelease, Seats, Update, UsageRefusal
from .strict_json import WHITE_SPACE, JsonObject, decode_json, is_count, is_filled, is_integer, is_text, trim
from .timestamp import parse_timestamp, to_datetime
from .transport import MAX_RESPONSE_BYTES, Request, Response, Transport
from .waiting import EndedError, LateError, Waiting

Operation = Literal["validate", "activate", "trial", "deactivate", "devices", "releases/latest", "consume", "meters", "activation-requests", "activation-requests/poll"]
#: The names and values of a request's fields. A field whose value is None is left out.
Fields = Mapping[str, Any]

#: Maximum ``Retry-After``, in seconds, for which a call waits before its second attempt.
_MAX_WAIT = 5
_DAY = 86_400
#: Error codes with which the status 429 asks the client to wait. With another code it is a refusal, which must not be
#: retried.
_THROTTLING = (None, "rate_limited")
#: Error codes about seats. The service sends them with the status 429.
_SEAT_CODES = ("no_seats", "too_many_devices")


@dataclass(frozen=True)
class Granted:
    token: str
    #: The license key in its canonical form.
    key: str
    #: The following fields are not signed; they are information only.
    type_name: Optional[str]
    seats: Optional[Seats]


@dataclass(frozen=True)
class NotBound:
    key: str
    license_id: str
    seats: Seats
    #: The header ``X-Svc-Verdict``.
    verdict: Optional[str]


@dataclass(frozen=True)
class Refused:
    name: str
    #: The header ``X-Svc-Verdict``.
    verdict: Optional[str]


@dataclass(frozen=True)
class ActivationRequest:
    """A request to activate this device, which somebody approves in the browser."""

    #: The secret with which this device asks for the decision.
    request: str
    user_code: str
    url: str
    #: Seconds to wait before the next question.
    interval: int


@dataclass(frozen=True)
class Undecided:
    interval: int


#: The response of the service about a key and a device. Nothing in it is verified yet.
Reply = Union[Granted, NotBound, Refused]

#: The decision about an :class:`ActivationRequest`.
Decision = Union[Reply, Undecided, Literal["denied", "expired"]]


@dataclass(frozen=True)
class _Reading:
    """A response that contains a JSON object, regardless of its content."""

    status: int
    code: Optional[str]
    verdict: Optional[str]
    body: JsonObject


def _member(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else None


def _grant_in(reading: _Reading) -> Optional[Granted]:
    body = reading.body
    token: Any = body.get("offline_token")
    held = body.get("license")
    key, type_name = _member(held, "key"), _member(_member(held, "license_type"), "name")
    if not is_filled(token) or not is_filled(key):
        return None
    return Granted(
        token=token,
        key=key,
        type_name=type_name if is_filled(type_name) else None,
        seats=parse_seats(body.get("seats")),
    )


def _not_bound_in(reading: _Reading) -> Optional[NotBound]:
    """For a valid key on a device without a seat, the response has neither device nor token."""
    body = reading.body
    held, seats = body.get("license"), parse_seats(body.get("seats"))
    key, license_id = _member(held, "key"), _member(held, "id")
    is_whole = is_filled(key) and is_integer(license_id) and is_status_name(body.get("status")) and "device" not in body and "offline_token" not in body
    return NotBound(key, str(license_id), seats, reading.verdict) if is_whole and seats else None


def _validation_reply(reading: _Reading) -> Optional[Reply]:
    """Reads the reply in a response to a validation; None if the response contains no reply of the service. An error
    response contains no decision about the license. A refusal without a verdict must have exactly the members
    ``valid`` and ``status``. A refusal with a verdict may have further members, because the verdict can prove that the
    refusal comes from the service."""
    body = reading.body
    name: Any = body.get("status")
    if reading.status != 200:
        return None
    if body.get("valid") is True:
        return _grant_in(reading) or _not_bound_in(reading)
    if body.get("valid") is not False or not is_refused_status(name) or (reading.verdict is None and len(body) != 2):
        return None
    return Refused("unknown_key" if name == "invalid" else name, reading.verdict)


def _activation_reply(operation: Operation, reading: _Reading) -> Optional[Reply]:
    """Reads the reply in a response to an activation or a trial."""
    status, code = reading.status, reading.code
    if status in (200, 201):
        return _grant_in(reading)
    if code is None or not is_text(reading.body.get("detail")):
        return None
    name: Optional[str] = None
    if status == 403 and code == "release_not_covered":
        name = "not_covered"
    elif status == 403 and code == "sign_in_required":
        name = code
    elif _license_status_in(status, code):
        name = _license_status_in(status, code)
    elif status == 404 and code == "not_found":
        name = "no_trial" if operation == "trial" else "unknown_key"
    elif status == 429 and code in _SEAT_CODES:
        name = code
    return None if name is None else Refused(name, reading.verdict)


def _request_in(reading: _Reading) -> Optional[ActivationRequest]:
    body = reading.body
    request, user_code, url, interval = (body.get(name) for name in ("request", "user_code", "url", "interval"))
    # The app opens this address, so it must not be one that starts a program.
    is_address = isinstance(url, str) and re.fullmatch(f"https?://[^{WHITE_SPACE}]+", url, re.IGNORECASE)
    is_whole = reading.status == 201 and is_filled(request) and is_filled(user_code) and is_address and is_count(interval)
    return ActivationRequest(request, user_code, url, interval) if is_whole else None  # type: ignore[arg-type]


def _decision_in(reading: _Reading) -> Optional[Decision]:
    """Reads the decision about an activation request."""
    body = reading.body
    if reading.status != 200:
        # A refusal of the approved license has the form of a refused activation. An unknown request is ``expired``, and
        # never 404.
        return None if reading.status == 404 else _activation_reply("activate", reading)
    name, interval, activation = (body.get(field) for field in ("status", "interval", "activation"))
    if name == "pending":
        return Undecided(interval) if isinstance(interval, int) and is_count(interval) else None
    if name == "denied":
        return "denied"
    if name == "expired":
        return "expired"
    return _grant_in(replace(reading, body=activation)) if name == "approved" and isinstance(activation, dict) else None


def _license_status_in(status: int, code: str) -> Optional[str]:
    """The status of the license in an error code such as ``license_revoked``."""
    name = code[len("license_") :] if status == 403 and code.startswith("license_") else None
    return name if is_refused_status(name) else None


#: The statuses and error codes with which the service refuses ``consume`` and ``meters``, and the name of the refusal.
_USAGE_CODES = {
    (404, "not_found"): "unknown_key",
    (403, "not_activated"): "not_activated",
    (403, "sign_in_required"): "sign_in_required",
    (404, "unknown_meter"): "unknown_meter",
    (409, "idempotency_mismatch"): "idempotency_mismatch",
    (422, "invalid_request"): "invalid_request",
    (429, "meter_exhausted"): "meter_exhausted",
}


def _usage_refusal(reading: _Reading) -> Optional[UsageRefusal]:
    """Reads a refusal of ``consume`` or ``meters``."""
    status, code, detail = reading.status, reading.code, reading.body.get("detail")
    if code is None or not isinstance(detail, str):
        return None
    reason = _license_status_in(status, code) or _USAGE_CODES.get((status, code))
    return None if reason is None else UsageRefusal(reason, detail)


def _meter(meter: Any) -> Optional[Meter]:
    name, period = _member(meter, "meter"), _member(meter, "period")
    used, included, remaining = (_member(meter, field) for field in ("used", "included", "remaining"))
    if not is_filled(name) or not is_filled(period) or not all(map(is_count, (used, included, remaining))) or "resets_at" not in meter:
        return None
    resets_at = parse_timestamp(meter["resets_at"])
    if resets_at is None and meter["resets_at"] is not None:
        return None
    return Meter(name, used, included, remaining, period, None if resets_at is None else to_datetime(resets_at))


def _listed_device(device: Any) -> Optional[ListedDevice]:
    ref, name, platform = (_member(device, field) for field in ("ref", "name", "platform"))
    activated, seen, is_this = parse_timestamp(_member(device, "activated_at")), _member(device, "last_seen_on"), _member(device, "this")
    is_whole = is_filled(ref) and is_text(name) and is_text(platform) and (seen is None or is_text(seen)) and isinstance(is_this, bool)
    return ListedDevice(ref, name, platform, to_datetime(activated), seen, is_this) if is_whole and activated is not None else None


class _NotOfTheService(Exception):
    """Raised for a response whose content does not match the service's API."""


def _expect(is_good: bool) -> None:
    if not is_good:
        raise _NotOfTheService


def _artifact(artifact: Any) -> Artifact:
    texts = [_member(artifact, name) for name in ("filename", "platform", "arch", "sha256", "sha512", "url")]
    signature, size = _member(artifact, "signature"), _member(artifact, "size")
    _expect(all(map(is_filled, texts)) and (signature is None or is_filled(signature)) and is_count(size))
    filename, platform, arch, sha256, sha512, url = texts
    return Artifact(filename, platform, arch, size, sha256, sha512, signature, url)


def _released_at(release: Any) -> datetime:
    moment = parse_timestamp(_member(release, "released_at"))
    _expect(moment is not None and is_filled(_member(release, "version")))
    return to_datetime(moment or 0)


def _update(update: Any) -> Optional[Update]:
    if update is None:
        return None
    channel, notes, artifacts = (_member(update, name) for name in ("channel", "notes", "artifacts"))
    _expect(is_filled(channel) and (notes is None or is_text(notes)) and isinstance(artifacts, list))
    released_at = _released_at(update)
    return Update(update["version"], channel, released_at, notes, tuple(map(_artifact, artifacts)))


def _newest(newest: Any) -> Optional[NewestRelease]:
    if newest is None:
        return None
    covered = _member(newest, "covered")
    _expect(isinstance(covered, bool))
    released_at = _released_at(newest)
    return NewestRelease(newest["version"], released_at, covered)


def _foreign(status: int) -> Fault:
    """Returns the fault for a response that does not come from the service, but from a captive portal or a
    proxy."""
    return Fault("malformed", f"not a response of the service: HTTP {status}")


def _unusable(reading: _Reading) -> Fault:
    """Returns the fault for a response that contains no decision about the license."""
    detail = reading.body.get("detail")
    if reading.status < 400 or reading.code is None or not is_text(detail):
        return _foreign(reading.status)
    return Fault("rejected", f"HTTP {reading.status} {reading.code}: {detail}")


def _retry_after(header: Optional[str]) -> Optional[int]:
    """Seconds to wait according to ``Retry-After`` (RFC 9110, section 10.2.3), at most a day. A header with a date
    or 0 is ignored."""
    # `float` reads a text with any number of digits, but `int` refuses a text with more than 4,300 digits.
    return int(min(float(header), _DAY)) if header is not None and re.fullmatch("0*[1-9][0-9]*", header) else None


def _read(operation: Operation, response: Response) -> Union[_Reading, Fault]:
    # Not every HTTP library removes the white space around a value.
    status, headers = response.status, {name: trim(value) for name, value in response.headers.items() if value}
    code = headers.get("x-svc-error-code") or None
    if status >= 500 or (status == 429 and code in _THROTTLING):
        return Fault("busy", f"HTTP {status}", _retry_after(headers.get("retry-after")))
    if len(response.body) > MAX_RESPONSE_BYTES:
        return Fault("malformed", f"not a response of the service: HTTP {status} with more than {MAX_RESPONSE_BYTES} bytes")
    # The lists of devices and meters are the only responses that are not objects.
    parsed = decode_json(response.body)
    body = {"list": parsed} if operation in ("devices", "meters") and status == 200 and parsed is not None else parsed
    if not isinstance(body, dict):
        return _foreign(status)
    return _Reading(status, code, headers.get("x-svc-verdict"), body)


class Service:
    """Calls the client routes of the service for one product.

    :param timeout: time limit of each of the two attempts, in seconds
    :param retry_delay: pause before the second attempt, in seconds, plus a random time of up to half of this pause
    """

    def __init__(self, base_url: str, product_id: int, api_key: str, transport: Transport, timeout: float, retry_delay: float) -> None:
        self._prefix = f"{base_url}/v1/products/{product_id}"
        self._api_key = api_key
        self._transport = transport
        self._timeout = timeout
        self._retry_delay = retry_delay
        #: Ends when the client is closed.
        self.waiting = Waiting()

    def ask(self, operation: Operation, fields: Fields, token: Optional[str] = None) -> Union[Reply, Fault]:
        """Sends a request that is safe to repeat, because a device that already has a seat takes no second seat.

        :param token: the device's token, with which the service can sign that the license no longer exists
        """
        reading = self._call(operation, fields, {} if token is None else {"x-svc-token": token})
        if isinstance(reading, Fault):
            return reading
        reply = _validation_reply(reading) if operation == "validate" else _activation_reply(operation, reading)
        sent = fields.get("key")
        if isinstance(reply, Granted) and sent and not is_same_key(reply.key, sent):
            # The key in the response differs from the key in the request. The token doesn't prove which key is right,
            # so the client keeps the key that it sent. Otherwise a server that pretends to be the service could replace
            # the license's key.
            return replace(reply, key=sent)
        return reply or _unusable(reading)

    def devices(self, key: str, fingerprint: str) -> Union[Tuple[ListedDevice, ...], Fault]:
        """The devices of a license."""
        reading = self._call("devices", {"key": key, "fingerprint": fingerprint})
        if isinstance(reading, Fault):
            return reading
        listed = reading.body.get("list")
        found = tuple(map(_listed_device, listed)) if isinstance(listed, list) else (None,)
        devices = tuple(device for device in found if device is not None)
        return devices if len(devices) == len(found) else _unusable(reading)

    def request_activation(self, fields: Fields) -> Union[ActivationRequest, Fault]:
        """Creates a request that somebody approves in the browser. It ends the previous request of this device."""
        reading = self._call("activation-requests", fields)
        return reading if isinstance(reading, Fault) else _request_in(reading) or _unusable(reading)

    def poll(self, request: str, fingerprint: str) -> Union[Decision, Fault]:
        """Asks once for the decision about a request."""
        reading = self._attempt("activation-requests/poll", {"request": request, "fingerprint": fingerprint}, {})
        return reading if isinstance(reading, Fault) else _decision_in(reading) or _unusable(reading)

    def consume(self, fields: Fields) -> Union[Meter, UsageRefusal, Fault]:
        """Consumes an amount of a meter. A request with the same ``id`` consumes nothing more, so it is safe to repeat."""
        reading = self._call("consume", fields)
        if isinstance(reading, Fault):
            return reading
        meter = _meter(reading.body) if reading.status == 200 else None
        return meter or _usage_refusal(reading) or _unusable(reading)

    def meters(self, key: str, fingerprint: str) -> Union[Tuple[Meter, ...], UsageRefusal, Fault]:
        """The meters of a license."""
        reading = self._call("meters", {"key": key, "fingerprint": fingerprint})
        if isinstance(reading, Fault):
            return reading
        listed = reading.body.get("list")
        if not isinstance(listed, list):
            return _usage_refusal(reading) or _unusable(reading)
        meters = tuple(meter for meter in map(_meter, listed) if meter is not None)
        return meters if len(meters) == len(listed) else _unusable(reading)

    def latest(self, key: Optional[str], token: Optional[str], fields: Fields) -> Union[Latest, Fault]:
        """The newest release that a license covers, and the headers of the request, because downloads need the same
        headers. If both a key and a token exist, the key is sent."""
        license: Dict[str, str] = {"x-license-key": key} if key is not None else {"x-license-token": token} if token is not None else {}
        reading = self._call("releases/latest", fields, license)
        if isinstance(reading, Fault):
            return reading
        try:
            _expect(reading.status == 200 and "update" in reading.body and "newest" in reading.body)
            return Latest(_update(reading.body["update"]), _newest(reading.body["newest"]), {"x-api-key": self._api_key, **license})
        except _NotOfTheService:
            return _unusable(reading)

    def free(self, key: str, fingerprint: Optional[str], *, ref: Optional[str] = None, gives_up_unknown: bool = False) -> Union[bool, Fault]:
        """Frees the seat of the device with the given fingerprint or ref. Returns whether there was a seat.

        :param gives_up_unknown: if True, and if the service doesn't know the key, the result is False instead of a
            fault
        """
        reading = self._call("deactivate", {"key": key, "fingerprint": fingerprint, "device": ref})
        if isinstance(reading, Fault):
            return reading
        freed = reading.body.get("freed")
        if reading.status == 200 and isinstance(freed, bool):
            return freed
        fault = _unusable(reading)
        return False if gives_up_unknown and fault.kind == "rejected" and reading.code == "not_found" else fault

    def after_fork(self) -> None:
        """Requests in progress belong to the parent process."""
        is_ended = self.waiting.is_ended
        self.waiting = Waiting()
        if is_ended:
            self.waiting.end()

    def close(self) -> None:
        """Stops requests in progress and refuses later calls, with the fault ``closed``."""
        self.waiting.end()

    def _call(self, operation: Operation, fields: Fields, license: Mapping[str, str] = {}) -> Union[_Reading, Fault]:
        """Sends a request. After a fault that may be temporary, the request is sent a second time."""
        first = self._attempt(operation, fields, license)
        if not isinstance(first, Fault) or self.waiting.is_ended:
            return first
        wait = first.retry_after or 0
        if wait > _MAX_WAIT:
            return first
        self.waiting.pause(max(self._retry_delay * (1 + random.random() / 2), wait))
        return self._attempt(operation, fields, license)

    def _attempt(self, operation: Operation, fields: Fields, license: Mapping[str, str]) -> Union[_Reading, Fault]:
        try:
            request = self._request(operation, fields, license)
            return _read(operation, self.waiting.within(self._timeout, lambda: self._transport(request)))
        except EndedError:
            return Fault("closed", "client closed")
        except (LateError, TimeoutError):
            return Fault("timeout", f"no response within {self._timeout} s")
        except Exception as error:
            return Fault("unreachable", f"{type(error).__name__}: {error}")

    def _request(self, operation: Operation, fields: Fields, license: Mapping[str, str]) -> Request:
        given = {name: value for name, value in fields.items() if value is not None}
        url = f"{self._prefix}/{operation}"
        if operation in ("validate", "releases/latest"):
            query = "&".join(f"{name}={quote(value, safe='')}" for name, value in given.items())
            return Request("GET", f"{url}?{query}", {"X-API-Key": self._api_key, **license}, None, self._timeout)
        headers = {"X-API-Key": self._api_key, "Content-Type": "application/json"}
        return Request("POST", url, headers, json.dumps(given).encode("ascii"), self._timeout)
