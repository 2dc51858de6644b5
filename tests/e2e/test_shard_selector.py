"""Lists of a part of the objects, at a server that knows shardSelector (the feature ShardedListAndWatch, alpha since 1.36)
and at one that ignores it. What the server selects, by its own hash, is what our client selects by ours.

KCONTROL_PROBES is the folder of client_probe. Run alone: run.py test_shard_selector
"""
import json
import subprocess
import unittest
import urllib.parse

import probes
import server


class ShardSelectorTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.program = probes.program("client_probe")

    def create(self, real, path, name):
        self.assertEqual(real.ask("POST", path, json.dumps({"metadata": {"name": name}}))[0], 201)

    def parts(self, real):
        """By selector, the names that the client lists, and those that the server sends."""
        for i in range(40):
            namespace = f"{'abcdefghij'[i % 10]}-team-{i % 10}"
            if i < 10:
                self.create(real, "/api/v1/namespaces", namespace)
            self.create(real, f"/api/v1/namespaces/{namespace}/configmaps", f"m{i}")
        out = {}
        for encoding in "json", "protobuf":
            run = subprocess.run([self.program, real.kubeconfig, "parts"], capture_output=True, text=True, timeout=300,
                                 env=probes.speaking(encoding))
            self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
            for line in run.stdout.splitlines():
                selector, names = line.split(":")
                path = "/api/v1/configmaps?shardSelector=" + urllib.parse.quote(selector)
                answer = real.ask("GET", path)[1]
                sent = [f"{o['metadata']['namespace']}/{o['metadata']['name']}" for o in answer["items"]]
                out[encoding, selector] = (names.split(), sent, answer["metadata"].get("shardInfo"))
        return out

    def each_once(self, parts, everything):
        for encoding in "json", "protobuf":
            for field in "uid", "namespace":
                listed = [name for (e, selector), (names, _, _) in parts.items() if e == encoding and field in selector
                          for name in names]
                self.assertEqual(sorted(listed), everything)

    def everything(self, real):
        items = real.ask("GET", "/api/v1/configmaps")[1]["items"]
        return sorted(f"{o['metadata']['namespace']}/{o['metadata']['name']}" for o in items)

    def test_a_server_with_the_feature_selects_as_we_do(self):
        real = server.Server("shard-on", lambda work: (work / "apiserver-options").write_text(
            "--feature-gates=ShardedListAndWatch=true\n"))
        self.addCleanup(real.stop)
        parts = self.parts(real)
        self.assertEqual(len(parts), 12)
        for (_, selector), (names, sent, info) in parts.items():
            self.assertEqual(names, sent)
            self.assertEqual(info, {"selector": selector})
        self.assertGreater(sum(1 for names, _, _ in parts.values() if names), 9)
        self.each_once(parts, self.everything(real))

    def test_of_a_server_that_ignores_it_the_rest_is_dropped(self):
        real = server.Server("shard-off")
        self.addCleanup(real.stop)
        parts = self.parts(real)
        everything = self.everything(real)
        for names, sent, info in parts.values():
            self.assertEqual(sorted(sent), everything)
            self.assertIsNone(info)
            self.assertLess(len(names), len(everything))
        self.each_once(parts, everything)


if __name__ == "__main__":
    unittest.main()
