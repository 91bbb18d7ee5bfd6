"""Tests the C library through its binary interface. `LKS_LIBRARY` is the path of the library that `cargo build
--features test` builds.

The tests need only Python's standard library: a server in this file replaces the service.
"""

from __future__ import annotations

import ctypes
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Dict, List, Optional
from urllib.parse import parse_qsl, urlsplit

HERE = Path(__file__).resolve().parent
VECTORS = {name: json.loads((HERE.parents[1] / f"vectors/{name}.json").read_text(encoding="utf-8")) for name in ("behaviour", "meters", "sign-in")}
SETTINGS = VECTORS["behaviour"]["settings"]
ACTIVATION = next(case for case in VECTORS["behaviour"]["cases"] if case["name"] == "activate: takes a seat")["steps"][0]
KEY = ACTIVATION["arguments"]["key"]

#: The number of text arguments that each function takes after the client.
TEXTS = {
    "lks_check": 0, "lks_validate": 0, "lks_activate": 4, "lks_trial": 3, "lks_deactivate": 0, "lks_forget": 0, "lks_devices": 1,
    "lks_release_device": 2, "lks_latest": 4, "lks_offline_request": 3, "lks_import_token": 1, "lks_fingerprint": 0, "lks_state_json": 0,
    "lks_meters": 0, "lks_pending": 0, "lks_sign_in_begin": 2, "lks_sign_in_wait": 0,
}  # fmt: skip


def load(path: str) -> ctypes.CDLL:
    library = ctypes.CDLL(path)
    for name, texts in TEXTS.items():
        getattr(library, name).argtypes = [ctypes.c_void_p] + texts * [ctypes.c_char_p]
        getattr(library, name).restype = ctypes.c_void_p
    for name, arguments, result in [
        ("lks_version", [], ctypes.c_char_p),
        ("lks_open", [ctypes.c_char_p, ctypes.POINTER(ctypes.c_void_p)], ctypes.c_void_p),
        ("lks_changes", [ctypes.c_void_p], ctypes.c_uint64),
        ("lks_is_licensed", [ctypes.c_void_p], ctypes.c_bool),
        ("lks_has", [ctypes.c_void_p, ctypes.c_char_p], ctypes.c_bool),
        ("lks_limit", [ctypes.c_void_p, ctypes.c_char_p], ctypes.c_int64),
        ("lks_consume", [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int64, ctypes.c_char_p], ctypes.c_void_p),
        ("lks_sign_in_cancel", [ctypes.c_void_p], None),
        ("lks_covers", [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p], ctypes.c_bool),
        ("lks_idle", [ctypes.c_void_p], None),
        ("lks_close", [ctypes.c_void_p, ctypes.c_bool], None),
        ("lks_client_free", [ctypes.c_void_p], None),
        ("lks_string_free", [ctypes.c_void_p], None),
        ("lks_json_get", [ctypes.c_char_p, ctypes.c_char_p], ctypes.c_void_p),
        ("lks_test", [ctypes.c_char_p], ctypes.c_void_p),
    ]:
        getattr(library, name).argtypes = arguments
        getattr(library, name).restype = result
    return library


LIBRARY = load(os.environ["LKS_LIBRARY"])


def taken(library: ctypes.CDLL, text: Optional[int]) -> Any:
    """The JSON in a text that the library returned; the text is freed. None for NULL."""
    if text is None:
        return None
    try:
        return json.loads(ctypes.string_at(text))
    finally:
        library.lks_string_free(text)


def script(**step: Any) -> Any:
    return taken(LIBRARY, LIBRARY.lks_test(json.dumps(step).encode()))


def call(client: Optional[int], name: str, *texts: Optional[bytes], library: ctypes.CDLL = LIBRARY) -> Any:
    given = list(texts) + [None] * (TEXTS[name] - len(texts))
    return taken(library, getattr(library, name)(client, *given))


def opened(options: Dict[str, Any], library: ctypes.CDLL = LIBRARY) -> int:
    error = ctypes.c_void_p()
    client = library.lks_open(json.dumps(options).encode(), ctypes.byref(error))
    if client is None:
        text = ctypes.string_at(error.value or 0).decode()
        library.lks_string_free(error)
        raise ValueError(text)
    return int(client)


class Service(BaseHTTPRequestHandler):
    """Sends the responses that a test case specifies."""

    responses: List[Any] = []
    #: The responses to the questions for the decision about a sign-in.
    polls: List[Any] = []
    requests: List[Any] = []
    record: Optional[Path] = None

    def log_message(self, *_: Any) -> None:
        pass

    def do_GET(self) -> None:
        self._respond(None)

    def do_POST(self) -> None:
        self._respond(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

    def _respond(self, body: Any) -> None:
        url = urlsplit(self.path)
        seen: Dict[str, Any] = {"method": self.command, "path": url.path}
        if self.command == "GET":
            seen["headers"] = {name: value for name, value in self.headers.items() if name.startswith(("x-license-", "x-svc-token"))}
        seen.update({"query": dict(parse_qsl(url.query))} if body is None else {"body": body})
        Service.requests.append(seen)
        left = Service.polls if url.path.endswith("/poll") else Service.responses
        response = left.pop(0) if left else "unreachable"
        self.close_connection = True
        if response == "unreachable":
            return
        if "meanwhile" in response and Service.record:
            Service.record.write_text(json.dumps(response["meanwhile"]), encoding="utf-8")
        changes = {"now": response.get("clock"), "storage": response.get("storage")}
        script(between=response.get("between"), **{name: value for name, value in changes.items() if value is not None})
        text = response["body"] if isinstance(response["body"], str) else json.dumps(response["body"])
        self.send_response(response["status"])
        for name, value in {**response.get("headers", {}), "Connection": "close", "Content-Length": str(len(text.encode()))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text.encode())


class Case(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls) -> None:
        cls.server = ThreadingHTTPServer(("127.0.0.1", 0), Service)
        cls.base_url = f"http://127.0.0.1:{cls.server.server_port}"
        threading.Thread(target=cls.server.serve_forever, daemon=True).start()

    @classmethod
    def tearDownClass(cls) -> None:
        cls.server.shutdown()
        cls.server.server_close()

    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        Service.record, Service.responses, Service.polls, Service.requests = self.folder / "app.json", [], [], []

    def options(self, settings: Dict[str, Any] = SETTINGS, **more: Any) -> Dict[str, Any]:
        names = ("product_id", "api_key", "public_key", "audience", "grace_days", "allow_unbound_tokens", "release", "offline")
        known = {name: settings[name] for name in names if name in settings}
        return {**known, "base_url": self.base_url, "storage": str(self.folder), "storage_name": "app", "retry_delay_ms": 0, **more}

    def licensed(self, library: ctypes.CDLL = LIBRARY) -> int:
        script(now=ACTIVATION["now"], fingerprint=ACTIVATION["fingerprint"], storage=None)
        client = opened(self.options(), library)
        Service.responses = [ACTIVATION["responses"][0]]
        self.assertEqual(call(client, "lks_activate", KEY.encode(), library=library)["status"], "licensed")
        return client


def without_messages(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: without_messages(member) for name, member in value.items() if name != "message"}
    return [without_messages(item) for item in value] if isinstance(value, list) else value


def is_id(value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch("[0-9a-f]{64}", value) is not None


def without_ids(value: Any, given: str) -> Any:
    """Replaces random ids, which the case doesn't contain, by the text that stands for them in the vectors."""
    if isinstance(value, dict):
        return {name: without_ids(member, given) for name, member in value.items()}
    if isinstance(value, list):
        return [without_ids(item, given) for item in value]
    return "<random id>" if is_id(value) and value not in given else value


class Behaviour(Case):
    def _call(self, client: int, name: str, given: Dict[str, Any]) -> Any:
        def texts(*names: str) -> List[Optional[bytes]]:
            return [None if given.get(name) is None else str(given[name]).encode() for name in names]

        if name == "has":
            return LIBRARY.lks_has(client, *texts("feature"))
        if name == "limit":
            limit = LIBRARY.lks_limit(client, *texts("limit"))
            return None if limit < 0 else limit
        if name == "consume":
            return taken(LIBRARY, LIBRARY.lks_consume(client, *texts("meter"), given["amount"], *texts("id")))
        if name == "covers":
            return LIBRARY.lks_covers(client, *texts("version", "released_at"))
        if name == "close":
            return LIBRARY.lks_close(client, given.get("release") is True)
        arguments = {
            "activate": ("key", "name", "platform", "replace"),
            "trial": ("name", "platform", "customer_email"),
            "devices": ("key",),
            "free": ("ref", "key"),
            "latest": ("platform", "arch", "channel", "version"),
            "offline_request": ("key", "name", "platform"),
            "import_token": ("token",),
        }.get(name, ())
        return call(client, "lks_release_device" if name == "free" else f"lks_{name}", *texts(*arguments))

    def _stored(self) -> Dict[str, Any]:
        def text(name: str) -> Optional[str]:
            file = self.folder / name
            return file.read_text(encoding="utf-8") if file.exists() else None

        def parsed(name: str) -> Any:
            found = text(name)
            try:
                return None if found is None else json.loads(found)
            except ValueError:
                return found

        stored = {"record": parsed("app.json"), "device": text("app.device.json")}
        return stored if text("app.queue.json") is None else {**stored, "queue": parsed("app.queue.json")}

    def _run(self, case: Dict[str, Any]) -> None:
        settings, stored = {**SETTINGS, **case.get("settings", {})}, case.get("stored", {})
        for file in self.folder.iterdir():
            file.unlink()
        for item, file in (("record", "app.json"), ("device", "app.device.json"), ("queue", "app.queue.json")):
            if item in stored:
                text = stored[item] if isinstance(stored[item], str) else json.dumps(stored[item])
                (self.folder / file).write_text(text, encoding="utf-8")
        script(now=1, fingerprint=None, storage=None, client="first")
        clients = {"first": opened(self.options(settings))}
        try:
            for step in case["steps"]:
                known = {"fingerprint": step["fingerprint"]} if "fingerprint" in step else {}
                name = step.get("client", "first")
                if step.get("restart"):
                    # The storage still has the fault of the step before, as if the app had crashed.
                    LIBRARY.lks_client_free(clients.pop(name))
                script(now=step["now"], storage=step.get("storage"), failing_renames=step.get("failing_renames", 0), client=name, polls=len(step.get("polls", [])), **known)
                Service.responses, Service.polls, Service.requests = list(step.get("responses", [])), list(step.get("polls", [])), []
                if name not in clients:
                    clients[name] = opened(self.options(settings))
                client = clients[name]
                begun: Dict[str, Any] = {}
                if step["call"] == "activate_in_browser":
                    labels = [None if label is None else label.encode() for label in map(step.get("arguments", {}).get, ("name", "platform"))]
                    result = begun = call(client, "lks_sign_in_begin", *labels)
                    if begun["status"] == "sign_in":
                        result = call(client, "lks_sign_in_wait")
                else:
                    result = self._call(client, step["call"], step.get("arguments", {}))
                LIBRARY.lks_idle(client)
                script(between=None)
                state = call(client, "lks_state_json")
                timers = script()
                seen = {"result": result, "state": state, "requests": Service.requests, "stored": self._stored(), "wakes_after": timers["wakes_after"]}
                if step["call"] == "activate_in_browser":
                    seen["sign_in"] = {"code": begun.get("code"), "url": begun.get("url"), "pauses": timers["pauses"]}
                expected = {name: step[name] for name in seen}
                self.assertEqual(without_ids(without_messages(seen), json.dumps(case)), expected)
                self.assertEqual(Service.responses + Service.polls, [])
                self.assertEqual(LIBRARY.lks_is_licensed(client), state is not None and state["status"] == "licensed")
        finally:
            for client in clients.values():
                LIBRARY.lks_client_free(client)

    def test_every_case(self) -> None:
        """If a case fails, an app in C treats a license differently from an app in another language on the same
        device."""
        for case in [case for vectors in VECTORS.values() for case in vectors["cases"]]:
            # A zero byte ends a text in C, so a case with a zero byte in an argument can't be run.
            if "\\u0000" in json.dumps([step.get("arguments") for step in case["steps"]]):
                continue
            with self.subTest(case["name"]):
                self._run(case)


class Boundary(Case):
    def test_arguments_that_are_wrong_crash_nothing(self) -> None:
        """A mistake of the app must give an error and must not damage memory."""
        client = self.licensed()
        self.addCleanup(LIBRARY.lks_client_free, client)
        for wrong in (None, b"", b"\xff\xfe", b"\xc3", b"x" * 1_000_000, "é".encode() * 10_000, b'"\\\x01', b"%n%s"):
            for name, texts in TEXTS.items():
                with self.subTest(name, wrong=(wrong or b"NULL")[:8]):
                    for place in range(max(texts, 1)):
                        given = [KEY.encode()] * texts
                        if texts:
                            given[place] = wrong  # type: ignore[call-overload]
                        Service.responses = []
                        call(client, name, *given)
                        self.assertIsNone(call(None, name, *given))
            for one in (None, client):
                LIBRARY.lks_has(one, wrong)
                LIBRARY.lks_limit(one, wrong)
                for texts in ((wrong, None), (b"exports", wrong)):
                    Service.responses = []
                    taken(LIBRARY, LIBRARY.lks_consume(one, texts[0], 1, texts[1]))
                LIBRARY.lks_string_free(LIBRARY.lks_json_get(wrong, wrong))
                LIBRARY.lks_covers(one, wrong, wrong)
            error = ctypes.c_void_p()
            self.assertIsNone(LIBRARY.lks_open(wrong, ctypes.byref(error)))
            self.assertIsNotNone(error.value)
            LIBRARY.lks_string_free(error)
            self.assertIsNone(LIBRARY.lks_open(wrong, None))
        self.assertEqual((LIBRARY.lks_is_licensed(None), LIBRARY.lks_changes(None)), (False, 0))
        for function in (LIBRARY.lks_sign_in_cancel, LIBRARY.lks_idle, LIBRARY.lks_client_free, LIBRARY.lks_string_free):
            function(None)
        LIBRARY.lks_close(None, True)

    def test_a_closed_client_sends_nothing_and_still_knows_its_state(self) -> None:
        """A window that a user uses while the app ends must not crash it or take a seat."""
        client = self.licensed()
        self.addCleanup(LIBRARY.lks_client_free, client)
        LIBRARY.lks_close(client, False)
        Service.requests = []
        closed = {
            name: call(client, f"lks_{name}", *[KEY.encode()] * TEXTS[f"lks_{name}"])
            for name in ("validate", "activate", "devices", "release_device", "latest", "meters", "sign_in_begin", "deactivate")
        }
        closed["consume"] = taken(LIBRARY, LIBRARY.lks_consume(client, b"exports", 1, None))
        self.assertEqual({name: result["fault"]["kind"] for name, result in closed.items()}, dict.fromkeys(closed, "closed"))
        self.assertEqual(call(client, "lks_check")["status"], "licensed")
        self.assertTrue(LIBRARY.lks_is_licensed(client))
        self.assertEqual(call(client, "lks_forget")["fault"]["kind"], "closed")
        LIBRARY.lks_close(client, True)
        LIBRARY.lks_idle(client)
        self.assertEqual((call(client, "lks_state_json"), Service.requests), ({"status": "unbound"}, []))

    def test_options_that_can_not_work_are_named(self) -> None:
        for option, value in [
            ("base_url", "x"), ("product_id", 2**60), ("product_id", "1"), ("public_key", 7), ("storage", 1), ("fingerprint", True),
            ("timeout_ms", -1), ("grace_days", 1e9), ("release", {"released_at": "yesterday"}), ("release", {"released_at": 5}), ("release", {"version": "1" * 201}), ("release", {"version": "1.0\x7f"}), ("allow_unbound_tokens", "no"), ("offline", "later"), ("offline", 1), ("nonsense", 1),
        ]:  # fmt: skip
            with self.subTest(option), self.assertRaisesRegex(ValueError, option):
                opened(self.options(**{option: value}))

    def test_values_are_found_in_a_result(self) -> None:
        def get(path: str) -> Optional[bytes]:
            text = LIBRARY.lks_json_get(b'{"a": {"b": ["x", 1, null, {"c": true}]}}', path.encode())
            found = None if text is None else ctypes.string_at(text)
            LIBRARY.lks_string_free(text)
            return found

        self.assertEqual([get(path) for path in ("a.b.0", "a.b.1", "a.b.2", "a.b.3.c", "a.b.3", "a.x", "")], [b"x", b"1", None, b"true", b'{"c":true}', None, None])

    def test_a_panic_does_not_cross_the_boundary(self) -> None:
        self.assertIsNone(script(panic=True))

    def test_a_state_is_polled_and_read_without_waiting(self) -> None:
        """An audio thread must not wait while the license is renewed."""
        client = self.licensed()
        self.addCleanup(LIBRARY.lks_client_free, client)
        before = LIBRARY.lks_changes(client)
        self.assertTrue(LIBRARY.lks_is_licensed(client) and LIBRARY.lks_has(client, b"export") and not LIBRARY.lks_has(client, b"expor"))
        is_over, answers = threading.Event(), set()

        def read() -> None:
            while not is_over.is_set():
                answers.add((LIBRARY.lks_is_licensed(client), LIBRARY.lks_has(client, b"export")))

        readers = [threading.Thread(target=read) for _ in range(3)]
        for reader in readers:
            reader.start()
        for _ in range(20):
            Service.responses = [{"status": 200, "body": {"freed": True}}]
            call(client, "lks_deactivate")
            Service.responses = [ACTIVATION["responses"][0]]
            call(client, "lks_activate", KEY.encode())
        is_over.set()
        for reader in readers:
            reader.join()
        self.assertLessEqual(answers, {(True, True), (False, False), (True, False), (False, True)})
        self.assertGreater(LIBRARY.lks_changes(client), before)

    @unittest.skipUnless(sys.platform == "linux", "of two files of one library")
    def test_two_of_it_work_in_one_process(self) -> None:
        """Two plug-ins in one host may each contain a copy of the library."""
        copy = shutil.copy(os.environ["LKS_LIBRARY"], self.folder / "another.so")
        second = load(str(copy))
        clients = [(LIBRARY, self.licensed()), (second, opened(self.options(), second))]
        Service.responses = [ACTIVATION["responses"][0]]
        states = [call(client, "lks_check", library=library)["status"] for library, client in clients]
        for library, client in clients:
            library.lks_client_free(client)
        self.assertEqual(states[0], "licensed")
        self.assertEqual(len({library.lks_version() for library, _ in clients}), 1)

    def test_nothing_else_is_exported(self) -> None:
        """Many plug-ins share a host, so the library's symbols must not collide with those of another library."""
        header = (HERE.parent / "include/license_key_client.h").read_text(encoding="utf-8")
        declared = set(re.findall(r"\b(lks_\w+)\(", header))
        nm = shutil.which("nm")
        if nm is None or sys.platform != "linux":
            self.skipTest("there is no nm")
        shown = subprocess.run([nm, "-D", "--defined-only", os.environ["LKS_LIBRARY"]], capture_output=True, text=True, check=True).stdout
        exported = {line.split()[-1] for line in shown.splitlines()}
        self.assertEqual(exported - {"lks_test"}, declared)


if __name__ == "__main__":
    unittest.main()
