"""The monitor's Helm chart: it makes what the kustomize components make, and a real API server takes it.

KCONTROL_HELM is a helm, which scripts/helm.sh finds or builds.
"""
import itertools
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import cluster
import monitor as monitors
import server

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "examples" / "apps" / "training_monitor" / "deploy"
CHART = DEPLOY / "chart"
# A helm that is built from its module takes its library's version for Kubernetes'.
FOR = ("--kube-version", "1.37.0")
HELM = os.environ.get("KCONTROL_HELM", "")
# A switch of the chart's and the component that it stands for, in the order in which full/ names them.
SWITCHES = {"state": "state", "notices": "notices", "clustersFromSecrets": "clusters-from-secrets",
            "networkPolicy": "network-policy", "ingress": "ingress", "httpRoute": "httproute",
            "prometheusOperator": "prometheus-operator", "gpuUsage": "gpu-usage"}
# None of them, each alone, all together.
CHOICES = [(), *((switch,) for switch in SWITCHES), tuple(SWITCHES)]


@unittest.skipUnless(os.access(HELM, os.X_OK), "no helm here (scripts/helm.sh)")
class Chart(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = server.Server("chart")
        cls.addClassCleanup(cls.server.stop)
        assets, _ = cluster.find_assets(server_only=True)
        cls.kubectl_program = f"{assets}/kubectl"
        cls.kubectl("create", "namespace", "training-monitor")
        here = pathlib.Path(__file__).parent
        for file in ("own_crds/monitoring_v1.yaml", "gateway/httproutes_v1.yaml", "gateway/backendtlspolicies_v1.yaml"):
            cls.kubectl("apply", "--server-side", "-f", here / file)
        for crd in ("servicemonitors.monitoring.coreos.com", "prometheusrules.monitoring.coreos.com",
                    "httproutes.gateway.networking.k8s.io", "backendtlspolicies.gateway.networking.k8s.io"):
            cls.kubectl("wait", "--for=condition=Established", f"crd/{crd}", "--timeout=60s")

    @classmethod
    def kubectl(cls, *arguments, stdin=None):
        done = subprocess.run([cls.kubectl_program, "--kubeconfig", cls.server.kubeconfig, *arguments], input=stdin,
                              capture_output=True, text=True)
        if done.returncode != 0:
            raise AssertionError(f"kubectl {arguments}: {done.stderr}")
        return done.stdout

    @classmethod
    def helm(cls, *arguments):
        with tempfile.TemporaryDirectory() as home:
            return subprocess.run([HELM, *arguments], capture_output=True, text=True, env={
                **os.environ, "HOME": home, "KUBECONFIG": str(cls.server.kubeconfig)})

    def template(self, *values):
        done = self.helm("template", "training-monitor", CHART, "--namespace", "training-monitor", *FOR,
                         *itertools.chain.from_iterable(("--set", v) for v in values))
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def objects(self, text):
        """{(kind, name): the object without what the two ways may say differently}"""
        text = re.sub(r"training-monitor-notify-[a-z0-9]{10}", "training-monitor-notify", text)
        answer = self.kubectl("create", "--dry-run=client", "--validate=false", "-o", "json", "-f", "-", stdin=text)
        found = {}
        while answer := answer.lstrip():  # one object behind the other
            item, end = json.JSONDecoder().raw_decode(answer)
            answer = answer[end:]
            for part in ("labels", "annotations", "namespace"):
                item["metadata"].pop(part, None)
            item.get("spec", {}).get("template", {}).get("metadata", {}).pop("annotations", None)
            item.pop("data", None)  # the same file, with and without comments
            found[item["kind"], item["metadata"]["name"]] = item
        return {key: item for key, item in found.items() if key[0] != "Namespace"}

    def kustomized(self, components):
        with tempfile.TemporaryDirectory() as folder:
            deploy = os.path.relpath(DEPLOY, os.path.realpath(folder))
            (pathlib.Path(folder) / "kustomization.yaml").write_text(json.dumps(
                {"namespace": "training-monitor", "resources": [f"{deploy}/base"],
                 "components": [f"{deploy}/components/{c}" for c in components]}))
            return self.kubectl("kustomize", folder)

    @staticmethod
    def without_order(made):
        """Flags, volumes and mounts come in the order in which components were named."""
        pod = made["Deployment", "training-monitor"]["spec"]["template"]["spec"]
        pod["containers"][0]["args"].sort()
        for part in (pod["volumes"], pod["containers"][0]["volumeMounts"]):
            part.sort(key=lambda one: one["name"])
        return made

    def test_it_makes_what_the_components_make(self):
        self.assertEqual(sorted(SWITCHES.values()), sorted(p.name for p in (DEPLOY / "components").iterdir()))
        for choice in CHOICES:
            with self.subTest(choice):
                ours = self.without_order(self.objects(self.template(*(f"{s}.enabled=true" for s in choice))))
                theirs = self.without_order(self.objects(self.kustomized([SWITCHES[s] for s in choice])))
                self.assertEqual(sorted(ours), sorted(theirs))
                for key in ours:
                    self.assertEqual(ours[key], theirs[key])

    def test_lint(self):
        done = self.helm("lint", "--strict", *FOR, CHART)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_a_server_takes_every_choice(self):
        made = set()
        for choice in CHOICES:
            text = self.template("grafanaDashboard.enabled=true", "rbac.logsIn={default}", "rbac.gpus=true",
                                 "rbac.gpuUsageIn={default}",
                                 "extraArgs={--logs}",
                                 "tolerations[0].key=gpu,tolerations[0].operator=Exists", "nodeSelector.disk=ssd",
                                 "imagePullSecrets[0].name=registry", "podAnnotations.a=b",
                                 *(f"{s}.enabled=true" for s in choice))
            made.update(part.strip() for part in re.split(r"^---$", text, flags=re.M) if "kind:" in part)
        kinds = {re.search(r"^kind: (\w+)$", part, re.M)[1] for part in made}
        self.assertLessEqual({"PrometheusRule", "ServiceMonitor", "Ingress", "HTTPRoute", "NetworkPolicy", "ConfigMap",
                              "PersistentVolumeClaim", "RoleBinding"}, kinds)
        for part in sorted(made):
            with self.subTest(part=part[:200]):
                where = () if re.search(r"^  namespace: ", part, re.M) else ("-n", "training-monitor")
                self.kubectl(*where, "apply", "--dry-run=server", "--validate=strict", "-f", "-", stdin=part)

    def test_its_flags_are_flags_of_the_program(self):
        if monitors.binary() is None:
            self.skipTest("the training_monitor program is not built")
        usage = subprocess.run([monitors.binary(), "--help-all"], capture_output=True, text=True, check=True).stdout
        text = self.template(*(f"{s}.enabled=true" for s in SWITCHES))
        arguments = re.findall(r"^ *- (--[a-z-]+)(?:=|$)", text, re.M)
        self.assertIn("--gpu-usage", arguments)
        self.assertGreater(len(arguments), 8)
        for argument in arguments:
            self.assertRegex(usage, re.escape(argument) + r"\b")

    def test_wrong_values_are_refused_with_their_names(self):
        for values, words in ((("ingres.enabled=true",), "ingres"), (("state.enabled=yes",), "/state/enabled"),
                              (("state.retain=64MB",), "/state/retain"), (("extraArgs={logs}",), "/extraArgs/0"),
                              (("image.tag=",), "/image/tag")):
            with self.subTest(values):
                done = self.helm("template", "m", CHART, *FOR, *itertools.chain.from_iterable(("--set", v) for v in values))
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(words, done.stderr)

    def test_install_upgrade_uninstall(self):
        flags = ("--namespace", "monitor-b", "--create-namespace", "--set", "image.repository=registry.example/m")
        for verb, more in (("install", ()), ("upgrade", ("--set", "notices.enabled=true,state.enabled=true"))):
            done = self.helm(verb, "second", CHART, *flags, *more)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("deployment/second", done.stdout)
        deployment = json.loads(self.kubectl("-n", "monitor-b", "get", "deployment", "second", "-o", "json"))
        container = deployment["spec"]["template"]["spec"]["containers"][0]
        self.assertEqual(container["image"], "registry.example/m:latest")
        self.assertIn("--notify-config=/etc/training-monitor/notify/notify.yaml", container["args"])
        # Beside the first one's roles, not over them.
        self.kubectl("get", "clusterrole", "second", "second-why", "second-logs")
        done = self.helm("uninstall", "second", "--namespace", "monitor-b")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.kubectl("get", "clusterrole", "-o", "name").count("second"), 0)


if __name__ == "__main__":
    unittest.main()
