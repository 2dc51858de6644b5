"""Twenty-seven ways in which training fails or waits, each made on a real cluster: what the monitor's page and notices say.

Only by name, for it takes minutes: run.py failures, or scripts/test.sh --only failures. KCONTROL_FAILURES_OUT (default
build/failures) has the table and the pictures then; docs/training_monitor/failures.md shows the table.
The API server, the scheduler, the controllers and the training operator are real; the kubelets are kwok's, so what a
kubelet writes is simulated (scripts/control-plane/kwok.yaml), and of Kueue only the Workload that it would write is there.
"""
import json
import os
import pathlib
import signal
import tempfile
import time
import unittest

import cluster as clusters
import failure_record
import jobs
import wait
import webhooks_refusing

LONG = 600_000  # ms that a pod runs which is not to end by itself


def batch(name, annotations=None, gpus="1", node="gpu-node-0", **options):
    job = jobs.batch(name, **options)
    template = job["spec"]["template"]
    template["metadata"]["annotations"].update(annotations or {})
    template["spec"]["containers"][0]["resources"]["limits"]["nvidia.com/gpu"] = gpus
    template["spec"]["nodeSelector"] = {"kubernetes.io/hostname": node}
    return job


def pytorch(name, annotations=None, gpus="1", **options):
    job = jobs.pytorch(name, **options)
    for replica in job["spec"]["pytorchReplicaSpecs"].values():
        template = replica["template"]
        template["metadata"]["annotations"].update(annotations or {})
        template["spec"]["containers"][0]["resources"]["limits"]["nvidia.com/gpu"] = gpus
        template["spec"]["nodeSelector"] = {"kubernetes.io/hostname": "gpu-node-0"}
    return job


def node(name, **spec):
    room = {"cpu": "64", "memory": "512Gi", "pods": "500", "nvidia.com/gpu": "8"}
    return {"apiVersion": "v1", "kind": "Node", "spec": spec, "status": {"allocatable": room, "capacity": room},
            "metadata": {"name": name, "annotations": {"kwok.x-k8s.io/node": "fake"},
                         "labels": {"kubernetes.io/hostname": name}}}


def namespace(name):
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


class Failures(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        assets, missing = clusters.find_assets()
        if assets is None:
            raise unittest.SkipTest(missing)
        folder = tempfile.TemporaryDirectory(prefix="kcontrol-failures-", ignore_cleanup_errors=True)
        cls.addClassCleanup(folder.cleanup)
        path = pathlib.Path(folder.name)
        cls.real = clusters.Cluster("failures", assets, path)
        cls.addClassCleanup(cls.real.stop, crash=True)
        cls.real.start()
        cls.record = failure_record.Record(cls.real, path)
        cls.addClassCleanup(cls.record.stop)

    def setUp(self):
        self.record.begun = time.monotonic()

    def keep(self, *arguments, **options):
        return self.record.keep(*arguments, **options)

    def test_01_exit_1(self):
        self.real.apply(batch("exit-1", {"sim/exit-message": "CUDA error: device-side assert triggered"}, exit_code=1))
        self.keep("exit code 1", "a Job whose container ends so, with a termination message", "Job", "exit-1",
                  ["on gpu-node-0", "exit code 1", "CUDA error"], "Failed")

    def test_02_exit_137(self):
        self.real.apply(pytorch("exit-137", exit_code=137))
        self.keep("exit code 137", "a PyTorchJob whose containers are killed", "PyTorchJob", "exit-137",
                  ["exit code 137", "killed (SIGKILL)"], "Failed")

    def test_03_out_of_memory(self):
        self.real.apply(pytorch("oom", {"sim/exit-reason": "OOMKilled"}, exit_code=137))
        self.keep("out of memory", "a PyTorchJob; the kubelet says OOMKilled", "PyTorchJob", "oom",
                  ["exit code 137", "out of memory (OOMKilled)"], "Failed")

    def test_04_image(self):
        why = 'Back-off pulling image "registry.example/bert:7"'
        self.real.apply(pytorch("image", {"sim/waiting": "ImagePullBackOff", "sim/waiting-message": why}))
        self.keep("an image that is not there", "a PyTorchJob; the kubelet says ImagePullBackOff", "PyTorchJob", "image",
                  ["can't pull the image (ImagePullBackOff)", why], "Pending")

    def test_05_no_gpus(self):
        self.real.apply(pytorch("no-gpus", gpus="1000"))
        self.keep("unschedulable: GPUs", "a PyTorchJob whose pods ask for 1000", "PyTorchJob", "no-gpus",
                  ["unschedulable", "Insufficient nvidia.com/gpu"], "Pending")

    def test_06_no_processors(self):
        job = batch("no-cpu")
        job["spec"]["template"]["spec"]["containers"][0]["resources"]["requests"] = {"cpu": "1000"}
        self.real.apply(job)
        self.keep("unschedulable: CPU", "a Job whose pod asks for 1000 cores", "Job", "no-cpu",
                  ["unschedulable", "Insufficient cpu"], "Pending")

    def test_07_taint(self):
        self.real.apply(node("infer-node-0", taints=[{"key": "dedicated", "value": "inference", "effect": "NoSchedule"}]))
        self.real.kubectl("wait", "--for=condition=Ready", "node/infer-node-0", "--timeout=60s")
        self.real.apply(batch("taint", node="infer-node-0"))
        self.keep("unschedulable: a taint", "a Job for a node that is tainted", "Job", "taint",
                  ["unschedulable", "untolerated taint"], "Pending")

    def test_08_quota(self):
        quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "team", "namespace": "poor"},
                 "spec": {"hard": {"requests.nvidia.com/gpu": "0"}}}
        self.real.apply(namespace("poor"))
        self.real.apply(quota)
        wait.until("the quota is not counted",
                   lambda: "hard" in self.real.get("resourcequota", "team", "-n", "poor")["status"])
        job = batch("quota")
        job["metadata"]["namespace"] = "poor"
        self.real.apply(job)
        self.keep("a quota that is spent", "a Job in a namespace with a ResourceQuota of no GPU", "Job", "quota",
                  ["FailedCreate", "exceeded quota: team", "requests.nvidia.com/gpu"], "Pending", namespace="poor")

    def test_09_node_lost(self):
        self.real.apply(node("gpu-node-1"))
        self.real.kubectl("wait", "--for=condition=Ready", "node/gpu-node-1", "--timeout=60s")
        job = batch("node-lost", {"sim/stuck": "true"}, node="gpu-node-1", run_ms=LONG)
        gone = ("not-ready", "unreachable")
        job["spec"]["template"]["spec"]["tolerations"] = [
            {"key": f"node.kubernetes.io/{k}", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 1} for k in gone]
        self.real.apply(job)
        self.record.until_shown("Job", "node-lost", [], "Running")
        self.real.kubectl("annotate", "node", "gpu-node-1", "sim/lost=true")
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        lost = [{**c, "status": "Unknown", "lastTransitionTime": now} if c["type"] == "Ready" else c
                for c in self.real.get("node", "gpu-node-1")["status"]["conditions"]]
        self.real.kubectl("patch", "node", "gpu-node-1", "--subresource=status", "--type=merge", "-p",
                          json.dumps({"status": {"conditions": lost}}))
        # Its pod hangs there, and while it does the Job controller does not call the job failed.
        lost = self.record.until_shown("Job", "node-lost", ["on gpu-node-1", "not ready (NoExecute taint)"],
                                       "Running")
        self.real.kubectl("delete", "node", "gpu-node-1")
        self.keep("a node that is lost", "its Ready condition becomes Unknown; later somebody deletes it", "Job",
                  "node-lost", ["on gpu-node-1", "its node is gone", "DeletionByPodGC"], "Failed",
                  before=f"Running: {lost['why']} — then ", deadline=150)  # the controller waits a minute

    def test_10_deadline(self):
        self.real.apply(batch("deadline", run_ms=LONG, activeDeadlineSeconds=1))
        self.keep("out of time", "a Job with activeDeadlineSeconds", "Job", "deadline", ["DeadlineExceeded"], "Failed")

    def test_11_backoff(self):
        self.real.apply(batch("backoff", {"sim/exit-message": "loss is NaN"}, exit_code=3, backoffLimit=1))
        shown = self.keep("backoffLimit reached", "a Job that fails twice, with backoffLimit 1", "Job", "backoff",
                          ["exit code 3", "loss is NaN"], "Failed")
        self.assertEqual(shown["reason"], "BackoffLimitExceeded")

    def test_12_time_to_live(self):
        self.real.apply(batch("ttl", exit_code=1, ttlSecondsAfterFinished=1))
        notice = self.record.until_told("ttl", ["exit code 1"], "Failed")
        gone = self.record.until_told("ttl", [], "Gone")
        self.assertIsNone(self.record.job("Job", "ttl"))
        self.record.add("ttl", "deleted after its time to live", "a failed Job with ttlSecondsAfterFinished", "gone from the page",
                        f"{notice['text']} — then: {gone['text']}")

    def test_13_suspended(self):
        self.real.apply(batch("suspended", suspend=True))
        shown = self.keep("suspended", "a Job with suspend: true", "Job", "suspended", ["uspended"], "Suspended")
        self.assertEqual(shown["why"], "")

    def test_14_queued(self):
        self.real.kubectl("apply", "-f", clusters.ROOT / "tests" / "e2e" / "own_crds" / "workloads_v1beta1.yaml")
        self.real.kubectl("wait", "--for=condition=Established", "crd", "workloads.kueue.x-k8s.io", "--timeout=60s")
        job = batch("queued", suspend=True)
        job["metadata"]["labels"] = {"kueue.x-k8s.io/queue-name": "research"}
        self.real.apply(job)
        uid = self.real.get("job", "queued")["metadata"]["uid"]
        self.real.apply({"apiVersion": "kueue.x-k8s.io/v1beta1", "kind": "Workload", "metadata": {
            "name": "job-queued", "namespace": "default", "labels": {"kueue.x-k8s.io/job-uid": uid}}, "status": {
            "conditions": [{"type": "QuotaReserved", "status": "False", "reason": "Pending",
                            "lastTransitionTime": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
                            "message": "couldn't assign flavors to pod set main: insufficient unused quota for "
                                       "nvidia.com/gpu in flavor h100, 1 more needed"}]}})
        self.keep("waits in a queue", "a suspended Job of a Kueue queue, with the Workload as Kueue writes it", "Job", "queued",
                  ["insufficient unused quota for nvidia.com/gpu"], "Queued")

    def test_15_webhook(self):
        with webhooks_refusing.Webhook(self.real, "guarded", "image registry.example/bert:7 is not signed"):
            job = pytorch("webhook")
            job["metadata"]["namespace"] = "guarded"
            self.real.apply(namespace("guarded"))
            self.real.apply(job)
            self.keep("a webhook refuses its pods", "a validating webhook that says no", "PyTorchJob", "webhook",
                      ["denied the request", "is not signed"], self.state_of_refused(), namespace="guarded")
            self.record.until_listed("webhook", 60)  # without it the pods are made

    def state_of_refused(self):
        """The operator writes a condition or not: both are states in which a job waits."""
        return wait.until("the job is not seen", lambda: (j := self.record.job("PyTorchJob", "webhook", "guarded")) and j["why"]
                          and j["state"], 60)

    def test_16_volume(self):
        self.real.apply(pytorch("volume", {"sim/mount-fails": "true"}))
        self.keep("a volume that can't be mounted", "a PyTorchJob; the kubelet's event says FailedMount", "PyTorchJob", "volume",
                  ["FailedMount", "MountVolume.SetUp failed", "No such file or directory"], "Pending")

    def test_16_volume_claim(self):
        job = batch("claim")
        job["spec"]["template"]["spec"]["volumes"] = [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]
        self.real.apply(job)
        self.keep("a volume that is missing", "a Job whose PersistentVolumeClaim is not there", "Job", "claim",
                  ["unschedulable", 'persistentvolumeclaim "data" not found'], "Pending")

    def test_17_config_map(self):
        self.real.apply(batch("config-map", {"sim/waiting": "CreateContainerConfigError",
                                             "sim/waiting-message": 'configmap "settings" not found'}))
        self.keep("a config map that is missing", "a Job; the kubelet says CreateContainerConfigError", "Job", "config-map",
                  ["can't start the container", 'configmap "settings" not found'], "Pending")

    def test_18_evicted(self):
        self.real.apply(batch("evicted", run_ms=LONG))
        pod = self.pod_that_runs("evicted")
        self.real.merge("pods", pod["metadata"]["name"], {"status": {
            "phase": "Failed", "reason": "Evicted",
            "message": "The node was low on resource: ephemeral-storage."}}, "--subresource=status")
        self.keep("evicted", "the kubelet's status of a pod on a full node", "Job", "evicted",
                  ["on gpu-node-0", "Evicted", "low on resource: ephemeral-storage"], "Failed")

    def test_19_preempted(self):
        self.real.apply(node("gpu-node-2"), *[
            {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": value}
            for name, value in (("low", 10), ("high", 1000))])
        self.real.kubectl("wait", "--for=condition=Ready", "node/gpu-node-2", "--timeout=60s")
        low, high = (batch(name, {"sim/graceful": "true"}, gpus="8", node="gpu-node-2", run_ms=LONG) for name in ("preempted", "urgent"))
        low["spec"]["template"]["spec"]["priorityClassName"] = "low"
        high["spec"]["template"]["spec"]["priorityClassName"] = "high"
        self.real.apply(low)
        self.record.until_shown("Job", "preempted", [], "Running")
        self.real.apply(high)
        self.keep("preempted", "a Job of higher priority wants the GPUs of its node", "Job", "preempted",
                  ["on gpu-node-2", "preempted by a pod of higher priority"], "Failed")

    def test_20_crash_loop(self):
        job = batch("crash-loop", run_ms=LONG, backoffLimit=20)
        job["spec"]["template"]["spec"]["restartPolicy"] = "OnFailure"
        self.real.apply(job)
        pod = self.pod_that_runs("crash-loop")
        before = {"exitCode": 1, "reason": "Error", "message": "KeyError: 'lr'", "startedAt": pod["status"]["startTime"],
                  "finishedAt": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}
        self.real.merge("pods", pod["metadata"]["name"], {"status": {"containerStatuses": [{
            "name": "main", "image": "none", "imageID": "", "ready": False, "started": False, "restartCount": 6,
            "state": {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 5m0s restarting failed container"}},
            "lastState": {"terminated": before}}]}}, "--subresource=status")
        self.keep("a crash loop", "a Job; the kubelet says CrashLoopBackOff after six restarts", "Job", "crash-loop",
                  ["exit code 1", "KeyError: 'lr'", "crash looping: 6 restarts, next try in < 5 min"], "Restarting")

    def pod_that_runs(self, job):
        pods = lambda: self.real.get("pods", "-l", f"job-name={job}")["items"]
        return wait.until("it has no pod that runs", lambda: next((p for p in pods() if p["status"]["phase"] == "Running"), None))

    def test_21_limit_range(self):
        self.real.apply(namespace("small"), {
            "apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "small", "namespace": "small"},
            "spec": {"limits": [{"type": "Container", "max": {"memory": "1Gi"}}]}})
        job = batch("limit-range")
        job["metadata"]["namespace"] = "small"
        job["spec"]["template"]["spec"]["containers"][0]["resources"]["limits"]["memory"] = "2Gi"
        self.real.apply(job)
        self.keep("a LimitRange", "a Job that wants more memory than a LimitRange allows", "Job", "limit-range",
                  ["FailedCreate", "maximum memory usage per Container is 1Gi, but limit is 2Gi"], "Pending", namespace="small")

    def test_22_traceback(self):
        lines = ["Traceback (most recent call last):", '  File "train.py", line 12, in <module>',
                 "    loss = model(batch)", "ValueError: expected 8 GPUs, found 7"]
        self.real.apply(pytorch("traceback", {"sim/exit-message": "\n".join(lines)}, exit_code=1))
        self.keep("a Python exception", "a PyTorchJob; its traceback is the termination message", "PyTorchJob", "traceback",
                  ["exit code 1", "ValueError: expected 8 GPUs, found 7"], "Failed")

    def test_23_no_program(self):
        why = 'exec: "trian": executable file not found in $PATH'
        self.real.apply(batch("no-program", {"sim/exit-reason": "StartError", "sim/exit-message": why}, exit_code=128))
        self.keep("a program that is missing", "a Job; the kubelet says StartError", "Job", "no-program", ["exit code 128", why],
                  "Failed")

    def test_24_pods_deleted(self):
        """The operator deletes the pods of a failed job, of which one runs: they stay known, and none is active."""
        job = self.half("pods-deleted", cleanPodPolicy="All")
        self.real.apply(job)
        shown = self.keep("its pods are deleted", "a PyTorchJob with cleanPodPolicy: All, whose Master fails", "PyTorchJob",
                          "pods-deleted", ["Master 0 on gpu-node-0: exit code 1", "RuntimeError: NCCL timed out"], "Failed")
        wait.until("its pods are there", lambda: not self.real.get("pods", "-l", "training.kubeflow.org/job-name=pods-deleted")["items"])
        known = lambda: self.record.monitor.get_raw("/api/v1/jobs/c/default/PyTorchJob/pods-deleted")[1]
        gone = wait.until(lambda: f"its pods are not remembered as deleted: {known()}",
                          lambda: (p := json.loads(known())["pods"]) and all(each["deleted"] for each in p) and p)
        self.assertEqual({(p["type"], p["phase"]) for p in gone}, {("Master", "Failed"), ("Worker", "Running")})
        shown = self.record.job("PyTorchJob", "pods-deleted")
        self.assertEqual({r["active"] for r in shown["replicas"].values()}, {0}, shown)
        self.record.picture("PyTorchJob", "pods-deleted", "default", ["deleted at", "was Running"])

    def half(self, name, **policy):
        """Its Master fails after a while; its Worker would run on."""
        job = pytorch(name, {"sim/exit-message": "RuntimeError: NCCL timed out"}, run_ms=LONG, **policy)
        notes = job["spec"]["pytorchReplicaSpecs"]["Master"]["template"]["metadata"]["annotations"]
        notes.update({"sim/run-ms": "2000", "sim/exit-code": "1"})
        return job

    def test_25_holds_gpus(self):
        self.real.apply(self.half("holds-gpus", cleanPodPolicy="None"))
        self.keep("it holds GPUs", "the same with cleanPodPolicy: None, so that its Worker runs on", "PyTorchJob", "holds-gpus",
                  ["Master 0 on gpu-node-0: exit code 1", "RuntimeError: NCCL timed out"], "Failed")
        self.assertEqual(self.record.job("PyTorchJob", "holds-gpus")["replicas"]["Worker"]["active"], 1)
        held = lambda: [j for j in self.record.monitor.items("/api/v1/attention") if j.get("name") == "holds-gpus"]
        wait.until(lambda: f"nobody is told of the GPUs that it holds: {held()}",
                   lambda: held() and (held()[0]["concern"], held()[0]["gpusHeld"]) == ("holding-gpus", 1))

    def test_26_operator_gone(self):
        pids = (self.real.work / "pids").read_text().split()
        os.killpg(int(pids[-1]), signal.SIGKILL)  # start.sh starts it last, in a group of its own
        self.real.apply(pytorch("no-operator"))
        self.keep("its operator is gone", "a PyTorchJob after the training operator was killed", "PyTorchJob", "no-operator",
                  ["its operator has written no condition yet"], "Unknown")

    def test_27_listed(self):
        """What keeps a job from training is on the list of what needs attention within a minute after the page says why.
        Five wait for a node or a turn, which is listed after 15 minutes; one is suspended, one was deleted. Unknown passes
        mostly by itself, and is listed after two minutes."""
        waits = {"no-gpus", "no-cpu", "taint", "claim", "queued", "suspended", "ttl"}
        names = [row[0] for row in self.record.rows]
        self.assertEqual(len(names), 27, names)
        for name in names:
            if name not in waits:
                self.record.until_listed(name, 120 + 60 if name == "no-operator" else 60)
        self.assertEqual(waits & set(self.record.listed) - {"ttl"}, set())
        slow = {n: t for n, t in ((r[0], self.record.explained[r[0]] - r[1]) for r in self.record.rows) if t > 60}
        self.assertLessEqual(set(slow), {"node-lost"}, slow)  # its controller waits for a minute


if __name__ == "__main__":
    unittest.main()
