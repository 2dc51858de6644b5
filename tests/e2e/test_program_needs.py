"""kcontrol-gen --crds-of and --rbac-of on the examples: what is printed can be created, and is what their manifests say.

KCONTROL_GEN and KCONTROL_APISERVER are the programs, KCONTROL_EXAMPLES the folder of the examples'. Run alone: run.py
test_program_needs
"""
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest
import unittest.mock
import urllib.request

import apiserver_program
import cluster
import probes

OPERATOR = cluster.ROOT / "examples" / "apps" / "training_operator" / "deploy" / "base"
SERVICE = cluster.ROOT / "docs" / "service.md"
FOLLOW = cluster.ROOT / "examples" / "apps" / "follow" / "deploy" / "rights.yaml"
SITE = """apiVersion: v1
kind: Namespace
metadata: {name: dns}
---
apiVersion: example.com/v1
kind: Website
metadata: {name: shop, namespace: default}
spec: {host: shop.example.com, image: nginx, replicas: 2}
"""
JOB = """apiVersion: ai.kcontrol.dev/v1alpha1
kind: TrainingJob
metadata: {name: small, namespace: default}
spec: {workers: 2, template: {spec: {containers: [{name: main, image: a}]}}}
"""


SCHEDULER = cluster.ROOT / "examples" / "tutorial" / "10_scheduler.yaml"
SCHEDULED = """apiVersion: v1
kind: Node
metadata: {name: n1, labels: {kubernetes.io/hostname: n1}}
status: {allocatable: {cpu: 1500m, memory: 1Gi, pods: "10"}, capacity: {cpu: 1500m, memory: 1Gi, pods: "10"}}
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: late}
provisioner: example.com/disk
volumeBindingMode: WaitForFirstConsumer
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, namespace: default}
spec: {storageClassName: late, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
"""
WAITING = """---
apiVersion: v1
kind: Pod
metadata: {name: %s, namespace: default}
spec:
  schedulerName: tutorial-scheduler
  priority: %d
  containers: [{name: main, image: a, resources: {requests: {cpu: %s}}}]
"""


OWN_POD = """apiVersion: v1
kind: Pod
metadata: {name: store-0, namespace: default}
spec: {containers: [{name: main, image: a}]}
"""


def rights_in(page, *sections):
    """What the rules below these headings of a page allow, as triples."""
    out = set()
    for section in re.split(r"^## ", page.read_text(), flags=re.M):
        if section.split("\n", 1)[0] not in sections:
            continue
        for rule in re.findall(r"^- \{apiGroups: \[(.*)\], resources: \[(.*)\], verbs: \[(.*)\]\}$", section, flags=re.M):
            groups, resources, verbs = ([word.strip('"') for word in part.split(", ")] for part in rule)
            out |= {(g, r, v) for g in groups for r in resources for v in verbs}
    return out


def triples(role):
    return {(group, resource, verb) for rule in role["rules"] for group in rule["apiGroups"]
            for resource in rule["resources"] for verb in rule["verbs"]}


class ProgramNeedsTest(unittest.TestCase):
    def setUp(self):
        self.generator, server = os.environ.get("KCONTROL_GEN", ""), os.environ.get("KCONTROL_APISERVER", "")
        if not os.access(self.generator, os.X_OK) or not os.access(server, os.X_OK):
            raise unittest.SkipTest("KCONTROL_GEN and KCONTROL_APISERVER are not programs")
        self.path = f"{pathlib.Path(server).parent}:{os.environ['PATH']}"
        self.examples = probes.folder("KCONTROL_EXAMPLES")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, text):
        (self.folder / name).write_text(text)
        return self.folder / name

    def needs_of(self, *arguments):
        run = subprocess.run([self.generator, "--crds-of", "--rbac-of", "--name", "printed", *arguments],
                             capture_output=True, text=True, env={**os.environ, "PATH": self.path}, timeout=120)
        self.assertEqual(run.returncode, 0, run.stderr)
        return self.write("printed.yaml", run.stdout), run.stderr

    def created(self, *files):
        """What a server has of definitions and roles after these files are loaded: name to object."""
        program = apiserver_program.Program(self.folder, "--plain-http", "--as-written",
                                            *(word for file in files for word in ("--load", file)))
        try:
            out = {}
            # Where a Role has the name of a ClusterRole, that one counts.
            for path in ("apiextensions.k8s.io/v1/customresourcedefinitions", "rbac.authorization.k8s.io/v1/roles",
                         "rbac.authorization.k8s.io/v1/clusterroles"):
                with urllib.request.urlopen(f"{program.url}/apis/{path}") as answer:
                    out.update((each["metadata"]["name"], each) for each in json.load(answer)["items"])
            return out
        finally:
            program.stop()

    def test_an_operator_that_installs_its_kind(self):
        printed, told = self.needs_of("--for", "6s", "--controllers", "--load", self.write("site.yaml", SITE), "--",
                                      self.examples / "tutorial" / "3_website")
        self.assertNotIn("refused", told)
        all_made = self.created(printed)
        self.assertEqual(all_made["websites.example.com"]["spec"]["names"]["kind"], "Website")
        self.assertNotIn("uid", printed.read_text())
        self.assertLessEqual({
            ("example.com", "websites", "list"), ("example.com", "websites", "watch"), ("example.com", "websites", "patch"),
            ("example.com", "websites/status", "patch"), ("apps", "deployments", "create"), ("apps", "deployments", "patch"),
            ("", "services", "create"), ("", "configmaps", "create"), ("events.k8s.io", "events", "create"),
            ("apiextensions.k8s.io", "customresourcedefinitions", "create")}, triples(all_made["printed"]))

    def test_the_training_operators_manifests(self):
        printed, _ = self.needs_of("--for", "6s", "--as-written", "--controllers", "--load", self.write("job.yaml", JOB),
                                   "--", probes.app("training_operator"), "--install-crds")
        wanted, made = self.created(OPERATOR / "rights.yaml", OPERATOR / "trainingjobs.yaml"), self.created(printed)
        name = "trainingjobs.ai.kcontrol.dev"
        self.assertEqual(made[name]["spec"]["versions"], wanted[name]["spec"]["versions"])
        used = triples(made["printed"])
        self.assertIn(("", "pods", "create"), used)
        # The manifest is for who installed the definition already; where the list of kube-system is forbidden it is got.
        beside = {("apiextensions.k8s.io", "customresourcedefinitions", verb) for verb in ("create", "get", "patch")}
        beside.add(("", "namespaces", "list"))
        self.assertLessEqual(used - beside, triples(wanted["training-operator"]))

    def test_the_role_of_kcontrol_follow(self):
        wanted = triples(self.created(FOLLOW)["kcontrol-follow"])
        used = set()
        for words in (["endpoints", "default/web"], ["pods", "default", "--selector", "app=web", "--port", "80"],
                      ["leader", "default/master"]):
            printed, _ = self.needs_of("--for", "4s", "--", probes.app("follow"), *words)
            used |= triples(self.created(printed)["printed"])
        # A client reads which cluster it is, and goes on where it may not; a Role of a namespace can't allow it.
        self.assertEqual(used - {("", "namespaces", "list")}, wanted)

    def test_the_schedulers_role(self):
        # One runs, another takes its place, one fits nowhere, one is bound, and one wants a volume that is yet to be made.
        world = SCHEDULED + WAITING % ("low", 1, '"1"') + "  nodeName: n1\n" + WAITING % ("high", 1000, '"1"')
        world += WAITING % ("huge", 0, '"64"') + WAITING % ("small", 2001, "1m") + WAITING % ("writer", 2000, "1m")
        world += "  volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]\n"
        printed, told = self.needs_of("--for", "8s", "--as-written", "--load", self.write("world.yaml", world), "--",
                                      self.examples / "tutorial" / "10_scheduler")
        self.assertNotIn("refused", told)
        used, wanted = triples(self.created(printed)["printed"]), self.created(SCHEDULER)["tutorial-scheduler"]
        self.assertLessEqual({("", "pods/binding", "create"), ("", "pods/eviction", "create"), ("", "pods/status", "patch"),
                              ("", "persistentvolumeclaims", "patch"), ("events.k8s.io", "events", "create")}, used)
        self.assertLessEqual(used, triples(wanted))

    def needs_of_step(self, name, *arguments):
        pod = self.write("pod.yaml", OWN_POD)
        with unittest.mock.patch.dict(os.environ, {"HOSTNAME": "store-0"}):
            printed, told = self.needs_of("--for", "6s", "--load", pod, "--", self.examples / "tutorial" / name, "", *arguments)
        self.assertNotIn("refused", told)
        return triples(self.created(printed)["printed"])

    def test_the_roles_of_services(self):
        self.assertEqual(self.needs_of_step("13_lead", "master", "10.0.0.7:5000"), rights_in(SERVICE, "Lead", "Label"))
        object_ = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "cache-7"}, "data": {"at": "10.0.0.7:5000"}}
        self.assertEqual(self.needs_of_step("14_register", json.dumps(object_)), rights_in(SERVICE, "Register"))


if __name__ == "__main__":
    unittest.main()
