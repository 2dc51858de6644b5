"""Two Ray operators on one real cluster: KubeRay, built from its Go module, and ours, each in a namespace of its own.

Kubelets are kwok's, and so are the addresses of pods; in the network of the test they are this machine's, so that the
API server's proxy leads to a dashboard that the test plays.
"""
import http.server
import json
import os
import pathlib
import re
import subprocess
import tempfile
import threading
import unittest

import cluster
import own_network
import ports
import probes
import wait

THEIRS, OURS = "of-theirs", "of-ours"  # which operator, and its namespace
PODS = "10.0.0.0/8"  # kwok's


def find_assets():
    """As cluster.find_assets(), with KubeRay among the programs."""
    return cluster.find_assets(more=["--kuberay"])


class Dashboard:
    """Of all Ray clusters: jobs are what a test says, by their submission ids."""

    def __init__(self):
        self.jobs, self.posts, self.stopped = {}, [], []
        board = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def answer(self, status, body):
                text = json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def do_GET(self):
                job = self.path.rsplit("/", 1)[-1]
                if job not in board.jobs:
                    return self.answer(404, {})
                return self.answer(200, {"submission_id": job, "type": "SUBMISSION", "entrypoint": "python a.py",
                                         "start_time": 1764410400000, **board.jobs[job]})

            def do_POST(self):
                sent = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or "{}")
                if self.path.endswith("/stop"):
                    board.stopped.append(self.path.split("/")[-2])
                    return self.answer(200, {"stopped": True})
                board.posts.append(sent)
                job = sent["submission_id"]
                board.jobs.setdefault(job, {"status": "RUNNING", "message": "it runs"})
                return self.answer(200, {"job_id": job, "submission_id": job})

            def log_message(self, *_):
                pass

        self.http = http.server.ThreadingHTTPServer(("0.0.0.0", 8265), Handler)
        self.http.daemon_threads = True
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def say(self, job, status, **more):
        self.jobs[job] = {"status": status, "message": f"it is {status}", **more}

    def stop(self):
        self.http.shutdown()
        self.http.server_close()


class RayServer:
    """A cluster with the kinds of KubeRay, room for any pod, and an operator in each of two namespaces."""

    def __init__(self, nodes=4):
        self.assets, why = find_assets()
        if self.assets is None:
            raise unittest.SkipTest(why)
        self.network = own_network.OwnNetwork(PODS)
        self.folder = tempfile.TemporaryDirectory(prefix="kcontrol-kuberay-", ignore_cleanup_errors=True)
        self.work = pathlib.Path(self.folder.name)
        self.real = cluster.Cluster("kuberay", self.assets, self.work)
        self.processes = {}
        self.real.start()
        self.manifests = pathlib.Path(self.assets) / "kuberay.d"
        self.real.kubectl("create", *[a for f in sorted(self.manifests.glob("ray.io_*.yaml")) for a in ("-f", f)])
        self.real.kubectl("wait", "--for=condition=Established", "crd", "--all", "--timeout=60s")
        for name in (THEIRS, OURS):
            self.real.kubectl("create", "namespace", name)
        much = {"cpu": "10k", "memory": "100Ti", "pods": "5k", "ephemeral-storage": "100Ti", "nvidia.com/gpu": "1k",
                "google.com/tpu": "1k"}
        for i in range(nodes):
            name = f"ray-node-{i}"
            self.real.apply({"apiVersion": "v1", "kind": "Node",
                             "metadata": {"name": name, "annotations": {"kwok.x-k8s.io/node": "fake"}}})
            self.real.kubectl("patch", "node", name, "--subresource=status", "--type=merge", "-p",
                              json.dumps({"status": {"capacity": much, "allocatable": much}}))

    def stop(self):
        for name in list(self.processes):
            self.end(name)
        self.real.stop()
        self.network.leave()
        self.folder.cleanup()

    def start(self, which, namespace, *options):
        """An operator, which serves that namespace ("": all). `which`: KubeRay, or ours."""
        log = self.log(which, namespace)
        health = ports.free_port()
        if which == THEIRS:
            command = [f"{self.assets}/kuberay", "--enable-leader-election=false", "--use-kubernetes-proxy",
                       f"--metrics-addr=127.0.0.1:{ports.free_port()}", f"--health-probe-bind-address=127.0.0.1:{health}",
                       *([f"--watch-namespace={namespace}"] if namespace else [])]
        else:
            command = [probes.app("ray_operator"), "--use-kubernetes-proxy",
                       *(["--namespace", namespace] if namespace else [])]
        with log.open("ab") as out:
            self.processes[which] = subprocess.Popen([*command, *options], stdin=subprocess.DEVNULL, stdout=out,
                                                     stderr=out, env={**os.environ, "KUBECONFIG": str(self.real.admin)})
        return self.processes[which]

    def log(self, which, namespace):
        return self.work / f"{which}-in-{namespace or 'all'}.log"

    def end(self, which):
        process = self.processes.pop(which, None)
        if process:
            process.terminate()
            process.wait(60)

    def samples(self, pattern):
        """The objects of ray.io in KubeRay's samples, by their file."""
        out = {}
        for file in sorted(self.manifests.glob(pattern)):
            text = self.real.kubectl("create", "--dry-run=client", "--validate=false", "-o", "json", "-f", file, check=False)
            decoder = json.JSONDecoder()
            while text.strip():
                one, end = decoder.raw_decode(text.lstrip())
                text = text.lstrip()[end:]
                for each in one.get("items", [one]):
                    if each["apiVersion"].startswith("ray.io/"):
                        out[file.name] = each
        return out

    def items(self, kinds, namespace):
        return json.loads(self.real.kubectl("get", kinds, "-n", namespace, "-o", "json"))["items"]


SUFFIX = re.compile(r"-(head|worker)-[a-z0-9]{5}\b")
ADDRESS = re.compile(r"\b10\.\d+\.\d+\.\d+\b")
UUID = re.compile(r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")
NODE_PORT = re.compile(r"^3[0-2]\d{3}$")
TIME = re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\b")
NODE_NAMES = ("nodeName", "resourceVersion", "uid", "creationTimestamp", "managedFields", "lastTransitionTime",
              "lastUpdateTime", "controller-uid", "batch.kubernetes.io/controller-uid", "stateTransitionTimes", "startTime",
              "endTime", "hostIP", "hostIPs", "podIPs", "qosClass", "clusterIP", "clusterIPs", "containerID",
              "nodePort",
              "kubectl.kubernetes.io/last-applied-configuration", "completionTime", "uncountedTerminatedPods")


def normal(value, namespace, jobs=()):
    """Without what differs from one object to the next: times, identities, random ends of names, the namespace. `jobs`:
    what the names of clusters and pods that RayJobs have made begin with. Conditions are by their type, ports by name."""
    if isinstance(value, dict):
        return {k: normal(v, namespace, jobs) for k, v in value.items() if k not in NODE_NAMES}
    if isinstance(value, list):
        if value and all(isinstance(v, dict) and "type" in v and "status" in v for v in value):
            return {v["type"]: normal(v, namespace, jobs) for v in value}
        if value and all(isinstance(v, dict) and "name" in v and "port" in v for v in value):
            return {v["name"]: normal(v, namespace, jobs) for v in value}
        return [normal(v, namespace, jobs) for v in value]
    if isinstance(value, str):
        for name in jobs:
            value = re.sub(rf"\b{name}-[a-z0-9]{{5}}\b", name + "-*****", value)
        value = NODE_PORT.sub("NODE_PORT", UUID.sub("UUID", value))
        value = TIME.sub("TIME", ADDRESS.sub("ADDRESS", SUFFIX.sub(r"-\1-*****", value)))
        return re.sub(rf"\b{namespace}\b", "NS", value)
    return value


def normal_pod(pod, namespace, jobs=()):
    out = normal(pod, namespace, jobs)
    out["metadata"].get("labels", {}).pop("ray.io/worker-group-replica-name", None)
    out["spec"].pop("tolerations", None)  # those that admission adds
    token = lambda m: m["name"].startswith("kube-api-access-")
    out["spec"]["volumes"] = [v for v in out["spec"].get("volumes", []) if not token(v)]
    for each in out["spec"]["containers"] + out["spec"].get("initContainers", []):
        each["volumeMounts"] = [m for m in each.get("volumeMounts", []) if not token(m)]
    out["status"] = {"phase": out["status"].get("phase"), "going": "deletionTimestamp" in out["metadata"]}
    return out


def differences(theirs, ours, path=""):
    """(path, theirs, ours) of each place where two values differ."""
    if isinstance(theirs or ours, dict) and isinstance(theirs or {}, dict) and isinstance(ours or {}, dict):
        theirs, ours = theirs or {}, ours or {}
        for key in sorted(theirs.keys() | ours.keys()):
            yield from differences(theirs.get(key), ours.get(key), f"{path}.{key}")
    elif isinstance(theirs, list) and isinstance(ours, list) and len(theirs) == len(ours):
        for i, (a, b) in enumerate(zip(theirs, ours)):
            yield from differences(a, b, f"{path}[{a.get('name', i) if isinstance(a, dict) else i}]")
    elif (theirs or None) != (ours or None):
        yield path, theirs, ours


def events(server, namespace):
    """(kind, type, reason) of the events of Ray's objects, for each."""
    out = set()
    for each in server.items("events.events.k8s.io", namespace):
        about = each.get("regarding", {})
        if about.get("kind") in ("RayCluster", "RayJob"):
            out.add((about["kind"], about["name"], each["type"], each["reason"]))
    return out
