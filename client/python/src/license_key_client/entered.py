"""Checks the input of the app's user before the request is sent, because the service refuses invalid input."""

from __future__ import annotations

import re
from typing import Any, Optional

from .state import InvalidInput
from .strict_json import is_integer, trim

_CONTROL = re.compile("[\u0000-\u001f\u007f-\u009f]")
_SURROGATE = re.compile("[\ud800-\udfff]")

#: Maximum length of each field, in characters. No license key of the service is longer than the limit for keys.
_LIMITS = {"key": 200, "name": 200, "platform": 200, "customer_email": 254, "replace": 100, "ref": 100}


def _problem_of(value: Any, maximum: int, is_required: bool) -> Optional[str]:
    if value is None and not is_required:
        return None
    if not isinstance(value, str):
        return "must be a text"
    text = trim(value)
    if not text and is_required:
        return "must not be empty"
    if _CONTROL.search(text):
        return "must not contain control characters"
    if _SURROGATE.search(text):
        return "must not contain lone surrogates"
    return f"must have at most {maximum} characters" if len(text) > maximum else None


def filled_text(text: Optional[str]) -> Optional[str]:
    """A text as it is sent: without white space at its ends; None if nothing is left."""
    return trim(text) or None if text is not None else None


def invalid_input(**given: Any) -> Optional[InvalidInput]:
    """Returns the first field that can't be sent; None if all fields are valid. A field may be None or empty, except
    ``key`` and ``ref``."""
    for field, maximum in _LIMITS.items():
        problem = _problem_of(given[field], maximum, field in ("key", "ref")) if field in given else None
        if problem is not None:
            return InvalidInput(field, problem)  # type: ignore[arg-type]
    return None


def is_version(value: Any) -> bool:
    """Whether an option can be sent as the version of the app. Otherwise the service would refuse every request that
    contains it."""
    return _problem_of(value, 200, False) is None


#: Characters that change the direction of text, with which a name could be shown as another one (UAX #9, section 2).
_BIDIRECTIONAL_CONTROLS = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def shown_label(label: Optional[str]) -> Optional[str]:
    """A label that another person reads in the browser: without characters that change its direction, and at most 200
    characters."""
    return trim(_BIDIRECTIONAL_CONTROLS.sub("", label))[: _LIMITS["name"]] if isinstance(label, str) else label


#: Maximum absolute value of an amount.
_MAX_AMOUNT = 1_000_000_000


def invalid_use(meter: Any, amount: Any, id: Any) -> Optional[InvalidInput]:
    """Returns the first argument of ``consume`` that can't be sent; None if all are valid."""
    problem = _problem_of(meter, 64, True)
    if problem is not None:
        return InvalidInput("meter", problem)
    if not is_integer(amount) or amount == 0 or abs(amount) > _MAX_AMOUNT:
        return InvalidInput("amount", f"must be an integer from -{_MAX_AMOUNT} to {_MAX_AMOUNT}, and not 0")
    is_short = isinstance(id, str) and (id != trim(id) or len(id) < 8)
    problem = "must have at least 8 characters, and no white space at its ends" if is_short else _problem_of(id, 64, True)
    return None if problem is None else InvalidInput("id", problem)
