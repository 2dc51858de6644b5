"""The labeler's command line, without a cluster or a GPU.

KCONTROL_LABELER is the program. Run alone: run.py test_labeler_usage
"""
import os
import subprocess
import unittest


def run(*arguments, **environment):
    return subprocess.run([os.environ["KCONTROL_LABELER"], *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=60, env={**os.environ, **environment})


@unittest.skipUnless(os.access(os.environ.get("KCONTROL_LABELER", ""), os.X_OK), "the gpu_labeler program is not built")
class LabelerUsage(unittest.TestCase):
    def test_help_and_version(self):
        self.assertIn("schedule", run("--help").stdout)
        self.assertIn("--count", run("schedule", "--help").stdout)
        self.assertRegex(run("--version").stdout, r"\d+\.\d+\.\d+")

    def test_schedule(self):
        done = run("schedule", "CRON_TZ=Europe/Berlin 30 2 * * *", "--from", "2026-03-28T00:00:00Z", "--count", "2")
        self.assertEqual((done.stdout, done.stderr, done.returncode),
                         ("2026-03-28T02:30:00+01:00\n2026-03-30T02:30:00+02:00\n", "", 0))

    def test_now_is_told_by_the_clock_and_shown_in_the_local_zone(self):
        lines = run("schedule", "@hourly", TZ="Asia/Tokyo").stdout.splitlines()
        self.assertEqual(len(lines), 5)
        for line in lines:
            self.assertRegex(line, r"^\d{4}-\d\d-\d\dT\d\d:00:00\+09:00$")

    def test_errors_are_one_line_and_2(self):
        for arguments, named in ((["schedule", "61 * * * *"], "minute"), (["schedule", "CRON_TZ=UTC"], "CRON_TZ=UTC"),
                                 (["schedule", "@daily", "--count", "x"], "--count"), (["schedule"], "which schedule"),
                                 (["polish"], "--help"), ([], "--help")):
            with self.subTest(arguments=arguments):
                done = run(*arguments)
                self.assertEqual((done.stdout, done.returncode), ("", 2))
                self.assertRegex(done.stderr, r"^error: [^\n]*\n$")
                self.assertIn(named, done.stderr)
