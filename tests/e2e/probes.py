"""The programs that tests use beside the products: KCONTROL_PROBES is their folder."""
import os
import pathlib
import unittest


def program(name):
    """Its path; skips the tests where there are none."""
    folder = os.environ.get("KCONTROL_PROBES")
    if not folder:
        raise unittest.SkipTest("KCONTROL_PROBES is not set")
    return pathlib.Path(folder) / name
