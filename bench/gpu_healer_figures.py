#!/usr/bin/env python3
"""Measures the GPU healer with 5,000 nodes of which 100 fall ill at once.

usage: gpu_healer_figures.py HEALER APISERVER [--nodes N] [--cases N] [--hold SECONDS]

APISERVER is kcontrol-apiserver. Each case has one step, a webhook that is answered at once. Prints the time from the write of
the condition until a watch shows the taint, from the write of its end and holdSeconds until the taint is off, and memory
and CPU of the healer.
"""
import argparse
import datetime
import http.client
import http.server
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "e2e"))

import ports  # noqa: E402

CONDITION, TAINT = "kcontrol.dev/GPUHealthy", "kcontrol.dev/gpu-unhealthy"
POLICIES = "/apis/healing.kcontrol.dev/v1alpha1/healingpolicies"
REPAIRS = "/apis/healing.kcontrol.dev/v1alpha1/noderepairs"


class Webhook(http.server.BaseHTTPRequestHandler):
    tokens = []

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.tokens.append(self.headers["Idempotency-Key"])
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class Api:
    def __init__(self, port):
        self.port, self.local = port, threading.local()

    def ask(self, method, path, body=None, kind="application/json"):
        if not hasattr(self.local, "to"):
            self.local.to = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        self.local.to.request(method, path, json.dumps(body) if body else None, {"Content-Type": kind})
        answer = self.local.to.getresponse()
        text = answer.read()
        assert answer.status < 300, (method, path, answer.status, text[:300])
        return json.loads(text)

    def until(self, what, holds, seconds=300, every=0.2):
        end = time.monotonic() + seconds
        while not holds():
            assert time.monotonic() < end, what
            time.sleep(every)

    def say(self, name, healthy):
        """The labeler's part; returns when it is written."""
        self.ask("PATCH", f"/api/v1/nodes/{name}/status", {"status": {"conditions": conditions(healthy)}},
                 "application/strategic-merge-patch+json")
        return time.monotonic()


def conditions(healthy):
    now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    one = lambda kind, status, reason: {"type": kind, "status": status, "reason": reason, "lastTransitionTime": now,
                                        "lastHeartbeatTime": now}
    return [one("Ready", "True", "KubeletReady"),
            one(CONDITION, str(healthy), "AllGPUsHealthy" if healthy else "GPUFailed")]


class Taints:
    """When a watch showed that nodes had the taint, and had it no more."""

    def __init__(self, port):
        self.on, self.off = {}, {}
        to = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
        to.request("GET", "/api/v1/nodes?watch=true&allowWatchBookmarks=false")
        threading.Thread(target=self.read, args=(to.getresponse(),), daemon=True).start()

    def read(self, answer):
        for line in iter(answer.readline, b""):
            now, one = time.monotonic(), json.loads(line)["object"]
            name = one["metadata"]["name"]
            if any(t["key"] == TAINT for t in one.get("spec", {}).get("taints", [])):
                self.on.setdefault(name, now)
            elif name in self.on:
                self.off.setdefault(name, now)


def percentiles(what, seconds):
    ordered = sorted(seconds)
    at = lambda share: ordered[min(len(ordered) - 1, int(share * len(ordered)))]
    print(f"{what}: p50 {at(0.5):.2f} s, p99 {at(0.99):.2f} s of {len(ordered)}")


def cpu(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory(pid, which):
    return int(re.search(which + r":\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text()).group(1)) / 1024


def main():
    sys.stdout.reconfigure(line_buffering=True)
    parser = argparse.ArgumentParser()
    parser.add_argument("healer")
    parser.add_argument("apiserver")
    parser.add_argument("--nodes", type=int, default=5000)
    parser.add_argument("--cases", type=int, default=100)
    parser.add_argument("--hold", type=int, default=10)
    a = parser.parse_args()
    hook = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Webhook)
    hook.daemon_threads = True
    threading.Thread(target=hook.serve_forever, daemon=True).start()
    api, running = Api(ports.free_port()), []
    with tempfile.TemporaryDirectory() as folder:
        config = str(pathlib.Path(folder) / "kubeconfig")
        log = (pathlib.Path(folder) / "log").open("w")
        start = lambda *command: running.append(subprocess.Popen(command, stdout=log, stderr=log)) or running[-1]
        try:
            start(a.apiserver, f"--listen=127.0.0.1:{api.port}", "--plain-http", f"--kubeconfig={config}")
            api.until("no API server", lambda: os.path.exists(config), 60)
            program = start(a.healer, f"--kubeconfig={config}", "--install-crds", "--allow-address=127.0.0.0/8", "--listen=0")

            def served():
                try:
                    return api.ask("GET", POLICIES)["items"] == []
                except (AssertionError, OSError):
                    return False
            api.until(lambda: pathlib.Path(log.name).read_text(), served, 60)
            for i in range(a.nodes):
                api.ask("POST", "/api/v1/nodes", {"apiVersion": "v1", "kind": "Node", "metadata": {
                    "name": f"n{i}", "labels": {"gpu": "true"}}, "status": {"conditions": conditions(True)}})
            if not api.ask("GET", "/api/v1/nodes/n0").get("status", {}).get("conditions"):
                for i in range(a.nodes):
                    api.say(f"n{i}", True)
            step = {"name": "reset", "webhook": {"url": f"http://127.0.0.1:{hook.server_port}/{{node}}"}}
            api.ask("POST", POLICIES, {"apiVersion": "healing.kcontrol.dev/v1alpha1", "kind": "HealingPolicy", "metadata": {
                "name": "gpus"}, "spec": {"nodeSelector": {"matchLabels": {"gpu": "true"}}, "drain": {"mode": "None"},
                "atOnce": a.cases, "verify": {"holdSeconds": a.hold}, "repairs": [{"name": "all", "steps": [step]}]}})
            api.until("the nodes are not counted", lambda: api.ask("GET", POLICIES + "/gpus").get("status", {}).get("nodes") == a.nodes)
            print(f"{a.nodes} nodes: {memory(program.pid, 'VmRSS'):.1f} MiB")
            seen, before = Taints(api.port), cpu(program.pid)
            ill = [f"n{i * (a.nodes // a.cases)}" for i in range(a.cases)]
            failed = {name: api.say(name, False) for name in ill}
            api.until("not tainted", lambda: len(seen.on) == a.cases)
            verifying = lambda: sum(c.get("status", {}).get("phase") == "Verifying" for c in api.ask("GET", REPAIRS)["items"])
            api.until("not verifying", lambda: verifying() == a.cases)
            well = {name: api.say(name, True) for name in ill}
            api.until("not released", lambda: len(seen.off) == a.cases)
            time.sleep(1)
            percentiles("from the condition to the taint", [seen.on[n] - failed[n] for n in ill])
            percentiles(f"from the end of the fault to the taint's end, without {a.hold} s of holdSeconds",
                        [seen.off[n] - well[n] - a.hold for n in ill])
            print(f"webhooks: {len(Webhook.tokens)}, of these different {len(set(Webhook.tokens))}")
            print(f"CPU of the healer: {cpu(program.pid) - before:.1f} s; memory {memory(program.pid, 'VmRSS'):.1f} MiB, "
                  f"at most {memory(program.pid, 'VmHWM'):.1f} MiB")
        finally:
            for each in reversed(running):
                each.terminate()
                each.wait(60)
            hook.shutdown()


if __name__ == "__main__":
    main()
