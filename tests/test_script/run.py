#!/usr/bin/env python3
"""Runs scripts/test.sh with groups of its own (groups.sh), and checks what it prints, how it ends and in which order it works.

usage: run.py ROOT
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent


class TestScript(unittest.TestCase):
    root = HERE.parents[1]

    def run_script(self, *arguments, budget="", **environment):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder)
            (path / "budget.txt").write_text(budget)
            self.trace = path / "trace"
            self.trace.touch()
            done = subprocess.run(
                ["bash", self.root / "scripts/test.sh", *arguments], capture_output=True, text=True, timeout=60,
                env=os.environ | {"KCONTROL_TEST_GROUPS": str(HERE / "groups.sh"), "KCONTROL_BUILD_DIR": str(path / "build"),
                                  "KCONTROL_TEST_BUDGET": str(path / "budget.txt"), "TRACE": str(self.trace), **environment})
            self.order = self.trace.read_text().split("\n")[:-1]
        self.out, self.status = done.stdout, done.returncode
        self.last = done.stdout.splitlines()[-1] if done.stdout else done.stderr

    def only(self, *groups, **options):
        self.run_script(*(word for group in groups for word in ("--only", group)), **options)

    def row(self, group):
        """The columns of the closing table."""
        found = re.search(rf"^{group} +(\d+) +(\d+) +(\d+) +(\d+) s +(\d+) s +(\d+) s +(\d+) s +(\d+) +(\d+) MB$", self.out, re.M)
        self.assertTrue(found, self.out)
        return [int(column) for column in found.groups()]

    def test_counts(self):
        self.only("good", "built")
        self.assertEqual((self.status, self.last), (0, "4 passed, 0 failed, 1 skipped"))
        self.assertIn("   note: all is well", self.out)
        self.assertEqual(self.row("built")[:3] + self.row("built")[-2:], [1, 0, 0, 2, 0])

    def test_failures(self):
        self.only("good", "failing", "broken", "silent", "says_so")
        # Counted, ended by an error, counted nothing, and counted before it ended.
        self.assertEqual((self.status, self.last), (1, "10 passed, 4 failed, 1 skipped"))
        self.assertIn("   failing: FAILED: the third case", self.out)
        self.assertIn("   broken: status 1", self.out)

    def test_a_group_that_does_not_compile_does_not_run(self):
        self.only("unbuilt", "good")
        self.assertEqual((self.status, self.last), (1, "3 passed, 1 failed, 1 skipped"))
        self.assertEqual(self.order, [])
        self.assertIn("   unbuilt: FAILED: it does not compile", self.out)

    def test_what_waits_runs_beside_what_compiles_and_the_rest_after_both(self):
        self.only("waits", "built", "compiles")
        self.assertEqual((self.status, self.last), (0, "3 passed, 0 failed, 0 skipped"), self.out)
        self.assertEqual(self.order, ["build waits", "build built", "run compiles", "run waits", "run built"])

    def test_what_measures_no_time_runs_beside_what_waits(self):
        self.only("waits", "built", "steady", BESIDE_THIS="steady")
        self.assertEqual((self.status, self.last), (0, "3 passed, 0 failed, 0 skipped"), self.out)
        self.assertEqual(self.order, ["build waits", "build built", "build steady", "run steady", "run waits", "run built"])

    def test_what_compiles_little_at_a_time_runs_beside_a_build(self):
        self.only("sides", "meets", "compiles")
        self.assertEqual((self.status, self.last), (0, "3 passed, 0 failed, 0 skipped"), self.out)
        self.assertEqual(self.order[-1], "run meets")

    def test_what_only_computes_runs_beside_the_rest(self):
        self.only("steady", "fills", "built", MEETS="1")
        self.assertEqual((self.status, self.last), (0, "3 passed, 0 failed, 0 skipped"), self.out)
        self.assertEqual(self.order[-1], "run built")

    def test_failures_in_every_lane(self):
        self.only("waits_badly", "unbuilt", "sides_badly")
        self.assertEqual((self.status, self.last), (1, "0 passed, 3 failed, 0 skipped"), self.out)

    def test_one_lane(self):
        self.only("compiles", "waits", "built", "fills", KCONTROL_TEST_LANES="1")
        self.assertEqual((self.status, self.order), (0, ["run compiles", "build waits", "build built", "build fills", "run fills",
                                                         "run waits", "run built"]))

    def test_a_failure_beside_others(self):
        self.only("waits_badly", "good")
        self.assertEqual((self.status, self.last), (1, "3 passed, 1 failed, 1 skipped"))

    def test_flaky(self):
        self.only("flaky")
        self.assertEqual((self.status, self.last), (0, "4 passed, 0 failed, 0 skipped"))
        self.assertIn("flaky: 1.", self.out)
        self.assertIn("   flaky: test_x", self.out)
        self.run_script("--all")
        self.assertEqual((self.status, self.last), (1, "7 passed, 1 failed, 1 skipped"))
        self.run_script("--all", "--only", "flaky")
        self.assertEqual((self.status, self.last), (1, "4 passed, 1 failed, 0 skipped"))

    def test_budget(self):
        self.only("built", "compiles", budget="# group\nbuilt 2 - 0\ncompiles 3 0 -\n")
        self.assertEqual((self.status, self.last), (0, "4 passed, 0 failed, 0 skipped"))
        self.only("built", "compiles", budget="built 1 0 0\n")
        self.assertEqual((self.status, self.last), (1, "2 passed, 1 failed, 0 skipped"))
        self.assertIn("2 files were compiled, 1 may be", self.out)
        for preset, options in (("clang-asan", []), ("clang-asan", ["--fast"]), ("gcc-ubsan", ["--all"])):
            self.run_script(*options, "--only", "built", budget=f"built 1 0 0\nbuilt/{preset} 2 - -\nbuilt/none 0 - -\n")
            self.assertEqual((self.status, self.last), (0, "2 passed, 0 failed, 0 skipped"), preset)
        self.only("busy", budget="busy 0 - 0\n")
        self.assertEqual((self.status, self.last), (0, "2 passed, 0 failed, 0 skipped"))
        self.assertRegex(self.out, "note: warning: running took [1-9] CPU seconds, 0 were expected")

    def test_memory(self):
        self.only("heavy", "heavy_nightly", budget="memory 850 1000\n")
        self.assertEqual((self.status, self.last), (1, "2 passed, 1 failed, 0 skipped"))
        self.assertIn("heavy: FAILED: budget: compiling src/b.cpp took 1100 MB and 3.5 s, 1000 MB may be", self.out)
        self.assertIn("note: warning: compiling src/b.cpp took 1100 MB and 3.5 s, 850 MB were expected", self.out)
        self.assertIn("note: warning: compiling src/c.cpp took 900 MB and 2.5 s, 850 MB were expected", self.out)
        self.assertNotIn("src/a.cpp", self.out)
        self.assertEqual(self.row("heavy")[-1], 1100)
        self.run_script("--all", "--only", "heavy", budget="memory 850 1000\n")
        self.assertEqual((self.status, self.last), (0, "1 passed, 0 failed, 0 skipped"))

    def test_usage(self):
        for arguments, text in [(["--only"], "--only needs a group"), (["--only", "x"], "no such group: x"),
                                (["--fast", "--all"], "exclude each other"), (["-x"], "unknown option: -x")]:
            self.run_script(*arguments)
            self.assertEqual(self.status, 2)
            self.assertIn(text, self.last)
        self.run_script("--help")
        self.assertEqual((self.status, self.out.count("usage: test.sh")), (0, 1))
        self.run_script("--all", "--list")
        self.assertEqual((self.status, self.out), (0, "good\nflaky\n"))


class RealGroups(unittest.TestCase):
    """The names in test-groups.sh, and who runs them."""

    def listed(self, *arguments):
        return subprocess.run(["bash", TestScript.root / "scripts/test.sh", *arguments, "--list"], capture_output=True,
                              text=True, check=True).stdout.split()

    def test_all_has_every_group_that_needs_no_gpu(self):
        every, nightly, plain = self.listed(), self.listed("--all"), self.listed("--fast")
        self.assertEqual(sorted(set(every) - set(nightly)), ["e2e", "gpu"])  # e2e_all has all of e2e
        self.assertEqual(len(nightly), len(set(nightly)))
        self.assertLess(set(plain), set(nightly))
        functions = set()
        for name in ("test-groups.sh", "test-packages.sh", "test-recipes.sh"):
            functions |= set(re.findall(r"^group_(\w+)\(\)", (TestScript.root / "scripts" / name).read_text(), re.M))
        self.assertEqual(functions, set(every))

    def test_the_page_says_what_each_checks(self):
        page = (TestScript.root / "docs/testing.md").read_text()
        self.assertEqual([group for group in self.listed() if not re.search(rf"^\| {group}\b", page, re.M)], [])

    def test_the_nightly_workflow_runs_them(self):
        text = (TestScript.root / ".github/workflows/nightly.yml").read_text()
        self.assertIn("scripts/test.sh --all --list", text)
        self.assertIn("scripts/test.sh --all --only", text)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        TestScript.root = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
