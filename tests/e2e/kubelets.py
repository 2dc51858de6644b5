"""What kubelets and schedulers do to pods, as a watch of a real API server shows it.

Kubelets admits pods as kubelets do, for nodes that kwok simulates: a pod beyond allocatable fails with OutOfcpu and
the like. Ledger adds up, in the order of the server's changes, what each node holds. Both count the containers'
requests only, so tests use no init containers, overhead or requests of the pod itself.
"""
import concurrent.futures
import json
import re
import threading

SUFFIXES = {"": 1, "m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}
ADMITTED = {"type": "Admitted", "status": "True", "reason": "KubeletAdmitted"}


def amount(text):
    """A quantity in thousandths."""
    number, suffix = re.fullmatch(r"([0-9.]+)([A-Za-z]*)", str(text)).groups()
    return round(float(number) * SUFFIXES[suffix] * 1000)


def amounts(resources):
    return {name: amount(text) for name, text in (resources or {}).items()}


def requests_of(pod):
    total = {"pods": 1000}
    for container in pod["spec"]["containers"]:
        for name, value in amounts(container.get("resources", {}).get("requests")).items():
            total[name] = total.get(name, 0) + value
    return total


def is_over(pod):
    return pod.get("status", {}).get("phase") in ("Succeeded", "Failed")


def node_of(pod):
    return pod["spec"].get("nodeName", "")


class Held:
    """What pods hold of nodes."""

    def __init__(self, allocatable):
        self.allocatable = allocatable  # node: {resource: thousandths}
        self.pods = {}  # uid: (node, requests)
        self.sums = {}  # node: {resource: thousandths}

    def put(self, uid, node, requests):
        self.remove(uid)
        self.pods[uid] = (node, requests)
        total = self.sums.setdefault(node, {})
        for name, value in requests.items():
            total[name] = total.get(name, 0) + value

    def remove(self, uid):
        node, requests = self.pods.pop(uid, (None, {}))
        for name, value in requests.items():
            self.sums[node][name] -= value

    def short_of(self, node, requests):
        """The resource that a further pod lacks, or None; what holds of it, and how much there is."""
        room, total = self.allocatable.get(node, {}), self.sums.get(node, {})
        for name in sorted(requests, key=lambda n: (["pods", "cpu", "memory"] + [n]).index(n)):
            if total.get(name, 0) + requests[name] > room.get(name, 0):
                return name, total.get(name, 0), room.get(name, 0)
        return None


class Watch:
    """Calls handlers with each event of the pods of all namespaces, in their order, in one thread. `pods`: by uid."""

    PATH = "/api/v1/pods"

    def __init__(self, cluster, *handlers):
        self.cluster, self.handlers = cluster, handlers
        self.pods, self.failure, self.stopping = {}, None, False
        self.answer = None
        self.connected = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()
        self.connected.wait(60)

    def run(self):
        try:
            version = "0"
            while not self.stopping:
                version = self.read(version)
        except Exception as failure:  # noqa: BLE001 - whatever ends the thread is the tests' to show
            if not self.stopping:
                self.failure = repr(failure)

    def read(self, version):
        connection = self.cluster.connection()
        query = f"?watch=true&resourceVersion={version}&allowWatchBookmarks=true&timeoutSeconds=3600"
        connection.request("GET", self.PATH + query)
        self.answer = connection.getresponse()
        self.connected.set()
        for line in self.answer:
            event = json.loads(line)
            if event["type"] == "ERROR":
                raise RuntimeError(event["object"])
            version = event["object"]["metadata"]["resourceVersion"]
            if event["type"] != "BOOKMARK":
                self.handle(event["type"], event["object"])
        return version

    def handle(self, kind, pod):
        uid = pod["metadata"]["uid"]
        if kind == "DELETED":
            self.pods.pop(uid, None)
        else:
            self.pods[uid] = pod
        for handler in self.handlers:
            handler(kind, pod)

    def stop(self):
        self.stopping = True


class Kubelets:
    """A handler of Watch, which writes in threads of its own. `refused` has the pods that failed: (namespace/name,
    reason, schedulerName)."""

    def __init__(self, cluster, allocatable):
        self.cluster, self.held = cluster, Held(allocatable)
        self.refused, self.seen, self.failure = [], set(), None
        self.writers = concurrent.futures.ThreadPoolExecutor(4)

    def __call__(self, kind, pod):
        uid, node = pod["metadata"]["uid"], node_of(pod)
        if kind == "DELETED" or is_over(pod):
            return self.held.remove(uid)
        if not node or uid in self.seen or "deletionTimestamp" in pod["metadata"]:
            return None
        self.seen.add(uid)
        requests = requests_of(pod)
        short = self.held.short_of(node, requests)
        if short is None:
            self.held.put(uid, node, requests)
            return self.writers.submit(self.write, pod, {"conditions": [ADMITTED]})
        name, used, capacity = short
        self.refused.append((f"{pod['metadata']['namespace']}/{pod['metadata']['name']}", f"OutOf{name}",
                             pod["spec"]["schedulerName"]))
        unit = 1 if name == "cpu" else 1000
        message = (f"Pod was rejected: Node didn't have enough resource: {name}, requested: {requests[name] // unit}, "
                   f"used: {used // unit}, capacity: {capacity // unit}")
        return self.writers.submit(self.write, pod, {"phase": "Failed", "reason": f"OutOf{name}", "message": message})

    def write(self, pod, status):
        path = f"/api/v1/namespaces/{pod['metadata']['namespace']}/pods/{pod['metadata']['name']}/status"
        code, answer = self.cluster.call("PATCH", path, {"metadata": {"uid": pod["metadata"]["uid"]}, "status": status},
                                         "application/strategic-merge-patch+json")
        if code not in (200, 404, 409):  # it is deleted, or there is another one of its name
            self.failure = f"{path}: {code} {answer}"

    def stop(self):
        self.writers.shutdown(cancel_futures=True)


class Ledger:
    """A handler of Watch: `excesses` has each binding that brought a node beyond its allocatable, as
    (node, namespace/name, schedulerName, whether a pod of another scheduler was on the node)."""

    def __init__(self, allocatable, ours):
        self.held, self.ours = Held(allocatable), ours
        self.excesses, self.bound, self.schedulers = [], {}, {}

    def __call__(self, kind, pod):
        uid, node = pod["metadata"]["uid"], node_of(pod)
        if kind == "DELETED" or is_over(pod) or not node:
            return self.held.remove(uid)
        if uid in self.held.pods:
            return None
        requests, scheduler = requests_of(pod), pod["spec"]["schedulerName"]
        self.schedulers[uid] = scheduler
        others = {self.schedulers[u] for u, (n, _) in self.held.pods.items() if n == node} - {self.ours}
        if self.held.short_of(node, requests):
            self.excesses.append((node, f"{pod['metadata']['namespace']}/{pod['metadata']['name']}", scheduler,
                                  bool(others) or scheduler != self.ours))
        self.held.put(uid, node, requests)
        self.bound[uid] = node
        return None
