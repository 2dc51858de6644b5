"""The emitted CRD before a real API server, and client-side validation against the server's own.

The program tests/schema_probe has the kind; KCONTROL_SCHEMA_PROBE names it. Run alone: run.py test_schema
"""
import json
import os
import pathlib
import random
import ssl
import subprocess
import tempfile
import unittest
import urllib.error
import urllib.request

import cluster
import wait

CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
APPLY = "application/apply-patch+yaml"
WIDGETS = "/apis/schema.example.com/v1/namespaces/default/widgets"

# Members of a spec that is right otherwise.
GOOD = [
    '"replicas": 10', '"replicas": null', '"even": 4.0', '"replicas": 0', '"name": "ab"', '"name": "a-b"',
    '"ratio": 0.5', '"even": -4', '"even": 9007199254740994', '"note": null', '"note": "äöü"', '"name": null', '"level": null', '"maxSurge": null',
    '"uuid": "550E8400-e29b-41d4-a716-446655440000"', '"notBefore": "2024-02-29T23:59:59.5+02:00"',
    '"tags": ["ä€😀!", "b"]', '"labels": {"a": "b"}', '"extra": [1, null, {"a": {}}]', '"extra": "x"', '"extra": null',
    '"ports": [{"name": "a", "port": 1}, {"name": "a", "port": 1, "protocol": "UDP"}]',
    '"limits": {"low": 1}', '"limits": {"low": 1, "high": 1}', '"memory": "1.5Gi"', '"memory": 2', '"memory": "-1e3"',
    '"maxSurge": "25%"', '"maxSurge": 3', '"child": {"apiVersion": "v1", "kind": "Pod"}', '"paused": false',
    '"pod": {"metadata": {"labels": {"a": "b"}}, "image": "x"}', '"level": 2', '"unknown": true',
    '"weights": {"a": [9], "b": []}', '"immutable": "x"', '"even": 9223372036854775806',
]
BAD = [
    '"replicas": 11', '"replicas": -1', '"replicas": "3"', '"replicas": true', '"replicas": [1]',
    '"replicas": {}', '"name": "a"', '"name": "abcdefghi"', '"name": "Ab"', '"name": "ab\\n"',
    '"name": 5', '"name": "ab\\u0001\\"\\\\"', '"ratio": 0', '"ratio": 1.5', '"ratio": "x"', '"ratio": 1000000.5',
    '"ratio": 12345678.5', '"even": 3', '"paused": "yes"', '"paused": 1', '"uuid": "x"', '"uuid": 7',
    '"notBefore": "2023-02-29T00:00:00Z"', '"notBefore": "yesterday"', '"notBefore": 1', '"note": "äöüß"',
    '"tags": []', '"tags": ["a", "b", "c", "d"]', '"tags": ["a", "b", "a"]', '"tags": ["abcde"]', '"tags": "a"',
    '"tags": [1]', '"tags": [null]', '"tags": {}', '"tags": [""]',
    '"ports": [{"name": "a", "port": 1, "protocol": "TCP"}, {"name": "a", "port": 2}]', '"ports": [{"port": 0}]',
    '"ports": [7]', '"ports": [null]', '"ports": [null, null]', '"ports": [null, {"name": "a", "port": 1}, null]',
    '"ports": [{"name": null, "port": 1}, {"name": null, "port": 2}]', '"weights": {"a": [10, null]}',
    '"color": 100000000000000000000', '"note": -9223372036854775809',
    '"ports": [{"name": "a", "port": 1, "protocol": "SCTP"}]', '"labels": {}',
    '"labels": {"a": "1", "b": "2", "c": "3"}', '"labels": {"k": "123456"}', '"labels": {"k": 1}',
    '"weights": {"a": [10, 1, 1]}', '"weights": {"a": 1}', '"limits": {"unknown": 1}', '"limits": {}', '"limits": []',
    '"memory": "1.5 Gi"', '"child": {"apiVersion": ""}', '"child": 1',
    '"pod": {"metadata": {"labels": {"a": 1}}}', '"level": 4', '"level": "1"', '"color": "pink"',
    '"color": null', '"color": 1', '"color": ""',
]
# Right by the schema, wrong by CEL, which is the server's alone.
BAD_BY_CEL = ['"limits": {"low": 2, "high": 1}']
# Compared by yes or no: of anyOf and of int32's range the server says more, without a path; some it refuses earlier.
BAD_IN_OTHER_WORDS = [
    '"replicas": 1.5', '"even": 1e30', '"even": 18446744073709551616',
    '"memory": 1.5', '"memory": true', '"maxSurge": 1.5', '"maxSurge": {}', '"child": {"apiVersion": 1, "kind": "Pod"}',
    '"replicas": 3000000000', '"replicas": 11, "color": "pink", "name": "A"']


# kube-openapi takes an array for a string that has a format (type.go); no typed object can hold it, so we refuse it.
GOOD_BY_A_GAP = ['"uuid": []', '"notBefore": [1]']
# What any member of a spec may get at random.
ANYTHING = """null true false 0 1 -1 2 3 4 10 11 1.5 1e2 1.0 -0 2147483647 2147483648 -2147483649 9223372036854775807
9223372036854775808 18446744073709551615 18446744073709551616 1e19 1e30 0.1 1e-7 123456.7 1234567 1e6 0.99999999 "" "a"
"ab" "red" "x\\ty" "ä" "äöü" "äöüß" "😀" "1" "25%" "1.5Gi" "1e3" "Infinity" "2024-01-01T00:00:00Z"
"2024-02-30T00:00:00Z" "2024-01-01T24:00:00Z" "2024-01-01t00:00:00z" "2024-01-01" "2016-12-31T23:59:60Z"
"550e8400-e29b-41d4-a716-446655440000" "550e8400e29b41d4a716446655440000" "\\u0000" "\\u2028" [] {} [null] [[]]
["a","a"] ["a","b"] ["abcd","b","c"] {"a":null} {"a":"b"} {"a":"1","b":"2","c":null} {"":"x"} {"a/b":"x","c.d":"123456"}
[{}] [{"name":"a"}] [{"name":"a","port":1}] [{"name":"a","port":1},{"name":"a","port":2}] {"image":"x"} {"image":null}
[{"name":"a","port":1,"protocol":null}] [{"name":"","port":0}] [{"name":"a","port":1,"protocol":"X"}] {"low":1,"high":2}
{"apiVersion":"v1","kind":"Pod","metadata":{"name":"X_"}} {"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"a":1}}}
{"apiVersion":"v1"} {"image":"x","metadata":null} {"image":"x","metadata":{"finalizers":["a","a"],"name":"Bad_name"}}
{"low":null} {"low":1e2} {"a":[1,9]} {"a":[10]} {"a":[1,2,3]} {"a":null,"b":[null]}""".split()


def without_descriptions(schema):
    if isinstance(schema, list):
        return [without_descriptions(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    return {name: without_descriptions(value) for name, value in schema.items()
            if name != "description" or not isinstance(value, str)}


def find_probe():
    probe = os.environ.get("KCONTROL_SCHEMA_PROBE")
    return pathlib.Path(probe) if probe else None


class SchemaTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.probe = find_probe()
        if cls.probe is None:
            raise unittest.SkipTest("KCONTROL_SCHEMA_PROBE is not set")
        assets, why = cluster.find_assets(server_only=True)
        if assets is None:
            raise unittest.SkipTest(why)
        cls.folder = tempfile.TemporaryDirectory(prefix="kcontrol-schema-", ignore_cleanup_errors=True)
        cls.work = pathlib.Path(cls.folder.name) / "server"
        run = subprocess.run([cluster.SCRIPTS / "start.sh", assets, cls.work], capture_output=True, text=True)
        if run.returncode != 0:
            raise RuntimeError(f"the API server did not start: {run.stdout}{run.stderr}")
        cls.url = run.stdout.strip().splitlines()[-1]
        cls.context = ssl.create_default_context(cafile=cls.work / "ca.crt")
        cls.context.load_cert_chain(cls.work / "admin.crt", cls.work / "admin.key")
        cls.crd = json.loads(subprocess.run([cls.probe, "crd"], capture_output=True, text=True, check=True).stdout)
        cls.created = cls.ask("POST", CRDS, json.dumps(cls.crd))

    @classmethod
    def tearDownClass(cls):
        subprocess.run([cluster.SCRIPTS / "stop.sh", cls.work], check=False)
        cls.folder.cleanup()

    @classmethod
    def ask(cls, method, path, body=None, content_type="application/json"):
        request = urllib.request.Request(cls.url + path, method=method, data=body and body.encode(),
                                         headers={"Content-Type": content_type})
        try:
            with urllib.request.urlopen(request, context=cls.context, timeout=60) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as answer:
            text = answer.read().decode()
            return answer.code, json.loads(text) if text.startswith("{") else text

    def conditions(self):
        path = f"{CRDS}/{self.crd['metadata']['name']}"
        return {c["type"]: c["status"] for c in self.ask("GET", path)[1].get("status", {}).get("conditions") or []}

    def wait_until_served(self):
        wait.until(lambda: f"the CRD was not established: {self.conditions()}",
                   lambda: self.conditions().get("Established") == "True" and self.ask("GET", WIDGETS)[0] == 200)

    def probe_says(self, bodies):
        run = subprocess.run([self.probe, "validate"], input="\n".join(bodies) + "\n", capture_output=True, text=True,
                             check=True)
        return [json.loads(line) for line in run.stdout.split("\n")[:-1]]  # not splitlines(): U+2028

    @staticmethod
    def widget(members):
        color = "" if '"color"' in members else '"color": "red", '
        return ('{"apiVersion": "schema.example.com/v1", "kind": "Widget", "metadata": {"name": "w"}, '
                f'"spec": {{{color}{members}}}}}')

    def test_the_crd_is_established_and_structural(self):
        self.assertEqual(self.created[0], 201, self.created[1])
        self.wait_until_served()
        self.assertEqual(self.conditions(), {"NamesAccepted": "True", "Established": "True"})

    def test_the_server_stores_the_schema_as_it_was_sent(self):
        stored = self.ask("GET", f"{CRDS}/{self.crd['metadata']['name']}")[1]["spec"]
        self.assertEqual(stored, self.crd["spec"])

    def test_the_schema_of_a_condition_is_that_of_controller_gen(self):
        """What controller-gen v0.21.0 made of []metav1.Condition in the TrainJob's CRD; descriptions apart."""
        path = ("properties", "status", "properties", "conditions")
        ours = self.crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
        for step in path:
            ours = ours[step]
        theirs = json.loads((pathlib.Path(__file__).parents[1] / "schema_probe" / "conditions.json").read_text())
        self.assertEqual(without_descriptions(ours), theirs)

    def apply_condition(self, manager, kind, status):
        body = subprocess.run([self.probe, "condition", "c", kind, status], capture_output=True, text=True, check=True)
        return self.ask("PATCH", f"{WIDGETS}/c/status?fieldManager={manager}", body.stdout, APPLY)

    def test_managers_that_apply_a_condition_each_keep_their_own(self):
        self.wait_until_served()
        made = self.ask("POST", WIDGETS, self.widget('"replicas": 1').replace('"name": "w"', '"name": "c"'))
        self.assertEqual(made[0], 201, made[1])
        steps = [("one", "Ready", "True", ["Ready=True"]),
                 ("two", "Synced", "False", ["Ready=True", "Synced=False"]),
                 ("one", "Ready", "False", ["Ready=False", "Synced=False"])]
        for manager, kind, status, expected in steps:
            code, answer = self.apply_condition(manager, kind, status)
            self.assertEqual(code, 200, answer)
            self.assertEqual([f"{c['type']}={c['status']}" for c in answer["status"]["conditions"]], expected)
        owners = {entry["manager"]: list(entry["fieldsV1"]["f:status"]["f:conditions"])
                  for entry in answer["metadata"]["managedFields"] if entry["operation"] == "Apply"}
        self.assertEqual(owners, {"one": ['k:{"type":"Ready"}'], "two": ['k:{"type":"Synced"}']})
        code, answer = self.apply_condition("two", "Ready", "True")
        self.assertEqual(code, 409, answer)
        self.assertIn('conflict with "one" with subresource "status": .status.conditions[type="Ready"].status',
                      answer["message"])

    def test_both_agree_on_every_object(self):
        cluster.skip_other_version(self)
        self.wait_until_served()
        cases = [(m, "good") for m in GOOD] + [(m, "bad") for m in BAD] + [(m, "cel") for m in BAD_BY_CEL]
        cases += [(m, "other words") for m in BAD_IN_OTHER_WORDS]
        cases += [(m, "gap") for m in GOOD_BY_A_GAP]
        bodies = [self.widget(members) for members, _ in cases]
        bodies.append('{"apiVersion": "schema.example.com/v1", "kind": "Widget", "metadata": {"name": "w"}}')
        cases.append(("no spec", "bad"))
        for (members, expected), body, ours in zip(cases, bodies, self.probe_says(bodies), strict=True):
            with self.subTest(members):
                code, answer = self.ask("POST", WIDGETS + "?dryRun=All&fieldValidation=Ignore", body)
                theirs = answer.get("details", {}).get("causes", []) if code == 422 else []
                # The server adds that it did not come to CEL, and what the scale subresource says of `.spec.replicas`.
                theirs = [c for c in theirs if "validation rules were not checked" not in c["message"]
                          and not c["field"].startswith(".")]
                if expected == "good":
                    self.assertEqual((code, ours), (201, []), answer)
                elif expected == "gap":
                    self.assertEqual((code, bool(ours)), (201, True), answer)
                elif expected == "cel":
                    self.assertEqual((code, ours), (422, []), answer)
                elif expected == "other words":
                    self.assertEqual((code in (400, 422), bool(ours)), (True, True), answer)
                else:
                    self.assertEqual(code, 422, answer)
                    key = lambda cause: (cause["field"], cause["reason"], cause["message"])  # noqa: E731
                    self.assertEqual(sorted(map(key, ours)), sorted(map(key, theirs)))

    def test_both_agree_on_random_objects(self):
        """KCONTROL_SCHEMA_SEED chooses them (a number; 1 otherwise), KCONTROL_SCHEMA_COUNT how many."""
        self.wait_until_served()
        seed = int(os.environ.get("KCONTROL_SCHEMA_SEED", "1"))
        choose = random.Random(seed)
        names = sorted(self.crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"])
        cases = []
        for _ in range(int(os.environ.get("KCONTROL_SCHEMA_COUNT", "400"))):
            members = {name: choose.choice(ANYTHING) for name in choose.sample(names, choose.choice((1, 1, 1, 2, 3)))}
            for name in ("uuid", "notBefore"):
                if members.get(name, "").startswith("["):
                    members[name] = "1"
            cases.append(self.widget(", ".join(f'"{k}": {v}' for k, v in members.items())))
        right = 0
        for body, ours in zip(cases, self.probe_says(cases), strict=True):
            code, answer = self.ask("POST", WIDGETS + "?dryRun=All&fieldValidation=Ignore", body)
            self.assertIn(code, (201, 400, 422), answer)
            causes = (answer.get("details") or {}).get("causes", [])
            if code == 422 and all(cause["field"].startswith(".") for cause in causes):
                continue  # of the scale subresource, which wants 1 and not 1.0
            self.assertEqual(not ours, code == 201, f"seed {seed}: {body}: {ours} {answer}")
            right += code == 201
        print(f"note: seed {seed}: {right} of {len(cases)} objects are right", flush=True)


if __name__ == "__main__":
    unittest.main()
