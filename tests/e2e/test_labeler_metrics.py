"""The labeler's metrics, as its unit tests have them in tests/fake_nvml/metrics: Prometheus' own tool accepts them.

KCONTROL_PROMTOOL is promtool. Run alone: run.py test_labeler_metrics
"""
import os
import pathlib
import shutil
import subprocess
import unittest

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
