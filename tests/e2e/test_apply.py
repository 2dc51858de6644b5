"""Server-side apply: random sequences of applies and patches by several managers, at a real API server and at the
in-process one of kcontrol/testing. After every request both have answered the same: code, message, object, owners.

KCONTROL_PROBES is the folder of apply_probe. KCONTROL_APPLY_SEED chooses the sequences (a number; 1 otherwise),
KCONTROL_APPLY_COUNT how many. Run alone: run.py test_apply
"""
import json
import os
import random
import subprocess
import unittest
import urllib.error
import urllib.request

import probes
import server
import wait

APPLY, MERGE = "application/apply-patch+yaml", "application/merge-patch+json"
KEYED = {"type": "array", "x-kubernetes-list-type": "map", "items": {"type": "object"}}
CRD = {
    "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
    "metadata": {"name": "gizmos.apply.example.com"}, "spec": {
        "group": "apply.example.com", "scope": "Namespaced",
        "names": {"plural": "gizmos", "singular": "gizmo", "kind": "Gizmo", "listKind": "GizmoList"},
        "versions": [{
            "name": "v1", "served": True, "storage": True, "subresources": {"status": {}},
            "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                "spec": {"type": "object", "x-kubernetes-preserve-unknown-fields": True, "properties": {
                    "tags": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
                    "parts": KEYED | {"x-kubernetes-list-map-keys": ["name"], "items": {
                        "type": "object", "required": ["name"], "properties": {
                            "name": {"type": "string"}, "v": {"type": "integer"}, "w": {"type": "integer"}}}},
                    "plain": {"type": "array", "items": {"type": "integer"}},
                    "m": {"type": "object", "additionalProperties": {"type": "integer"}}}},
                "status": {"type": "object", "properties": {
                    "s": {"type": "integer"},
                    "conditions": KEYED | {"x-kubernetes-list-map-keys": ["type"], "items": {
                        "type": "object", "required": ["type"], "properties": {
                            "type": {"type": "string"}, "status": {"type": "string"}}}}}}}}}}]}}


class Requests:
    """What is asked, from a seed alone."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def number(self):
        return self.random.randint(1, 2)

    def often(self, probability):
        return self.random.random() < probability

    def some(self, of):
        return [each for each in of if self.often(0.5)]

    def numbers(self, names):
        return {name: self.number() for name in self.some(names)}

    def texts(self, names):
        return {name: str(self.number()) for name in self.some(names)}

    def metadata(self):
        out = {}
        if self.often(0.4):
            out["labels"] = self.texts("ab")
        if self.often(0.3):
            out["annotations"] = self.texts("ab")
        if self.often(0.2):
            out["finalizers"] = self.some(["x/a", "x/b", "x/c"]) or ["x/a"]
        return out

    def items(self, key, names, *members):
        return [{key: name} | {m: make() for m, make in members if self.often(0.5)} for name in self.some(names)]

    def spec(self):
        out = {"k": self.number()}
        if self.often(0.4):
            out["tags"] = self.some("xyz")
        if self.often(0.4):
            out["parts"] = self.items("name", "ab", ("v", self.number), ("w", self.number))
        if self.often(0.3):
            out["plain"] = [self.number()]
        if self.often(0.4):
            out["m"] = {"p": self.number()} | self.numbers("q")
        if self.often(0.2):
            out["u"] = {"deep": self.numbers("pq")}
        return {"spec": out}

    def status(self):
        out = {"s": self.number()}
        if self.often(0.6):
            out["conditions"] = self.items("type", "AB", ("status", lambda: str(self.number())))
        return {"status": out}

    def data(self):
        return {"data": self.texts("xyz")} if self.often(0.8) else {}

    def sequence(self, name):
        """(path, content type, body) of each request."""
        custom = self.often(0.5)
        root, version, kind = ("apis", "apply.example.com/v1", "Gizmo") if custom else ("api", "v1", "ConfigMap")
        path = f"/{root}/{version}/namespaces/default/{kind.lower()}s/{name}"
        for step in range(self.random.randint(2, 8)):
            status = custom and step > 0 and self.often(0.3)
            body = self.status() if status else self.spec() if custom else self.data()
            metadata = {} if status else self.metadata()
            manager = self.random.choice("abc")
            at = path + ("/status" if status else "")
            if step == 0 or self.often(0.7):
                force = "&force=true" if self.often(0.4) else ""
                yield (f"{at}?fieldManager={manager}{force}", APPLY,
                       {"apiVersion": version, "kind": kind, "metadata": {"name": name} | metadata} | body)
            else:
                if metadata:
                    body["metadata"] = metadata
                for part in ("data", "spec", "status"):
                    for member in list(body.get(part, {})):
                        if member not in "ks" and self.often(0.2):
                            body[part][member] = None
                yield f"{at}?fieldManager={manager}u", MERGE, body


def without_empty_maps(value):
    """A built-in kind has no difference between an empty map and none; where it is printed is the server's affair."""
    if not isinstance(value, dict):
        return value
    return {k: without_empty_maps(v) for k, v in value.items() if v not in ({}, None)}


def comparable(answer):
    """Without what is each server's own. Owners are lists of leaves, as sets with a dot are the same ownership."""
    code, body = answer
    if not isinstance(body, dict):
        return answer
    if body.get("kind") == "Status":
        causes = (body.get("details") or {}).get("causes", [])
        return code, body.get("reason"), body.get("message"), sorted(json.dumps(c, sort_keys=True) for c in causes)
    metadata = body["metadata"]
    owners = sorted((f["manager"], f["operation"], f.get("subresource", ""), json.dumps(f["fieldsV1"], sort_keys=True))
                    for f in metadata.pop("managedFields", []))
    for own in ("uid", "creationTimestamp", "resourceVersion"):
        metadata.pop(own, None)
    return code, without_empty_maps(body) if body["kind"] == "ConfigMap" else body, owners


class ApplyTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        probe = probes.program("apply_probe")
        cls.seed = int(os.environ.get("KCONTROL_APPLY_SEED", "1"))
        cls.count = int(os.environ.get("KCONTROL_APPLY_COUNT", "100"))
        cls.real = server.Server("apply")
        cls.addClassCleanup(cls.real.stop)
        cls.real.install_crd(json.dumps(CRD), "application/json")
        cls.ours = subprocess.Popen([probe], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        cls.addClassCleanup(cls.stop_ours)
        cls.url = cls.ours.stdout.readline().strip()
        if cls.ask_ours("POST", server.CRDS, json.dumps(CRD))[0] != 201:
            raise RuntimeError("the in-process server refuses the CRD")
        wait.until("the kind is not served", lambda: cls.ask_ours("GET", "/apis/apply.example.com/v1/gizmos")[0] == 200)

    @classmethod
    def stop_ours(cls):
        cls.ours.stdin.close()
        cls.ours.wait(60)
        cls.ours.stdout.close()

    @classmethod
    def ask_ours(cls, method, path, body=None, content_type="application/json"):
        request = urllib.request.Request(cls.url + path, method=method, data=body and body.encode(),
                                         headers={"Content-Type": content_type})
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as answer:
            return answer.code, json.loads(answer.read())

    def test_both_servers_answer_the_same(self):
        codes = {}
        for number in range(self.count):
            name = f"a{self.seed}-{number}"
            asked = []
            for path, content_type, body in Requests(f"{self.seed}-{number}").sequence(name):
                text = json.dumps(body)
                asked.append(f"{path.rsplit('/', 1)[1]} {text}")
                theirs = comparable(self.real.ask("PATCH", path, text, content_type))
                ours = comparable(self.ask_ours("PATCH", path, text, content_type))
                self.assertEqual(ours, theirs, f"seed {self.seed}, sequence {number}:\n" + "\n".join(asked))
                codes[theirs[0]] = codes.get(theirs[0], 0) + 1
        print(f"note: seed {self.seed}: answers by code {dict(sorted(codes.items()))}", flush=True)
        if self.count >= 50:
            self.assertGreaterEqual(set(codes), {200, 201, 409}, codes)


if __name__ == "__main__":
    unittest.main()
