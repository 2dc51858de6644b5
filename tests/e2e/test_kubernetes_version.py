"""Which of the built-in kinds a kube-apiserver lacks, beside what docs/worlds.md says of its version.

KCONTROL_KUBERNETES_VERSION chooses the version. Run alone: run.py test_kubernetes_version
"""
import re
import unittest

import cluster
import server

KIND = re.compile(r'kcontrol_resource\{\s*"([^"]*)",\s*"([^"]*)",\s*"([^"]*)"')
ROW = r"^\| Kubernetes {}\.\d+ \|.*\| (?P<lacks>[^|]*) \|$"


def own_kinds():
    """(group, version, kind) of every generated kind."""
    headers = sorted((cluster.ROOT / "include/kcontrol/api").rglob("*.hpp"))
    return {found.groups() for header in headers for found in KIND.finditer(header.read_text())}


def written(kinds):
    return ", ".join(sorted(f"{group or 'core'}/{version} {kind}" for group, version, kind in kinds))


class KubernetesVersionTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.real = server.Server("kubernetes-version")
        cls.addClassCleanup(cls.real.stop)

    def get(self, path):
        code, answer = self.real.ask("GET", path)
        self.assertEqual(code, 200, path)
        return answer

    def served(self):
        paths = [("", "v1", "/api/v1")]
        for group in self.get("/apis")["groups"]:
            paths += [(group["name"], v["version"], f"/apis/{v['groupVersion']}") for v in group["versions"]]
        return {(r.get("group", group), r.get("version", version), r["kind"])
                for group, version, path in paths for r in self.get(path)["resources"]}

    def test_the_page_says_which_kinds_it_lacks(self):
        version = self.get("/version")["gitVersion"].removeprefix("v")
        own = own_kinds()
        self.assertGreater(len(own), 60)
        lacks = written(own - self.served()) or "nothing"
        print(f"note: Kubernetes {version} lacks: {lacks}")
        minor = re.escape(".".join(version.split(".")[:2]))
        row = re.search(ROW.format(minor), (cluster.ROOT / "docs/worlds.md").read_text(), re.M)
        self.assertIsNotNone(row, f"docs/worlds.md has no row of Kubernetes {version}")
        self.assertEqual(row["lacks"], lacks)


if __name__ == "__main__":
    unittest.main()
