"""Logs, commands and ports of pods (docs/streams.md) through a real API server, at kwok's kubelet, beside kubectl.

KCONTROL_PROBES is the folder of stream_probe. Run alone: run.py test_streams
"""
import json
import os
import pathlib
import socket
import subprocess
import threading
import unittest

import listener
import ports
import probes
import server
import wait

KUBELET = """
apiVersion: kwok.x-k8s.io/v1alpha1
kind: ClusterExec
metadata: {name: all}
spec: {execs: [{local: {}}]}
---
apiVersion: kwok.x-k8s.io/v1alpha1
kind: ClusterAttach
metadata: {name: all}
spec: {attaches: [{logsFile: LOG}]}
---
apiVersion: kwok.x-k8s.io/v1alpha1
kind: ClusterLogs
metadata: {name: all}
spec: {logs: [{logsFile: LOG, follow: true}]}
---
apiVersion: kwok.x-k8s.io/v1alpha1
kind: ClusterPortForward
metadata: {name: all}
spec: {forwards: [{ports: [8080], target: {address: 127.0.0.1, port: ECHO}},
                  {ports: [8081], target: {address: 127.0.0.1, port: NOBODY}}]}
"""


class Echo(listener.Listener):
    """Says everything back in capitals."""

    @staticmethod
    def serve(client):
        with client:
            while data := client.recv(65536):
                client.sendall(data.upper())


class StreamsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.program = probes.program("stream_probe")
        assets, why = server.cluster.find_assets()
        if assets is None:
            raise unittest.SkipTest(why)
        cls.assets = pathlib.Path(assets)
        cls.real = server.Server("streams")
        cls.addClassCleanup(cls.real.stop)
        cls.echo = Echo()
        cls.addClassCleanup(cls.echo.close)
        cls.log = cls.real.work / "web.log"
        cls.log.write_text("")
        port = ports.free_port()
        config = cls.real.work / "kubelet.yaml"
        config.write_text(KUBELET.replace("LOG", str(cls.log)).replace("ECHO", str(cls.echo.port))
                          .replace("NOBODY", str(ports.free_port())))
        # With leases kwok never looks at a pod again that came before its cache has the node's lease.
        with (cls.real.work / "kwok.log").open("w") as told:
            cls.kwok = subprocess.Popen(
                [cls.assets / "kwok", "--kubeconfig", cls.real.kubeconfig, "--config", pathlib.Path(server.cluster.SCRIPTS) / "kwok.yaml",
                 "--config", config, "--manage-all-nodes", "--node-lease-duration-seconds", "0", "--node-ip", "127.0.0.1",
                 "--node-port", str(port), "--server-address", f"127.0.0.1:{port}",
                 "--tls-cert-file", cls.real.work / "server.crt", "--tls-private-key-file", cls.real.work / "server.key"],
                stdout=told, stderr=told)
        cls.addClassCleanup(cls.kwok.wait)
        cls.addClassCleanup(cls.kwok.kill)
        cls.real.ask("POST", "/api/v1/nodes", json.dumps(
            {"metadata": {"name": "n0", "annotations": {"kwok.x-k8s.io/node": "fake"}}}))
        cls.real.ask("POST", "/api/v1/namespaces/default/pods", json.dumps(
            {"metadata": {"name": "web"}, "spec": {"nodeName": "n0", "containers": [{"name": "c", "image": "x"}]}}))
        wait.until(lambda: f"the pod does not run: {(cls.real.work / 'kwok.log').read_text()[-2000:]}", lambda: cls.real.ask(
            "GET", "/api/v1/namespaces/default/pods/web")[1]["status"]["phase"] == "Running")
        code, node = cls.real.ask("PATCH", "/api/v1/nodes/n0/status", json.dumps({"status": {
            "addresses": [{"type": "InternalIP", "address": "127.0.0.1"}],
            "daemonEndpoints": {"kubeletEndpoint": {"Port": port}}}}), "application/merge-patch+json")
        assert code == 200, node

    def start(self, *arguments):
        # AddressSanitizer would keep 256 MB of what was freed.
        sanitizer = ":".join(filter(None, (os.environ.get("ASAN_OPTIONS"), "quarantine_size_mb=8")))
        probe = subprocess.Popen([self.program, self.real.kubeconfig, *arguments], stdin=subprocess.PIPE,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                 env={**os.environ, "ASAN_OPTIONS": sanitizer})
        # Who waits for what never comes is told so.
        guard = threading.Timer(600, probe.kill)
        guard.start()
        for each in (probe.stdin.close, probe.stdout.close, probe.stderr.close, probe.wait, probe.kill, guard.cancel):
            self.addCleanup(self.quietly, each)
        return probe

    @staticmethod
    def quietly(call):
        try:
            call()
        except OSError:
            pass

    def run_probe(self, *arguments):
        """(exit code, output, errors), with an input that ends at once."""
        probe = self.start(*arguments)
        out, errors = probe.communicate(timeout=60)
        return probe.returncode, out.decode(), errors.decode()

    def kubectl(self, *arguments):
        return subprocess.run([self.assets / "kubectl", "--kubeconfig", self.real.kubeconfig, *arguments],
                              capture_output=True, text=True, timeout=60)

    def write_log(self, *lines):
        self.log.write_text("".join(f"2026-01-01T00:00:0{i}.000000000Z stdout F {line}\n" for i, line in enumerate(lines)))

    def test_logs(self):
        self.write_log("one", "two", "x" * 5000)
        code, out, errors = self.run_probe("logs", "default/web")
        self.assertEqual((code, errors), (0, ""))
        self.assertEqual(out, self.kubectl("logs", "web").stdout)
        self.assertEqual(out, "one\ntwo\n" + "x" * 5000 + "\n")
        self.assertEqual(self.run_probe("logs", "default/web", "tail=1")[1], "x" * 5000 + "\n")
        stamped = self.run_probe("logs", "default/web", "timestamps", "tail=3")[1]
        self.assertTrue(stamped.startswith("2026-01-01T00:00:00"), stamped[:80])
        code, _, errors = self.run_probe("logs", "default/other")
        self.assertEqual(code, 99)
        self.assertIn('pods "other" not found', errors)
        code, _, errors = self.run_probe("logs", "default/web", "container=none")
        self.assertEqual(code, 99)
        self.assertIn("container none is not valid for pod web", errors)

    def test_a_followed_log_goes_on_until_it_is_stopped(self):
        self.write_log("one")
        probe = self.start("logs", "default/web", "follow")
        self.assertEqual(probe.stdout.readline(), b"one\n")
        with self.log.open("a") as more:
            more.write("2026-01-01T00:00:09.000000000Z stdout F later\n")
        self.assertEqual(probe.stdout.readline(), b"later\n")
        probe.stdin.write(b"stop\n")
        probe.stdin.flush()
        self.assertEqual(probe.wait(timeout=60), 99)
        self.assertIn(b"stopped", probe.stderr.read())

    def test_a_command(self):
        code, out, errors = self.run_probe("exec", "default/web", "--", "sh", "-c", "echo out; echo 'a b'\\&c; echo err >&2")
        self.assertEqual((code, out), (0, "out\na b&c\n"))
        self.assertEqual(errors, "protocol v5.channel.k8s.io\nerr\n")
        # kwok says of a code other than 0 that it is an internal error, to kubectl as to us.
        script = "echo x; exit 3"
        code, out, errors = self.run_probe("exec", "default/web", "--", "sh", "-c", script)
        theirs = self.kubectl("exec", "web", "--", "sh", "-c", script)
        self.assertEqual((out, theirs.stdout), ("x\n", "x\n"))
        self.assertNotEqual(theirs.returncode, 0)
        self.assertNotEqual(code, 0)
        self.assertIn("exit status 3", theirs.stderr)
        self.assertIn("exit status 3", errors)
        code, _, errors = self.run_probe("exec", "default/web", "--", "/no/such/program")
        self.assertEqual(code, 99)
        self.assertIn("no such file or directory", errors)

    def test_input(self):
        # kwok never tells a command that its input has ended, kubectl's neither: these end by themselves.
        probe = self.start("exec", "default/web", "input", "--", "sed", "-u", "s/^/> /; 2q")
        for line, answer in ((b"hello\n", b"> hello\n"), (b"you\n", b"> you\n")):
            probe.stdin.write(line)
            probe.stdin.flush()
            self.assertEqual(probe.stdout.readline(), answer)
        self.assertEqual(probe.wait(timeout=60), 0, probe.stderr.read())
        large = b"0123456789abcde\n" * 65536
        probe = self.start("exec", "default/web", "input", "--", "sh", "-c", f"head -c {len(large)}; read end")
        writer = threading.Thread(target=lambda: (probe.stdin.write(large), probe.stdin.flush()))
        writer.start()
        self.assertEqual(probe.stdout.read(len(large)), large)
        writer.join()
        self.end_command(probe)

    def end_command(self, probe):
        """Of a command that waits for a line. Where one ends right after its last word, a kubelet that is busy may drop what it has not
        copied yet, and tells nobody: kubectl gets less, too."""
        probe.stdin.write(b"end\n")
        probe.stdin.flush()
        self.assertEqual(probe.stdout.read(), b"")
        self.assertEqual(probe.wait(timeout=60), 0, probe.stderr.read())

    def test_a_large_output_in_flat_memory(self):
        probe = self.start("exec", "default/web", "input", "--", "sh", "-c", "head -c 300000000 /dev/zero; read end")
        left = 300_000_000
        while left and (data := probe.stdout.read(min(left, 1 << 20))):
            left -= len(data)
        self.assertEqual(left, 0)
        status = pathlib.Path(f"/proc/{probe.pid}/status").read_text()
        self.assertLess(int(status.split("VmHWM:")[1].split()[0]), 200_000)  # KiB, with the sanitizers' share
        self.end_command(probe)

    def test_a_terminal(self):
        # kwok drops what it has not copied of a terminal when the command ends.
        code, out, errors = self.run_probe("exec", "default/web", "tty", "input", "--", "sh", "-c",
                                           "test -t 1 && echo terminal; echo to both >&2; sleep 1")
        self.assertEqual(code, 0, errors)
        self.assertIn("terminal", out, errors)
        self.assertIn("to both", out)

    def test_a_command_is_stopped(self):
        probe = self.start("exec", "default/web", "--", "sh", "-c", "echo begun; sleep 60")
        self.assertEqual(probe.stdout.readline(), b"begun\n")
        probe.stdin.write(b"stop\n")
        probe.stdin.flush()
        self.assertEqual(probe.wait(timeout=60), 99)
        self.assertIn(b"stopped", probe.stderr.read())

    def test_attach(self):
        self.write_log("before")
        probe = self.start("attach", "default/web")
        done = threading.Event()

        def go_on():
            while not done.wait(0.2):
                with self.log.open("a") as more:
                    more.write("2026-01-01T00:00:09.000000000Z stdout F attached\n")

        writer = threading.Thread(target=go_on)
        writer.start()
        try:
            seen = b""
            while b"attached" not in seen:
                line = probe.stdout.readline()
                self.assertTrue(line, seen)
                seen += line
        finally:
            done.set()
            writer.join()
        probe.stdin.write(b"stop\n")
        probe.stdin.flush()
        self.assertEqual(probe.wait(timeout=60), 99)

    def test_ports(self):
        probe = self.start("port", "default/web", "8080")
        probe.stdin.write(b"hello\n")
        probe.stdin.flush()
        self.assertEqual(probe.stdout.readline(), b"HELLO\n")
        large = b"abcdefghijklmno\n" * 65536
        writer = threading.Thread(target=lambda: (probe.stdin.write(large), probe.stdin.flush()))
        writer.start()
        got = b""
        while len(got) < len(large):
            got += probe.stdout.read1(1 << 20)
        writer.join()
        self.assertEqual(got, large.upper())
        # kwok does not tell that the port's side has closed.
        probe.stdin.write(b"stop\n")
        probe.stdin.flush()
        self.assertEqual(probe.wait(timeout=60), 99)
        code, _, errors = self.run_probe("port", "default/web", "8081")
        self.assertEqual(code, 99)
        self.assertIn("port 8081 of the pod", errors)

    def kc(self, *words, told=""):
        run = subprocess.run([probes.app("kc"), words[0], "--kubeconfig", self.real.kubeconfig, *words[1:]],
                             capture_output=True, text=True, input=told, timeout=60)
        return run.returncode, run.stdout, run.stderr

    def test_kc_prints_logs_as_kubectl_does(self):
        self.write_log("one", "two", "three")
        for words in (["web"], ["pod/web", "--tail", "2"], ["web", "--timestamps"], ["web", "-c", "c", "--tail", "1"]):
            theirs = self.kubectl("logs", *words)
            self.assertEqual(self.kc("logs", *words), (0, theirs.stdout, ""), words)
        self.assertIn("three", self.kc("logs", "web")[1])
        code, out, errors = self.kc("logs", "web", "-c", "nobody")
        self.assertEqual((code, out), (1, ""))
        self.assertIn("nobody", errors)
        self.assertEqual(self.kc("logs", "web", "--tail", "x")[0], 1)

    def test_kc_follows_a_log(self):
        self.write_log("one")
        with subprocess.Popen([probes.app("kc"), "logs", "-f", "web", "--kubeconfig", self.real.kubeconfig],
                              stdout=subprocess.PIPE, text=True) as following:
            self.addCleanup(following.kill)
            self.assertEqual(following.stdout.readline(), "one\n")
            with self.log.open("a") as more:
                more.write("2026-01-01T00:00:05.000000000Z stdout F two\n")
            self.assertEqual(following.stdout.readline(), "two\n")
            following.terminate()

    def test_kc_runs_commands(self):
        self.assertEqual(self.kc("exec", "web", "--", "printf", "%s", "hello world"), (0, "hello world", ""))
        # kwok tells a command's failure in words, without its code.
        code, out, errors = self.kc("exec", "web", "--", "sh", "-c", "echo out; echo no >&2; exit 7")
        self.assertEqual((code, out), (1, "out\n"))
        self.assertRegex(errors, "(?s)^no\n.*exit status 7")
        # kwok's kubelet knows no protocol by which an input could end.
        self.assertEqual(self.kc("exec", "-i", "web", "--", "head", "-n", "1", told="some words\nand more\n"),
                         (0, "some words\n", ""))
        self.assertEqual(self.kc("exec", "nobody", "--", "true")[0], 1)

    def test_kc_forwards_ports(self):
        with subprocess.Popen([probes.app("kc"), "port-forward", "web", ":8080", "--kubeconfig", self.real.kubeconfig],
                              stdout=subprocess.PIPE, text=True) as forwarding:
            self.addCleanup(forwarding.kill)
            port = int(forwarding.stdout.readline().split(":")[1].split()[0])
            for words in (b"hello", b"again" * 20000):
                with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
                    connection.sendall(words)
                    got = b""
                    while len(got) < len(words):
                        got += connection.recv(65536)
                    self.assertEqual(got, words.upper())
            forwarding.terminate()

    def test_who_may_not(self):
        self.real.ask("POST", "/api/v1/namespaces/default/serviceaccounts", json.dumps({"metadata": {"name": "nobody"}}))
        code, made = self.real.ask("POST", "/api/v1/namespaces/default/serviceaccounts/nobody/token", json.dumps(
            {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {"expirationSeconds": 3600}}))
        self.assertEqual(code, 201, made)
        path = self.real.work / "nobody.kubeconfig"
        path.write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "x",
            "clusters": [{"name": "c", "cluster": {"server": self.real.url,
                                                   "certificate-authority": str(self.real.work / "ca.crt")}}],
            "users": [{"name": "u", "user": {"token": made["status"]["token"]}}],
            "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}]}))
        for arguments in (("exec", "default/web", "--", "ls"), ("attach", "default/web"), ("port", "default/web", "8080"),
                          ("logs", "default/web")):
            run = subprocess.run([self.program, path, *arguments], input=b"", capture_output=True, timeout=60)
            self.assertEqual(run.returncode, 99, arguments)
            self.assertIn(b"cannot ", run.stderr)
            self.assertIn(b"forbidden", run.stderr)


if __name__ == "__main__":
    unittest.main()
