"""The program in a pseudo terminal: its keys, and that the terminal is as it was, whatever ends the program."""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
import unittest

import server

ENTER, LEAVE = b"\x1b[?1049h", b"\x1b[?1049l"
PATIENCE = 60
ESCAPES = re.compile(r"\x1b\[[?0-9;]*[A-Za-z]")


class Seat:
    """A terminal at which the program runs, as a context."""

    def __init__(self, rows=24, columns=80, **environment):
        self.master, self.slave = pty.openpty()
        self.resize(rows, columns)
        self.before = termios.tcgetattr(self.slave)
        self.seen = b""
        variables = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "TERM")}
        self.process = subprocess.Popen(
            [server.training_monitor(), "--demo", "--listen", "0"], stdin=self.slave, stdout=self.slave,
            stderr=self.slave, start_new_session=True, env={**variables, "TERM": "xterm-256color", **environment},
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.slave)
        os.close(self.master)

    def resize(self, rows, columns):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def type(self, keys):
        """What is seen from now on comes after these."""
        self.read_what_is_there()
        self.seen = b""
        os.write(self.master, keys)

    def read_what_is_there(self, seconds=0.0):
        while select.select([self.master], [], [], seconds)[0]:
            self.seen += os.read(self.master, 65536)
            seconds = 0

    def until(self, found, what):
        end = time.monotonic() + PATIENCE
        while not found():
            if time.monotonic() > end:
                raise AssertionError(f"{what} does not come: {self.seen[-2000:]!r}")
            self.read_what_is_there(0.1)

    def until_seen(self, text):
        wanted = text if isinstance(text, bytes) else text.encode()
        self.until(lambda: wanted in self.seen, text)

    def until_ended(self):
        self.until(lambda: self.process.poll() is not None, "the end of the program")
        self.read_what_is_there()
        return self.process.returncode

    def is_stopped(self):
        return os.waitid(os.P_PID, self.process.pid, os.WSTOPPED | os.WNOHANG | os.WNOWAIT)

    def last_picture(self):
        """The lines of the last whole picture, as they are seen."""
        pictures = self.seen.decode(errors="replace").split("\x1b[H")
        # The terminal itself writes a carriage return for each newline (ONLCR), besides the program's.
        return [ESCAPES.sub("", line).rstrip("\r") for line in pictures[-2].split("\r\n")]


@unittest.skipUnless(server.training_monitor(), "training_monitor is not built")
class Terminal(unittest.TestCase):
    def assert_as_before(self, seat):
        self.assertEqual(termios.tcgetattr(seat.slave), seat.before)
        self.assertGreater(seat.seen.rfind(LEAVE), seat.seen.rfind(ENTER))

    def test_keys(self):
        with Seat() as seat:
            seat.until_seen(ENTER)
            seat.until_seen("Running")
            self.assertEqual(termios.tcgetattr(seat.slave)[3] & (termios.ICANON | termios.ECHO), 0)
            seat.type(b"j\r")
            seat.until_seen("Esc: back")
            seat.type(b"\x1b")
            seat.until_seen("q: quit")
            seat.type(b"/no-such-job")
            seat.until_seen("No job fits the search.")
            seat.type(b"\x1b")
            seat.until_seen("q: quit")
            seat.seen = b""
            seat.resize(12, 40)
            seat.until(lambda: seat.seen.count(b"\x1b[H") >= 2 and len(seat.last_picture()) == 12, "the new size")
            self.assertLessEqual(max(len(line) for line in seat.last_picture()), 40)
            seat.type(b"q")
            self.assertEqual(seat.until_ended(), 0)
            self.assertEqual(termios.tcgetattr(seat.slave), seat.before)
            self.assertIn(LEAVE, seat.seen)

    def test_signals_end_it_and_the_terminal_is_as_before(self):
        for name, send in (("Ctrl-C", b"\x03"), ("Ctrl-\\", b"\x1c"), ("SIGTERM", signal.SIGTERM),
                           ("SIGHUP", signal.SIGHUP), ("SIGABRT", signal.SIGABRT)):
            with self.subTest(name), Seat() as seat:
                seat.until_seen("Running")
                if isinstance(send, bytes):
                    os.write(seat.master, send)
                else:
                    seat.process.send_signal(send)
                code = seat.until_ended()
                self.assert_as_before(seat)
                deadly = {"Ctrl-\\": -signal.SIGQUIT, "SIGABRT": -signal.SIGABRT}
                self.assertEqual(code, deadly.get(name, 0))

    def test_it_can_be_stopped_and_go_on(self):
        with Seat() as seat:
            seat.until_seen("Running")
            os.write(seat.master, b"\x1a")
            seat.until(seat.is_stopped, "the stop")
            seat.read_what_is_there()
            self.assert_as_before(seat)
            seat.seen = b""
            seat.process.send_signal(signal.SIGCONT)
            seat.until_seen(ENTER)
            seat.type(b"q")
            self.assertEqual(seat.until_ended(), 0)
            self.assertEqual(termios.tcgetattr(seat.slave), seat.before)

    def test_what_the_variables_forbid(self):
        with Seat(TERM="dumb") as seat:
            seat.until_seen("-> Running")
            seat.process.terminate()
            seat.until_ended()
            self.assertNotIn(b"\x1b", seat.seen)
        with Seat(NO_COLOR="1") as seat:
            seat.until_seen("+ Running")
            seat.process.terminate()
            seat.until_ended()
            self.assertNotRegex(seat.seen, rb"\x1b\[[0-9;]*m")


if __name__ == "__main__":
    unittest.main()
