"""The monitor among servers and files that are wrong in every way: no cluster needed."""
import base64
import json
import pathlib
import shutil
import subprocess
import tempfile
import time
import unittest

import bad_servers
import monitor as monitors
import wait

SECRETS = ("canary-token", "canary-password", "canary-key", "canary-state")


def kubeconfig(server, **cluster):
    return {"apiVersion": "v1", "kind": "Config", "current-context": "c",
            "contexts": [{"name": "c", "context": {"cluster": "k", "user": "u"}}],
            "clusters": [{"name": "k", "cluster": {"server": server, **cluster}}],
            "users": [{"name": "u", "user": {"token": "canary-token"}}]}


def peak_memory(process):
    """MiB."""
    for line in pathlib.Path(f"/proc/{process.pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) >> 10
    return 0


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.files = self.folder / "clusters"
        self.files.mkdir()

    def keep(self, server):
        self.addCleanup(server.close)
        return server

    def write(self, name, config):
        text = config if isinstance(config, str) else json.dumps(config)
        file = self.files / f"{name}.kubeconfig"
        file.write_text(text)
        return file

    def assert_no_secret(self, *texts):
        for text in texts:
            for secret in SECRETS:
                self.assertNotIn(secret, text)


class Servers(Folder):
    def bad_clusters(self):
        """{name: (kubeconfig, state, parts of the reason)}"""
        bad = bad_servers
        self.elsewhere = self.keep(bad.BadServer(bad.page(b"200 OK")))
        plain = {
            "html": (bad.page(b"200 OK"), "failed", ["web page", "`server` in the kubeconfig"]),
            "html-502": (bad.page(b"502 Bad Gateway"), "failed", ["502", "web page"]),
            "redirect": (bad.redirect(self.elsewhere.url), "failed", ["302", self.elsewhere.url, "not followed"]),
            "cut": (bad.cut, "unreachable", ["closed the connection inside its answer"]),
            "cut-chunk": (bad.cut_chunk, "unreachable", ["closed the connection inside its answer"]),
            "giant-list": (bad.giant_list, "failed", ["no list", "1048576 bytes"]),
            "giant-event": (bad.giant_event, "failed", ["a watch event goes on beyond 134217728 bytes", "check"]),
        }
        out = {}
        for name, (answer, state, parts) in plain.items():
            out[name] = (kubeconfig(self.keep(bad.BadServer(answer)).url), state, parts)
        hole = self.keep(bad.BlackHole())
        out["hole"] = (kubeconfig(hole.url), "unreachable", [hole.url.removeprefix("http://127.0.0.1:"), "firewall"])
        out["nameless"] = (kubeconfig("https://api.kcontrol.invalid:6443"), "unreachable",
                           ['"api.kcontrol.invalid"', "resolved", "DNS"])
        if shutil.which("openssl"):
            out.update(self.tls_clusters())
        return out

    def tls_clusters(self):
        ours, others = (bad_servers.Authority(self.folder, name) for name in ("ours", "others"))
        trusted = base64.b64encode(ours.cert.read_bytes()).decode()

        def cluster(files):
            server = self.keep(bad_servers.BadServer(bad_servers.giant_event, files))
            return kubeconfig(server.url, **{"certificate-authority-data": trusted})

        return {
            "wrong-ca": (cluster(others.issue("a", "127.0.0.1")), "failed", ["certificate-authority-data"]),
            "expired": (cluster(ours.issue("b", "127.0.0.1", expired=True)), "failed", ["expired", "renew"]),
            "wrong-name": (cluster(ours.issue("c", "127.0.0.2")), "failed", ["127.0.0.1", "tls-server-name"]),
        }

    def test_each_is_a_state_with_a_reason_and_the_good_one_goes_on(self):
        good = self.keep(bad_servers.GoodServer())
        good.add("first")
        self.write("good", kubeconfig(good.url))
        stalling = self.keep(bad_servers.BadServer(bad_servers.stall))
        self.write("stall", kubeconfig(stalling.url))
        clusters = self.bad_clusters()
        for name, (config, _, _) in clusters.items():
            self.write(name, config)
        self.write("torn", "clusters: [{name: k, cluster: {server: 'http://127.0.0.1:1', \n")
        monitor = monitors.Monitor(self.files, self.folder / "log")
        self.addCleanup(monitor.process.kill)

        def until(name, state, parts):
            def reached():
                seen = monitor.cluster(name)
                return seen and seen["state"] == state and all(part in seen["reason"] for part in parts)
            wait.until(lambda: f"{name} is not {state} with {parts}: {monitor.cluster(name)}", reached, 60)

        until("good", "live", [])
        for name, (_, state, parts) in clusters.items():
            with self.subTest(name):
                until(name, state, parts)
        until("torn", "failed", ["torn.kubeconfig"])
        wait.until("nobody asked the stalling server", lambda: stalling.requests)
        self.assertEqual(monitor.cluster("stall")["state"], "connecting")

        good.add("second")
        wait.until("the good cluster's new job is not shown", lambda: monitor.job("good", "default", "Job", "second"))
        self.assertEqual([j["state"] for j in monitor.jobs("good")], ["Running", "Running"])
        self.assertEqual((good.lists, good.watches), (1, 1))
        self.assertEqual(self.elsewhere.requests, [], "a redirect was followed")
        self.assertLess(peak_memory(monitor.process), 256)
        pages = [monitor.get_raw(path)[1] for path in ("/api/v1/clusters", "/readyz?verbose", "/metrics", "/")]
        since = time.monotonic()
        self.assertEqual(monitor.stop(), 0)
        # measures: it stops at once; Kubernetes gives it 30 s
        self.assertLess(time.monotonic() - since, 10)
        log = monitor.log.read_text()
        self.assert_no_secret(log, *pages)
        self.assertNotIn("the cluster left", log, "stopping is not leaving")

    def test_once(self):
        good = self.keep(bad_servers.GoodServer())
        good.add("first")
        self.write("good", kubeconfig(good.url))

        def once():
            return subprocess.run([monitors.binary(), "--clusters", self.files, "--once", "--output", "json", "--kinds",
                                   "job", "--listen", "0"], capture_output=True, text=True, timeout=60)

        done = once()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([j["name"] for j in json.loads(done.stdout)["jobs"]], ["first"])
        page = self.keep(bad_servers.BadServer(bad_servers.page(b"200 OK")))
        self.write("page", kubeconfig(page.url))
        done = once()
        self.assertEqual(done.returncode, 1)
        self.assertEqual([j["name"] for j in json.loads(done.stdout)["jobs"]], ["first"])
        self.assertRegex(done.stderr, r"page.*web page")
        self.assert_no_secret(done.stdout, done.stderr)


class Files(Folder):
    def test_broken_kubeconfigs_name_file_field_and_remedy(self):
        whole = kubeconfig("https://127.0.0.1:1")

        def having(path, value):
            copy = json.loads(json.dumps(whole))
            at = copy
            for step in path[:-1]:
                at = at[step]
            at[path[-1]] = value
            return copy

        cluster, user = ["clusters", 0, "cluster"], ["users", 0, "user"]
        key = base64.b64encode(b"canary-key").decode()
        for name, (config, parts) in {
            "yaml": ("users: [{name: u, user: {token: canary-token}\nclusters: - x", ["line "]),
            "not-a-mapping": ("- canary-token\n", ["mapping"]),
            "empty": ("", ["empty"]),
            "base64": (having([*cluster, "certificate-authority-data"], "%%%canary-key"), ["certificate-authority-data", "base64"]),
            "key": (having([*user, "client-key-data"], "***canary-key"), ["client-key-data", "base64"]),
            "half": (having([*user, "client-key-data"], key), ["client-certificate", "missing"]),
            "password": (having([*user, "password"], "canary-password"), ["password", "a token, too"]),
            "no-cluster": (having(["clusters"], []), ['cluster "k"', "has: none"]),
            "no-user": (having(["users"], []), ['user "u"', "has: none"]),
            "no-context": (having(["current-context"], "gone"), ['"gone"', "context"]),
            "no-server": (having(cluster, {}), ["server"]),
            "bad-server": (having([*cluster, "server"], "ftp://h"), ["server", "ftp"]),
            "no-file": (having([*cluster, "certificate-authority"], "/nowhere/ca.crt"), ["/nowhere/ca.crt"]),
        }.items():
            with self.subTest(name):
                file = self.write(name, config)
                done = subprocess.run([monitors.binary(), "--kubeconfig", file, "--once", "--output", "none",
                                       "--listen", "0"], capture_output=True, text=True, timeout=60)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assert_no_secret(done.stdout, done.stderr)
                for part in [f"{name}.kubeconfig", *parts]:
                    self.assertIn(part, done.stderr)
                self.assertLess(len(done.stderr), 600)

    def test_broken_certificates_name_cluster_setting_and_remedy(self):
        pem = base64.b64encode(b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n").decode()
        key = base64.b64encode(b"canary-key").decode()
        self.write("ca", kubeconfig("https://127.0.0.1:1", **{"certificate-authority-data": pem}))
        client = kubeconfig("https://127.0.0.1:1")
        client["users"][0]["user"] = {"client-certificate-data": pem, "client-key-data": key}
        self.write("client", client)
        done = subprocess.run([monitors.binary(), "--clusters", self.files, "--once", "--output", "none", "--listen", "0"],
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, r"cluster ca failed: https://127.0.0.1:1: the CA certificate .*; give PEM")
        self.assertRegex(done.stderr, r"cluster client failed: https://127.0.0.1:1: the client certificate .*; give PEM")
        self.assert_no_secret(done.stdout, done.stderr)

    def test_a_context_that_is_not_there_is_named_with_those_that_are(self):
        file = self.write("one", kubeconfig("https://127.0.0.1:1"))
        done = subprocess.run([monitors.binary(), "--kubeconfig", file, "--context", "other", "--once"],
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 1, done.stderr)
        for part in ("one.kubeconfig", '"other"', "has: c"):
            self.assertIn(part, done.stderr)

    def test_a_folder_that_is_not_there(self):
        for more in ([], ["--once"]):
            done = subprocess.run([monitors.binary(), "--clusters", self.folder / "absent", "--listen", "0",
                                   "--output", "none", *more], capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("--clusters", done.stderr)
            self.assertIn(str(self.folder / "absent"), done.stderr)
            self.assertIn("a directory of kubeconfigs", done.stderr)


if __name__ == "__main__":
    unittest.main()
