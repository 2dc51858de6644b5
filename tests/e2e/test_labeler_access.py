"""Who may read what the labeler serves: TLS, tokens, client certificates. The decisions themselves are those of
examples/apps/guarded_serving, which test_access.py asks through the training monitor.

KCONTROL_LABELER is the program, KCONTROL_PROBES the folder with the stand-ins for NVML. Run alone: run.py
test_labeler_access
"""
import base64
import http.client
import os
import pathlib
import re
import signal
import ssl
import subprocess
import tempfile
import unittest

import labeler
import test_access
import wait

TOKEN = "an-example-token-for-tests"
INVENTORY = labeler.FAKE / "inventories" / "t4.txt"


@unittest.skipUnless(labeler.is_built(), "the gpu_labeler program or the fake NVML is not built")
class LabelerAccess(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        test_access.openssl(cls.folder, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                            "-days", "1", "-keyout", "ca.key", "-out", "ca.crt", "-subj", "/CN=ca")
        names = "subjectAltName=DNS:localhost,IP:127.0.0.1\nextendedKeyUsage=serverAuth\n"
        test_access.issue(cls.folder, "server", "ca", names)
        test_access.issue(cls.folder, "renewed", "ca", names)
        test_access.issue(cls.folder, "reader", "ca", "extendedKeyUsage=clientAuth\n")
        (cls.folder / "tokens").write_text(f"# readers\n{TOKEN}\n")
        cls.log = cls.folder / "log"
        with cls.log.open("w") as file:
            cls.process = subprocess.Popen(
                labeler.command("--output", "none", "--node-name", "n", "--start-jitter", "0s", "--listen", "0.0.0.0:0",
                                "--health-probe-bind-address", "127.0.0.1:0", *cls.files(), "--client-ca-file",
                                cls.folder / "ca.crt", "--trusted-origin", "https://portal.corp"),
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=file, env=labeler.environment(INVENTORY))
        cls.addClassCleanup(cls.end)
        found = wait.until(lambda: f"it does not serve: {cls.log.read_text()}",
                           lambda: re.search(r"https://[\d.:]*?:(\d+)/", cls.log.read_text()))
        cls.port = int(found[1])
        wait.until("no sample comes", lambda: "DCGM_FI_DEV_GPU_TEMP{" in cls.ask("/metrics", cls.login())[2])
        wait.until("it does not become ready", lambda: cls.ask("/readyz")[0] == 200)

    @classmethod
    def files(cls):
        return ("--tls-cert-file", cls.folder / "server.crt", "--tls-private-key-file", cls.folder / "server.key",
                "--token-file", cls.folder / "tokens")

    @classmethod
    def end(cls):
        cls.process.send_signal(signal.SIGTERM)
        cls.process.wait(60)

    @staticmethod
    def login(token=TOKEN):
        return {"Authorization": f"Bearer {token}"}

    @classmethod
    def ask(cls, path, headers=None, certificate=None):
        context = ssl.create_default_context(cafile=cls.folder / "ca.crt")
        if certificate:
            context.load_cert_chain(cls.folder / f"{certificate}.crt", cls.folder / f"{certificate}.key")
        connection = http.client.HTTPSConnection("localhost", cls.port, context=context, timeout=60)
        try:
            connection.request("GET", path, headers=headers or {})
            answer = connection.getresponse()
            body = answer.read().decode()
            cls.serial = connection.sock.getpeercert()["serialNumber"] if connection.sock else None
            return answer.status, dict(answer.getheaders()), body
        finally:
            connection.close()

    def test_1_nobody_reads_without_a_login_and_probes_need_none(self):
        for path in ("/", "/api/v1/gpus", "/api/v1/history?metric=powerW", "/metrics", "/readyz?verbose", "/nothing"):
            with self.subTest(path=path):
                status, headers, body = self.ask(path)
                self.assertEqual(status, 401)
                self.assertIn('realm="gpu_labeler', headers["WWW-Authenticate"])
                self.assertNotIn("Tesla", body)
        self.assertEqual((self.ask("/healthz")[0], self.ask("/readyz")[0]), (200, 200))
        probe = re.search(r'"serving health","(?:.*?)http://([\d.]+):(\d+)/', self.log.read_text())
        connection = http.client.HTTPConnection(probe[1], int(probe[2]), timeout=60)
        self.addCleanup(connection.close)
        connection.request("GET", "/readyz")
        self.assertEqual(connection.getresponse().status, 200)

    def test_2_a_token_a_password_or_a_certificate_opens(self):
        basic = "Basic " + base64.b64encode(f"anyone:{TOKEN}".encode()).decode()
        for headers, certificate in ((self.login(), None), ({"Authorization": basic}, None), ({}, "reader")):
            for path in ("/", "/api/v1/gpus", "/metrics"):
                self.assertEqual(self.ask(path, headers, certificate)[0], 200, (path, certificate))
        self.assertEqual(self.ask("/", self.login(TOKEN + "x"))[0], 401)

    def test_3_other_sites_do_not_read_but_a_trusted_one_does(self):
        foreign = {**self.login(), "Sec-Fetch-Site": "cross-site"}
        self.assertEqual(self.ask("/api/v1/gpus", {**foreign, "Origin": "https://evil.example"})[0], 403)
        status, headers, _ = self.ask("/api/v1/gpus", {**foreign, "Origin": "https://portal.corp"})
        self.assertEqual((status, headers.get("Access-Control-Allow-Origin")), (200, "https://portal.corp"))

    def test_4_certificate_and_tokens_are_renewed_without_a_restart(self):
        self.ask("/healthz")
        before = self.serial
        for kind in ("crt", "key"):
            os.replace(self.folder / f"renewed.{kind}", self.folder / f"server.{kind}")
        (self.folder / "tokens").write_text("a-token-that-came-later\n")
        wait.until("the certificate is not renewed", lambda: self.ask("/healthz") and self.serial != before)
        wait.until("the new token does not open",
                   lambda: self.ask("/", self.login("a-token-that-came-later"))[0] == 200)
        self.assertEqual(self.ask("/", self.login())[0], 401)
        (self.folder / "tokens").write_text("short\n")
        wait.until("the broken file is not told", lambda: "line 1" in self.log.read_text())
        self.assertEqual(self.ask("/", self.login("a-token-that-came-later"))[0], 200)

    def test_5_the_log_holds_no_token(self):
        for secret in (TOKEN, "a-token-that-came-later", "short\n"):
            self.assertNotIn(secret, self.log.read_text())

    def test_6_files_that_cannot_be_used_are_named(self):
        (self.folder / "empty").write_text("")
        for flag in ("--tls-cert-file", "--tls-private-key-file", "--token-file"):
            done = labeler.run(INVENTORY, "--output", "none", "--node-name", "n", "--listen", "127.0.0.1:0", *self.files(),
                               flag, self.folder / "empty")
            self.assertEqual(done.returncode, 1)
            self.assertIn(flag, done.stderr)
            self.assertIn("is empty", done.stderr)


if __name__ == "__main__":
    unittest.main()
