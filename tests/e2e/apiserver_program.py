"""kcontrol-apiserver as a process of a test. KCONTROL_APISERVER is the program."""
import os
import pathlib
import subprocess
import unittest


class Program:
    """Raises SkipTest where it is not built. `kubeconfig` leads to it, and `url`."""

    def __init__(self, folder, *options):
        program = os.environ.get("KCONTROL_APISERVER", "")
        if not os.access(program, os.X_OK):
            raise unittest.SkipTest("KCONTROL_APISERVER is not a program")
        self.kubeconfig = pathlib.Path(folder) / "kcontrol.kubeconfig"
        self.process = subprocess.Popen([program, "--kubeconfig", self.kubeconfig, *options], stdout=subprocess.PIPE,
                                        text=True)
        self.url = self.process.stdout.readline().strip()
        if not self.url:
            raise RuntimeError(f"kcontrol-apiserver ended with {self.process.wait()}")

    def stop(self):
        self.process.terminate()
        code = self.process.wait()
        self.process.stdout.close()
        if code != 0:
            raise RuntimeError(f"kcontrol-apiserver ended with {code}")
