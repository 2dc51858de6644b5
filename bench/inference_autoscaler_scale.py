#!/usr/bin/env python3
"""Measures 1,000 InferenceScalers of 4,000 pods by one Prometheus.

usage: inference_autoscaler_scale.py AUTOSCALER APISERVER [--scalers N] [--seconds N] [--decisions N]

APISERVER is kcontrol-apiserver, which makes the pods; Prometheus is scripted here. Each scaler has three rules: two with
queries of its own, and one that is equal for all. Prints CPU of a core and memory of the autoscaler in so many seconds,
queries by rule, requests to the API server, and the time from the sample that decides until the replicas are written.
"""
import argparse
import asyncio
import http.client
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "e2e"))

import ports  # noqa: E402

TICKS = os.sysconf("SC_CLK_TCK")
SCALERS = "/apis/autoscaling.kcontrol.dev/v1alpha1/namespaces/default/inferencescalers"


class Prometheus:
    """Answers 0.5, and 2 to `hot`, whose first answer it times."""

    def __init__(self):
        self.port, self.asked, self.hot, self.answered = ports.free_port(), {}, None, None
        threading.Thread(target=lambda: asyncio.run(self.serve()), daemon=True).start()

    async def serve(self):
        await (await asyncio.start_server(self.talk, "127.0.0.1", self.port)).serve_forever()

    async def talk(self, reader, writer):
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
                length = re.search(r"(?i)content-length: (\d+)", head)
                body = (await reader.readexactly(int(length.group(1)))).decode() if length else ""
                words = body or urllib.parse.urlsplit(head.split()[1]).query
                query = urllib.parse.parse_qs(words)["query"][0]
                self.asked[query.split("{")[0]] = self.asked.get(query.split("{")[0], 0) + 1
                value = 0.5
                if self.hot and self.hot in query and query.startswith("own_a"):
                    value, self.answered = 2, self.answered or time.monotonic()
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


def cpu(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def memory(pid, which):
    return int(re.search(which + r":\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text()).group(1)) / 1024


class Api:
    def __init__(self, port):
        self.port = port

    def ask(self, method, path, body=None):
        to = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        to.request(method, path, json.dumps(body) if body else None, {"Content-Type": "application/json"})
        answer = to.getresponse()
        text = answer.read()
        assert answer.status < 300, (method, path, answer.status, text[:300])
        return json.loads(text)

    def until(self, what, holds, seconds=600, every=1.0):
        end = time.monotonic() + seconds
        while not holds():
            assert time.monotonic() < end, what
            time.sleep(every)


def main():
    sys.stdout.reconfigure(line_buffering=True)
    parser = argparse.ArgumentParser()
    parser.add_argument("autoscaler")
    parser.add_argument("apiserver")
    parser.add_argument("--scalers", type=int, default=1000)
    parser.add_argument("--seconds", type=int, default=120)
    parser.add_argument("--decisions", type=int, default=20)
    a = parser.parse_args()
    prometheus, running = Prometheus(), []
    api = Api(ports.free_port())
    metrics = ports.free_port()
    with tempfile.TemporaryDirectory() as folder:
        config = str(pathlib.Path(folder) / "kubeconfig")
        log = (pathlib.Path(folder) / "log").open("w")
        start = lambda *command: running.append(subprocess.Popen(command, stdout=log, stderr=log)) or running[-1]
        try:
            start(a.apiserver, f"--listen=127.0.0.1:{api.port}", "--plain-http", f"--kubeconfig={config}",
                  "--controllers=workloads,pods")
            api.until("no API server", lambda: os.path.exists(config), 60, 0.1)
            program = start(a.autoscaler, f"--kubeconfig={config}", "--install-crds", "--allow-address=127.0.0.0/8",
                            f"--listen=127.0.0.1:{metrics}")

            def served():
                try:
                    return api.ask("GET", SCALERS)["items"] == []
                except (AssertionError, OSError):
                    return False
            api.until("the kind is not installed", served, 60, 0.1)
            for i in range(a.scalers):
                api.ask("POST", "/apis/apps/v1/namespaces/default/deployments", deployment(i))
                api.ask("POST", SCALERS, scaler(i, prometheus.port))

            def works():
                status = [s.get("status", {}) for s in api.ask("GET", SCALERS)["items"]]
                return sum(s.get("ready") == 4 and any(c["type"] == "MetricsKnown" and c["status"] == "True"
                                                       for c in s["conditions"]) for s in status) == a.scalers
            api.until(lambda: log.name, works)
            time.sleep(20)
            before, asked = cpu(program.pid), dict(prometheus.asked)
            time.sleep(a.seconds)
            print(f"CPU of a core: {100 * (cpu(program.pid) - before) / a.seconds:.1f} %")
            print(f"memory: {memory(program.pid, 'VmRSS'):.1f} MiB, at most {memory(program.pid, 'VmHWM'):.1f} MiB")
            for name, count in sorted(prometheus.asked.items()):
                print(f"queries {name}: {(count - asked.get(name, 0)) / a.seconds:.1f} per s")
            lags = []
            for i in range(a.decisions):
                name, prometheus.answered = f"m-{i}", None
                path = f"/apis/apps/v1/namespaces/default/deployments/{name}"
                prometheus.hot = f'"{name}."'
                api.until(f"{name} does not grow", lambda: api.ask("GET", path)["spec"]["replicas"] > 4, 60, 0.01)
                lags.append(time.monotonic() - prometheus.answered)
                prometheus.hot = None
            print(f"from the sample to the replicas: median {1000 * statistics.median(lags):.0f} ms, "
                  f"slowest {1000 * max(lags):.0f} ms of {len(lags)}")
        finally:
            for each in reversed(running):
                each.terminate()
                each.wait(60)


if __name__ == "__main__":
    main()
