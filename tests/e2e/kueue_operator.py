"""The training operator with a real Kueue: what waits, what is said of it, and that quota comes back.

Only by name, for Kueue takes minutes to build: run.py kueue_operator, or scripts/test.sh --only kueue.
"""
import json

import kueue
import wait
from training import OperatorTest, training_job

GPUS = 4


class KueueTest(OperatorTest):
    find_assets = staticmethod(kueue.find_assets)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.kueue = kueue.Kueue(cls.real, cls.assets, cls.work)
        cls.addClassCleanup(cls.kueue.stop)
        cls.kueue.start()
        cls.kueue.add_queue("team-a", **{"nvidia.com/gpu": GPUS})
        cls.kueue.add_queue("cpus", cpu=4, memory="8Gi")
        for name, value in (("low", 10), ("high", 1000)):
            cls.real.apply({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name},
                            "value": value})

    def queued(self, name, per_worker=2, priority="low", **more):
        job = training_job(name, accelerator={"perWorker": per_worker}, **more)
        job["metadata"]["labels"] = {"kueue.x-k8s.io/queue-name": "team-a"}
        job["spec"]["template"]["spec"]["priorityClassName"] = priority
        return self.apply(job)

    def until_waiting(self, name, words):
        wait.until(lambda: f"{name} does not say \"{words}\": {self.status(name)}",
                   lambda: words in self.told(name, "Admitted"), 60)
        self.assertEqual(self.status(name)["phase"], "Queued")

    def until_free(self):
        """All quota is back."""
        used = lambda: self.real.get("clusterqueue", "team-a")["status"]["flavorsReservation"][0]["resources"][0]["total"]
        wait.until(lambda: f"GPUs in use: {used()}; {self.workloads()}", lambda: used() == "0", 60)

    def workloads(self):
        return {w["metadata"]["name"]: [(c["type"], c["status"], c["message"]) for c in w.get("status", {}).get("conditions", [])]
                for w in self.real.get("workloads")["items"]}

    def remove(self, *names):
        for name in names:
            self.real.delete("trainingjob", name)
        for name in names:
            self.until_gone(name)
        self.until_free()

    def test_one_waits_for_the_other(self):
        for executor in ("pods", "batch-job", "pytorchjob"):
            with self.subTest(executor):
                first = self.queued("first-" + executor, run_ms=30000, executor=executor)
                self.until_phase(first, "Running")
                second = self.queued("second-" + executor, executor=executor)
                self.until_waiting(second, "insufficient unused quota for nvidia.com/gpu")
                self.until_phase(first, "Succeeded")
                self.until_phase(second, "Succeeded")
                self.assertEqual(self.told(second, "Admitted"), "its queue has admitted it")
                self.assertEqual(self.status(second)["attempt"], 1)
                self.until_free()
                self.remove(first, second)

    def test_what_can_never_be_admitted_says_so(self):
        for executor in ("pods", "batch-job", "pytorchjob"):
            with self.subTest(executor):
                name = self.queued("greedy-" + executor, per_worker=GPUS, executor=executor)
                self.until_waiting(name, "insufficient quota for nvidia.com/gpu")
                self.remove(name)

    def test_gpus_that_do_not_come(self):
        """The job runs on CPUs, in the other queue, until the GPUs are there."""
        holder = self.queued("holder", run_ms=600000)
        self.until_phase(holder, "Running")
        # The node has more GPUs than the queue: these go to a pod outside it.
        self.real.apply({"apiVersion": "v1", "kind": "Pod",
                         "metadata": {"name": "outside", "namespace": "default", "annotations": {"sim/run-ms": "600000"}},
                         "spec": {"containers": [{"name": "c", "image": "none", "resources": {"limits": {"nvidia.com/gpu": "4"}}}]}})
        name = self.queued("moves", run_ms=600000, cpuFallback={"afterSeconds": 20, "queueName": "cpus", "workers": 1,
                                                                "resources": {"cpu": "2", "memory": "1Gi"}})
        self.until_waiting(name, "insufficient unused quota for nvidia.com/gpu")
        self.until_phase(name, "Running", 120)
        self.assertIn("it has waited for GPUs for 20 s", self.told(name, "OnFallback"))
        pods = self.pods(name)
        self.assertEqual([p["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] for p in pods], ["cpus"])
        self.assertEqual([p["spec"]["containers"][0]["resources"]["requests"] for p in pods], [{"cpu": "2", "memory": "1Gi"}])

        def used():  # Kueue writes it some time after the admission
            return {r["name"]: r["total"] for r in
                    self.real.get("clusterqueue", "cpus")["status"]["flavorsReservation"][0]["resources"]}

        wait.until(lambda: f"the queue of CPUs says {used()}", lambda: used() == {"cpu": "2", "memory": "1Gi"}, 60)
        self.assertEqual(self.status(holder)["phase"], "Running")
        self.remove(holder)
        steps = iter(range(1, 10000))

        def returns():  # at its next checkpoint, once it fits
            if self.status(name).get("onFallback"):
                step = next(steps)
                told = json.dumps({"step": step, "checkpoint": {"step": step, "uri": f"s3://b/{step}"}})
                self.real.kubectl("annotate", "pod", name + "-0", f"ai.kcontrol.dev/progress={told}", "--overwrite", check=False)
            return "its gang fits on GPUs" in self.told(name, "OnFallback")

        wait.until(lambda: f"{name} does not return: {self.status(name)}", returns, 120)
        wait.until(lambda: f"{name} does not run on GPUs: {self.status(name)}",
                   lambda: self.status(name).get("ready") == "2/2" and self.status(name)["phase"] == "Running", 120)
        self.assertEqual({p["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] for p in self.pods(name)}, {"team-a"})
        self.assertEqual(self.status(name)["attempt"], 1)
        self.real.delete("pod", "outside")
        self.remove(name)

    def test_a_queue_that_is_not_there(self):
        job = training_job("lost", accelerator={"perWorker": 1})
        job["metadata"]["labels"] = {"kueue.x-k8s.io/queue-name": "nowhere"}
        name = self.apply(job)
        self.until_waiting(name, "LocalQueue nowhere doesn't exist")
        self.remove(name)

    def test_suspended_while_it_waits(self):
        for executor in ("pods", "batch-job", "pytorchjob"):
            with self.subTest(executor):
                first = self.queued("holds-" + executor, run_ms=600000, executor=executor)
                self.until_phase(first, "Running")
                name = self.queued("paused-" + executor, executor=executor)
                self.until_waiting(name, "insufficient unused quota")
                self.real.merge("trainingjob", name, {"spec": {"suspend": True}})
                self.until_phase(name, "Suspended")
                wait.until(lambda: f"pods stay: {self.pods(name)}", lambda: not self.pods(name), 60)
                self.real.merge("trainingjob", name, {"spec": {"suspend": False}})
                self.until_waiting(name, "insufficient unused quota")
                self.real.merge("trainingjob", first, {"spec": {"suspend": True}})
                self.until_phase(first, "Suspended")
                self.until_phase(name, "Succeeded")
                self.remove(first, name)

    def test_a_failed_job_gives_its_quota_back(self):
        for executor in ("pods", "batch-job", "pytorchjob"):
            with self.subTest(executor):
                name = self.queued("bad-" + executor, exit_code=1, executor=executor)
                self.until_phase(name, "Failed")
                self.until_free()
                self.assertTrue(self.pods(name), "the pod that failed is gone, and its log with it")
                self.remove(name)

    def test_preempted(self):
        for executor in ("pods", "batch-job", "pytorchjob"):
            with self.subTest(executor):
                low = self.queued("low-" + executor, run_ms=20000, executor=executor)
                self.until_phase(low, "Running")
                high = self.queued("high-" + executor, priority="high", executor=executor)
                self.until_phase(high, "Succeeded", 90)
                self.until_phase(low, "Succeeded", 120)
                self.assertEqual(self.status(low)["attempt"], 2)
                self.remove(low, high)

    def test_a_killed_rank_queues_up_anew(self):
        name = self.queued("killed", run_ms=3000, exit_code=137, backoffLimit=1)
        self.until_phase(name, "Failed", 120)
        self.assertIn("attempt 2 was the last one", self.told(name, "Failed"))
        self.remove(name)

    def test_a_pod_that_somebody_deletes_while_it_waits(self):
        first = self.queued("before", run_ms=600000)
        self.until_phase(first, "Running")
        name = self.queued("alone", workers=1, per_worker=4)
        self.until_waiting(name, "insufficient unused quota")
        self.real.delete("pod", "alone-0")
        wait.until(lambda: f"no other attempt: {self.status(name)}",
                   lambda: self.status(name).get("attempt") == 2 and self.status(name)["phase"] == "Queued", 60)
        self.remove(first, name)
