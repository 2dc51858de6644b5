"""A real API server with nodes that kwok simulates, and schedulers on it: kube-scheduler, and the tutorial's."""
import base64
import http.client
import json
import pathlib
import signal
import subprocess
import threading
import unittest

import cluster
import kubelets
import ports
import server
import wait

HERE = pathlib.Path(__file__).resolve().parent
NOT_READY = "node.kubernetes.io/not-ready"
KUBE_SCHEDULER = """apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
leaderElection: {{leaderElect: false}}
clientConnection: {{kubeconfig: "{kubeconfig}", qps: 5000, burst: 5000}}
"""


def node(name, labels=None, taints=(), **allocatable):
    """cpu="4", memory="8Gi", pods="110"; devices by gpus="8"."""
    room = {"cpu": "4", "memory": "32Gi", "pods": "110", **allocatable}
    if gpus := room.pop("gpus", None):
        room["nvidia.com/gpu"] = gpus
    return {"apiVersion": "v1", "kind": "Node",
            "metadata": {"name": name, "annotations": {"kwok.x-k8s.io/node": "fake"},
                         "labels": {"kubernetes.io/hostname": name, **(labels or {})}},
            "spec": {"taints": list(taints)}, "status": {"allocatable": room, "capacity": room}}


def pod(name, scheduler, namespace="default", requests=None, labels=None, annotations=None, **spec):
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": name, "namespace": namespace, "labels": labels or {},
                         "annotations": annotations or {}},
            "spec": {"schedulerName": scheduler, "terminationGracePeriodSeconds": 0,
                     "containers": [{"name": "c", "image": "i", "resources": {"requests": requests or {}}}], **spec}}


def gang(name, size, scheduler, requests, run_ms=None):
    """Its pods, as kcontrol::scheduling reads them."""
    notes = {"scheduling.kcontrol.dev/gang-size": str(size)}
    if run_ms:
        notes["sim/run-ms"] = str(run_ms)
    return [pod(f"{name}-{i}", scheduler, requests=requests, labels={"scheduling.kcontrol.dev/gang": name},
                annotations=notes) for i in range(size)]


def condition(of, kind="PodScheduled"):
    return next((c for c in of.get("status", {}).get("conditions", []) if c["type"] == kind), {})


class SchedulingCluster(server.Server):
    """The programs are stopped with it. `call` is for any thread: each has a connection of its own."""

    def __init__(self, name, prepare=None):
        self.programs = []
        self.own = threading.local()
        self.tools, why = cluster.find_assets()
        if self.tools is None:
            raise unittest.SkipTest(why)
        super().__init__(name, prepare)

    def connection(self):
        return http.client.HTTPSConnection(self.url.removeprefix("https://"), context=self.context, timeout=3600)

    def call(self, method, path, body=None, content_type="application/json"):
        """Status and answer. Asks again if the connection was closed while it was idle."""
        text = None if body is None else json.dumps(body)
        for last in (False, True):
            connection = getattr(self.own, "connection", None)
            fresh = connection is None
            if fresh:
                connection = self.own.connection = self.connection()
            try:
                connection.request(method, path, text, {"Content-Type": content_type})
                answer = connection.getresponse()
                return answer.status, json.loads(answer.read() or b"null")
            except (http.client.HTTPException, OSError):
                connection.close()
                self.own.connection = None
                if last or fresh:
                    raise

    def create(self, thing):
        kind, meta = thing["kind"], thing["metadata"]
        place = {"Node": "/api/v1/nodes", "Namespace": "/api/v1/namespaces",
                 "PriorityClass": "/apis/scheduling.k8s.io/v1/priorityclasses"}
        path = place.get(kind) or f"/api/v1/namespaces/{meta['namespace']}/pods"
        code, made = self.call("POST", path, thing)
        if code != 201:
            raise RuntimeError(f"{kind} {meta['name']}: {code} {made}")
        return made

    def add_nodes(self, nodes):
        """The server marks new nodes as not ready, and there is no controller that takes that back."""
        for one in nodes:
            made = self.create(one)
            taints = [t for t in made["spec"].get("taints", []) if t["key"] != NOT_READY]
            code, answer = self.call("PATCH", f"/api/v1/nodes/{one['metadata']['name']}", {"spec": {"taints": taints}},
                                     "application/merge-patch+json")
            if code != 200:
                raise RuntimeError(f"node {one['metadata']['name']}: {code} {answer}")

    def kubectl(self, *arguments, stdin=None):
        run = subprocess.run([f"{self.assets}/kubectl", "--kubeconfig", self.kubeconfig, *arguments], input=stdin,
                             capture_output=True, text=True)
        if run.returncode != 0:
            raise RuntimeError(f"kubectl {' '.join(map(str, arguments))}: {run.stderr}")
        return run.stdout

    def apply(self, thing):
        self.kubectl("apply", "-f", "-", stdin=json.dumps(thing))

    def ca(self):
        return base64.b64encode((self.work / "ca.crt").read_bytes()).decode()

    def allocatable(self):
        return {n["metadata"]["name"]: kubelets.amounts(n["status"]["allocatable"])
                for n in self.call("GET", "/api/v1/nodes")[1]["items"]}

    def pods(self, namespace="default"):
        return self.call("GET", f"/api/v1/namespaces/{namespace}/pods")[1]["items"]

    def remove_pods(self, namespaces=("default",)):
        for namespace in namespaces:
            self.call("DELETE", f"/api/v1/namespaces/{namespace}/pods?gracePeriodSeconds=0")
        wait.until("pods do not go", lambda: not any(self.pods(n) for n in namespaces), every=0.05)

    def start(self, name, *command):
        with (self.work / f"{name}.log").open("ab") as log:
            process = subprocess.Popen(list(command), stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.programs.append(process)
        return process

    def start_kwok(self, config=HERE / "scheduling_kwok.yaml"):
        return self.start("kwok", f"{self.tools}/kwok", "--kubeconfig", self.kubeconfig, "--config", config,
                          "--manage-all-nodes", "--node-lease-duration-seconds", "0")

    def start_kube_scheduler(self, *flags):
        config = self.work / "kube-scheduler.yaml"
        config.write_text(KUBE_SCHEDULER.format(kubeconfig=self.kubeconfig))
        return self.start("kube-scheduler", f"{self.tools}/kube-scheduler", "--config", config, "--secure-port", "0",
                          *flags)

    def stop(self):
        for process in self.programs:
            if process.poll() is None:
                process.kill()
                process.wait()
        super().stop()


class Replica:
    """A process of the tutorial's scheduler."""

    def __init__(self, real, program, name="tutorial", *flags, kubeconfig=None):
        self.real, self.program, self.name, self.flags = real, program, name, flags
        self.kubeconfig = kubeconfig or real.kubeconfig
        self.port = ports.free_port()
        self.log = real.work / f"{name}.log"
        self.start()

    def start(self):
        self.process = self.real.start(self.name, self.program, "--kubeconfig", self.kubeconfig, "--listen",
                                       f"127.0.0.1:{self.port}", *self.flags)

    def kill(self, how=signal.SIGKILL):
        self.process.send_signal(how)
        self.process.wait()

    def metrics(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request("GET", "/metrics")
        return connection.getresponse().read().decode()

    def metric(self, name):
        """The sum of a family's samples."""
        lines = [line for line in self.metrics().splitlines() if line.startswith(name)]
        return sum(float(line.rsplit(" ", 1)[1]) for line in lines)

    def cpu_seconds(self):
        return cpu_seconds(self.process.pid)


def cpu_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


def peak_memory(pid):
    """In bytes."""
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) * 1024
    raise RuntimeError(f"no VmHWM of process {pid}")


def in_threads(count, work, items):
    """work(item) for each, in so many threads; the first failure is raised."""
    items, failures, lock = list(items), [], threading.Lock()
    items.reverse()

    def run():
        while not failures:
            with lock:
                if not items:
                    return
                item = items.pop()
            try:
                work(item)
            except Exception as failure:  # noqa: BLE001 - raised below
                failures.append(failure)

    threads = [threading.Thread(target=run) for _ in range(count)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    if failures:
        raise failures[0]
