"""What client-go and controller-runtime do with a real kube-apiserver they do with kcontrol-apiserver: go_client prints a
line for each step, and both servers make it print the same. Run alone: run.py test_go_client
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
SOURCE = pathlib.Path(__file__).resolve().parent / "go_client"


def build(folder):
    """From what is in Go's cache, else from the modules' proxy."""
    go = shutil.which("go")
    if go is None:
        raise unittest.SkipTest("there is no Go")
    out = pathlib.Path(folder) / "go_client"
    why = ""
    for more in ({"GOPROXY": "off"}, {}):
        run = subprocess.run([go, "build", "-o", out, "."], cwd=SOURCE, capture_output=True, text=True, timeout=3600,
                             env={**os.environ, "GOFLAGS": "-mod=readonly", **more})
        if run.returncode == 0:
            return out
        why = run.stderr[-300:]
    raise unittest.SkipTest(f"Go builds no go_client here: {why}")


class TestGoClient(unittest.TestCase):
    def test_transcripts(self):
        cluster.skip_other_version(self)
        real = server.Server("go-client")
        self.addCleanup(real.stop)
        client = build(real.work)
        ours = apiserver_program.Program(real.work)
        self.addCleanup(ours.stop)
        said = []
        for kubeconfig in (real.kubeconfig, ours.kubeconfig):
            done = subprocess.run([client, kubeconfig], capture_output=True, text=True, timeout=300)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            said.append(UID.sub("UID", done.stdout).splitlines())
        self.assertGreater(len(said[0]), 150)
        self.assertFalse([line for line in said[0] if "NOT IN TIME" in line])
        self.assertEqual("\n".join(difflib.unified_diff(*said, "kube-apiserver", "kcontrol-apiserver", lineterm="", n=0)), "")


if __name__ == "__main__":
    unittest.main()
