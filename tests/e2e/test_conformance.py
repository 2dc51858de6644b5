"""The cases of tests/conformance before a real kube-apiserver and before kcontrol-apiserver, so that what ours says is
what Kubernetes says; docs/fidelity.md holds what comes of it. Run alone: run.py test_conformance

KCONTROL_WRITE_FIDELITY=1 writes that page, and the whole answers of cases that hold them, instead of comparing.
"""
import base64
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import apiserver_program
import cluster
from server import Server

HERE = pathlib.Path(__file__).resolve().parents[1] / "conformance"
RUNNER = HERE / "run.py"
# All but what deletions do while a collector exists that does not act.
ORDINARY = ["--without", "deletion"]
WRITES = bool(os.environ.get("KCONTROL_WRITE_FIDELITY"))
RECORD = ["--record"] if WRITES else []


def ask_cases(work, url, *options):
    return subprocess.run([sys.executable, RUNNER, url, "--ca", work / "ca.crt", "--cert", work / "admin.crt",
                           "--key", work / "admin.key", *options], capture_output=True, text=True, timeout=3600)


def run_cases(test, work, url, *options):
    done = ask_cases(work, url, *options)
    test.assertEqual(done.returncode, 0, done.stdout + done.stderr)
    test.assertRegex(done.stdout, r"[1-9]\d* passed, 0 failed, 0 skipped")


class TestConformance(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server("conformance")
        cls.addClassCleanup(cls.server.stop)

    def test_cases(self):
        if version := cluster.other_version():
            done = ask_cases(self.server.work, self.server.url)
            print(f"note: Kubernetes {version} in the words of the pinned one: {done.stdout.strip().splitlines()[-1]}")
        cluster.skip_other_version(self)
        run_cases(self, self.server.work, self.server.url, *RECORD)


def unpack(kubeconfig, folder):
    """The files that run_cases() wants, from a kubeconfig that holds them."""
    folder.mkdir()
    text = kubeconfig.read_text()
    for name, file in (("certificate-authority", "ca.crt"), ("client-certificate", "admin.crt"), ("client-key", "admin.key")):
        (folder / file).write_bytes(base64.b64decode(re.search(name + r"-data: (\S+?)[,}\n]", text)[1]))


class TestFidelity(unittest.TestCase):
    """Both servers, one after the other, and the page that tells of it."""

    def test_page(self):
        cluster.skip_other_version(self)
        with tempfile.TemporaryDirectory(prefix="kcontrol-fidelity-") as name:
            folder = pathlib.Path(name)
            ours = apiserver_program.Program(folder, "--rbac")
            self.addCleanup(ours.stop)
            unpack(ours.kubeconfig, folder / "ours")
            real = Server("fidelity")
            self.addCleanup(real.stop)
            run_cases(self, real.work, real.url, "--results", folder / "real.json", *ORDINARY)
            run_cases(self, folder / "ours", ours.url, "--ours", "--results", folder / "ours.json", *ORDINARY, *RECORD)
            page = [sys.executable, HERE / "fidelity.py", folder / "real.json", folder / "ours.json"]
            done = subprocess.run(page + ["--write"] * WRITES, capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


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
                run_cases(self, real.work, real.url, "--controllers", *RECORD)
            finally:
                real.stop()


if __name__ == "__main__":
    unittest.main()
