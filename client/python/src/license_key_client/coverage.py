"""Decides which releases a license covers, by the same rule as the service. The result doesn't depend on the clock."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import List, Optional, Union

from .state import Updates
from .timestamp import parse_timestamp

_IDENTIFIER = r"(0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)"
_SEMVER = re.compile(
    rf"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-{_IDENTIFIER}(\.{_IDENTIFIER})*)?(\+[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?",
    re.ASCII,
)
_DOTTED = re.compile(r"\d+(\.\d+)*", re.ASCII)


@dataclass(frozen=True)
class Release:
    """A build of the app."""

    #: A semantic version, or digits with dots; a leading ``v`` is allowed.
    version: Optional[str] = None
    #: When the release was published, as RFC 3339 text or as a time with its zone.
    released_at: Union[str, datetime, None] = None

    @property
    def released_text(self) -> Optional[str]:
        """RFC 3339."""
        return self.released_at.isoformat(timespec="milliseconds") if isinstance(self.released_at, datetime) else self.released_at


def covers(updates: Updates, release: Release) -> bool:
    """Whether a license with these limits covers a release. One satisfied limit is enough. A limit is ignored if the
    license doesn't have it, or if the release has no readable date or version to compare. If no limit remains, the
    release is covered."""
    version = (release.version or "")[release.version is not None and release.version.startswith("v") :]
    released = parse_timestamp(release.released_text)
    judged: List[bool] = []
    if updates.until is not None and released is not None:
        judged.append(released <= updates.until.timestamp() * 1000)
    if updates.max_major is not None and (_SEMVER.fullmatch(version) or _DOTTED.fullmatch(version)):
        judged.append(int(re.split(r"\D", version)[0]) <= updates.max_major)
    return not judged or any(judged)
