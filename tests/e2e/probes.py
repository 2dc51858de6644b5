"""The programs that tests use beside the products: KCONTROL_PROBES is the folder of those that are made for tests,
KCONTROL_EXAMPLES that of the programs of examples/."""
import os
import pathlib
import unittest


def program(name):
    """Its path; skips the tests where there are none."""
    return folder("KCONTROL_PROBES") / name


def app(name):
    """The same of a product, which is called like its folder, or kcontrol-NAME."""
    inside = folder("KCONTROL_EXAMPLES") / "apps" / name
    own = inside / f"kcontrol-{name}"
    return own if own.exists() else inside / name


def speaking(encoding):
    """The environment of a probe that asks its server for "json" or "protobuf"."""
    return os.environ | {"KCONTROL_PROBE_ENCODING": encoding}


def folder(variable):
    path = os.environ.get(variable)
    if not path:
        raise unittest.SkipTest(f"{variable} is not set")
    return pathlib.Path(path)
