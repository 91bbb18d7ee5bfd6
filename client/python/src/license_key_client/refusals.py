"""The names under which refusals of a key are stored, and the states that belong to them."""

from __future__ import annotations

import re
from typing import Any, Optional

from .state import LicenseState, NoSeats, Refusal, Seats, Unbound

#: Statuses of the license, which the service signs.
_LICENSE_STATUSES = frozenset({"revoked", "suspended", "expired", "reissued", "sign_in_required"})
_OTHERS = frozenset({"unbound", "no_seats", "too_many_devices", "unknown_key", "no_trial", "not_covered"})

_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")


def is_status_name(name: Any) -> bool:
    """Whether a value has the form of a status name; a text of another form does not come from the service."""
    return isinstance(name, str) and _NAME.fullmatch(name) is not None


def is_signable(name: str) -> bool:
    """Whether the service signs this refusal. Signed refusals are the statuses of a license, and ``unbound``, which
    says that this device has no seat. An unknown name counts as a status of a license."""
    return name == "unbound" or name not in _OTHERS


def is_refused_status(name: Any) -> bool:
    """Whether a text can be the status of a license that must not be used. An unknown name counts as a status that only
    a newer version of the service knows. ``active``, ``unbound``, and the refusals that the service does not sign (such
    as ``no_seats``) are not such statuses: a response that contains one of them as the license's status does not come
    from the service."""
    return is_status_name(name) and name not in _OTHERS and name != "active"


def refusal_state(name: str, *, key: Optional[str] = None, seats: Optional[Seats] = None) -> LicenseState:
    """The state of a device whose key was refused. An unknown name counts as a status that only a newer version of the
    service knows."""
    if name == "unbound":
        return Unbound(key)
    if name == "no_seats":
        return NoSeats(seats)
    if name in _LICENSE_STATUSES or name in _OTHERS:
        return Refusal(name)  # type: ignore[arg-type]
    return Refusal("refused", name)
