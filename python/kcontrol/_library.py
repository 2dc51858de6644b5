"""The C interface (kcontrol_service.h), as ctypes sees it. The GIL is free during each call."""
from __future__ import annotations

import ctypes
import pathlib
from ctypes import POINTER, c_char_p, c_int, c_int64, c_size_t, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p

from ._errors import Code, Error

ABI_VERSION = 1


class CEndpoint(ctypes.Structure):
    """kc_endpoint."""

    _fields_ = [("size", c_size_t), ("address", c_char_p), ("port", c_uint16), ("ready", c_uint8), ("serving", c_uint8),
                ("terminating", c_uint8), ("zone", c_char_p), ("node", c_char_p), ("pod", c_char_p)]


def _load(name: str) -> ctypes.CDLL:
    inside = pathlib.Path(__file__).parent / "lib" / name
    return ctypes.CDLL(str(inside) if inside.exists() else name)


LIBRARY = _load("libkcontrol_service.so.0")
NOTIFY = _load("libkcontrol_notify.so")

_HANDLE = POINTER(c_uint64)
for _name, _arguments in {
    "kc_client_new": [c_char_p, _HANDLE],
    "kc_lead": [c_uint64, c_char_p, c_void_p, c_void_p, _HANDLE],
    "kc_lead_left": [c_uint64, POINTER(c_int64), POINTER(c_uint64)],
    "kc_register": [c_uint64, c_char_p, _HANDLE],
    "kc_follow": [c_uint64, c_char_p, c_void_p, c_void_p, _HANDLE],
    "kc_follow_get": [c_uint64, c_char_p, c_size_t, POINTER(c_int), POINTER(c_int64)],
    "kc_endpoints": [c_uint64, c_char_p, c_char_p, c_void_p, c_void_p, _HANDLE],
    "kc_snapshot": [c_uint64, _HANDLE],
    "kc_snapshot_info": [c_uint64, POINTER(c_uint64), POINTER(c_size_t), POINTER(c_int), POINTER(c_int64)],
    "kc_snapshot_at": [c_uint64, c_size_t, POINTER(CEndpoint)],
    "kc_free": [c_uint64],
}.items():
    _function = getattr(LIBRARY, _name)
    _function.argtypes = _arguments
    _function.restype = c_int
LIBRARY.kc_error.argtypes = [c_char_p, c_size_t]
LIBRARY.kc_error.restype = c_size_t
LIBRARY.kc_abi_version.restype = c_uint32

NOTIFY.kn_new.restype = c_void_p
NOTIFY.kn_add.argtypes = [c_void_p]
NOTIFY.kn_add.restype = c_int
NOTIFY.kn_remove.argtypes = [c_void_p, c_int]
NOTIFY.kn_remove.restype = None
NOTIFY.kn_wake.argtypes = [c_void_p]
NOTIFY.kn_wake.restype = None
NOTIFY.kn_free.argtypes = [c_void_p]
NOTIFY.kn_free.restype = None

if LIBRARY.kc_abi_version() < ABI_VERSION:
    raise ImportError(f"libkcontrol_service has interface {LIBRARY.kc_abi_version()}, and this package needs {ABI_VERSION}")


def last_error() -> str:
    """The text of this thread's last failure."""
    size = LIBRARY.kc_error(None, 0) + 1
    buffer = ctypes.create_string_buffer(size)
    LIBRARY.kc_error(buffer, size)
    return buffer.value.decode("utf-8", "replace")


def check(code: int) -> None:
    """Raises what a function returned, unless that is KC_OK."""
    if code != 0:
        raise Error(Code(code), last_error())
