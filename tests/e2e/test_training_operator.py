"""The training operator on a real cluster: scheduler and garbage collector are Kubernetes' own, kubelets are kwok's.

KCONTROL_TRAINING_OPERATOR is the program. Run alone: run.py test_training_operator
"""
import json
import pathlib
import subprocess
import time

import cluster
import wait
from training import ACCOUNT, OperatorTest, training_job


class TrainingOperatorTest(OperatorTest):
    def test_a_job_that_ends_well(self):
        name = self.apply(training_job("well", run_ms=10000))
        self.until_phase(name, "Running")
        pods = {p["metadata"]["name"]: p for p in self.pods(name)}
        self.assertEqual(set(pods), {"well-0", "well-1"})
        env = {e["name"]: e["value"] for e in pods["well-1"]["spec"]["containers"][0]["env"]}
        self.assertEqual((env["RANK"], env["WORLD_SIZE"], env["MASTER_ADDR"]), ("1", "2", "well-0.well"))
        self.assertEqual(self.real.get("service")["items"][-1]["spec"]["clusterIP"], "None")
        row = self.real.kubectl("get", "tj", name).splitlines()[-1].split()
        self.assertEqual(row[:4], ["well", "Running", "2/2", "1"])
        self.until_phase(name, "Succeeded")
        self.real.kubectl("wait", "--for=condition=Complete", f"tj/{name}", "--timeout=60s")
        reasons = lambda: {e["reason"] for e in self.real.get("events")["items"]
                           if e["involvedObject"].get("name") == name and e["involvedObject"]["kind"] == "TrainingJob"}
        wait.until(lambda: f"Events are missing: {reasons()}",
                   lambda: reasons() == {"Accepted", "Starting", "Running", "Succeeded"})
        self.real.delete("trainingjob", name)
        self.until_gone(name)
        wait.until("the service stays", lambda: not self.real.kubectl("get", "service", name, "--ignore-not-found"), 60)

    def until_collected(self, api_version, kind, resource, spec):
        """Until the garbage collector knows the kind: it looks for new ones every half minute, and may miss a turn."""
        self.real.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "owner", "namespace": "default"}})
        uid = self.real.kubectl("get", "configmap", "owner", "-o", "jsonpath={.metadata.uid}")
        owner = {"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": uid}
        self.real.apply({"apiVersion": api_version, "kind": kind, "spec": spec,
                         "metadata": {"name": "owned", "namespace": "default", "ownerReferences": [owner]}})
        self.real.delete("configmap", "owner")
        wait.until(f"the garbage collector does not know {resource}",
                   lambda: not self.real.kubectl("get", resource, "owned", "--ignore-not-found"), 180)

    def test_a_pod_group(self):
        self.until_collected("scheduling.x-k8s.io/v1alpha1", "PodGroup", "podgroups", {"minMember": 1})
        name = self.apply(training_job("grouped", run_ms=600000))
        self.until_phase(name, "Running")
        groups = lambda: self.real.get("podgroups", "-l", f"ai.kcontrol.dev/job={name}")["items"]
        self.assertEqual([g["spec"] for g in groups()], [{"minMember": 2}])
        labels = {p["metadata"]["labels"].get("scheduling.x-k8s.io/pod-group") for p in self.pods(name)}
        self.assertEqual(labels, {groups()[0]["metadata"]["name"]})
        self.real.merge("trainingjob", name, {"spec": {"workers": 3}})
        wait.until(lambda: f"not resized: {self.status(name)}", lambda: self.status(name).get("ready") == "3/3", 60)
        wait.until(lambda: f"groups: {groups()}", lambda: [g["spec"] for g in groups()] == [{"minMember": 3}])
        self.real.delete("trainingjob", name)
        self.until_gone(name)
        wait.until("the group stays", lambda: not groups(), 60)

    def test_spans(self):
        name = self.apply(training_job("traced"))
        self.until_phase(name, "Succeeded")
        names = lambda span: {a["key"]: next(iter(a["value"].values())) for a in span["attributes"]}
        def is_traced():
            reconciles = {s["spanId"]: s for s in self.data.spans if s["name"] == "reconcile"}
            created = [s for s in self.data.spans if s["name"] == "request" and names(s)["http.request.method"] == "POST"
                       and names(s)["url.path"].endswith("/pods")]
            return any(s.get("parentSpanId") in reconciles
                       and reconciles[s["parentSpanId"]]["traceId"] == s["traceId"] for s in created)
        wait.until(lambda: f"{len(self.data.spans)} spans, none of a pod's creation under a reconcile", is_traced)
        self.assertEqual(self.data.resources[0]["service.name"], {"stringValue": "training_operator"})
        self.assertNotIn("Authorization", json.dumps(self.data.spans))

    def test_exit_1_fails_it(self):
        name = self.apply(training_job("bad", exit_code=1, ttlSecondsAfterFinished=5))
        self.until_phase(name, "Failed")
        self.assertRegex(self.told(name, "Failed"), r"^rank [01] exited with code 1")
        self.assertEqual(self.status(name)["attempt"], 1)
        self.until_gone(name)

    def test_exit_137_restarts_it(self):
        job = training_job("killed", run_ms=6000, exit_code=137)
        saved = {"checkpoint": {"step": 120, "uri": "s3://bucket/120", "sha256": "a" * 64}}
        job["spec"]["template"]["metadata"]["annotations"]["ai.kcontrol.dev/progress"] = json.dumps(saved)
        name = self.apply(job)
        wait.until(lambda: f"no second attempt: {self.status(name)}",
                   lambda: len(self.pods(name)) == 2 and self.status(name).get("attempt") == 2
                   and all(p["metadata"]["labels"]["ai.kcontrol.dev/attempt"] == "2" for p in self.pods(name)), 60)
        env = {e["name"]: e["value"] for e in self.pods(name)[1]["spec"]["containers"][0]["env"]}
        self.assertEqual((env["RESUME_FROM"], env["RESUME_STEP"], env["RESUME_SHA256"]),
                         ("s3://bucket/120", "121", "a" * 64))
        annotations = {"metadata": {"annotations": {"sim/exit-code": "0", "sim/run-ms": "1000"}}}
        self.real.merge("trainingjob", name, {"spec": {"template": annotations}})
        self.until_phase(name, "Succeeded")
        self.assertIn(self.status(name)["attempt"], (2, 3))

    def test_the_version_of_the_data(self):
        url = self.data.version("/bert", "7")
        name = self.apply(training_job("pinned", run_ms=600000, dataset={"versionURL": url}))
        self.until_phase(name, "Running")
        self.assertEqual(self.status(name)["datasetVersion"], "7")
        env = {e["name"]: e["value"] for e in self.pods(name)[0]["spec"]["containers"][0]["env"]}
        self.assertEqual(env["DATASET_VERSION"], "7")
        other = self.apply(training_job("waiting", dataset={"versionURL": url, "expectedVersion": "8"}))
        wait.until(lambda: f"no mismatch: {self.status(other)}", lambda: self.told(other, "DataReady") ==
                   "version 8 is expected, and the dataset has version 7")
        self.assertEqual((self.status(other)["phase"], self.pods(other)), ("DataCheck", []))
        self.data.version("/bert", "8")
        self.until_phase(other, "Succeeded", 90)
        wait.until(lambda: f"no change: {self.status(name)}", lambda: self.told(name, "DataReady") ==
                   "version 7 is used; the dataset has version 8 by now")
        self.assertEqual((self.status(name)["phase"], self.status(name)["datasetVersion"]), ("Running", "7"))
        self.real.delete("trainingjob", name)
        self.until_gone(name)

    def test_data_that_cannot_be_checked(self):
        self.data.answers["/away"] = (302, {"Location": "http://169.254.169.254/latest"}, b"")
        self.data.answers["/large"] = (200, {"Content-Type": "application/json"}, 1 << 30)
        self.data.answers["/page"] = (200, {"Content-Type": "text/html"}, b"<html></html>")
        rows = {"hangs": (self.data.url + "/hang", "no answer came in time"),
                "away": (self.data.url + "/away", "to http://169.254.169.254 is not followed"),
                "large": (self.data.url + "/large", "the body exceeds 65536 bytes"),
                "page": (self.data.url + "/page", "is no JSON"),
                "private": ("http://10.1.2.3/version", "the address 10.1.2.3 of"),
                "mapped": ("http://[::ffff:10.1.2.3]/version", "is not allowed here"),
                "metadata": ("http://169.254.169.254/latest", "is not allowed here")}
        for name, (url, _) in rows.items():
            self.apply(training_job(name, dataset={"versionURL": url}))
        for name, (_, words) in rows.items():
            wait.until(lambda: f"{name}: {self.status(name)}", lambda: words in self.told(name, "DataReady"))
            self.assertEqual((self.status(name)["phase"], self.pods(name)), ("DataCheck", []))
        resident = pathlib.Path(f"/proc/{self.process.pid}/status").read_text().split("VmHWM:")[1].split()[0]
        self.assertLess(int(resident), 200 << 10)
        for name in rows:
            self.real.delete("trainingjob", name)
            self.until_gone(name)

    def test_gates(self):
        def gate(name, accuracy, run_ms=1000):
            told = json.dumps({"metrics": {"accuracy": accuracy}})
            annotations = {"sim/run-ms": str(run_ms), "ai.kcontrol.dev/progress": told}
            return {"name": name, "metric": "accuracy", "op": ">=", "threshold": "0.85",
                    "template": {"metadata": {"annotations": annotations},
                                 "spec": {"containers": [{"name": "eval", "image": "example.com/eval:1"}]}}}

        green = self.apply(training_job("green", modelCard={"license": "mit", "tags": ["nlp"]}, gates=[gate("smoke", 0.9), gate("eval", 0.86)]))
        red = self.apply(training_job("red", gates=[gate("smoke", 0.8), gate("eval", 0.9)]))
        self.until_phase(green, "Succeeded")
        self.assertEqual([(g["name"], g["result"], g["value"]) for g in self.status(green)["gates"]],
                         [("smoke", "Passed", "0.9"), ("eval", "Passed", "0.86")])
        wait.until(lambda: "the card is not immutable",
                   lambda: self.real.get("configmap", "green-modelcard").get("immutable"))
        card = self.real.get("configmap", "green-modelcard")["data"]["README.md"]
        self.assertTrue(card.startswith("---\nlicense: mit\nmodel-index:\n"), card)
        self.assertIn("| gate eval | Passed: accuracy is 0.86, and must be >= 0.85 |", card)
        self.until_phase(red, "ValidationFailed")
        self.assertEqual(self.told(red, "Failed"), "gate smoke: accuracy is 0.8, and must be >= 0.85")
        jobs = [j["metadata"]["name"] for j in self.real.get("jobs")["items"]]
        self.assertIn("red-smoke", jobs)
        self.assertNotIn("red-eval", jobs)
        long = self.apply(training_job("held", gates=[gate("eval", 0.9, run_ms=600000)]))
        self.until_phase(long, "Validating")
        for name in (green, red, long):
            self.real.delete("trainingjob", name)
            self.until_gone(name)
        wait.until("Jobs of gates stay", lambda: not [
            j for j in self.real.get("jobs")["items"] if j["metadata"]["name"].split("-")[0] in (green, red, long)], 60)

    def test_promotion(self):
        self.real.kubectl("apply", "-f", cluster.ROOT / "tests" / "e2e" / "gateway" / "httproutes_v1.yaml")
        self.real.kubectl("wait", "--for=condition=Established", "crd/httproutes.gateway.networking.k8s.io",
                          "--timeout=60s")
        backends = [{"name": "bert-stable", "port": 80, "weight": 100}, {"name": "bert-canary", "port": 80, "weight": 0}]
        self.real.apply({"apiVersion": "gateway.networking.k8s.io/v1", "kind": "HTTPRoute",
                         "metadata": {"name": "bert", "namespace": "default"},
                         "spec": {"hostnames": ["bert.example"], "rules": [{"backendRefs": backends}]}})

        def weights():
            spec = self.real.get("httproute", "bert")["spec"]
            self.assertEqual(spec["hostnames"], ["bert.example"])
            return [b["weight"] for b in spec["rules"][0]["backendRefs"]]

        def promote(hold):
            return {"httpRoute": {"name": "bert", "stable": "bert-stable", "canary": "bert-canary"},
                    "steps": [10, 100], "holdSeconds": hold}

        aborted = self.apply(training_job("aborted", promote=promote(600)))
        wait.until(lambda: f"no step: {self.status(aborted)} {weights()}", lambda: weights() == [90, 10], 60)
        self.real.kubectl("annotate", "trainingjob", aborted, "ai.kcontrol.dev/abort=true")
        self.until_phase(aborted, "Failed")
        self.assertEqual(weights(), [100, 0])
        deleted = self.apply(training_job("deleted", promote=promote(600)))
        wait.until(lambda: f"no step: {self.status(deleted)} {weights()}", lambda: weights() == [90, 10], 60)
        self.real.delete("trainingjob", deleted)
        self.until_gone(deleted)
        self.assertEqual(weights(), [100, 0])
        name = self.apply(training_job("promoted", promote=promote(3)))
        self.until_phase(name, "Promoting")
        self.kill()
        self.start()
        self.until_phase(name, "Succeeded", 90)
        self.assertEqual((weights(), self.status(name)["promotion"]["step"]), ([0, 100], 2))
        for each in (aborted, name):
            self.real.delete("trainingjob", each)
            self.until_gone(each)

    def test_executors(self):
        """A Job by Kubernetes' own controller, and a PyTorchJob by Kubeflow's training operator itself."""
        containers = lambda pods: {p["spec"]["containers"][0]["name"] for p in pods}
        for executor, kind, container in (("batch-job", "jobs", "trainer"), ("pytorchjob", "pytorchjobs", "pytorch")):
            name = self.apply(training_job("by-" + executor, run_ms=6000, executor=executor, workers=3))
            self.until_phase(name, "Running")
            holder = self.real.get(kind, name)
            self.assertEqual(holder["metadata"]["labels"]["ai.kcontrol.dev/attempt"], "1")
            pods = self.pods(name)
            self.assertEqual((len(pods), containers(pods)), (3, {container}))
            ranks = set()
            for pod in pods:
                env = {e["name"]: e for e in pod["spec"]["containers"][0]["env"]}
                self.assertEqual((env["WORLD_SIZE"]["value"], env["WANDB_RUN_ID"]["value"]),
                                 ("3", self.job(name)["metadata"]["uid"]))
                ranks.add(env["RANK"].get("value") or
                          pod["metadata"]["labels"][env["RANK"]["valueFrom"]["fieldRef"]["fieldPath"].split("'")[1]])
            self.assertEqual(ranks, {"0", "1", "2"})
            self.until_phase(name, "Succeeded")
            self.assertEqual((self.status(name)["attempt"], self.status(name)["ready"]), (1, "3/3"))

            killed = self.apply(training_job("killed-" + executor, run_ms=2000, exit_code=137, executor=executor,
                                             backoffLimit=1))
            self.until_phase(killed, "Failed", 90)
            self.assertRegex(self.told(killed, "Failed"), r"^rank [01] exited with code 137; attempt 2 was the last")
            self.assertEqual(self.real.get(kind, killed)["metadata"]["labels"]["ai.kcontrol.dev/attempt"], "2")

            held = self.apply(training_job("held-" + executor, run_ms=600000, executor=executor))
            self.until_phase(held, "Running")
            self.real.merge("trainingjob", held, {"spec": {"suspend": True}})
            self.until_phase(held, "Suspended")
            wait.until(lambda: f"pods stay: {self.pods(held)}", lambda: not self.pods(held))
            self.assertEqual(self.real.kubectl("get", kind, held, "--ignore-not-found"), "")
            for each in (name, killed, held):
                self.real.delete("trainingjob", each)
                self.until_gone(each)
                wait.until(f"{kind} {each} stays", lambda: not self.real.kubectl(
                    "get", kind, each, "--ignore-not-found"), 60)

    def admit(self, name, executor):
        """Kueue's part."""
        if executor == "pods":
            for pod in self.pods(name):
                self.real.merge("pod", pod["metadata"]["name"], {"spec": {"schedulingGates": None}})
        elif executor == "batch-job":
            self.real.merge("job", name, {"spec": {"suspend": False}})
        else:
            self.real.merge("pytorchjob", name, {"spec": {"runPolicy": {"suspend": False}}})

    def test_queues(self):
        executors = ("pods", "batch-job", "pytorchjob")
        for executor in executors:
            job = training_job("queued-" + executor, run_ms=4000, executor=executor, startDeadlineSeconds=20)
            job["metadata"]["labels"] = {"kueue.x-k8s.io/queue-name": "team-a"}
            self.apply(job)
        for executor in executors:
            self.until_phase("queued-" + executor, "Queued")
        pods = self.pods("queued-pods")
        self.assertEqual(len({p["metadata"]["labels"]["kueue.x-k8s.io/pod-group-name"] for p in pods}), 1)
        self.assertEqual({p["metadata"]["annotations"]["kueue.x-k8s.io/pod-group-total-count"] for p in pods}, {"2"})
        for kind, name in (("job", "queued-batch-job"), ("pytorchjob", "queued-pytorchjob")):
            self.assertEqual(self.real.get(kind, name)["metadata"]["labels"]["kueue.x-k8s.io/queue-name"], "team-a")
            self.assertEqual(self.pods(name), [])
        for executor in executors:
            self.assertEqual(self.status("queued-" + executor)["phase"], "Queued")
            self.admit("queued-" + executor, executor)
        for executor in executors:
            self.until_phase("queued-" + executor, "Succeeded")
            self.real.delete("trainingjob", "queued-" + executor)
            self.until_gone("queued-" + executor)

    def test_a_lost_node_and_fewer_workers(self):
        second = {"apiVersion": "v1", "kind": "Node", "metadata": {
            "name": "gpu-node-1", "annotations": {"kwok.x-k8s.io/node": "fake"},
            "labels": {"kubernetes.io/hostname": "gpu-node-1"}}}
        second["status"] = {s: {"cpu": "64", "memory": "512Gi", "pods": "500"} for s in ("allocatable", "capacity")}
        self.real.apply(second)
        self.real.kubectl("wait", "--for=condition=Ready", "node/gpu-node-1", "--timeout=60s")
        job = training_job("spread", run_ms=600000, minWorkers=1)
        apart = {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"ai.kcontrol.dev/job": "spread"}}}
        job["spec"]["template"]["spec"]["affinity"] = {
            "podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [apart]}}
        name = self.apply(job)
        self.until_phase(name, "Running")
        self.assertEqual({p["spec"]["nodeName"] for p in self.pods(name)}, {"gpu-node-0", "gpu-node-1"})
        self.real.kubectl("annotate", "node", "gpu-node-1", "sim/lost=true")
        lost = [{**c, "status": "Unknown", "lastTransitionTime": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}
                if c["type"] == "Ready" else c for c in self.real.get("node", "gpu-node-1")["status"]["conditions"]]
        self.real.kubectl("patch", "node", "gpu-node-1", "--subresource=status", "--type=merge", "-p",
                          json.dumps({"status": {"conditions": lost}}))
        begun = time.monotonic()
        wait.until(lambda: f"no second attempt: {self.status(name)}", lambda: self.status(name).get("attempt") == 2
                   and self.status(name)["phase"] == "Running" and self.status(name)["ready"] == "1/1", 120)
        print(f"\nfrom a node that is not ready to all ranks of the next attempt: {time.monotonic() - begun:.1f} s")
        self.assertEqual([p["spec"]["nodeName"] for p in self.pods(name)], ["gpu-node-0"])
        self.assertIn("NodeLost", {e["reason"] for e in self.real.get("events")["items"]
                                   if e["involvedObject"].get("name") == name})
        self.real.delete("trainingjob", name)
        self.until_gone(name)
        self.real.kubectl("delete", "node", "gpu-node-1")

    def test_a_checkpoint_with_a_wrong_hash(self):
        self.data.answers["/120.pt.sha256"] = (200, {}, b"b" * 64 + b"  120.pt\n")
        self.data.answers["/140.pt.sha256"] = (200, {}, b"a" * 64 + b"  140.pt\n")
        for name, step, resumes in (("wrong", 120, False), ("right", 140, True)):
            job = training_job(name, run_ms=3000, exit_code=137, backoffLimit=1)
            saved = {"checkpoint": {"step": step, "uri": f"{self.data.url}/{step}.pt", "sha256": "a" * 64}}
            job["spec"]["template"]["metadata"]["annotations"]["ai.kcontrol.dev/progress"] = json.dumps(saved)
            self.apply(job)
            wait.until(lambda: f"no second attempt: {self.status(name)}",
                       lambda: self.status(name).get("attempt") == 2 and len(self.pods(name)) == 2 and
                       {p["metadata"]["labels"]["ai.kcontrol.dev/attempt"] for p in self.pods(name)} == {"2"}, 60)
            env = {e["name"]: e["value"] for e in self.pods(name)[0]["spec"]["containers"][0]["env"]}
            self.assertEqual(env.get("RESUME_STEP"), str(step + 1) if resumes else None)
            self.assertEqual(self.status(name)["checkpoints"][0].get("refused", False), not resumes)
            self.assertIn("it is refused" if not resumes else "has the hash that its server says",
                          self.told(name, "CheckpointGood"))
            self.real.delete("trainingjob", name)
            self.until_gone(name)

    def test_deadline(self):
        name = self.apply(training_job("late", run_ms=600000, activeDeadlineSeconds=4))
        self.until_phase(name, "Failed")
        self.assertIn("activeDeadlineSeconds have passed", self.told(name, "Failed"))
        wait.until(lambda: f"pods stay: {self.pods(name)}", lambda: not self.pods(name))
        self.real.delete("trainingjob", name)
        self.until_gone(name)

    def test_killed_in_each_phase(self):
        """One job in each phase in which one can stay, and one operator that is killed; then each goes on."""
        self.data.version("/each", "7")
        told = json.dumps({"metrics": {"accuracy": 0.9}})
        slow = {"metadata": {"annotations": {"sim/run-ms": "40000", "ai.kcontrol.dev/progress": told}},
                "spec": {"containers": [{"name": "eval", "image": "example.com/eval:1"}]}}
        gate = {"name": "eval", "metric": "accuracy", "op": ">=", "threshold": "0.85", "template": slow}
        jobs = {
            "DataCheck": training_job("k-data", dataset={"versionURL": self.data.url + "/each", "expectedVersion": "8"}),
            "Queued": training_job("k-queued"),
            "Starting": training_job("k-starting"),
            "Running": training_job("k-running", run_ms=40000),
            "Validating": training_job("k-validating", gates=[gate]),
            "Suspended": training_job("k-suspended", suspend=True),
            "Succeeded": training_job("k-succeeded"),
            "Failed": training_job("k-failed", exit_code=1),
        }
        jobs["Queued"]["metadata"]["labels"] = {"kueue.x-k8s.io/queue-name": "team-a"}
        jobs["Starting"]["spec"]["template"]["spec"]["nodeSelector"] = {"k-starting": "yes"}
        for phase, job in jobs.items():
            self.apply(job)
        names = {phase: job["metadata"]["name"] for phase, job in jobs.items()}
        for phase, name in names.items():
            self.until_phase(name, phase)
        uids = {n: {p["metadata"]["uid"] for p in self.pods(n)} for n in names.values()}
        self.kill()
        self.data.version("/each", "8")
        self.real.kubectl("label", "node", "gpu-node-0", "k-starting=yes")
        self.admit("k-queued", "pods")
        self.real.merge("trainingjob", "k-suspended", {"spec": {"suspend": False}})
        self.start()
        for phase, name in names.items():
            self.until_phase(name, "Failed" if phase == "Failed" else "Succeeded", 120)
            self.assertEqual(self.status(name)["attempt"], 1, name)
        for name in ("k-queued", "k-starting", "k-running", "k-succeeded", "k-failed"):  # no rank was made twice
            self.assertLessEqual({p["metadata"]["uid"] for p in self.pods(name)}, uids[name])
        for name in names.values():
            self.real.delete("trainingjob", name)
            self.until_gone(name)
        self.real.kubectl("label", "node", "gpu-node-0", "k-starting-")

    def test_no_gpu_no_ranks(self):
        name = self.apply(training_job("greedy", startDeadlineSeconds=5,
                                       accelerator={"resource": "example.com/gpu", "perWorker": 8}))
        wait.until(lambda: f"no missed start: {self.status(name)}",
                   lambda: "Insufficient example.com/gpu" in self.told(name), 60)
        self.assertIn("not all ranks ran within 5 s: rank 0 waits: Unschedulable", self.told(name))
        self.assertEqual(self.status(name)["attempt"], 1)
        self.real.merge("trainingjob", name, {"spec": {"suspend": True}})
        self.until_phase(name, "Suspended")
        wait.until(lambda: f"pods stay: {self.pods(name)}", lambda: not self.pods(name))
        self.real.delete("trainingjob", name)
        self.until_gone(name)

    def test_scale_suspend_and_delete(self):
        name = self.apply(training_job("long", run_ms=600000))
        self.until_phase(name, "Running")
        self.real.kubectl("scale", "trainingjob", name, "--replicas=3")
        wait.until(lambda: f"not of three ranks: {self.status(name)}",
                   lambda: self.status(name).get("ready") == "3/3", 60)
        self.assertEqual(self.status(name)["attempt"], 1)
        self.real.merge("trainingjob", name, {"spec": {"suspend": True}})
        self.until_phase(name, "Suspended")
        wait.until(lambda: f"pods stay: {self.pods(name)}", lambda: not self.pods(name))
        self.real.merge("trainingjob", name, {"spec": {"suspend": False}})
        self.until_phase(name, "Running")
        self.real.delete("trainingjob", name)
        self.until_gone(name)

    def test_killed_while_it_works(self):
        name = self.apply(training_job("orphan", run_ms=8000))
        self.until_phase(name, "Running")
        self.kill()
        other = self.apply(training_job("waits", run_ms=1000))
        self.start()
        self.until_phase(name, "Succeeded", 90)  # the Lease of the killed one runs out first
        self.until_phase(other, "Succeeded")
        self.assertEqual(self.status(name)["attempt"], 1)

    def test_what_is_refused(self):
        def refusal(job):
            with self.assertRaises(RuntimeError) as caught:
                self.real.apply(job)
            return str(caught.exception)

        always = training_job("a")
        always["spec"]["template"]["spec"]["restartPolicy"] = "Always"
        self.assertIn("template.spec.restartPolicy is Never, or left out", refusal(always))
        self.assertIn("metadata.name is at most 52", refusal(training_job("with.dot")))
        self.assertIn("metadata.name is at most 52", refusal(training_job("a" * 53)))
        self.assertIn('Unsupported value: "slurm"', refusal(training_job("a", executor="slurm")))
        self.assertIn("spec.workers", refusal(training_job("a", workers=0)))
        self.assertIn("minWorkers is at most workers", refusal(training_job("a", workers=2, minWorkers=3)))
        self.assertIn("spec.backoffLimit", refusal(training_job("a", backoffLimit=-1)))
        for bad in ({}, {"versionURL": "ftp://h/"}, {"versionURL": "https://user@h/"}, {"versionURL": "https://"},
                    {"versionURL": "https://h/", "expectedVersion": "a b"}):
            self.assertIn("spec.dataset", refusal(training_job("a", dataset=bad)))
        gate = {"name": "eval", "template": {}, "metric": "accuracy", "op": ">=", "threshold": "0.85"}
        self.assertIn("gates have names of their own", refusal(training_job("a", gates=[gate, gate])))
        self.assertIn('Unsupported value: "=>"', refusal(training_job("a", gates=[{**gate, "op": "=>"}])))
        self.assertIn("threshold", refusal(training_job("a", gates=[{**gate, "threshold": "much"}])))
        self.assertIn("at most 57 together", refusal(training_job("a" * 30, gates=[{**gate, "name": "b" * 30}])))
        self.assertIn("restartPolicy is Never or OnFailure", refusal(training_job(
            "a", gates=[{**gate, "template": {"spec": {"restartPolicy": "Always", "containers": []}}}])))
        route, service = {"name": "r", "stable": "a", "canary": "b"}, {"name": "i"}
        for bad in ({}, {"httpRoute": route, "inferenceService": service}):
            self.assertIn("either an httpRoute or an inferenceService", refusal(training_job("a", promote=bad)))
        self.assertIn("steps do not fall", refusal(training_job("a", promote={"httpRoute": route, "steps": [50, 10]})))
        self.assertIn("two backends", refusal(training_job("a", promote={"httpRoute": {**route, "canary": "a"}})))
        misspelt = training_job("a")
        misspelt["spec"]["template"]["spec"]["container"] = []
        self.assertIn("unknown field", refusal(misspelt))
        nameless = training_job("nameless")
        nameless["spec"]["template"]["spec"]["containers"][0]["name"] = "No Name"
        self.apply(nameless)  # the schema does not know what a container may be called
        self.until_phase("nameless", "Failed")
        self.assertIn("spec.containers[0].name: Invalid value", self.told("nameless", "Failed"))

    def test_rights(self):
        def can(verb, resource, *more):
            return self.real.kubectl("auth", "can-i", verb, resource, *more, "--as", ACCOUNT, "-A", check=False).strip()

        for verb in ("create", "delete", "list", "watch"):
            self.assertEqual(can(verb, "pods"), "yes", verb)
        for verb, resource in (("get", "secrets"), ("update", "pods"), ("list", "pytorchjobs.kubeflow.org"), ("delete", "services"), ("get", "nodes"),
                               ("create", "trainingjobs.ai.kcontrol.dev"),
                               ("update", "customresourcedefinitions.apiextensions.k8s.io")):
            self.assertEqual(can(verb, resource), "no", (verb, resource))
        self.assertEqual(can("create", "pods", "--subresource=exec"), "no")
        self.assertNotIn("forbidden", self.log.read_text())


if __name__ == "__main__":
    unittest.main()
