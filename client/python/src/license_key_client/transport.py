"""Sends HTTP requests with the standard library. Apps may provide a transport of their own."""

from __future__ import annotations

import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import Any, Callable, Mapping, Optional

from .version import VERSION

#: Maximum size of a response, in bytes. A list of 1,000 devices or a release with 50 files is smaller. A transport may
#: stop reading one byte after this maximum.
MAX_RESPONSE_BYTES = 1_048_576


@dataclass(frozen=True)
class Request:
    method: str
    url: str
    headers: Mapping[str, str]
    body: Optional[bytes]
    #: Time limit in seconds, after which the client no longer waits for the response.
    timeout: float


@dataclass(frozen=True)
class Response:
    status: int
    #: The response headers, by their names in lower case.
    headers: Mapping[str, str]
    body: bytes


#: Returns the response, regardless of its status; raises any exception if there is no response. A transport must not
#: follow redirects, because only the service may receive the license key.
Transport = Callable[[Request], Response]


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def http_error_302(self, _request: Any, response: Any, *_: Any) -> None:
        response.close()
        raise urllib.error.URLError("the response is a redirect")

    # The base class would follow these redirects. Before Python 3.11 it has no method for the status 308, so this
    # transport would return the redirect like a response of the service.
    http_error_301 = http_error_303 = http_error_307 = http_error_308 = http_error_302


def urllib_transport(request: Request) -> Response:
    """Uses the proxies of the environment or the system, like ``urllib``."""
    opener = urllib.request.build_opener(_NoRedirects)
    headers = {"User-Agent": f"license-key-client-python/{VERSION}", **request.headers}
    asked = urllib.request.Request(request.url, data=request.body, headers=headers, method=request.method)
    try:
        # The timeout is one second longer than the client's own limit for the whole response, so that the client's
        # limit applies first.
        response = opener.open(asked, timeout=request.timeout + 1)
    except urllib.error.HTTPError as error:
        # A response with an error status is returned like any other response.
        response = error
    with response:
        headers = {name.lower(): value for name, value in response.headers.items()}
        body = response.read(MAX_RESPONSE_BYTES + 1)
        length = headers.get("content-length", "")
        # ``urllib`` reports no error if the connection breaks before the end of the body.
        if length.isdecimal() and len(body) < min(int(length), MAX_RESPONSE_BYTES + 1):
            raise ConnectionError(f"{len(body)} of {length} bytes came")
        return Response(response.status, headers, body)
