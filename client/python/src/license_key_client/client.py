"""The client for the license of this device."""

from __future__ import annotations

import logging
import math
import os
import re
import secrets
import threading
import time
import weakref
from collections import deque
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Callable, Deque, Dict, Iterator, Literal, Optional, Set, Tuple, Union

from .assessment import Assessment, Rules, assess, licensed_state, may_still_count, offline_state, refresh_time, state_from_cache
from .cache import Cache, Make, Warn, is_device_id
from .coverage import Release, covers
from .device import Device, DeviceFinder, FingerprintSource
from .entered import filled_text, invalid_input, invalid_use, is_version, shown_label
from .keys import PublicKey, verify_keys
from .offline_request import OfflineRequest, write_offline_request
from .queue import MAX_AGE_MS, Entry, Queue
from .record import Record, emptied, is_same_activation, is_same_key, with_release
from .refusals import is_signable, refusal_state
from .service import ActivationRequest, Granted, NotBound, Operation, Refused, Reply, Service, Undecided
from .state import (
    Consumed,
    Consumption,
    Deactivated,
    DeviceList,
    Failed,
    Fault,
    Forgotten,
    InvalidInput,
    InvalidToken,
    Latest,
    Licensed,
    LicenseState,
    Meter,
    MeterList,
    NotConsumed,
    OfflineWithoutToken,
    Pending,
    Queued,
    Refusal,
    RequestText,
    Seats,
    Unbound,
    Updates,
    UsageRefusal,
)
from .storage import MemoryStorage, Storage
from .strict_json import MAX_INTEGER, is_integer, is_time, trim, without_white_space
from .timestamp import Milliseconds, parse_timestamp
from .token import CLOCK_BEHIND_MS, CLOCK_SKEW_MS, TOKEN_ISSUER, TokenClaims, verify_with
from .transport import Transport, urllib_transport
from .verdict import VerdictExpectation, verify_verdict
from .waiting import Background, Shared

#: Runs a task once after the given number of seconds, and returns a function that cancels it.
Schedule = Callable[[Callable[[], None], float], Callable[[], None]]
Listener = Callable[[LicenseState], None]

_DAY_MS = 86_400_000
#: Pause between a failed background request and the next one.
_RETRY_PAUSE_MS = 300_000
#: Maximum sleep of the background timer. During a sleep the clock may be changed, and the device may go to standby.
#: Therefore a longer sleep could end too late.
_MAX_SLEEP_MS = 3_600_000
_MIN_SLEEP_MS = 1000
#: After this time, in seconds, a request that waits for an approval has ended in any case.
_REQUEST_LIFETIME = 600
#: Minimum pause between two questions for the decision, in seconds.
_MIN_POLL_PAUSE = 1
#: By how many seconds each fault lengthens the pause between two questions for the decision (RFC 8628, section 3.5).
_SLOW_DOWN = 5
#: How often a pause looks at the app's signal, in seconds.
_SIGNAL_POLL = 0.1
#: Pause between attempts to store a record that could not be stored.
_STORE_PAUSE_MS = 10_000
#: The latest time seen is stored with this precision, so that most starts of the app write nothing to the storage.
_SEEN_PRECISION_MS = 60_000

_logger = logging.getLogger("license_key_client")


@dataclass(frozen=True)
class _Proved:
    """A license that the service has just granted; its token was verified."""

    record: Record
    claims: TokenClaims


@dataclass(frozen=True)
class _Denied:
    """A refusal that the client trusts. If the refusal must be signed, its signature was verified."""

    name: str
    seen: Milliseconds
    is_signed: bool = False


_Trusted = Union[_Proved, _Denied, Fault]


def _start_timer(task: Callable[[], None], seconds: float) -> Callable[[], None]:
    timer = threading.Timer(seconds, task)
    # A timer must not prevent a command-line tool from ending.
    timer.daemon = True
    timer.start()
    return timer.cancel


def _name_of_address(base_url: str) -> str:
    """The part of a storage name that differs between environments of a service, such as test and production: the
    service's URL without its scheme, in lower case, with ``_`` for characters that file names can't contain."""
    without_scheme = re.sub("^https?://", "", base_url, flags=re.IGNORECASE)
    return re.sub(r"[^A-Za-z0-9.-]+", "_", without_scheme).lower()


def _latest_time(iat: Milliseconds, now: int, time: Milliseconds) -> Milliseconds:
    """The new latest time that is known to have passed, after a signed token or verdict with the time of issue `iat`
    (in seconds) has arrived. If the clock and `iat` differ by at most the clock tolerance, the clock is right: the
    result is `now`, even if the previous latest time (`time`) is later. Otherwise the result is the later of `time` and
    `iat`: a clock that is behind `iat` is wrong, but a clock that is ahead of `iat` may be right, because the response
    may be old."""
    return now if abs(now - iat * 1000) <= CLOCK_SKEW_MS else max(time, iat * 1000)


def _import_time(iat: Milliseconds, now: int, seen: Milliseconds, held: Optional[TokenClaims]) -> Milliseconds:
    """Returns the time at which an imported token is verified; this time is then stored as the latest time seen. `iat`
    is when the imported token was issued (epoch ms). Normally the result is `iat` or the latest time `seen`, whichever
    is later. There are two exceptions. If the imported token is newer than the current one (`held`), `now` replaces
    `seen`, so that an import corrects a wrong time from a clock that was ahead. If `iat` is more than a day later than
    `now`, `iat` is ignored."""
    base = now if held is not None and iat > held.iat * 1000 else seen
    return base if iat - now > CLOCK_BEHIND_MS else max(base, iat)


def _is_release(value: Any) -> bool:
    if not isinstance(value, Release) or not is_version(value.version):
        return False
    return value.released_at is None or parse_timestamp(value.released_text) is not None


def _check_options(options: Dict[str, Any]) -> None:
    def matches(pattern: str) -> Callable[[Any], bool]:
        return lambda value: isinstance(value, str) and re.fullmatch(pattern, value, re.IGNORECASE | re.ASCII) is not None

    def is_between(minimum: float, maximum: float) -> Callable[[Any], bool]:
        return lambda value: is_time(value) and minimum <= value <= maximum

    def or_absent(rule: Callable[[Any], bool]) -> Callable[[Any], bool]:
        return lambda value: value is None or rule(value)

    rules: Dict[str, Callable[[Any], bool]] = {
        "base_url": matches(r"https?://[^\s/?#@][^\s?#@]*"),
        "product_id": lambda value: is_integer(value) and 0 < value <= MAX_INTEGER,
        "api_key": matches(r"[\x21-\x7e]+"),
        "audience": or_absent(lambda value: isinstance(value, str) and trim(value) != ""),
        "fingerprint": or_absent(lambda value: callable(value) or (isinstance(value, str) and is_device_id(trim(value)))),
        "storage": or_absent(lambda value: all(callable(getattr(value, name, None)) for name in ("get", "set", "remove", "lock"))),
        "release": or_absent(_is_release),
        "offline": lambda value: value in ("refuse", "queue"),
        "storage_name": or_absent(matches(r"[\w.-]{1,100}")),
        "transport": callable,
        "now": callable,
        "grace_days": is_between(0, 36_500),
        "timeout": is_between(0.001, 600),
        "retry_delay": is_between(0, 600),
        "on_warning": or_absent(callable),
        "schedule": callable,
    }
    for option, is_good in rules.items():
        if not is_good(options[option]):
            raise ValueError(f"{option} is not valid")


class LicenseClient:
    """A client for the license of this device. Create one client per product and process. It is safe to use from
    several threads.

    Most apps need only ``activate()``, and ``check()`` at the start. After ``check()``, :attr:`state` is kept up
    to date, and tokens and leases are renewed in the background. No method raises because of the network, the
    storage, a token or a user's input. Only the constructor raises, for invalid options.

    :param base_url: the service's URL, such as ``https://licenses.example.com``
    :param product_id: the product's ``id``
    :param api_key: the product's ``api_key``; it ships with the app
    :param public_key: the product's ``public_key`` (PEM), its JWK set, or a list of PEMs and JWK sets. Every given key
        is trusted
    :param audience: the product's slug: tokens for another audience are refused. Without a slug, only the signing
        key identifies the product
    :param fingerprint: this device's fingerprint, or a function that finds it, such as :func:`fingerprint`. If this
        argument is missing, or if this machine has no fingerprint, the client creates a random id once and keeps it in
        `storage`
    :param storage: default: memory, so the license is lost when the process ends
    :param storage_name: 1 to 100 letters, digits, ``.``, ``_`` and ``-``. The default consists of `product_id` and
        `base_url`; set a name to keep the licenses when the service's URL changes
    :param grace_days: number of days for which an expired token is still accepted while the service can't be
        asked. The grace period ends no later than the license
    :param timeout: maximum time for each of the two attempts of a request, and for each access to the storage, in
        seconds. The fingerprint may take twice as long
    :param retry_delay: pause between the two attempts of a request, in seconds; a random time of up to half of the
        pause is added
    :param allow_unbound_tokens: accepts tokens that the operator issued without a device: they work on every
        machine to which they are copied
    :param release: this build of the app. ``activate`` refuses a license that doesn't cover this build. :meth:`covers`
        without an argument checks this build. Activations and validations contain its version, so that the operator
        sees which versions are in use
    :param offline: what :meth:`consume` does with an amount if the service can't be reached. ``refuse``: the call fails.
        ``queue``: the amount is stored and sent later
    :param on_warning: called with faults that change no result. Default: the logger ``license_key_client``
    :param transport: sends HTTP requests; default: the standard library
    :param now: the clock, in seconds since 1970
    :param schedule: runs a task once after the given number of seconds, and returns a function that cancels it;
        default: a timer in a separate thread
    :raises ValueError: for invalid options
    """

    def __init__(
        self,
        *,
        base_url: str,
        product_id: int,
        api_key: str,
        public_key: PublicKey,
        audience: Optional[str] = None,
        fingerprint: FingerprintSource = None,
        storage: Optional[Storage] = None,
        storage_name: Optional[str] = None,
        grace_days: float = 0,
        timeout: float = 5.0,
        retry_delay: float = 0.5,
        allow_unbound_tokens: bool = False,
        release: Optional[Release] = None,
        offline: Literal["refuse", "queue"] = "refuse",
        on_warning: Optional[Warn] = None,
        transport: Transport = urllib_transport,
        now: Callable[[], float] = time.time,
        schedule: Schedule = _start_timer,
    ) -> None:
        _check_options(locals())
        address = base_url.rstrip("/")
        self._product_id = product_id
        self._release = Release() if release is None else release
        #: The version of the app, as requests name it.
        self._version = filled_text(self._release.version)
        self._rules = Rules(verify_keys(public_key), audience, allow_unbound_tokens, grace_days * _DAY_MS)
        self._clock = now
        self._on_warning = on_warning
        self._start_timer = schedule
        self._service = Service(address, product_id, api_key, transport, timeout, retry_delay)
        name = f"{TOKEN_ISSUER}.{product_id}.{_name_of_address(address)}" if storage_name is None else storage_name
        self._cache = Cache(MemoryStorage() if storage is None else storage, name, timeout, retry_delay / 2, self._warn)
        self._queues = offline == "queue"
        self._queue = Queue(self._cache)
        self._finder = DeviceFinder(fingerprint, self._cache, 2 * timeout, self._warn)

        self._prepare_threads()
        self._release_is_due = False
        self._send_is_due = False
        #: The earliest time at which the next background request may be sent, in epoch milliseconds.
        self._ask_again_at: Milliseconds = 0
        #: When the current token is due to be refreshed, in epoch milliseconds.
        self._refresh_at: Milliseconds = math.inf
        #: Whether this process knows of stored amounts that could not be sent.
        self._is_waiting_to_send = False
        self._stop_timer: Callable[[], None] = lambda: None
        self._is_closed = False
        #: Each of these events ends a pause of :meth:`activate_in_browser`.
        self._pauses: Set[threading.Event] = set()

        self._state: Optional[LicenseState] = None
        #: The state before the release of the app is compared with what the license covers.
        self._found: Optional[LicenseState] = None
        self._listeners: Dict[object, Listener] = {}
        #: States that the listeners have not received yet.
        self._news: Deque[LicenseState] = deque()
        _clients.add(self)

    def _prepare_threads(self) -> None:
        """Creates locks and thread state. A forked process creates them again, because it has none of its parent's
        threads."""
        #: Locked while the record is assessed and changed. It is never locked during a request or while a listener
        #: is called.
        self._lock = threading.Lock()
        #: Locked while a seat is taken or freed. It is never locked while a listener is called, because the
        #: listener may call the client.
        self._seat = threading.Lock()
        #: Locked while stored amounts are sent.
        self._sending = threading.Lock()
        self._checking: Shared[LicenseState] = Shared(self._check_once)
        self._validating: Shared[LicenseState] = Shared(self._validate_once)
        self._background = Background(lambda error: self._warn("A background task failed", error))
        self._is_notifying = False

    def _after_fork(self) -> None:
        self._prepare_threads()
        self._release_is_due = False
        self._send_is_due = False
        self._service.after_fork()
        self._cache.after_fork()
        self._finder.after_fork()

    @property
    def state(self) -> Optional[LicenseState]:
        """The latest license state; None before the first result."""
        return self._state

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Calls `listener` whenever :attr:`state` changes, in the thread that changed it. Returns a function that
        unsubscribes."""
        place = object()
        self._listeners[place] = listener

        def end() -> None:
            self._listeners.pop(place, None)

        return end

    def has(self, feature: str) -> bool:
        """Whether the app may be used now and the license includes a feature, according to :attr:`state`. Works
        offline."""
        return isinstance(self._state, Licensed) and feature in self._state.features

    def limit(self, name: str) -> Optional[int]:
        """A limit of the license, according to :attr:`state`. Works offline. None if the license has no such limit, or the
        app may not be used now."""
        return self._state.limits.get(name) if isinstance(self._state, Licensed) else None

    def covers(self, release: Optional[Release] = None) -> bool:
        """Whether the app may be used now and the license covers a release, according to :attr:`state`. Works
        offline, and doesn't depend on the clock.

        :param release: default: the option `release`
        """
        updates = getattr(self._state, "updates", None)
        return isinstance(updates, Updates) and covers(updates, self._release if release is None else release)

    def fingerprint(self) -> Optional[str]:
        """This device's fingerprint in the canonical form that the service stores; None if it can't be found
        now."""
        with self._lock:
            _, device = self._identify()
        return device.id if isinstance(device, Device) else None

    def check(self) -> LicenseState:
        """Checks whether the app may be used on this device. A valid cached token is accepted without the
        network, and is refreshed in the background after half of its lifetime. Otherwise the service is asked
        once. Simultaneous calls share one result."""
        with self._notifying():
            return self._checking.run()

    def validate(self) -> LicenseState:
        """Asks the service now. If the service gives no decision, the result comes from the cache. If this result is
        :class:`Licensed` or :class:`OfflineWithoutToken`, its `fault` says why there is no decision."""
        with self._notifying():
            return self._validating.run()

    def activate(
        self, key: str, *, name: Optional[str] = None, platform: Optional[str] = None, replace: Optional[str] = None
    ) -> Union[LicenseState, InvalidInput]:
        """Takes a seat for this device and caches its token. If the service refuses the key, the license of an earlier
        key stays active. If the service accepts the key, the new license replaces the earlier one, and the seat of the
        earlier key is freed. Repeating a call is harmless.

        :param key: as the user typed it
        :param name: a device name for the operator, such as "Ada's laptop"; `name` and `platform` have at most
            200 characters
        :param replace: the ``ref`` of a device (:meth:`devices`) whose seat is freed for this device if the
            license is full
        """
        invalid = invalid_input(key=key, name=name, platform=platform, replace=replace)
        if invalid:
            return invalid
        with self._notifying():
            return self._activate(trim(key), {"name": filled_text(name), "platform": filled_text(platform), "replace": filled_text(replace)})

    def _activate(self, key: str, fields: Dict[str, Any]) -> LicenseState:
        return self._take_seat("activate", key, {**fields, "release": self._release_fields()})

    def _release_fields(self) -> Optional[Dict[str, str]]:
        """The release of the app, as requests name it."""
        known = {"version": self._version, "released_at": self._release.released_text}
        return {name: value for name, value in known.items() if value is not None} or None

    def activate_in_browser(
        self,
        *,
        open: Callable[[str], object],
        on_code: Callable[[str], object],
        name: Optional[str] = None,
        platform: Optional[str] = None,
        signal: Optional[threading.Event] = None,
    ) -> Union[LicenseState, InvalidInput]:
        """Activates this device without a typed key: the user signs in to the vendor's portal in the browser, compares the
        code, and chooses a license. The call waits for the decision, at most ten minutes. It returns a state as
        :meth:`activate` does, or ``denied`` or ``request_expired``. After :meth:`close` or `signal`, the fault is
        ``closed``. A new call ends the request of an earlier one. Characters that change the direction of text are removed
        from `name` and `platform`, which are cut to 200 characters.

        :param open: opens an address in the user's browser, for example ``webbrowser.open``
        :param on_code: shows the code until the call ends. The user compares it with the code in the browser
        :param signal: when it is set, the call ends
        """
        labels = {"name": shown_label(name), "platform": shown_label(platform)}
        invalid = invalid_input(**labels)
        if invalid:
            return invalid
        with self._notifying():
            with self._lock:
                before = self._assess()
                device = before.device
                if isinstance(device, Fault):
                    return self._conclude_fault(device, before)
            sent = {field: filled_text(text) for field, text in labels.items()}
            asked = self._service.request_activation({**sent, "fingerprint": device.id, "release": self._release_fields()})
            if isinstance(asked, Fault):
                decision: Union[Reply, Literal["denied", "expired"], Fault] = asked
            else:
                self._tell(on_code, asked.user_code)
                self._tell(open, asked.url)
                decision = self._decision(asked, device.id, signal)
            return self._sign_in_concluded(decision, device)

    def _sign_in_concluded(self, decision: Union[Reply, Literal["denied", "expired"], Fault], device: Device) -> LicenseState:
        with self._changing_seats():
            with self._lock:
                assessment = self._assess()
                if isinstance(decision, Fault):
                    state = offline_state(assessment, decision)
                    return state if decision.kind == "closed" else self._publish_unless_licensed(state, assessment)
                if decision == "denied" or decision == "expired":
                    return self._publish_unless_licensed(Refusal("denied" if decision == "denied" else "request_expired"), assessment)
                # If no token tells the license of the held key, the key may be one of the same license. Freeing its seat
                # would free the new one.
                replaced = None if assessment.claims is None else assessment.record.key
                concluded = self._seat_taken(None, decision, None, assessment, replace(assessment, device=device), replaced, self._change_key)
            return concluded or self._overtaken()

    def _tell(self, call: Callable[[str], object], text: str) -> None:
        """Calls a function of the app, and passes its fault to `on_warning`."""
        try:
            call(text)
        except Exception as error:
            self._warn("The sign-in could not be shown", error)

    def _decision(
        self, asked: ActivationRequest, fingerprint: str, signal: Optional[threading.Event]
    ) -> Union[Reply, Literal["denied", "expired"], Fault]:
        """Asks for the decision about a request until there is one, or until the pauses have lasted as long as the request.
        The pauses are counted, because the clock may be set meanwhile."""
        interval, slower, retry_after, left = asked.interval, 0, 0, _REQUEST_LIFETIME
        while left > 0:
            pause = min(max(interval + slower, retry_after, _MIN_POLL_PAUSE), left)
            if not self._pause(pause, signal):
                return Fault("closed", "the client was closed, or the app has ended the call")
            left -= pause
            decision = self._service.poll(asked.request, fingerprint)
            if isinstance(decision, Undecided):
                interval, retry_after = decision.interval, 0
            elif not isinstance(decision, Fault) or decision.kind == "rejected":
                return decision
            else:
                slower += _SLOW_DOWN
                retry_after = decision.retry_after or 0
        return "expired"

    def _pause(self, seconds: float, signal: Optional[threading.Event]) -> bool:
        """Waits some seconds. Returns False if :meth:`close` or `signal` has ended the wait."""
        end = threading.Event()
        self._pauses.add(end)
        stop = self._start_timer(end.set, seconds)
        try:
            while not (self._is_closed or (signal is not None and signal.is_set())):
                if end.wait(None if signal is None else _SIGNAL_POLL):
                    return not self._is_closed
            return False
        finally:
            stop()
            self._pauses.discard(end)

    def devices(self, key: Optional[str] = None) -> Union[DeviceList, InvalidInput, Failed]:
        """The devices that have seats of a license; the device that was activated last comes first. If the vendor
        doesn't let apps see the list, the result has the fault ``rejected``.

        :param key: default: the key of the current activation
        """
        invalid = None if key is None else invalid_input(key=key)
        if invalid:
            return invalid
        with self._lock:
            record, device = self._identify()
        if isinstance(device, Fault):
            return Failed(device)
        asked = record.key if key is None else trim(key)
        devices = self._service.devices(asked, device.id) if asked else ()
        return Failed(devices) if isinstance(devices, Fault) else DeviceList(devices)

    def latest(
        self, *, platform: Optional[str] = None, arch: Optional[str] = None, channel: Optional[str] = None, version: Optional[str] = None
    ) -> Union[Latest, Failed]:
        """The newest release that the license covers, with its files and the headers that a download needs. The request
        contains the current key, or the token if there is no key. Without key and token, the result contains a release
        only if the product's downloads are public.

        :param platform: the release must have a file for this platform or for ``any``; default: a file for any
            platform is enough
        :param arch: the release must have a file for this architecture, for ``any`` or for ``universal``; default: a
            file for any architecture is enough
        :param channel: default: ``stable``
        :param version: only a release that is newer than this version is an update; default: the version of the
            option `release`
        """
        with self._lock:
            record, device = self._identify()
        if isinstance(device, Fault) and device.kind == "storage":
            return Failed(device)
        given = {"platform": platform, "arch": arch, "channel": channel, "version": version}
        fields = {name: filled_text(value) for name, value in given.items()}
        found = self._service.latest(record.key, record.token, {**fields, "version": fields["version"] or self._version})
        return Failed(found) if isinstance(found, Fault) else found

    def consume(self, meter: str, amount: int, *, id: Optional[str] = None) -> Union[Consumption, InvalidInput]:
        """Consumes an amount of a meter of the license. The service counts it, and counts every `id` once. A refusal
        doesn't change the license state. With the option ``offline="queue"``, the amount is stored before it is sent, and
        it is sent later if the service can't be reached now. Amounts are sent one at a time, in the order of the calls.

        :param amount: from 1 to 1,000,000,000; for a meter that allows it, a negative amount gives back
        :param id: 8 to 64 characters, for example the id of the order or document that is counted. To repeat a call,
            repeat its `id`. Default: a random id
        """
        own = secrets.token_hex(32) if id is None else id
        invalid = invalid_use(meter, amount, own)
        if invalid:
            return invalid
        with self._lock:
            assessment = self._assess()
        record, device = assessment.record, assessment.device
        if isinstance(device, Fault) and device.kind == "storage":
            return NotConsumed(own, device)
        if record.key is None:
            return _NO_KEY
        entry = Entry(own, trim(meter), amount, math.floor(assessment.time), record.key, None if assessment.claims is None else assessment.claims.sub)
        return self._consume_in_turn(entry) if self._queues else _consumption(entry, self._send(entry))

    def meters(self) -> Union[MeterList, UsageRefusal, Failed]:
        """The license's meters, as the service has counted them."""
        with self._lock:
            record, device = self._identify()
        if isinstance(device, Fault):
            return Failed(device)
        if record.key is None:
            return _NO_KEY
        meters = self._service.meters(record.key, device.id)
        if isinstance(meters, Fault):
            return Failed(meters)
        return meters if isinstance(meters, UsageRefusal) else MeterList(meters)

    def pending(self) -> Union[Pending, Failed]:
        """Amounts that wait until they can be sent, and amounts that were dropped. Sends no request."""
        return self._queue.report() or Failed(_NOT_READ)

    def free(self, ref: str, key: Optional[str] = None) -> Union[Deactivated, InvalidInput, Failed]:
        """Frees the seat of another device. To free the seat of this device, use :meth:`deactivate`, which also
        forgets the key.

        :param ref: the device's ``ref`` in the result of :meth:`devices`
        :param key: default: the key of the current activation
        """
        invalid = invalid_input(ref=ref) if key is None else invalid_input(ref=ref, key=key)
        if invalid:
            return invalid
        with self._changing_seats():
            with self._lock:
                record, device = self._identify()
            if isinstance(device, Fault):
                return Failed(device)
            asked = record.key if key is None else trim(key)
            freed = self._service.free(asked, None, ref=trim(ref)) if asked else False
            return Failed(freed) if isinstance(freed, Fault) else Deactivated(freed)

    def trial(self, *, name: Optional[str] = None, platform: Optional[str] = None, customer_email: Optional[str] = None) -> Union[LicenseState, InvalidInput]:
        """Starts the product's trial, which needs no key, or continues the trial on a device that had it before.
        On a licensed device nothing changes, and no request is sent. If the device has a key, the key is validated
        and never replaced.

        :param customer_email: stored with the trial
        """
        invalid = invalid_input(name=name, platform=platform, customer_email=customer_email)
        if invalid:
            return invalid
        with self._notifying():
            with self._lock:
                assessment = self._assess()
                if assessment.problem is None:
                    return self._publish(state_from_cache(assessment, self._rules))
            if assessment.record.key is not None:
                return self._validating.run()
            labels = {"name": name, "platform": platform, "customer_email": customer_email}
            return self._take_seat("trial", None, {field: filled_text(text) for field, text in labels.items()})

    def deactivate(self) -> Union[Deactivated, Failed]:
        """Frees this device's seat and forgets its key and token. Needs the network only if a key is stored; a license
        from :meth:`import_token` may have no key. If the result is :class:`Failed`, the seat may still be taken, and
        this device still has the license. If another key is activated during the call, that activation stays."""
        self._send_before_freeing()
        with self._notifying(), self._changing_seats():
            with self._lock:
                assessment = self._assess()
            freed = self._free_seat(assessment.record, assessment.device)
            if isinstance(freed, Fault):
                return Failed(freed)
            with self._lock:
                if self._change_key(assessment.record, lambda current: emptied(current, assessment.time)):
                    self._publish(Unbound())
                    return Deactivated(freed)
            self._overtaken()
            return Deactivated(freed)

    def forget(self) -> Forgotten:
        """For uninstallers: frees this device's seat if the service can be reached, and deletes all stored data."""
        self._send_before_freeing()
        with self._notifying(), self._changing_seats():
            while True:
                with self._lock:
                    record, device = self._identify()
                freed = self._free_seat(record, device)
                with self._lock:
                    self._invalidate()
                    # If another process has activated a key in the meantime, the next round frees the seat of that key
                    # and deletes its data as well.
                    if self._cache.clear(record):
                        self._is_waiting_to_send = False
                        self._publish(Unbound())
                        return Forgotten(False, freed) if isinstance(freed, Fault) else Forgotten(freed)

    def offline_request(self, key: str, *, name: Optional[str] = None, platform: Optional[str] = None) -> Union[RequestText, InvalidInput, Failed]:
        """Returns a request for a device that is never online. The user gives this text to the operator, for example
        in a file or as a QR code. The operator responds with a token for :meth:`import_token`."""
        invalid = invalid_input(key=key, name=name, platform=platform)
        if invalid:
            return invalid
        with self._lock:
            _, device = self._identify()
        if isinstance(device, Fault):
            return Failed(device)
        return RequestText(write_offline_request(OfflineRequest(self._product_id, trim(key), device.id, filled_text(name), filled_text(platform))))

    def import_token(self, token: str) -> Union[LicenseState, InvalidToken]:
        """Licenses a device that is never online. The token is the operator's response to an :meth:`offline_request`,
        or a token that is bound to no device (needs `allow_unbound_tokens`). An accepted token replaces the cached
        data."""
        text = without_white_space(str(token))
        with self._notifying(), self._lock:
            while True:
                before = self._assess()
                held, record = before.claims, before.record
                imported = self._assess(text, lambda found: _import_time(found.iat * 1000, before.now, before.time, held))
                claims, device = imported.claims, imported.device
                if imported.problem is not None or claims is None or isinstance(device, Fault):
                    return InvalidToken(imported.problem or "malformed")
                key = record.key if held is not None and held.sub == claims.sub else None
                kind, time = device.kind, imported.time

                def make(current: Record) -> Record:
                    return replace(emptied(current, time), token=text, key=key, device=kind, release=with_release(current.release, current.key, key))

                kept = self._change_activation(record, make)
                if kept is not None:
                    return self._publish(licensed_state("cache", claims, kept), claims, kept)

    def idle(self) -> None:
        """Returns when no background request is in progress and the cache is written."""
        self._background.wait()
        with self._lock:
            self._cache.settle()
        self._notify()

    def close(self, *, release: bool = False) -> None:
        """Stops requests, timers and notifications, so that the process can end at once. The cache is still written.

        :param release: for floating licenses: before the client is closed, this device's seat is freed. The key stays
            stored: at the next start the state is ``unbound``, and the app can activate the state's ``key`` again.
            Without a network the seat is freed when its lease ends
        """
        self._is_closed = True
        self._stop_timer()
        for pause in list(self._pauses):
            pause.set()
        if release:
            self._release_seat()
        self._notify()
        self._service.close()
        self._listeners.clear()
        self.idle()

    def __enter__(self) -> "LicenseClient":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _release_seat(self) -> None:
        self._send_before_freeing()
        with self._changing_seats():
            with self._lock:
                assessment = self._assess()
            record = assessment.record
            key = record.key
            if record.token is None or key is None or isinstance(self._free_seat(record, assessment.device), Fault):
                return
            with self._lock:
                if self._change_key(record, lambda current: replace(emptied(current, assessment.time), key=key, refused="unbound", device=current.device)):
                    self._publish(refusal_state("unbound", key=key))

    def _free_seat(self, record: Record, device: Union[Device, Fault]) -> Union[bool, Fault]:
        """Frees this device's seat. Returns whether a seat was freed, or why the result is unknown."""
        if isinstance(device, Fault) and device.kind == "storage":
            return device
        if record.key is None:
            return False
        return device if isinstance(device, Fault) else self._service.free(record.key, device.id)

    def _keep_seat(self, freed: Optional[str]) -> None:
        """Runs after the seat of a key was freed. If another process has activated the same key in the meantime, that
        process needs the seat, so the key is activated again."""
        with self._lock:
            record, _ = self._identify()
        key = record.key
        if freed is not None and key is not None and record.token is not None and is_same_key(key, freed):
            self._submit(lambda: self._activate(str(key), {}))

    def _check_once(self) -> LicenseState:
        with self._lock:
            assessment = self._assess()
            record, claims, now = assessment.record, assessment.claims, assessment.now
            if now >= self._ask_again_at:
                self._send_in_background()
                if record.release:
                    self._release_in_background()
            state: Optional[LicenseState] = None
            if assessment.problem is None and claims is not None:
                if record.key is not None and now >= max(refresh_time(claims), self._ask_again_at):
                    self._submit(self._validating.run)
                state = self._publish(state_from_cache(assessment, self._rules), claims, record)
        state = state or self._validating.run()
        self._keep_time(assessment)
        return state

    def _validate_once(self) -> LicenseState:
        with self._lock:
            before = self._assess()
            record, device = before.record, before.device
            if isinstance(device, Fault):
                return self._conclude_fault(device, before)
            if record.key is None:
                return self._conclude_fault(None, before)
        reply = self._service.ask("validate", {"key": record.key, "fingerprint": device.id, "version": self._version}, record.token)
        with self._lock:
            assessment = self._assess()
            if is_same_activation(assessment.record, record):
                state = self._conclude(self._verify_reply(reply, assessment, True), assessment)
                if state is not None:
                    return state
        return self._overtaken()

    def _overtaken(self) -> LicenseState:
        """Called if another call or another process has changed the activation, so that the result of this call no
        longer applies. Returns the state of the new activation."""
        with self._lock:
            self._invalidate()
        return self._checking.run()

    def _take_seat(self, operation: Operation, key: Optional[str], fields: Dict[str, Any]) -> LicenseState:
        with self._changing_seats():
            with self._lock:
                before = self._assess()
                device = before.device
                if isinstance(device, Fault):
                    return self._conclude_fault(device, before)
            if key is None and before.record.key is not None:
                return self._overtaken()
            reply = self._service.ask(operation, {"key": key, **fields, "fingerprint": device.id})
            seats: Optional[Seats] = None
            if key is not None and isinstance(reply, Refused) and reply.name == "no_seats":
                seats = self._seats_of(key, device.id)
            with self._lock:
                change = self._change_activation if key is None else self._change_key
                state = self._seat_taken(key, reply, seats, before, replace(self._assess(), device=device), before.record.key, change)
            return state or self._overtaken()

    def _seat_taken(
        self,
        key: Optional[str],
        reply: Union[Reply, Fault],
        seats: Optional[Seats],
        before: Assessment,
        current: Assessment,
        earlier: Optional[str],
        change: Callable[[Record, Make], Optional[Record]],
    ) -> Optional[LicenseState]:
        """The state after a reply that may grant a seat; None if the activation has changed during the request.

        :param key: the key that was sent, if there was one
        :param earlier: the key whose seat is freed, unless it has the same seat
        """
        record = current.record
        is_held = key is not None and record.key is not None and is_same_key(record.key, key)
        verified = self._verify_reply(reply, current, is_held)
        if isinstance(verified, _Proved):
            granted, claims = verified.record, verified.claims
            replaced = None if _is_of_license(current, claims) else earlier
            kept = change(before.record, lambda held: _granted_record(granted, held, replaced))
            if kept is not None:
                return self._conclude_grant(kept, claims)
            # The reply comes too late, because another process has activated a key during the request.
            if not _is_of_license(self._assess(), claims):
                self._change(lambda held: replace(held, release=with_release(held.release, granted.key, held.key)))
            self._release_in_background()
            return None
        if isinstance(verified, Fault):
            # If another key can't be activated, the current license stays, and the result says that the other key was
            # not activated.
            return self._conclude(verified, current) if is_held else self._publish_unless_licensed(offline_state(current, verified), current)
        if is_held and (verified.is_signed or is_signable(verified.name) or not self._is_protected(current)):
            return self._conclude(verified, current if seats is None else replace(current, record=replace(record, seats=seats)))
        return self._publish_unless_licensed(refusal_state(verified.name, seats=seats), current)

    def _seats_of(self, key: str, fingerprint: str) -> Optional[Seats]:
        """Requests a validation to get the seat numbers for the state ``no_seats``, because the refusal doesn't contain
        them. The service stores no version of a device without a seat, so this request contains none."""
        reply = self._service.ask("validate", {"key": key, "fingerprint": fingerprint})
        return reply.seats if isinstance(reply, NotBound) else None

    def _conclude_fault(self, fault: Optional[Fault], assessment: Assessment) -> LicenseState:
        """The state if there is no decision from the service. `fault` is the fault that prevented a decision; None if
        there was no fault."""
        if fault is not None:
            self._ask_again_at = assessment.now + max(_RETRY_PAUSE_MS, (fault.retry_after or 0) * 1000)
        return self._publish(state_from_cache(assessment, self._rules, fault), assessment.claims, assessment.record)

    def _conclude(self, reply: _Trusted, assessment: Assessment) -> Optional[LicenseState]:
        """Stores the service's decision about the current key; returns None if the activation has changed since
        the request."""
        record = assessment.record
        if isinstance(reply, Fault):
            return self._conclude_fault(reply, assessment)
        if isinstance(reply, _Proved):
            granted = reply.record
            stored = self._change_activation(record, lambda current: _granted_record(granted, current, None))
            return None if stored is None else self._conclude_grant(stored, reply.claims)
        denied = reply

        def refuse(current: Record) -> Record:
            return replace(
                emptied(current, denied.seen),
                refused=denied.name,
                key=current.key,
                type_name=current.type_name,
                device=current.device,
                seats=record.seats,
                verdicts=True if denied.is_signed else current.verdicts,
            )

        kept = self._change_activation(record, refuse)
        return None if kept is None else self._publish(refusal_state(denied.name, key=kept.key, seats=kept.seats))

    def _conclude_grant(self, kept: Record, claims: TokenClaims) -> LicenseState:
        """The state after a grant was stored."""
        # Ends the pause between background requests. If the pause began while the clock was ahead, it could otherwise
        # last for days after the clock is corrected.
        self._ask_again_at = 0
        self._send_in_background()
        if kept.release:
            self._release_in_background()
        return self._publish(licensed_state("network", claims, kept), claims, kept)

    def _send(self, entry: Entry) -> Union[Meter, UsageRefusal, Fault]:
        """Sends an amount with the key of its license."""
        with self._lock:
            assessment = self._assess()
        record, device, claims = assessment.record, assessment.device, assessment.claims
        if isinstance(device, Fault):
            return device
        is_held = record.key is not None and claims is not None and claims.sub == entry.license
        key = record.key if is_held else entry.key
        return self._service.consume({"key": key, "fingerprint": device.id, "meter": entry.meter, "amount": entry.amount, "id": entry.id})

    def _consume_in_turn(self, entry: Entry) -> Consumption:
        """Stores an amount and sends it, unless older amounts wait."""
        place = self._queue.add(entry)
        if place == "full":
            return UsageRefusal("queue_full", "too many amounts are waiting")
        if place == "mismatch":
            return UsageRefusal("idempotency_mismatch", "another meter or amount is waiting with this id")
        if place == "behind" and self._is_waiting_to_send:
            if self._now() >= self._ask_again_at:
                self._send_in_background()
            return Queued(entry.id)
        with self._sending, self._cache.exclusively("sending", self._service.waiting):
            is_stored = place != "not_stored"
            entries = self._queue.entries()
            if is_stored and entries and entries[0].id != entry.id:
                self._is_waiting_to_send = True
                self._send_in_background()
                return Queued(entry.id)
            reply = self._send(entry)
            if isinstance(reply, Fault) and reply.kind != "rejected":
                if not is_stored:
                    return NotConsumed(entry.id, Fault("storage", "the amount was neither sent nor stored"))
                self._wait_to_send(reply)
                return Queued(entry.id)
            self._queue.settle(entry)
            return _consumption(entry, reply)

    def _send_amounts(self) -> None:
        """Sends the stored amounts, the oldest first, until the service can't be reached."""
        with self._sending, self._cache.exclusively("sending", self._service.waiting):
            while True:
                entries = self._queue.entries()
                if not entries:
                    if self._is_waiting_to_send:
                        self._wake_to_send(False)
                    return
                self._is_waiting_to_send = True
                reply = self._send_stored(entries[0])
                if isinstance(reply, Fault):
                    self._wait_to_send(reply)
                    return
                self._queue.settle(entries[0], reply.reason if isinstance(reply, UsageRefusal) else None)

    def _send_stored(self, entry: Entry) -> Union[Meter, UsageRefusal, Fault]:
        """Sends a stored amount, unless it is too old. This device's clock may be wrong, so before an amount is dropped,
        the service is asked for the time, which is in its token."""
        with self._lock:
            assessment = self._assess()
        record, device, time = assessment.record, assessment.device, math.floor(assessment.time)
        if isinstance(device, Fault):
            return device
        if entry.at > time:
            # The clock was ahead when the amount was consumed. Its age counts from now.
            self._queue.correct_time(entry, time)
        if time - entry.at >= MAX_AGE_MS:
            fields = {"key": record.key or entry.key, "fingerprint": device.id, "version": self._version}
            reply = self._service.ask("validate", fields, record.token)
            if isinstance(reply, Fault):
                return reply
            if isinstance(reply, Granted):
                claims = verify_with(self._rules.keys, reply.token, self._rules.expectation(device.id), lambda found: found.iat * 1000).claims
                if claims is None:
                    return Fault("untrusted", "token not accepted")
                if claims.iat * 1000 - entry.at >= MAX_AGE_MS:
                    return UsageRefusal("too_old", "it waited for 29 days")
        return self._send(entry)

    def _wait_to_send(self, fault: Fault) -> None:
        with self._lock:
            self._ask_again_at = max(self._ask_again_at, self._now() + max(_RETRY_PAUSE_MS, (fault.retry_after or 0) * 1000))
        self._wake_to_send(True)

    def _wake_to_send(self, is_waiting: bool) -> None:
        with self._lock:
            self._is_waiting_to_send = is_waiting
            self._sleep()

    def _send_in_background(self) -> None:
        if self._queues and not self._send_is_due:
            self._send_is_due = True
            self._submit(self._send_due)

    def _send_due(self) -> None:
        self._send_is_due = False
        self._send_amounts()

    def _send_before_freeing(self) -> None:
        """After its seat is freed, this device can't consume, so the stored amounts are sent before."""
        if self._queues:
            self._send_amounts()

    def _submit(self, task: Callable[[], object]) -> None:
        """Runs a task in the background, and calls the listeners if it changed the state."""

        def run() -> None:
            with self._notifying():
                task()

        self._background.submit(run)

    def _release_in_background(self) -> None:
        if not self._release_is_due:
            self._release_is_due = True
            self._submit(self._release_old_seats)

    def _release_old_seats(self) -> None:
        """Frees the seats of replaced keys, but never the seat of the current key. A key is removed from the list if
        its seat was freed, if the service doesn't know the key, or if it is the current key again. After a fault the
        key stays in the list. No seat is freed while the storage may still contain the replaced key, because the app
        would start with this key after a crash."""
        self._release_is_due = False
        with self._changing_seats():
            with self._lock:
                keys = self._identify()[0].release or ()
            for key in keys:
                with self._lock:
                    record, device = self._identify()
                if isinstance(device, Fault) or key not in (record.release or ()) or not self._cache.is_stored:
                    continue
                is_held = record.key is not None and is_same_key(record.key, key)
                freed = False if is_held else self._service.free(key, device.id, gives_up_unknown=True)
                with self._lock:
                    if isinstance(freed, Fault):
                        self._ask_again_at = max(self._ask_again_at, self._now() + _RETRY_PAUSE_MS)
                        continue

                    def settle(current: Record, settled: str = key) -> Record:
                        return replace(current, release=tuple(other for other in current.release or () if other != settled) or None)

                    self._cache.change(settle)
                if not is_held:
                    self._keep_seat(key)

    def _now(self) -> int:
        return int(self._clock() * 1000)

    def _identify(self) -> Tuple[Record, Union[Device, Fault]]:
        """Reads the record and finds this device. Returns a fault instead of the device if this process has never read
        the record, or if this device can't be identified."""
        record = self._cache.load()
        if record is None:
            return Record(), _NOT_READ
        return record, self._finder.find(record)

    def _assess(self, other: Optional[str] = None, time_of: Optional[Callable[[TokenClaims], Milliseconds]] = None) -> Assessment:
        """Verifies the cached token, or another token, for this device, without a network."""
        record, device = self._identify()
        return assess(self._rules, record, device, self._now(), other, time_of)

    @staticmethod
    def _signs(assessment: Assessment) -> bool:
        """Whether the client knows that this service signs its refusals."""
        return assessment.record.verdicts is True or (assessment.claims is not None and assessment.claims.verdicts)

    def _is_protected(self, assessment: Assessment) -> bool:
        """Whether a refusal must pass the checks of :meth:`_verify_reply` before it may end the current license. This is
        the case if the service signs its refusals, or if the license may still be valid."""
        return self._signs(assessment) or may_still_count(assessment, self._rules)

    def _verify_reply(self, reply: Union[Reply, Fault], assessment: Assessment, is_about_held_key: bool) -> _Trusted:
        """Verifies the content of a reply. A reply grants a license only if it contains a valid token. A refusal of
        the current key is verified if the current license is protected (:meth:`_is_protected`). In that case a reply
        that says that the key is unknown is never trusted. If the service is known to sign its refusals, a refusal that
        can be signed must be signed."""
        if isinstance(reply, Fault):
            return reply
        if isinstance(reply, Granted):
            return self._verify_grant(reply, assessment)
        record, held, time = assessment.record, assessment.claims, assessment.time
        name = "unbound" if isinstance(reply, NotBound) else reply.name
        unsigned = _Denied(name, time)
        is_protected = is_about_held_key and self._is_protected(assessment)
        if reply.verdict is not None and (is_signable(name) or name == "unknown_key"):
            audience = held.aud if self._rules.audience is None and held is not None else self._rules.audience
            device = assessment.device.id if isinstance(assessment.device, Device) else ""
            about = held if is_about_held_key else None
            expected = VerdictExpectation(audience, None if about is None else about.sub, device, None if about is None else about.iat)
            verdict = verify_verdict(self._rules.keys, reply.verdict, expected)
            if not isinstance(verdict, str):
                proved = "unknown_key" if verdict.status == "unknown" else verdict.status
                return _Denied(proved, _latest_time(verdict.issued_at, assessment.now, time), is_signed=True)
            return Fault("untrusted", f"verdict not accepted: {verdict}") if is_protected else unsigned
        if not is_protected:
            return unsigned
        if name == "unknown_key":
            return Fault("untrusted", "the service does not know a key that it has licensed")
        if not is_signable(name):
            return unsigned
        if self._signs(assessment):
            return Fault("untrusted", "the refusal is not signed")
        if isinstance(reply, NotBound) and (held is None or reply.license_id != held.sub or not is_same_key(record.key or "", reply.key)):
            return Fault("untrusted", "the response is about another license")
        return unsigned

    def _verify_grant(self, reply: Granted, assessment: Assessment) -> Union[_Proved, Fault]:
        device = assessment.device
        if isinstance(device, Fault):
            return device

        def time_of(claims: TokenClaims) -> Milliseconds:
            return _latest_time(claims.iat, assessment.now, assessment.time)

        verified = verify_with(self._rules.keys, reply.token, self._rules.expectation(device.id), time_of)
        claims = verified.claims
        if verified.problem == "expired":
            return Fault("clock", "the clock is ahead: the new token has already expired")
        if verified.problem is not None or claims is None:
            return Fault("untrusted", f"token not accepted: {verified.problem}")
        granted = Record(
            key=reply.key,
            token=reply.token,
            seen=time_of(claims),
            device=device.kind,
            type_name=reply.type_name,
            seats=reply.seats,
        )
        return _Proved(granted, claims)

    def _keep_time(self, assessment: Assessment) -> None:
        """Stores the latest time that is known to have passed, at most once a minute. It does so in the background,
        so that a lock that another process has left behind doesn't delay the app's start."""
        record, time = assessment.record, assessment.time
        if record.token is None or time - (record.seen or 0) < _SEEN_PRECISION_MS:
            return

        def keep(current: Record) -> Optional[Record]:
            return replace(current, seen=max(time, current.seen or 0)) if is_same_activation(current, record) else None

        self._submit(lambda: self._cache.change(keep))

    def _change(self, make: Make) -> Optional[Record]:
        """Changes the record. Later calls don't share the result of a check that is in progress, because this result
        may be about the old record."""
        self._invalidate()
        return self._cache.change(make)

    def _change_activation(self, expected: Record, make: Make) -> Optional[Record]:
        """Changes the record if it still has the expected key and token."""
        return self._change(lambda current: make(current) if is_same_activation(current, expected) else None)

    def _change_key(self, expected: Record, make: Make) -> Optional[Record]:
        """Changes the record if it still has the expected key. This is the comparison for calls that have the lock for
        seats: meanwhile only a refresh can have stored another token, and that token is about the same seat."""
        return self._change(lambda current: make(current) if current.key == expected.key else None)

    def _invalidate(self) -> None:
        self._checking.forget()
        self._validating.forget()

    def _warn(self, message: str, cause: BaseException) -> None:
        try:
            if self._on_warning is None:
                _logger.warning("%s: %s", message, cause)
            else:
                self._on_warning(message, cause)
        except Exception:  # noqa: S110 - the warning listener itself failed, and there is nobody else to warn
            pass

    def _publish_unless_licensed(self, state: LicenseState, assessment: Assessment) -> LicenseState:
        """Publishes a state only if the device is not licensed. For example, if the service refuses another key, a
        licensed device keeps its state."""
        return state if isinstance(state_from_cache(assessment, self._rules), Licensed) else self._publish(state)

    def _publish(self, state: LicenseState, claims: Optional[TokenClaims] = None, record: Optional[Record] = None) -> LicenseState:
        """Makes a state the latest one. `claims` and `record` belong to the current token, and determine when to
        refresh the token."""
        if isinstance(state, Licensed) and state.fault is None and not self._cache.is_stored:
            state = replace(state, fault=Fault("storage", "the license was not stored"))
        self._refresh_at = refresh_time(claims) if claims is not None and record is not None and record.key is not None else math.inf
        self._found = state
        self._sleep()
        if isinstance(state, Licensed) and not covers(state.updates, self._release):
            # The token of a license that doesn't cover this release is still refreshed, because the operator may extend
            # the license, or the user may install an older release.
            state = Refusal("not_covered", updates=state.updates)
        if state != self._state:
            self._state = state
            self._news.append(state)
        return state

    def _sleep(self) -> None:
        """Schedules the next check for the time at which the state may change: when the token ends, when the token is
        due to be refreshed, when the pause after a failed request ends, or when a record that could not be stored is to
        be stored again."""
        self._stop_timer()
        now, state = self._now(), self._found
        wake_at: Milliseconds = math.inf
        if isinstance(state, Licensed):
            end = int(state.offline_until.timestamp() * 1000)
            wake_at = min(end, self._ask_again_at) if state.source == "grace" else min(end + CLOCK_SKEW_MS, max(self._refresh_at, self._ask_again_at))
        elif isinstance(state, OfflineWithoutToken) and state.fault and self._ask_again_at > now:
            wake_at = self._ask_again_at
        if self._is_waiting_to_send:
            wake_at = min(wake_at, self._ask_again_at)
        if not self._cache.is_stored:
            wake_at = min(wake_at, now + _STORE_PAUSE_MS)
        if self._is_closed or math.isinf(wake_at):
            return
        seconds = min(max(wake_at - now, _MIN_SLEEP_MS), _MAX_SLEEP_MS) / 1000
        self._stop_timer = self._start_timer(lambda: self._submit(self._checking.run), seconds)

    @contextmanager
    def _changing_seats(self) -> Iterator[None]:
        """Only one thread of one process at a time takes or frees seats."""
        with self._seat, self._cache.exclusively("seat", self._service.waiting):
            yield

    @contextmanager
    def _notifying(self) -> Iterator[None]:
        """Calls the listeners at the end of the block, without a lock."""
        try:
            yield
        finally:
            self._notify()

    def _notify(self) -> None:
        """Passes every state to the listeners, in order, from one thread at a time."""
        while True:
            with self._lock:
                if self._is_notifying or not self._news:
                    return
                self._is_notifying = True
                state = self._news.popleft()
            try:
                for listener in list(self._listeners.values()):
                    try:
                        listener(state)
                    except Exception as error:
                        self._warn("A listener failed", error)
            finally:
                with self._lock:
                    self._is_notifying = False


_NOT_READ = Fault("storage", "the license cache was not read")
_NO_KEY = UsageRefusal("no_key", "this device has no key")


def _consumption(entry: Entry, reply: Union[Meter, UsageRefusal, Fault]) -> Consumption:
    """The result of a call that consumed an amount, after the reply to its request."""
    if isinstance(reply, Fault):
        return NotConsumed(entry.id, reply)
    return Consumed(reply) if isinstance(reply, Meter) else reply


def _is_of_license(assessment: Assessment, claims: TokenClaims) -> bool:
    """Whether the held token is of the same license as a new token. If so, its key has the same seat, even if the key is
    written differently."""
    return assessment.claims is not None and assessment.claims.sub == claims.sub


def _granted_record(granted: Record, current: Record, replaced: Optional[str]) -> Record:
    """The record with a new grant. Its other fields are those of the current record. The seat of the replaced key is
    freed later."""
    return replace(granted, verdicts=current.verdicts, release=with_release(current.release, replaced, granted.key))


#: The clients of this process. After a fork, the child process must reset them.
_clients: "weakref.WeakSet[LicenseClient]" = weakref.WeakSet()


def _after_fork() -> None:
    for client in list(_clients):
        client._after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
