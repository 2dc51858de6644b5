"""examples/apps/kc beside kubectl, at a real API server: both print the same.

KCONTROL_EXAMPLES is the folder of the programs of examples/. Run alone: run.py test_kc
"""
import json
import pathlib
import re
import subprocess
import unittest

import probes
import server

MANIFEST = """apiVersion: v1
kind: ConfigMap
metadata: {name: colors, namespace: default, labels: {team: a}}
data: {sky: blue}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {team: a}}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: main, image: "example.com/main:1"}]}
"""


class KcTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.program = probes.app("kc")
        cls.real = server.Server("kc")
        cls.addClassCleanup(cls.real.stop)
        cls.kubectl_program = pathlib.Path(cls.real.assets) / "kubectl"
        run = cls.kc("apply", "-f", "-", stdin=MANIFEST)
        if run != (0, "configmap/colors serverside-applied\ndeployment.apps/web serverside-applied\n", ""):
            raise RuntimeError(f"apply: {run}")

    @classmethod
    def run_one(cls, program, words, stdin):
        run = subprocess.run([program, *words, "--kubeconfig", cls.real.kubeconfig], capture_output=True, text=True,
                             input=stdin, timeout=120)
        return run.returncode, run.stdout, run.stderr

    @classmethod
    def kc(cls, *words, stdin=None):
        return cls.run_one(cls.program, words, stdin)

    @classmethod
    def kubectl(cls, *words, stdin=None):
        return cls.run_one(cls.kubectl_program, words, stdin)

    def same(self, *words):
        """Both print the same, but for what grows while one looks."""
        def timeless(run):
            return run[0], re.sub(r"\b(\d+[smhd])+\b *", "AGE ", run[1]), run[2]
        ours, theirs = timeless(self.kc(*words)), timeless(self.kubectl(*words))
        self.assertEqual(ours, theirs, words)
        return ours[1]

    def test_tables(self):
        self.assertIn("colors", self.same("get", "configmaps"))
        for words in (["get", "deploy"], ["get", "deployments.apps", "web"], ["get", "deploy", "-o", "wide"],
                      ["get", "cm", "-A"], ["get", "cm", "-l", "team=a"], ["get", "ns"], ["get", "cm", "-n", "kube-system"],
                      ["get", "pods"], ["get", "deploy/web", "-o", "name"], ["get", "cm", "-A", "-o", "name"],
                      ["get", "pods", "-A"], ["get", "nodes"], ["get", "cm", "colors", "nope"],
                      ["get", "cm", "colors", "colors"], ["get", "cm", "colors", "-A"], ["get", "cm", ""]):
            self.same(*words)

    def test_objects(self):
        self.kubectl("create", "configmap", "odd", "--from-literal", "html=<a href='x?y&z'>\u2028\"\\\t")
        self.addCleanup(self.kubectl, "delete", "configmap", "odd")
        for words in (["get", "deploy", "web"], ["get", "cm", "-l", "team=a"], ["get", "cm", "odd"], ["get", "pods"],
                      ["get", "cm", "colors", "odd"]):
            for form in ("json", "yaml"):
                self.same(*words, "-o", form)

    def test_what_the_server_serves_and_allows(self):
        self.same("api-resources")
        self.same("auth", "can-i", "delete", "deployments")
        self.assertEqual(self.kc("auth", "can-i", "delete", "deploy/web", "--as", "nobody"), (1, "no\n", ""))
        for words in (["*", "*"], ["get", "/healthz"], ["get", "gizmos"], ["list", "nodes"], ["list", "nodes", "-A"],
                      ["get", "gizmos", "--as", "nobody"], ["get", "/x", "--as", "nobody"]):
            self.same("auth", "can-i", *words)
        self.same("auth", "whoami")
        self.same("auth", "whoami", "--as", "nobody", "--as-group", "guests")

    def test_errors_are_those_of_the_server(self):
        for words in (["get", "cm", "nope"], ["get", "cm", "colors", "--as", "nobody"]):
            self.assertEqual(self.kc(*words), self.kubectl(*words))
        code, out, err = self.kc("get", "gizmos")
        self.assertEqual((code, out), (1, ""))
        self.assertIn('the server serves no "gizmos"', err)
        code, _, err = self.kc("get", "cm", "--nope")
        self.assertEqual(code, 1)
        self.assertIn("--nope", err)

    def test_changes(self):
        said = self.kc("scale", "deploy", "web", "--replicas", "3")
        self.assertEqual(said, (0, "deployment.apps/web scaled\n", ""))
        said = self.kc("patch", "deploy", "web", "-p", '{"spec":{"paused":true}}')
        self.assertEqual(said, (0, "deployment.apps/web patched\n", ""))
        spec = self.real.ask("GET", "/apis/apps/v1/namespaces/default/deployments/web")[1]["spec"]
        self.assertEqual((spec["replicas"], spec["paused"]), (3, True))
        self.assertEqual(self.kc("wait", "deploy/web", "--for", "jsonpath={.spec.replicas}=3", "--timeout", "60s"),
                         (0, "deployment.apps/web condition met\n", ""))
        # measures: it gives up at the time that is asked for
        code, _, err = self.kc("wait", "deploy/web", "--for", "condition=Available", "--timeout", "1s")
        self.assertEqual(code, 1)
        self.assertIn("the object is at version", err)
        for name in ("one", "two"):
            self.kubectl("create", "configmap", name)
            self.kubectl("label", "configmap", name, "kill=me")
        for words in (["one", "-l", "kill=me"], ["one", "--all"], ["one", "-A"], ["one", ""]):
            self.assertEqual((self.kc("delete", "cm", *words)[:2]), (1, ""))
        for words in (["one", "--dry-run=server"], ["-l", "kill=nobody"], ["--all", "-n", "nope"]):
            self.same("delete", "cm", *words)
        said = self.kc("delete", "cm", "one")
        self.assertEqual(said, (0, 'configmap "one" deleted from default namespace\n', ""))
        self.kubectl("create", "configmap", "one")
        self.assertEqual(self.kubectl("delete", "cm", "one"), said)
        self.assertEqual(self.kc("delete", "cm", "-l", "kill=me"), (0, 'configmap "two" deleted from default namespace\n', ""))
        self.assertEqual(self.kc("delete", "cm", "two")[0], 1)
        self.same("port-forward", "nope", "1:2")
        self.same("patch", "cm", "colors", "-p", "{}", "--type", "foo")
        conflict = MANIFEST.replace("blue", "red")
        code, _, err = self.kc("apply", "-f", "-", "--field-manager", "another", stdin=conflict)
        self.assertEqual(code, 1)
        self.assertIn(".data.sky", err)
        self.assertEqual(self.kc("apply", "-f", "-", "--field-manager", "another", "--force-conflicts", "--dry-run",
                                 stdin=conflict.split("---")[0])[:2],
                         (0, "configmap/colors serverside-applied (server dry run)\n"))
        self.assertEqual(self.real.ask("GET", "/api/v1/namespaces/default/configmaps/colors")[1]["data"], {"sky": "blue"})

    def test_watch(self):
        follower = subprocess.Popen([self.program, "get", "cm", "seen", "-w", "--kubeconfig", self.real.kubeconfig],
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        follower.communicate(timeout=60)
        self.assertEqual(follower.returncode, 1)  # there is no such object
        self.kubectl("create", "configmap", "seen")
        follower = subprocess.Popen([self.program, "get", "cm", "seen", "-w", "--kubeconfig", self.real.kubeconfig],
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(follower.communicate)
        self.addCleanup(follower.kill)
        self.assertTrue(follower.stdout.readline().startswith("NAME"))
        self.assertTrue(follower.stdout.readline().startswith("seen   0"))
        self.kubectl("patch", "configmap", "seen", "-p", '{"data":{"a":"b"}}')
        self.assertTrue(follower.stdout.readline().startswith("seen   1"))
        self.kubectl("delete", "configmap", "seen")
        self.assertEqual(follower.stdout.readline(), "seen   deleted\n")


if __name__ == "__main__":
    unittest.main()
