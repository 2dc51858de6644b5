"""The GPU healer on a real cluster, with the rights of its manifests alone: nodes are kwok's, the test writes their
condition as the labeler would, and its server is the one that repairs. Run alone: run.py test_gpu_healer
"""
import datetime
import http.server
import json
import signal
import subprocess
import threading

from recorded_case import CONDITION, TAINT, RecordedCase, policy


class Repairs:
    """A server that repairs: it keeps who asked, by the key that makes a request one of its kind."""

    def __init__(self):
        self.asked, self.statuses, self.over = [], [], threading.Event()
        asked, server = self.asked, self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                asked.append((self.path, self.headers["Idempotency-Key"], body.decode()))
                if "/nodes/" not in self.path:
                    server.over.wait()  # until when its answer comes, who asked is no more
                self.say(b"")

            def do_GET(self):
                server.statuses.append(self.path.rsplit("/", 1)[1])
                self.say(b'{"state": "successful"}')

            def say(self, body):
                try:
                    self.send_response(200)
                    self.send_header("Content-Length", str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)
                except OSError:
                    pass  # of a leader that was killed

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.over.set()
        self.server.shutdown()
        self.server.server_close()


class GpuHealerTest(RecordedCase):
    def say(self, name, status, reason):
        now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        patch = {"status": {"conditions": [{"type": CONDITION, "status": status, "reason": reason, "message": "of the test",
                                            "lastTransitionTime": now, "lastHeartbeatTime": now}]}}
        self.real.kubectl("patch", "node", name, "--subresource=status", "--type=strategic", "-p", json.dumps(patch))

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

    def test_the_recorded_case(self):
        """With times of some seconds; `healing` has the real ones, and holds them."""
        self.play(unknown_after=3, known_after=1, hold=3, awx_late=1, awx_takes=6, fallback_after=2)

    def test_the_leader_is_killed_while_a_step_runs(self):
        repairs = Repairs()
        self.addCleanup(repairs.stop)
        self.make_node("two")
        webhook = {"url": repairs.url + "/two", "statusURL": repairs.url + "/status/{token}"}
        self.real.apply(policy("two", "two", repairs=[{"name": "r", "steps": [{"name": "restart", "webhook": webhook}]}]))
        self.say("two", "False", "GPUFailed")
        self.until("no step", lambda: repairs.asked)  # of this one: there is no other yet
        first = self.process
        type(self).start()
        first.send_signal(signal.SIGKILL)
        first.wait()
        repairs.over.set()
        self.until("not verifying", lambda: [p for p, _ in self.phases("two")] == ["Verifying"])
        self.say("two", "True", "AllWell")
        self.until("not released", lambda: [p for p, _ in self.phases("two")] == ["Released"])
        self.until("still tainted", lambda: self.taints("two") == {})
        self.assertEqual([key for _, key, _ in repairs.asked], [self.cases("two")[0]["status"]["token"]])
        self.assertIn(self.cases("two")[0]["status"]["token"], repairs.statuses)

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
