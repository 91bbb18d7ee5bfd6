"""HTTP as the client needs it, by the standard library. Apps may give a transport of their own."""

from __future__ import annotations

import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import Any, Callable, Mapping, Optional

from .version import VERSION

#: Maximum size of a response, in bytes: more than 1,000 devices, or a release with 50 files, take. A transport may stop reading after one
#: more.
MAX_RESPONSE_BYTES = 1_048_576


@dataclass(frozen=True)
class Request:
    method: str
    url: str
    headers: Mapping[str, str]
    body: Optional[bytes]
    #: Seconds after which nobody waits for the response any more.
    timeout: float


@dataclass(frozen=True)
class Response:
    status: int
    #: By their names in lower case.
    headers: Mapping[str, str]
    body: bytes


#: Gives the response, regardless of its status; raises any exception if none comes. Must not follow redirects: nobody
#: but the service may be given the key.
Transport = Callable[[Request], Response]


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, _request: Any, response: Any, *_: Any) -> None:
        response.close()
        raise urllib.error.URLError("the response is a redirect")


def urllib_transport(request: Request) -> Response:
    """Uses the proxies of the environment or the system, as ``urllib`` finds them."""
    opener = urllib.request.build_opener(_NoRedirects)
    headers = {"User-Agent": f"license-key-client-python/{VERSION}", **request.headers}
    asked = urllib.request.Request(request.url, data=request.body, headers=headers, method=request.method)
    try:
        # A second more: the client's own limit, for the whole response, comes first.
        response = opener.open(asked, timeout=request.timeout + 1)
    except urllib.error.HTTPError as error:
        # An error by HTTP's status is a response like any other.
        response = error
    with response:
        headers = {name.lower(): value for name, value in response.headers.items()}
        body = response.read(MAX_RESPONSE_BYTES + 1)
        length = headers.get("content-length", "")
        # The library says nothing of a connection that broke before the end.
        if length.isdecimal() and len(body) < min(int(length), MAX_RESPONSE_BYTES + 1):
            raise ConnectionError(f"{len(body)} of {length} bytes came")
        return Response(response.status, headers, body)
