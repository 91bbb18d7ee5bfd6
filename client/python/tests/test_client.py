"""Tests the client with real files, sockets, threads and processes, which the vectors can't cover."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import stat
import sys
import tempfile
import threading
import time
import unittest
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Callable, ContextManager, Dict, List, Optional
from unittest import mock

from license_key_client import (
    AsyncLicenseClient,
    Fault,
    FileStorage,
    Licensed,
    LicenseClient,
    LicenseState,
    MemoryStorage,
    OfflineWithoutToken,
    Refusal,
    Release,
    Request,
    Response,
    verify_token,
)
from license_key_client.cache import Cache
from license_key_client.waiting import Waiting

from . import vectors

SETTINGS = vectors.read("behaviour")["settings"]
CASES = {case["name"]: case for case in vectors.read("behaviour")["cases"]}
ACTIVATION = CASES["activate: takes a seat"]["steps"][0]
GRANTED = ACTIVATION["responses"][0]
KEY = GRANTED["body"]["license"]["key"]


def client_of(**changes: Any) -> LicenseClient:
    options: Dict[str, Any] = {name: SETTINGS[name] for name in ("base_url", "product_id", "api_key", "public_key", "audience")}
    options.update(fingerprint=ACTIVATION["fingerprint"], now=lambda: ACTIVATION["now"], retry_delay=0, on_warning=lambda *_: None)
    return LicenseClient(**{**options, **changes})


def respond(response: Dict[str, Any]) -> Response:
    return Response(response["status"], {}, json.dumps(response["body"]).encode())


def is_waiting(thread: threading.Thread) -> bool:
    """Whether a thread is waiting for another thread."""
    frame = sys._current_frames().get(thread.ident or 0)
    while frame and frame.f_code.co_name != "wait":
        frame = frame.f_back
    return frame is not None


def until(condition: Callable[[], bool]) -> None:
    for _ in range(6000):
        if condition():
            return
        time.sleep(0.01)
    raise AssertionError("the condition was not met within a minute")


def make_id(folder: str, start: Any, ids: Any) -> None:
    start.wait()
    ids.put(Cache(FileStorage(folder), "app", 5, 0, lambda *_: None).random_id())


class FolderCase(unittest.TestCase):
    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name) / "app"


class Files(FolderCase):
    @unittest.skipIf(os.name == "nt", "Windows has no such modes")
    def test_only_their_owner_may_read_them(self) -> None:
        storage = FileStorage(self.folder)
        storage.set("a", "ü")
        storage.set("b", "text")
        self.assertEqual((self.folder / "a.json").read_text(encoding="utf-8"), "ü")
        self.assertEqual([stat.S_IMODE(path.stat().st_mode) for path in (self.folder, self.folder / "a.json", self.folder / "b.json")], [0o700, 0o600, 0o600])
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["a.json", "b.json"])

    def test_an_item_is_removed_together_with_its_drafts(self) -> None:
        storage = FileStorage(self.folder)
        storage.remove("a")
        storage.set("a", "x")
        storage.set("a.device", "x")
        (self.folder / "a.json.0123456789ab.tmp").write_text("a license key")
        storage.remove("a")
        self.assertEqual([path.name for path in self.folder.iterdir()], ["a.device.json"])

    def test_the_random_id_is_deleted_even_if_the_record_can_not_be_deleted(self) -> None:
        (self.folder / "app.json").mkdir(parents=True)
        storage = FileStorage(self.folder)
        storage.set("app.device", "x" * 64)
        self.assertEqual(client_of(storage=storage, storage_name="app").forget().status, "forgotten")
        self.assertEqual([path.name for path in self.folder.iterdir()], ["app.json"])

    def test_a_lock_is_taken_by_one_at_a_time_and_given_up_when_its_owner_has_ended(self) -> None:
        storage = FileStorage(self.folder)
        entered: List[int] = []

        def enter(number: int) -> None:
            with storage.lock("a"):
                entered.extend([number, number])

        threads = [threading.Thread(target=enter, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(entered[::2], entered[1::2])
        (self.folder / "a.lock").write_text("a process that has crashed")
        enter(8)
        storage.remove("a")
        self.assertEqual(list(self.folder.iterdir()), [])

    @unittest.skipIf(os.name == "nt", "Windows has no such limit")
    def test_no_lock_remains_if_it_can_not_be_written(self) -> None:
        import resource

        storage = FileStorage(self.folder)
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        # No file can have content, as on a full disk.
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, limits[1]))
        try:
            with self.assertRaises(OSError), storage.lock("a"):
                pass
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_license_is_stored_even_if_nobody_releases_the_lock(self) -> None:
        leave: Dict[str, Callable[[Path], object]] = {
            "a crashed process": lambda lock: lock.write_text("a process that has crashed"),
            "not readable": lambda lock: lock.touch(mode=0),
            "a folder": lambda lock: (lock / "of something else").mkdir(parents=True),
            "a link to nothing": lambda lock: lock.symlink_to(self.folder / "nothing"),
        }
        for name, make in leave.items():
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                make(Path(folder) / "app.lock")
                Cache(FileStorage(folder), "app", 60, 0, lambda *_: None).change(lambda record: replace(record, key="KEY"))
                self.assertIn("KEY", (Path(folder) / "app.json").read_text())

    def test_a_lock_that_nobody_releases_does_not_delay_the_start(self) -> None:
        self.folder.mkdir(exist_ok=True)
        (self.folder / "app.json").write_text(json.dumps(CASES["check: a cached token is accepted with no request"]["stored"]["record"]))
        lock = self.folder / "app.lock"
        lock.write_text("a process that has crashed")
        client = client_of(storage=FileStorage(self.folder), storage_name="app")
        self.assertEqual(client.check().status, "licensed")
        self.assertTrue(lock.exists())
        client.close()
        self.assertEqual(json.loads((self.folder / "app.json").read_text())["seen"], ACTIVATION["now"] * 1000)

    def test_a_file_that_can_not_be_read_is_not_taken_for_none(self) -> None:
        (self.folder / "a.json").mkdir(parents=True)
        with self.assertRaises(OSError):
            FileStorage(self.folder).get("a")

    def test_processes_that_start_at_once_share_one_random_id(self) -> None:
        context = multiprocessing.get_context("spawn")
        start, ids = context.Event(), context.Queue()
        processes = [context.Process(target=make_id, args=(str(self.folder), start, ids)) for _ in range(4)]
        for process in processes:
            process.start()
        start.set()
        found = {ids.get(timeout=60) for _ in processes}
        for process in processes:
            process.join()
        self.assertEqual(len(found), 1)


class SlowLocks(unittest.TestCase):
    """Takes the seat lock of an app's own storage at the moment at which the client stops waiting for the lock, or
    later. If the client did not release this lock, every process that takes a seat would first wait for the lock until
    the time limit. The client's time limit is 0, and the test chooses when the lock is taken."""

    def setUp(self) -> None:
        self.lock = threading.Lock()
        self.may_lock = threading.Event()

    def take_seat(self, future: Any) -> None:
        """Takes a seat with a time limit of 0, then lets the client's background thread take the lock, and waits until
        this thread ends.

        :param future: the class that the client uses instead of ``Future`` of the standard library
        """
        may_lock, lock = self.may_lock, self.lock
        locking: List[threading.Thread] = []

        class Storage(MemoryStorage):
            def lock(self, name: str) -> ContextManager[object]:  # type: ignore[override]
                locking.append(threading.current_thread())
                may_lock.wait()
                return lock

        with mock.patch("license_key_client.waiting.Future", future), Cache(Storage(), "app", 0, 0, lambda *_: None).exclusively("seat", Waiting()):
            pass
        until(lambda: bool(locking))
        may_lock.set()
        locking[0].join()

    def test_a_lock_that_is_taken_after_the_wait_is_released(self) -> None:
        self.take_seat(Future)
        self.assertFalse(self.lock.locked())

    def test_a_lock_that_is_taken_when_the_time_is_over_is_released(self) -> None:
        may_lock = self.may_lock

        class EndsAfterTheTimeout(Future):  # type: ignore[type-arg]
            def result(self, timeout: Optional[float] = None) -> Any:
                try:
                    return super().result(timeout)
                except FutureTimeout:
                    may_lock.set()
                    super().result()
                    raise

        self.take_seat(EndsAfterTheTimeout)
        self.assertFalse(self.lock.locked())

    def test_a_lock_that_is_taken_when_the_wait_has_just_been_given_up_is_released(self) -> None:
        may_lock, waiting = self.may_lock, threading.current_thread()

        class EndsAfterTheLastLook(Future):  # type: ignore[type-arg]
            def done(self) -> bool:
                is_done = super().done()
                if threading.current_thread() is waiting:
                    may_lock.set()
                    super().result()
                return is_done

        self.take_seat(EndsAfterTheLastLook)
        self.assertFalse(self.lock.locked())


class TwoClients(FolderCase):
    def test_that_share_a_folder_share_the_license(self) -> None:
        first = client_of(storage=FileStorage(self.folder), transport=lambda _: respond(GRANTED))
        second = client_of(storage=FileStorage(self.folder), transport=self._unreachable)
        self.assertEqual(second.check().status, "unbound")
        self.assertIsInstance(first.activate(KEY), Licensed)
        self.assertIsInstance(second.check(), Licensed)
        self.assertTrue(second.has("export"))

    @staticmethod
    def _unreachable(_: Request) -> Response:
        raise ConnectionRefusedError("unreachable")


class Forks(unittest.TestCase):
    @unittest.skipUnless(hasattr(os, "fork"), "this system has no fork")
    def test_a_process_that_is_forked_off_during_a_request_uses_the_client(self) -> None:
        """Some web servers fork worker processes. If the client hung in a worker process, this process would handle no
        requests."""
        asked, go = threading.Event(), threading.Event()
        parent = os.getpid()

        def transport(_: Request) -> Response:
            if os.getpid() == parent:
                asked.set()
                go.wait(60)
            return respond(GRANTED)

        client = client_of(transport=transport, timeout=60)
        thread = threading.Thread(target=lambda: client.activate(KEY))
        thread.start()
        asked.wait(60)
        child = os.fork()
        if child == 0:
            threading.Timer(20, lambda: os._exit(2)).start()
            os._exit(0 if client.activate(KEY).status == "licensed" and client.check().status == "licensed" else 1)
        go.set()
        thread.join()
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) if sys.version_info >= (3, 9) else 0, 0)


class Coroutines(unittest.TestCase):
    def test_that_wait_leave_the_event_loop_free_and_may_be_cancelled(self) -> None:
        """If a check blocked the event loop, an app that is a server could handle no requests during the check. If an
        activation is cancelled, its seat may already be taken, so the client must still store the result."""
        asked, go = threading.Event(), threading.Event()
        self.addCleanup(go.set)

        def transport(_: Request) -> Response:
            asked.set()
            go.wait(60)
            return respond(GRANTED)

        async def app() -> None:
            told: "asyncio.Future[LicenseState]" = asyncio.get_running_loop().create_future()
            async with AsyncLicenseClient(client_of(transport=transport, timeout=60)) as license:
                end = license.subscribe(told.set_result)
                activation = asyncio.ensure_future(license.activate(KEY))
                while not asked.is_set():
                    await asyncio.sleep(0.01)
                self.assertIsNone(license.state)
                activation.cancel()
                with self.assertRaises(asyncio.CancelledError):
                    await activation
                go.set()
                self.assertEqual((await told).status, "licensed")
                end()
                self.assertTrue(license.has("export"))
                self.assertEqual((await license.check()).status, "licensed")

        asyncio.run(asyncio.wait_for(app(), 60))

    def test_there_is_one_for_each_method(self) -> None:
        methods = {name for name in dir(LicenseClient) if not name.startswith("_")}
        self.assertEqual({name for name in dir(AsyncLicenseClient) if not name.startswith("_")}, methods)


class SignIns(unittest.TestCase):
    ASKED = {"request": "secret", "user_code": "7KQ2-9MXB", "url": "https://portal.example.com/#activate=7KQ2-9MXB", "interval": 0}

    def waiting(self, on_poll: Callable[[], object]) -> LicenseClient:
        """A client whose sign-in nobody approves."""

        def transport(request: Request) -> Response:
            if not request.url.endswith("/poll"):
                return respond({"status": 201, "body": self.ASKED})
            on_poll()
            return respond({"status": 200, "body": {"status": "pending", "interval": 0}})

        return client_of(transport=transport)

    def assert_ended(self, client: LicenseClient, result: object) -> None:
        self.assertIsInstance(result, OfflineWithoutToken)
        fault = result.fault if isinstance(result, OfflineWithoutToken) else None
        self.assertEqual(fault.kind if fault else None, "closed")
        self.assertIsNone(client.state)

    def test_end_if_the_user_closes_the_dialog(self) -> None:
        signal = threading.Event()
        client = self.waiting(signal.set)
        self.assert_ended(client, client.activate_in_browser(open=str, on_code=str, signal=signal))

    def test_end_if_the_client_is_closed_during_a_pause(self) -> None:
        client = client_of(transport=lambda _: respond({"status": 201, "body": {**self.ASKED, "interval": 600}}))
        closing = threading.Thread(target=client.close)
        self.assert_ended(client, client.activate_in_browser(open=lambda _: closing.start(), on_code=str))
        closing.join()

    def test_continue_if_the_browser_can_not_be_opened(self) -> None:
        signal, codes = threading.Event(), []

        def fail(_: str) -> None:
            raise OSError("there is no browser")

        client = self.waiting(signal.set)
        self.assert_ended(client, client.activate_in_browser(open=fail, on_code=codes.append, signal=signal))
        self.assertEqual(codes, ["7KQ2-9MXB"])

    def test_end_with_the_task_that_waits_for_them(self) -> None:
        polled, ended = threading.Event(), threading.Event()
        client = self.waiting(polled.set)

        async def cancel() -> None:
            task = asyncio.ensure_future(AsyncLicenseClient(client).activate_in_browser(open=str, on_code=str))
            await asyncio.get_running_loop().run_in_executor(None, polled.wait)
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
            ended.set()

        asyncio.run(cancel())
        self.assertTrue(ended.is_set())


class Threads(unittest.TestCase):
    def test_calls_at_the_same_time_share_one_request(self) -> None:
        """Simultaneous calls share one request; otherwise ten windows of one app would ask the service ten times."""
        validations: List[Request] = []
        go = threading.Event()
        self.addCleanup(go.set)

        def transport(request: Request) -> Response:
            if request.method == "GET":
                validations.append(request)
                go.wait(60)
            return respond(GRANTED)

        client = client_of(transport=transport, timeout=60)
        client.activate(KEY)
        states: List[LicenseState] = []
        threads = [threading.Thread(target=lambda: states.append(client.validate())) for _ in range(10)]
        for thread in threads:
            thread.start()
        until(lambda: all(map(is_waiting, threads)))
        go.set()
        for thread in threads:
            thread.join()
        self.assertEqual([state.status for state in states], ["licensed"] * 10)
        self.assertEqual(len(validations), 1)

    def test_a_listener_may_call_the_client_and_may_fail(self) -> None:
        """If a listener calls the client, the app must not hang."""
        client = client_of(transport=lambda _: respond(GRANTED))
        seen: List[str] = []

        def listen(state: LicenseState) -> None:
            seen.append(state.status)
            client.check()
            raise RuntimeError("a listener's own fault")

        stop = client.subscribe(listen)
        client.check()
        client.activate(KEY)
        stop()
        client.deactivate()
        self.assertEqual(seen[:2], ["unbound", "licensed"])

    def test_a_storage_that_hangs_costs_no_more_than_its_time(self) -> None:
        go = threading.Event()
        self.addCleanup(go.set)

        class Hanging(MemoryStorage):
            def get(self, name: str) -> Optional[str]:
                go.wait(60)
                return None

        state = client_of(storage=Hanging(), timeout=0.05).check()
        # The unreadable cache may contain a license, so the client sends no request that could take a seat.
        self.assertEqual(state, OfflineWithoutToken("storage_failed", Fault("storage", "the license cache was not read")))

    def test_a_fingerprint_that_hangs_is_a_fault(self) -> None:
        go = threading.Event()
        self.addCleanup(go.set)
        storage = MemoryStorage()
        storage.set("app", json.dumps({"v": 1, "device": "machine"}))

        def hang() -> str:
            go.wait(60)
            return ACTIVATION["fingerprint"]  # type: ignore[no-any-return]

        state = client_of(storage=storage, storage_name="app", fingerprint=hang, timeout=0.05).check()
        assert isinstance(state, OfflineWithoutToken) and state.fault
        self.assertEqual((state.reason, state.fault.kind), ("device_unknown", "device"))

    def test_close_ends_a_request_under_way(self) -> None:
        """A network that doesn't respond must not delay the end of an app."""
        is_asked, go = threading.Event(), threading.Event()
        self.addCleanup(go.set)

        def hang(_: Request) -> Response:
            is_asked.set()
            go.wait(60)
            raise ConnectionResetError

        client = client_of(transport=hang, timeout=60)
        states: List[Any] = []
        thread = threading.Thread(target=lambda: states.append(client.activate(KEY)))
        thread.start()
        self.assertTrue(is_asked.wait(10))
        client.close()
        thread.join(10)
        self.assertEqual([state.fault.kind for state in states], ["closed"])

    def test_close_ends_a_wait_for_another_process(self) -> None:
        """While another process takes a seat, which lasts as long as its network is slow, an app must be able to end."""
        with tempfile.TemporaryDirectory() as folder, FileStorage(folder).lock("app.seat"):
            client = client_of(storage=FileStorage(folder), storage_name="app", timeout=60)
            states: List[Any] = []
            thread = threading.Thread(target=lambda: states.append(client.activate(KEY)))
            thread.start()
            client.close()
            thread.join(60)
            self.assertEqual([state.fault.kind for state in states], ["closed"])

    def test_the_state_changes_by_itself_when_the_token_ends(self) -> None:
        clock = {"now": ACTIVATION["now"]}
        tasks: List[Callable[[], None]] = []

        def schedule(task: Callable[[], None], _: float) -> Callable[[], None]:
            tasks.append(task)
            return lambda: None

        responses = [respond(GRANTED), Response(200, {}, b'{"valid": false, "status": "revoked"}')]
        client = client_of(transport=lambda _: responses.pop(0), now=lambda: clock["now"], schedule=schedule)
        client.activate(KEY)
        clock["now"] += 8 * 86_400
        tasks[-1]()
        client.idle()
        self.assertEqual(client.state, Refusal("revoked"))


class Handler(BaseHTTPRequestHandler):
    """A test server that responds instead of the service. Its response depends on the path."""

    def do_GET(self) -> None:
        self._respond()

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self._respond()

    def _respond(self) -> None:
        place = self.path.split("/")[1]
        body = json.dumps(GRANTED["body"]).encode()
        self.server.asked.append((place, self.headers.get("X-API-Key")))  # type: ignore[attr-defined]
        if place == "redirect":
            status, location = self.server.redirect  # type: ignore[attr-defined]
            self.send_response(status)
            if location:
                self.send_header("Location", location)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
            return
        if place == "endless-header":
            self._drip(b"HTTP/1.1 200 OK\r\nX-Endless: ")
            return
        self.send_response(404 if place == "refusing" else 200)
        if place == "refusing":
            self.send_header("X-Svc-Error-Code", "not_found")
            body = b'{"detail": "There is no such key."}'
        if place == "large":
            body = b" " * 1_100_000 + body
        if place == "endless-body":
            self.end_headers()
            self._drip(b"{")
            return
        self.send_header("Content-Length", str(len(body) + (1 if place == "broken" else 0)))
        self.end_headers()
        if place == "slow":
            for byte in body:
                if self.server.is_over.wait(0.05):  # type: ignore[attr-defined]
                    return
                self.wfile.write(bytes([byte]))
                self.wfile.flush()
            return
        self.wfile.write(body)

    def _drip(self, start: bytes) -> None:
        """Sends single bytes until the client closes the connection."""
        self.wfile.write(start)
        with suppress(OSError):
            while not self.server.is_over.wait(0.02):  # type: ignore[attr-defined]
                self.wfile.write(b" ")

    def log_message(self, format: str, *args: Any) -> None:
        pass


class Http(unittest.TestCase):
    """Tests the transport of the standard library over real sockets."""

    def setUp(self) -> None:
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.asked = []  # type: ignore[attr-defined]
        self.server.is_over = threading.Event()  # type: ignore[attr-defined]
        thread = threading.Thread(target=self.server.serve_forever)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.addCleanup(self.server.is_over.set)  # type: ignore[attr-defined]

    def _activate(self, place: str, timeout: float = 10) -> Any:
        with client_of(base_url=f"http://127.0.0.1:{self.server.server_port}/{place}", timeout=timeout) as client:
            return client.activate(KEY)

    def test_a_response_of_the_service(self) -> None:
        self.assertIsInstance(self._activate("service"), Licensed)

    def test_an_error_is_read_like_any_response(self) -> None:
        self.assertEqual(self._activate("refusing"), Refusal("unknown_key"))

    def test_a_redirect_is_not_followed(self) -> None:
        """Only the service may receive the license key."""
        for status in (301, 302, 303, 307, 308):
            for location in ("/elsewhere/v1/products/7/activate", "mailto:a@example.com", ""):
                with self.subTest(status=status, location=location):
                    self.server.redirect = (status, location)  # type: ignore[attr-defined]
                    self.assertEqual(self._activate("redirect").fault.kind, "unreachable")
        self.assertEqual({place for place, _ in self.server.asked}, {"redirect"})  # type: ignore[attr-defined]

    def test_a_body_that_never_ends_is_not_waited_for(self) -> None:
        self.assertEqual(self._activate("slow", timeout=0.2).fault.kind, "timeout")

    def test_the_thread_of_an_endless_response_ends(self) -> None:
        """An app that runs for weeks sends a request every five minutes. Each of these requests would keep a thread and
        a connection."""
        for place in ("endless-header", "endless-body"):
            with self.subTest(place=place):
                before = set(threading.enumerate())
                self.assertEqual(self._activate(place, timeout=0.2).fault.kind, "timeout")
                for thread in set(threading.enumerate()) - before:
                    thread.join(20)
                    self.assertFalse(thread.is_alive(), thread)

    def test_a_body_that_ends_too_early_is_none(self) -> None:
        """The part of a response that arrived before the connection broke may be valid JSON with another meaning."""
        self.assertEqual(self._activate("broken").fault.kind, "unreachable")

    def test_a_large_body_is_not_the_service_s(self) -> None:
        self.assertEqual(self._activate("large").fault.kind, "malformed")


class Options(unittest.TestCase):
    def test_that_can_not_work_are_refused(self) -> None:
        for option, value in [
            ("base_url", "licenses.example.com"),
            ("base_url", "https://user@licenses.example.com"),
            ("product_id", 1.5),
            ("product_id", True),
            ("product_id", 2**60),
            ("api_key", ""),
            ("audience", " "),
            ("fingerprint", ""),
            ("storage", object()),
            ("storage_name", "a/b"),
            ("release", Release(released_at="2030-01-01")),
            ("release", Release(released_at=datetime(2030, 1, 1))),
            ("release", Release(version=3)),  # type: ignore[arg-type]
            ("release", Release(version="1" * 201)),
            ("release", Release(version="1.0\0")),
            ("timeout", float("nan")),
            ("timeout", 0),
            ("retry_delay", -1),
            ("grace_days", float("inf")),
            ("public_key", "no key"),
            ("public_key", []),
            ("public_key", {"keys": [{"kty": "OKP", "crv": "Ed25519", "x": "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}]}),
        ]:
            with self.subTest(option, value=value), self.assertRaisesRegex(ValueError, option):
                client_of(**{option: value})

    def test_a_time_that_is_none_is_refused(self) -> None:
        with self.assertRaises(ValueError):
            verify_token("", public_key=SETTINGS["public_key"], fingerprint="x", now=float("nan"))

    def test_without_a_time_an_old_token_is_over(self) -> None:
        token = next(vector["token"] for vector in vectors.read("tokens")["tokens"] if vector["problem"] == "expired")
        given = vectors.read("tokens")["defaults"]
        verified = verify_token(token, public_key=given["public_key_pem"], fingerprint=given["fingerprint"], audience=given["audience"], now=4_000_000_000)
        self.assertEqual(verified.problem, "expired")
