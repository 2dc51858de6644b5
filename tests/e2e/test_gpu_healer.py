"""The GPU healer on a real cluster, with the rights of its manifests alone: nodes are kwok's, the test writes their
condition as the labeler would, and its server is the one that repairs. Run alone: run.py test_gpu_healer
"""
import datetime
import http.server
import json
import subprocess
import threading

import operators
import probes
import wait

CONDITION = "kcontrol.dev/GPUHealthy"
TAINT = "kcontrol.dev/gpu-unhealthy"


class Repairs:
    """A server that repairs: it keeps who asked, by the key that makes a request one of its kind."""

    def __init__(self):
        self.asked = asked = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                asked.append((self.path, self.headers["Idempotency-Key"], body.decode()))
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


def node(name):
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": {"gpu": "true", "name": name},
                                                             "annotations": {"kwok.x-k8s.io/node": "fake"}}}


def policy(name, node_name, **spec):
    return {"apiVersion": "healing.kcontrol.dev/v1alpha1", "kind": "HealingPolicy", "metadata": {"name": name},
            "spec": {"nodeSelector": {"matchLabels": {"name": node_name}}, "drain": {"mode": "None"},
                     "verify": {"holdSeconds": 1}, **spec}}


class GpuHealerTest(operators.InstalledOperator):
    NAME = "gpu-healer"
    KINDS = ("healingpolicies.healing.kcontrol.dev", "noderepairs.healing.kcontrol.dev")
    OPTIONS = ("--allow-address", "127.0.0.1", "--listen=0")

    @classmethod
    def find_program(cls):
        return probes.app("gpu_healer")

    def make_node(self, name):
        self.real.apply(node(name))
        wait.until(lambda: f"not ready: {self.node(name)}", lambda: self.conditions(name).get("Ready") == "True")

    def node(self, name):
        return json.loads(self.real.kubectl("get", "node", name, "-o", "json"))

    def conditions(self, name):
        return {c["type"]: c["status"] for c in self.node(name).get("status", {}).get("conditions", [])}

    def taints(self, name):
        return {t["key"]: t["value"] for t in self.node(name)["spec"].get("taints", []) if t["key"] == TAINT}

    def say(self, name, status, reason):
        now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        patch = {"status": {"conditions": [{"type": CONDITION, "status": status, "reason": reason, "message": "of the test",
                                            "lastTransitionTime": now, "lastHeartbeatTime": now}]}}
        self.real.kubectl("patch", "node", name, "--subresource=status", "--type=strategic", "-p", json.dumps(patch))

    def cases(self, name):
        return [c for c in self.real.get("noderepairs")["items"] if c["spec"]["node"] == name]

    def phases(self, name):
        return [(c.get("status", {}).get("phase"), c.get("status", {}).get("reason")) for c in self.cases(name)]

    def until(self, what, holds):
        wait.until(lambda: f"{what}: {json.dumps(self.real.get('noderepairs'))}\n{self.log.read_text()[-3000:]}", holds)

    def test_a_node_is_quarantined_repaired_once_verified_and_released(self):
        repairs = Repairs()
        self.addCleanup(repairs.stop)
        self.make_node("heals")
        webhook = {"url": repairs.url + "/nodes/{node}", "body": '{"node": "{node}", "why": "{reason}"}'}
        self.real.apply(policy("heals", "heals", repairs=[{"name": "driver", "steps": [{"name": "restart", "webhook": webhook}]}]))
        self.say("heals", "False", "GPUFailed")
        self.until("not tainted", lambda: self.taints("heals") == {TAINT: "GPUFailed"})
        self.until("not verifying", lambda: [p for p, _ in self.phases("heals")] == ["Verifying"])
        self.assertEqual(len(repairs.asked), 1)
        path, key, body = repairs.asked[0]
        self.assertEqual((path, json.loads(body)), ("/nodes/heals", {"node": "heals", "why": "GPUFailed"}))
        self.assertEqual(key, self.cases("heals")[0]["status"]["token"])
        # It is killed while it verifies: nothing is done again.
        self.kill()
        self.start()
        self.say("heals", "True", "AllWell")
        self.until("not released", lambda: [p for p, _ in self.phases("heals")] == ["Released"])
        self.until("still tainted", lambda: self.taints("heals") == {})
        self.assertEqual(len(repairs.asked), 1)
        told = [e["what"].split(":")[0].split(",")[0] for e in self.cases("heals")[0]["status"]["timeline"]]
        self.assertEqual(told, ["Suspected", "Quarantined", "Draining", "Repairing", "Verifying", "Released"])
        self.assertNotIn("unschedulable", self.node("heals")["spec"])

    def test_a_human_wins(self):
        self.make_node("human")
        self.real.apply(policy("human", "human"))
        self.say("human", "Unknown", "DriverHangs")
        self.until("not tainted", lambda: self.taints("human") == {TAINT: "DriverHangs"})
        self.until("its taint is not in the status", lambda: any(
            c["type"] == "Quarantined" and c["status"] == "True" for c in self.cases("human")[0]["status"].get("conditions", [])))
        self.real.kubectl("taint", "node", "human", f"{TAINT}-")
        self.until("not cancelled", lambda: self.phases("human") == [("Cancelled", "TaintRemoved")])
        self.until("not overridden", lambda: self.node("human")["metadata"]["annotations"].get(
            "healing.kcontrol.dev/overridden") == CONDITION)
        self.assertEqual(self.taints("human"), {})

    def test_policies_that_are_not_valid_are_refused(self):
        step = {"name": "s", "manual": {"message": "look"}, "webhook": {"url": "https://a/"}}
        for what, spec in {
                "nodeSelector is not empty": {"nodeSelector": {}},
                "maxPercent": {"breaker": {"maxPercent": 101}},
                "a step has one of": {"repairs": [{"name": "r", "steps": [step]}]},
                "NoExecute": {"taint": {"effect": "NoExecute"}},
                "kubernetes.io": {"taint": {"key": "node.kubernetes.io/unreachable"}},
                "triggers": {"triggers": []}}.items():
            with self.subTest(what):
                done = subprocess.run([f"{self.real.assets}/kubectl", "--kubeconfig", self.real.admin, "apply", "-f", "-"],
                                      input=json.dumps(policy("bad", "none", **spec)), capture_output=True, text=True)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(what, done.stderr)

    def test_of_nodes_it_may_write_taints_and_its_annotations_alone(self):
        self.make_node("guarded")
        for arguments, allowed in [(("taint", "node", "guarded", f"{TAINT}=x:NoSchedule"), True),
                                   (("annotate", "node", "guarded", "healing.kcontrol.dev/overridden=x"), True),
                                   (("label", "node", "guarded", "a=b"), False),
                                   (("annotate", "node", "guarded", "other=x"), False),
                                   (("cordon", "guarded"), False)]:
            with self.subTest(arguments):
                done = subprocess.run([f"{self.real.assets}/kubectl", "--kubeconfig", self.kubeconfig, *arguments],
                                      capture_output=True, text=True)
                # kubectl cordon fails with 0.
                self.assertEqual("gpu-healer-node-writes" not in done.stderr and done.returncode == 0, allowed, done.stderr)
                if not allowed:
                    self.assertIn("denied request", done.stderr)


if __name__ == "__main__":
    import unittest
    unittest.main()
