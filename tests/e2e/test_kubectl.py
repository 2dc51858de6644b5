"""What kubectl says of a real kube-apiserver and of kcontrol-apiserver is the same (tests/conformance/kubectl.json).

Run alone: run.py test_kubectl
"""
import pathlib
import subprocess
import sys
import unittest

import apiserver_program
import cluster
import server

SCRIPT = pathlib.Path(__file__).resolve().parents[1] / "conformance" / "kubectl.py"


class TestKubectl(unittest.TestCase):
    def test_transcripts(self):
        cluster.skip_other_version(self)
        real = server.Server("kubectl")
        self.addCleanup(real.stop)
        ours = apiserver_program.Program(real.work)
        self.addCleanup(ours.stop)
        done = subprocess.run([sys.executable, SCRIPT, f"{real.assets}/kubectl", real.kubeconfig, ours.kubeconfig],
                              capture_output=True, text=True, timeout=3600)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"[1-9]\d* passed, 0 failed, 0 skipped")


if __name__ == "__main__":
    unittest.main()
