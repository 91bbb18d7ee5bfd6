"""Runs tasks with time limits, tasks whose result several callers share, and background tasks."""

from __future__ import annotations

import threading
from collections import deque
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from contextlib import ExitStack
from typing import Any, Callable, ContextManager, Deque, Generic, Optional, Set, TypeVar

Value = TypeVar("Value")


class LateError(Exception):
    """A task did not end within its time limit."""


class EndedError(Exception):
    """Another thread has ended the wait."""


class Waiting:
    """Runs each task in a thread of its own, and waits until the task has ended, its time limit has passed, or all
    waits are ended."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pending: Set["Future[Any]"] = set()
        self._is_ended = threading.Event()

    @property
    def is_ended(self) -> bool:
        return self._is_ended.is_set()

    def end(self) -> None:
        """Ends all current waits. Later waits end at once."""
        self._is_ended.set()
        with self._lock:
            for future in self._pending:
                _settle(future, error=EndedError())

    def pause(self, seconds: float) -> None:
        """Returns after some seconds, or when all waits are ended."""
        self._is_ended.wait(seconds)

    def within(self, seconds: float, task: Callable[[], Value]) -> Value:
        """Runs a task and returns its result.

        :raises LateError: if the task takes longer than `seconds`
        :raises EndedError: if all waits are ended
        """
        future: "Future[Value]" = Future()

        def run() -> None:
            try:
                value = task()
            except BaseException as error:  # noqa: B902 - the waiting thread raises it again
                _settle(future, error=error)
            else:
                _settle(future, value=value)

        with self._lock:
            if self.is_ended:
                raise EndedError
            self._pending.add(future)
        try:
            # The thread is a daemon, so that a task doesn't keep the process alive when no caller waits for it any more.
            threading.Thread(target=run, daemon=True).start()
            return future.result(seconds)
        except FutureTimeout:
            # Either the task has raised this error, or the time limit has passed. In the second case, if the task has
            # ended in the meantime, its result is used.
            if future.done():
                return future.result()
            raise LateError from None
        finally:
            with self._lock:
                self._pending.discard(future)

    def enter(self, seconds: float, stack: ExitStack, make: Callable[[], ContextManager[object]]) -> None:
        """Enters the context manager that `make` returns, and pushes it onto `stack`, which exits it later. If the
        context manager is entered only after this call has ended, it is exited at once.

        :raises LateError: if entering takes longer than `seconds`
        """
        guard = threading.Lock()
        entered: Optional[ContextManager[object]] = None
        is_over = False

        def task() -> None:
            nonlocal entered
            context = make()
            context.__enter__()
            with guard:
                if not is_over:
                    entered = context
                    return
            context.__exit__(None, None, None)

        try:
            self.within(seconds, task)
        finally:
            # The task may enter the context manager at the moment when the wait ends with an error. It is pushed in
            # this case too, so that `stack` exits it.
            with guard:
                is_over = True
                if entered is not None:
                    stack.push(entered)


def _settle(future: "Future[Value]", *, value: Optional[Value] = None, error: Optional[BaseException] = None) -> None:
    if future.done():
        return
    try:
        if error is None:
            future.set_result(value)  # type: ignore[arg-type]
        else:
            future.set_exception(error)
    except Exception:  # noqa: S110 - the other thread was faster
        pass


class Shared(Generic[Value]):
    """Runs a task. Calls during a run share the result of this run. After `forget`, the next call starts a new run."""

    def __init__(self, task: Callable[[], Value]) -> None:
        self._task = task
        self._lock = threading.Lock()
        self._current: Optional["Future[Value]"] = None
        self._runner = 0

    def forget(self) -> None:
        with self._lock:
            self._current = None

    def run(self) -> Value:
        own: "Future[Value]" = Future()
        with self._lock:
            current = self._current
            # A listener that is called during a run may call `run` in the same thread. This call starts a new run,
            # because waiting for the current run would never end.
            if current is None or self._runner == threading.get_ident():
                current, self._current, self._runner = None, own, threading.get_ident()
        if current is not None:
            return current.result()
        try:
            own.set_result(self._task())
        except BaseException as error:
            own.set_exception(error)
        finally:
            with self._lock:
                if self._current is own:
                    self._current = None
        return own.result()


class Background:
    """Runs tasks one after the other, in a thread that ends when no task is left. The thread keeps the process
    alive until the tasks have ended. This takes a limited time, because requests have a time limit."""

    def __init__(self, on_error: Callable[[BaseException], None]) -> None:
        self._on_error = on_error
        self._tasks: Deque[Callable[[], object]] = deque()
        self._rest = threading.Condition()
        self._is_running = False
        self._thread: Optional[threading.Thread] = None

    def submit(self, task: Callable[[], object]) -> None:
        with self._rest:
            self._tasks.append(task)
            if not self._is_running:
                self._is_running = True
                self._thread = threading.Thread(target=self._run, name="license-key-client")
                self._thread.start()

    def wait(self) -> None:
        """Returns when no task is left; inside the background thread it returns at once."""
        with self._rest:
            if threading.current_thread() is not self._thread:
                self._rest.wait_for(lambda: not self._is_running)

    def _run(self) -> None:
        while True:
            with self._rest:
                if not self._tasks:
                    self._is_running = False
                    self._rest.notify_all()
                    return
                task = self._tasks.popleft()
            try:
                task()
            except Exception as error:
                self._on_error(error)
