"""The harness itself: what must be found wrong in an event stream, is."""
import pathlib
import re
import unittest

import expected
import monitor
import part
import words

ROOT = pathlib.Path(__file__).resolve().parents[2]


def stream(*events):
    """An Events without a connection; ids count up unless given."""
    out = object.__new__(monitor.Events)
    out.failure = None
    out.all = [(e[2] if len(e) > 2 else number, e[0], e[1]) for number, e in enumerate(events, 1)]
    return out


def job(state, previous=None, uid="u", **members):
    out = {"cluster": "c", "namespace": "n", "kind": "Job", "apiVersion": "batch/v1", "name": "j", "uid": uid,
           "state": state, "durationSeconds": 1, **members}
    return {**out, "previousState": previous} if previous else out


READY = ("ready", {})
CLUSTER = ("cluster", {"name": "c"})


class Harness(unittest.TestCase):
    def test_words_that_are_said_twice(self):
        for line, found in {
            "error controller hello: controller hello: not synced": "controller hello: controller hello",
            'error="https://a:1: https://a:1: it is away"': "https://a:1: https://a:1",
            "Unauthorized (Unauthorized)": "Unauthorized (Unauthorized)",
            "it is the the end": "the the",
            "Node n: https://a:1: can't connect": None,
            '{"error":"--listen: can\'t listen at 1.2.3.4:80: no"}': None,
            "pods is forbidden: no (Invalid)": None,
            '2026-01-01T00:00:00Z error it is away cluster=a error="a: b: c"': None,
        }.items():
            with self.subTest(line):
                self.assertEqual(words.twice(line), found)
        self.assertRaisesRegex(AssertionError, "is said twice", words.check, "fine\na: b: b: c\n")

    def test_a_good_stream(self):
        states, jobs, clusters = stream(
            CLUSTER, ("job", job("Created")), READY, ("job", job("Running", "Created")),
            ("job", job("Running", gpus=1)), ("job-removed", job("Running")), ("job", job("Created", uid="v"))).check()
        self.assertEqual(states, {("c", "u"): ["Created", "Running"], ("c", "v"): ["Created"]})
        self.assertEqual((len(jobs), list(clusters)), (1, ["c"]))

    def test_bad_streams(self):
        running, later = ("job", job("Running")), {"durationSeconds": 9}
        for why, events in {
            "is not above": [READY, (*running, 5), ("job", job("Failed", "Running"), 5)],
            "says again": [READY, running, ("job", {**job("Running"), **later})],
            "previousState is": [READY, running, ("job", job("Failed", "Created"))],
            "it was Running": [READY, running, ("job", job("Failed"))],
            "without a change": [READY, running, ("job", job("Running", "Created", gpus=1))],
            "it was not there": [READY, ("job-removed", job("Running"))],
            "not an event": [READY, ("surprise", {})],
            "0 ready events": [running],
            "2 ready events": [READY, READY],
        }.items():
            with self.subTest(why), self.assertRaisesRegex(AssertionError, why):
                stream(*events).check()

    def test_states_by_type_and_never_the_last_condition(self):
        conditions = [{"type": "Succeeded", "status": "True"}, {"type": "Running", "status": "False"}]
        self.assertEqual(expected.state({"kind": "MPIJob", "spec": {}, "status": {"conditions": conditions}}), "Succeeded")
        resumed = {"kind": "Job", "spec": {}, "status": {"active": 1, "conditions": [{"type": "Suspended", "status": "False"}]}}
        self.assertEqual(expected.state(resumed), "Running")


class Part(unittest.TestCase):
    """part.py names tests that exist, and every program and every room of the library."""

    @staticmethod
    def programs():
        """Those that are built below examples/ and tools/."""
        for lists in [*(ROOT / "examples").rglob("CMakeLists.txt"), *(ROOT / "tools").glob("*/CMakeLists.txt")]:
            text = lists.read_text()
            yield from re.findall(r"^add_executable\((\w+) [^A]", text, re.M)
            yield from (f"kcontrol-{name}" for name in re.findall(r"^kcontrol_tool\((\w+)", text, re.M))
            yield from re.findall(r"^configure_file\((kcontrol-\w+)\.in ", text, re.M)
            for names in re.findall(r"^foreach\(program IN ITEMS ([^)]*)\)$", text, re.M):
                yield from names.split()

    def test_nothing_is_missing(self):
        rooms = {path.name for path in (ROOT / "include" / "kcontrol").iterdir() if path.is_dir()}
        programs = set(self.programs())
        self.assertLessEqual({"kc", "training_monitor", "9_lease", "kcontrol-gen", "kcontrol-apiserver"}, programs)
        named = {each for chosen in part.TESTS.values() for each in chosen} | set(part.ELSEWHERE)
        self.assertEqual(rooms | programs, named)

    def test_the_tests_exist(self):
        loader = unittest.TestLoader()
        suite = loader.loadTestsFromNames(part.NAMES)
        self.assertEqual(loader.errors, [])
        self.assertGreaterEqual(suite.countTestCases(), len(part.NAMES))


if __name__ == "__main__":
    unittest.main()
