"""The programs that tests use beside the products: KCONTROL_PROBES is the folder of those that are made for tests,
KCONTROL_EXAMPLES that of the examples."""
import os
import pathlib
import unittest


def program(name):
    """Its path; skips the tests where there are none."""
    return folder("KCONTROL_PROBES") / name


def example(name):
    """The same of an example that is called like its folder."""
    return folder("KCONTROL_EXAMPLES") / name / name


def folder(variable):
    path = os.environ.get(variable)
    if not path:
        raise unittest.SkipTest(f"{variable} is not set")
    return pathlib.Path(path)
