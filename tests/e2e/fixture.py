"""Two real clusters, the monitor that watches them, and what every test asks at its end.

alpha: certificate login, straight to the API server; MPIJob v1 with its real operator; it crashes and returns.
beta:  token login of a service account, through a relay that tests cut; MPIJob v2beta1 and TrainJob.
"""
import concurrent.futures
import pathlib
import tempfile
import unittest

import cluster as clusters
import expected
import monitor as monitors
import proxy
import receivers
import wait

ROOT = pathlib.Path(__file__).resolve().parents[2]
KINDS = {
    "alpha": [("PyTorchJob", "kubeflow.org/v1"), ("MPIJob", "kubeflow.org/v1"), ("Job", "batch/v1")],
    "beta": [("PyTorchJob", "kubeflow.org/v1"), ("MPIJob", "kubeflow.org/v2beta1"),
             ("TrainJob", "trainer.kubeflow.org/v1alpha1"), ("Job", "batch/v1")],
}
DEPLOY = ROOT / "examples" / "apps" / "training_monitor" / "deploy" / "base"  # its role is what the monitor works with here


def binding(account):
    return {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding",
            "metadata": {"name": f"{account}-reads-jobs"},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "training-monitor"},
            "subjects": [{"kind": "ServiceAccount", "name": account, "namespace": "default"}]}


class World:
    """Everything the tests share; built once, for starting two clusters takes ten seconds."""

    def __init__(self, assets):
        self.folder = tempfile.TemporaryDirectory(prefix="kcontrol-e2e-", ignore_cleanup_errors=True)
        path = pathlib.Path(self.folder.name)
        self.files = path / "clusters"
        self.files.mkdir()
        self.alpha = clusters.Cluster("alpha", assets, path)
        self.beta = clusters.Cluster("beta", assets, path, ["--mpi-v2beta1"])
        self.recorders = []
        self.relay = self.monitor = self.told = None
        try:
            self.start(path)
        except BaseException:
            self.stop()
            raise

    def start(self, path):
        with concurrent.futures.ThreadPoolExecutor() as pool:
            list(pool.map(lambda each: each.start(), (self.alpha, self.beta)))
        self.beta.kubectl("apply", "--server-side", "-f", ROOT / "tests/e2e/crds/trainjobs_v1alpha1.yaml")
        self.beta.kubectl("wait", "--for=condition=Established", "crd", "--all", "--timeout=60s")
        for file in ("namespace.yaml", "reader.yaml"):
            self.beta.kubectl("apply", "-f", DEPLOY / file)
        self.beta.apply(binding("monitor"))
        self.relay = proxy.Proxy(self.beta.url)
        self.token = self.beta.service_account_token("monitor")
        self.write_file("alpha")
        self.write_file("beta")
        self.recorders = [clusters.Recorder(c, expected.RESOURCES[k])
                          for c in (self.alpha, self.beta) for k in KINDS[c.name]]
        self.told = receivers.Receiver()
        (path / "hook").write_text(self.told.url)
        (path / "notify.yaml").write_text(
            "receivers: [{name: all, webhook: {urlFile: hook}, rate: {perSecond: 1000, burst: 1000}, repeatAfter: 0s}]\n"
            "rules: [{receivers: [all]}]\n")
        self.monitor = monitors.Monitor(self.files, path / "monitor.log", "--notify-config", path / "notify.yaml")

    def write_file(self, name):
        """The cluster's kubeconfig, put in place at once, as `kubectl config` and mounted secrets do."""
        text = self.alpha.kubeconfig() if name == "alpha" else self.beta.kubeconfig(self.relay.url, self.token)
        new = self.files.parent / "new.kubeconfig"
        new.write_text(text)
        new.rename(self.files / f"{name}.kubeconfig")

    def stop(self):
        if self.monitor and self.monitor.process.poll() is None:
            self.monitor.process.kill()
            self.monitor.process.wait()
        for recorder in self.recorders:
            recorder.stop()
        if self.relay:
            self.relay.cut()
        if self.told:
            self.told.close()
        for each in (self.alpha, self.beta):
            each.stop(crash=True)
        self.folder.cleanup()


class WorldTest(unittest.TestCase):
    world = None
    others = ()  # clusters that a test must leave alone: their counters are compared

    def setUp(self):
        self.alpha, self.beta, self.monitor = self.world.alpha, self.world.beta, self.world.monitor
        for name in KINDS:
            self.until_live(name)
        self.before = {name: self.monitor.counters(name, kinds) for name, kinds in KINDS.items()}

    def until_live(self, name):
        kinds = {k for k in KINDS[name]}

        def live():
            found = self.monitor.cluster(name)
            states = {(k["kind"], k["apiVersion"]): k["state"] for k in found["kinds"]} if found else {}
            return found and found["state"] == "live" and all(states.get(k) == "live" for k in kinds)

        wait.until(lambda: f"{name} is not live: {self.monitor.cluster(name)}", live)

    def until_same(self, name):
        """Until the monitor shows of a cluster what the cluster itself has."""
        seen = {}

        def same():
            seen["wanted"] = expected.of_cluster(getattr(self.world, name), KINDS[name])
            seen["shown"] = expected.of_monitor(self.monitor.jobs(name))
            return seen["wanted"] == seen["shown"]

        def difference():
            wanted, shown = seen["wanted"], seen["shown"]
            differing = [k for k in {*wanted, *shown} if wanted.get(k) != shown.get(k)]
            return "\n".join(f"{name} {k}:\n  cluster {wanted.get(k)}\n  monitor {shown.get(k)}" for k in differing)

        wait.until(difference, same)

    def until_state(self, name, kind, job, state, namespace="default"):
        def reached():
            found = self.monitor.job(name, namespace, kind, job)
            return found and found["state"] == state and found

        return wait.until(lambda: f"{kind} {job} in {name} is not {state}: "
                                  f"{self.monitor.job(name, namespace, kind, job)}", reached)

    def until_cluster(self, name, state):
        return wait.until(lambda: f"cluster {name} is not {state}: {self.monitor.cluster(name)}",
                          lambda: (c := self.monitor.cluster(name)) and c["state"] == state and c)

    def until_kind(self, name, kind, version, state):
        return wait.until(lambda: f"{kind} in {name} is not {state}: {self.monitor.kind(name, kind, version)}",
                          lambda: (k := self.monitor.kind(name, kind, version)) and k["state"] == state and k)

    def states_seen(self, name, uid):
        return self.monitor.events.check()[0].get((name, uid), [])

    def tearDown(self):
        """After each step: the same jobs, the event stream true to itself and to /api/v1, the others left alone."""
        if self.monitor.process.poll() is not None:
            self.fail(f"the monitor ended: {self.monitor.log.read_text()[-3000:]}")
        for name in KINDS:
            if self.monitor.cluster(name):
                self.until_same(name)
        wait.until("the event stream does not arrive at what /api/v1/jobs shows", self.stream_is_current)
        for name in self.others:
            self.assertEqual(self.before[name], self.monitor.counters(name, KINDS[name]),
                             f"{name} was not left alone")
        self.assertNotIn(self.world.token, self.monitor.log.read_text(), "the log holds a token")

    def stream_is_current(self):
        _, jobs, shown_clusters = self.monitor.events.check()
        present = {monitors.key(j): monitors.without_clock(j) for j in self.monitor.items("/api/v1/jobs")}
        streamed = {k: monitors.without_clock(j) for k, j in jobs.items()}
        names = {c["name"] for c in self.monitor.items("/api/v1/clusters")}
        return present == streamed and names == set(shown_clusters)
