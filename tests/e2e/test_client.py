"""The client's verbs at a real API server, through client_probe, a program without a loop: subresources with their own
kinds, collections, patches, waits, discovery.

All of it in JSON and in Protocol Buffers. KCONTROL_PROBES is the folder of client_probe. Run alone: run.py test_client
"""
import json
import subprocess
import unittest

import probes
import server
import wait

MAPS = "/api/v1/namespaces/default/configmaps"
SERVICES = "/apis/apiregistration.k8s.io/v1/apiservices"
BROKEN = "v1.broken.example.com"


class ClientTest(unittest.TestCase):
    encoding = "json"

    @classmethod
    def setUpClass(cls):
        cls.program = probes.program("client_probe")
        cls.real = server.Server("client")
        cls.addClassCleanup(cls.real.stop)

    def play(self, what):
        run = subprocess.run([self.program, self.real.kubeconfig, what], capture_output=True, text=True, timeout=300,
                             env=probes.speaking(self.encoding))
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        return run.stdout.splitlines()

    def test_1_subresources_have_their_own_kinds(self):
        self.assertEqual(self.play("subresources"), [
            "created yes", "scale 1", "scale 4", "scale 5", "stale no: Conflict", "bound yes n1", "again no: Conflict",
            "evicted yes", "gone no: NotFound", "again no: NotFound", "token yes"])
        web = self.real.ask("GET", "/apis/apps/v1/namespaces/default/deployments/web")[1]
        self.assertEqual(web["spec"]["replicas"], 5)

    def test_1_what_a_running_pod_may_be_given(self):
        self.assertEqual(self.play("running"), [
            "plain no: Invalid", "resize yes 200m", "resize yes 300m", "stale no: Conflict", "plain no: Invalid",
            "ephemeral yes 1", "stays no: Conflict"])
        pod = self.real.ask("GET", "/api/v1/namespaces/default/pods/running")[1]
        self.assertEqual([c["name"] for c in pod["spec"]["ephemeralContainers"]], ["shell"])
        self.assertEqual(pod["spec"]["containers"][0]["resources"]["requests"], {"cpu": "300m"})

    def test_2_patches_dry_runs_and_strict_fields(self):
        lines = self.play("patches")
        self.assertEqual(lines, ["dry 2", "containers 1", "strategic 2", "strict no: Invalid", "ignore yes",
                                 "wrapped no: Invalid", "dry apply yes", "containers 2"])

    def test_3_collections_and_pages(self):
        lines = self.play("collections")
        # kube-controller-manager is not there, which would add a map of its own.
        self.assertEqual(lines, ["page 3 4", "page 3 1", "page 1 none", "dry 3", "deleted m1 m3 m5", "left 4",
                                 "namespaced 4"])

    def test_4_waits(self):
        probe = subprocess.Popen([self.program, self.real.kubeconfig, "waits"], stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True, env=probes.speaking(self.encoding))
        self.addCleanup(probe.communicate)
        self.assertEqual(probe.stdout.readline(), "waiting\n")
        code, made = self.real.ask("POST", MAPS, json.dumps(
            {"metadata": {"name": "signal", "finalizers": ["example.com/held"]}, "data": {"state": "begun"}}))
        self.assertEqual(code, 201, made)
        merge = "application/merge-patch+json"
        self.real.ask("PATCH", f"{MAPS}/signal", json.dumps({"data": {"state": "done"}}), merge)
        self.assertEqual(probe.stdout.readline(), "met yes\n")
        wait.until("the object is not deleted", lambda: "deletionTimestamp" in
                   self.real.ask("GET", f"{MAPS}/signal")[1]["metadata"])
        self.real.ask("PATCH", f"{MAPS}/signal", json.dumps({"metadata": {"finalizers": None}}), merge)
        out, err = probe.communicate(timeout=120)
        self.assertEqual(probe.returncode, 0, out + err)
        told = out.splitlines()
        self.assertEqual(told[0], "gone yes no: NotFound")
        self.assertTrue(told[1].startswith("late no: "), told)
        # etcd has not been compacted for so long as it is this young, so that version 1 may still be known.
        self.assertIn(told[2], ("old no: Expired", "old yes"))

    def test_5_discovery_with_a_broken_aggregated_api(self):
        code, made = self.real.ask("POST", SERVICES, json.dumps({
            "apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService", "metadata": {"name": BROKEN},
            "spec": {"group": "broken.example.com", "version": "v1", "groupPriorityMinimum": 100, "versionPriority": 10,
                     "insecureSkipTLSVerify": True, "service": {"namespace": "default", "name": "nobody", "port": 443}}}))
        self.assertEqual(code, 201, made)
        self.addCleanup(self.real.ask, "DELETE", f"{SERVICES}/{BROKEN}")
        wait.until("the broken group is not listed", lambda: any(
            g["name"] == "broken.example.com" for g in self.real.ask("GET", "/apis")[1]["groups"]), 60)
        lines = self.play("discovery")
        modern = lines[lines.index("modern") + 1:lines.index("legacy")]
        legacy = lines[lines.index("legacy") + 1:lines.index("words")]
        words = lines[lines.index("words") + 1:]
        self.assertEqual(sorted(modern), sorted(legacy))
        self.assertIn("failed broken.example.com/v1", modern)
        self.assertTrue(any(line.startswith("v1 pods Pod ns po ") and "/eviction=policy/v1.Eviction" in line
                            for line in modern), modern[:5])
        self.assertTrue(any(line.startswith("apps/v1 deployments ") and "/scale=autoscaling/v1.Scale" in line
                            for line in modern))
        served = sum(len([r for r in self.real.ask("GET", path)[1]["resources"] if "/" not in r["name"]])
                     for path in self.paths())
        self.assertEqual(len([line for line in modern if not line.startswith("failed ")]), served)
        self.assertEqual(words[:6], ["po v1 pods", "deploy apps/v1 deployments", "hpa autoscaling/v2 horizontalpodautoscalers",
                                     "events.events.k8s.io events.k8s.io/v1 events",
                                     "horizontalpodautoscalers.v1.autoscaling autoscaling/v1 horizontalpodautoscalers",
                                     "nope no: " + words[5].split("no: ")[1]])
        self.assertNotIn("NotFound", words[6])
        self.assertTrue(words[6].startswith("broken no: "), words)
        self.assertEqual(words[7], "version " + self.real.ask("GET", "/version")[1]["gitVersion"])
        self.assertEqual(words[8], "openapi yes, whole")

    def paths(self):
        """Of each group-version that answers."""
        yield "/api/v1"
        for group in self.real.ask("GET", "/apis")[1]["groups"]:
            if group["name"] == "broken.example.com":
                continue
            for version in group["versions"]:
                yield f"/apis/{version['groupVersion']}"


class ProtobufClientTest(ClientTest):
    """The same in Protocol Buffers: nobody may see a difference."""
    encoding = "protobuf"


if __name__ == "__main__":
    unittest.main()
