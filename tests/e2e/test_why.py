"""Why a job failed or waits: pods of a real control plane with simulated kubelets, and what the monitor says of them."""
import json
import pathlib
import tempfile
import unittest

import cluster as clusters
import fixture
import jobs
import monitor as monitors
import receivers
import wait


def batch(name, annotations=None, gpus="1", **options):
    job = jobs.batch(name, **options)
    template = job["spec"]["template"]
    template["metadata"]["annotations"].update(annotations or {})
    template["spec"]["containers"][0]["resources"]["limits"]["nvidia.com/gpu"] = gpus
    return job


class TestWhy(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        assets, missing = clusters.find_assets()
        if assets is None:
            raise unittest.SkipTest(missing)
        folder = tempfile.TemporaryDirectory(prefix="kcontrol-why-", ignore_cleanup_errors=True)
        cls.addClassCleanup(folder.cleanup)
        path = pathlib.Path(folder.name)
        cls.cluster = clusters.Cluster("why", assets, path)
        cls.addClassCleanup(cls.cluster.stop, crash=True)
        cls.cluster.start()
        for file in ("namespace.yaml", "reader.yaml"):
            cls.cluster.kubectl("apply", "-f", fixture.DEPLOY / file)
        (path / "files").mkdir()
        # An account that may read jobs, and at first nothing else.
        cls.cluster.apply(fixture.binding("monitor"))
        token = cls.cluster.service_account_token("monitor")
        (path / "files" / "c").write_text(cls.cluster.kubeconfig(cls.cluster.url, token))
        cls.told = receivers.Receiver()
        cls.addClassCleanup(cls.told.close)
        (path / "hook").write_text(cls.told.url)
        (path / "notify.yaml").write_text(
            "receivers: [{name: all, webhook: {urlFile: hook}, rate: {perSecond: 1000, burst: 1000}}]\n"
            "rules: [{receivers: [all]}]\n")
        cls.monitor = monitors.Monitor(path / "files", path / "log", "--notify-config", path / "notify.yaml", "--logs",
                                       "--yaml")
        cls.addClassCleanup(cls.monitor.process.wait)
        cls.addClassCleanup(cls.monitor.process.kill)

    def one(self, kind, name):
        status, text = self.monitor.get_raw(f"/api/v1/jobs/c/default/{kind}/{name}")
        return json.loads(text) if status == 200 else None

    def until_why(self, kind, name, *words, state=None):
        def said():
            found = self.monitor.job("c", "default", kind, name)
            return found and all(w in found["why"] for w in words) and (state in (None, found["state"])) and found

        return wait.until(lambda: f"{name} does not say {words}: {self.one(kind, name)}", said, 60)

    def test_1_without_the_rights_the_page_says_which_would_help(self):
        wait.until(lambda: f"not live: {self.monitor.cluster('c')}",
                   lambda: (c := self.monitor.cluster("c")) and c["state"] == "live" and c["pods"] == "forbidden")
        self.cluster.apply(batch("blind", exit_code=1))
        found = wait.until("it does not fail", lambda: (j := self.one("Job", "blind")) and j["job"]["state"] == "Failed"
                           and len(j["missingRights"]) == 2 and j)
        self.assertEqual(found["job"]["why"], "")
        self.assertEqual(found["pods"], [])
        self.assertIn("pods", found["missingRights"][0])
        self.assertIn("events", found["missingRights"][1])

    def test_2_the_rights_are_given(self):
        binding = fixture.binding("monitor")
        binding["metadata"]["name"] = "why"
        binding["roleRef"]["name"] = "training-monitor-why"
        self.cluster.apply(binding)
        wait.until(lambda: f"no pods: {self.monitor.cluster('c')}", lambda: self.monitor.cluster("c")["pods"] == "live", 150)
        self.until_why("Job", "blind", "exit code 1", state="Failed")

    def test_3_exit_1_with_last_words(self):
        self.cluster.apply(batch("broken", {"sim/exit-message": "CUDA error"}, exit_code=1))
        found = self.until_why("Job", "broken", "gpu-node-0", "exit code 1: CUDA error", state="Failed")
        self.assertEqual(found["reason"], "BackoffLimitExceeded")
        one = self.one("Job", "broken")
        self.assertEqual([(p["phase"], p["exitCode"], p["node"]) for p in one["pods"]], [("Failed", 1, "gpu-node-0")])
        self.assertEqual(one["cause"]["pod"], one["pods"][0]["name"])
        self.assertEqual(found["replicas"], {"Pod": {"desired": 1, "active": 0, "succeeded": 0, "failed": 1}})
        wait.until("no notice says why", lambda: any("CUDA error" in json.dumps(r.json) for r in self.told.all))

    def test_4_out_of_memory(self):
        self.cluster.apply(jobs.pytorch("hungry", workers=2))
        job = jobs.pytorch("starved", exit_code=137)
        for replica in job["spec"]["pytorchReplicaSpecs"].values():
            replica["template"]["metadata"]["annotations"]["sim/exit-reason"] = "OOMKilled"
        self.cluster.apply(job)
        found = self.until_why("PyTorchJob", "starved", "exit code 137, killed (SIGKILL), out of memory (OOMKilled)",
                               state="Failed")
        self.assertRegex(found["why"], r"^(Master 0|Worker 0 \(rank 1\)) on gpu-node-0")
        # One that succeeded: all its pods did, whatever the operator left in its status.
        done = wait.until(lambda: f"{self.one('PyTorchJob', 'hungry')}", lambda: (
            (j := self.monitor.job("c", "default", "PyTorchJob", "hungry")) and j["state"] == "Succeeded"
            and j["replicas"]["Worker"]["succeeded"] == 2 and j))
        self.assertEqual(done["replicas"]["Worker"], {"desired": 2, "active": 0, "succeeded": 2, "failed": 0})
        ranks = {(p["type"], p["rank"]) for p in self.one("PyTorchJob", "hungry")["pods"]}
        self.assertEqual(ranks, {("Master", 0), ("Worker", 1), ("Worker", 2)})

    def test_5_an_image_that_can_not_be_had(self):
        self.cluster.apply(batch("unpulled", {"sim/waiting": "ImagePullBackOff"}))
        self.until_why("Job", "unpulled", "can't pull the image (ImagePullBackOff)", state="Pending")

    def test_6_no_node_has_the_gpus(self):
        self.cluster.apply(batch("huge", gpus="1000"))
        self.until_why("Job", "huge", "unschedulable", "0/1 nodes are available", "nvidia.com/gpu", state="Pending")
        # Who looks at it reads the scheduler's event, too.
        wait.until(lambda: f"no event: {self.one('Job', 'huge')['events']}", lambda: any(
            e["reason"] == "SuccessfulCreate" for e in self.one("Job", "huge")["events"]))

    def test_7_a_quota_is_spent(self):
        self.cluster.apply({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "team", "namespace": "default"},
                            "spec": {"hard": {"requests.nvidia.com/gpu": "0"}}})
        self.addCleanup(self.cluster.delete, "resourcequota", "team")
        wait.until("the quota is not counted", lambda: "hard" in self.cluster.get("resourcequota", "team")["status"])
        self.cluster.apply(batch("unpaid"))
        self.until_why("Job", "unpaid", "FailedCreate", "exceeded quota: team")

    def test_7_more_that_keeps_a_job_waiting(self):
        processors = batch("greedy")
        processors["spec"]["template"]["spec"]["containers"][0]["resources"]["requests"] = {"cpu": "1000"}
        elsewhere = batch("elsewhere")
        elsewhere["spec"]["template"]["spec"]["nodeSelector"] = {"zone": "none"}
        wide = jobs.pytorch("wide")
        for replica in wide["spec"]["pytorchReplicaSpecs"].values():
            replica["template"]["spec"]["containers"][0]["resources"]["limits"]["nvidia.com/gpu"] = "8"
        self.cluster.apply(processors, elsewhere, batch("unconfigured", {"sim/waiting": "CreateContainerConfigError"}),
                           wide, batch("gated", suspend=True))
        self.until_why("Job", "greedy", "unschedulable", "Insufficient cpu")
        self.until_why("Job", "elsewhere", "unschedulable", "node affinity/selector")
        self.until_why("Job", "unconfigured", "can't start the container (CreateContainerConfigError): simulated")
        # At most one of its two pods can have the whole node.
        self.until_why("PyTorchJob", "wide", "unschedulable", "nvidia.com/gpu")
        wait.until("it is not suspended", lambda: self.monitor.job("c", "default", "Job", "gated")["state"] == "Suspended")
        self.assertEqual(self.monitor.job("c", "default", "Job", "gated")["why"], "")
        self.cluster.delete("pytorchjobs", "wide")

    def test_7_out_of_time_and_started_again(self):
        self.cluster.apply(batch("late", run_ms=60000, activeDeadlineSeconds=1), batch("again", exit_code=3, backoffLimit=4))
        late = wait.until("it does not end", lambda: (
            (j := self.monitor.job("c", "default", "Job", "late")) and j["state"] == "Failed" and j))
        self.assertEqual((late["reason"], late["why"]), ("DeadlineExceeded", ""))
        self.until_why("Job", "again", "exit code 3", state="Restarting")

    def test_7_an_evicted_pod(self):
        self.cluster.apply(batch("evicted", run_ms=600000))
        pod = wait.until("it has no pod", lambda: (
            (j := self.one("Job", "evicted")) and j["pods"] and j["pods"][0]["phase"] == "Running" and j["pods"][0]))
        self.cluster.merge("pods", pod["name"], {"status": {"phase": "Failed", "reason": "Evicted",
                                                            "message": "The node was low on memory."}},
                           "--subresource=status")
        self.until_why("Job", "evicted", "on gpu-node-0: Evicted: The node was low on memory.", state="Failed")

    def test_8_logs_need_a_right_of_their_own(self):
        status, text = self.monitor.get_raw("/api/v1/jobs/c/default/Job/broken/logs")
        self.assertEqual(status, 403, text)
        self.assertIn("pods/log", text)
        self.assertEqual(self.monitor.get_raw("/api/v1/jobs/c/default/Job/broken/logs?pod=other")[0], 404)
        self.assertEqual(self.monitor.get_raw("/api/v1/jobs/c/default/Job/broken/logs?x=y")[0], 400)

    def test_8_yaml_is_the_object_that_the_server_has(self):
        secretive = batch("secretive")
        secretive["spec"]["template"]["spec"]["containers"][0]["env"] = [
            {"name": "HF_TOKEN", "value": "swordfish"}, {"name": "EPOCHS", "value": "3"}]
        self.cluster.apply(secretive)
        wait.until("it is not seen", lambda: self.one("Job", "secretive"))
        status, text = self.monitor.get_raw("/api/v1/jobs/c/default/Job/secretive/yaml")
        self.assertEqual(status, 200, text)
        self.assertNotIn("swordfish", text)
        self.assertNotIn("managedFields:", text)
        # kubectl reads it: the rest of it is what the server has.
        theirs = self.cluster.get("job", "secretive")
        ours = json.loads(self.cluster.kubectl("create", "--dry-run=client", "--validate=false", "-o", "json", "-f", "-",
                                               stdin=text))
        self.assertEqual(ours["metadata"]["uid"], theirs["metadata"]["uid"])
        theirs["spec"]["template"]["spec"]["containers"][0]["env"][0]["value"] = "[masked]"
        self.assertEqual(ours["spec"], theirs["spec"])
        self.assertTrue(self.one("Job", "secretive")["yaml"])
        self.assertEqual(self.monitor.get_raw("/api/v1/jobs/c/default/Job/nobody/yaml")[0], 404)


if __name__ == "__main__":
    unittest.main()
