#!/usr/bin/env python3
"""Measures 1,000 InferenceScalers of 4,000 pods by one Prometheus.

usage: inference_autoscaler_scale.py AUTOSCALER APISERVER [--scalers N] [--seconds N] [--decisions N] [--limit N]

APISERVER is kcontrol-apiserver, which begins with the targets and four ready pods of each; Prometheus is scripted here.
Each scaler has three rules: two with queries of its own, and one that is equal for all. Progress goes to standard error. Standard output is one line of JSON:
CPU as a share of a core in so many seconds and memory in MB, both by the autoscaler's own process metrics; queries and
requests to the API server, each per look; the time from the sample that decides until the replicas are written; and the
load of the machine meanwhile. The exit code is 1 beyond 5 % of a core, 80 MB or 1 s.
"""
import argparse
import asyncio
import concurrent.futures
import http.client
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "e2e"))

import ports  # noqa: E402

SCALERS = "/apis/autoscaling.kcontrol.dev/v1alpha1/namespaces/default/inferencescalers"
DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"


class Prometheus:
    """Answers 0.5, and 2 to `own_a` of those that are hot, whose first such answer it times."""

    def __init__(self):
        self.port, self.asked, self.hot, self.answered = ports.free_port(), {}, set(), {}
        threading.Thread(target=lambda: asyncio.run(self.serve()), daemon=True).start()

    async def serve(self):
        await (await asyncio.start_server(self.talk, "127.0.0.1", self.port)).serve_forever()

    async def talk(self, reader, writer):
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
                length = re.search(r"(?i)content-length: (\d+)", head)
                body = (await reader.readexactly(int(length.group(1)))).decode() if length else ""
                query = urllib.parse.parse_qs(body or urllib.parse.urlsplit(head.split()[1]).query)["query"][0]
                name = query.split("{")[0]
                self.asked[name] = self.asked.get(name, 0) + 1
                value, of = 0.5, re.search(r'app="(m-\d+)\."', query)
                if name == "own_a" and of.group(1) in self.hot:
                    value = 2
                    self.answered.setdefault(of.group(1), time.monotonic())
                said = json.dumps({"status": "success", "data": {"resultType": "vector", "result": [
                    {"metric": {}, "value": [time.time(), str(value)]}]}})
                writer.write(f"HTTP/1.1 200 OK\r\nContent-Length: {len(said)}\r\n\r\n{said}".encode())
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()


def scaler(i, port):
    rules = [{"name": name, "query": query, "threshold": 1, "action": {"addReplicas": 1}} for name, query in
             (("a", 'own_a{app="{name}.",pod=~"{pods}"}'), ("b", 'own_b{app="{name}.",pod=~"{pods}"}'), ("all", "shared"))]
    return {"apiVersion": "autoscaling.kcontrol.dev/v1alpha1", "kind": "InferenceScaler",
            "metadata": {"name": f"m-{i}", "namespace": "default"},
            "spec": {"target": {"apiVersion": "apps/v1", "kind": "Deployment", "name": f"m-{i}"}, "maxReplicas": 8,
                     "down": {"forSeconds": 86400}, "metrics": {"prometheus": {"url": f"http://127.0.0.1:{port}"}},
                     "rules": rules}}


def deployment(i):
    labels = {"app": f"m-{i}"}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": f"m-{i}", "namespace": "default"},
            "spec": {"replicas": 4, "selector": {"matchLabels": labels},
                     "template": {"metadata": {"labels": labels},
                                  "spec": {"containers": [{"name": "engine", "image": "vllm:1"}]}}}}


def pod(i, number):
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": f"m-{i}-{number}", "namespace": "default", "labels": {"app": f"m-{i}"}},
            "spec": {"nodeName": "node", "containers": [{"name": "engine", "image": "vllm:1"}]},
            "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}}


class Server:
    """One server, asked by any thread over a connection that the thread keeps."""

    def __init__(self, port):
        self.port, self.local = port, threading.local()

    def ask(self, method, path, body=None):
        to = self.local.__dict__.setdefault("to", http.client.HTTPConnection("127.0.0.1", self.port, timeout=60))
        try:
            to.request(method, path, json.dumps(body) if body else None, {"Content-Type": "application/json"})
            answer = to.getresponse()
            text = answer.read().decode()
        except (OSError, http.client.HTTPException):
            to.close()
            raise
        if answer.status >= 300:
            raise OSError(f"{method} {path}: {answer.status} {text[:300]}")
        return text

    def changes_of(self, path, told):
        """Calls `told` with the name, the replicas and the time of each change, in a thread."""
        stream = http.client.HTTPConnection("127.0.0.1", self.port, timeout=600)
        stream.request("GET", path + "?watch=true")
        lines = stream.getresponse()

        def read():
            for line in lines:
                each = json.loads(line)["object"]
                told(each["metadata"]["name"], each["spec"]["replicas"], time.monotonic())
        threading.Thread(target=read, daemon=True).start()


def say(words):
    print(f"{time.strftime('%H:%M:%S')} {words}", file=sys.stderr, flush=True)


def until(what, holds, seconds, every):
    end = time.monotonic() + seconds
    while True:
        try:
            if holds():
                return
        except OSError as failure:
            what = f"{what}: {failure}"
        if time.monotonic() > end:
            sys.exit(what)
        time.sleep(every)


def total(text, family, labels=""):
    return sum(float(line.rsplit(" ", 1)[1]) for line in text.splitlines()
               if line.startswith(family) and labels in line and line[len(family)] in " {")


def share(values, part):
    return sorted(values)[min(len(values) - 1, int(part * len(values)))]


def measure(a, program, api, prometheus):
    threads = concurrent.futures.ThreadPoolExecutor(8)

    def make(i):
        api.ask("POST", SCALERS, scaler(i, prometheus.port))
    begun = time.monotonic()
    for done, _ in enumerate(threads.map(make, range(a.scalers)), 1):
        if done % 200 == 0:
            say(f"{done} scalers made, {time.monotonic() - begun:.0f} s")

    def all_work():
        text = program.ask("GET", "/metrics")
        ready = total(text, "inference_autoscaler_ready_replicas")
        values = text.count("\ninference_autoscaler_metric_value{")
        say(f"{ready:.0f} of {4 * a.scalers} pods are seen ready, {values} of {3 * a.scalers} values are known")
        return ready == 4 * a.scalers and values == 3 * a.scalers
    until("not all was known in time", all_work, a.limit, 5)
    time.sleep(20)  # the last writes of the status

    def now():
        text = program.ask("GET", "/metrics")
        return {"t": time.monotonic(), "cpu": total(text, "process_cpu_seconds_total"), "text": text,
                "api": total(text, "rest_client_requests_total"), "asked": dict(prometheus.asked)}
    say(f"measuring for {a.seconds} s")
    first = now()
    time.sleep(a.seconds)
    last = now()
    took, looks = last["t"] - first["t"], (last["t"] - first["t"]) * a.scalers / 15
    out = {"scalers": a.scalers, "seconds": round(took, 1), "cpu": round((last["cpu"] - first["cpu"]) / took, 4),
           "cpuMsPerLook": round(1000 * (last["cpu"] - first["cpu"]) / looks, 3),
           "rssMB": round(total(last["text"], "process_resident_memory_bytes") / 1e6, 1),
           "requestsPerLook": round((last["api"] - first["api"]) / looks, 2),
           "queriesPerLook": {name: round((count - first["asked"].get(name, 0)) / looks, 2)
                              for name, count in sorted(last["asked"].items())}}
    grown = {}
    api.changes_of(DEPLOYMENTS, lambda name, replicas, at: grown.setdefault(name, at) if replicas > 4 else None)
    chosen = [f"m-{i}" for i in range(0, a.scalers, max(1, a.scalers // a.decisions))]
    prometheus.hot.update(chosen)
    say(f"{len(chosen)} scalers are to grow")
    until("not all grew in time", lambda: all(each in grown for each in chosen), 120, 0.2)
    lags = [1000 * (grown[each] - prometheus.answered[each]) for each in chosen]
    out["decisions"] = len(lags)
    out["decisionMs"] = {"p50": round(share(lags, 0.5)), "p99": round(share(lags, 0.99)), "most": round(max(lags))}
    out["load1"] = os.getloadavg()[0]
    print(json.dumps(out))
    return out["cpu"] <= 0.05 and out["rssMB"] <= 80 and out["decisionMs"]["p99"] <= 1000


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("autoscaler")
    parser.add_argument("apiserver")
    parser.add_argument("--scalers", type=int, default=1000)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--decisions", type=int, default=200)
    parser.add_argument("--limit", type=int, default=900, help="seconds until all is known")
    a = parser.parse_args()
    prometheus, running = Prometheus(), []
    api, program = Server(ports.free_port()), Server(ports.free_port())
    with tempfile.TemporaryDirectory() as folder:
        config = str(pathlib.Path(folder) / "kubeconfig")
        log = (pathlib.Path(folder) / "log").open("w")
        start = lambda *command: running.append(subprocess.Popen(command, stdout=log, stderr=log))
        try:
            world = pathlib.Path(folder) / "world.json"
            items = [each for i in range(a.scalers) for each in (deployment(i), *(pod(i, n) for n in range(4)))]
            world.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
            start(a.apiserver, f"--listen=127.0.0.1:{api.port}", "--plain-http", f"--kubeconfig={config}",
                  f"--load={world}")
            until("no API server", lambda: api.ask("GET", "/version"), a.limit, 0.2)
            start(a.autoscaler, f"--kubeconfig={config}", "--install-crds", "--allow-address=127.0.0.0/8",
                  f"--listen=127.0.0.1:{program.port}")
            until("the kind is not installed", lambda: api.ask("GET", SCALERS), a.limit, 0.2)
            sys.exit(0 if measure(a, program, api, prometheus) else 1)
        finally:
            for each in reversed(running):
                each.terminate()
                each.wait(60)


if __name__ == "__main__":
    main()
