"""A watch whose peer acknowledges nothing any more: no farewell, no answer, as after a power cut or behind a dead router.

The monitor and a server run in a network of their own, in which all packets are dropped from some moment on. That takes a
user namespace and `ip`, and no rights; where there are none the test counts as skipped.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

import bad_servers
import monitor as monitors
import wait

WITHIN = 35  # seconds
NOT_FOUND = json.dumps({"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": 404,
                        "message": "no such thing"}).encode()
WATCHES = []  # ports of the clients that watch
NETWORK = "ip link set lo up && ip rule add pref 10 lookup local && ip rule del pref 0"


def answer(connection, request):
    line = request.split(b"\r\n")[0]
    if b"/apis/batch/v1/jobs" not in line:
        return connection.sendall(bad_servers.with_length(
            b"HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\n", NOT_FOUND))
    if b"sendInitialEvents" in line:
        return connection.sendall(bad_servers.with_length(
            b"HTTP/1.1 422 Unprocessable Entity\r\nContent-Type: application/json\r\n",
            NOT_FOUND.replace(b"NotFound", b"Invalid").replace(b"404", b"422")))
    if b"watch=true" not in line:
        return connection.sendall(bad_servers.with_length(bad_servers.JSON, bad_servers.LIST))
    WATCHES.append(connection.getpeername()[1])
    connection.sendall(bad_servers.JSON + b"Transfer-Encoding: chunked\r\n\r\n")
    connection.recv(1)  # until the client goes, which this end does not hear of


def established(client):
    """Whether the client's end of the connection from that port is open."""
    rows = [line.split() for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return any(row[1].endswith(f":{client:04X}") and row[2].startswith("0900007F:") and row[3] == "01" for row in rows)


def inside():
    """Prints after how many seconds the connection was given up."""
    subprocess.run(NETWORK, shell=True, check=True)
    server = bad_servers.BadServer(answer, address="127.0.0.9")
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "c.kubeconfig").write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "c",
            "contexts": [{"name": "c", "context": {"cluster": "k", "user": "u"}}],
            "clusters": [{"name": "k", "cluster": {"server": server.url}}], "users": [{"name": "u", "user": {}}]}))
        log = pathlib.Path(folder) / "log"
        program = subprocess.Popen([monitors.binary(), "--clusters", folder, "--listen", "127.0.0.1:0", "--output", "none"],
                                   stdin=subprocess.DEVNULL, stdout=log.open("w"), stderr=subprocess.STDOUT)
        try:
            wait.until(lambda: "no watch begins: " + log.read_text()[-2000:], lambda: WATCHES)
            wait.until("the watch is not open", lambda: established(WATCHES[0]))
            subprocess.run("ip rule add pref 0 blackhole", shell=True, check=True)
            began = time.monotonic()
            wait.until("the watch is open still", lambda: not established(WATCHES[0]))
            took = time.monotonic() - began
            subprocess.run("ip rule del pref 0", shell=True, check=True)
            wait.until(lambda: "no watch begins again: " + log.read_text()[-2000:], lambda: len(WATCHES) > 1)
            print(json.dumps({"took": took}))
        finally:
            program.kill()
            program.wait()


class TestHalfOpen(unittest.TestCase):
    def test_is_found(self):
        if monitors.binary() is None:
            self.skipTest("the training_monitor program is not built")
        if not shutil.which("unshare") or not shutil.which("ip"):
            self.skipTest("unshare (util-linux) or ip (iproute2) is not installed")
        tried = subprocess.run(["unshare", "-rn", "sh", "-c", NETWORK], capture_output=True, text=True)
        if tried.returncode != 0:
            self.skipTest("no network of one's own can be made here: " + tried.stderr.strip())
        done = subprocess.run(["unshare", "-rn", sys.executable, __file__, "inside"], capture_output=True, text=True,
                              timeout=240, env=os.environ)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        took = json.loads(done.stdout.splitlines()[-1])["took"]
        print(f"a half-open watch was found after {took:.1f} s")
        self.assertLessEqual(took, WITHIN)  # measures: what docs/informers.md promises
        self.assertGreater(took, 5)  # what would be seen at once is no half-open peer


if __name__ == "__main__":
    inside() if sys.argv[1:] == ["inside"] else unittest.main()
