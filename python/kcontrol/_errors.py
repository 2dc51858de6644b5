"""Failures of the library."""
from __future__ import annotations

import enum


class Code(enum.IntEnum):
    """The codes of kcontrol_service.h, without KC_."""

    EINVAL = 1
    EHANDLE = 2
    EFORKED = 3
    EBUSY = 4
    ETIMEDOUT = 5
    EUNREACHABLE = 6
    EFORBIDDEN = 7
    ENOTFOUND = 8
    ENOMEM = 9


class Error(Exception):
    """What failed, in words that name the remedy; branch on `code`."""

    def __init__(self, code: Code, text: str) -> None:
        super().__init__(text)
        self.code = code

    def __reduce__(self) -> tuple[type["Error"], tuple[Code, str]]:
        return type(self), (self.code, str(self))


class Timeout(Error, TimeoutError):
    """The time was over first; its code is ETIMEDOUT."""
