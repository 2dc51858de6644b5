"""An operator on a real cluster, as its manifests deploy it: an administrator lets the program install its kinds, and
then it works with the rights of the manifests alone."""
import json
import pathlib
import signal
import subprocess
import tempfile
import unittest

import cluster
import wait


class InstalledOperator(unittest.TestCase):
    """A cluster of the test's own, and the program in it. A subclass says which:"""

    NAME = ""  # of its namespace, account and Lease, and of the product's folder
    KINDS = ()  # "plural.group"
    OPTIONS = ()
    find_assets = staticmethod(cluster.find_assets)

    @classmethod
    def find_program(cls):
        raise NotImplementedError

    @classmethod
    def environment(cls):
        return None

    @classmethod
    def prepare(cls):
        """What the cluster has before the program starts."""

    @classmethod
    def setUpClass(cls):
        cls.program = cls.find_program()
        cls.assets, why = cls.find_assets()
        if cls.assets is None:
            raise unittest.SkipTest(why)
        work = tempfile.TemporaryDirectory(prefix=f"kcontrol-{cls.NAME}-", ignore_cleanup_errors=True)
        cls.addClassCleanup(work.cleanup)
        cls.work = pathlib.Path(work.name)
        cls.log = cls.work / "operator.log"
        cls.real = cluster.Cluster(cls.NAME, cls.assets, work.name)
        cls.real.start()
        cls.addClassCleanup(cls.real.stop)
        first = subprocess.Popen([cls.program, "--install-crds", "--kubeconfig", cls.real.admin],
                                 stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=cls.log.open("ab"))
        cls.real.kubectl("create", "namespace", cls.NAME)
        cls.prepare()
        wait.until(lambda: f"the kinds are not installed: {cls.log.read_text()}", cls.are_installed, 60)
        first.terminate()
        first.wait(60)
        deploy = cluster.ROOT / "examples" / "apps" / cls.NAME.replace("-", "_") / "deploy" / "base"
        cls.real.kubectl("apply", "--server-side", "--force-conflicts", "-k", deploy)
        token = cls.real.kubectl("-n", cls.NAME, "create", "token", cls.NAME).strip()
        cls.kubeconfig = cls.work / "operator.kubeconfig"
        cls.kubeconfig.write_text(cls.real.kubeconfig(token=token))
        cls.start()

    @classmethod
    def are_installed(cls):
        return all(map(cls.is_installed, cls.KINDS))

    @classmethod
    def is_installed(cls, kind):  # `kubectl wait` fails while there is no status at all
        found = cls.real.kubectl("get", "crd", kind, "-o", "json", "--ignore-not-found")
        conditions = json.loads(found).get("status", {}).get("conditions") if found else None
        return any(c["type"] == "Established" and c["status"] == "True" for c in conditions or [])

    @classmethod
    def start(cls):
        with cls.log.open("ab") as log:
            cls.process = subprocess.Popen(
                [cls.program, "--kubeconfig", cls.kubeconfig, "--leader-elect", "--leader-election-namespace", cls.NAME,
                 *cls.OPTIONS], stdout=log, stderr=log, stdin=subprocess.DEVNULL, env=cls.environment())
        cls.addClassCleanup(cls.process.kill)

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
