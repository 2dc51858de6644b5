"""What is read: values that never change."""
from __future__ import annotations

from typing import Literal, NamedTuple, Optional, Tuple

#: "live": the watch is open, and the server gave a sign of life within stale_after. "resuming": the watch is broken, the last sign
#: is younger than that. "stale": it is older, there was none, or the value is from the cache file.
State = Literal["live", "resuming", "stale"]

STATES: Tuple[State, ...] = ("live", "resuming", "stale")


class Endpoint(NamedTuple):
    """One backend. Text is empty where the server has not said it."""

    address: str  #: IPv4 or IPv6, without brackets
    port: int
    ready: bool  #: takes new connections
    serving: bool  #: answers, maybe while it terminates
    terminating: bool
    zone: str
    node: str
    pod: str


class Snapshot(NamedTuple):
    """All endpoints at one moment, in order of address and port, no two with the same pair."""

    version: int  #: grows with each change of the endpoints; 0: nothing is known yet
    state: State
    age: Optional[float]  #: seconds since the server's last sign of life; None: there was none
    endpoints: Tuple[Endpoint, ...]


class Leader(NamedTuple):
    """Who leads at one moment."""

    address: Optional[str]  #: None: nobody leads, or the leader has no address
    state: State
    age: Optional[float]  #: seconds since the server's last sign of life; None: there was none
