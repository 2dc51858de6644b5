"""A real API server whose etcd is put back to a backup, emptied, or replaced by another cluster's, before the monitor.

Three logins watch the same server: the administrator's certificate, a user with the rights of the shipped manifests, and
one who may read jobs but not the namespace kube-system, so that only versions tell it.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

import cluster
import expected
import jobs
import monitor as monitors
import wait
from server import Server

READER = cluster.ROOT / "examples" / "apps" / "training_monitor" / "deploy" / "base"
JOBS = "/apis/batch/v1/namespaces/default/jobs"
KNOWING = ("admin", "reader")  # those that can tell which server answers
LOGINS = (*KNOWING, "blind")
MERGE = "application/merge-patch+json"
RUNNING = {"startTime": "2026-01-02T03:04:05Z", "active": 1, "ready": 1}
PENDING = {"startTime": "2026-01-02T03:04:05Z"}


def binding(user, role):
    return {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": user},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role},
            "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": user}]}


RIGHTS = {"apiVersion": "v1", "kind": "List", "items": [
    {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "jobs-only"},
     "rules": [{"apiGroups": ["batch"], "resources": ["jobs"], "verbs": ["get", "list", "watch"]}]},
    binding("reader", "training-monitor"), binding("blind", "jobs-only")]}


def users(work):
    (work / "tokens.csv").write_text("token-of-reader,reader,reader\ntoken-of-blind,blind,blind\n")


def depth(text):
    """How deep the brackets of JSON go."""
    now = most = 0
    for bracket in re.findall(r"[][{}]", re.sub(r'"(?:[^"\\]|\\.)*"', "", text)):
        now += 1 if bracket in "{[" else -1
        most = max(most, now)
    return most


class Cluster(Server):
    """A server with the rights of the three logins."""

    def __init__(self, name, prepare=users):
        super().__init__(name, prepare)
        self.give_rights()

    def give_rights(self):
        for stdin, file in ((None, READER / "namespace.yaml"), (None, READER / "reader.yaml"), (json.dumps(RIGHTS), "-")):
            subprocess.run([f"{self.assets}/kubectl", "--kubeconfig", self.work / "admin.kubeconfig", "apply", "-f", file],
                           input=stdin, capture_output=True, text=True, check=True)

    def login(self, name):
        text = (self.work / "admin.kubeconfig").read_text()
        if name == "admin":
            return text
        return re.sub(r"user: \{client-certificate-data.*?\}", f"user: {{token: token-of-{name}}}", text)

    def want(self, code, method, path, body=None, content_type="application/json"):
        got, answer = self.ask(method, path, body and json.dumps(body), content_type)
        if got != code:
            raise AssertionError(f"{method} {path}: {got} {str(answer)[:500]}")
        return answer

    def add(self, *names):
        for name in names:
            self.want(201, "POST", JOBS, jobs.batch(name))

    def set(self, name, status):
        self.want(200, "PATCH", f"{JOBS}/{name}/status", {"status": status}, MERGE)

    def remove(self, name):
        self.want(200, "DELETE", f"{JOBS}/{name}?propagationPolicy=Background")

    def jobs(self):
        """{(namespace, kind, name): view} as the monitor should show it."""
        items = [{**job, "kind": "Job", "apiVersion": "batch/v1"} for job in self.want(200, "GET", JOBS)["items"]]
        return {(j["metadata"]["namespace"], "Job", j["metadata"]["name"]): expected.view(j) for j in items}

    def version(self):
        return int(self.want(200, "GET", JOBS)["metadata"]["resourceVersion"])


@unittest.skipIf(monitors.binary() is None, "the training_monitor program is not built")
class Restore(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="kcontrol-restore-", ignore_cleanup_errors=True)
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.unreadable = set()  # the names of jobs that the monitor need not show
        self.cluster = Cluster("restore")
        self.addCleanup(lambda: self.cluster.stop())  # whichever it is by then
        self.cluster.add("done-before", "kept", "removed-later", "made-again-later", "changed-later")
        self.cluster.set("kept", RUNNING)
        self.cluster.set("changed-later", PENDING)
        self.start_monitor()

    def start_monitor(self):
        files = self.folder / "clusters"
        files.mkdir(exist_ok=True)
        for name in LOGINS:
            (files / f"{name}.kubeconfig").write_text(self.cluster.login(name))
        self.monitor = monitors.Monitor(files, self.folder / "monitor.log", "--kinds", "job")
        self.addCleanup(self.monitor.process.wait)
        self.addCleanup(self.monitor.process.kill)
        self.until_right()

    def until_right(self):
        """Seconds until each login shows exactly the jobs that the server has, with their states."""
        begin, wrong, took = time.monotonic(), list(LOGINS), {}

        def right():
            wanted = self.wanted()
            for name in list(wrong):
                if expected.of_monitor(self.monitor.jobs(name)) == wanted and self.state(name) == "live":
                    wrong.remove(name)
                    took[name] = round(time.monotonic() - begin, 1)
            return not wrong

        def difference():
            wanted, out = self.wanted(), []
            for name in wrong:
                shown = expected.of_monitor(self.monitor.jobs(name))
                out.append(f"{name}: missing {[k[2] for k in wanted.keys() - shown.keys()]}, "
                           f"phantoms {[k[2] for k in shown.keys() - wanted.keys()]}, "
                           f"wrong {[k[2] for k in wanted.keys() & shown.keys() if wanted[k] != shown[k]]}; "
                           f"{self.monitor.kind(name, 'Job', 'batch/v1')}")
            return "\n".join(out)

        wait.until(difference, right)
        return took

    def wanted(self):
        return {key: view for key, view in self.cluster.jobs().items() if key[2] not in self.unreadable}

    def state(self, login):
        return self.monitor.kind(login, "Job", "batch/v1")["state"]

    def reasons(self, login):
        return {k["reason"] for _, name, data in list(self.monitor.events.all) if name == "cluster" and data["name"] == login
                for k in data["kinds"] if k["reason"]}

    def told(self, login, text):
        wait.until(lambda: f"{login} never said {text!r}, but {self.reasons(login)}",
                   lambda: any(text in reason for reason in self.reasons(login)))

    def count(self, metric, login):
        line = f'training_monitor_{metric}_total{{cluster="{login}",kind="Job",api_version="batch/v1"}} '
        return next(int(text.removeprefix(line)) for text in self.monitor.get_raw("/metrics")[1].splitlines()
                    if text.startswith(line))

    def until_right_again(self, what, stopped, version):
        """After the server is back: right soon, and then as live as ever."""
        took = self.until_right()
        print(f"note: {what}: versions {version} -> {self.cluster.version()}, right after {took} s; "
              f"the server was away for {self.ready - stopped:.1f} s")
        self.cluster.add("new-after-it")
        self.cluster.set("new-after-it", RUNNING)
        self.cluster.set("new-after-it", {"ready": 0})
        self.until_right()
        self.cluster.remove("new-after-it")
        self.until_right()
        self.monitor.events.check()

    def resume(self, *port):
        self.cluster.resume(*port)
        self.ready = time.monotonic()

    def live_on(self):
        """Much that the backup knows nothing of."""
        self.cluster.add("new-later", "and-gone")
        self.cluster.set("new-later", RUNNING)
        self.cluster.remove("and-gone")
        self.cluster.set("changed-later", RUNNING)
        self.cluster.remove("removed-later")
        self.cluster.remove("made-again-later")
        self.cluster.add("made-again-later")
        for n in range(100):
            self.cluster.set("done-before", PENDING if n == 0 else {"active": n % 2, "ready": 0})
        self.until_right()

    def test_1_etcd_is_restored_from_a_backup(self):
        self.cluster.halt()
        shutil.copytree(self.cluster.work / "etcd", self.folder / "backup")
        self.resume()
        self.until_right()
        self.assertEqual([self.count("rollbacks", name) for name in LOGINS], [0, 0, 0])
        self.live_on()
        before, version, stopped = self.cluster.jobs(), self.cluster.version(), time.monotonic()
        self.cluster.halt()
        shutil.rmtree(self.cluster.work / "etcd")
        shutil.copytree(self.folder / "backup", self.cluster.work / "etcd")
        self.resume()
        self.assertNotEqual(self.cluster.jobs(), before)
        self.until_right_again("etcd was restored", stopped, version)
        for name in LOGINS:
            self.told(name, "went back")
            self.assertEqual((self.count("rollbacks", name), self.count("server_changes", name)), (1, 0), name)

    def test_2_etcd_is_empty(self):
        self.live_on()  # far beyond the versions of a server that has just started
        version, stopped = self.cluster.version(), time.monotonic()
        self.cluster.halt()
        shutil.rmtree(self.cluster.work / "etcd")
        self.resume()
        self.cluster.give_rights()
        self.assertEqual(self.cluster.jobs(), {})
        self.until_right_again("etcd was emptied", stopped, version)
        for name in KNOWING:
            self.told(name, "another server answers")
            self.assertEqual(self.count("server_changes", name), 1)
        self.told("blind", "went back")
        self.assertEqual(self.count("rollbacks", "blind"), 1)

    def test_3_another_cluster_answers(self):
        """With the same credentials and names, and versions beyond those of the first."""
        other = Cluster("other", self.copy_credentials)
        other.add("kept", "changed-later", "only-there")
        other.set("kept", RUNNING)
        while other.version() < self.cluster.version() + 50:
            other.set("only-there", {**PENDING, "active": other.version() % 2})
        other.halt()
        version, stopped = self.cluster.version(), time.monotonic()
        self.cluster.halt()
        port = self.cluster.url.rpartition(":")[2]
        self.cluster.folder.cleanup()
        self.cluster = other
        self.resume(port)
        self.until_right_again("another cluster", stopped, version)
        for name in KNOWING:
            self.told(name, "another server answers")
            self.assertEqual((self.count("rollbacks", name), self.count("server_changes", name)), (0, 1), name)

    def copy_credentials(self, work):
        for pattern in ("ca.*", "server.*", "admin.crt", "admin.key", "sa.*", "tokens.csv"):
            for file in self.cluster.work.glob(pattern):
                shutil.copy(file, work)

    def test_4_a_job_nested_deeper_than_256_levels(self):
        """A server stores managedFields as a client sends them; no other field of a job can be deep."""
        limit = sys.getrecursionlimit()
        self.addCleanup(lambda: sys.setrecursionlimit(limit))
        sys.setrecursionlimit(30_000)  # of the reader in this process
        for levels in (300, 5000):
            name = f"deep-{levels}"
            self.make_deep("POST", JOBS, jobs.batch(name), 201, levels)
            self.unreadable.add(name)
            self.cluster.add(f"after-{name}")
            self.cluster.set(f"after-{name}", RUNNING)
            print(f"note: a job of {levels} levels came by a watch: all others right after {self.until_right()} s")
        # What was known of one that can be read no more stays, until it can be read again.
        kept = self.cluster.want(200, "GET", f"{JOBS}/kept")
        self.make_deep("PUT", f"{JOBS}/kept", kept, 200, 300)
        self.cluster.add("after-kept")
        self.until_right()
        self.cluster.want(200, "PATCH", f"{JOBS}/kept", {"metadata": {"managedFields": [{}]}}, MERGE)
        self.cluster.set("kept", PENDING | {"active": 0, "ready": 0})
        self.until_right()
        log = self.monitor.log.read_text()
        for name in ("deep-300", "deep-5000", "kept"):
            for login in LOGINS:
                told = [line for line in log.splitlines() if f"default/{name}" in line and login in line]
                self.assertEqual(len(told), 1, (name, login, told))
                self.assertIn("nested deeper than 256 levels", told[0])
        self.monitor.stop()
        self.start_monitor()  # now they come by a list
        self.cluster.add("last")
        self.until_right()

    def make_deep(self, method, path, job, wanted, levels):
        job["metadata"]["managedFields"] = [{
            "manager": "deep", "operation": "Update", "apiVersion": "batch/v1", "time": "2026-01-02T03:04:05Z",
            "fieldsType": "FieldsV1", "fieldsV1": "DEEP"}]
        text = json.dumps(job).replace('"DEEP"', '{"f:a":' * levels + "{}" + "}" * levels)
        code, answer = self.cluster.ask_text(method, path, text)
        self.assertEqual(code, wanted, answer[:500])
        self.assertGreater(depth(answer), levels)


if __name__ == "__main__":
    unittest.main()
