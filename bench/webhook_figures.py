#!/usr/bin/env python3
"""What admission costs: kcontrol's webhook server beside controller-runtime's, with the same work on the same reviews.

usage: bench/webhook_figures.py PROGRAM [--seconds N] [--rate N] [--creates N]

PROGRAM is bench_webhook_server of a release build. Needs Go; the peer takes the modules that ../shared/peers/go names, or
those of the folder KCONTROL_SHARED. Two tables: reviews sent to the servers without an API server, one after the other,
--rate a second (500) and as many as there can be; and --creates pods a second (--rate) made at a real kube-apiserver (dry
runs) without a webhook, and with a defaulter and a validator of each. Times count from when a request was due: where the
API server can't keep up by itself, give it fewer creates. Where there is no Go or no such folder, it says so and ends with
status 3.
"""
import argparse
import base64
import contextlib
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "e2e"))
import go_peer  # noqa: E402
import ports  # noqa: E402
import server  # noqa: E402
import wait  # noqa: E402
import webhooks  # noqa: E402

PODS = "/api/v1/namespaces/default/pods?dryRun=All"


def build_peer(folder):
    peer = go_peer.build(folder, "webhook_peer")
    if not peer:
        print("skipped: there is no Go, or no " + str(go_peer.MODULES), file=sys.stderr)
        sys.exit(3)
    return peer


def pod():
    """One as a trainer's is: some 3 KB."""
    env = [{"name": f"SETTING_{i}", "value": f"value-{i}" * 3} for i in range(30)]
    container = {"image": "registry.example.com/train@sha256:" + "a" * 64, "env": env,
                 "resources": {"limits": {"cpu": "4", "memory": "16Gi"}, "requests": {"cpu": "4", "memory": "16Gi"}}}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "trainer", "namespace": "default",
                                                            "labels": {"app": "trainer"}},
            "spec": {"containers": [{"name": "main", **container}, {"name": "side", **container}]}}


def review():
    kind = {"group": "", "version": "v1", "kind": "Pod"}
    resource = {"group": "", "version": "v1", "resource": "pods"}
    return {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
        "uid": "0df28fbd-5f5f-11e8-bc74-36e6bb280816", "kind": kind, "resource": resource, "requestKind": kind,
        "requestResource": resource, "name": "trainer", "namespace": "default", "operation": "CREATE",
        "userInfo": {"username": "admin", "groups": ["system:authenticated"]}, "object": pod(), "oldObject": None,
        "dryRun": False, "options": {"kind": "CreateOptions", "apiVersion": "meta.k8s.io/v1"}}}


def cpu_of(process):
    parts = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(parts[11]) + int(parts[12])) / os.sysconf("SC_CLK_TCK")


def memory_of(process):
    fields = dict(line.split(":", 1) for line in pathlib.Path(f"/proc/{process.pid}/status").read_text().splitlines())
    return int(fields["VmRSS"].split()[0]) / 1024


def listening(port):
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
        return True
    return False


@contextlib.contextmanager
def serving(command, folder):
    port = ports.free_port()
    with (folder / "log").open("ab") as log:
        process = subprocess.Popen([*command, str(port), folder], stdout=log, stderr=log)
    try:
        wait.until(lambda: (folder / "log").read_text(), lambda: listening(port), 30)
        yield process, port
    finally:
        process.kill()
        process.wait()


def loaded(peer, url, ca, body, rate, seconds, workers, *pair):
    run = subprocess.run([peer, "load", url, ca, body, str(rate), str(seconds), str(workers), *pair], check=True,
                         capture_output=True, text=True)
    out = json.loads(run.stdout)
    if out["failed"]:
        sys.exit(f"{url}: answered with {out['failed']}")
    return out


def table(title, columns, rows):
    print(f"\n| {title} | " + " | ".join(columns) + " |\n|---|" + "---:|" * len(columns))
    for name, values in rows:
        print(f"| {name} | " + " | ".join(f"{v:.3g}" if v < 100 else f"{v:.0f}" for v in values) + " |")


def direct(peer, sides, folder, seconds, rate):
    body = folder / "review.json"
    body.write_text(json.dumps(review()))
    for path in ("/mutate--v1-pod", "/validate--v1-pod"):
        rows = []
        for name, command in sides:
            with serving(command, folder) as (process, port):
                url = f"https://127.0.0.1:{port}{path}?timeout=10s"
                begun = memory_of(process)
                one = loaded(peer, url, folder / "ca.crt", body, 0, seconds, 1)
                paced = loaded(peer, url, folder / "ca.crt", body, rate, seconds, 16)
                before = cpu_of(process)
                many = loaded(peer, url, folder / "ca.crt", body, 0, seconds, 16)
                cpu = (cpu_of(process) - before) / many["count"] * 1e6
                rows.append((name, (one["p50"], one["p99"], paced["p50"], paced["p99"], many["rate"], cpu, begun,
                                    memory_of(process))))
        table(f"{path}, {body.stat().st_size} bytes",
              ("p50 ms", "p99 ms", f"{rate} a second: p50 ms", "p99 ms", "16 at a time: reviews/s", "µs CPU each", "MiB idle",
               "MiB after"), rows)


def register(real, port, ca):
    trusted = base64.b64encode(ca.read_bytes()).decode()
    for kind, verb in (("Mutating", "mutate"), ("Validating", "validate")):
        body = {"apiVersion": "admissionregistration.k8s.io/v1", "kind": f"{kind}WebhookConfiguration",
                "metadata": {"name": "bench"}, "webhooks": [{
                    "name": f"{verb}.bench.kcontrol.dev", "sideEffects": "None", "admissionReviewVersions": ["v1"],
                    "clientConfig": {"url": f"https://127.0.0.1:{port}/{verb}--v1-pod", "caBundle": trusted},
                    "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}]}]}
        where = f"/apis/admissionregistration.k8s.io/v1/{kind.lower()}webhookconfigurations"
        real.ask("DELETE", f"{where}/bench")
        code, answer = real.ask("POST", where, json.dumps(body))
        if code != 201:
            sys.exit(f"{kind}: {answer}")
    wait.until("the webhooks are not asked", lambda: real.ask("POST", PODS, json.dumps(pod()))[1]["metadata"]["labels"].get(
        "team") == "none", 30)


def through_api_server(peer, sides, folder, seconds, rate):
    real = server.Server("webhook-figures")
    try:
        body = folder / "pod.json"
        body.write_text(json.dumps(pod()))
        account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default"}}
        real.ask("POST", "/api/v1/namespaces/default/serviceaccounts", json.dumps(account))
        pair = (real.work / "admin.crt", real.work / "admin.key")

        def creates(of):
            loaded(peer, real.url + PODS, real.work / "ca.crt", body, rate, 3, 64, *pair)  # it is warm then
            before = cpu_of(of) if of else 0.0
            out = loaded(peer, real.url + PODS, real.work / "ca.crt", body, rate, seconds, 64, *pair)
            cpu = (cpu_of(of) - before) / out["count"] * 1e6 if of else 0.0
            return out["p50"], out["p99"], out["max"], cpu, memory_of(of) if of else 0.0

        rows = [("no webhook", creates(None))]
        for name, command in sides:
            with serving(command, folder) as (process, port):
                register(real, port, folder / "ca.crt")
                rows.append((name, creates(process)))
        table(f"{rate} creates a second, a defaulter and a validator", ("p50 ms", "p99 ms", "max ms", "µs CPU a create",
                                                                         "MiB"), rows)
    finally:
        real.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--seconds", type=float, default=15)
    parser.add_argument("--rate", type=int, default=500)
    parser.add_argument("--creates", type=int)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        peer = build_peer(folder)
        webhooks.issue(folder)
        sides = [("kcontrol", [arguments.program.resolve()]), ("controller-runtime", [peer, "serve"])]
        direct(peer, sides, folder, arguments.seconds, arguments.rate)
        through_api_server(peer, sides, folder, arguments.seconds, arguments.creates or arguments.rate)


if __name__ == "__main__":
    main()
