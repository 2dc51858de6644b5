"""Events (include/kcontrol/record) at a real API server, in both APIs, as kubectl and a reader of either API see them.

KCONTROL_PROBES is the folder of record_probe. Run alone: run.py test_events
"""
import subprocess
import unittest

import probes
import server


class EventsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.program = probes.program("record_probe")
        cls.real = server.Server("events")
        cls.addClassCleanup(cls.real.stop)

    def write(self, api):
        self.real.ask("DELETE", "/api/v1/namespaces/default/events")
        run = subprocess.run([self.program, self.real.kubeconfig, api], capture_output=True, text=True, timeout=120)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        return run.stdout.strip()

    def events(self, path):
        code, found = self.real.ask("GET", f"{path}/namespaces/default/events")
        self.assertEqual(code, 200)
        return [e for e in found["items"] if e["metadata"]["name"].startswith(("c.", "n1."))]

    def check(self, api):
        # 3 alike; 9 of their own and 3 of one combined; 10 of the 15 that follow; the Node's.
        self.assertEqual(self.write(api), "drained 1 created 22 repeated 4 spam 5 failed 0")
        new = {e["note"]: e for e in self.events("/apis/events.k8s.io/v1")}
        old = {e["message"]: e for e in self.events("/api/v1")}
        self.assertEqual(set(new), set(old))
        return new, old

    def test_events_v1(self):
        new, old = self.check("events")
        same = new["the same"]
        self.assertEqual(same["series"]["count"], 3)
        self.assertEqual((same["type"], same["reason"], same["action"]), ("Normal", "Repeated", "Repeated"))
        self.assertEqual(same["reportingController"], "kcontrol.dev/probe")
        self.assertEqual(same["reportingInstance"], "here")
        self.assertEqual(same["regarding"], {"apiVersion": "v1", "kind": "ConfigMap", "namespace": "default", "name": "c",
                                             "uid": "22222222-0000-0000-0000-000000000000", "resourceVersion": "7"})
        combined = new["(combined from similar events): try 10"]
        self.assertEqual(combined["series"]["count"], 3)
        node = new["m" * 1021 + "..."]
        self.assertEqual(node["regarding"]["name"], "n1")
        self.assertEqual(node["related"]["name"], "c")
        self.assertEqual(node["reason"], "R" * 125 + "...")

    def test_core_v1(self):
        new, old = self.check("core")
        same = old["the same"]
        self.assertEqual(same["count"], 3)
        self.assertEqual(same["source"], {"component": "kcontrol.dev/probe", "host": "here"})
        self.assertEqual(same["involvedObject"]["name"], "c")
        self.assertLessEqual(same["firstTimestamp"], same["lastTimestamp"])
        self.assertEqual(old["(combined from similar events): try 12"]["count"], 3)


if __name__ == "__main__":
    unittest.main()
