"""A crash of the examples' programs leaves no core, where those of other programs are dumped. Each is stopped in the middle
of its first connection, with a token in its memory. test_state.py has the training monitor's.

KCONTROL_EXAMPLES is the folder of the programs of examples/. Run alone: run.py test_core_dumps
"""
import os
import pathlib
import socket
import subprocess
import tempfile
import unittest

import cores
import probes

SECRET = "canary-in-a-core"
KUBECONFIG = """apiVersion: v1
kind: Config
current-context: a
clusters: [{{name: c, cluster: {{server: 'https://127.0.0.1:{port}', insecure-skip-tls-verify: true}}}}]
users: [{{name: u, user: {{token: {secret}}}}}]
contexts: [{{name: a, context: {{cluster: c, user: u}}}}]
"""


class CoreDumps(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="kcontrol-core-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)  # that is where cores go
        self.server = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(self.server.close)
        self.server.settimeout(60)
        self.config = self.folder / "config"
        self.config.write_text(KUBECONFIG.format(port=self.server.getsockname()[1], secret=SECRET))
        if not cores.are_dumped(self.folder):
            self.skipTest("no program's core is dumped here")

    def leaves_none(self, name, *words):
        program = probes.app(name)
        if b"__asan_init" in pathlib.Path(program).read_bytes():
            self.skipTest("LeakSanitizer needs to look into the program")
        process = subprocess.Popen([program, *map(str, words)], cwd=self.folder, stderr=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, env=os.environ | {"KUBECONFIG": str(self.config)})
        try:
            connection, _ = self.server.accept()
            self.assertFalse(cores.dumps_core(process))
            connection.close()
        finally:
            if process.returncode is None:
                process.kill()
                process.wait()

    def test_kc(self):
        self.leaves_none("kc", "get", "pods")

    def test_follow(self):
        self.leaves_none("follow", "endpoints", "default/web")

    def test_configmap_sync(self):
        self.leaves_none("configmap_sync")

    def test_training_operator(self):
        self.leaves_none("training_operator")

    def test_policy_webhook(self):
        rules = self.folder / "rules.yaml"
        rules.write_text("{}\n")
        self.leaves_none("policy_webhook", "--rules", rules)


if __name__ == "__main__":
    unittest.main()
