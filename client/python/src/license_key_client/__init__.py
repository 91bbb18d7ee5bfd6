"""Offline-first licensing for apps with the license key service. The README shows how to use it."""

from .aio import AsyncLicenseClient
from .client import LicenseClient, Listener, Schedule
from .coverage import Release
from .device import FingerprintSource
from .fingerprint import System, app_fingerprint, app_fingerprint_of, fingerprint, fingerprint_of, parse_machine_id
from .keys import PublicKey
from .offline_request import OfflineRequest, read_offline_request
from .state import (
    Artifact,
    Deactivated,
    DeviceList,
    Failed,
    Fault,
    Forgotten,
    InvalidInput,
    InvalidToken,
    Latest,
    License,
    Licensed,
    LicenseState,
    LicenseType,
    ListedDevice,
    NewestRelease,
    NoSeats,
    OfflineWithoutToken,
    Refusal,
    RequestText,
    Seats,
    Unbound,
    Update,
    Updates,
)
from .storage import FileStorage, MemoryStorage, Storage
from .token import CLOCK_SKEW_MS, TokenClaims, Verification, verify_token
from .transport import Request, Response, Transport, urllib_transport
from .version import VERSION as __version__

__all__ = [
    "Artifact",
    "AsyncLicenseClient",
    "CLOCK_SKEW_MS",
    "Deactivated",
    "DeviceList",
    "Failed",
    "Fault",
    "FileStorage",
    "FingerprintSource",
    "Forgotten",
    "InvalidInput",
    "InvalidToken",
    "Latest",
    "License",
    "LicenseClient",
    "LicenseState",
    "LicenseType",
    "Licensed",
    "ListedDevice",
    "Listener",
    "MemoryStorage",
    "NewestRelease",
    "NoSeats",
    "OfflineRequest",
    "OfflineWithoutToken",
    "PublicKey",
    "Refusal",
    "Release",
    "Request",
    "RequestText",
    "Response",
    "Schedule",
    "Seats",
    "Storage",
    "System",
    "TokenClaims",
    "Transport",
    "Unbound",
    "Update",
    "Updates",
    "Verification",
    "__version__",
    "app_fingerprint",
    "app_fingerprint_of",
    "fingerprint",
    "fingerprint_of",
    "parse_machine_id",
    "read_offline_request",
    "urllib_transport",
    "verify_token",
]
