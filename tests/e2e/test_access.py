"""Who may read the monitor: the program with its simulated clusters, served with TLS, tokens and client certificates."""
import base64
import http.client
import os
import pathlib
import re
import socket
import ssl
import subprocess
import tempfile
import unittest

import monitor as monitors
import ports
import wait

TOKEN = "an-example-token-for-tests"


def openssl(folder, *arguments, stdin=None):
    subprocess.run(["openssl", *map(str, arguments)], cwd=folder, check=True, capture_output=True, input=stdin)


def issue(folder, name, authority, extensions):
    """folder/name.crt and .key, signed by folder/authority."""
    openssl(folder, "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
            f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={name}")
    (folder / "extensions").write_text(extensions)
    openssl(folder, "x509", "-req", "-in", f"{name}.csr", "-CA", f"{authority}.crt", "-CAkey", f"{authority}.key",
            "-CAcreateserial", "-days", "1", "-out", f"{name}.crt", "-extfile", "extensions")


class Serving(unittest.TestCase):
    """A monitor of demo clusters that serves beyond loopback, with server.crt, server.key and tokens of its folder."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)

    @classmethod
    def serve(cls, *options):
        cls.log = cls.folder / "log"
        cls.process = subprocess.Popen(
            [monitors.binary(), "--demo", "--output", "none", "--listen", "0.0.0.0:0", "--tls-cert-file",
             cls.folder / "server.crt", "--tls-private-key-file", cls.folder / "server.key", "--token-file",
             cls.folder / "tokens", *options],
            stdin=subprocess.DEVNULL, stdout=cls.log.open("w"), stderr=subprocess.STDOUT)
        cls.addClassCleanup(cls.end)
        found = wait.until(lambda: f"it does not serve: {cls.log.read_text()}",
                           lambda: re.search(r"https://[\d.:]*?:(\d+)/", cls.log.read_text()))
        cls.port = int(found[1])

    @classmethod
    def end(cls):
        cls.process.terminate()
        cls.process.wait(60)


class Access(Serving):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for authority in ("ca", "other"):
            openssl(cls.folder, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days",
                    "1", "-keyout", f"{authority}.key", "-out", f"{authority}.crt", "-subj", f"/CN={authority}")
        server = "subjectAltName=DNS:localhost,IP:127.0.0.1\nextendedKeyUsage=serverAuth\n"
        issue(cls.folder, "server", "ca", server)
        issue(cls.folder, "renewed", "ca", server)
        issue(cls.folder, "reader", "ca", "extendedKeyUsage=clientAuth\n")
        issue(cls.folder, "stranger", "other", "extendedKeyUsage=clientAuth\n")
        (cls.folder / "tokens").write_text(f"# readers\n{TOKEN}\n")
        cls.serve("--client-ca-file", cls.folder / "ca.crt", "--trusted-origin", "https://portal.corp")

    def ask(self, path, headers=None, certificate=None, method="GET"):
        context = ssl.create_default_context(cafile=self.folder / "ca.crt")
        if certificate:
            context.load_cert_chain(self.folder / f"{certificate}.crt", self.folder / f"{certificate}.key")
        connection = http.client.HTTPSConnection("localhost", self.port, context=context, timeout=60)
        try:
            connection.request(method, path, headers=headers or {})
            answer = connection.getresponse()
            body = b"" if path == "/api/v1/events" else answer.read()
            self.serial = connection.sock.getpeercert()["serialNumber"] if connection.sock else None
            return answer.status, dict(answer.getheaders()), body.decode()
        finally:
            connection.close()

    def test_1_nobody_reads_without_a_login_and_probes_need_none(self):
        for path in ("/", "/api/v1/jobs", "/api/v1/clusters", "/api/v1/events", "/metrics", "/readyz?verbose", "/nothing"):
            with self.subTest(path=path):
                status, headers, body = self.ask(path)
                self.assertEqual(status, 401)
                self.assertIn("WWW-Authenticate", headers)
        self.assertEqual(self.ask("/healthz")[0], 200)
        self.assertIn(self.ask("/readyz")[0], (200, 503))

    def test_2_a_token_a_password_or_a_certificate_opens(self):
        basic = "Basic " + base64.b64encode(f"anyone:{TOKEN}".encode()).decode()
        for headers, certificate in (({"Authorization": f"Bearer {TOKEN}"}, None), ({"Authorization": basic}, None),
                                     ({}, "reader")):
            with self.subTest(headers=headers, certificate=certificate):
                for path in ("/", "/api/v1/jobs", "/api/v1/events", "/metrics"):
                    self.assertEqual(self.ask(path, headers, certificate)[0], 200, path)
        self.assertEqual(self.ask("/", {"Authorization": f"Bearer {TOKEN}x"})[0], 401)
        with self.assertRaises((ssl.SSLError, ConnectionError)):
            self.ask("/", {"Authorization": f"Bearer {TOKEN}"}, "stranger")

    def test_3_nothing_can_be_written(self):
        for method in ("POST", "PUT", "PATCH", "DELETE"):
            self.assertEqual(self.ask("/api/v1/jobs", {"Authorization": f"Bearer {TOKEN}"}, method=method)[0], 405)

    def test_4_other_sites_do_not_read_but_a_trusted_one_does(self):
        login = {"Authorization": f"Bearer {TOKEN}", "Sec-Fetch-Site": "cross-site"}
        self.assertEqual(self.ask("/api/v1/jobs", {**login, "Origin": "https://evil.example"})[0], 403)
        status, headers, _ = self.ask("/api/v1/jobs", {**login, "Origin": "https://portal.corp"})
        self.assertEqual((status, headers.get("Access-Control-Allow-Origin")), (200, "https://portal.corp"))
        status, headers, _ = self.ask("/api/v1/jobs", {"Origin": "https://portal.corp", "Access-Control-Request-Method": "GET"},
                                      method="OPTIONS")
        self.assertEqual((status, headers.get("Access-Control-Allow-Headers", "")[:13]), (204, "Authorization"))

    def test_5_certificate_and_tokens_are_renewed_without_a_restart(self):
        self.ask("/healthz")
        before = self.serial
        for kind in ("crt", "key"):
            os.replace(self.folder / f"renewed.{kind}", self.folder / f"server.{kind}")
        (self.folder / "tokens").write_text("a-token-that-came-later\n")
        wait.until("the certificate is not renewed", lambda: self.ask("/healthz") and self.serial != before)
        wait.until("the new token does not open",
                   lambda: self.ask("/", {"Authorization": "Bearer a-token-that-came-later"})[0] == 200)
        self.assertEqual(self.ask("/", {"Authorization": f"Bearer {TOKEN}"})[0], 401)
        (self.folder / "tokens").write_text("short\n")
        wait.until("the broken file is not told", lambda: "line 1" in self.log.read_text())
        self.assertEqual(self.ask("/", {"Authorization": "Bearer a-token-that-came-later"})[0], 200)

    def test_6_the_log_holds_no_token(self):
        for secret in (TOKEN, "a-token-that-came-later", "short\n"):
            self.assertNotIn(secret, self.log.read_text())


class Crowds(Serving):
    """Connections that want nothing before the program; bench/serving_load.py does it with thousands."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        openssl(cls.folder, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1",
                "-keyout", "server.key", "-out", "server.crt", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost")
        (cls.folder / "tokens").write_text(TOKEN + "\n")
        cls.health = ports.free_port()
        cls.serve("--health-probe-bind-address", f"127.0.0.1:{cls.health}", "--max-connections", "16",
                  "--max-event-streams", "4")

    def ask(self, path, login=True):
        context = ssl.create_default_context(cafile=self.folder / "server.crt")
        connection = http.client.HTTPSConnection("localhost", self.port, context=context, timeout=60)
        try:
            connection.request("GET", path, headers={"Authorization": f"Bearer {TOKEN}"} if login else {})
            answer = connection.getresponse()
            return answer.status, "" if path == "/api/v1/events" else answer.read().decode()
        finally:
            connection.close()

    def probe(self, path):
        return monitors.get_text(self.health, path)

    def connect(self, port, tls, text=b""):
        plain = socket.create_connection(("localhost", port), timeout=60)
        # Else a request waits for the handshake's last segment to be acknowledged, and comes behind those of others.
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if not tls:
            self.addCleanup(plain.close)
            return plain
        secure = ssl.create_default_context(cafile=self.folder / "server.crt").wrap_socket(plain, server_hostname="localhost")
        self.addCleanup(secure.close)
        secure.sendall(text)
        return secure

    def test_1_the_port_for_health_needs_no_login_and_tells_nothing_else(self):
        self.assertEqual(self.probe("/healthz")[0], 200)
        wait.until("it does not get ready", lambda: self.probe("/readyz")[0] == 200)
        self.assertNotIn("cluster", self.probe("/readyz?verbose")[1])
        for path in ("/", "/metrics", "/api/v1/jobs", "/api/v1/events"):
            self.assertEqual(self.probe(path)[0], 404, path)

    def test_2_crowds_keep_nobody_out(self):
        login = f"Authorization: Bearer {TOKEN}\r\n".encode()
        get = b"GET /api/v1/%s HTTP/1.1\r\nHost: localhost\r\n"
        sorts = {"silent": (False, b""), "silent after TLS": (True, b""), "half a request": (True, get % b"jobs"),
                 "half a body": (True, get % b"jobs" + b"Content-Length: 1000\r\n\r\nx"),
                 "idle": (True, get % b"clusters" + login + b"\r\n"),
                 "streams that nobody reads": (True, get % b"events" + login + b"\r\n")}
        for name, (tls, text) in sorts.items():
            with self.subTest(sort=name):
                for _ in range(40):
                    self.connect(self.port, tls, text)
                for path in ("/healthz", "/", "/api/v1/clusters", "/metrics"):
                    self.assertEqual(self.ask(path)[0], 200, path)
                self.assertEqual(self.probe("/healthz")[0], 200)
        for _ in range(100):
            self.connect(self.health, False)
        self.assertEqual(self.probe("/healthz")[0], 200)
        metrics = self.ask("/metrics")[1]
        for server in ("main", "health"):
            shed = re.search(rf'kcontrol_http_connections_shed_total\{{reason="connections",server="{server}"\}} (\d+)', metrics)
            self.assertGreater(int(shed[1]), 30)
        self.assertRegex(metrics, r"training_monitor_stream_refused_total [1-9]")
        lines = [line for line in self.log.read_text().splitlines() if "to make room" in line]
        self.assertTrue(0 < len(lines) < 10, lines)


class Usage(unittest.TestCase):
    def test_the_probes_of_the_manifests_ask_where_health_is_served(self):
        for manifest in ("training_monitor/deploy/base/deployment.yaml", "gpu_labeler/deploy/base/daemonset.yaml"):
            text = (monitors.ROOT / "examples" / "apps" / manifest).read_text()
            port = re.search(r"--health-probe-bind-address=:(\d+)", text)[1]
            self.assertIn(f"{{name: health, containerPort: {port}}}", text)
            probes = re.findall(r"\w+Probe: \{httpGet: \{path: (\S+), port: (\w+)\}", text)
            self.assertEqual(sorted(probes), [("/healthz", "health"), ("/readyz", "health")])

    def refused(self, status, named, *arguments):
        done = subprocess.run([monitors.binary(), "--demo", "--output", "none", *map(str, arguments)],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, status, done.stderr)
        for each in named:
            self.assertIn(each, done.stderr)
        return done.stderr

    def test_beyond_loopback_asks_for_protection(self):
        self.refused(2, ["--tls-cert-file", "--token-file", "--insecure-listen"], "--listen", "0.0.0.0:0")

    def test_bad_files_are_named_and_their_secrets_not(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "tokens").write_text("hunter2\n")
            (folder / "pem").write_text("no certificate, hunter2")
            out = self.refused(1, ["--token-file", "tokens", "line 1"], "--listen", "127.0.0.1:0", "--token-file", folder / "tokens")
            out += self.refused(1, ["--token-file", "absent"], "--listen", "127.0.0.1:0", "--token-file", folder / "absent")
            out += self.refused(1, ["--tls-cert-file", "pem", "certificate"], "--listen", "127.0.0.1:0", "--tls-cert-file", folder / "pem",
                                "--tls-private-key-file", folder / "pem")
            self.assertNotIn("hunter2", out)


if __name__ == "__main__":
    unittest.main()
