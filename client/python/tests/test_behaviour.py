"""Runs the behaviour vectors (docs/client.md, "Behaviour vectors"). If a vector fails, apps in two languages on one
device treat the same license differently."""

from __future__ import annotations

import dataclasses
import json
import re
import unittest
from contextlib import contextmanager
from datetime import datetime
from typing import Any, Callable, Dict, Iterator, List, Optional
from urllib.parse import parse_qsl, urlsplit

from license_key_client import LicenseClient, MemoryStorage, Release, Request, Response

from . import vectors

#: Fields that are left out if they have no value; other fields are null.
OPTIONAL = {"fault", "key", "limits", "reason", "retry_after", "updates"}


def to_json(value: Any) -> Any:
    """Converts a result to JSON in the format of the vectors."""
    if isinstance(value, datetime):
        return value.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    if dataclasses.is_dataclass(value):
        members = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        # Of the field `limits`, only an empty value is left out.
        return {name: to_json(member) for name, member in members.items() if name != "message" and not (name in OPTIONAL and not member)}
    return [to_json(item) for item in value] if isinstance(value, tuple) else value


class ScriptedStorage(MemoryStorage):
    """A storage whose operations fail if the test case says so."""

    def __init__(self) -> None:
        super().__init__()
        self.fault: Optional[str] = None
        self.failing_renames = 0
        #: The name of the record, and the text that replaces it when the client next takes its lock.
        self.record = ""
        self.between: Optional[str] = None

    def _fail(self, what: str) -> None:
        if self.fault == what:
            raise OSError(f"the storage is {what}")

    def get(self, name: str) -> Optional[str]:
        self._fail("unreadable")
        return super().get(name)

    def set(self, name: str, text: str) -> None:
        self._fail("unwritable")
        if self.failing_renames > 0:
            self.failing_renames -= 1
            raise PermissionError("the file is in use")
        super().set(name, text)

    @contextmanager
    def lock(self, name: str) -> Iterator[None]:
        with super().lock(name):
            if name == self.record and self.between is not None:
                text, self.between = self.between, None
                super().set(name, text)
            yield

    def remove(self, name: str) -> None:
        self._fail("unwritable")
        super().remove(name)


class Case:
    """Runs a test case. It creates a client with a storage, and controls the client's clock, network and device."""

    def __init__(self, settings: Dict[str, Any], case: Dict[str, Any]) -> None:
        self._settings = settings
        stored = case.get("stored", {})
        address = re.sub("[^a-z0-9.-]+", "_", re.sub("^https?://", "", settings["base_url"]))
        self._name = f"license-key-service.{settings['product_id']}.{address}"
        self._storage = ScriptedStorage()
        self._storage.record = self._name
        if "record" in stored:
            record = stored["record"]
            self._storage.set(self._name, record if isinstance(record, str) else json.dumps(record))
        if "device" in stored:
            self._storage.set(f"{self._name}.device", stored["device"])
        if "queue" in stored:
            queue = stored["queue"]
            self._storage.set(f"{self._name}.queue", queue if isinstance(queue, str) else json.dumps(queue))
        self._given = json.dumps([stored, settings, case["steps"]])
        self._now = 0.0
        self._fingerprint: Optional[str] = None
        self._responses: List[Any] = []
        self._polls: List[Any] = []
        self._sign_in: Dict[str, Any] = {}
        self._requests: List[Any] = []
        self._wakes_after: Dict[str, Optional[float]] = {}
        self._clients = {"first": self._start("first")}

    def run(self, step: Dict[str, Any]) -> Dict[str, Any]:
        self._now = step["now"]
        self._fingerprint = step.get("fingerprint", self._fingerprint)
        self._storage.fault = step.get("storage")
        self._storage.failing_renames = step.get("failing_renames", 0)
        self._responses, self._requests = list(step.get("responses", [])), []
        self._polls, self._sign_in = list(step.get("polls", [])), {"code": None, "url": None, "pauses": []}
        name = step.get("client", "first")
        if step.get("restart") or name not in self._clients:
            self._clients[name] = self._start(name)
        client = self._clients[name]
        result = to_json(self._call(client, step["call"], step.get("arguments", {})))
        client.idle()
        left = len(self._responses) + len(self._polls)
        if left:
            raise AssertionError(f"{left} responses were not asked for")
        self._storage.fault = self._storage.between = None
        seen = {"result": result, "state": to_json(client.state), "requests": self._requests, "stored": self._stored(), "wakes_after": self._wakes_after.get(name)}
        if step["call"] == "activate_in_browser":
            seen["sign_in"] = self._sign_in
        found: Dict[str, Any] = json.loads(re.sub(r"\b[0-9a-f]{64}\b", self._name_random_id, json.dumps(seen)))
        return found

    def _name_random_id(self, id: "re.Match[str]") -> str:
        return id[0] if id[0] in self._given else "<random id>"

    def _start(self, name: str) -> LicenseClient:
        settings = self._settings

        def schedule(task: Callable[[], None], seconds: float) -> Callable[[], None]:
            if self._polls:
                self._sign_in["pauses"].append(seconds)
                self._now += seconds
                task()
                return lambda: None
            self._wakes_after[name] = seconds
            return lambda: self._wakes_after.update({name: None})

        return LicenseClient(
            base_url=settings["base_url"],
            product_id=settings["product_id"],
            api_key=settings["api_key"],
            public_key=settings["public_key"],
            audience=settings["audience"],
            grace_days=settings["grace_days"],
            allow_unbound_tokens=settings["allow_unbound_tokens"],
            release=Release(**settings["release"]) if "release" in settings else None,
            offline=settings.get("offline", "refuse"),
            storage=self._storage,
            fingerprint=self._find_fingerprint,
            transport=self._respond,
            now=lambda: self._now,
            retry_delay=0,
            on_warning=lambda *_: None,
            schedule=schedule,
        )

    def _find_fingerprint(self) -> Optional[str]:
        if self._fingerprint == "fails":
            raise PermissionError("access denied")
        return self._fingerprint

    def _respond(self, request: Request) -> Response:
        url = urlsplit(request.url)
        fields = {"query": dict(parse_qsl(url.query))} if request.body is None else {"body": json.loads(request.body)}
        if request.method == "GET":
            fields["headers"] = {name: value for name, value in request.headers.items() if name.startswith(("x-license-", "x-svc-token"))}
        self._requests.append({"method": request.method, "path": url.path, **fields})
        scripted = self._polls if url.path.endswith("/poll") else self._responses
        if not scripted:
            raise AssertionError(f"no response is scripted for {request.method} {url.path}")
        response = scripted.pop(0)
        if response == "unreachable":
            raise ConnectionRefusedError("unreachable")
        self._now = response.get("clock", self._now)
        if "meanwhile" in response:
            self._storage.set(self._name, json.dumps(response["meanwhile"]))
        self._storage.between = json.dumps(response["between"]) if "between" in response else None
        self._storage.fault = response.get("storage", self._storage.fault)
        body = response["body"] if isinstance(response["body"], str) else json.dumps(response["body"])
        return Response(response["status"], {name.lower(): value for name, value in response.get("headers", {}).items()}, body.encode("utf-8"))

    def _call(self, client: LicenseClient, name: str, given: Dict[str, Any]) -> Any:
        if name == "covers":
            return client.covers(Release(**given) if given else None)
        if name in ("has", "limit", "import_token"):
            return getattr(client, name)(*given.values())
        if name == "activate_in_browser":
            return client.activate_in_browser(open=lambda url: self._sign_in.update(url=url), on_code=lambda code: self._sign_in.update(code=code), **given)
        return getattr(client, name)(**given)

    def _stored(self) -> Dict[str, Any]:
        def parsed(text: str) -> Any:
            try:
                return json.loads(text)
            except ValueError:
                return text

        record, queue = self._storage.get(self._name), self._storage.get(f"{self._name}.queue")
        stored = {"record": None if record is None else parsed(record), "device": self._storage.get(f"{self._name}.device")}
        return stored if queue is None else {**stored, "queue": parsed(queue)}


class Behaviour(unittest.TestCase):
    maxDiff = None

    def test_every_case(self) -> None:
        for content in map(vectors.read, ("behaviour", "meters", "sign-in")):
            for case in content["cases"]:
                with self.subTest(case["name"]):
                    run = Case({**content["settings"], **case.get("settings", {})}, case)
                    for step in case["steps"]:
                        compared = ("result", "sign_in", "state", "requests", "stored", "wakes_after")
                        expected = {name: step[name] for name in compared if name in step}
                        self.assertEqual(run.run(step), expected)
