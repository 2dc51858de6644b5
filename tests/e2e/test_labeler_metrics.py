"""The labeler's metrics: Prometheus' own tool accepts them, and they tell of a dead GPU at once.

KCONTROL_LABELER is the program, KCONTROL_PROBES the folder with the stand-ins for NVML, KCONTROL_PROMTOOL promtool. Run alone: run.py test_labeler_metrics
"""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time
import unittest

import labeler
import wait

GOLDEN = pathlib.Path(__file__).resolve().parents[1] / "fake_nvml" / "metrics"
PROMTOOL = os.environ.get("KCONTROL_PROMTOOL") or shutil.which("promtool")


@unittest.skipUnless(PROMTOOL, "no promtool: scripts/promtool.sh fetches one, or name one in KCONTROL_PROMTOOL")
class LabelerMetrics(unittest.TestCase):
    def check(self, text):
        done = subprocess.run([PROMTOOL, "check", "metrics"], input=text, capture_output=True, text=True, timeout=60)
        return done.returncode, (done.stdout + done.stderr).splitlines()

    def test_promtool_reads_them_and_minds_none_of_our_own_names(self):
        files = sorted(GOLDEN.glob("*.txt"))
        self.assertGreater(len(files), 5)
        for file in files:
            with self.subTest(file=file.name):
                status, complaints = self.check(file.read_text())
                self.assertIn(status, (0, 3), complaints)  # 3: it reads them, and would name some otherwise
                # dcgm-exporter's names are as they are, those of its labels too, which ours share so as to be joined.
                self.assertEqual([c for c in complaints if not (c.startswith("DCGM_") or "label names" in c)], [])

    def test_promtool_would_say_so(self):
        text = (GOLDEN / "t4.txt").read_text()
        self.assertEqual(self.check(text + "a{ 1\n")[0], 1)
        status, complaints = self.check(text + "# TYPE kcontrol_things counter\nkcontrol_things 1\n")
        self.assertEqual(status, 3)
        self.assertIn("kcontrol_things", " ".join(complaints))


@unittest.skipUnless(labeler.is_built(), "the gpu_labeler program or the fake NVML is not built")
class LabelerMeasures(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.inventory = self.folder / "inventory.txt"
        self.use()

    def use(self, more=""):
        self.replace((labeler.FAKE / "inventories" / "h100-x8.txt").read_text() + more)

    def replace(self, text):
        new = self.folder / "new"
        new.write_text(text)
        new.rename(self.inventory)

    def start(self, *flags):
        running = labeler.Labeler(self.inventory, self.folder / "log", "--output", "none", "--node-name", "n", *flags)
        self.addCleanup(running.stop)
        wait.until("no sample comes", lambda: "DCGM_FI_DEV_GPU_UTIL{" in running.get("/metrics")[1])
        return running

    def test_metrics_are_served_and_promtool_reads_all_of_them(self):
        running = self.start("--hostname", "host-1")
        text = running.get("/metrics")[1]
        self.assertEqual(text.count("DCGM_FI_DEV_GPU_TEMP{"), 8)
        self.assertIn('hostname="host-1"', text)
        for family in ("process_cpu_seconds_total counter", "process_resident_memory_bytes gauge", "process_open_fds gauge"):
            self.assertEqual(text.count(f"# TYPE {family}\n"), 1, family)
        if not PROMTOOL:
            self.skipTest("no promtool")
        done = subprocess.run([PROMTOOL, "check", "metrics"], input=text, capture_output=True, text=True, timeout=60)
        self.assertIn(done.returncode, (0, 3), done.stderr)

    def test_nvlinks_have_rates_from_the_second_sample_on(self):
        running = self.start("--sample-interval", "100ms")

        def first():
            return json.loads(running.get("/api/v1/gpus")[1])["items"][0]["nvlink"]

        wait.until(lambda: f"no rate: {first()}", lambda: first()["transmitBytesPerSecond"] == 0)
        self.assertEqual((first()["links"], first()["active"]), (18, 18))
        before = running.metric("kcontrol_gpu_nvlink_transmit_bytes_total")
        file = self.inventory.read_text()
        # 2 TiB of them at once: whatever the time between two samples, a second holds 200 GB of them.
        self.replace(file.replace("nvlink_tx_kib=5000000000", "nvlink_tx_kib=7147483648"))
        wait.until("the past has no such rate", lambda: any(
            rate > 2e11 for _, rate in json.loads(running.get(
                "/api/v1/history?metric=nvlinkTransmitBytesPerSecond&gpu=0")[1])["items"][0]["points"]))
        self.assertEqual(running.metric("kcontrol_gpu_nvlink_transmit_bytes_total") - before, 2147483648 * 1024)
        self.assertEqual(running.get("/metrics")[1].count("DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL{"), 8)
        self.assertEqual(running.metric("DCGM_FI_DEV_VGPU_LICENSE_STATUS"), 0)

    def test_a_dead_gpu_shows_in_less_than_a_second(self):
        running = self.start("--sample-interval", "1h", "--schedule", "@every 1h")
        self.assertEqual(running.metric("kcontrol_gpu_health"), 0)
        time_of_death = time.monotonic()
        self.use("event gpu=3 type=8 data=79\nfault call=* gpu=3 return=15\n")
        wait.until("the metrics don't tell", lambda: running.metric("kcontrol_gpu_health") == 2)
        # measures: "a dead GPU shows within a second"
        self.assertLess(time.monotonic() - time_of_death, 1)
        wait.until("the labels are not looked at", lambda: 'gpu_labeler_gpus{state="lost"} 1' in running.get("/metrics")[1])
        self.assertEqual(running.wait_for("GPU event")["xid"], 79)
        self.assertIn('xid="79"} 1', running.get("/metrics")[1])
        status, seconds = running.stop()
        self.assertEqual(status, 0)
        self.assertLess(seconds, 1)  # measures: "It ends within a second of SIGTERM"

    def test_a_kubelet_without_its_service_is_no_error(self):
        running = self.start("--pod-resources-socket", self.folder / "none.sock")
        self.assertNotIn("pod=", running.get("/metrics")[1])
        self.assertEqual([r for r in running.records() if r["level"] not in ("info", "debug")], [])
