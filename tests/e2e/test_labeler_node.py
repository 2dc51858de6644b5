"""The labeler against a real kube-apiserver, with the rights that its manifests give it.

KCONTROL_LABELER is the program, KCONTROL_PROBES the folder with the stand-ins for NVML. Run alone: run.py
test_labeler_node
"""
import json
import pathlib
import re
import signal
import subprocess
import tempfile
import unittest
import urllib.error
import urllib.request

import cluster
import labeler
import proxy
import server
import wait

DEPLOY = labeler.ROOT / "examples" / "apps" / "gpu_labeler" / "deploy"
RIGHTS = ("base/namespace.yaml", "base/rights.yaml", "components/node-feature/rights.yaml")
FEATURES = "/apis/nfd.k8s-sigs.io/v1alpha1/namespaces/gpu-labeler/nodefeatures"
FEATURE_CRD = {
    "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
    "metadata": {"name": "nodefeatures.nfd.k8s-sigs.io"},
    "spec": {"group": "nfd.k8s-sigs.io", "scope": "Namespaced",
             "names": {"kind": "NodeFeature", "plural": "nodefeatures"},
             "versions": [{"name": "v1alpha1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {
                 "type": "object", "properties": {"spec": {"type": "object", "properties": {
                     "features": {"type": "object", "required": ["attributes", "flags", "instances"], "properties": {
                         part: {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
                         for part in ("attributes", "flags", "instances")}},
                     "labels": {"type": "object", "additionalProperties": {"type": "string"}}}}}}}}]},
}
LOST = "fault call=nvmlDeviceGetName gpu=3 return=15\n"
RELOAD = "fault call=* return=9\n"
XID_79 = "event gpu=3 type=8 data=79\n"  # it has fallen off the bus


@unittest.skipUnless(labeler.is_built(), "the gpu_labeler program or the fake NVML is not built")
class LabelerOnANode(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = server.Server("labeler")
        cls.addClassCleanup(cls.server.stop)
        assets, _ = cluster.find_assets(server_only=True)
        files = [part for name in RIGHTS for part in ("-f", DEPLOY / name)]
        subprocess.run([f"{assets}/kubectl", "--kubeconfig", cls.server.kubeconfig, "-n", "gpu-labeler", "apply", *files], check=True,
                       stdout=subprocess.DEVNULL)
        cls.must("POST", "/api/v1/namespaces/gpu-labeler/serviceaccounts", {"metadata": {"name": "nobody"}})
        cls.tokens = {name: cls.must("POST", f"/api/v1/namespaces/gpu-labeler/serviceaccounts/{name}/token",
                                     {"spec": {"expirationSeconds": 3600}})["status"]["token"]
                      for name in ("gpu-labeler", "nobody")}

    @classmethod
    def must(cls, method, path, body=None, content_type="application/json"):
        code, answer = cls.server.ask(method, path, body and json.dumps(body), content_type)
        if code not in (200, 201):
            raise AssertionError(f"{method} {path}: {code} {answer}")
        return answer

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="kcontrol-labeler-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.inventory = self.folder / "inventory.txt"
        self.use("a100-x8")
        self.node = self.id().rsplit(".", 1)[1].replace("_", "-").replace("test-", "n-", 1)[:60].rstrip("-")
        self.must("POST", "/api/v1/nodes", {"metadata": {"name": self.node, "labels": {"zone": "a"}}})
        self.addCleanup(self.server.ask, "DELETE", f"/api/v1/nodes/{self.node}")

    def use(self, inventory, more=""):
        """The hardware is another from now on; other GPUs only come with a (re)load of the driver."""
        fresh = self.folder / "fresh"
        fresh.write_text((labeler.FAKE / "inventories" / f"{inventory}.txt").read_text() + more)
        fresh.rename(self.inventory)

    def kubeconfig(self, account="gpu-labeler", url=None):
        file = self.folder / f"{account}.kubeconfig"
        file.write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "c",
            "clusters": [{"name": "c", "cluster": {"server": url or self.server.url, "certificate-authority":
                                                   str(self.server.work / "ca.crt")}}],
            "users": [{"name": "u", "user": {"token": self.tokens[account]}}],
            "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u", "namespace": "gpu-labeler"}}]}))
        return file

    def once(self, *flags, account="gpu-labeler"):
        return labeler.run(self.inventory, "--once", "--kubeconfig", self.kubeconfig(account), *flags,
                           NODE_NAME=self.node)

    def start(self, *flags, url=None):
        started = labeler.Labeler(self.inventory, self.folder / "log", "--kubeconfig", self.kubeconfig(url=url),
                                  "--node-name", self.node, *flags)
        self.addCleanup(started.stop)
        return started

    def metadata(self):
        return self.must("GET", f"/api/v1/nodes/{self.node}")["metadata"]

    def ours(self):
        """The labels but for the node's own."""
        labels = self.metadata()["labels"]
        self.assertEqual(labels.pop("zone"), "a")
        return labels

    def until_labels(self, wanted):
        wait.until(lambda: f"the labels are {self.ours()}, and should be {wanted}", lambda: self.ours() == wanted)

    def test_one_pass_and_a_second_that_has_nothing_to_write(self):
        done = self.once()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.ours(), labeler.golden("a100-x8"))
        before = self.metadata()
        managers = {(m["manager"], m["operation"]) for m in before["managedFields"]}
        self.assertIn(("kcontrol-gpu-labeler", "Apply"), managers)
        done = self.once()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("the labels are there already", done.stderr)
        self.assertEqual(self.metadata(), before)

    def test_stale_labels_go_and_those_of_others_stay(self):
        self.use("a100-mig-mixed")
        self.assertEqual(self.once("--mig-strategy", "mixed").returncode, 0)
        mixed = labeler.golden("a100-mig-mixed", "mixed")
        self.assertEqual(self.ours(), mixed)
        self.must("PATCH", f"/api/v1/nodes/{self.node}", {"metadata": {"labels": {"nvidia.com/gpu.deploy.dcgm": "true"}}},
                  "application/merge-patch+json")
        self.use("t4")
        self.assertEqual(self.once().returncode, 0)
        self.assertEqual(self.ours(), {**labeler.golden("t4"), "nvidia.com/gpu.deploy.dcgm": "true"})
        done = labeler.run(self.inventory, "--cleanup", "--kubeconfig", self.kubeconfig(), "--node-name", self.node)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.ours(), {"nvidia.com/gpu.deploy.dcgm": "true"})
        before = self.metadata()["resourceVersion"]
        self.assertEqual(labeler.run(self.inventory, "--cleanup", "--kubeconfig", self.kubeconfig(), "--node-name",
                                     self.node).returncode, 0)
        self.assertEqual(self.metadata()["resourceVersion"], before)

    def test_labels_of_gpu_feature_discovery_are_taken_over(self):
        self.must("PATCH", f"/api/v1/nodes/{self.node}?fieldManager=nfd-master",
                  {"metadata": {"labels": {"nvidia.com/gpu.count": "3"}}}, "application/merge-patch+json")
        self.assertEqual(self.once().returncode, 0)
        self.assertEqual(self.ours(), labeler.golden("a100-x8"))

    def test_an_idle_labeler_writes_nothing(self):
        running = self.start("--schedule", "@every 1s")
        self.until_labels(labeler.golden("a100-x8"))
        before = self.metadata()["resourceVersion"]
        wait.until("the GPUs are not read", lambda: running.metric("gpu_labeler_reads_total") >= 4)
        self.assertEqual(self.metadata()["resourceVersion"], before)
        self.assertEqual(running.metric("gpu_labeler_writes_total"), 1)
        self.assertEqual(running.metric("gpu_labeler_looks_total"), 1)
        self.assertEqual(running.metric("gpu_labeler_write_failures_total"), 0)
        self.assertEqual(running.stop()[0], 0)

    def test_it_is_small(self):
        running = self.start("--schedule", "@every 1s", "--sample-interval", "1s")
        self.until_labels(labeler.golden("a100-x8"))
        wait.until("the GPUs are not read", lambda: running.metric("gpu_labeler_reads_total") >= 4)
        process = pathlib.Path(f"/proc/{running.process.pid}")
        libraries = (process / "maps").read_text()
        if "san.so" in libraries:
            self.skipTest("a sanitized build")
        memory = {name: int(re.search(rf"{name}:\s+(\d+) kB", (process / "status").read_text())[1])
                  for name in ("VmRSS", "RssAnon")}
        self.assertLess(memory["RssAnon"], 3 * 1024)
        if "libcrypto" not in libraries:   # linked from archives, as it is handed out
            self.assertLess(memory["VmRSS"], 13 * 1024)

    def test_a_lost_gpu_and_its_return(self):
        running = self.start("--schedule", "@every 1s")
        whole = labeler.golden("a100-x8")
        self.until_labels(whole)
        self.use("a100-x8", LOST)
        self.until_labels({**whole, "nvidia.com/gpu.count": "7"})
        self.assertEqual(running.wait_for("a GPU does not answer")["index"], 3)
        self.assertEqual(running.metric("gpu_labeler_writes_total"), 2)

    def test_an_event_does_not_wait_for_the_schedule(self):
        running = self.start("--schedule", "@yearly")
        whole = labeler.golden("a100-x8")
        self.until_labels(whole)
        self.use("a100-x8", LOST + XID_79)
        self.until_labels({**whole, "nvidia.com/gpu.count": "7"})
        told = running.wait_for("GPU event")
        self.assertEqual((told["xid"], told["gpu"]), (79, "GPU-a1000003-0000-4000-8000-000000000000"))

    def test_the_topology_is_an_annotation(self):
        self.use("h100-x8")
        self.assertEqual(self.once().returncode, 0)
        told = json.loads(self.metadata()["annotations"]["kcontrol.dev/gpu-topology"])
        self.assertEqual(len(told["gpus"]), 8)
        self.assertEqual(told["nvlinks"][0][1], 18)
        before = self.metadata()
        self.assertEqual(self.once().returncode, 0)
        self.assertEqual(self.metadata(), before)
        self.assertEqual(labeler.run(self.inventory, "--cleanup", "--kubeconfig", self.kubeconfig(), "--node-name",
                                     self.node).returncode, 0)
        self.assertNotIn("kcontrol.dev/gpu-topology", self.metadata().get("annotations", {}))

    def test_a_topology_that_hangs_costs_no_label(self):
        self.use("a100-x8", "fault call=nvmlDeviceGetNvLinkState hang_ms=600000\n")
        done = self.once("--nvml-timeout", "300ms")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.ours(), labeler.golden("a100-x8"))
        self.assertNotIn("kcontrol.dev/gpu-topology", self.metadata().get("annotations", {}))

    def test_a_reload_of_the_driver_leaves_the_labels(self):
        running = self.start("--schedule", "@every 1s")
        whole = labeler.golden("a100-x8")
        self.until_labels(whole)
        before = self.metadata()["resourceVersion"]
        self.use("a100-x8", RELOAD)
        told = running.wait_for("the GPUs can't be read")
        self.assertEqual(told["level"], "error")
        code, text = running.get("/readyz?verbose")
        self.assertEqual(code, 500)
        self.assertIn("[-]gpus failed", text)
        self.assertEqual(running.get("/healthz")[0], 200)
        self.use("a100-x8")
        running.wait_for("the GPUs can be read again")
        wait.until("it is not ready again", lambda: running.get("/readyz")[0] == 200)
        self.assertEqual(self.metadata()["resourceVersion"], before)
        self.use("h100-x8", RELOAD)
        wait.until("nothing fails", lambda: running.get("/readyz")[0] == 500)
        self.use("h100-x8")
        self.until_labels(labeler.golden("h100-x8"))

    def test_a_driver_that_does_not_come_back(self):
        running = self.start("--schedule", "@every 1s", "--keep-labels", "2s")
        self.until_labels(labeler.golden("a100-x8"))
        self.use("a100-x8", RELOAD)
        self.until_labels({})
        wait.until("what is known is said, so it is ready", lambda: running.get("/readyz")[0] == 200)
        self.assertIsNone(running.process.poll())

    def test_a_hung_driver_delays_nothing(self):
        running = self.start("--schedule", "@every 1s", "--nvml-timeout", "300ms")
        self.until_labels(labeler.golden("a100-x8"))
        self.use("a100-x8", "fault call=nvmlDeviceGetName hang_ms=600000\n")
        running.wait_for("the GPUs can't be read")
        self.assertEqual(running.get("/healthz")[0], 200)
        self.assertGreaterEqual(running.metric("gpu_labeler_hanging_threads"), 1)
        status, seconds = running.stop()
        self.assertEqual(status, 0)
        self.assertLess(seconds, 1)  # measures: "It ends within a second of SIGTERM"

    def test_stop_in_the_midst_of_a_hanging_call(self):
        self.use("a100-x8", "fault call=nvmlDeviceGetName hang_ms=600000\n")
        running = self.start("--nvml-timeout", "10m")
        status, seconds = running.stop()
        self.assertEqual(status, 0)
        self.assertLess(seconds, 1)  # measures: "It ends within a second of SIGTERM"

    def test_a_node_that_does_not_exist_is_not_made(self):
        for config, account in ((self.server.kubeconfig, "admin"), (self.kubeconfig(), "gpu-labeler")):
            for mode in ("--once", "--cleanup"):
                with self.subTest(account=account, mode=mode):
                    done = labeler.run(self.inventory, mode, "--kubeconfig", config, "--node-name", "nowhere")
                    self.assertEqual(done.returncode, 1)
                    self.assertIn("is --node-name (or NODE_NAME) right?", done.stderr)
                    self.assertEqual(self.server.ask("GET", "/api/v1/nodes/nowhere")[0], 404)

    def test_a_node_that_is_deleted_meanwhile_is_not_made(self):
        running = labeler.Labeler(self.inventory, self.folder / "log", "--kubeconfig", self.server.kubeconfig,
                                  "--node-name", self.node, "--schedule", "@every 1s")
        self.addCleanup(running.stop)
        self.until_labels(labeler.golden("a100-x8"))
        self.must("DELETE", f"/api/v1/nodes/{self.node}")
        self.use("a100-x8", LOST)
        running.wait_for("the labels can't be written")
        self.assertEqual(self.server.ask("GET", f"/api/v1/nodes/{self.node}")[0], 404)
        self.must("POST", "/api/v1/nodes", {"metadata": {"name": self.node, "labels": {"zone": "a"}}})
        self.until_labels({**labeler.golden("a100-x8"), "nvidia.com/gpu.count": "7"})

    def test_a_label_that_the_server_refuses_costs_no_other(self):
        policy = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolic"

        def in_force():
            body = json.dumps({"metadata": {"labels": {"nvidia.com/gpu.family": "x"}}})
            return self.server.ask("PATCH", f"/api/v1/nodes/{self.node}?dryRun=All", body, "application/merge-patch+json")[0] == 422

        self.addCleanup(wait.until, "the policy is still in force", lambda: not in_force(), 30)  # after those below
        self.must("POST", policy + "ies", {"metadata": {"name": "no-families"}, "spec": {
            "matchConstraints": {"resourceRules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["UPDATE"],
                                                    "resources": ["nodes"]}]},
            "validations": [{"expression": "object.metadata.?labels.orValue({}).all(k, k != 'nvidia.com/gpu.family')",
                             "message": "no families here"}]}})
        self.addCleanup(self.server.ask, "DELETE", policy + "ies/no-families")
        self.must("POST", policy + "ybindings", {"metadata": {"name": "no-families"}, "spec": {
            "policyName": "no-families", "validationActions": ["Deny"]}})
        self.addCleanup(self.server.ask, "DELETE", policy + "ybindings/no-families")
        wait.until("the policy is not in force", in_force)
        wanted = labeler.golden("a100-x8")
        family = wanted.pop("nvidia.com/gpu.family")
        running = self.start("--schedule", "@every 1s")
        self.until_labels(wanted)
        told = running.wait_for("a label is refused, and left out; the others are written")
        self.assertEqual((told["level"], told["name"], told["value"]), ("error", "nvidia.com/gpu.family", f'"{family}"'))
        self.assertIn("no families here", told["error"])
        self.assertEqual(running.metric("gpu_labeler_labels_refused"), 1)
        writes, reads = running.metric("gpu_labeler_writes_total"), running.metric("gpu_labeler_reads_total")
        wait.until("it reads no more", lambda: running.metric("gpu_labeler_reads_total") > reads + 3)
        self.assertEqual(running.metric("gpu_labeler_writes_total"), writes)
        self.assertEqual(running.metric("gpu_labeler_looks_total"), 1)
        self.assertEqual(running.get("/readyz")[0], 200)
        self.use("a100-x8", LOST)
        self.until_labels({**wanted, "nvidia.com/gpu.count": "7"})
        self.assertEqual(sum("refused" in r["message"] for r in running.records()), 1)

    def test_without_the_right(self):
        done = self.once(account="nobody")
        self.assertEqual(done.returncode, 1)
        self.assertIn("this program needs the right to patch nodes", done.stderr)
        self.assertNotIn(self.tokens["nobody"], done.stderr)

    def test_an_api_server_that_goes_and_comes(self):
        relay = proxy.Proxy(self.server.url)
        self.addCleanup(relay.cut)
        relay.cut()
        running = self.start("--schedule", "@every 1s", url=relay.url)
        self.assertIn("127.0.0.1", running.wait_for("the labels can't be written")["error"])
        self.assertEqual(running.get("/readyz")[0], 500)
        relay.join()
        self.until_labels(labeler.golden("a100-x8"))
        wait.until("it is not ready", lambda: running.get("/readyz")[0] == 200)
        relay.cut()
        self.use("a100-x8", LOST)
        wait.until("no write fails", lambda: running.get("/readyz")[0] == 500)
        relay.join()
        self.until_labels({**labeler.golden("a100-x8"), "nvidia.com/gpu.count": "7"})

    def test_node_feature(self):
        flags = ("--output", "nodefeature", "--schedule", "@every 1s")
        done = self.once(*flags)
        self.assertEqual(done.returncode, 1)
        self.assertIn("is Node Feature Discovery installed", done.stderr)
        self.server.install_crd(json.dumps(FEATURE_CRD), "application/json")
        self.addCleanup(self.server.remove_crd, "nodefeatures.nfd.k8s-sigs.io")
        self.assertEqual(self.once(*flags).returncode, 0)
        path = f"{FEATURES}/kcontrol-gpu-labeler-{self.node}"
        made = self.must("GET", path)
        self.assertEqual(made["spec"]["labels"], labeler.golden("a100-x8"))
        self.assertEqual(made["metadata"]["labels"], {"nfd.node.kubernetes.io/node-name": self.node})
        self.assertEqual(self.once(*flags).returncode, 0)
        self.assertEqual(self.must("GET", path), made)
        self.use("t4")
        self.assertEqual(self.once(*flags).returncode, 0)
        self.assertEqual(self.must("GET", path)["spec"]["labels"], labeler.golden("t4"))
        self.assertEqual(self.ours(), {})
        for _ in range(2):
            done = labeler.run(self.inventory, "--cleanup", *flags, "--kubeconfig", self.kubeconfig(),
                               "--node-name", self.node)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(self.server.ask("GET", path)[0], 404)


@unittest.skipUnless(labeler.is_built(), "the gpu_labeler program or the fake NVML is not built")
class LabelerWithoutAServer(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="kcontrol-labeler-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.inventory = labeler.FAKE / "inventories" / "a100-x8.txt"

    def test_features_file(self):
        file = self.folder / "gfd"
        flags = ("--output", "features.d", "--features-file", file)
        self.assertEqual(labeler.run(self.inventory, "--once", *flags).returncode, 0)
        self.assertEqual(file.read_text(), (labeler.FAKE / "labels" / "a100-x8.none.txt").read_text())
        before = file.stat()
        self.assertEqual(labeler.run(self.inventory, "--once", *flags).returncode, 0)
        self.assertEqual(file.stat().st_ino, before.st_ino)
        self.assertEqual(labeler.run(self.inventory, "--cleanup", *flags).returncode, 0)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_what_is_served(self):
        running = labeler.Labeler(self.inventory, self.folder / "log", "--output", "none", "--node-name", "n")
        self.addCleanup(running.stop)
        wait.until("no sample comes", lambda: len(json.loads(running.get("/api/v1/gpus")[1])["items"]) == 8)
        wait.until("it is not ready", lambda: running.get("/readyz")[0] == 200)
        self.assertEqual(running.get("/readyz?verbose")[1], "[+]gpus ok\n[+]labels ok\nreadyz check passed\n")
        self.assertEqual(running.get("/healthz"), (200, "ok"))
        self.assertEqual(running.get("/nothing")[0], 404)
        self.assertEqual(running.metric("gpu_labeler_gpus"), 8)
        self.assertIn('hostname="n"', running.get("/metrics")[1])
        self.assertGreater(running.metric("DCGM_FI_DEV_POWER_USAGE"), 0)
        self.assertIn("<html", running.get("/")[1])
        status, seconds = running.stop()
        self.assertEqual(status, 0)
        self.assertLess(seconds, 1)  # measures: "It ends within a second of SIGTERM"
        for record in running.records():
            self.assertLessEqual({"time", "level", "message"}, set(record))
        self.assertEqual(running.records()[-1]["message"], "stopped")

    def test_configuration_file(self):
        config = self.folder / "config.yaml"
        file = self.folder / "gfd"
        config.write_text(f"version: v1\nflags: {{migStrategy: single, plugin: {{}}}}\noutput: features.d\n"
                          f"featuresFile: {file}\nsharing:\n  timeSlicing:\n    resources:\n"
                          "    - {name: nvidia.com/gpu, replicas: 4}\n")
        done = labeler.run(self.inventory, "--once", "--config", config)
        self.assertEqual(done.returncode, 0, done.stderr)
        labels = dict(line.split("=", 1) for line in file.read_text().splitlines())
        self.assertEqual(labels["nvidia.com/gpu.replicas"], "4")
        self.assertEqual(labels["nvidia.com/gpu.sharing-strategy"], "time-slicing")
        self.assertEqual(labels["nvidia.com/mig.strategy"], "single")
        done = labeler.run(self.inventory, "--once", "--config", config, "--mig-strategy", "none", "--log-format", "text")
        self.assertNotIn("nvidia.com/mig.strategy", file.read_text())
        self.assertNotIn("{", done.stderr)

    def test_sighup_reads_the_file_again(self):
        config, file = self.folder / "config.yaml", self.folder / "gfd"
        def write(text):
            config.write_text(f"output: features.d\nfeaturesFile: {file}\n{text}")
        def labels():
            return dict(line.split("=", 1) for line in file.read_text().splitlines()) if file.exists() else {}
        write("")
        running = labeler.Labeler(self.inventory, self.folder / "log", "--config", config, "--schedule", "@yearly")
        self.addCleanup(running.stop)
        wait.until("no labels come", lambda: labels() == labeler.golden("a100-x8"))
        write("migStrategy: mixed\nsharing: {mps: {resources: [{name: nvidia.com/gpu, replicas: 2}]}}\nnvmlTimeout: 1s\n")
        running.process.send_signal(signal.SIGHUP)
        told = running.wait_for("settings read again")
        self.assertEqual((told["changed"], told["after a restart"]), ("--mig-strategy, sharing", "--nvml-timeout"))
        wait.until("the labels stay", lambda: labels().get("nvidia.com/mig.strategy") == "mixed")
        self.assertEqual(labels()["nvidia.com/gpu.replicas"], "2")
        before = labels()
        write("migStrategy: all\n")
        running.process.send_signal(signal.SIGHUP)
        told = running.wait_for("the settings can't be read again; those before hold on")
        self.assertEqual(told["level"], "error")
        self.assertIn(f"--config {config}: migStrategy: \"all\" is not a strategy", told["error"])
        self.assertEqual(running.get("/healthz")[0], 200)
        self.assertEqual(labels(), before)
        write("logLevel: error\n")
        running.process.send_signal(signal.SIGHUP)
        wait.until("the labels are not as they were", lambda: labels() == labeler.golden("a100-x8"))
        self.assertEqual(running.stop()[0], 0)
        self.assertNotEqual(running.records()[-1]["message"], "stopped")  # which is no error

    def test_sighup_without_a_file_is_the_end(self):
        running = labeler.Labeler(self.inventory, self.folder / "log", "--output", "none", "--node-name", "n")
        running.process.send_signal(signal.SIGHUP)
        self.assertEqual(running.process.wait(60), -signal.SIGHUP)

    def test_on_loopback_another_host_is_refused(self):
        running = labeler.Labeler(self.inventory, self.folder / "log", "--output", "none", "--node-name", "n")
        self.addCleanup(running.stop)
        for host, code in (("evil.example", 403), ("localhost", 200)):
            request = urllib.request.Request(running.url + "/api/v1/gpus", headers={"Host": host})
            try:
                with urllib.request.urlopen(request, timeout=60) as answer:
                    self.assertEqual(answer.status, code)
            except urllib.error.HTTPError as answer:
                self.assertEqual(answer.code, code)

    def test_usage(self):
        config = self.folder / "config.yaml"
        config.write_text("migStrategy: all\n")
        for flags, named in ((["--once", "--cleanup"], "exclude each other"), ([], "NODE_NAME"),
                             (["--node-name", "A B"], "--node-name"), (["--output", "disk"], "features.d"),
                             (["--schedule", "61 * * * *"], "--schedule"), (["--listen", "x"], "--listen"),
                             (["--log-level", "loud"], "--log-level"), (["--config", config], "migStrategy"),
                             (["--config", self.folder / "none.yaml"], "none.yaml"),
                             (["--sample-interval", "0s"], "--sample-interval")):
            with self.subTest(flags=flags):
                done = labeler.run(self.inventory, *flags)
                self.assertEqual((done.stdout, done.returncode), ("", 2), done.stderr)
                self.assertIn(named, done.stderr)
