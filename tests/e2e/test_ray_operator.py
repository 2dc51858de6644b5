"""The Ray operator on a real cluster: scheduler, Job controller and garbage collector are Kubernetes' own, kubelets are
kwok's. Run alone: run.py test_ray_operator
"""
import json

import operators
import probes
import wait


def pod_template(**annotations):
    return {"metadata": {"annotations": {"sim/" + name.replace("_", "-"): value for name, value in annotations.items()}},
            "spec": {"containers": [{"name": "ray", "image": "rayproject/ray:2.46.0"}]}}


def ray_cluster(name, replicas, **spec):
    return {"apiVersion": "ray.io/v1", "kind": "RayCluster", "metadata": {"name": name, "namespace": "default"},
            "spec": cluster_spec(replicas, **spec)}


def cluster_spec(replicas, **spec):
    return {"headGroupSpec": {"rayStartParams": {}, "template": pod_template(run_ms="3600000")},
            "workerGroupSpecs": [{"groupName": "small", "replicas": replicas, "minReplicas": 0, "maxReplicas": 9,
                                  "rayStartParams": {}, "template": pod_template(run_ms="3600000"), "ours": "not known here"}], **spec}


class RayOperatorTest(operators.InstalledOperator):
    NAME = "ray-operator"
    KINDS = ("rayclusters.ray.io", "rayjobs.ray.io")

    @classmethod
    def find_program(cls):
        return probes.app("ray_operator")

    def get(self, kind, name):
        found = self.real.kubectl("get", kind, name, "-o", "json", "--ignore-not-found")
        return json.loads(found) if found else {}

    def status(self, name, kind="raycluster"):
        return self.get(kind, name).get("status", {})

    def pods(self, name):
        return [p for p in self.real.get("pods", "-l", f"ray.io/cluster={name}")["items"]
                if "deletionTimestamp" not in p["metadata"]]

    def until(self, what, name, holds, seconds=60):
        wait.until(lambda: f"{what}: {self.get('raycluster', name)}\n{self.log.read_text()[-3000:]}", holds, seconds)

    def until_ready(self, name, pods):
        self.until(f"not {pods} pods", name, lambda: len(self.pods(name)) == pods
                   and self.status(name).get("readyWorkerReplicas", 0) == pods - 1
                   and self.status(name).get("state") == "ready")

    def test_a_cluster_comes_up_and_is_scaled_suspended_and_deleted(self):
        self.real.apply(ray_cluster("life", 2))
        self.until_ready("life", 3)
        kept = self.get("raycluster", "life")["spec"]["workerGroupSpecs"][0]
        self.assertEqual(kept["ours"], "not known here")
        conditions = {c["type"]: c["status"] for c in self.status("life")["conditions"]}
        self.assertEqual((conditions["RayClusterProvisioned"], conditions["HeadPodReady"]), ("True", "True"))
        self.assertEqual(self.status("life")["phase"], "Running")
        before = {p["metadata"]["name"] for p in self.pods("life")}
        # Another process takes over, and touches no pod.
        self.process.terminate()
        self.process.wait(60)
        self.start()
        self.real.kubectl("patch", "raycluster", "life", "--type=json", "-p",
                          json.dumps([{"op": "replace", "path": "/spec/workerGroupSpecs/0/replicas", "value": 4}]))
        self.until_ready("life", 5)
        self.assertLess(before, {p["metadata"]["name"] for p in self.pods("life")})
        named = sorted(before - {p["metadata"]["name"] for p in self.pods("life")
                                 if p["metadata"]["labels"]["ray.io/node-type"] == "head"})[0]
        self.real.kubectl("patch", "raycluster", "life", "--type=json", "-p", json.dumps([
            {"op": "replace", "path": "/spec/workerGroupSpecs/0/replicas", "value": 3},
            {"op": "add", "path": "/spec/workerGroupSpecs/0/scaleStrategy", "value": {"workersToDelete": [named]}}]))
        self.until_ready("life", 4)
        self.assertNotIn(named, {p["metadata"]["name"] for p in self.pods("life")})
        self.real.merge("raycluster", "life", {"spec": {"suspend": True}})
        self.until("not suspended", "life", lambda: self.status("life").get("state") == "suspended" and not self.pods("life"))
        self.real.merge("raycluster", "life", {"spec": {"suspend": False}})
        self.until_ready("life", 4)
        self.real.delete("raycluster", "life")
        self.until("it stays", "life", lambda: not self.pods("life")
                   and not self.real.kubectl("get", "service", "life-head-svc", "--ignore-not-found"))

    def test_an_invalid_specification_is_told(self):
        self.real.apply(ray_cluster("wrong", -1))
        told = lambda: next((c for c in self.status("wrong").get("conditions", []) if c["type"] == "SpecValid"), {})
        self.until("not refused", "wrong", lambda: told().get("status") == "False")
        self.assertEqual(told()["message"], "spec.workerGroupSpecs[0].replicas: -1: give 0 or more")
        self.assertEqual(self.pods("wrong"), [])

    def test_a_job_whose_submitter_fails(self):
        self.real.apply({"apiVersion": "ray.io/v1", "kind": "RayJob", "metadata": {"name": "count", "namespace": "default"},
                         "spec": {"entrypoint": "python a.py", "rayClusterSpec": cluster_spec(1),
                                  "shutdownAfterJobFinishes": True, "submitterConfig": {"backoffLimit": 0},
                                  "submitterPodTemplate": {
                                      "metadata": {"annotations": {"sim/run-ms": "1000", "sim/exit-code": "1"}},
                                      "spec": {"restartPolicy": "Never",
                                               "containers": [{"name": "submits", "image": "rayproject/ray:2.46.0"}]}}}})
        status = lambda: self.status("count", "rayjob")
        wait.until(lambda: f"it does not fail: {status()}\n{self.log.read_text()[-3000:]}",
                   lambda: status().get("jobDeploymentStatus") == "Failed", 90)
        self.assertEqual(status()["reason"], "SubmissionFailed")
        self.assertIn("BackoffLimitExceeded", status()["message"])
        args = self.get("job", "count")["spec"]["template"]["spec"]["containers"][0]["args"][0]
        self.assertIn("--submission-id " + status()["jobId"], args)
        wait.until(lambda: f"the cluster stays: {status()}",
                   lambda: not self.get("raycluster", status()["rayClusterName"]), 60)
        self.real.delete("rayjob", "count")
