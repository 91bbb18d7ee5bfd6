"""Sends HTTP requests with the standard library. Apps may provide a transport of their own."""

from __future__ import annotations

import http.client
import io
import time
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
    def http_error_302(self, req: Any, fp: Any, code: int, msg: str, headers: Any) -> Any:
        fp.close()
        raise urllib.error.URLError("the response is a redirect")

    # The base class would follow these redirects. Before Python 3.11 it has no method for the status 308, so this
    # transport would return the redirect like a response of the service.
    http_error_301 = http_error_303 = http_error_307 = http_error_308 = http_error_302


class _Limited(io.RawIOBase):
    """The bytes of a response, with a time limit for the whole response. The timeout of a socket applies to each read.
    Without a limit for the whole response, a server that sends single bytes for ever would occupy a thread for ever."""

    def __init__(self, raw: Any, end: float) -> None:
        self._raw = raw
        self._end = end

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> Any:
        if time.monotonic() > self._end:
            raise TimeoutError("the response is not complete")
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()


class _LimitsResponses(urllib.request.AbstractHTTPHandler):
    def do_open(self, http_class: Any, req: urllib.request.Request, **options: Any) -> Any:
        end = time.monotonic() + (req.timeout or 0)

        def respond(*arguments: Any, **named: Any) -> http.client.HTTPResponse:
            response = http.client.HTTPResponse(*arguments, **named)
            response.fp = io.BufferedReader(_Limited(response.fp.detach(), end))
            return response

        def connect(*arguments: Any, **named: Any) -> Any:
            connection = http_class(*arguments, **named)
            connection.response_class = respond
            return connection

        return super().do_open(connect, req, **options)


class _HttpHandler(_LimitsResponses, urllib.request.HTTPHandler):
    pass


class _HttpsHandler(_LimitsResponses, urllib.request.HTTPSHandler):
    pass


def urllib_transport(request: Request) -> Response:
    """Uses the proxies of the environment or the system, like ``urllib``."""
    opener = urllib.request.build_opener(_NoRedirects, _HttpHandler, _HttpsHandler)
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
        return Response(int(response.status or 0), headers, body)
