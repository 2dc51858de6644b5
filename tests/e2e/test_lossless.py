"""Lossless writes: random objects on a real API server are read, edited and written back through the typed client, and
whatever was not edited is afterwards what it was before, to the last digit of a number.

The program lossless_probe (tests/lossless) makes objects of the kinds' own tables, and, for a custom resource, members
that no table has; it edits them as the full type and as a view that declares a few of the members. What the server
refuses of an object is taken out of it, as the server's answer says. KCONTROL_PROBES is the folder of the programs.
All of it in JSON and in Protocol Buffers. KCONTROL_LOSSLESS_SEED chooses the objects (a number; 1 otherwise), KCONTROL_LOSSLESS_COUNT how many.
Run alone: run.py test_lossless
"""
import copy
import json
import os
import random
import re
import subprocess
import unittest

import probes
import server

THINGS = """{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
 "metadata": {"name": "things.lossless.example.com"}, "spec": {"group": "lossless.example.com", "scope": "Namespaced",
 "names": {"kind": "Thing", "plural": "things", "singular": "thing"}, "versions": [{"name": "v1", "served": true,
 "storage": true, "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}]}}"""
SERVERS_OWN = ("managedFields", "resourceVersion", "generation")


def exact(text):
    """JSON of which numbers keep their text."""
    return json.loads(text, parse_int=lambda t: ("number", t), parse_float=lambda t: ("number", t))


def plain(value):
    """What exact() would have made of it."""
    return exact(json.dumps(value))


def apply(edits, to):
    for each in edits:
        *path, last = [p[1] if isinstance(p, tuple) else p for p in each["path"]]
        place = to
        for part in path:
            place = place.setdefault(part, {}) if isinstance(place, dict) else place[int(part)]
        last = int(last) if isinstance(place, list) else last
        if "remove" in each:
            del place[last]
        elif "insert" in each:
            place.insert(last, each["insert"])
        else:
            place[last] = each["set"]


def without_servers_own(value):
    value["metadata"] = {k: v for k, v in value["metadata"].items() if k not in SERVERS_OWN}
    # An empty map that is not there, or the other way round, is the server's doing.
    for name in ("labels", "annotations"):
        if value["metadata"].get(name) == {}:
            del value["metadata"][name]
    return value


def count_leaves(value):
    if isinstance(value, dict):
        return sum(map(count_leaves, value.values()))
    return sum(map(count_leaves, value)) if isinstance(value, list) else 1


def steps(field):
    """a.b[0].c[k.d/e] as its parts."""
    found = re.findall(r"([^.\[\]]+)|\[([^\]]*)\]", field)
    return [name or (int(key) if key.isdigit() else key) for name, key in found]


def child(value, part):
    if isinstance(value, dict):
        return value.get(part)
    return value[part] if isinstance(value, list) and isinstance(part, int) and part < len(value) else None


def take_out(value, base, path):
    """Removes what is at `path`, or the nearest thing above it that is there; of what `base` has, all that it lacks."""
    place, place_base, keep = value, base, []
    for part in path:
        if child(place, part) is None:
            break
        keep.append((place, place_base, part))
        place, place_base = child(place, part), child(place_base, part)
    for where, where_base, part in reversed(keep):
        if child(where_base, part) is None:
            del where[part]
            return True
        if where[part] != where_base[part]:
            where[part] = copy.deepcopy(where_base[part])
            return True
    return False


class LosslessTest(unittest.TestCase):
    encoding = "json"

    @classmethod
    def setUpClass(cls):
        cls.probe = probes.program("lossless_probe")
        cls.seed = int(os.environ.get("KCONTROL_LOSSLESS_SEED", "1"))
        cls.count = int(os.environ.get("KCONTROL_LOSSLESS_COUNT", "60"))
        cls.server = server.Server("lossless")
        cls.addClassCleanup(cls.server.stop)
        cls.server.install_crd(THINGS, "application/json")
        cls.editor = subprocess.Popen([cls.probe, "edit", cls.server.kubeconfig], stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE, text=True, env=probes.speaking(cls.encoding))

    @classmethod
    def tearDownClass(cls):
        cls.editor.stdin.close()
        cls.editor.wait(60)
        cls.editor.stdout.close()

    def path(self, made):
        version = made["object"]["apiVersion"]
        root = f"/apis/{version}" if "/" in version else f"/api/{version}"
        return f"{root}/namespaces/default/{made['plural']}"

    def create(self, made):
        """The name, after what the server refuses has been taken out."""
        wanted, base, choose = made["object"], made["base"], random.Random(made["seed"])
        base["metadata"] = {k: wanted["metadata"][k] for k in ("name", "namespace")} | base["metadata"]
        refusals = []
        for _ in range(500):
            code, answer = self.server.ask("POST", self.path(made), json.dumps(wanted))
            if code == 201:
                return wanted["metadata"]["name"]
            refusals.append(answer.get("message", answer) if isinstance(answer, dict) else answer)
            causes = answer.get("details", {}).get("causes", []) if code == 422 else []
            # One at a time, and the deepest first, for the server often names what lies above it as well.
            fields = sorted({cause["field"] for cause in causes}, key=lambda f: (-len(steps(f)), f))
            if not any(take_out(wanted, base, steps(field)) for field in fields):
                extra = [k for k in wanted.get("spec", {}) if k not in base.get("spec", {})]
                if not extra:
                    break
                del wanted["spec"][choose.choice(extra)]
        self.fail("the server wants none of it:\n" + "\n".join(map(str, refusals[-3:])))

    def edit(self, seed, kind, name):
        self.editor.stdin.write(json.dumps({"seed": seed, "type": kind, "name": name}) + "\n")
        self.editor.stdin.flush()
        return exact(self.editor.stdout.readline())

    def test_random_objects(self):
        run = subprocess.run([self.probe, "make", str(self.seed), str(self.count)], capture_output=True, text=True,
                             check=True)
        leaves, leaves_of_base, edits = {}, {}, {}
        for line in run.stdout.splitlines():
            made = json.loads(line)
            with self.subTest(KCONTROL_LOSSLESS_SEED=made["seed"], KCONTROL_LOSSLESS_COUNT=1):
                name = self.create(made)
                for turn, kind in enumerate(made["types"]):
                    with self.subTest(kind):
                        before = exact(self.server.ask_text("GET", f"{self.path(made)}/{name}")[1])
                        answer = self.edit(made["seed"] + turn, kind, name)
                        self.assertNotIn("error", answer)
                        after = exact(self.server.ask_text("GET", f"{self.path(made)}/{name}")[1])
                        leaves[kind] = leaves.get(kind, 0) + count_leaves(without_servers_own(before))
                        leaves_of_base[kind] = leaves_of_base.get(kind, 0) + count_leaves(made["base"])
                        edits[kind] = edits.get(kind, 0) + len(answer["edits"])
                        wanted = copy.deepcopy(before)
                        apply(answer["edits"], wanted)
                        self.assertNotEqual(wanted, before)
                        self.assertEqual(without_servers_own(after), without_servers_own(wanted))
        # The objects are more than what they begin as, or this would prove little.
        for kind in leaves:
            print(f"note: {kind}: {leaves[kind]} values, {edits[kind]} edited", flush=True)
            if self.count >= 20:
                self.assertGreater(leaves[kind], 1.5 * leaves_of_base[kind], kind)


class ProtobufLosslessTest(LosslessTest):
    """The same objects, read in Protocol Buffers where their kind has them."""
    encoding = "protobuf"


class OwnPartsTest(unittest.TestCase):
    """Of this file's own tools."""

    def test_steps(self):
        self.assertEqual(steps("a.b[0].c[k.d/e]"), ["a", "b", 0, "c", "k.d/e"])

    def test_apply(self):
        to = plain({"a": [1, 2], "b": {}})
        apply(plain([{"path": ["a", 0], "remove": True}, {"path": ["b", "c"], "set": "x"},
                     {"path": ["a", 1], "insert": 3}]), to)
        self.assertEqual(to, plain({"a": [2, 3], "b": {"c": "x"}}))

    def test_take_out(self):
        for path, wanted in [(["a", "b"], {"a": {"c": 1}}), (["a", "b", "x"], {"a": {"c": 1}}),
                             (["a", "c"], {"a": {"c": 1}})]:
            value = {"a": {"b": 1, "c": 1}}
            self.assertTrue(take_out(value, {"a": {"c": 1}}, path))
            self.assertEqual(value, wanted)
        self.assertFalse(take_out({"a": 1}, {"a": 1}, ["a"]))


if __name__ == "__main__":
    unittest.main()
