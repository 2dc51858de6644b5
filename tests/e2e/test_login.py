"""Every way to log in (docs/kubeconfig.md) at a real API server: whom it takes the client for.

KCONTROL_PROBES is the folder of login_probe. Run alone: run.py test_login
"""
import base64
import json
import os
import socket
import subprocess
import threading
import unittest

import listener
import probes
import server
import wait


class ConnectProxy(listener.Listener):
    """CONNECT with a login, to one port whatever is asked for; counts who came through."""

    def __init__(self, port, login):
        self.to, self.opened, self.refused = port, [], 0
        self.login = "Basic " + base64.b64encode(login.encode()).decode()
        super().__init__()

    def serve(self, client):
        head = b""
        while b"\r\n\r\n" not in head:
            more = client.recv(4096)
            if not more:
                return
            head += more
        if f"Proxy-Authorization: {self.login}".encode() not in head:
            self.refused += 1
            client.sendall(b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
            client.close()
            return
        self.opened.append(head.split(b" ")[1].decode())
        upstream = socket.create_connection(("127.0.0.1", self.to))
        client.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        threading.Thread(target=self.pump, args=(upstream, client), daemon=True).start()
        self.pump(client, upstream)

    @staticmethod
    def pump(source, sink):
        try:
            while data := source.recv(65536):
                sink.sendall(data)
        except OSError:
            pass
        for each in (source, sink):
            try:
                each.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


class Probe:
    def __init__(self, program, *arguments, **variables):
        env = {k: v for k, v in os.environ.items() if not k.upper().endswith("_PROXY") and k != "KUBECONFIG"}
        self.process = subprocess.Popen([program, *map(str, arguments)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, env={**env, **variables})

    def ask(self):
        try:
            self.process.stdin.write("\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass
        return self.process.stdout.readline().strip()

    def end(self):
        """Everything that it told on standard error."""
        _, errors = self.process.communicate(timeout=60)
        return errors


class LoginTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.program = probes.program("login_probe")
        cls.real = server.Server("login")
        cls.addClassCleanup(cls.real.stop)
        cls.port = int(cls.real.url.rsplit(":", 1)[1])
        for name in ("one", "two"):
            cls.real.ask("POST", "/api/v1/namespaces/default/serviceaccounts",
                         json.dumps({"metadata": {"name": name}}))

    def token(self, account):
        code, made = self.real.ask("POST", f"/api/v1/namespaces/default/serviceaccounts/{account}/token",
                                   json.dumps({"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
                                               "spec": {"expirationSeconds": 3600}}))
        self.assertEqual(code, 201, made)
        return made["status"]["token"]

    def folder(self):
        path = self.real.work / self.id().rsplit(".", 1)[1]
        path.mkdir(exist_ok=True)
        return path

    def write(self, name, user, cluster=None, namespace=None):
        cluster = cluster or {"server": self.real.url, "certificate-authority": str(self.real.work / "ca.crt")}
        context = {"cluster": "c", "user": "u", **({"namespace": namespace} if namespace else {})}
        path = self.folder() / name
        path.write_text(json.dumps({"apiVersion": "v1", "kind": "Config", "current-context": "x",
                                    "clusters": [{"name": "c", "cluster": cluster}],
                                    "users": [{"name": "u", "user": user}],
                                    "contexts": [{"name": "x", "context": context}]}))
        return path

    def certificate(self):
        return {"client-certificate": str(self.real.work / "admin.crt"), "client-key": str(self.real.work / "admin.key")}

    def plugin(self, status):
        """A program that counts its runs and prints that status; the path of the count."""
        script = self.folder() / "plugin"
        said = json.dumps({"kind": "ExecCredential", "apiVersion": "client.authentication.k8s.io/v1", "status": status})
        (self.folder() / "said").write_text(said)
        script.write_text('#!/bin/sh\necho "$KUBERNETES_EXEC_INFO" >> "$LOG"\ncat "$(dirname "$0")/said"\n')
        script.chmod(0o755)
        log = self.folder() / "runs"
        return log, {"exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": "./plugin",
                              "interactiveMode": "Never", "provideClusterInfo": True,
                              "env": [{"name": "LOG", "value": str(log)}]}}

    def test_client_certificate(self):
        probe = Probe(self.program, self.write("config", self.certificate(), namespace="jobs"))
        self.assertEqual(probe.ask(), "admin [system:masters,system:authenticated] in jobs")
        self.assertEqual(probe.end(), "")

    def test_token_file_is_read_again_after_401(self):
        token = self.folder() / "token"
        token.write_text(self.token("one"))
        probe = Probe(self.program, self.write("config", {"tokenFile": "token"}))
        self.assertIn("system:serviceaccount:default:one ", probe.ask())
        token.write_text(self.token("two"))
        self.assertIn("system:serviceaccount:default:one ", probe.ask())  # it has a minute
        self.real.ask("DELETE", "/api/v1/namespaces/default/serviceaccounts/one")
        self.addCleanup(self.real.ask, "POST", "/api/v1/namespaces/default/serviceaccounts",
                        json.dumps({"metadata": {"name": "one"}}))
        # The server remembers a token for some seconds; the first 401 gets the file read, long before the minute.
        wait.until("the token file is not read after a 401",
                   # measures: less than that minute
                   lambda: "system:serviceaccount:default:two " in probe.ask(), 45, 0.5)
        self.assertEqual(probe.end(), "")

    def test_exec_plugin_with_a_token(self):
        log, user = self.plugin({"token": self.token("two")})
        probe = Probe(self.program, self.write("config", user))
        for _ in range(3):
            self.assertIn("system:serviceaccount:default:two ", probe.ask())
        told = [json.loads(line) for line in log.read_text().splitlines()]
        self.assertEqual(len(told), 1)
        self.assertEqual(told[0]["spec"]["cluster"]["server"], self.real.url)
        self.assertEqual(base64.b64decode(told[0]["spec"]["cluster"]["certificate-authority-data"]),
                         (self.real.work / "ca.crt").read_bytes())
        self.assertEqual(told[0]["spec"]["interactive"], False)

    def test_exec_plugin_with_a_certificate_and_an_end(self):
        log, user = self.plugin({"clientCertificateData": (self.real.work / "admin.crt").read_text(),
                                 "clientKeyData": (self.real.work / "admin.key").read_text(),
                                 "expirationTimestamp": "2020-01-01T00:00:00Z"})
        probe = Probe(self.program, self.write("config", user))
        for _ in range(2):
            self.assertIn("admin [system:masters,", probe.ask())
        self.assertEqual(len(log.read_text().splitlines()), 2)

    def test_exec_plugin_that_is_refused_or_missing(self):
        _, user = self.plugin({"token": "canary-secret-4711"})
        probe = Probe(self.program, self.write("config", user))
        answer = probe.ask()
        self.assertIn("Unauthorized", answer)
        self.assertNotIn("canary", answer + probe.end())
        user["exec"]["command"] = "no-such-login-plugin"
        user["exec"]["installHint"] = "get it at https://example.com"
        answer = Probe(self.program, self.write("config2", user)).ask()
        self.assertIn('exec plugin "no-such-login-plugin": not found in $PATH: get it at https://example.com', answer)

    def test_impersonation(self):
        user = {**self.certificate(), "as": "jane", "as-groups": ["dev", "ops"], "as-user-extra": {"scopes": ["view"]}}
        probe = Probe(self.program, self.write("config", user))
        self.assertEqual(probe.ask(), "jane [dev,ops,system:authenticated] in default")
        # Who may not, is not himself instead.
        user = {"token": self.token("two"), "as": "jane"}
        self.assertIn("\" cannot impersonate", Probe(self.program, self.write("config2", user)).ask())

    def test_proxies(self):
        proxy = ConnectProxy(self.port, "me:pass word")
        self.addCleanup(proxy.close)
        # A name that only the proxy knows.
        cluster = {"server": f"https://api.invalid:{self.port}", "tls-server-name": "127.0.0.1",
                   "certificate-authority": str(self.real.work / "ca.crt")}
        url = f"http://me:pass%20word@127.0.0.1:{proxy.port}"
        probe = Probe(self.program, self.write("config", self.certificate(), {**cluster, "proxy-url": url}))
        for _ in range(2):
            self.assertIn("admin [", probe.ask())
        self.assertEqual(proxy.opened, [f"api.invalid:{self.port}"])
        plain = self.write("plain", self.certificate(), cluster)
        self.assertIn("admin [", Probe(self.program, plain, https_proxy=url).ask())
        self.assertEqual(len(proxy.opened), 2)
        self.assertIn("error", Probe(self.program, plain, HTTPS_PROXY=url, NO_PROXY=".invalid").ask())
        wrong = f"http://me:canary@127.0.0.1:{proxy.port}"
        answer = Probe(self.program, plain, HTTPS_PROXY=wrong).ask()
        self.assertIn("407", answer)
        self.assertNotIn("canary", answer)
        self.assertEqual((len(proxy.opened), proxy.refused), (2, 1))

    def test_two_files_of_kubeconfig(self):
        first = self.write("first", self.certificate())
        text = json.loads(first.read_text())
        second = self.folder() / "second"
        second.write_text(json.dumps({"users": text.pop("users"), "contexts": text.pop("contexts")}))
        first.write_text(json.dumps(text))
        probe = Probe(self.program, KUBECONFIG=f"{self.folder()}/none:{first}:{second}")
        self.assertIn("admin [", probe.ask())
        self.assertIn('there is no context "y"; the file has: x',
                      Probe(self.program, "--context", "y", KUBECONFIG=f"{first}:{second}").ask())

    def test_a_server_that_is_not_verified(self):
        cluster = {"server": self.real.url, "insecure-skip-tls-verify": True}
        probe = Probe(self.program, self.write("config", self.certificate(), cluster))
        for _ in range(2):
            self.assertIn("admin [", probe.ask())
        self.assertEqual(probe.end().count("the server is not verified"), 1)
        self.assertIn("certificate is refused", Probe(
            self.program, self.write("config2", self.certificate(), {"server": self.real.url})).ask())


if __name__ == "__main__":
    unittest.main()
