#!/usr/bin/env python3
"""Runs the programs of examples/tutorial against in-process API servers.

Each must print what the objects' changes are worth, and stop at SIGINT. Nothing waits for a time: every step waits for
a line of output, and the deadline of that is the test's.
usage: ladder.py API_SERVER_DIRECTORY TUTORIAL_DIRECTORY
"""
import contextlib
import json
import pathlib
import queue
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

DEADLINE = 60  # seconds for one line
EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples" / "tutorial"


class Program:
    """A running program and the lines that it prints."""

    def __init__(self, *command, stdin=subprocess.DEVNULL):
        self.name = pathlib.Path(command[0]).name
        self.process = subprocess.Popen(command, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.lines = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def read(self):
        for line in self.process.stdout:
            self.lines.put(line.rstrip("\n"))
        self.lines.put(None)

    def line(self):
        line = self.lines.get(timeout=DEADLINE)
        print(f"{self.name}: {line}")
        return line

    def wait_for(self, *parts):
        """Reads on until a line has all parts."""
        while True:
            line = self.line()
            if line is None:
                sys.exit(f"{self.name} ended before it printed {parts}")
            if all(part in line for part in parts):
                return line

    def wait_for_each(self, *wanted):
        """Reads on until each of these has been a line with all its parts, in whatever order."""
        missing = list(wanted)
        while missing:
            line = self.line()
            if line is None:
                sys.exit(f"{self.name} ended before it printed {missing}")
            missing = [parts for parts in missing if not all(part in line for part in parts)]

    def say(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def end(self, interrupt=True):
        if interrupt:
            self.process.send_signal(signal.SIGINT)
        code = self.process.wait(timeout=DEADLINE)
        if code != 0:
            sys.exit(f"{self.name} ended with {code}")


class Cluster(Program):
    """An API server with a pod."""

    def __init__(self, program):
        super().__init__(program)
        self.url = self.line()
        self.pods = f"{self.url}/api/v1/namespaces/default/pods"

    def add_pod(self, name, gpus=None, **spec):
        container = {"name": "c", "image": "i"}
        if gpus is not None:
            container["resources"] = {"limits": {"nvidia.com/gpu": gpus}}
        self.request("POST", self.pods, {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name},
                                         "spec": {"containers": [container], **spec},
                                         "status": {"phase": "Pending"}})

    def set_phase(self, name, phase):
        self.request("PATCH", f"{self.pods}/{name}/status", {"status": {"phase": phase}},
                     "application/merge-patch+json")

    def delete_pod(self, name):
        self.request("DELETE", f"{self.pods}/{name}?gracePeriodSeconds=0")  # there is no kubelet

    @staticmethod
    def request(method, url, body=None, kind="application/json"):
        data = None if body is None else json.dumps(body).encode()
        call = urllib.request.Request(url, data, {"Content-Type": kind}, method=method)
        with urllib.request.urlopen(call, timeout=DEADLINE) as answer:
            return json.load(answer)

    def create(self, path, kind, name, **members):
        body = {"apiVersion": "v1", "kind": kind, "metadata": {"name": name, **members.pop("metadata", {})}, **members}
        return self.request("POST", f"{self.url}/api/v1/{path}", body)

    def merge(self, path, patch):
        return self.request("PATCH", f"{self.url}/api/v1/{path}", patch, "application/merge-patch+json")

    def get(self, path):
        """The object, or None."""
        try:
            return self.request("GET", f"{self.url}/api/v1/{path}")
        except urllib.error.HTTPError as refused:
            if refused.code != 404:
                raise
            return None

    def await_state(self, path, wanted):
        """Watches until wanted(object or None) holds."""
        folder, name = path.rsplit("/", 1)
        version = self.get(folder)["metadata"]["resourceVersion"]
        if wanted(self.get(path)):
            return
        target = f"{self.url}/api/v1/{folder}?watch=1&resourceVersion={version}"
        with urllib.request.urlopen(target, timeout=DEADLINE) as events:
            for line in events:
                event = json.loads(line)
                if event["object"]["metadata"]["name"] == name and \
                        wanted(None if event["type"] == "DELETED" else event["object"]):
                    return
        sys.exit(f"{path} did not become what it should be: {self.get(path)}")

    def kubeconfig(self, path):
        beside = path.with_name("." + path.name)  # a rename makes it appear at once and whole
        beside.write_text(f"""apiVersion: v1
kind: Config
clusters: [{{name: c, cluster: {{server: "{self.url}"}}}}]
contexts: [{{name: c, context: {{cluster: c}}}}]
current-context: c
""")
        beside.rename(path)
        return path


def eventually(call):
    """What the call returns once the server does not refuse it: what it was told a moment ago it may not heed yet."""
    end = time.monotonic() + DEADLINE
    while True:
        try:
            return call()
        except urllib.error.HTTPError as refused:
            if time.monotonic() > end:
                sys.exit(f"{refused.url} is refused: {refused.read().decode()}")


def hello(program, cluster, config):
    cluster.add_pod("web")
    with Program(program, "--kubeconfig", config, "--listen", "127.0.0.1:0") as hello_:
        address = re.search(r'address="?([^\s"]+)', hello_.wait_for("listening")).group(1)
        hello_.wait_for("hello", "web")
        wanted, told = "[+]informers_synced ok\n    Pod (v1): live, 1 object\nreadyz check passed\n", ""
        end = time.monotonic() + DEADLINE
        while told != wanted:  # the pod is told while the list is read; the watch begins after it
            if time.monotonic() > end:
                sys.exit(f"/readyz?verbose says {told!r}")
            with urllib.request.urlopen(f"http://{address}/readyz?verbose", timeout=DEADLINE) as answer:
                told = answer.read().decode()
        cluster.set_phase("web", "Running")
        hello_.wait_for("hello", "web", "Running")
        hello_.end()


def configmap(program, cluster, config):
    maps = "namespaces/default/configmaps"
    mirror = maps + "/colors-mirror"

    def holds(data):
        return lambda found: (found or {}).get("data") == data

    cluster.create(maps, "ConfigMap", "colors", metadata={"labels": {"mirror": "yes"}}, data={"sky": "blue"})
    cluster.create(maps, "ConfigMap", "sizes", data={"sky": "large"})
    with Program(program, "--kubeconfig", config) as mirror_:
        cluster.await_state(mirror, holds({"sky": "blue"}))
        cluster.merge(maps + "/colors", {"data": {"sky": "grey"}})
        cluster.await_state(mirror, holds({"sky": "grey"}))
        cluster.merge(mirror, {"data": {"sky": "pink"}})  # somebody meddles
        cluster.await_state(mirror, holds({"sky": "grey"}))
        cluster.request("DELETE", f"{cluster.url}/api/v1/{mirror}")
        cluster.await_state(mirror, holds({"sky": "grey"}))
        cluster.merge(maps + "/colors", {"metadata": {"labels": None}})
        cluster.await_state(mirror, lambda found: found is None)
        cluster.merge(maps + "/colors", {"metadata": {"labels": {"mirror": "yes"}}})
        cluster.await_state(mirror, holds({"sky": "grey"}))
        mirror_.end()
    owner, = cluster.get(mirror)["metadata"]["ownerReferences"]
    if owner["name"] != "colors" or not owner["controller"] or cluster.get(maps + "/sizes-mirror") is not None:
        sys.exit(f"{mirror_.name}: the wrong copies, or the wrong owner")
    cluster.request("DELETE", f"{cluster.url}/api/v1/{maps}/colors")


def nodes(program, cluster, config):
    cluster.create("nodes", "Node", "n1", status={"allocatable": {"nvidia.com/gpu": "8"}})
    cluster.create("nodes", "Node", "n2")
    cluster.merge("nodes/n1/status", {"status": {"allocatable": {"nvidia.com/gpu": "8"}}})
    cluster.add_pod("train-0", gpus="4", nodeName="n1")
    with Program(program, "--kubeconfig", config) as nodes_:
        nodes_.wait_for("2 nodes: 1 pods, 4 of 8 GPUs")
        cluster.add_pod("train-1", gpus="2", nodeName="n1")
        nodes_.wait_for("n1: 2 pods, 6 of 8 GPUs")
        cluster.add_pod("proxy", nodeName="n2")
        nodes_.wait_for("n2: 1 pods, 0 of 0 GPUs")
        for pod in ("train-0", "train-1", "proxy"):
            cluster.delete_pod(pod)
        nodes_.wait_for("n1: 0 pods, 0 of 8 GPUs")
        nodes_.end()


def any_kind(program, cluster, config):
    with Program(program, "--kubeconfig", config, "--kind", "v1/Nod") as unknown:
        unknown.wait_for("the server has no kind Nod")
        if unknown.process.wait(timeout=DEADLINE) == 0:
            sys.exit(f"{unknown.name} ended well without a kind")
    with Program(program, "--kubeconfig", config, "--kind=v1/Node") as any_kind_:
        any_kind_.wait_for("n1 no conditions")
        cluster.merge("nodes/n1/status", {"status": {"conditions": [{"type": "Ready", "status": "True"}]}})
        any_kind_.wait_for("n1 Ready=True")
        any_kind_.end()


def embedded(program, cluster, config):
    with Program(program, config, stdin=subprocess.PIPE) as service:
        answer = "not synced yet"
        while answer == "not synced yet":
            service.say("count")
            answer = service.line()
        if answer != "1":
            sys.exit(f"{service.name} counted {answer}")
        service.say("phase default web")
        service.wait_for("Running")
        service.say("phase default nobody")
        service.wait_for("unknown")
        service.say("ask default web")
        service.wait_for("Running")
        service.say("ask default nobody")
        service.wait_for("not found")
        web, drained = "namespaces/default/pods/web", lambda pod: pod["metadata"].get("labels") == {"drained": "yes"}
        service.say("drain default web")
        service.wait_for("draining")
        cluster.await_state(web, drained)
        cluster.merge(web, {"metadata": {"labels": None}})  # somebody meddles
        cluster.await_state(web, drained)
        service.say("quit")
        service.end(interrupt=False)


def warnings(program, cluster, config):
    web = cluster.get("namespaces/default/pods/web")["metadata"]
    about = {"apiVersion": "v1", "kind": "Pod", "namespace": "default", "name": "web", "uid": web["uid"]}
    cluster.add_pod("stuck")
    with Program(program, "--kubeconfig", config) as warnings_:
        warnings_.wait_for("default/stuck Pending")
        for kind, reason in (("Normal", "Pulled"), ("Warning", "Unhealthy")):
            cluster.create("namespaces/default/events", "Event", f"web.{reason.lower()}", involvedObject=about, type=kind,
                           reason=reason, message="as it is")
        warnings_.wait_for("default/web Running")
        line = warnings_.line()
        if line != "  Unhealthy: as it is":
            sys.exit(f"{warnings_.name} printed {line!r} of the warning")
        warnings_.end()
    cluster.delete_pod("stuck")


def informer(program, cluster, config):
    with Program(program, config) as informer_:
        informer_.wait_for("default/web was there: Running")
        cluster.add_pod("db")
        informer_.wait_for("default/db added: Pending")
        cluster.set_phase("db", "Failed")
        informer_.wait_for("default/db updated: Failed")
        cluster.delete_pod("db")
        informer_.wait_for("default/db deleted: Failed")
        informer_.end()
        informer_.wait_for("1 pods at the end")


def client(program, _, config):
    for _ in range(2):  # it leaves nothing behind
        with Program(program, config) as client_:
            expected = ["created: sky=blue", "patched: grass=green sky=blue", "refused: ",
                        "applied: grass=green sky=grey", "deleted"]
            for text in expected:
                line = client_.line()
                if line is None or not line.startswith(text):
                    sys.exit(f"{client_.name} printed {line!r} where {text!r} was expected")
            client_.end(interrupt=False)


def add_profile(cluster):
    """A ClusterProfile that nobody says is healthy, and its kind."""
    group, plural = "multicluster.x-k8s.io", "clusterprofiles"
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    cluster.request("POST", f"{cluster.url}/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {"group": group, "scope": "Namespaced", "names": {"kind": "ClusterProfile", "plural": plural},
                 "versions": [{"name": "v1alpha1", "served": True, "storage": True, "schema": schema}]}})
    profile = {"apiVersion": f"{group}/v1alpha1", "kind": "ClusterProfile", "metadata": {"name": "north"}}
    path = f"{cluster.url}/apis/{group}/v1alpha1/namespaces/default/{plural}"
    eventually(lambda: cluster.request("POST", path, profile))


def clusters(program, east, folder, make_cluster):
    folder.mkdir()
    east.kubeconfig(folder / "east.yaml")
    with Program(program, "--directory", folder) as clusters_, make_cluster() as west:
        clusters_.wait_for("directory#east default/web Running")
        west.add_pod("api")
        west.kubeconfig(folder / "west.yaml")
        clusters_.wait_for("directory#west default/api Pending")
        east.delete_pod("web")
        clusters_.wait_for("directory#east default/web deleted")
        (folder / "west.yaml").unlink()
        clusters_.wait_for("directory#west left")
        clusters_.end()

    add_profile(east)
    east.create("namespaces", "Namespace", "team-a", metadata={"labels": {"tenant": "a"}})
    east.create("namespaces/team-a/pods", "Pod", "theirs", spec={"containers": [{"name": "c", "image": "i"}]},
                status={"phase": "Pending"})
    contexts = east.kubeconfig(folder.parent / "contexts.yaml")
    sources = ["--contexts", contexts, "--namespaces", "tenant", "--cluster-profiles", "cloud=/bin/false"]
    with Program("env", f"KUBECONFIG={contexts}", program, "--threads", "3", *sources) as clusters_:
        clusters_.wait_for_each(["context#", " team-a/theirs Pending"], ["namespace#team-a team-a/theirs Pending"],
                                ["profile#default/north is failed", "ControlPlaneHealthy"])
        clusters_.end()


def lease(program, cluster, config):
    def holder(name):
        path = "/apis/coordination.k8s.io/v1/namespaces/default/leases/" + name
        return cluster.request("GET", cluster.url + path)["spec"].get("holderIdentity", "")

    with Program(program, config, "a", "10.0.0.1:5000") as first:
        first.wait_for("leader: 10.0.0.1:5000")
        with Program(program, config, "b", "10.0.0.2:5000") as second:
            second.wait_for("leader: 10.0.0.1:5000")
            first.end()
            second.wait_for("leader: 10.0.0.2:5000")
            if (holder("cache-a"), holder("cache-b"), holder("cache")) != ("", "10.0.0.2:5000", "10.0.0.2:5000"):
                sys.exit("9_lease: the Leases do not say who is there")
            second.end()
    if holder("cache") != "":
        sys.exit("9_lease: the Lease was not given up")


def node(program, cluster, config):
    cluster.add_pod("here", nodeName="n1")
    cluster.add_pod("elsewhere", nodeName="n2")
    with Program("env", "NODE_NAME=n1", program, config, "/nonexistent/kubelet.sock") as reporter:
        reporter.wait_for("here Pending")
        reporter.end(interrupt=False)
    with Program("env", "-u", "NODE_NAME", program, config) as reporter:
        reporter.wait_for("NODE_NAME")
    cluster.delete_pod("here")
    cluster.delete_pod("elsewhere")


def endpoints(program, cluster, config):
    slices = cluster.url + "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices"
    body = {"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "addressType": "IPv4",
            "metadata": {"name": "web-1", "labels": {"kubernetes.io/service-name": "web"}},
            "endpoints": [{"addresses": ["10.0.0.1"]}], "ports": [{"name": "http", "port": 8080}]}
    with Program(program, config, "default/web") as router:
        router.wait_for("service default/web: there is no such Service")
        cluster.request("POST", slices, body)
        router.wait_for("+ 10.0.0.1:8080 ready")
        router.wait_for("1 endpoints, live")
        cluster.request("DELETE", slices + "/web-1")
        router.wait_for("- 10.0.0.1:8080")
        router.wait_for("0 endpoints, live")
        router.end()


def follow(program, candidate, config):
    with Program(program, config, "k8s://default/cache") as follower:
        with Program(candidate, config, "a", "10.0.0.1:5000") as leader:
            follower.wait_for("leader: 10.0.0.1:5000, live")
            leader.end()
        follower.wait_for("leader: , live")
        follower.end()


def lead(program, cluster, config):
    with Program(program, config, "led", "10.0.0.1:5000") as first:
        token = int(first.wait_for("leading with token ").rsplit(" ", 1)[1])
        with Program(program, config, "led", "10.0.0.2:5000") as second:
            first.end()
            first.wait_for(f"not leading any more: {token}")
            later = int(second.wait_for("leading with token ").rsplit(" ", 1)[1])
            if later <= token:
                sys.exit(f"13_lead: the token was {token}, then {later}")
            second.end()


def register(program, cluster, config):
    path = "namespaces/default/configmaps/here"
    object_ = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "here"}, "data": {"at": "10.0.0.1:5000"}}
    with Program(program, config, json.dumps(object_)) as registered:
        registered.wait_for("registered")
        cluster.merge(path, {"data": {"at": "elsewhere"}})
        cluster.await_state(path, lambda found: found is not None and found["data"]["at"] == "10.0.0.1:5000")
        registered.end()
    if cluster.get(path) is not None:
        sys.exit("14_register: the object was not deleted")


def versions(program, cluster, config):
    def definition(*flags):
        printed = subprocess.run([program, "--print-crd", *flags], check=True, capture_output=True, text=True).stdout
        return json.loads(printed)

    manifest = (EXAMPLES / "16_versions.yaml").read_text()
    if definition() != json.loads(re.search(r'^{"apiVersion".*$', manifest, re.M).group()):
        sys.exit("16_versions.yaml has another definition than the program")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = "{}:{}".format(*free.getsockname())
    where = ["--webhook-url", f"https://{address}"]
    cluster.create("namespaces", "Namespace", "websites")
    cluster.request("POST", f"{cluster.url}/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition(*where))
    group = f"{cluster.url}/apis/versions.example.com"
    old, new = (f"{group}/{version}/namespaces/default/websites" for version in ("v1alpha1", "v1"))
    site = {"apiVersion": "versions.example.com/v1alpha1", "kind": "Website", "metadata": {"name": "shop"},
            "spec": {"image": "nginx", "domain": "shop.example.com"}}
    flags = ["--webhook-bind-address", address, "--webhook-shutdown-delay", "0s", *where]
    with Program(program, "--kubeconfig", config, *flags) as webhook:
        webhook.wait_for("webhook configuration was put right")
        eventually(lambda: cluster.request("POST", old, site))
        spec = cluster.request("GET", f"{new}/shop")["spec"]
        if spec != {"image": "nginx", "host": "shop.example.com", "replicas": 1}:
            sys.exit(f"{webhook.name}: v1 has {spec}")
        merge = "application/merge-patch+json"
        cluster.request("PATCH", f"{new}/shop", {"spec": {"replicas": 3}}, merge)
        cluster.request("PATCH", f"{old}/shop", {"spec": {"domain": "www.example.com"}}, merge)
        spec = cluster.request("GET", f"{new}/shop")["spec"]
        if spec != {"image": "nginx", "host": "www.example.com", "replicas": 3}:
            sys.exit(f"{webhook.name}: a client of v1alpha1 made {spec}")
        webhook.end()


def scheduler(program, cluster, config):
    """Two racks: a namespace stays in one, a gang is bound as a whole, and a wrong configuration is refused."""
    def pod(name, gang=None):
        metadata = {"name": name}
        if gang:
            metadata["labels"] = {"scheduling.kcontrol.dev/gang": gang}
            metadata["annotations"] = {"scheduling.kcontrol.dev/gang-size": "3"}
        container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}
        cluster.request("POST", cluster.pods, {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {
            "schedulerName": "tutorial-scheduler", "containers": [container]}})

    def await_node(name):
        cluster.await_state(f"{pods}/{name}", lambda found: found is not None and "nodeName" in found["spec"])
        return cluster.get(f"{pods}/{name}")["spec"]["nodeName"]

    def message_of(found):
        conditions = found.get("status", {}).get("conditions", [])
        return " ".join(each.get("message", "") for each in conditions if each["type"] == "PodScheduled")

    pods = "namespaces/default/pods"
    nodes_url = f"{cluster.url}/api/v1/nodes"
    racks = {"rack-a-1": "a", "rack-b-1": "b", "rack-b-2": "b", "no-rack": None}
    for name, rack in racks.items():
        amounts = {"cpu": "2", "memory": "1Gi", "pods": "10"}
        labels = {"rack": rack} if rack else {}
        cluster.request("POST", nodes_url, {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels}})
        cluster.request("PATCH", f"{nodes_url}/{name}/status", {"status": {"allocatable": amounts, "capacity": amounts}},
                        "application/merge-patch+json")
        # A real server taints a node that no kubelet reports on.
        cluster.request("PATCH", f"{nodes_url}/{name}", {"spec": {"taints": None}}, "application/merge-patch+json")
    with Program(program, "--kubeconfig", config, "--pack-by", "rack") as running:
        pod("s-0")
        rack = racks[await_node("s-0")]
        pod("s-1")
        if racks[await_node("s-1")] != rack:
            sys.exit("10_scheduler: two pods of a namespace are in two racks")
        for i in range(3):
            pod(f"gang-{i}", gang="train")
        for i in range(3):
            await_node(f"gang-{i}")
        pod("s-2")
        await_node("s-2")
        pod("s-3")
        # Other rungs have left nodes.
        cluster.await_state(f"{pods}/s-3", lambda found: "node(s) had no label rack" in message_of(found) and
                            "Insufficient cpu" in message_of(found))
        running.end()
    for name in ("s-0", "s-1", "s-2", "s-3", "gang-0", "gang-1", "gang-2"):
        cluster.delete_pod(name)
    for name in racks:
        cluster.request("DELETE", f"{nodes_url}/{name}")
    for flags, words in ((["--namespace", "default"], "--namespace"),
                         (["--scheduler-name", "a", "--config", "b"], "--scheduler-name, --config")):
        refused = subprocess.run([program, "--kubeconfig", config, *flags], capture_output=True, text=True, timeout=DEADLINE)
        if refused.returncode != 2 or words not in refused.stderr:
            sys.exit(f"10_scheduler {flags}: {refused.returncode} {refused.stderr}")
    configuration = pathlib.Path(config).with_name("scheduler.yaml")
    configuration.write_text("profiles:\n- schedulerName: a\n  plugins:\n  - name: Nothing\n")
    refused = subprocess.run([program, "--config", configuration], capture_output=True, text=True, timeout=DEADLINE)
    if refused.returncode != 2 or f'{configuration}:4: name: unknown plugin "Nothing"' not in refused.stderr:
        sys.exit(f"10_scheduler --config: {refused.returncode} {refused.stderr}")


def climb(programs, cluster, folder, make_cluster):
    """Every rung with this cluster; `make_cluster` makes a second one. The programs' files are in `folder`."""
    config = cluster.kubeconfig(folder / "kubeconfig")
    hello(programs / "1_hello", cluster, config)
    informer(programs / "informer", cluster, config)
    client(programs / "client", cluster, config)
    configmap(programs / "2_configmap", cluster, config)
    nodes(programs / "4_nodes", cluster, config)
    any_kind(programs / "5_any_kind", cluster, config)
    embedded(programs / "7_embedded", cluster, config)
    warnings(programs / "15_warnings", cluster, config)
    lease(programs / "9_lease", cluster, config)
    node(programs / "10_node", cluster, config)
    scheduler(programs / "10_scheduler", cluster, config)
    endpoints(programs / "11_endpoints", cluster, config)
    follow(programs / "12_follow", programs / "9_lease", config)
    lead(programs / "13_lead", cluster, config)
    register(programs / "14_register", cluster, config)
    versions(programs / "16_versions", cluster, config)
    clusters(programs / "6_clusters", cluster, folder / "clusters", make_cluster)


def run(server_folder, program_folder):
    server = pathlib.Path(server_folder) / "api_server"
    with tempfile.TemporaryDirectory() as folder, Cluster(server) as cluster:
        climb(pathlib.Path(program_folder), cluster, pathlib.Path(folder), lambda: Cluster(server))
    print("all rungs held")


if __name__ == "__main__":
    run(*sys.argv[1:3])
