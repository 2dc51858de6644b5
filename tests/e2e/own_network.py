"""A network of a test's own: 127.0.0.0/8 and one block of addresses more, all of them this machine's.

An API server refuses endpoints on loopback (127.0.0.0/8), so those of a test need other addresses, which no real network
of the machine has.
"""
import ctypes
import fcntl
import ipaddress
import os
import socket
import struct
import unittest

CLONE_NEWNET = 0x40000000
SIOCSIFFLAGS, SIOCSIFADDR, SIOCSIFNETMASK = 0x8914, 0x8916, 0x891C
IFF_UP, IFF_RUNNING = 0x1, 0x40


class OwnNetwork:
    """From its making to leave(), this thread, threads that it starts and processes that it starts are in a network
    namespace where each address of `block` is local, as those of 127.0.0.0/8 are. Raises SkipTest where that is not
    allowed."""

    def __init__(self, block):
        self.libc = ctypes.CDLL(None, use_errno=True)
        self.before = os.open("/proc/thread-self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
        if self.libc.unshare(CLONE_NEWNET) != 0:
            why = os.strerror(ctypes.get_errno())
            os.close(self.before)
            raise unittest.SkipTest(f"no network namespace can be made here: {why}; run the tests as root")
        try:
            self.own(ipaddress.ip_network(block))
        except BaseException:
            self.leave()
            raise

    @staticmethod
    def own(block):
        def request(name, address):
            return struct.pack("16sHH4s8x", name, socket.AF_INET, 0, address.packed)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
            fcntl.ioctl(s, SIOCSIFFLAGS, struct.pack("16sH14x", b"lo", IFF_UP | IFF_RUNNING))
            # On loopback, all of an address' network is local.
            fcntl.ioctl(s, SIOCSIFADDR, request(b"lo:0", block[1]))
            fcntl.ioctl(s, SIOCSIFNETMASK, request(b"lo:0", block.netmask))

    def leave(self):
        if self.libc.setns(self.before, CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), "setns")
        os.close(self.before)
