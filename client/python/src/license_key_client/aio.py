"""The client for asyncio: each method that may wait is a coroutine, which runs the blocking method in a thread."""

from __future__ import annotations

import asyncio
import threading
from typing import Any, Callable, Optional, TypeVar, Union

from .client import LicenseClient, Listener
from .coverage import Release
from .state import (
    Consumption,
    Deactivated,
    DeviceList,
    Failed,
    Forgotten,
    InvalidInput,
    InvalidToken,
    Latest,
    LicenseState,
    MeterList,
    Pending,
    RequestText,
    UsageRefusal,
)

Value = TypeVar("Value")


async def _run(call: Callable[..., Value], *given: Any, **options: Any) -> Value:
    return await asyncio.get_running_loop().run_in_executor(None, lambda: call(*given, **options))


class AsyncLicenseClient:
    """Wraps a :class:`LicenseClient`, and has the same methods, but the blocking ones are coroutines.
    :class:`LicenseClient` describes the methods.

    :attr:`state`, :meth:`has`, :meth:`limit` and :meth:`covers` return at once. A cancelled task only stops waiting: the work
    that it started continues, so that a seat that was just taken isn't lost. The result of this work appears in
    :attr:`state`.
    """

    def __init__(self, client: LicenseClient) -> None:
        self._client = client

    @property
    def state(self) -> Optional[LicenseState]:
        return self._client.state

    def has(self, feature: str) -> bool:
        return self._client.has(feature)

    def limit(self, name: str) -> Optional[int]:
        return self._client.limit(name)

    def covers(self, release: Optional[Release] = None) -> bool:
        return self._client.covers(release)

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Calls `listener` in the running event loop whenever :attr:`state` changes. Returns a function that
        unsubscribes."""
        loop = asyncio.get_running_loop()

        def tell(state: LicenseState) -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(listener, state)

        return self._client.subscribe(tell)

    async def fingerprint(self) -> Optional[str]:
        return await _run(self._client.fingerprint)

    async def check(self) -> LicenseState:
        return await _run(self._client.check)

    async def validate(self) -> LicenseState:
        return await _run(self._client.validate)

    async def activate(
        self, key: str, *, name: Optional[str] = None, platform: Optional[str] = None, replace: Optional[str] = None
    ) -> Union[LicenseState, InvalidInput]:
        return await _run(self._client.activate, key, name=name, platform=platform, replace=replace)

    async def activate_in_browser(
        self, *, open: Callable[[str], object], on_code: Callable[[str], object], name: Optional[str] = None, platform: Optional[str] = None
    ) -> Union[LicenseState, InvalidInput]:
        """Calls `open` and `on_code` in the running event loop. If the task is cancelled, the sign-in ends."""
        loop, signal = asyncio.get_running_loop(), threading.Event()
        try:
            return await _run(
                self._client.activate_in_browser,
                open=lambda url: loop.call_soon_threadsafe(open, url),
                on_code=lambda code: loop.call_soon_threadsafe(on_code, code),
                name=name,
                platform=platform,
                signal=signal,
            )
        finally:
            signal.set()

    async def trial(
        self, *, name: Optional[str] = None, platform: Optional[str] = None, customer_email: Optional[str] = None
    ) -> Union[LicenseState, InvalidInput]:
        return await _run(self._client.trial, name=name, platform=platform, customer_email=customer_email)

    async def devices(self, key: Optional[str] = None) -> Union[DeviceList, InvalidInput, Failed]:
        return await _run(self._client.devices, key)

    async def free(self, ref: str, key: Optional[str] = None) -> Union[Deactivated, InvalidInput, Failed]:
        return await _run(self._client.free, ref, key)

    async def latest(
        self, *, platform: Optional[str] = None, arch: Optional[str] = None, channel: Optional[str] = None, version: Optional[str] = None
    ) -> Union[Latest, Failed]:
        return await _run(self._client.latest, platform=platform, arch=arch, channel=channel, version=version)

    async def consume(self, meter: str, amount: int, *, id: Optional[str] = None) -> Union[Consumption, InvalidInput]:
        return await _run(self._client.consume, meter, amount, id=id)

    async def meters(self) -> Union[MeterList, UsageRefusal, Failed]:
        return await _run(self._client.meters)

    async def pending(self) -> Union[Pending, Failed]:
        return await _run(self._client.pending)

    async def deactivate(self) -> Union[Deactivated, Failed]:
        return await _run(self._client.deactivate)

    async def forget(self) -> Forgotten:
        return await _run(self._client.forget)

    async def offline_request(self, key: str, *, name: Optional[str] = None, platform: Optional[str] = None) -> Union[RequestText, InvalidInput, Failed]:
        return await _run(self._client.offline_request, key, name=name, platform=platform)

    async def import_token(self, token: str) -> Union[LicenseState, InvalidToken]:
        return await _run(self._client.import_token, token)

    async def idle(self) -> None:
        await _run(self._client.idle)

    async def close(self, *, release: bool = False) -> None:
        await _run(self._client.close, release=release)

    async def __aenter__(self) -> AsyncLicenseClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
