"""The labeler on a real GPU: what it says beside what nvidia-smi says. By name only, for few machines have one.

KCONTROL_LABELER and KCONTROL_APISERVER are the programs. Run alone: run.py real_gpu
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request

import apiserver_program
import labeler
import wait

NODE = "gpu-node"
# Keeps the GPU busy until its input ends, holding so many bytes besides.
LOAD = """
import sys, threading, torch
held = torch.empty(int(sys.argv[1]), dtype=torch.uint8, device="cuda")
a = torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16)
stop = threading.Event()
threading.Thread(target=lambda: (sys.stdin.read(), stop.set()), daemon=True).start()
torch.matmul(a, a); torch.cuda.synchronize(); print("busy", flush=True)
while not stop.is_set():
    for _ in range(50): torch.matmul(a, a)
    torch.cuda.synchronize()
"""


def command(*flags):
    return [labeler.PROGRAM, *flags]


def smi(fields):
    """{field: text} of the first GPU."""
    line = subprocess.run(["nvidia-smi", f"--query-gpu={','.join(fields)}", "--format=csv,noheader,nounits", "--id=0"],
                          check=True, capture_output=True, text=True).stdout.strip()
    return dict(zip(fields, (text.strip() for text in line.split(","))))


def has(module):
    return subprocess.run([sys.executable, "-c", f"import {module}"], capture_output=True).returncode == 0


class RealLabeler(labeler.Labeler):
    command = staticmethod(command)

    def gpus(self):
        return json.loads(self.get("/api/v1/gpus")[1])

    def gpu(self):
        return self.gpus()["items"][0]


@unittest.skipUnless(shutil.which("nvidia-smi") and os.access(labeler.PROGRAM, os.X_OK), "no GPU of NVIDIA's here")
class RealGpu(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="kcontrol-gpu-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def start(self, *flags):
        started = RealLabeler("", self.folder / "labeler.log", *flags)
        self.addCleanup(started.stop)
        wait.until(lambda: f"no measurement: {started.gpus()}", lambda: started.gpus()["items"])
        return started

    def with_server(self):
        program = apiserver_program.Program(self.folder, "--plain-http")
        self.addCleanup(program.stop)
        self.ask(program, "POST", "/api/v1/nodes", {"metadata": {"name": NODE, "labels": {"zone": "a"}}})
        return program

    @staticmethod
    def ask(program, method, path, body=None):
        request = urllib.request.Request(program.url + path, json.dumps(body).encode() if body else None, method=method,
                                         headers={"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.loads(answer.read())

    def load(self, held):
        if not has("torch"):
            self.skipTest("PyTorch is not installed here, and makes the load")
        busy = subprocess.Popen([sys.executable, "-c", LOAD, str(held)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                text=True)

        def end():
            busy.stdin.close()
            busy.wait(60)
            busy.stdout.close()

        self.addCleanup(end)
        self.assertEqual(busy.stdout.readline(), "busy\n")
        return busy

    def test_1_labels(self):
        done = subprocess.run(command("--dry-run", "--no-timestamp"), capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        labels = dict(line.split("=", 1) for line in done.stdout.splitlines())
        truth = smi(["driver_version", "name", "memory.total", "compute_cap", "count", "mig.mode.current"])
        cuda = re.search(r"CUDA Version\s*:\s*([0-9.]+)", subprocess.run(
            ["nvidia-smi", "-q"], check=True, capture_output=True, text=True).stdout)[1]
        print("note: " + json.dumps({**truth, "cuda": cuda}))
        expected = {
            "cuda.driver-version.full": truth["driver_version"],
            "cuda.runtime-version.full": cuda,
            "gpu.product": truth["name"].replace(" ", "-"),
            "gpu.memory": truth["memory.total"],
            "gpu.count": truth["count"],
            "gpu.compute.major": truth["compute_cap"].split(".")[0],
            "gpu.compute.minor": truth["compute_cap"].split(".")[1],
            "gpu.replicas": "1",
            "mig.capable": str(truth["mig.mode.current"] in ("Enabled", "Disabled")).lower(),
        }
        self.assertEqual({k: labels.get(f"nvidia.com/{k}") for k in expected}, expected)

    def test_2_a_node_gets_them_and_is_well(self):
        server = self.with_server()
        flags = ("--kubeconfig", server.kubeconfig, "--node-name", NODE, "--no-timestamp", "--report-health")
        started = self.start(*flags, "--sample-interval", "1s")

        def node():
            return self.ask(server, "GET", f"/api/v1/nodes/{NODE}")

        def condition():
            return next((c for c in node().get("status", {}).get("conditions", [])
                         if c["type"] == "kcontrol.dev/GPUHealthy"), None)

        wait.until(lambda: f"no condition: {node()}", condition)
        self.assertEqual(condition()["status"], "True", condition())
        self.assertEqual(node()["metadata"]["labels"]["nvidia.com/gpu.count"], smi(["count"])["count"])
        self.assertEqual(started.gpu()["health"], "ok", started.gpu()["reason"])
        before = node()["metadata"]["resourceVersion"]
        again = subprocess.run(command(*flags[:-1], "--once", "--start-jitter", "0s"), capture_output=True, text=True,
                               timeout=60)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(node()["metadata"]["resourceVersion"], before, "a second pass wrote")

    def test_3_at_rest_it_measures_what_nvidia_smi_does(self):
        started = self.start("--output", "none", "--node-name", NODE, "--sample-interval", "1s")
        truth = smi(["uuid", "pci.bus_id", "temperature.gpu", "power.draw", "enforced.power.limit", "memory.total",
                     "memory.used", "memory.reserved", "utilization.gpu", "clocks.mem", "pcie.link.gen.current"])
        seen = started.gpu()
        print("note: at rest " + json.dumps({"smi": truth, "ours": {k: seen[k] for k in (
            "temperatureC", "powerW", "powerLimitW", "memory", "utilization", "clocks", "pcieReplays", "ecc", "rows")}}))
        self.assertEqual(seen["uuid"], truth["uuid"])
        self.assertEqual(seen["busId"].lower(), truth["pci.bus_id"].lower())
        self.assertEqual(seen["powerLimitW"], float(truth["enforced.power.limit"]))
        self.assertEqual(seen["memory"]["totalBytes"] >> 20, int(truth["memory.total"]))
        self.assertAlmostEqual(seen["memory"]["usedBytes"] / 2**20, int(truth["memory.used"]), delta=64)
        self.assertAlmostEqual(seen["memory"]["reservedBytes"] / 2**20, int(truth["memory.reserved"]), delta=64)
        self.assertAlmostEqual(seen["temperatureC"], int(truth["temperature.gpu"]), delta=4)
        self.assertAlmostEqual(seen["powerW"], float(truth["power.draw"]), delta=0.25 * float(truth["power.draw"]))
        self.assertEqual(seen["clocks"]["memoryMHz"], int(truth["clocks.mem"]))
        self.assertEqual(started.gpus()["state"], "ok")

    def test_3_its_nvlinks_are_those_of_nvidia_smi(self):
        def smi_links(*flags):
            done = subprocess.run(["nvidia-smi", "nvlink", *flags, "--id=0"], capture_output=True, text=True)
            return done.stdout

        def smi_bytes():
            """{Tx or Rx: data over all links} of the first GPU, which nvidia-smi tells in KiB."""
            counted = re.findall(r"Data ([TR]x):\s*(\d+) KiB", smi_links("--getthroughput", "d"))
            return {way: sum(int(kib) for w, kib in counted if w == way) << 10 for way in {w for w, _ in counted}}

        states = re.findall(r"Link \d+:\s*(.+)", smi_links("--status"))
        active = [s for s in states if "inactive" not in s.lower() and "n/a" not in s.lower()]
        before = smi_bytes()
        started = self.start("--output", "none", "--node-name", NODE, "--sample-interval", "1s")
        wait.until("no second sample", lambda: len(json.loads(started.get(
            "/api/v1/history?metric=powerW&gpu=0")[1])["items"][0]["points"]) > 1)
        seen = started.gpu()["nvlink"]
        licence = re.search(r"License Status\s*:\s*(.+)", subprocess.run(
            ["nvidia-smi", "-q", "-i", "0"], check=True, capture_output=True, text=True).stdout)
        metrics = started.get("/metrics")[1]
        told = {name: started.metric(name) for name in (
            "kcontrol_gpu_nvlink_transmit_bytes_total", "kcontrol_gpu_nvlink_receive_bytes_total",
            "DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL", "DCGM_FI_DEV_VGPU_LICENSE_STATUS") if name + "{" in metrics}
        after = smi_bytes()
        print("note: NVLink " + json.dumps({"smi": {"links": len(states), "active": len(active), "before": before,
              "after": after}, "ours": seen, "metrics": told, "licence": licence and licence[1]}))
        if licence is None:
            self.assertEqual(told.get("DCGM_FI_DEV_VGPU_LICENSE_STATUS", 0), 0)
        if not states:
            self.assertIn(seen, (None, {**(seen or {}), "active": 0}), "nvidia-smi knows of no links")
            return
        self.assertEqual(seen["active"], len(active))
        self.assertEqual(seen["links"], len(states))
        for way, name in (("Tx", "transmit"), ("Rx", "receive")):
            if way not in before:
                continue
            ours = told[f"kcontrol_gpu_nvlink_{name}_bytes_total"]
            self.assertTrue(before[way] <= ours <= after[way], (name, before[way], ours, after[way]))
            self.assertIsNotNone(seen[f"{name}BytesPerSecond"])

    def test_4_under_load(self):
        started = self.start("--output", "none", "--node-name", NODE, "--sample-interval", "1s")
        rest = started.gpu()
        held = 8 << 30
        self.load(held)
        wait.until(lambda: f"not busy: {started.gpu()['utilization']}",
                   lambda: (started.gpu()["utilization"]["gpu"] or 0) >= 90)
        begin, at = started.gpu()["energyJ"], time.monotonic()
        powers = []
        for _ in range(20):
            time.sleep(0.5)  # measures: power, which is what it is over a time
            powers.append(float(smi(["power.draw"])["power.draw"]))
        busy, seconds = started.gpu(), time.monotonic() - at
        mean = sum(powers) / len(powers)
        joules = busy["energyJ"] - begin
        print("note: under load " + json.dumps({
            "powerW": busy["powerW"], "smiMeanW": round(mean, 1), "energyJ": round(joules, 1), "seconds": round(seconds, 2),
            "temperatureC": busy["temperatureC"], "utilization": busy["utilization"], "clocks": busy["clocks"],
            "usedBytes": busy["memory"]["usedBytes"]}))
        self.assertGreater(busy["powerW"], rest["powerW"] + 50)
        self.assertGreater(busy["memory"]["usedBytes"] - rest["memory"]["usedBytes"], held)
        # The counter and nvidia-smi's own measurements tell of the same joules; a sample is up to a second old.
        self.assertAlmostEqual(joules / seconds, mean, delta=0.2 * mean)
        used = started.metric("DCGM_FI_DEV_FB_USED")
        self.assertAlmostEqual(used, busy["memory"]["usedBytes"] / 2**20, delta=256)

    def test_5_a_program_that_touches_foreign_memory(self):
        if not has("cupy"):
            self.skipTest("CuPy is not installed here, and makes the fault")
        started = self.start("--output", "none", "--node-name", NODE, "--sample-interval", "1s")
        self.assertEqual(started.metric("gpu_labeler_events_watched"), 1)
        fault = ("import cupy; k = cupy.RawKernel('extern \"C\" __global__ void f(int* p) { *p = 1; }', 'f'); "
                 "k((1,), (1,), (cupy.uint64(64),)); print('started', flush=True); cupy.cuda.Device().synchronize()")
        done = subprocess.run([sys.executable, "-c", fault], capture_output=True, text=True, timeout=120)
        self.assertNotEqual(done.returncode, 0, "the fault was none")
        at = time.monotonic()
        wait.until(lambda: f"no XID: {started.gpu()}", lambda: started.gpu()["xid"])
        seen = started.gpu()
        print(f"note: XID {seen['xid']} {time.monotonic() - at:.2f} s after the program's end, health {seen['health']}")
        self.assertIn(seen["xid"]["last"], (13, 31, 43))
        self.assertEqual(seen["health"], "ok", "a program's fault is not the GPU's: " + seen["reason"])

    def test_6_what_it_costs(self):
        started = self.start("--output", "none", "--node-name", NODE, "--sample-interval", "1s")

        def used():
            fields = pathlib.Path(f"/proc/{started.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
            return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

        begin, at = used(), time.monotonic()
        looks = started.metric("kcontrol_gpu_sample_timestamp_seconds")
        time.sleep(15)  # measures: what 15 s cost
        share = (used() - begin) / (time.monotonic() - at)
        status = pathlib.Path(f"/proc/{started.process.pid}/status").read_text()
        resident = int(re.search(r"VmRSS:\s+(\d+) kB", status)[1])
        threads = re.search(r"Threads:\s+(\d+)", status)[1]
        print(f"note: {share * 100:.2f} % of a core at one sample a second, {resident / 1024:.1f} MiB resident, "
              f"{threads} threads")
        self.assertGreater(started.metric("kcontrol_gpu_sample_timestamp_seconds"), looks)
        self.assertLess(share, 0.05)  # measures: the part of a core
        self.assertEqual(started.stop()[0], 0)


if __name__ == "__main__":
    unittest.main()
