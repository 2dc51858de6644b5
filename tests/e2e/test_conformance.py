"""The cases of tests/conformance before a real kube-apiserver: the in-process API server answers the same ones in
tests/testing, so that what it says is what Kubernetes says. Run alone: run.py test_conformance
"""
import pathlib
import subprocess
import sys
import unittest

from server import Server

RUNNER = pathlib.Path(__file__).resolve().parents[1] / "conformance" / "run.py"


class TestConformance(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server("conformance")
        cls.addClassCleanup(cls.server.stop)

    def test_cases(self):
        work = self.server.work
        done = subprocess.run([sys.executable, RUNNER, self.server.url, "--ca", work / "ca.crt", "--cert",
                               work / "admin.crt", "--key", work / "admin.key"], capture_output=True, text=True,
                              timeout=300)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"[1-9]\d* passed, 0 failed, 0 skipped")


if __name__ == "__main__":
    unittest.main()
