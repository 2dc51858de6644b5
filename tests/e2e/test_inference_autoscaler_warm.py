"""Warm-up before traffic, on a real cluster: kwok's pods have addresses of a network of the test's own, on which engines
answer, and a client asks those that the EndpointSlices call ready. Run alone: run.py
test_inference_autoscaler_warm.WarmUpTest, or test_inference_autoscaler_warm.LongWarmUpTest for the nightly size.
"""
import asyncio
import collections
import json
import subprocess
import threading
import time

import own_network
import test_inference_autoscaler
import wait
from test_inference_autoscaler import deployment, scaler

PORT, RATE, REPLICAS = 8000, 100, 4
GATE = "autoscaling.kcontrol.dev/warm"
GRACE_S = 1.0  # an engine answers for so long after its pod is gone


class Watched:
    """Calls `changed` with each event of a watch of kubectl's, in a thread."""

    def __init__(self, real, kind, changed):
        self.process = subprocess.Popen(
            [f"{real.assets}/kubectl", "--kubeconfig", real.admin, "get", kind, "-o", "json", "--watch",
             "--output-watch-events"], stdout=subprocess.PIPE, text=True)
        self.changed = changed
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:  # an event each
            event = json.loads(line)
            self.changed(event["type"], event["object"])

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


class Engines:
    """The engine of each pod, at its address. It refuses the first request of /warm, and all others before three good ones:
    they are in `cold`. A request for a pod that is gone is in `gone`."""

    def __init__(self):
        self.pods, self.warmed, self.ends = {}, {}, {}  # addresses by uid; good answers and ends by address
        self.cold, self.gone = [], []

    def pod(self, kind, pod):
        uid, address = pod["metadata"]["uid"], pod["status"].get("podIP")
        if kind == "DELETED" and uid in self.pods:
            self.ends[self.pods[uid]] = time.monotonic()
            self.warmed.pop(self.pods.pop(uid))
        elif kind != "DELETED" and address and uid not in self.pods:
            self.pods[uid], self.warmed[address] = address, -1

    def is_cold(self, uid):
        return self.warmed.get(self.pods.get(uid), 3) < 3

    def status(self, address, path):
        good, end = self.warmed.get(address), self.ends.get(address, 0.0)
        if path == "/warm" and good is not None:
            self.warmed[address] += 1
            return "200 OK" if good >= 0 else "503 Service Unavailable"
        # An address comes again at once: requests may still be meant for the pod before.
        if path != "/warm" and ((good or 0) >= 3 or time.monotonic() <= end + GRACE_S):
            return "200 OK"
        (self.gone if good is None else self.cold).append((address, path, good, round(time.monotonic() - end, 3)))
        return "503 Service Unavailable"

    async def serve(self, reader, writer):
        try:
            while request := await reader.readuntil(b"\r\n\r\n"):
                status = self.status(writer.get_extra_info("sockname")[0], request.split(b" ", 2)[1].decode())
                writer.write(f"HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n".encode())
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass  # the last one: the test is over
        writer.close()


class Client:
    """RATE requests a second, each to the next of the endpoints that are ready now."""

    def __init__(self, engines):
        self.engines, self.slices, self.answers = engines, {}, collections.Counter()
        self.early, self.seen, self.refused = [], set(), []

    def slice(self, kind, found):
        name = found["metadata"]["name"]
        ready = [e["addresses"][0] for e in found["endpoints"] or [] if e["conditions"].get("ready")]
        self.slices[name] = [] if kind == "DELETED" else ready
        pods = [e["targetRef"]["uid"] for e in found["endpoints"] or [] if e["conditions"].get("ready")]
        self.early += [uid for uid in pods if self.engines.is_cold(uid)]
        self.seen.update(pods)

    def ready(self):
        return sorted({address for each in list(self.slices.values()) for address in each})

    async def ask(self, turn):
        if not (ready := self.ready()):
            return
        address = ready[turn % len(ready)]
        try:
            reader, writer = await asyncio.open_connection(address, PORT)
            writer.write(b"GET / HTTP/1.1\r\nHost: llama\r\n\r\n")
            status = (await reader.readuntil(b"\r\n")).split(b" ")[1].decode()
            writer.close()
        except (OSError, asyncio.IncompleteReadError) as failure:
            status = type(failure).__name__
        self.answers[status] += 1
        if status != "200":
            self.refused.append((address, status))

    async def run(self, stop):
        server = await asyncio.start_server(self.engines.serve, "0.0.0.0", PORT, backlog=1024)
        due, turn, running = time.monotonic(), 0, set()
        while not stop.is_set():
            task = asyncio.create_task(self.ask(turn))
            running.add(task)
            task.add_done_callback(running.discard)
            turn += 1
            due += 1 / RATE
            await asyncio.sleep(max(0.0, due - time.monotonic()))  # measures: so many a second
        server.close()


class WarmUpTest(test_inference_autoscaler.InstalledAutoscaler):
    UPDATES = 3

    @classmethod
    def setUpClass(cls):
        # kwok gives its pods addresses of this block.
        cls.addClassCleanup(own_network.OwnNetwork("10.0.0.0/24").leave)
        super().setUpClass()

    def test_no_request_is_refused_while_replicas_are_replaced(self):
        prometheus, engines, stop = test_inference_autoscaler.Prometheus(), Engines(), threading.Event()
        client = Client(engines)
        self.addCleanup(prometheus.shutdown)
        for kind, changed in (("pods", engines.pod), ("endpointslices", client.slice)):
            self.addCleanup(Watched(self.real, kind, changed).stop)
        runner = threading.Thread(target=lambda: asyncio.run(client.run(stop)))
        runner.start()
        self.addCleanup(runner.join)
        self.addCleanup(stop.set)
        workload = deployment("llama", REPLICAS, readinessGates=[{"conditionType": GATE}])
        workload["spec"]["strategy"] = {"rollingUpdate": {"maxSurge": 2, "maxUnavailable": 0}}
        service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "llama", "namespace": "default"},
                   "spec": {"selector": {"app": "llama"}, "ports": [{"port": 80, "targetPort": PORT}]}}
        self.real.apply(workload, service, scaler(
            "llama", prometheus.url, minReplicas=REPLICAS, maxReplicas=REPLICAS, pollSeconds=1,
            rules=[{"name": "load", "query": "load", "threshold": 1, "action": {"addReplicas": 1}}],
            warmUp={"port": PORT, "path": "/warm"}))
        wait.until(lambda: f"not ready: {client.ready()}, {engines.warmed}\n{self.log.read_text()[-3000:]}",
                   lambda: len(client.ready()) == REPLICAS)
        for update in range(self.UPDATES):
            before = set(engines.pods)
            self.real.merge("deployment", "llama", {"spec": {"template": {"metadata": {"annotations": {
                "update": str(update)}}}}})
            wait.until(lambda: f"update {update}: {client.ready()}, {engines.warmed}\n{self.log.read_text()[-3000:]}",
                       lambda: len(client.ready()) == REPLICAS and not before & set(engines.pods) and
                       len(engines.pods) == REPLICAS, every=0.05)
        self.assertEqual((client.refused, engines.cold, engines.gone, client.early), ([], [], [], []))
        self.assertGreater(client.answers["200"], 100)
        self.assertGreaterEqual(len(client.seen), REPLICAS * (self.UPDATES + 1))
        reasons = [c["reason"] for p in self.real.get("pods", "-l", "app=llama")["items"]
                   for c in p["status"]["conditions"] if c["type"] == GATE]
        self.assertEqual(reasons, ["WarmedUp"] * REPLICAS)


class LongWarmUpTest(WarmUpTest):
    UPDATES = 50
