"""The operator of examples/tutorial/3_website.cpp on a real cluster, whose Deployments become pods and whose garbage is
collected.

KCONTROL_TUTORIAL is the folder of the program. Run alone: run.py test_website
"""
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import unittest

import cluster
import wait


class WebsiteTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = os.environ.get("KCONTROL_TUTORIAL")
        if not folder:
            raise unittest.SkipTest("KCONTROL_TUTORIAL is not set")
        cls.program = pathlib.Path(folder) / "3_website"
        assets, why = cluster.find_assets()
        if assets is None:
            raise unittest.SkipTest(why)
        work = tempfile.TemporaryDirectory(prefix="kcontrol-website-", ignore_cleanup_errors=True)
        cls.addClassCleanup(work.cleanup)
        cls.log = pathlib.Path(work.name) / "website.log"
        cls.real = cluster.Cluster("website", assets, work.name)
        cls.real.start()
        cls.addClassCleanup(cls.real.stop)

    # As one of several, though alone: its definition must be there before it leads.
    def start(self):
        leading = ["--leader-elect", "--leader-election-id=website.example.com",
                   "--leader-election-namespace=default", "--leader-election-lease-duration=5s",
                   "--leader-election-renew-deadline=3s", "--leader-election-retry-period=1s"]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen([self.program, "--kubeconfig", self.real.admin, *leading], stdout=log,
                                            stderr=log, stdin=subprocess.DEVNULL)
        self.addCleanup(self.process.kill)

    def object(self, kind, name, *arguments):
        found = self.real.kubectl("get", kind, name, "-o", "json", "--ignore-not-found", *arguments)
        return json.loads(found) if found else None

    def apply_site(self, name, replicas):
        self.real.apply({"apiVersion": "example.com/v1", "kind": "Website",
                         "metadata": {"name": name, "namespace": "default"},
                         "spec": {"image": "example.com/shop:1", "host": "shop.example.com", "replicas": replicas}})

    def site(self):
        return self.object("website", "shop")

    def is_ready(self, replicas):
        status = (self.site() or {}).get("status", {})
        return status.get("phase") == "Ready" and status.get("readyReplicas") == replicas

    def test_a_website_s_life(self):
        self.start()
        wait.until(lambda: f"the definition does not come: {self.log.read_text()}",
                   lambda: "websites.example.com" in self.real.kubectl("get", "crd", "-o", "name"))
        self.real.kubectl("wait", "--for=condition=Established", "crd/websites.example.com", "--timeout=60s")
        self.apply_site("shop", replicas=2)
        # What it needs is not there: that is told, and tried again until it is.
        wait.until(lambda: f"nothing is told: {self.log.read_text()}",
                   lambda: 'namespaces \\"dns\\" not found' in self.log.read_text())
        self.assertIsNone(self.object("deployment", "shop"))
        self.real.kubectl("create", "namespace", "dns")
        wait.until(lambda: f"not ready: {self.site()}", lambda: self.is_ready(2), 60)
        site = self.site()
        conditions = {c["type"]: c for c in site["status"]["conditions"]}
        self.assertEqual(conditions["Available"]["status"], "True")
        self.assertEqual(site["metadata"]["finalizers"], ["example.com/dns"])
        for kind in ("deployment", "service"):
            owner, = self.object(kind, "shop")["metadata"]["ownerReferences"]
            self.assertEqual((owner["kind"], owner["uid"], owner["controller"]),
                             ("Website", site["metadata"]["uid"], True))
        record = lambda: self.object("configmap", "shop.example.com", "-n", "dns")
        self.assertEqual(record()["data"], {"website": "default/shop"})
        reasons = lambda: {e["reason"] for e in self.real.get("events")["items"]
                           if e["involvedObject"]["kind"] == "Website"}
        wait.until(lambda: f"Events are missing: {reasons()}", lambda: reasons() == {"Pending", "Ready"})

        # Another one does not get the host, and does not take the record along when it goes.
        self.apply_site("thief", replicas=1)
        wait.until(lambda: f"nothing is told: {self.log.read_text()}",
                   lambda: "spec.host: shop.example.com belongs to default/shop" in self.log.read_text())
        self.assertIsNone(self.object("deployment", "thief"))
        self.real.delete("website", "thief")
        wait.until("it does not go", lambda: self.object("website", "thief") is None)
        self.assertEqual(record()["data"], {"website": "default/shop"})

        self.real.merge("website", "shop", {"spec": {"replicas": 3, "image": "example.com/shop:2"}})
        wait.until(lambda: f"not ready: {self.site()}", lambda: self.is_ready(3), 60)
        image = lambda: self.object("deployment", "shop")["spec"]["template"]["spec"]["containers"][0]["image"]
        self.assertEqual(image(), "example.com/shop:2")

        # Killed when all is at rest, and started again: nothing is written that is right already.
        self.real.kubectl("rollout", "status", "deployment/shop", "--timeout=60s")
        wait.until(lambda: f"not ready: {self.site()}", lambda: self.is_ready(3), 60)
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        versions = lambda: [self.object(kind, "shop")["metadata"]["resourceVersion"] for kind in ("website", "deployment")]
        before = versions()
        self.start()
        self.real.kubectl("delete", "service", "shop")
        wait.until("the service is not made again", lambda: self.object("service", "shop"))
        self.assertEqual(versions(), before)

        self.real.delete("website", "shop")
        wait.until(lambda: f"it does not go: {self.site()}", lambda: self.site() is None)
        self.assertIsNone(record())
        for kind in ("deployment", "service"):
            wait.until(f"the {kind} is not collected", lambda: self.object(kind, "shop") is None, 60)
        self.process.terminate()
        self.assertEqual(self.process.wait(60), 0)


if __name__ == "__main__":
    unittest.main()
