#!/usr/bin/env python3
"""Takes the pictures of the page that docs/training_monitor shows, of made-up fleets: a job, a page without its monitor,
and situations, each light, dark and on a phone. Those of the demonstration are demo_pictures.py's.

usage: pictures.py [FOLDER]     default: docs/training_monitor
Needs Chromium and a built page_server (KCONTROL_PAGE_SERVER names another one).
"""
import datetime
import json
import math
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import chromium  # noqa: E402
import server  # noqa: E402

NOW = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
CLUSTERS = [("fra-h100", "live", ""), ("iad-h100", "live", ""), ("pdx-b200", "live", ""), ("zrh-gh200", "live", ""),
            ("lab-a100", "degraded", "mpijobs: forbidden: the role lacks list on mpijobs.kubeflow.org"),
            ("sin-h100", "unreachable", "connect: connection timed out (3 tries, next in 16 s)")]
TEAMS = ["nlp", "vision", "speech", "ranking", "platform"]
MODELS = ["llama3-8b-sft", "llama3-70b-dpo", "mixtral-pretrain", "whisper-large-ft", "vit-h14-dedup", "sdxl-lora",
          "ranker-v7-nightly", "bert-distill", "qwen2-72b-rlhf", "clip-filter", "moe-ablation", "eval-harness",
          "tokenizer-sweep", "asr-conformer"]
WHY = {"Running": ("{kind}Running", "{kind} {name} is running."),
       "Succeeded": ("{kind}Succeeded", "{kind} {name} successfully completed."),
       "Queued": ("Suspended", "waits for quota in queue {team}"),
       "Pending": ("{kind}Created", "0/64 nodes are available: 64 Insufficient nvidia.com/gpu."),
       "Restarting": ("{kind}Restarting", "{kind} {name} is restarting because 1 Worker replica(s) failed."),
       "Suspended": ("Suspended", "{kind} {name} is suspended."),
       "Created": ("{kind}Created", "{kind} {name} is created.")}
FAILURES = [("BackoffLimitExceeded", "Worker-3: CUDA error: an illegal memory access was encountered"),
            ("OOMKilled", "Worker-0: container pytorch was killed, it used more than 480Gi"),
            ("NCCLTimeout", "Worker-11: watchdog caught collective operation timeout after 1800 s"),
            ("Evicted", "Master-0: the node was low on ephemeral-storage")]
# What is there to see: many runs at work, a few in trouble.
MIX = (["Running"] * 9 + ["Succeeded"] * 14 + ["Queued"] * 3 + ["Pending"] * 2 + ["Failed"] * 2 +
       ["Restarting", "Suspended"])


def stamp(ago_minutes):
    return (NOW - datetime.timedelta(minutes=ago_minutes)).strftime("%Y-%m-%dT%H:%M:%SZ")


def job(chance, i):
    kind = chance.choice(["PyTorchJob"] * 5 + ["TrainJob"] * 3 + ["MPIJob", "Job"])
    state = "Restarting" if i == 7 else chance.choice(MIX)
    team = chance.choice(TEAMS)
    workers = 1 if kind == "Job" else chance.choice([1, 2, 4, 8, 16])
    name = f"{chance.choice(MODELS)}-{chance.randrange(16 ** 4):04x}"
    reason, message = FAILURES[i % len(FAILURES)] if state == "Failed" else WHY[state]
    words = {"kind": kind, "name": name, "team": team}
    begun = chance.randrange(3, 2600)
    started = None if state in ("Queued", "Suspended", "Created") else stamp(begun)
    finished = stamp(int(begun * chance.random())) if state in ("Failed", "Succeeded") else None
    active = workers if state == "Running" else workers - 1 if state == "Restarting" else 0
    worker = {"desired": workers, "active": active, "failed": 1 if state == "Failed" else 0,
              "succeeded": workers if state == "Succeeded" else 0}
    replicas = {"PyTorchJob": {"Master": {"desired": 1, "active": 1 if active else 0}, "Worker": worker},
                "MPIJob": {"Launcher": {"desired": 1, "active": 1 if active else 0}, "Worker": worker},
                "TrainJob": {"node": worker}, "Job": {"Pod": worker}}[kind]
    return {"cluster": chance.choice(CLUSTERS)[0], "namespace": team, "kind": kind, "name": name, "state": state,
            "reason": reason.format(**words), "message": message.format(**words), "gpus": 8 * workers,
            "startTime": started, "completionTime": finished, "replicas": replicas, "labels": {"team": team}}


def fleet(to):
    chance = random.Random(7)
    for name, state, reason in CLUSTERS:
        to.cluster(name, state, reason=reason, objects=70, generation=chance.randrange(1, 4),
                   lastSync=stamp(14 if state == "unreachable" else 0))
    jobs = {}
    for i in range(280):
        one = job(chance, i)
        jobs[one["name"]] = one
        to.step("job", **one)
    for minute in range(1440, 0, -1):
        day = math.sin((1440 - minute) / 230) + 0.6 * math.sin((1440 - minute) / 61)
        running = int(74 + 11 * day)
        queued = int(27 - 9 * day)
        to.step("totals", time=stamp(minute), states={"Running": running, "Queued": queued, "Pending": 12 + minute % 3,
                                                      "Restarting": 7, "Suspended": 8},
                gpus={"requested": 55 * (running + queued + 12), "running": 55 * running})
    gone = [{"cluster": "iad-h100", "namespace": "vision", "kind": "PyTorchJob", "name": "clip-filter-9d01", "uid": "1",
             "lastState": "Running", "lastSeen": stamp(300), "gone": stamp(44), "state": None},
            {"cluster": "pdx-b200", "namespace": "nlp", "kind": "TrainJob", "name": "qwen2-72b-rlhf-77e2", "uid": "2",
             "lastState": "Running", "lastSeen": stamp(300), "gone": None, "state": "Succeeded"}]
    to.step("answer", path="/api/v1/gone", status=200, body=json.dumps({"items": gone}))
    to.step("answer", path="/api/v1/notices", status=200, body=json.dumps(
        {"queued": 0, "sent": 128, "failed": 1, "dropped": 0, "coalesced": 3, "deadLetters": [
            {"receiver": "oncall", "job": "fra-h100/nlp/bert-distill-5daa (PyTorchJob)", "state": "Failed",
             "at": stamp(95), "attempts": 6, "error": "HTTP 502"}]}))
    return jobs


def with_a_past(to):
    """The job of the job's own view: it waited, ran, lost a worker, and runs again."""
    common = {"cluster": "fra-h100", "namespace": "nlp", "kind": "PyTorchJob", "name": "llama3-70b-dpo-4f1c",
              "gpus": 64, "labels": {"team": "nlp", "kueue.x-k8s.io/queue-name": "research", "owner": "mira"}}
    workers = {"Master": {"desired": 1, "active": 1}, "Worker": {"desired": 7, "active": 7}}
    begun = {"startTime": stamp(412)}
    to.step("job", **common, state="Queued", reason="Suspended", at=stamp(505),
            message="waits for quota in queue research")
    to.step("job", **common, **begun, state="Pending", reason="PyTorchJobCreated", at=stamp(412),
            message="0/64 nodes are available: 64 Insufficient nvidia.com/gpu.")
    to.step("job", **common, **begun, state="Running", reason="PyTorchJobRunning", at=stamp(396), replicas=workers,
            message="PyTorchJob llama3-70b-dpo-4f1c is running.")
    to.step("job", **common, **begun, state="Restarting", reason="PyTorchJobRestarting", at=stamp(203),
            message="PyTorchJob llama3-70b-dpo-4f1c is restarting because 1 Worker replica(s) failed.")
    to.step("job", **common, **begun, state="Running", reason="PyTorchJobRunning", at=stamp(189), replicas=workers,
            message="PyTorchJob llama3-70b-dpo-4f1c is running.", conditions=[
                {"type": "Created", "status": "True", "reason": "PyTorchJobCreated",
                 "message": "PyTorchJob llama3-70b-dpo-4f1c is created.", "lastTransitionTime": stamp(505)},
                {"type": "Restarting", "status": "False", "reason": "PyTorchJobRestarting",
                 "message": "1 Worker replica(s) failed.", "lastTransitionTime": stamp(189)},
                {"type": "Running", "status": "True", "reason": "PyTorchJobRunning",
                 "message": "PyTorchJob llama3-70b-dpo-4f1c is running.", "lastTransitionTime": stamp(189)}])
    return common


def lately(to, jobs):
    """What changes while one looks."""
    running = [j for j in jobs.values() if j["state"] == "Running"]
    changes = [(running[0], "Succeeded"), (running[1], "Failed"), (running[2], "Succeeded"), (running[3], "Restarting")]
    changes += [(j, "Running") for j in jobs.values() if j["state"] == "Pending"][:5]
    for one, state in changes:
        reason, message = FAILURES[2] if state == "Failed" else WHY[state]
        words = {"kind": one["kind"], "name": one["name"], "team": one["namespace"]}
        to.step("job", **{**one, "state": state, "reason": reason.format(**words), "message": message.format(**words)})


# Every situation is looked at in these ways.
LOOKS = {"": {"width": 1440, "height": 900}, "-dark": {"width": 1440, "height": 900, "dark": True},
         "-phone": {"width": 390, "height": 844, "mobile": True}}
PAINTED = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))"


def take(page, path):
    page.js(PAINTED)
    page.picture(path)
    print(path)


def all_clear(to):
    """Every cluster is read, and no job is in trouble."""
    chance = random.Random(7)
    for name, _, _ in CLUSTERS:
        to.cluster(name, objects=70, lastSync=stamp(0))
    calm = [one for one in (job(chance, i) for i in range(8, 180)) if one["state"] in ("Running", "Succeeded")]
    for one in calm:
        to.step("job", **one)


def clusters_dead(to):
    """Jobs that ran when their clusters were heard of last."""
    chance = random.Random(8)
    for name, _, _ in CLUSTERS:
        to.cluster(name, objects=70, lastSync=stamp(14))
    for one in (job(chance, i) for i in range(8, 120)):
        if one["state"] in ("Running", "Succeeded"):
            to.step("job", **one)
    for name, _, _ in CLUSTERS:
        to.cluster(name, "unreachable", reason="connect: connection timed out (3 tries, next in 16 s)", lastSync=stamp(14))


def burst(to):
    """Fifty jobs fail on one node for one cause, beside two that fail for causes of their own."""
    all_clear(to)
    for i in range(52):
        node, error = ("gpu-17", "RuntimeError: CUDA error: uncorrectable ECC error encountered") if i < 50 else (
            f"gpu-{i}", FAILURES[i % 2][1])
        name, team = f"{MODELS[i % len(MODELS)]}-{i:02d}", TEAMS[i % len(TEAMS)]
        to.step("job", cluster="fra-h100", namespace=team, kind="PyTorchJob", name=name, state="Running", gpus=8,
                startTime=stamp(200 + i), reason="", message="")
        to.step("pod", cluster="fra-h100", pod=json.dumps({
            "metadata": {"name": name + "-worker-0", "namespace": team, "uid": name, "labels": {
                "training.kubeflow.org/job-name": name, "training.kubeflow.org/replica-type": "worker",
                "training.kubeflow.org/operator-name": "pytorchjob-controller", "training.kubeflow.org/replica-index": "0"}},
            "spec": {"nodeName": node}, "status": {"phase": "Failed", "containerStatuses": [{
                "name": "pytorch", "state": {"terminated": {"exitCode": 1, "reason": "Error", "message": error}}}]}}))
        to.step("job", cluster="fra-h100", namespace=team, kind="PyTorchJob", name=name, state="Failed", gpus=8,
                reason="PyTorchJobFailed", message="", startTime=stamp(200 + i), completionTime=stamp(2))


# The script of each, and when the page shows all of it.
SITUATIONS = {
    "all-clear": (all_clear, "$('no-need').innerText.startsWith('All clear') && order.length > 20"),
    "clusters-dead": (clusters_dead, "$('needs').children.length > 0 && store.clusters.size === 6"),
    "burst": (burst, "document.querySelector('#needs .group:not([hidden])')?.innerText.includes('49') && order.length > 40"),
}


def situations(browser, folder):
    for name, (script, shown) in SITUATIONS.items():
        monitor = server.Server()
        try:
            script(monitor)
            for look, size in LOOKS.items():
                page = browser.page(monitor.url, motion=False, **size)
                page.until(shown)
                take(page, folder / f"{name}{look}.png")
                page.close()
        finally:
            monitor.close()


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else server.ROOT / "docs" / "training_monitor"
    folder.mkdir(parents=True, exist_ok=True)
    browser = chromium.Browser()
    monitor = server.Server()
    try:
        jobs = fleet(monitor)
        long_one = with_a_past(monitor)
        address = "?job=" + "%2F".join(long_one[part] for part in ("cluster", "namespace", "kind", "name"))
        live = "document.readyState === 'complete' && link.is === 'live'"
        shots = [("job", address, {"height": 1040}), ("phone-job", address, {"width": 390, "height": 1320, "mobile": True}),
                 ("disconnected", "", {"width": 1440})]  # the last, for the others are to be live
        pages = {name: browser.page(monitor.url + where, motion=False, **size) for name, where, size in shots}
        for page in pages.values():
            page.until(live)
        lately(monitor, jobs)
        monitor.cluster("zrh-gh200", generation=4, lastSync=stamp(0))
        for name, page in pages.items():
            if name == "disconnected":
                monitor.step("down")
                page.until("link.is === 'lost' && link.nextTry")
            else:
                page.until("document.querySelector('#job .timeline')")
            take(page, folder / f"{name}.png")
        situations(browser, folder)
    finally:
        browser.close()
        monitor.close()


if __name__ == "__main__":
    main()
