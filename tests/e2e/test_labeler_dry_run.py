"""The labeler's dry run against stand-ins for NVML: golden labels for recorded inventories, and every kind of failure.

KCONTROL_LABELER is the program, KCONTROL_PROBES the folder with the stand-ins. KCONTROL_WRITE_GOLDEN=1 writes the golden
files anew: read the difference. Run alone: run.py test_labeler_dry_run
"""
import json
import os
import pathlib
import re
import subprocess
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FAKE = ROOT / "tests" / "fake_nvml"
PROBES = pathlib.Path(os.environ.get("KCONTROL_PROBES", "/nonexistent"))
NAME = re.compile(r"^([a-z0-9.]+/)?[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$")
VALUE = re.compile(r"^([A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?)?$")
T4 = "gpu name=Tesla_T4 uuid=GPU-{0} bus=00000000:0{0}:00.0 memory_mib=15360 cc=7.5\n"


def run(inventory, *flags, library="libfake_nvml.so"):
    return subprocess.run([os.environ["KCONTROL_LABELER"], "--dry-run", "--nvml", PROBES / library, "--no-timestamp",
                           "--machine-type-file", "/nonexistent", *flags], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=60, env={**os.environ, "KCONTROL_FAKE_NVML": str(inventory)})


@unittest.skipUnless(os.access(os.environ.get("KCONTROL_LABELER", ""), os.X_OK) and
                     (PROBES / "libfake_nvml.so").exists(), "the gpu_labeler program or the fake NVML is not built")
class LabelerDryRun(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def inventory(self, text):
        file = self.folder / "inventory.txt"
        file.write_text(text)
        return file

    def test_golden_labels(self):
        for inventory in sorted((FAKE / "inventories").glob("*.txt")):
            for strategy in ("none", "single", "mixed"):
                with self.subTest(inventory=inventory.stem, strategy=strategy):
                    done = run(inventory, "--mig-strategy", strategy)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    lines = done.stdout.splitlines()
                    self.assertEqual(lines, sorted(lines))
                    for line in lines:
                        key, _, value = line.partition("=")
                        self.assertRegex(key, NAME)
                        self.assertRegex(value, VALUE)
                    golden = FAKE / "labels" / f"{inventory.stem}.{strategy}.txt"
                    if os.environ.get("KCONTROL_WRITE_GOLDEN"):
                        golden.write_text(done.stdout)
                    self.assertEqual(done.stdout, golden.read_text())

    def test_annotations(self):
        topology = "kcontrol.dev/gpu-topology="
        for inventory in sorted((FAKE / "topologies").glob("*.json")):
            with self.subTest(inventory=inventory.stem):
                file = FAKE / "inventories" / f"{inventory.stem}.txt"
                done = run(file, "--annotations")
                self.assertEqual(done.returncode, 0, done.stderr)
                golden = json.loads(inventory.read_text())
                wanted = [golden] if len(golden["gpus"]) > 1 else []  # one is connected to nobody
                lines = done.stdout.splitlines()
                self.assertEqual([json.loads(line[len(topology):]) for line in lines if line.startswith(topology)], wanted)
                self.assertEqual([line for line in lines if not line.startswith(topology)],
                                 run(file).stdout.splitlines())

    def test_the_timestamp_is_now(self):
        before = int(time.time())
        done = subprocess.run([os.environ["KCONTROL_LABELER"], "--dry-run", "--nvml", PROBES / "libfake_nvml.so"],
                              capture_output=True, text=True, check=True,
                              env={**os.environ, "KCONTROL_FAKE_NVML": str(FAKE / "inventories" / "t4.txt")})
        told = int(re.search(r"^nvidia.com/gfd.timestamp=(\d+)$", done.stdout, re.M).group(1))
        self.assertTrue(before <= told <= time.time())

    def test_mode_and_machine_come_from_sysfs(self):
        device = self.folder / "bus" / "pci" / "devices" / "0000:00:1e.0"
        device.mkdir(parents=True)
        (device / "class").write_text("0x030200\n")
        (self.folder / "product").write_text("g4dn.xlarge\n")
        done = run(FAKE / "inventories" / "t4.txt", "--sysfs", self.folder, "--machine-type-file", self.folder / "product")
        self.assertIn("nvidia.com/gpu.mode=compute\n", done.stdout)
        self.assertIn("nvidia.com/gpu.machine=g4dn.xlarge\n", done.stdout)

    def test_an_old_driver_is_told_as_far_as_it_goes(self):
        done = run(FAKE / "inventories" / "a100-x8.txt", "--mig-strategy", "mixed", library="libfake_nvml_of_2018.so")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("nvidia.com/gpu.count=8\n", done.stdout)
        self.assertIn("nvidia.com/mig.capable=false\n", done.stdout)
        self.assertNotIn("cuda.runtime", done.stdout)

    def test_without_nvml_the_message_says_what_to_do(self):
        for library, named in (("absent.so", "absent.so"), ("../CTestTestfile.cmake", "can't be loaded")):
            with self.subTest(library=library):
                done = run("/nonexistent", library=library)
                self.assertEqual((done.stdout, done.returncode), ("", 1))
                self.assertRegex(done.stderr, r"^error: NVML can't be loaded [^\n]*--nvml[^\n]*\n$")
                self.assertIn(named, done.stderr)

    def test_another_library_is_no_nvml(self):
        done = subprocess.run([os.environ["KCONTROL_LABELER"], "--dry-run", "--nvml", "libc.so.6"], capture_output=True,
                              text=True, timeout=60)
        self.assertEqual(done.returncode, 1)
        self.assertIn("libc.so.6 is no NVML: it has no nvmlInit_v2", done.stderr)

    def test_failures_of_the_driver(self):
        for status, named in ((9, "driver is not loaded"), (18, "different versions"), (12, "libraries is missing"),
                              (4, "no permission"), (999, "status 999")):
            with self.subTest(status=status):
                done = run(self.inventory(T4.format(0) + f"fault call=nvmlInit_v2 return={status}\n"))
                self.assertEqual((done.stdout, done.returncode), ("", 1))
                self.assertIn(named, done.stderr)

    def test_a_lost_gpu_is_left_out_and_named(self):
        for call in ("nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetUUID", "nvmlDeviceGetName", "nvmlDeviceGetMemoryInfo"):
            for status, named in ((15, "lost"), (16, "reset"), (999, "999")):
                with self.subTest(call=call, status=status):
                    done = run(self.inventory("".join(T4.format(i) for i in range(4)) +
                                              f"fault call={call} gpu=2 return={status}\n"))
                    self.assertEqual(done.returncode, 0)
                    self.assertIn("nvidia.com/gpu.count=3\n", done.stdout)
                    self.assertRegex(done.stderr, rf"^warning: GPU 2 does not answer: [^\n]*{named}")

    def test_all_lost(self):
        done = run(self.inventory(T4.format(0) + "fault call=nvmlDeviceGetUUID return=15\n"))
        self.assertEqual((done.stdout, done.returncode), ("", 0))
        self.assertIn("no GPU answers", done.stderr)

    def test_a_reload_in_the_middle_is_an_error_to_try_again(self):
        done = run(self.inventory(T4.format(0) + T4.format(1) + "fault call=nvmlDeviceGetUUID gpu=1 return=1\n"))
        self.assertEqual((done.stdout, done.returncode), ("", 1))
        self.assertIn("shut down", done.stderr)

    def test_a_call_that_hangs_is_named_and_does_not_hold_the_program(self):
        for call in ("nvmlInit_v2", "nvmlDeviceGetCount_v2", "nvmlDeviceGetMigMode"):
            with self.subTest(call=call):
                begin = time.monotonic()
                done = run(self.inventory(T4.format(0) + f"fault call={call} hang_ms=30000\n"), "--nvml-timeout", "200ms")
                self.assertEqual((done.stdout, done.returncode), ("", 1))
                self.assertIn(f"{call} has not returned for 200 ms; the driver hangs", done.stderr)
                # measures: what hangs for 30 s is not waited for
                self.assertLess(time.monotonic() - begin, 20)

    def test_a_file_that_blocks_is_named_and_does_not_hold_the_program(self):
        pipe = self.folder / "libnvidia-ml.so.1"
        os.mkfifo(pipe)
        done = subprocess.run([os.environ["KCONTROL_LABELER"], "--dry-run", "--nvml", pipe, "--nvml-timeout", "200ms"],
                              capture_output=True, text=True, timeout=60)
        self.assertEqual((done.stdout, done.returncode), ("", 1))
        self.assertIn("loading NVML's library has not returned for 200 ms", done.stderr)
        device = self.folder / "bus/pci/devices/0000:00:1e.0"
        device.mkdir(parents=True)
        os.mkfifo(device / "class")
        done = run(FAKE / "inventories" / "t4.txt", "--sysfs", self.folder, "--nvml-timeout", "200ms")
        self.assertIn("a read of sysfs has not returned for 200 ms", done.stderr)

    def test_slow_calls_that_end_are_waited_for(self):
        done = run(self.inventory(T4.format(0) + T4.format(1) + "fault call=nvmlDeviceGetName hang_ms=300\n"),
                   "--nvml-timeout", "5s")
        self.assertIn("nvidia.com/gpu.count=2\n", done.stdout)

    def test_usage(self):
        for flags, named in ((["--mig-strategy", "all"], "none, single or mixed"), (["--nvml-timeout", "soon"], "--nvml-timeout"),
                             (["--nvml-timeout", "-1s"], "--nvml-timeout"), (["--bogus"], "--bogus"),
                             (["--dry-run=yes"], "takes no value"), (["--sysfs"], "needs a value")):
            with self.subTest(flags=flags):
                done = run("/nonexistent", *flags)
                self.assertEqual((done.stdout, done.returncode), ("", 2))
                self.assertIn(named, done.stderr)
