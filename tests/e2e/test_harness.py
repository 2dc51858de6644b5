"""The harness itself: what must be found wrong in an event stream, or in an answer, is."""
import datetime
import json
import pathlib
import re
import sys
import tempfile
import unittest

import expected
import monitor
import part
import words

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "conformance"))

import recorded  # noqa: E402


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


class Recorded(unittest.TestCase):
    """tests/conformance/recorded.py"""

    NOW = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    UID = "01234567-89ab-cdef-0123-456789abcdef"

    def test_what_one_run_says_is_left_open(self):
        answer = {"kind": "Service", "metadata": {
            "name": "a", "namespace": "conformance-1", "uid": self.UID, "resourceVersion": "7", "creationTimestamp": self.NOW,
            "managedFields": [{"manager": "me"}], "ownerReferences": [{"uid": self.UID[::-1]}]},
            "spec": {"clusterIP": "10.0.0.7", "clusterIPs": ["10.0.0.7"], "since": "2001-01-01T00:00:00Z", "ports": [
                {"port": 80, "nodePort": 30000}]}, "headless": {"clusterIP": "None", "clusterIPs": ["None"]}}
        self.assertEqual(recorded.template(json.dumps(answer), {"ns": "conformance-1", "owner": self.UID[::-1], "rv": "80"}), {
            "kind": "Service", "metadata": {
                "name": "a", "namespace": "${ns}", "uid": "*", "resourceVersion": "*", "creationTimestamp": "*",
                "managedFields": "*", "ownerReferences": [{"uid": "${owner}"}]},
            "spec": {"clusterIP": "*", "clusterIPs": "*", "since": "2001-01-01T00:00:00Z", "ports": [
                {"port": 80, "nodePort": "*"}]}, "headless": {"clusterIP": "None", "clusterIPs": ["None"]}})
        self.assertEqual(recorded.template("404 page not found", {}), "404 page not found")

    def test_differences(self):
        expected = {"a": "*", "b": [1, {"c": None}], "d": "x"}
        for found, why in (({"a": 1, "b": [1, {}], "d": "x"}, None), ({"b": [1, {}], "d": "x"}, "/a is null"),
                           ({"a": 1, "b": [1], "d": "x"}, "/b is [1]"), ({"a": 1, "b": [1, {"c": 0}], "d": "x"}, "/b/1/c is 0"),
                           ({"a": 1, "b": [True, {}], "d": "x"}, "/b/0 is true"), ({"a": 1, "b": [1, {}], "d": "x", "e": 2}, "/e is 2"),
                           ("text", "the answer is")):
            with self.subTest(found):
                different = recorded.difference(expected, found)
                self.assertEqual(different, None) if why is None else self.assertTrue(different.startswith(why), different)

    def test_the_rest_of_a_file_stays(self):
        before = '{\n  "cases": [\n    {"name": "x", "body": "\u00e4",\n     "expect": {"code": 201}},\n    {"name": "x", "expect": {"code": 200}}\n  ]\n}\n'
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "cases.json"
            path.write_text(before)
            recorded.write(path, "expect", {1: {"answer": {"kind": "\u00e4"}}})
            self.assertEqual(path.read_text(), before.replace('{"code": 200}', '{"code": 200, "answer": {"kind": "\u00e4"}}'))


class Part(unittest.TestCase):
    """part.py names tests that exist, and every program and every room of the library."""

    @staticmethod
    def programs():
        """Those that are built below examples/ and tools/."""
        for lists in [*(ROOT / "examples").rglob("CMakeLists.txt"), *(ROOT / "tools").glob("*/CMakeLists.txt")]:
            text = lists.read_text()
            yield from re.findall(r"^ *add_executable\((\w+) [^A]", text, re.M)
            yield from re.findall(r"^add_product\((\w+)", text, re.M)
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
