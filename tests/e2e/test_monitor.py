"""The training-job monitor against two real clusters, step by step; see fixture.py for what each step ends with."""
import json
import unittest

import expected
import jobs
import wait
from fixture import KINDS, ROOT, WorldTest, binding

MANIFESTS = ROOT / "tests" / "e2e" / "manifests"


class Test1Lives(WorldTest):
    """Jobs of every kind live through their states. Nobody's watches are started anew for it."""
    others = ("alpha", "beta")

    def test_01_sample_manifests_succeed(self):
        names = []
        for path in sorted(MANIFESTS.glob("*.yaml")):
            if "v2beta1" in path.name:
                continue
            out = self.alpha.kubectl("apply", "-f", path, "-o", "json")
            made = json.loads(out)
            names.append((made["kind"], made["metadata"]["namespace"], made["metadata"]["name"]))
        for kind, namespace, name in names:
            self.until_state("alpha", kind, name, "Succeeded", namespace)

    def test_02_v2beta1_is_found_and_its_last_condition_does_not_fool(self):
        self.beta.kubectl("apply", "-f", MANIFESTS / "mpijob-v2beta1-pi.yaml")
        job = self.until_state("beta", "MPIJob", "pi", "Unknown")
        self.assertEqual(job["apiVersion"], "kubeflow.org/v2beta1")
        steps = [("Created", [("Created", "True")]), ("Running", [("Created", "True"), ("Running", "True")]),
                 ("Succeeded", [("Created", "True"), ("Succeeded", "True"), ("Running", "False")])]
        for state, conditions in steps:
            status = {"conditions": jobs.conditions(*conditions)}
            self.beta.merge("mpijobs", "pi", {"status": status}, "--subresource=status")
            self.until_state("beta", "MPIJob", "pi", state)
        self.assertEqual(self.states_seen("beta", job["uid"]), ["Unknown", "Created", "Running", "Succeeded"])

    def test_03_train_job(self):
        self.beta.apply(jobs.train("tuning"))
        self.until_state("beta", "TrainJob", "tuning", "Created")
        for state, status in [
            ("Running", {"jobsStatus": [{"name": "node", "ready": 2, "active": 2, "succeeded": 0, "failed": 0, "suspended": 0}]}),
            ("Failed", {"conditions": jobs.conditions(("Failed", "True"))}),
        ]:
            self.beta.merge("trainjobs", "tuning", {"status": status}, "--subresource=status")
            self.until_state("beta", "TrainJob", "tuning", state)

    def test_04_fail(self):
        for name in ("alpha", "beta"):
            cluster = getattr(self.world, name)
            cluster.apply(jobs.pytorch("fails", exit_code=1), jobs.batch("fails", exit_code=1))
        for name in ("alpha", "beta"):
            self.until_state(name, "PyTorchJob", "fails", "Failed")
            failed = self.until_state(name, "Job", "fails", "Failed")
            self.assertEqual(failed["reason"], "BackoffLimitExceeded")

    def test_05_restart(self):
        # 137 is retryable: the operator makes the pod anew, for ever.
        self.alpha.apply(jobs.pytorch("restarts", exit_code=137, restart="ExitCode"))
        job = wait.until("the job is never seen restarting", lambda: (
            (j := self.monitor.job("alpha", "default", "PyTorchJob", "restarts"))
            and "Restarting" in self.states_seen("alpha", j["uid"]) and j))
        self.alpha.delete("pytorchjobs", "restarts")
        wait.until("it stays", lambda: not self.monitor.job("alpha", "default", "PyTorchJob", "restarts"))
        self.assertIn("Running", self.states_seen("alpha", job["uid"]))

    def test_06_suspend_and_resume(self):
        self.alpha.apply(jobs.pytorch("pauses", run_ms=60000), jobs.batch("pauses", run_ms=60000))
        for kind, resource, patch in (("PyTorchJob", "pytorchjobs", lambda s: {"spec": {"runPolicy": {"suspend": s}}}),
                                      ("Job", "jobs", lambda s: {"spec": {"suspend": s}})):
            self.until_state("alpha", kind, "pauses", "Running")
            self.alpha.merge(resource, "pauses", patch(True))
            self.until_state("alpha", kind, "pauses", "Suspended")
            self.alpha.merge(resource, "pauses", patch(False))
            job = self.until_state("alpha", kind, "pauses", "Running")
            seen = self.states_seen("alpha", job["uid"])
            self.assertTrue(expected.is_subsequence(["Running", "Suspended", "Running"], seen), seen)
        # Started suspended, then let run to its end.
        self.alpha.apply(jobs.pytorch("waits", suspend=True))
        self.until_state("alpha", "PyTorchJob", "waits", "Suspended")
        self.alpha.merge("pytorchjobs", "waits", {"spec": {"runPolicy": {"suspend": False}}})
        self.until_state("alpha", "PyTorchJob", "waits", "Succeeded")
        # As Kueue does it: held while it names a queue, and resumed when admitted.
        queued = jobs.batch("queued", suspend=True)
        queued["metadata"]["labels"] = {"kueue.x-k8s.io/queue-name": "team"}
        self.alpha.apply(queued)
        self.until_state("alpha", "Job", "queued", "Queued")
        self.alpha.merge("jobs", "queued", {"spec": {"suspend": False}})
        self.until_state("alpha", "Job", "queued", "Succeeded")

    def test_07_time_out(self):
        self.beta.apply(jobs.pytorch("too-long", run_ms=60000, activeDeadlineSeconds=2),
                        jobs.batch("too-long", run_ms=60000, activeDeadlineSeconds=2))
        # The training operator 1.8 looks at the deadline only when something makes it look at the job.
        nudges = iter(range(1000))
        wait.until("the PyTorchJob does not time out", lambda: (
            self.beta.merge("pytorchjobs", "too-long", {"metadata": {"annotations": {"nudge": str(next(nudges))}}})
            or self.monitor.job("beta", "default", "PyTorchJob", "too-long")["state"] == "Failed"), every=1)
        late = self.until_state("beta", "Job", "too-long", "Failed")
        self.assertEqual(late["reason"], "DeadlineExceeded")

    def test_08_delete_a_running_job(self):
        for name in ("alpha", "beta"):
            cluster = getattr(self.world, name)
            cluster.apply(jobs.pytorch("short-lived", run_ms=60000), jobs.batch("short-lived", run_ms=60000))
            for kind, resource in (("PyTorchJob", "pytorchjobs"), ("Job", "jobs")):
                self.until_state(name, kind, "short-lived", "Running")
                cluster.delete(resource, "short-lived")
                wait.until(f"{kind} stays", lambda: not self.monitor.job(name, "default", kind, "short-lived"))

    def test_09_owned_jobs_show_once(self):
        owner = self.monitor.job("beta", "default", "MPIJob", "pi")
        launcher = jobs.batch("pi-launcher", run_ms=60000)
        launcher["metadata"]["ownerReferences"] = [
            {"apiVersion": "kubeflow.org/v2beta1", "kind": "MPIJob", "name": "pi", "uid": owner["uid"],
             "controller": True}]
        marker = jobs.batch("after-launcher")
        self.beta.apply(launcher)
        self.beta.apply(marker)
        self.until_state("beta", "Job", "after-launcher", "Succeeded")
        self.assertIsNone(self.monitor.job("beta", "default", "Job", "pi-launcher"))

    def test_10_filters(self):
        everything = self.monitor.items("/api/v1/jobs")
        for field in ("cluster", "namespace", "kind", "state"):
            for value in {j[field] for j in everything}:
                found = self.monitor.items(f"/api/v1/jobs?{field}={value}")
                self.assertEqual({j["uid"] for j in found}, {j["uid"] for j in everything if j[field] == value})


class Test2AlphaFails(WorldTest):
    others = ("beta",)

    def test_01_crash_and_return(self):
        self.alpha.apply(jobs.batch("outlives", run_ms=600000))
        self.until_state("alpha", "Job", "outlives", "Running")
        self.until_same("alpha")
        shown = expected.of_monitor(self.monitor.jobs("alpha"))
        self.alpha.stop(crash=True)
        self.until_cluster("alpha", "unreachable")
        self.assertEqual(shown, expected.of_monitor(self.monitor.jobs("alpha")), "its jobs stay in view meanwhile")
        self.alpha.start()
        self.until_live("alpha")
        self.alpha.apply(jobs.pytorch("after-the-crash"))
        self.until_state("alpha", "PyTorchJob", "after-the-crash", "Succeeded")

    def test_02_removal_and_return(self):
        (self.world.files / "alpha.kubeconfig").unlink()
        wait.until("alpha stays", lambda: self.monitor.cluster("alpha") is None)
        self.assertEqual(self.monitor.jobs("alpha"), [])
        self.alpha.apply(jobs.batch("unseen"))
        self.world.write_file("alpha")
        wait.until("alpha does not return", lambda: self.monitor.cluster("alpha"))
        self.until_live("alpha")
        self.until_state("alpha", "Job", "unseen", "Succeeded")

    def test_03_a_broken_file_is_named_and_harms_nobody(self):
        file = self.world.files / "broken.kubeconfig"
        file.write_text("apiVersion: v1\nkind: Config\nclusters: [\n")
        found = self.until_cluster("broken", "failed")
        self.assertIn("broken.kubeconfig", found["reason"])
        file.unlink()
        wait.until("broken stays", lambda: self.monitor.cluster("broken") is None)


class Test3BetaFails(WorldTest):
    others = ("alpha",)

    def test_01_deleted_while_disconnected(self):
        self.beta.apply(jobs.batch("goes-unseen", run_ms=600000), jobs.batch("stays", run_ms=600000))
        for name in ("goes-unseen", "stays"):
            self.until_state("beta", "Job", name, "Running")
        self.world.relay.cut()
        self.until_cluster("beta", "unreachable")
        self.beta.delete("jobs", "goes-unseen")
        self.beta.apply(jobs.batch("comes-unseen"))
        wait.until("kubectl still has it", lambda: "goes-unseen" not in self.beta.kubectl("get", "jobs", "-o", "name"))
        self.world.relay.join()
        self.until_live("beta")
        wait.until("it stays", lambda: not self.monitor.job("beta", "default", "Job", "goes-unseen"))
        self.until_state("beta", "Job", "comes-unseen", "Succeeded")

    def test_02_broken_connections(self):
        for _ in range(3):
            self.world.relay.drop()
            self.until_live("beta")

    def test_03_rights_taken_and_given(self):
        self.beta.kubectl("delete", "clusterrolebinding", "monitor-reads-jobs")
        self.world.relay.drop()  # an open watch keeps the rights it began with
        kind = self.until_kind("beta", "Job", "batch/v1", "forbidden")
        self.assertTrue(kind["reason"])
        self.beta.apply(binding("monitor"))
        self.until_live("beta")

    def test_04_token_rotation(self):
        before = self.monitor.cluster("beta")["generation"]
        self.beta.apply(binding("successor"))
        self.world.token = self.beta.service_account_token("successor")
        self.world.write_file("beta")
        wait.until("no new generation", lambda: self.monitor.cluster("beta")["generation"] > before)
        self.until_live("beta")
        self.beta.kubectl("delete", "serviceaccount", "monitor")  # the old token ends here
        self.world.relay.drop()
        self.until_live("beta")

    def test_05_a_dead_token_is_told(self):
        dead = self.world.token
        self.beta.kubectl("delete", "serviceaccount", "successor")
        # The API server remembers for ten seconds that a token was good.
        found = wait.until("beta seems well", lambda: self.world.relay.drop() or (
            (c := self.monitor.cluster("beta")) and "nauthorized" in json.dumps(c) and c), every=1)
        self.assertNotEqual(found["state"], "live")
        self.assertNotIn(dead, json.dumps(found))
        self.beta.apply(binding("third"))
        self.world.token = self.beta.service_account_token("third")
        self.world.write_file("beta")
        self.until_live("beta")

    def test_06_crd_deleted_and_back(self):
        self.beta.kubectl("delete", "crd", "trainjobs.trainer.kubeflow.org")
        self.until_kind("beta", "TrainJob", "trainer.kubeflow.org/v1alpha1", "not-installed")
        wait.until("its jobs stay", lambda: not self.monitor.job("beta", "default", "TrainJob", "tuning"))
        self.beta.kubectl("apply", "--server-side", "-f", ROOT / "tests/e2e/crds/trainjobs_v1alpha1.yaml")
        self.beta.kubectl("wait", "--for=condition=Established", "crd", "--all", "--timeout=60s")
        self.until_live("beta")
        self.beta.apply(jobs.train("second-life"))
        self.until_state("beta", "TrainJob", "second-life", "Created")


if __name__ == "__main__":
    unittest.main()
