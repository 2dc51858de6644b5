"""Names of files that would steer a terminal or are no text, and what is no file, among the kubeconfigs of a directory."""
import json
import os
import pathlib
import socket
import subprocess
import tempfile
import unittest

import monitor as monitors
import wait

KUBECONFIG = """
apiVersion: v1
kind: Config
current-context: a
clusters: [{name: c, cluster: {server: 'https://127.0.0.1:1'}}]
users: [{name: u, user: {token: t}}]
contexts: [{name: a, context: {cluster: c, user: u}}]
"""
STEERING = b"esc\x1b[2J\x9b"  # ESC and, as a byte, CSI


class FileNames(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.clusters = self.folder / "clusters"
        self.clusters.mkdir()
        for name, text in ((b"good.yaml", KUBECONFIG), (STEERING + b".yaml", KUBECONFIG), (b"broken\xff.yaml", "a: [")):
            with open(os.path.join(os.fsencode(self.clusters), name), "w") as f:
                f.write(text)
        os.mkfifo(self.clusters / "pipe.yaml")
        (self.clusters / "folder").mkdir()
        (self.clusters / "null").symlink_to("/dev/null")
        with socket.socket(socket.AF_UNIX) as s:
            s.bind(str(self.clusters / "socket"))

    def test_every_output_is_text_and_what_is_no_file_is_told(self):
        monitor = monitors.Monitor(self.clusters, self.folder / "log")
        self.addCleanup(monitor.process.kill)
        wanted = {"good", "esc\\x1b[2J\\x9b", "broken\\xff", "pipe", "folder", "null", "socket"}

        def shown():
            items = json.loads(monitor.get_raw("/api/v1/clusters")[1])["items"]
            return {item["name"]: item for item in items}
        wait.until(lambda: f"not all are shown: {shown()}", lambda: set(shown()) == wanted and all(
            shown()[name]["state"] == "failed" for name in ("broken\\xff", "pipe", "folder", "null", "socket")))
        for name, what in (("pipe", "pipe.yaml: it is a FIFO"), ("folder", "folder: it is a directory"),
                           ("null", "null: it is a device"), ("socket", "socket: it is a socket")):
            self.assertIn(what, shown()[name]["reason"])
        self.assertIn("/broken\\xff.yaml: ", shown()["broken\\xff"]["reason"])

        outputs = [monitor.get_raw(path)[1] for path in ("/readyz?verbose", "/metrics", "/api/v1/clusters")]
        self.assertEqual(monitor.stop(), 0)
        outputs.append(monitor.log.read_bytes().decode())  # which raises where it is not UTF-8
        for text in outputs:
            self.assertRegex(text, r"esc(\\){1,2}x1b\[2J(\\){1,2}x9b")
            self.assertNotRegex(text, "[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffd]")

    def test_a_snapshot_does_not_wait_for_a_fifo(self):
        done = subprocess.run([monitors.binary(), "--clusters", self.clusters, "--once", "--listen", "0"],
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
        self.assertNotIn(b"\x1b[2J", done.stdout + done.stderr)
        self.assertIn("pipe.yaml: it is a FIFO", (done.stdout + done.stderr).decode())


if __name__ == "__main__":
    unittest.main()
