"""examples/apps/configmap_sync on real clusters, each reached with the rights of its manifest: ConfigMaps of a home cluster in
those that Secrets name; one joins late, one forbids it.

KCONTROL_EXAMPLES is the folder of the programs of examples/. Run alone: run.py test_configmap_sync
"""
import base64
import os
import pathlib
import signal
import subprocess
import tempfile
import unittest

import cluster
import probes
import wait

DEPLOY = cluster.ROOT / "examples" / "apps" / "configmap_sync" / "deploy"
LABEL = "sigs.k8s.io/multicluster-runtime-kubeconfig"


class ConfigMapSync(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.program = probes.app("configmap_sync")
        assets, why = cluster.find_assets()
        if assets is None:
            raise unittest.SkipTest(why)
        work = tempfile.TemporaryDirectory(prefix="kcontrol-sync-", ignore_cleanup_errors=True)
        cls.addClassCleanup(work.cleanup)
        cls.work = pathlib.Path(work.name)
        cls.log = cls.work / "sync.log"
        cls.all = {}
        for name in ("home", "east", "west"):
            cls.all[name] = cluster.Cluster(name, assets, work.name)
            cls.all[name].start()
            cls.addClassCleanup(cls.all[name].stop)

    def start(self):
        home = self.work / "home.kubeconfig"
        home.write_text(self.login("home"))
        with self.log.open("ab") as log:
            self.process = subprocess.Popen([self.program, "configmap-sync", "region in (east,west)"], stdout=log,
                                            stderr=log, stdin=subprocess.DEVNULL,
                                            env={**os.environ, "KUBECONFIG": str(home)})
        self.addCleanup(self.process.kill)

    def login(self, name):
        """Of the service account, with the rights that the manifests give it there."""
        token = self.all[name].kubectl("-n", "configmap-sync", "create", "token", "configmap-sync").strip()
        return self.all[name].kubeconfig(token=token)

    def join(self, name, **labels):
        self.all["home"].apply({
            "apiVersion": "v1", "kind": "Secret",
            "metadata": {"name": name, "namespace": "configmap-sync", "labels": {LABEL: "true", **labels}},
            "data": {"kubeconfig": base64.b64encode(self.login(name).encode()).decode()}})

    def put(self, color, wanted="yes"):
        self.all["home"].apply({"apiVersion": "v1", "kind": "ConfigMap",
                                "metadata": {"name": "web", "namespace": "default", "labels": {"sync": wanted}},
                                "data": {"color": color}})

    def color(self, name):
        return self.all[name].kubectl("get", "configmap", "web", "--ignore-not-found", "-o", "jsonpath={.data.color}")

    def until(self, name, color):
        wait.until(lambda: f"{name} has {self.color(name)!r}, not {color!r}: {self.log.read_text()}",
                   lambda: self.color(name) == color)

    def test_clusters_follow(self):
        for name, one in self.all.items():
            files = ["clusters.yaml"] + (["home.yaml"] if name == "home" else [])
            for file in files:
                one.kubectl("apply", "-f", DEPLOY / file)
        self.put("red")
        self.join("east", region="east")
        self.start()
        self.until("east", "red")
        self.assertEqual(self.color("west"), "")
        self.put("blue")
        self.until("east", "blue")
        self.all["east"].merge("configmap", "web", {"data": {"color": "pink"}})
        self.until("east", "blue")

        # One that joins late, and forbids it: it is told, costs the other nothing, and gets all when it allows it.
        self.all["west"].delete("clusterrolebinding", "configmap-sync")
        self.join("west", region="west")
        wait.until(lambda: f"it is not told: {self.log.read_text()}", lambda: "forbidden" in self.log.read_text())
        self.put("green")
        self.until("east", "green")
        self.assertEqual(self.color("west"), "")
        self.all["west"].kubectl("apply", "-f", DEPLOY / "clusters.yaml")
        wait.until(lambda: f"west has {self.color('west')!r}: {self.log.read_text()}",
                   lambda: self.color("west") == "green")

        # Nothing is removed where it is no longer wanted to be kept the same.
        self.all["home"].kubectl("-n", "configmap-sync", "label", "secret", "east", "region=north", "--overwrite")
        wait.until(lambda: f"it does not leave: {self.log.read_text()}",
                   lambda: "the cluster left" in self.log.read_text())
        self.all["home"].delete("configmap", "web")
        self.until("west", "")
        self.assertEqual(self.color("east"), "green")

        self.process.send_signal(signal.SIGTERM)
        self.assertEqual(self.process.wait(60), 0)
        self.assertNotIn("error", [line.split()[1] for line in self.log.read_text().splitlines() if "reconcile" not in line])


if __name__ == "__main__":
    unittest.main()
