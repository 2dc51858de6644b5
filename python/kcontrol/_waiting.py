"""Waiting for changes: on a descriptor, so that threads can be interrupted and any asyncio loop can do it."""
from __future__ import annotations

import asyncio
import contextlib
import os
import select
import time
import weakref
from typing import Callable, Iterator, Optional, TypeVar

from ._errors import Code, Error, Timeout
from ._library import NOTIFY

T = TypeVar("T")


def _free_notifier(pointer: int, process: int) -> None:
    # In the child of a fork its mutex may be held for ever.
    if os.getpid() == process:
        NOTIFY.kn_free(pointer)


class Notifier:
    """Wakes all who wait for one object. It lives as long as it is referred to: the object and who waits do."""

    def __init__(self) -> None:
        pointer = NOTIFY.kn_new()
        if not pointer:
            raise MemoryError
        self.pointer: int = pointer
        # Not at the end of the process: the library's thread may call it until then.
        weakref.finalize(self, _free_notifier, pointer, os.getpid()).atexit = False

    @contextlib.contextmanager
    def descriptor(self) -> Iterator[int]:
        """Readable after each change."""
        fd = NOTIFY.kn_add(self.pointer)
        if fd < 0:
            raise OSError(-fd, os.strerror(-fd))
        try:
            yield fd
        finally:
            NOTIFY.kn_remove(self.pointer, fd)

    def wake(self) -> None:
        NOTIFY.kn_wake(self.pointer)


def _timeout(what: str) -> Timeout:
    return Timeout(Code.ETIMEDOUT, what)


#: Reads the value: (done, value, seconds after which it is read again without a change, or None).
Read = Callable[[], "tuple[bool, T, Optional[float]]"]


def _shorter(a: Optional[float], b: Optional[float]) -> Optional[float]:
    return b if a is None else a if b is None else min(a, b)


def _drain(fd: int) -> None:
    with contextlib.suppress(BlockingIOError):
        os.read(fd, 8)


def wait(notifier: Notifier, read: Read[T], timeout: Optional[float], what: Callable[[], str]) -> T:
    """Returns read()'s value when it is done. Raises Timeout with the text of what()."""
    done, value, again = read()  # first: in the child of a fork it raises, and nothing else is safe there
    if done:
        return value
    end = None if timeout is None else time.monotonic() + timeout
    with notifier.descriptor() as fd:
        poll = select.poll()
        poll.register(fd, select.POLLIN)
        while True:
            done, value, again = read()
            if done:
                return value
            left = None if end is None else end - time.monotonic()
            if left is not None and left <= 0:
                raise _timeout(what())
            pause = _shorter(left, again)
            poll.poll(None if pause is None else max(1, int(pause * 1000)))
            _drain(fd)


async def wait_async(notifier: Notifier, read: Read[T]) -> T:
    """The same in a coroutine; cancel it to give up."""
    done, value, _ = read()
    if done:
        return value
    with notifier.descriptor() as fd:
        while True:
            done, value, again = read()
            if done:
                return value
            await readable(fd, again)
            _drain(fd)


async def readable(fd: int, timeout: Optional[float] = None) -> None:
    """Returns when the descriptor is readable, or after the time."""
    loop = asyncio.get_running_loop()
    ready: asyncio.Future[None] = loop.create_future()

    def wake() -> None:
        if not ready.done():
            ready.set_result(None)

    loop.add_reader(fd, wake)
    timer = None if timeout is None else loop.call_later(max(timeout, 0.001), wake)
    try:
        await ready
    finally:
        loop.remove_reader(fd)
        if timer is not None:
            timer.cancel()


def closed_error(name: str) -> Error:
    return Error(Code.EHANDLE, f"the {name} is closed")
