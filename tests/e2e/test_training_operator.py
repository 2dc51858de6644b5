"""The training operator on a real cluster: scheduler and garbage collector are Kubernetes' own, kubelets are kwok's.

KCONTROL_TRAINING_OPERATOR is the program. Run alone: run.py test_training_operator
"""
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import unittest

import cluster
import wait

DEPLOY = cluster.ROOT / "examples" / "training_operator" / "deploy" / "base"
ACCOUNT = "system:serviceaccount:training-operator:training-operator"


def training_job(name, run_ms=1000, exit_code=0, **spec):
    return {"apiVersion": "ai.kcontrol.dev/v1alpha1", "kind": "TrainingJob",
            "metadata": {"name": name, "namespace": "default"},
            "spec": {"workers": 2,
                     "template": {"metadata": {"annotations": {"sim/run-ms": str(run_ms), "sim/exit-code": str(exit_code)}},
                                  "spec": {"containers": [{"name": "trainer", "image": "example.com/bert:1"}]}},
                     **spec}}


class TrainingOperatorTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.program = os.environ.get("KCONTROL_TRAINING_OPERATOR")
        if not cls.program:
            raise unittest.SkipTest("KCONTROL_TRAINING_OPERATOR is not set")
        assets, why = cluster.find_assets()
        if assets is None:
            raise unittest.SkipTest(why)
        work = tempfile.TemporaryDirectory(prefix="kcontrol-training-", ignore_cleanup_errors=True)
        cls.addClassCleanup(work.cleanup)
        cls.work = pathlib.Path(work.name)
        cls.log = cls.work / "operator.log"
        cls.real = cluster.Cluster("training", assets, work.name)
        cls.real.start()
        cls.addClassCleanup(cls.real.stop)
        # Installed by the program, as an administrator; then it works with the rights of its manifests.
        first = subprocess.Popen([cls.program, "--install-crds", "--kubeconfig", cls.real.admin],
                                 stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=cls.log.open("ab"))
        cls.real.kubectl("create", "namespace", "training-operator")
        wait.until(lambda: f"the kind is not installed: {cls.log.read_text()}", cls.is_installed, 60)
        first.terminate()
        first.wait(30)
        cls.real.kubectl("apply", "--server-side", "--force-conflicts", "-k", DEPLOY)
        token = cls.real.kubectl("-n", "training-operator", "create", "token", "training-operator").strip()
        cls.kubeconfig = cls.work / "operator.kubeconfig"
        cls.kubeconfig.write_text(cls.real.kubeconfig(token=token))
        cls.start()

    @classmethod
    def is_installed(cls):  # `kubectl wait` fails while there is no status at all
        found = cls.real.kubectl("get", "crd", "trainingjobs.ai.kcontrol.dev", "-o", "json", "--ignore-not-found")
        conditions = json.loads(found).get("status", {}).get("conditions") if found else None
        return any(c["type"] == "Established" and c["status"] == "True" for c in conditions or [])

    @classmethod
    def start(cls):
        with cls.log.open("ab") as log:
            cls.process = subprocess.Popen(
                [cls.program, "--kubeconfig", cls.kubeconfig, "--leader-elect", "--leader-election-namespace",
                 "training-operator"], stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        cls.addClassCleanup(cls.process.kill)

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def job(self, name):
        found = self.real.kubectl("get", "trainingjob", name, "-o", "json", "--ignore-not-found")
        return json.loads(found) if found else None

    def status(self, name):
        return (self.job(name) or {}).get("status", {})

    def told(self, name, kind="Running"):
        return next((c["message"] for c in self.status(name).get("conditions", []) if c["type"] == kind), "")

    def pods(self, name):
        return self.real.get("pods", "-l", f"ai.kcontrol.dev/job={name}")["items"]

    def until_phase(self, name, phase, seconds=60):
        wait.until(lambda: f"{name} is not {phase}: {self.status(name)}\n{self.log.read_text()[-3000:]}",
                   lambda: self.status(name).get("phase") == phase, seconds)

    def until_gone(self, name):
        wait.until(lambda: f"{name} does not go: {self.job(name)}", lambda: self.job(name) is None, 60)
        wait.until(lambda: f"pods stay: {self.pods(name)}", lambda: not self.pods(name), 60)

    def apply(self, job):
        self.real.apply(job)
        return job["metadata"]["name"]

    def test_a_job_that_ends_well(self):
        name = self.apply(training_job("well", run_ms=4000))
        self.until_phase(name, "Running")
        pods = {p["metadata"]["name"]: p for p in self.pods(name)}
        self.assertEqual(set(pods), {"well-0", "well-1"})
        env = {e["name"]: e["value"] for e in pods["well-1"]["spec"]["containers"][0]["env"]}
        self.assertEqual((env["RANK"], env["WORLD_SIZE"], env["MASTER_ADDR"]), ("1", "2", "well-0.well"))
        self.assertEqual(self.real.get("service")["items"][-1]["spec"]["clusterIP"], "None")
        row = self.real.kubectl("get", "tj", name).splitlines()[-1].split()
        self.assertEqual(row[:4], ["well", "Running", "2/2", "1"])
        self.until_phase(name, "Succeeded")
        self.real.kubectl("wait", "--for=condition=Complete", f"tj/{name}", "--timeout=5s")
        reasons = lambda: {e["reason"] for e in self.real.get("events")["items"]
                           if e["involvedObject"].get("name") == name and e["involvedObject"]["kind"] == "TrainingJob"}
        wait.until(lambda: f"Events are missing: {reasons()}",
                   lambda: reasons() == {"Accepted", "Starting", "Running", "Succeeded"}, 20)
        self.real.delete("trainingjob", name)
        self.until_gone(name)
        wait.until("the service stays", lambda: not self.real.kubectl("get", "service", name, "--ignore-not-found"), 60)

    def test_exit_1_fails_it(self):
        name = self.apply(training_job("bad", exit_code=1, ttlSecondsAfterFinished=5))
        self.until_phase(name, "Failed")
        self.assertRegex(self.told(name, "Failed"), r"^rank [01] exited with code 1")
        self.assertEqual(self.status(name)["attempt"], 1)
        self.until_gone(name)

    def test_exit_137_restarts_it(self):
        job = training_job("killed", run_ms=2000, exit_code=137)
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

    def test_no_gpu_no_ranks(self):
        name = self.apply(training_job("greedy", startDeadlineSeconds=5,
                                       accelerator={"resource": "example.com/gpu", "perWorker": 8}))
        wait.until(lambda: f"no missed start: {self.status(name)}",
                   lambda: "Insufficient example.com/gpu" in self.told(name), 60)
        self.assertIn("not all ranks ran within 5 s: rank 0 waits: Unschedulable", self.told(name))
        self.assertEqual(self.status(name)["attempt"], 1)
        self.real.merge("trainingjob", name, {"spec": {"suspend": True}})
        self.until_phase(name, "Suspended")
        wait.until(lambda: f"pods stay: {self.pods(name)}", lambda: not self.pods(name), 30)
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
        wait.until(lambda: f"pods stay: {self.pods(name)}", lambda: not self.pods(name), 30)
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
        self.assertIn("spec.backoffLimit", refusal(training_job("a", backoffLimit=-1)))
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
        for verb, resource in (("get", "secrets"), ("update", "pods"), ("delete", "services"), ("get", "nodes"),
                               ("create", "trainingjobs.ai.kcontrol.dev"),
                               ("update", "customresourcedefinitions.apiextensions.k8s.io")):
            self.assertEqual(can(verb, resource), "no", (verb, resource))
        self.assertEqual(can("create", "pods", "--subresource=exec"), "no")
        self.assertNotIn("forbidden", self.log.read_text())


if __name__ == "__main__":
    unittest.main()
