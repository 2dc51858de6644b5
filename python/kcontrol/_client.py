"""The client and its parts."""
from __future__ import annotations

import asyncio
import atexit
import ctypes
import json
import os
import threading
from types import TracebackType
from typing import Any, AsyncIterator, Dict, Mapping, Optional, Set, Tuple, Type, TypeVar, Union

from ._errors import Code, Error
from ._library import LIBRARY, NOTIFY, CEndpoint, check
from ._values import STATES, Endpoint, Leader, Snapshot
from ._waiting import Notifier, closed_error, wait, wait_async

Self = TypeVar("Self", bound="_Handle")


def _options(values: Mapping[str, Any]) -> bytes:
    return json.dumps({key: value for key, value in values.items() if value is not None}).encode()


def _text(value: str, what: str) -> bytes:
    if "\0" in value:
        raise Error(Code.EINVAL, f"the {what} has a NUL character")
    return value.encode()


class _Handle:
    """Owns a handle until close(), the end of `with`, or the end of the process: what nobody refers to any more goes on."""

    _name = "handle"

    def __init__(self, owner: "Optional[Client]" = None) -> None:
        self._owner = owner
        self._handle = ctypes.c_uint64()
        self._closing = threading.Lock()
        self._notifier = Notifier()
        self._process = os.getpid()

    @property
    def closed(self) -> bool:
        return self._handle.value == 0

    def _open(self) -> ctypes.c_uint64:
        if self.closed:
            raise closed_error(self._name)
        return self._handle

    def close(self) -> None:
        """Ends it, and waits for that: a leader gives the Lease up, a registered object is deleted. Does nothing if it has
        ended. Those who wait for it get Error with code EHANDLE."""
        if os.getpid() != self._process:
            return
        with self._closing:
            handle, self._handle = self._handle, ctypes.c_uint64()
            if handle.value == 0:
                return
            code = LIBRARY.kc_free(handle)
        self._notifier.wake()
        if self._owner is not None:
            self._owner._parts.discard(self)
        # The client may have been freed first, and its parts with it.
        if code != Code.EHANDLE:
            check(code)

    async def aclose(self) -> None:
        """close() on another thread: the loop runs on meanwhile."""
        await asyncio.get_running_loop().run_in_executor(None, self.close)

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.close()

    async def __aenter__(self: Self) -> Self:
        return self

    async def __aexit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                        trace: Optional[TracebackType]) -> None:
        await self.aclose()


def _age(milliseconds: int) -> Optional[float]:
    return None if milliseconds < 0 else milliseconds / 1000


class Lead(_Handle):
    """A candidate for a Lease; made by Client.lead()."""

    _name = "lead"

    def __init__(self, client: "Client", options: bytes) -> None:
        super().__init__(client)
        self._won = self._ended = 0  # tokens: the last one that won() gave, the last one that lost() reported
        check(LIBRARY.kc_lead(client._open(), options, NOTIFY.kn_led, self._notifier.pointer, ctypes.byref(self._handle)))

    def _now(self) -> Tuple[float, int]:
        ms, token = ctypes.c_int64(), ctypes.c_uint64()
        check(LIBRARY.kc_lead_left(self._open(), ctypes.byref(ms), ctypes.byref(token)))
        return ms.value / 1000, token.value

    @property
    def token(self) -> int:
        """The token of the present term; 0: it does not lead. It grows with each term, whoever leads."""
        return self._now()[1]

    @property
    def left(self) -> float:
        """For how many seconds it leads at least; 0: it does not. Ask before each write."""
        return self._now()[0]

    def _read_won(self) -> Tuple[bool, int, Optional[float]]:
        token = self._now()[1]
        if token == 0:
            return False, 0, None
        self._won = token
        return True, token, None

    def wait_won(self, timeout: Optional[float] = None) -> int:
        """Waits until it leads; gives the token."""
        return wait(self._notifier, self._read_won, timeout, lambda: "another one leads still")

    async def won(self) -> int:
        """The same in a coroutine."""
        return await wait_async(self._notifier, self._read_won)

    def _read_lost(self) -> Tuple[bool, None, Optional[float]]:
        left, token = self._now()
        if self._won == self._ended:  # no term is known that has not been reported
            self._won = max(self._won, token)
        if self._won == self._ended or token == self._won:
            # It may end without a word: the machine was suspended, say.
            return False, None, left + 0.001 if token else None
        self._ended = self._won
        return True, None, None

    def wait_lost(self, timeout: Optional[float] = None) -> None:
        """Waits until the term has ended that won() gave last; without one, the present or next term."""
        wait(self._notifier, self._read_lost, timeout, lambda: "it leads still" if self._now()[1] else "it has not led yet")

    async def lost(self) -> None:
        """The same in a coroutine."""
        await wait_async(self._notifier, self._read_lost)


class Registration(_Handle):
    """An object that is in the cluster until close(); made by Client.register()."""

    _name = "registration"

    def __init__(self, client: "Client", text: bytes) -> None:
        super().__init__(client)
        check(LIBRARY.kc_register(client._open(), text, ctypes.byref(self._handle)))


class Follow(_Handle):
    """The leader of a Lease; made by Client.follow()."""

    _name = "follow"

    def __init__(self, client: "Client", url: bytes) -> None:
        super().__init__(client)
        check(LIBRARY.kc_follow(client._open(), url, NOTIFY.kn_changed, self._notifier.pointer, ctypes.byref(self._handle)))

    def leader(self) -> Leader:
        """Who leads now. Errors: what the server refuses (EFORBIDDEN) while nothing is known."""
        size, state, age = 256, ctypes.c_int(), ctypes.c_int64()
        while True:
            buffer = ctypes.create_string_buffer(size)
            code = LIBRARY.kc_follow_get(self._open(), buffer, size, ctypes.byref(state), ctypes.byref(age))
            if code != Code.EINVAL or size >= 1 << 20:
                break
            size *= 4
        # That nobody leads is a value, and so is that the server can't be reached.
        if code not in (Code.ENOTFOUND, Code.EUNREACHABLE):
            check(code)
        return Leader(buffer.value.decode() or None, STATES[state.value], _age(age.value))

    def wait(self, timeout: Optional[float] = None) -> Leader:
        """Waits until there is a leader with an address."""

        def read() -> Tuple[bool, Leader, Optional[float]]:
            leader = self.leader()
            return leader.address is not None, leader, None

        return wait(self._notifier, read, timeout, lambda: "there is no leader with an address")

    async def __aiter__(self) -> AsyncIterator[Leader]:
        """The leader now, and at each change of address or state."""
        last: Optional[Tuple[Optional[str], str]] = None

        def read() -> Tuple[bool, Leader, Optional[float]]:
            leader = self.leader()
            return (leader.address, leader.state) != last, leader, None

        while True:
            leader = await wait_async(self._notifier, read)
            last = leader.address, leader.state
            yield leader


class Endpoints(_Handle):
    """The endpoints of a Service or of pods; made by Client.endpoints()."""

    _name = "endpoints"

    def __init__(self, client: "Client", target: bytes, options: bytes) -> None:
        super().__init__(client)
        self._cached: Tuple[int, Tuple[Endpoint, ...]] = 0, ()
        check(LIBRARY.kc_endpoints(client._open(), target, options, NOTIFY.kn_changed, self._notifier.pointer,
                                   ctypes.byref(self._handle)))

    def snapshot(self) -> Snapshot:
        """The endpoints as they are now. Errors: while nothing is known, what stands in the way (EFORBIDDEN, ENOTFOUND,
        EINVAL for a port that is not there)."""
        taken = ctypes.c_uint64()
        code = LIBRARY.kc_snapshot(self._open(), ctypes.byref(taken))
        if code == Code.EUNREACHABLE:
            return Snapshot(0, "stale", None, ())
        check(code)
        try:
            version, count = ctypes.c_uint64(), ctypes.c_size_t()
            state, age = ctypes.c_int(), ctypes.c_int64()
            check(LIBRARY.kc_snapshot_info(taken, ctypes.byref(version), ctypes.byref(count), ctypes.byref(state),
                                           ctypes.byref(age)))
            cached, endpoints = self._cached
            if cached != version.value:
                endpoints = tuple(self._at(taken, i) for i in range(count.value))
                self._cached = version.value, endpoints
            return Snapshot(version.value, STATES[state.value], _age(age.value), endpoints)
        finally:
            LIBRARY.kc_free(taken)

    @staticmethod
    def _at(snapshot: ctypes.c_uint64, i: int) -> Endpoint:
        at = CEndpoint(ctypes.sizeof(CEndpoint))
        check(LIBRARY.kc_snapshot_at(snapshot, i, ctypes.byref(at)))
        return Endpoint(at.address.decode(), at.port, bool(at.ready), bool(at.serving), bool(at.terminating),
                        at.zone.decode(), at.node.decode(), at.pod.decode())

    def wait(self, version: int = 0, timeout: Optional[float] = None) -> Snapshot:
        """Waits for a snapshot with a version beyond that one: 0 waits for the first."""

        def read() -> Tuple[bool, Snapshot, Optional[float]]:
            snapshot = self.snapshot()
            return snapshot.version > version, snapshot, None

        return wait(self._notifier, read, timeout, lambda: f"there is no version beyond {version} yet")

    async def __aiter__(self) -> AsyncIterator[Snapshot]:
        """The snapshot once there is one, and at each change of endpoints or state. One that is overtaken is skipped."""
        last: Tuple[int, str] = 0, ""

        def read() -> Tuple[bool, Snapshot, Optional[float]]:
            snapshot = self.snapshot()
            return snapshot.version > 0 and (snapshot.version, snapshot.state) != last, snapshot, None

        while True:
            snapshot = await wait_async(self._notifier, read)
            last = snapshot.version, snapshot.state
            yield snapshot


_clients: "Set[Client]" = set()


@atexit.register
def _close_clients() -> None:
    for client in list(_clients):
        client.close()


class Client(_Handle):
    """A client of one cluster. Its parts end with it.

    kubeconfig: path; else as kubectl: KUBECONFIG, ~/.kube/config, the pod's service account. context: name in the kubeconfig; else its
    current one. log: "off", "error", "warning", "info" or "debug", to standard error. core_dumps False: from now on no core of
    the process is dumped, for it would hold the credentials; True: the process stays as it is. Make it after a fork: in a child of a
    process that had one, each call raises Error with code EFORKED.
    """

    _name = "client"

    def __init__(self, kubeconfig: Union[str, "os.PathLike[str]", None] = None, context: Optional[str] = None, *,
                 log: str = "warning", core_dumps: bool = False) -> None:
        super().__init__()
        self._parts: Set[_Handle] = set()
        path = None if kubeconfig is None else os.fspath(kubeconfig)
        check(LIBRARY.kc_client_new(_options({"kubeconfig": path, "context": context, "log": log, "coreDumps": core_dumps}),
                                    ctypes.byref(self._handle)))
        _clients.add(self)

    def close(self) -> None:
        super().close()
        _clients.discard(self)
        for part in list(self._parts):
            part.close()

    def lead(self, namespace: Optional[str], lease: str, identity: Optional[str] = None, address: Optional[str] = None,
             label: Union[Tuple[str, str], Tuple[str, str, str], None] = None, lease_duration: float = 15,
             renew_deadline: float = 10, retry_period: float = 2, accept_token_reset: bool = False) -> Lead:
        """Takes part in the election of a Lease until close(). namespace None: the pod's own.

        identity: no two candidates have the same; else the host name and a random part. address: HOST:PORT for followers.
        label: (KEY, VALUE) that the own pod carries while it leads, or (KEY, VALUE, POD); such as ("role", "leader").
        Times are seconds. accept_token_reset: lead also after the server's versions went back.
        """
        labelled: Optional[Dict[str, str]] = None
        if label is not None:
            labelled = dict(zip(("key", "value", "pod"), label))
        options = {"namespace": namespace, "lease": lease, "identity": identity, "address": address, "label": labelled,
                   "leaseDurationSeconds": lease_duration, "renewDeadlineSeconds": renew_deadline,
                   "retryPeriodSeconds": retry_period, "acceptTokenReset": accept_token_reset or None}
        return self._part(Lead(self, _options(options)))

    def endpoints(self, target: str, port: Union[str, int, None] = None, stale_after: float = 10,
                  cache: Union[str, "os.PathLike[str]", None] = None, selector: Optional[str] = None) -> Endpoints:
        """Follows the endpoints of "NAMESPACE/SERVICE", or of the pods of "NAMESPACE" that `selector` selects.

        port: name or number. stale_after: seconds. cache: file of the last snapshot, for the next start.
        """
        path = None if cache is None else os.fspath(cache)
        options = {"port": port, "staleAfterSeconds": stale_after, "cache": path, "selector": selector}
        return self._part(Endpoints(self, _text(target, "target"), _options(options)))

    def follow(self, url: str) -> Follow:
        """Follows the leader of "k8s://NAMESPACE/LEASE"."""
        return self._part(Follow(self, _text(url, "url")))

    def register(self, object: Union[str, Mapping[str, Any]]) -> Registration:
        """Keeps an object in the cluster until close(): applied now, again when it was changed or deleted."""
        text = _text(object, "object") if isinstance(object, str) else json.dumps(object).encode()
        return self._part(Registration(self, text))

    _Part = TypeVar("_Part", bound=_Handle)

    def _part(self, part: _Part) -> _Part:
        self._parts.add(part)
        return part
