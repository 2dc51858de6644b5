"""Waiting by polling with a deadline: the only place of the end-to-end tests where time passes on purpose."""
import time

DEADLINE = 90.0


def until(what, probe, deadline=DEADLINE, every=0.1):
    """Calls probe() until it returns something true, and returns that. `what` (text or function) says what failed."""
    end = time.monotonic() + deadline
    while True:
        found = probe()
        if found:
            return found
        if time.monotonic() > end:
            raise AssertionError(f"after {deadline:.0f} s: {what() if callable(what) else what}")
        time.sleep(every)


def stable(probe, seconds):
    """The value of probe() for as long as it must hold; raises with the first falsehood."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if not probe():
            raise AssertionError(f"did not hold for {seconds} s")
        time.sleep(0.1)


def settled(probe, seconds, deadline=DEADLINE, every=0.5):
    """The value of probe() once it has been the same for so long."""
    last, since = probe(), time.monotonic()
    end = since + deadline
    while time.monotonic() - since < seconds:
        if time.monotonic() > end:
            raise AssertionError(f"after {deadline:.0f} s: it still changes")
        time.sleep(every)
        now = probe()
        if now != last:
            last, since = now, time.monotonic()
    return last
