"""The programs of examples/tutorial with a real API server: the steps are those of tests/readme/ladder.py, which group readme
runs with the in-process API server. 3_website needs controllers and has test_website.py.

KCONTROL_TUTORIAL is the folder of the programs. Run alone: run.py test_tutorial
"""
import contextlib
import os
import pathlib
import shutil
import sys
import unittest

import cluster
import server

sys.path.insert(0, str(cluster.ROOT / "tests" / "readme"))

import ladder  # noqa: E402


class RealCluster(ladder.Cluster):
    """What the ladder asks of a cluster. Its own requests go through `kubectl proxy`, which logs in for them."""

    def __init__(self, name):
        self.real = server.Server(name)
        ladder.Program.__init__(self, pathlib.Path(self.real.assets) / "kubectl", "--kubeconfig", self.real.kubeconfig,
                                "proxy", "--port=0")
        self.url = "http://" + self.wait_for("Starting to serve on").split()[-1]
        self.pods = f"{self.url}/api/v1/namespaces/default/pods"

    def __exit__(self, *arguments):
        super().__exit__(*arguments)
        self.real.stop()

    def kubeconfig(self, path):
        beside = path.with_name("." + path.name)
        shutil.copy(self.real.kubeconfig, beside)
        beside.rename(path)
        return path


class TutorialTest(unittest.TestCase):
    def test_every_rung(self):
        programs = os.environ.get("KCONTROL_TUTORIAL")
        if not programs:
            self.skipTest("KCONTROL_TUTORIAL is not set")
        with contextlib.ExitStack() as stack:
            east = stack.enter_context(RealCluster("tutorial"))
            try:
                ladder.climb(pathlib.Path(programs), east, east.real.work, lambda: RealCluster("tutorial-west"))
            except SystemExit as failed:
                self.fail(str(failed))


if __name__ == "__main__":
    unittest.main()
