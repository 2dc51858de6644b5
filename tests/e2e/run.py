#!/usr/bin/env python3
"""Runs the end-to-end tests and prints their counts.

usage: run.py [--results FILE] [--jobs N] [--part] [NAME…]     NAME: test_usage, test_monitor.Test2AlphaFails…; all without one
--part runs the tests that part.py names: each program and each room of the library once on a real cluster.
With --jobs, N modules run at a time, each in a process of its own; those that share clusters are one of them. A module
that fails beside others is run once more alone. If it passes then, its tests count as passed and the module as flaky.
Exit 0 if nothing failed. Without a monitor or a control plane the tests count as skipped, and the output says why.
FILE gets a line "PASSED FAILED SKIPPED"; FILE with .flaky after it a line for each module that was flaky.
"""
import argparse
import collections
import concurrent.futures
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import cluster  # noqa: E402
import fixture  # noqa: E402
import monitor  # noqa: E402
import part  # noqa: E402


def count_tests(names):
    return unittest.defaultTestLoader.loadTestsFromNames(names).countTestCases()


class Result(unittest.TextTestResult):
    """Prints how long each test took; what a class prepares for its tests counts for its first one."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.begun = time.monotonic()

    def stopTest(self, test):
        super().stopTest(test)
        now = time.monotonic()
        self.stream.writeln(f"   {test.id()} took {now - self.begun:.1f} s")
        self.begun = now


def run(names):
    suite = unittest.defaultTestLoader.loadTestsFromNames(names)
    return unittest.TextTestRunner(stream=sys.stdout, verbosity=2, resultclass=Result).run(suite)


def run_here(names, real, plain):
    passed = failed = skipped = 0
    results = []
    if monitor.binary() is None:
        print("skipped: the training_monitor program is not built")
        free = ("healing", "kube_rs", "kueue_operator", "ray_beside", "real_gpu", "scheduler_", "test_apply", "test_chart", "test_client", "test_cluster_sources",
                "test_configmap_sync", "test_conformance", "test_controllerutil", "test_fencing", "test_follow", "test_generator", "test_go_client",
                "test_harness", "test_http2", "test_kc", "test_kubectl", "test_kubernetes_version", "test_labeler",
                "test_leadership", "test_login", "test_lossless", "test_policy_webhook", "test_program_needs", "test_prometheus",
                "test_scheduler", "test_gpu_healer", "test_gpu_scheduler", "test_inference_autoscaler", "test_schema", "test_secure_metrics", "test_server_under_test", "test_shard_selector", "test_sharding", "test_sources", "test_streams", "test_transcode",
                "test_ray_operator", "test_training_operator", "test_tutorial", "test_webhooks")
        alone = [n for n in plain if n.startswith(free)]
        skipped, plain, real = count_tests([n for n in names if n not in alone]), alone, []
    if plain:
        results.append(run(plain))
    if real:
        assets, why = cluster.find_assets()
        if assets is None:
            print(f"skipped: {why}")
            skipped += count_tests(real)
        else:
            fixture.WorldTest.world = fixture.World(assets)
            try:
                results.append(run(real))
            finally:
                if results and not results[-1].wasSuccessful():
                    print("the monitor's log ends so:\n" + fixture.WorldTest.world.monitor.log.read_text()[-4000:])
                fixture.WorldTest.world.stop()
    for result in results:
        bad = len(result.failures) + len(result.errors)
        failed += bad
        skipped += len(result.skipped)
        passed += max(0, result.testsRun - bad - len(result.skipped))
    return passed, failed, skipped


def run_apart(names):
    """The counts of these modules, run by a process of their own; what it printed comes out in one piece."""
    begun = time.monotonic()
    with tempfile.NamedTemporaryFile("r") as results:
        done = subprocess.run([sys.executable, __file__, "--results", results.name, *names], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        print(f"-- {' '.join(names)} ({time.monotonic() - begun:.0f} s)\n{done.stdout}", flush=True)
        line = results.read().split()
    if len(line) != 3:
        print(f"FAILED: {' '.join(names)} ended without a result, code {done.returncode}")
        return 0, 1, 0
    return tuple(map(int, line))


def run_at_once(jobs, real, plain, here):
    """The counts, and the modules that passed only when they were alone."""
    modules = collections.defaultdict(list)
    for name in plain:
        modules[name.split(".")[0]].append(name)
    # The long ones first; how long their text is tells well enough.
    groups = ([real] if real else []) + [modules[m] for m in sorted(
        modules, key=lambda m: -(here / f"{m}.py").stat().st_size)]
    flaky = []
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        counts = list(pool.map(run_apart, groups))
    for at, (group, count) in enumerate(zip(groups, counts)):
        if count[1]:
            counts[at] = run_apart(group)
            print(f"note: {' '.join(group)}: {count[1]} failed beside other modules, {counts[at][1]} alone", flush=True)
            if not counts[at][1]:
                flaky.append(" ".join(group))
    return [sum(column) for column in zip((0, 0, 0), *counts)], flaky


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--results", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--part", action="store_true")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    here = pathlib.Path(__file__).resolve().parent
    names = arguments.names or (part.NAMES if arguments.part else sorted(f.stem for f in here.glob("test_*.py")))
    # Those that share real clusters come last.
    real = [n for n in names if "WorldTest" in (here / f"{n.split('.')[0]}.py").read_text()]
    plain = [n for n in names if n not in real]
    flaky = []
    if arguments.jobs > 1:
        (passed, failed, skipped), flaky = run_at_once(arguments.jobs, real, plain, here)
    else:
        passed, failed, skipped = run_here(names, real, plain)
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
