"""kcontrol-gen and a real API server: what it makes of the CRDs the server serves, and what becomes of the objects the
server stores when the types it made read and write them.

KCONTROL_PROBES is the folder of the test programs, KCONTROL_GEN the generator. KCONTROL_SHARED_DATA (by default
../shared/data) has the five big CRDs and their manifests, which are no part of the project. Run alone: run.py
test_generator
"""
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import cluster
import server

DATA = pathlib.Path(os.environ.get("KCONTROL_SHARED_DATA", cluster.ROOT.parent / "shared" / "data"))
COPIES = cluster.ROOT / "tests" / "e2e"


def exact(text):
    """JSON of which numbers keep their text: 1 and 1.0 differ, and nothing is rounded."""
    return json.loads(text, parse_int=lambda t: ("number", t), parse_float=lambda t: ("number", t))


def documents(file):
    return [d for d in re.split(r"^---$", file.read_text(), flags=re.M) if re.search(r"^kind:", d, re.M)]


def line_of(document, name):
    return re.search(rf"^{name}: *['\"]?([^'\"\s]+)", document, re.M).group(1)


def changes(before, after, path=""):
    """What reading and writing changed. A quantity that was a number is text after it, which the server takes too; and
    null is absent."""
    if before == after:
        return
    if isinstance(before, tuple) and before[0] == "number" and after == before[1]:
        return
    if isinstance(before, dict) and isinstance(after, dict):
        for key in sorted({*before, *after}):
            if key not in before:
                yield f"{path}.{key} came up: {after[key]!r}"
            elif key not in after:
                if before[key] is not None:
                    yield f"{path}.{key} is lost: {before[key]!r}"
            else:
                yield from changes(before[key], after[key], f"{path}.{key}")
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index, (one, other) in enumerate(zip(before, after)):
            yield from changes(one, other, f"{path}[{index}]")
    else:
        yield f"{path}: {before!r} became {after!r}"


class GeneratorTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.generator, cls.probes = os.environ.get("KCONTROL_GEN"), os.environ.get("KCONTROL_PROBES")
        if not cls.generator or not cls.probes:
            raise unittest.SkipTest("KCONTROL_GEN and KCONTROL_PROBES are not set")
        cls.server = server.Server("generator")
        cls.addClassCleanup(cls.server.stop)

    def generate(self, *inputs):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "types.hpp"
            run = subprocess.run([self.generator, "--out", out, "--namespace", "some", *inputs], capture_output=True,
                                 text=True)
            self.assertEqual(run.returncode, 0, run.stderr)
            return out.read_text(), run.stderr

    def encode_text(self, probe, text):
        run = subprocess.run([pathlib.Path(self.probes) / probe], input=text.strip() + "\n", capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stderr)
        return run.stdout

    def check_crd(self, file, manifests, probe):
        """The number of objects that were stored and compared."""
        crd = self.server.install_crd(file.read_text(), "application/yaml")
        name, spec = crd["metadata"]["name"], crd["spec"]
        try:
            from_file = self.generate(file)
            from_server = self.generate("--kubeconfig", self.server.kubeconfig, name)
            self.assertIn("struct ", from_file[0])
            self.assertEqual(from_server[0], from_file[0])
            versions = {f"{spec['group']}/{v['name']}" for v in spec["versions"] if v["served"]}
            compared = 0
            for manifest in manifests:
                for document in documents(manifest):
                    version = line_of(document, "apiVersion")
                    if version not in versions or line_of(document, "kind") != spec["names"]["kind"]:
                        continue
                    with self.subTest(manifest.name):
                        self.check_object(f"/apis/{version}/namespaces/default/{spec['names']['plural']}", document,
                                          probe)
                        compared += 1
            return compared
        finally:
            self.server.remove_crd(name)

    def check_object(self, path, document, probe):
        document = re.sub(r"^  namespace:.*\n", "", document, flags=re.M)
        code, made = self.server.ask("POST", path, document, "application/yaml")
        self.assertEqual(code, 201, made)
        code, text = self.server.ask_text("GET", f"{path}/{made['metadata']['name']}")
        self.assertEqual(code, 200, text)
        stored = exact(text)
        del stored["metadata"]["managedFields"]  # not read, on purpose
        self.assertEqual(list(changes(stored, exact(self.encode_text(probe, text)))), [])
        # What the types write is the same object to the server: to replace it by that changes nothing but the version.
        code, replaced = self.server.ask_text("PUT", f"{path}/{made['metadata']['name']}", self.encode_text(probe, text))
        self.assertEqual(code, 200, replaced)
        replaced = exact(replaced)
        for each in (stored, replaced):
            for member in ("managedFields", "resourceVersion", "generation"):
                each["metadata"].pop(member, None)
        self.assertEqual(list(changes(stored, replaced)), [])
        self.server.ask("DELETE", f"{path}/{made['metadata']['name']}")

    def test_the_projects_own_copies(self):
        files = sorted((COPIES / "crds").glob("*.yaml"))
        self.assertEqual(len(files), 4)
        manifests = sorted((COPIES / "manifests").glob("*.yaml"))
        compared = sum(self.check_crd(file, manifests, "crd_probe") for file in files)
        self.assertEqual(compared, 6)

    def test_the_five_real_crds(self):
        files = sorted((DATA / "crds").glob("*.yaml"))
        if not files or not (pathlib.Path(self.probes) / "crd_probe_real").exists():
            self.skipTest(f"{DATA}/crds is not there, or was not when crd_probe_real was to be built")
        self.assertEqual(len(files), 5)
        manifests = sorted((DATA / "manifests").glob("*.yaml"))
        compared = sum(self.check_crd(file, manifests, "crd_probe_real") for file in files)
        self.assertGreaterEqual(compared, 9)


if __name__ == "__main__":
    unittest.main()
