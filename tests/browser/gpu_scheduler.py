"""The GPU scheduler's page before answers and events that a test chooses. What its answers are like is held by
tests/apps/gpu_scheduler; tests/e2e/test_gpu_scheduler.py has the program itself."""
import datetime
import json

import server

NOON = datetime.datetime.now(datetime.timezone.utc).replace(second=0, microsecond=0)
GPU_MIB = 81920
KINDS = ["vision", "nlp", "speech", "ranking"]


def stamp(minutes=0):
    return (NOON + datetime.timedelta(minutes=minutes)).strftime("%Y-%m-%dT%H:%M:%SZ")


def gpu(node, index, *holds, healthy=True, slices=()):
    """holds: (pod, tenant, MiB)."""
    free = GPU_MIB - sum(mib for _, _, mib in holds)
    return {"index": index, "uuid": f"GPU-{node}-{index}", "memoryMiB": GPU_MIB, "freeMiB": free, "cores": 100,
            "freeCores": 100 if not holds else 0, "healthy": healthy, "slices": list(slices), "pods": [h[0] for h in holds],
            "holds": [{"pod": pod, "tenant": tenant, "memoryMiB": mib} for pod, tenant, mib in holds]}


def node(name, rack, gpus, **members):
    return {"name": name, "product": "NVIDIA-H100-80GB-HBM3", "state": "ready", "forecast": True, "rack": rack, "gpus": gpus,
            **members}


def busy_node(i, held=8):
    name, tenant = f"gpu-{i:03d}", KINDS[i % 4]
    return node(name, f"rack-{i // 16:02d}", [gpu(name, g, *([(f"{tenant}/train-{i}", tenant, GPU_MIB)] if g < held else []))
                                              for g in range(8)])


def tenant(name, fair, allocated, requested, pending=0, quota_gpus=None, limit=None, **status):
    quota = {"product": "*", "allocated": str(allocated), "requested": str(requested), "fairShare": str(fair),
             "borrowed": str(max(0, allocated - fair))}
    ready = [{"type": "Ready", "status": "True", "reason": "Ready", "message": ""}]
    quotas = [{"product": "*", "gpus": fair if quota_gpus is None else quota_gpus, "limit": limit}]
    return {"name": name, "quotas": quotas, "status": {"quotas": [quota], "pending": pending, "conditions": ready, **status}}


def waiting(pod, place, reason, gang=None, would=()):
    return {"pod": pod, "gang": gang, "tenant": pod.split("/")[0], "since": stamp(-12), "place": place, "reason": reason,
            "would": list(would)}


def history(minutes=1440, gpus=32, waits=3):
    at = int(NOON.timestamp())
    return {"tenants": ["nlp", "vision"], "points": [
        [at + 60 * (i - minutes), gpus, gpus * (0.5 + 0.4 * ((i // 90) % 2)), gpus * 0.05, waits * ((i // 200) % 3), [gpus / 4, gpus / 4]]
        for i in range(minutes + 1)]}


class Told:
    """A member of a server, which is told when it is set."""

    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, of, kind=None):
        return of.told[self.name]

    def __set__(self, of, value):
        of.told[self.name] = value
        of.tell(self.name, value)


class SchedulerServer(server.ScriptedServer):
    """What is set of these is what a page gets that opens afterwards; send() tells those that are open."""
    nodes, tenants, pending, history = Told(), Told(), Told(), Told()

    def __init__(self):
        super().__init__(server.gpu_page_server())
        self.told = {}
        self.nodes, self.tenants, self.pending, self.history = [], [], [], history()

    def tell(self, name, value):
        if name in ("nodes", "tenants"):
            self.event("first", name, {"items": value})
        elif name == "pending":
            self.event("first", name, {"pods": len(value)})
        if name in ("pending", "history"):
            self.answer(f"/api/v1/{name}", 200, {"items": value} if name == "pending" else value)

    def event(self, op, name, data):
        self.step(op, name=name, data=json.dumps(data))

    def answer(self, path, status, body=None):
        self.step("answer", path=path, status=status, body=json.dumps(body))

    def send(self, name, data):
        self.event("send", name, data)

    def stop_leading(self):
        """Every stream ends, and there is none."""
        self.answer("/api/v1/events", 503, {"error": "this scheduler does not lead"})
        self.step("down")
        self.step("up")

    def lead(self):
        self.answer("/api/v1/events", 0)
