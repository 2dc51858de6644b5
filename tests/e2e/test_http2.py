"""HTTP/2 at a real API server, through http2_probe: a hundred watches over one connection, a second one beyond the
server's limit, and HTTP/1.1 where it is switched off. Connections are counted by the system.

KCONTROL_PROBES is the folder of http2_probe. Run alone: run.py test_http2
"""
import os
import pathlib
import subprocess
import unittest

import probes
import server

MAPS = "/api/v1/namespaces/default/configmaps"


def sockets_of(pid, port):
    """The established TCP connections of a process to a local port."""
    own = {os.readlink(fd) for fd in pathlib.Path(f"/proc/{pid}/fd").iterdir() if fd.is_symlink()}
    found = 0
    for name in ("tcp", "tcp6"):
        for line in pathlib.Path(f"/proc/{pid}/net/{name}").read_text().splitlines()[1:]:
            fields = line.split()
            found += fields[3] == "01" and int(fields[2].split(":")[1], 16) == port and f"socket:[{fields[9]}]" in own
    return found


class Http2Test(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.program = probes.program("http2_probe")
        cls.real = server.Server("http2")
        cls.addClassCleanup(cls.real.stop)
        cls.port = int(cls.real.url.rsplit(":", 1)[1])

    def connections_of(self, watches, **environment):
        """How many connections carry so many watches, each of which has heard of an object made after it began."""
        probe = subprocess.Popen([self.program, self.real.kubeconfig, str(watches)], stdin=subprocess.PIPE,
                                 stdout=subprocess.PIPE, text=True, env=os.environ | environment)
        try:
            self.assertEqual(probe.stdout.readline(), f"{watches} watches\n")
            name = f"m{watches}{len(environment)}"
            code, made = self.real.ask("POST", MAPS, '{"metadata":{"name":"%s"}}' % name)
            self.assertEqual(code, 201, made)
            self.assertEqual(probe.stdout.readline(), f"{watches} events\n")
            return sockets_of(probe.pid, self.port)
        finally:
            probe.communicate("\n", timeout=60)
            self.assertEqual(probe.returncode, 0)

    def test_1_a_hundred_watches_take_one_connection(self):
        self.assertEqual(self.connections_of(90), 1)
        self.assertEqual(self.connections_of(100), 1)

    def test_2_another_one_beyond_the_limit(self):
        most = 250  # ours; the server's is at least 100
        many = self.connections_of(most + 10)
        self.assertGreaterEqual(many, 2)
        self.assertLessEqual(many, 4)

    def test_3_switched_off_each_watch_has_its_own(self):
        self.assertGreaterEqual(self.connections_of(20, DISABLE_HTTP2="1"), 20)


if __name__ == "__main__":
    unittest.main()
