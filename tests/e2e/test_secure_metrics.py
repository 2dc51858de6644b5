"""The endpoints of a program of run() with --metrics-secure, at a real API server: accounts by TokenRequest, and roles.

KCONTROL_TUTORIAL is the folder of 1_hello. Run alone: run.py test_secure_metrics
"""
import json
import os
import pathlib
import re
import shutil
import ssl
import subprocess
import unittest
import urllib.error
import urllib.request

import server
import wait

RBAC = "/apis/rbac.authorization.k8s.io/v1"


class SecureMetricsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = os.environ.get("KCONTROL_TUTORIAL")
        if not folder:
            raise unittest.SkipTest("KCONTROL_TUTORIAL is not set")
        cls.program = pathlib.Path(folder) / "1_hello"
        cls.real = server.Server("secure-metrics")
        cls.addClassCleanup(cls.real.stop)
        cls.log = cls.real.work / "hello.log"
        cls.make(f"{RBAC}/clusterroles", "ClusterRole", "metrics-reader",
                 rules=[{"nonResourceURLs": ["/metrics"], "verbs": ["get"]}])
        cls.tokens = {name: cls.account(name) for name in ("operator", "reader", "other")}
        cls.bind("operator", "system:aggregate-to-view")  # `view` itself is filled by a controller, which is not here
        cls.bind("reader", "metrics-reader")

    @classmethod
    def make(cls, path, kind, name, **rest):
        group = "v1" if path.startswith("/api/") else path.removeprefix("/apis/").rsplit("/", 1)[0]
        code, made = cls.real.ask("POST", path, json.dumps({"apiVersion": group, "kind": kind,
                                                             "metadata": {"name": name}, **rest}))
        if code != 201:
            raise RuntimeError(f"{kind} {name}: {made}")

    @classmethod
    def account(cls, name):
        at = "/api/v1/namespaces/default/serviceaccounts"
        cls.make(at, "ServiceAccount", name)
        code, made = cls.real.ask("POST", f"{at}/{name}/token", json.dumps({
            "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}))
        if code != 201:
            raise RuntimeError(f"no token for {name}: {made}")
        return made["status"]["token"]

    @classmethod
    def bind(cls, account, role):
        cls.make(f"{RBAC}/clusterrolebindings", "ClusterRoleBinding", f"{account}-{role}".replace(":", "-"),
                 roleRef={"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role},
                 subjects=[{"kind": "ServiceAccount", "name": account, "namespace": "default"}])

    def start(self, *flags):
        """The program with its own account; where it listens."""
        kubeconfig = self.real.work / "operator.kubeconfig"
        kubeconfig.write_text(re.sub(r"user: \{client-certificate-data.*?\}", f"user: {{token: {self.tokens['operator']}}}",
                                     self.real.kubeconfig.read_text()))
        kubeconfig.chmod(0o600)
        self.log.write_text("")
        with self.log.open("ab") as log:
            process = subprocess.Popen([self.program, "--kubeconfig", kubeconfig, "--metrics-bind-address=127.0.0.1:0",
                                        "--log-format=json", *flags], stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        self.addCleanup(process.kill)
        found = wait.until(lambda: f"it does not listen: {self.log.read_text()}",
                           lambda: re.search(r'"address":"(127[^"]*)"', self.log.read_text()))
        return process, f"https://{found[1]}"

    def ask(self, url, account=None, context=None, method="GET"):
        """The answer's code and text; `account` may be a token, too."""
        if context is None:
            context = ssl._create_unverified_context()
        request = urllib.request.Request(url, method=method)
        if account:
            request.add_header("Authorization", f"Bearer {self.tokens.get(account, account)}")
        try:
            with urllib.request.urlopen(request, context=context, timeout=60) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as answer:
            return answer.code, answer.read().decode()

    def certificate(self, folder, name):
        """A pair in `folder`, signed by itself, put in place as a mounted Secret is: all at once."""
        new = folder / f"..{name}"
        new.mkdir()
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                        "-days", "2", "-subj", f"/CN={name}", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout",
                        new / "tls.key", "-out", new / "tls.crt"], check=True, capture_output=True)
        link = folder / "..next"
        link.symlink_to(new.name)
        link.rename(folder / "..data")
        for file in ("tls.crt", "tls.key"):
            if not (folder / file).is_symlink():
                (folder / file).symlink_to(f"..data/{file}")
        return ssl.create_default_context(cafile=new / "tls.crt")

    def test_accounts_and_roles_decide(self):
        process, url = self.start("--metrics-secure")
        # Without the right to ask the cluster nobody gets in.
        self.assertEqual(self.ask(f"{url}/metrics", "reader")[0], 500)
        self.assertIn("could not be asked", self.log.read_text())
        self.bind("operator", "system:auth-delegator")
        wait.until(lambda: f"it is not let in: {self.log.read_text()}",
                   lambda: self.ask(f"{url}/metrics", "reader")[0] == 200)
        code, text = self.ask(f"{url}/metrics", "reader")
        self.assertEqual(code, 200)
        self.assertIn('kcontrol_http_access_total{outcome="allowed",server="main"}', text)
        self.assertIn("certwatcher_read_certificate_total 1\n", text)
        self.assertEqual(self.ask(f"{url}/metrics")[0], 401)
        self.assertEqual(self.ask(f"{url}/metrics", "guess")[0], 401)
        code, text = self.ask(f"{url}/metrics", "other")
        self.assertEqual(code, 403)
        self.assertIn("system:serviceaccount:default:other may not get /metrics", text)
        self.assertEqual(self.ask(f"{url}/metrics", "reader", method="POST")[0], 403)
        # Everybody whom the cluster knows may read these: system:public-info-viewer.
        self.assertEqual(self.ask(f"{url}/healthz", "other")[0], 200)
        self.assertEqual(self.ask(f"{url}/healthz")[0], 401)
        # An account that is gone: its token counts as long as it is remembered.
        self.real.ask("DELETE", "/api/v1/namespaces/default/serviceaccounts/reader")
        wait.until("a deleted account is let in", lambda: self.ask(f"{url}/metrics", "reader")[0] == 401, every=1)
        for name, token in self.tokens.items():
            self.assertNotIn(token, self.log.read_text(), f"the log holds the token of {name}")
        process.terminate()
        self.assertEqual(process.wait(60), 0)

    def test_a_certificate_that_is_replaced_counts_from_then_on(self):
        folder = self.real.work / "certificate"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        first = self.certificate(folder, "first")
        process, url = self.start("--metrics-cert-path", folder)
        self.assertEqual(self.ask(f"{url}/metrics", context=first)[0], 401)
        second = self.certificate(folder, "second")

        def shown():
            try:
                return self.ask(f"{url}/metrics", context=second)[0] == 401
            except urllib.error.URLError:
                return False

        wait.until(lambda: f"the new certificate is not shown: {self.log.read_text()}", shown)
        with self.assertRaises(urllib.error.URLError):
            self.ask(f"{url}/metrics", context=first)
        process.terminate()
        self.assertEqual(process.wait(60), 0)


if __name__ == "__main__":
    unittest.main()
