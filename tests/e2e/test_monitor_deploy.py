"""The manifests under examples/apps/training_monitor/deploy, applied to a real cluster, and the rights they give, used."""
import itertools
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import jobs
import monitor as monitors
import wait
from fixture import KINDS, ROOT, WorldTest

DEPLOY = ROOT / "examples" / "apps" / "training_monitor" / "deploy"
ACCOUNT = "system:serviceaccount:training-monitor:training-monitor"


class Deploy(WorldTest):
    others = ("alpha", "beta")

    def apply(self, folder):
        out = self.alpha.kubectl("apply", "-k", DEPLOY / folder, "-o", "json")
        return {(item["kind"], item["metadata"]["name"]): item for item in json.loads(out)["items"]}

    def test_1_every_folder_applies_and_its_pod_is_admitted(self):
        self.apply("base")
        # `restricted` is enforced in its namespace: a pod that broke it would never become available.
        self.alpha.kubectl("-n", "training-monitor", "rollout", "status", "deployment/training-monitor", "--timeout=60s")
        for folder, argument in (("state", "--state="), ("clusters-from-secrets", "--clusters-from-secrets="),
                                 ("notices", "--notify-config=")):
            self.apply(folder)
            wait.until(f"no pod of {folder} is admitted", lambda: any(  # its volume has nobody here to make it
                a.startswith(argument) for pod in self.alpha.get("pods", "-n", "training-monitor")["items"]
                for a in pod["spec"]["containers"][0]["args"]), 60)

    def test_1_what_is_remembered_fits_into_the_volume_and_the_memory(self):
        made = self.apply("state")
        pod = made["Deployment", "training-monitor"]["spec"]["template"]["spec"]["containers"][0]
        kept = next(int(m[1]) for a in pod["args"] if (m := re.fullmatch(r"--retain-size=(\d+)MiB", a)))
        memory = int(re.fullmatch(r"(\d+)Mi", pod["resources"]["limits"]["memory"])[1])
        claim = made["PersistentVolumeClaim", "training-monitor-state"]["spec"]["resources"]["requests"]["storage"]
        self.assertLess(4 * kept, memory)
        self.assertLess(2 * kept, 1024 * int(re.fullmatch(r"(\d+)Gi", claim)[1]))

    def test_2_every_choice_of_components_would_be_applied(self):
        """Each of them is built; each object that any of them makes is shown to the server once."""
        self.apply("base")
        here = pathlib.Path(__file__).parent
        for file in ("own_crds/monitoring_v1.yaml", "gateway/httproutes_v1.yaml", "gateway/backendtlspolicies_v1.yaml"):
            self.alpha.kubectl("apply", "--server-side", "-f", here / file)
        for crd in ("servicemonitors.monitoring.coreos.com", "backendtlspolicies.gateway.networking.k8s.io"):
            self.alpha.kubectl("wait", "--for=condition=Established", f"crd/{crd}", "--timeout=60s")
        components = sorted(p.name for p in (DEPLOY / "components").iterdir())
        self.assertIn("prometheus-operator", components)
        made = {}
        with tempfile.TemporaryDirectory() as folder:
            deploy = os.path.relpath(DEPLOY, os.path.realpath(folder))
            for count in range(len(components) + 1):
                for choice in itertools.combinations(components, count):
                    (pathlib.Path(folder) / "kustomization.yaml").write_text(json.dumps(
                        {"namespace": "training-monitor", "resources": [f"{deploy}/base"],
                         "components": [f"{deploy}/components/{c}" for c in choice]}))
                    text = self.alpha.kubectl("kustomize", folder)
                    for part in text.split("\n---\n"):
                        made.setdefault(part.strip(), choice)
        kinds = {re.search(r"^kind: (\w+)$", part, re.M)[1] for part in made}
        self.assertLessEqual({"PrometheusRule", "ServiceMonitor", "Ingress", "HTTPRoute", "NetworkPolicy"}, kinds)
        for part, choice in made.items():
            with self.subTest(choice):
                self.alpha.kubectl("apply", "--dry-run=server", "--validate=strict", "-f", "-", stdin=part)

    def test_2_the_flags_are_flags_of_the_program(self):
        usage = subprocess.run([monitors.binary(), "--help-all"], capture_output=True, text=True, check=True).stdout
        for folder in ("clusters-from-secrets", "notices"):
            made = self.apply(folder)
            arguments = made["Deployment", "training-monitor"]["spec"]["template"]["spec"]["containers"][0]["args"]
            for argument in arguments:
                self.assertRegex(usage, re.escape(argument.split("=")[0]) + r"\b")

    def test_3_it_works_with_these_rights_and_can_do_nothing_else(self):
        self.apply("base")
        self.alpha.apply(jobs.batch("seen-by-the-reader"))
        token = self.alpha.kubectl("-n", "training-monitor", "create", "token", "training-monitor").strip()
        file = pathlib.Path(self.world.folder.name) / "reader.kubeconfig"
        file.write_text(self.alpha.kubeconfig(token=token))
        done = subprocess.run([monitors.binary(), "--kubeconfig", file, "--once", "--output", "json", "--listen", "0"],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=90)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("seen-by-the-reader", done.stdout)
        self.assertNotIn("kube-system", done.stderr)  # it says so there if it can't read that namespace
        self.assertNotIn("CustomResourceDefinition", done.stderr)  # the same
        self.assertNotIn(token, done.stdout + done.stderr)
        for _, version in KINDS["alpha"]:
            group = version.split("/")[0]
            for resource in {"batch": ["jobs"], "kubeflow.org": ["pytorchjobs", "mpijobs"]}[group]:
                for verb in ("get", "list", "watch"):
                    self.assertEqual(self.can(verb, f"{resource}.{group}"), "yes")
                for verb in ("create", "update", "patch", "delete", "deletecollection"):
                    self.assertEqual(self.can(verb, f"{resource}.{group}"), "no", (verb, resource))
        for verb in ("get", "list"):  # by which it notices another cluster, or a restored one
            self.assertEqual(self.can(verb, "namespaces/kube-system"), "yes")
        self.assertEqual(self.can("get", "namespaces/default"), "no")
        self.assertEqual(self.can("watch", "namespaces/kube-system"), "no")
        for verb in ("list", "watch"):  # by which it notices that a kind is installed
            self.assertEqual(self.can(verb, "customresourcedefinitions.apiextensions.k8s.io"), "yes")
        for verb in ("get", "create", "update", "patch", "delete"):
            self.assertEqual(self.can(verb, "customresourcedefinitions.apiextensions.k8s.io"), "no", verb)
        for verb, resource in (("list", "pods"), ("watch", "pods"), ("list", "events")):  # by which it says why
            self.assertEqual(self.can(verb, resource), "yes", (verb, resource))
        for verb in ("create", "update", "patch", "delete", "deletecollection"):
            self.assertEqual(self.can(verb, "pods"), "no", verb)
            self.assertEqual(self.can(verb, "events"), "no", verb)
        for verb, resource in (("watch", "events"), ("get", "pods/log"), ("create", "pods/exec"), ("get", "pods/proxy")):
            self.assertEqual(self.can(verb, resource), "no", (verb, resource))
        for resource in ("secrets", "nodes", "configmaps", "namespaces"):
            self.assertEqual(self.can("list", resource), "no", resource)
        refused = subprocess.run([f"{self.alpha.assets}/kubectl", "--kubeconfig", file, "delete", "job", "seen-by-the-reader"],
                                 capture_output=True, text=True)
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("forbidden", refused.stderr.lower())

    def can(self, verb, resource):
        return self.alpha.kubectl("auth", "can-i", verb, resource, "--as", ACCOUNT, check=False).strip()

    def test_4_the_image_has_the_libraries_that_the_program_needs(self):
        listed = set(re.findall(r"\bz?lib[a-z0-9.+-]+\b", (DEPLOY / "Dockerfile").read_text().split("FROM debian:12-slim")[1]))
        shared = subprocess.run(["ldd", monitors.binary()], capture_output=True, text=True, check=True).stdout
        if "sanitize" in shared or "libasan" in shared:
            self.skipTest("a sanitized build")
        for path in re.findall(r"=> (/\S+)", shared):
            owner = subprocess.run(["dpkg", "-S", pathlib.Path(path).resolve()], capture_output=True, text=True)
            if owner.returncode != 0:
                owner = subprocess.run(["dpkg", "-S", path], capture_output=True, text=True)
            self.assertEqual(owner.returncode, 0, f"no package owns {path}")
            package = owner.stdout.split(":")[0]
            if package not in ("libc6", "libgcc-s1"):  # every image has them
                self.assertIn(package, listed, f"{path} is not in the image")


if __name__ == "__main__":
    unittest.main()
