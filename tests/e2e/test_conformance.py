"""The cases of tests/conformance before a real kube-apiserver: the in-process API server answers the same ones in
tests/testing, so that what it says is what Kubernetes says. Run alone: run.py test_conformance
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

import cluster
from server import Server

RUNNER = pathlib.Path(__file__).resolve().parents[1] / "conformance" / "run.py"


def run_cases(test, work, url, *options):
    done = subprocess.run([sys.executable, RUNNER, url, "--ca", work / "ca.crt", "--cert", work / "admin.crt",
                           "--key", work / "admin.key", *options], capture_output=True, text=True, timeout=600)
    test.assertEqual(done.returncode, 0, done.stdout + done.stderr)
    test.assertRegex(done.stdout, r"[1-9]\d* passed, 0 failed, 0 skipped")


class TestConformance(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server("conformance")
        cls.addClassCleanup(cls.server.stop)

    def test_cases(self):
        run_cases(self, self.server.work, self.server.url)


class TestCollection(unittest.TestCase):
    """With a garbage collector and a namespace controller."""

    def test_cases(self):
        assets, why = cluster.find_assets()
        if assets is None:
            self.skipTest(why)
        with tempfile.TemporaryDirectory(prefix="kcontrol-collection-", ignore_cleanup_errors=True) as folder:
            real = cluster.Cluster("collection", assets, folder)
            real.start()
            try:
                run_cases(self, real.work, real.url, "--controllers")
            finally:
                real.stop()


if __name__ == "__main__":
    unittest.main()
