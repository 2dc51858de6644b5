"""Clusters from Secrets of a home cluster: alpha is the home, beta joins by a Secret; with the rights that are needed only."""
import base64
import json
import pathlib

import expected
import jobs
import monitor as monitors
import wait
from fixture import KINDS, WorldTest

LABEL = "sigs.k8s.io/multicluster-runtime-kubeconfig"
HOME = "clusters"  # the namespace
RIGHTS = [
    {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": HOME}},
    {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "reader", "namespace": HOME}},
    {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": "reader", "namespace": HOME},
     "rules": [{"apiGroups": [""], "resources": ["secrets"], "verbs": ["get", "list", "watch"]}]},
    {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": {"name": "reader", "namespace": HOME},
     "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "reader"},
     "subjects": [{"kind": "ServiceAccount", "name": "reader", "namespace": HOME}]},
]


def secret(name, text, label="true"):
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name, "namespace": HOME, "labels": {LABEL: label}},
            "data": {"kubeconfig": base64.b64encode(text.encode()).decode()}}


class ClustersFromSecrets(WorldTest):
    others = ("alpha", "beta")

    def test_they_join_are_replaced_and_leave(self):
        folder = pathlib.Path(self.world.folder.name)
        self.alpha.apply(*RIGHTS)
        home_token = self.alpha.kubectl("-n", HOME, "create", "token", "reader").strip()
        home = folder / "home.kubeconfig"
        home.write_text(self.alpha.kubeconfig(token=home_token))
        monitor = monitors.Monitor(None, folder / "secrets.log", "--clusters-from-secrets", HOME, "--home-kubeconfig", home)
        self.addCleanup(lambda: monitor.process.poll() is None and (monitor.process.kill() or monitor.process.wait()))

        def state(name):
            found = monitor.cluster(name)
            return found and found["state"]

        def jobs_are_shown():
            return expected.of_monitor(monitor.jobs("beta")) == expected.of_cluster(self.beta, KINDS["beta"])

        good = self.beta.kubeconfig(self.world.relay.url, self.world.token)
        self.alpha.apply(secret("beta", good), secret("not-marked", good, "false"))
        wait.until("beta does not join", lambda: state("beta") == "live")
        self.beta.apply(jobs.batch("seen-by-secret"))
        wait.until("its jobs are not shown", jobs_are_shown)
        first = monitor.cluster("beta")["generation"]

        # Whoever may write a Secret is a stranger: no program of his is run, no file of ours is read.
        ran = folder / "ran"
        user = "{exec: {apiVersion: client.authentication.k8s.io/v1, command: touch, args: [%s], interactiveMode: Never}}" % ran
        self.alpha.apply(secret("evil", good.replace(f"{{token: {self.world.token}}}", user)),
                         secret("thief", good.replace(f"token: {self.world.token}", f"tokenFile: {home}")))
        for name, field in (("evil", "exec"), ("thief", "tokenFile")):
            wait.until(f"{name} is not refused", lambda: state(name) == "failed")
            self.assertIn(field, monitor.cluster(name)["reason"])
            self.assertIn(f"secret {HOME}/{name}, data.kubeconfig", monitor.cluster(name)["reason"])
        self.assertFalse(ran.exists())

        # A new token rebuilds that cluster; what others see of it is nothing.
        second = self.beta.service_account_token("monitor")
        before = len([e for e in monitor.events.all if e[1] == "job"])
        self.alpha.apply(secret("beta", self.beta.kubeconfig(self.world.relay.url, second)))
        wait.until("it is not rebuilt", lambda: monitor.cluster("beta")["generation"] > first)
        wait.until("it does not come back", lambda: state("beta") == "live" and jobs_are_shown())
        told = [e[2]["name"] for e in monitor.events.all if e[1] == "job"][before:]
        self.assertEqual([n for n in told if n != "seen-by-secret"], [])

        self.alpha.delete("secret", "beta", "-n", HOME)
        wait.until("it stays", lambda: state("beta") is None)
        self.assertEqual({c["name"] for c in monitor.items("/api/v1/clusters")}, {"evil", "thief"})
        self.assertEqual(monitor.stop(), 0)
        shown = monitor.log.read_text() + json.dumps(monitor.events.all)
        for token in (home_token, self.world.token, second):
            self.assertNotIn(token, shown)
