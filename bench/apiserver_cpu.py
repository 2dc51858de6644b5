#!/usr/bin/env python3
"""What a real kube-apiserver spends on serving the first sync of an informer of pods: JSON and Protocol Buffers, asked
for by kcontrol and by client-go.

usage: apiserver_cpu.py BUILD [PODS [RUNS]]     BUILD: a release build folder with bench/bench_informer; 50000 pods and
                                                3 runs by default, of which the least counts
Prints "client, variant TAB value TAB unit". The pods are the benchmarks' corpus (see scripts/bench.sh), put into etcd as
they are, so the server has read them all before it is measured. Needs Go for the server's first build, and the peers'
programs for client-go; without them kcontrol is measured alone. Anybody may read that server; it listens on loopback and
ends with this program.
"""
import base64
import contextlib
import itertools
import json
import os
import pathlib
import subprocess
import sys
import time
import urllib.request
import uuid

from monitor_bench import cpu_of

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "e2e"))
import server  # noqa: E402

PEERS = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "kcontrol" / "peers"
AT_ONCE = 100  # etcd takes 128 operations in a transaction


def etcd_of(pid):
    words = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().decode().split("\0")
    return words[words.index("--etcd-servers") + 1]


def encoded(text):
    return base64.b64encode(text.encode()).decode()


def copies(corpus, count):
    """Of each pod as many as it takes, each of another name."""
    with open(corpus, encoding="utf-8") as lines:
        events = [json.loads(line)["object"] for line in lines]
    for number, pod in zip(range(count), itertools.cycle(events)):
        meta = pod["metadata"]
        name = f"{meta['name']}-{number}"
        made = pod | {"metadata": meta | {"name": name, "uid": str(uuid.uuid4())}}
        made["metadata"].pop("resourceVersion", None)
        yield f"/registry/pods/{meta['namespace']}/{name}", json.dumps(made, separators=(",", ":"))


def fill(etcd, pods):
    while batch := list(itertools.islice(pods, AT_ONCE)):
        puts = [{"requestPut": {"key": encoded(key), "value": encoded(value)}} for key, value in batch]
        urllib.request.urlopen(urllib.request.Request(f"{etcd}/v3/kv/txn", json.dumps({"success": puts}).encode())).read()


def measured(pid, command, count, idle):
    """Microseconds of CPU for each pod: the server's, and the client's own word."""
    before, start = cpu_of(pid), time.monotonic()
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed: {run.stderr[-1000:]}")
    spent = cpu_of(pid) - before - idle * (time.monotonic() - start)
    rows = [line.split("\t") for line in run.stdout.splitlines() if line.startswith("sync\t")]
    of_client = next((float(value) for _, value, unit in rows if unit == "us CPU/object"), float("nan"))
    return spent / count * 1e6, of_client


@contextlib.contextmanager
def pods_served(name, count, *needed):
    """An API server with so many pods of the corpus, which anybody may read, and its pid. `needed`: what must be there."""
    corpus = PEERS / "corpus" / "10000" / "pods.watch.ndjson"
    for one in (*needed, corpus):
        if not one.exists():
            sys.exit(f"{one} is not there: scripts/bench.sh PB-2 makes it")
    api = server.Server(name)
    try:
        pid = int((api.work / "pids").read_text().split()[1])
        binding = {"metadata": {"name": "readers"},
                   "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"},
                   "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "system:unauthenticated"}]}
        code, said = api.ask("POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", json.dumps(binding))
        if code != 201:
            sys.exit(f"the server refuses a binding: {said}")
        print(f"putting {count} pods into etcd", file=sys.stderr)
        fill(etcd_of(pid), copies(corpus, count))
        yield api, pid
    finally:
        api.stop()


def main():
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        sys.exit(__doc__)
    ours = pathlib.Path(sys.argv[1]).resolve() / "bench" / "bench_informer"
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 50000
    runs = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    with pods_served("apiserver-cpu", count, ours) as (api, pid):
        url, ca = api.url, api.work / "ca.crt"
        clients = {"kcontrol, JSON": [ours, url, ca, "full"],
                   "kcontrol, Protocol Buffers": [ours, url, ca, "protobuf-full"],
                   "kcontrol, Protocol Buffers, 14 fields": [ours, url, ca, "protobuf-projection"]}
        informer = PEERS / "bin" / "informer"
        if informer.exists():
            for name, content in (("JSON", "json"), ("Protocol Buffers", "protobuf")):
                clients[f"client-go, {name}"] = [informer, "-server", url, "-ca", ca, "-content", content]
        measured(pid, clients["kcontrol, JSON"], count, 0)  # it has read everything now
        time.sleep(5)
        before = cpu_of(pid)
        time.sleep(5)
        idle = (cpu_of(pid) - before) / 5
        print(f"server, idle\t{idle * 100:.1f}\t% of a core")
        for name, command in clients.items():
            each = [measured(pid, command, count, idle) for _ in range(runs)]
            print(f"{name}\t{min(one for one, _ in each):.1f}\tus CPU of the server/object")
            print(f"{name}\t{min(one for _, one in each):.1f}\tus CPU of the client/object", flush=True)


if __name__ == "__main__":
    main()
