"""How busy GPUs are, from labelers behind a real API server's proxy: which right that takes, what the interface says, and
the notices. A labeler is played; it listens where the pod's address is."""
import http.server
import json
import pathlib
import socket
import subprocess
import tempfile
import threading
import unittest

import fixture
import monitor as monitors
import receivers
import server
import wait


def own_address():
    """Not loopback: the API server proxies to none of those."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as some:
        some.connect(("192.0.2.1", 9))  # sends nothing
        return some.getsockname()[0]


class PlayedLabeler:
    """Answers /api/v1/gpus with two GPUs that are so busy."""

    def __init__(self, address):
        self.busy, self.health, self.asked = (0, 0), "ok", []
        played = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                played.asked.append(self.path)
                gpus = [{"index": i, "uuid": f"GPU-{i}", "name": "H100", "health": played.health if i else "ok", "reason": "",
                         "temperatureC": 40, "powerW": 70.5, "utilization": {"gpu": busy},
                         "memory": {"totalBytes": 1000, "usedBytes": 10}, "xid": None, "users": []}
                        for i, busy in enumerate(played.busy)]
                body = json.dumps({"node": "n1", "state": "ok", "message": "", "items": gpus}).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer((address, 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def pod(name, namespace, labels, gpus=0):
    limits = {"nvidia.com/gpu": str(gpus)} if gpus else {}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": namespace, "labels": labels},
            "spec": {"nodeName": "n1", "automountServiceAccountToken": False,
                     "containers": [{"name": "main", "image": "none", "resources": {"limits": limits}}]}}


def train(gpus):
    template = {"spec": {"restartPolicy": "Never", "containers": [
        {"name": "main", "image": "none", "resources": {"limits": {"nvidia.com/gpu": str(gpus)}}}]}}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "train", "namespace": "default"},
            "spec": {"parallelism": 1, "template": template}}


class MonitorUsage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if monitors.binary() is None:
            raise unittest.SkipTest("the training_monitor program is not built")
        address = own_address()
        if address.startswith("127."):
            raise unittest.SkipTest("this machine has no address but loopback")
        cls.server = server.Server("monitor-usage")
        cls.addClassCleanup(cls.server.stop)
        cls.labeler = PlayedLabeler(address)
        cls.addClassCleanup(cls.labeler.close)
        for file in ("namespace.yaml", "reader.yaml"):
            cls.kubectl("apply", "-f", str(fixture.DEPLOY / file))
        cls.kubectl("create", "namespace", "gpu-labeler")
        for role in ("training-monitor", "training-monitor-why"):
            cls.kubectl("create", "clusterrolebinding", f"reads-{role}", f"--clusterrole={role}",
                        "--serviceaccount=default:monitor")
        cls.kubectl("create", "serviceaccount", "monitor")
        labels = {"app.kubernetes.io/name": "gpu-labeler"}
        cls.make(pod("labeler-1", "gpu-labeler", labels), {"phase": "Running", "podIP": address, "podIPs": [{"ip": address}]})
        cls.make(train(2), {"active": 1, "ready": 1, "startTime": "2026-11-26T07:00:00Z"})
        cls.make(pod("train-0", "default", {"batch.kubernetes.io/job-name": "train"}, 2), {"phase": "Running"})
        folder = tempfile.TemporaryDirectory(prefix="kcontrol-monitor-usage-", ignore_cleanup_errors=True)
        cls.addClassCleanup(folder.cleanup)
        cls.path = path = pathlib.Path(folder.name)
        (path / "files").mkdir()
        cls.told = receivers.Receiver()
        cls.addClassCleanup(cls.told.close)
        (path / "hook").write_text(cls.told.url)
        (path / "notify.yaml").write_text("receivers: [{name: all, webhook: {urlFile: hook}}]\n"
                                          "rules: [{gpusIdle: true, for: 6s, receivers: [all]}]\n")
        token = cls.kubectl("create", "token", "monitor").strip()
        config = json.loads(cls.kubectl("config", "view", "--raw", "-o", "json"))
        config["users"][0]["user"] = {"token": token}
        (path / "files" / "c").write_text(json.dumps(config))
        cls.monitor = monitors.Monitor(path / "files", path / "log", "--notify-config", path / "notify.yaml", "--gpu-usage",
                                       "--gpu-usage-interval", "5s", "--labeler-port", str(cls.labeler.port))
        cls.addClassCleanup(cls.monitor.process.wait)
        cls.addClassCleanup(cls.monitor.process.kill)

    @classmethod
    def kubectl(cls, *arguments, stdin=None):
        done = subprocess.run([f"{cls.server.assets}/kubectl", "--kubeconfig", cls.server.kubeconfig, *arguments],
                              input=stdin, capture_output=True, text=True)
        if done.returncode != 0:
            raise AssertionError(f"kubectl {arguments}: {done.stderr}")
        return done.stdout

    @classmethod
    def make(cls, made, status):
        meta = made["metadata"]
        cls.kubectl("create", "-f", "-", stdin=json.dumps(made))
        cls.kubectl("-n", meta["namespace"], "patch", made["kind"].lower(), meta["name"], "--subresource=status",
                    "--type=merge", "-p", json.dumps({"status": status}))

    def detail(self):
        status, text = self.monitor.get_raw("/api/v1/jobs/c/default/Job/train")
        return json.loads(text) if status == 200 else None

    def until_usage(self, what, holds):
        return wait.until(lambda: f"{what}: {self.detail()}",
                          lambda: (d := self.detail()) and d["job"]["gpuUsage"] and holds(d["job"]["gpuUsage"]) and d, 60)

    def test_0_a_rule_that_needs_the_flag(self):
        done = subprocess.run([monitors.binary(), "--kubeconfig", self.server.kubeconfig, "--listen", "0", "--no-gpu-usage",
                               "--notify-config", self.path / "notify.yaml"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("a rule with gpusIdle needs --gpu-usage", done.stderr)

    def test_1_which_right_is_missing(self):
        found = self.until_usage("no refusal", lambda u: u["state"] == "unknown" and "forbidden" in u["reason"])
        self.assertTrue(any("pods/proxy" in right for right in found["missingRights"]), found["missingRights"])
        # The role that reads pods everywhere is not enough: the labeler was not reached.
        self.assertEqual(self.labeler.asked, [])

    def test_2_with_the_right_its_gpus_idle_and_that_is_told(self):
        self.kubectl("-n", "gpu-labeler", "create", "rolebinding", "usage", "--clusterrole=training-monitor-gpu-usage",
                     "--serviceaccount=default:monitor")
        found = self.until_usage("not known", lambda u: u["state"] == "known")
        usage = found["job"]["gpuUsage"]
        self.assertEqual((usage["gpus"], usage["measured"], usage["utilization"]), (2, 2, {"mean": 0.0, "least": 0.0}))
        self.assertEqual(usage["memory"], {"usedBytes": 20, "totalBytes": 2000})
        self.assertEqual(usage["powerW"], 141.0)
        self.assertIsNotNone(usage["idleSince"])
        self.assertFalse(any("pods/proxy" in right for right in found["missingRights"]))
        self.assertEqual(set(self.labeler.asked), {"/api/v1/gpus"})
        listed = self.monitor.items("/api/v1/jobs?fields=name,gpuUsage")[0]
        self.assertEqual((listed["name"], listed["gpuUsage"]["state"]), ("train", "known"))
        notice = wait.until("no notice", lambda: self.told.taken and self.told.taken[0].json, 60)
        self.assertEqual((notice["name"], notice["state"], notice["condition"]), ("train", "Running", "GPUsIdle"))
        self.assertIn("all its GPUs have been at 0 % since", notice["message"])

    def test_3_the_fleet_and_a_job_that_works(self):
        self.labeler.busy, self.labeler.health = (80, 40), "failed"
        self.until_usage("it idles", lambda u: u["utilization"] == {"mean": 60.0, "least": 40.0} and not u["idleSince"])
        fleet = wait.until("no fleet", lambda: (f := self.monitor.items("/api/v1/fleet")[0])["state"] == "known" and f, 60)
        self.assertEqual([(n["node"], n["state"], [g["health"] for g in n["gpus"]]) for n in fleet["nodes"]],
                         [("n1", "ok", ["ok", "failed"])])


if __name__ == "__main__":
    unittest.main()
