"""RFC 3339 timestamps and epoch milliseconds."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta, timezone
from typing import Any, Optional, Union

from .strict_json import is_time

#: Epoch milliseconds; a float only if a claim had a fraction.
Milliseconds = Union[int, float]

_RFC3339 = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(\.\d+)?(?:Z|([+-])(\d\d):(\d\d))", re.ASCII)
#: The last second of the year 9999, in seconds since 1970. RFC 3339 can represent no later time.
_LAST_SECOND = 253_402_300_799
#: The first millisecond of the year 1, in milliseconds since 1970.
_FIRST_MS = -62_135_596_800_000
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
#: Days in 400 years, after which the calendar repeats. Python's calendar has no year 0 and ends with the year 9999.
_CALENDAR_DAYS = 146_097


def parse_timestamp(text: Any) -> Optional[int]:
    """Epoch milliseconds of an RFC 3339 timestamp with upper-case ``T`` and ``Z``, without leap seconds, from the year 1 to
    the year 9999 in UTC; None for anything else."""
    match = _RFC3339.fullmatch(text) if isinstance(text, str) else None
    if not match:
        return None
    year, month, day, hour, minute, second = (int(part) for part in match.groups()[:6])
    fraction, sign, offset_hours, offset_minutes = match.groups()[6:]
    offset = [int(part or 0) for part in (offset_hours, offset_minutes)]
    if hour > 23 or minute > 59 or second > 59 or offset[0] > 23 or offset[1] > 59:
        return None
    try:
        days = date(400 + year % 400, month, day).toordinal() + (year // 400 - 1) * _CALENDAR_DAYS - _EPOCH.toordinal()
    except ValueError:
        return None
    minutes = (days * 24 + hour) * 60 + minute - (-1 if sign == "-" else 1) * (offset[0] * 60 + offset[1])
    milliseconds = (minutes * 60 + second) * 1000 + int((fraction or ".0")[1:4].ljust(3, "0"))
    return milliseconds if _FIRST_MS <= milliseconds < (_LAST_SECOND + 1) * 1000 else None


def is_numeric_date(value: Any) -> bool:
    """Whether a claim is a time: seconds since 1970 (RFC 7519, "NumericDate"), maybe with a fraction, until the end of the
    year 9999."""
    return is_time(value) and 0 <= value <= _LAST_SECOND


def to_datetime(milliseconds: Milliseconds) -> datetime:
    """A time in UTC; a time outside Python's calendar becomes the calendar's first or last time."""
    try:
        return _EPOCH + timedelta(milliseconds=milliseconds)
    except OverflowError:
        return (datetime.max if milliseconds > 0 else datetime.min).replace(tzinfo=timezone.utc)
