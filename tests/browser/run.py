#!/usr/bin/env python3
"""Runs the tests of the monitor's page and of the labeler's in headless Chromium, and of the monitor in a terminal, and
prints their counts.

usage: run.py [--results FILE] [NAME…]     NAME: test_page, test_page.Filters…; all without one
Exit 0 if nothing failed. A test that fails is run once more, as a module of the end-to-end tests is: if it passes then, it
counts as passed and as flaky. FILE gets a line "PASSED FAILED SKIPPED"; FILE with .flaky after it a line for each test
that was flaky. Without Chromium or the programs under test they count as skipped, and the output says why.
KCONTROL_CHROMIUM, KCONTROL_PAGE_SERVER, KCONTROL_LABELER_PAGE_SERVER, KCONTROL_AUTOSCALER_PAGE_SERVER,
KCONTROL_GPU_PAGE_SERVER, KCONTROL_HEALER_PAGE_SERVER, KCONTROL_MONITOR, KCONTROL_LABELER and KCONTROL_FAKE_NVML_LIBRARY name
other programs.
"""
import argparse
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import chromium  # noqa: E402
import fixture  # noqa: E402
import server  # noqa: E402

ALL = ["test_chromium", "test_page", "test_attention", "test_layout", "test_job", "test_node", "test_queues", "test_tasks", "test_stream", "test_access", "test_gpus", "test_usage",
       "test_axe", "test_scale", "test_program", "test_terminal", "test_labeler", "test_labeler_program", "test_autoscaler", "test_gpu_scheduler", "test_healer"]


class Result(unittest.TextTestResult):
    """A page that is broken altogether fails everywhere, and each test waits long for what does not come."""

    def stopTest(self, test):
        super().stopTest(test)
        if self.is_broken():
            self.stop()

    def is_broken(self):
        return len(self.failures) + len(self.errors) >= 4


def run(suite):
    return unittest.TextTestRunner(stream=sys.stdout, verbosity=2, resultclass=Result).run(suite)


def run_failed_again(result):
    """How many fail twice, and the names of those that pass the second time."""
    failed, flaky = 0, []
    for test, _ in result.failures + result.errors:
        if isinstance(test, unittest.TestCase) and not result.is_broken():
            print(f"once more: {test.id()}", flush=True)
            if run(unittest.defaultTestLoader.loadTestsFromName(test.id())).wasSuccessful():
                flaky.append(test.id())
                continue
        failed += 1
    return failed, flaky


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--results", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    names = arguments.names or ALL
    why = None
    if chromium.program() is None:
        why = "Chromium is not installed (package chromium)"
    elif None in (server.page_server(), server.labeler_page_server(), server.autoscaler_page_server(),
                  server.gpu_page_server(), server.healer_page_server()):
        why = "page_server, or that of the labeler, the autoscaler, the GPU scheduler or the healer, is not built"
    suite = unittest.defaultTestLoader.loadTestsFromNames(names)
    if why:
        skipped = suite.countTestCases()
        print(f"skipped: {why}")
        passed = failed = 0
        flaky = []
    else:
        try:
            result = run(suite)
            failed, flaky = run_failed_again(result)
        finally:
            if fixture.PageTest.browser:
                fixture.PageTest.browser.close()
        skipped = len(result.skipped)
        passed = max(0, result.testsRun - failed - skipped)
        for test, reason in result.skipped:
            print(f"skipped: {test}: {reason}")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    if arguments.results:
        with arguments.results.open("a") as file:
            file.write(f"{passed} {failed} {skipped}\n")
        if flaky:
            with arguments.results.with_name(arguments.results.name + ".flaky").open("a") as file:
                file.writelines(f"{name}\n" for name in flaky)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
