"""What kube-rs does with a real kube-apiserver it does with kcontrol-apiserver: kube_client prints a line for each step,
and both servers make it print the same. Group kube_rs; run alone: run.py kube_rs
"""
import difflib
import os
import pathlib
import re
import shutil
import subprocess
import unittest

import apiserver_program
import cluster
import server

UID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
SOURCE = pathlib.Path(__file__).resolve().parent / "kube_client"


def build(folder):
    """From what is in Cargo's cache, else from the registry."""
    cargo = shutil.which("cargo")
    if cargo is None:
        raise unittest.SkipTest("there is no Cargo")
    why = ""
    for more in (["--offline"], []):
        run = subprocess.run([cargo, "build", "--locked", *more, "--target-dir", folder], cwd=SOURCE, capture_output=True,
                             text=True, timeout=3600, env={**os.environ, "RUSTFLAGS": "-D warnings"})
        if run.returncode == 0:
            return pathlib.Path(folder) / "debug" / "kube_client"
        why = run.stderr[-300:]
    raise unittest.SkipTest(f"Cargo builds no kube_client here: {why}")


class TestKubeRs(unittest.TestCase):
    def test_transcripts(self):
        cluster.skip_other_version(self)
        real = server.Server("kube-rs")
        self.addCleanup(real.stop)
        client = build(pathlib.Path(real.work) / "cargo")
        ours = apiserver_program.Program(real.work)
        self.addCleanup(ours.stop)
        said = []
        for kubeconfig in (real.kubeconfig, ours.kubeconfig):
            done = subprocess.run([client, kubeconfig], capture_output=True, text=True, timeout=600)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            said.append(UID.sub("UID", done.stdout).splitlines())
        self.assertGreater(len(said[0]), 60)
        self.assertFalse([line for line in said[0] if "NOT IN TIME" in line])
        self.assertEqual("\n".join(difflib.unified_diff(*said, "kube-apiserver", "kcontrol-apiserver", lineterm="", n=0)), "")


if __name__ == "__main__":
    unittest.main()
