"""What a reconciler calls (include/kcontrol/controllerutil), at a real API server: two processes write conditions of
one object, and two race through its phases, while a watch looks at every version that the server stores.

KCONTROL_PROBES is the folder of controllerutil_probe. KCONTROL_RACE_COUNT: how often each writes (1000 otherwise).
Run alone: run.py test_controllerutil
"""
import collections
import json
import os
import re
import subprocess
import threading
import unittest
import urllib.request

import probes
import server
import wait

SITES = "/apis/test.kcontrol.dev/v1/namespaces/default/sites"
# As in tests/controllerutil_probe/main.cpp.
STEPS = {"": ["Pending"], "Pending": ["Progressing", "Failed"], "Progressing": ["Ready", "Failed"],
         "Ready": ["Progressing", "Failed"], "Failed": ["Pending"]}
AVAILABLE = {"Pending": "False", "Progressing": "False", "Ready": "True", "Failed": "False"}


class Witness:
    """Every version of one object after `version`, in the order in which the server stored them."""

    def __init__(self, real, name, version):
        self.versions = []
        url = f"{real.url}{SITES}?watch=true&resourceVersion={version}&fieldSelector=metadata.name%3D{name}"
        self.stream = urllib.request.urlopen(url, context=real.context, timeout=120)
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()

    def read(self):
        for line in self.stream:
            event = json.loads(line)
            if event["type"] == "DELETED":
                return
            self.versions.append(event["object"])

    def until(self, version):
        """All of them up to that one."""
        wait.until(lambda: f"the watch does not bring version {version}",
                   lambda: self.versions and self.versions[-1]["metadata"]["resourceVersion"] == version, 60)
        return self.versions


def conditions_of(site):
    return {c["type"]: c for c in site.get("status", {}).get("conditions", [])}


class ControllerutilTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.program = probes.program("controllerutil_probe")
        cls.count = int(os.environ.get("KCONTROL_RACE_COUNT", "1000"))
        cls.real = server.Server("controllerutil")
        cls.addClassCleanup(cls.real.stop)
        cls.installed = cls.play("install")

    @classmethod
    def begin(cls, *arguments):
        return subprocess.Popen([cls.program, cls.real.kubeconfig, *map(str, arguments)], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    @classmethod
    def end(cls, process):
        out, err = process.communicate(timeout=3600)
        if process.returncode != 0:
            raise AssertionError(f"{process.args}: {out}{err}")
        return out.splitlines()

    @classmethod
    def play(cls, *arguments):
        return cls.end(cls.begin(*arguments))

    def race(self, *runs):
        """What two processes printed, and each version of the site "web" from its creation on."""
        self.real.ask("DELETE", f"{SITES}/web")
        code, made = self.real.ask("POST", SITES, json.dumps({
            "apiVersion": "test.kcontrol.dev/v1", "kind": "Site", "metadata": {"name": "web"}, "spec": {}}))
        self.assertEqual(code, 201, made)
        if any("conditions" in run for run in runs):
            code, made = self.real.ask("PATCH", f"{SITES}/web/status", json.dumps({"status": {"conditions": [
                {"type": "Theirs", "status": "True", "reason": "R", "message": "m",
                 "lastTransitionTime": "2020-01-01T00:00:00Z"}]}}), "application/merge-patch+json")
            self.assertEqual(code, 200, made)
        witness = Witness(self.real, "web", made["metadata"]["resourceVersion"])
        processes = [self.begin(*run) for run in runs]
        printed = [self.end(process) for process in processes]
        last = self.real.ask("GET", f"{SITES}/web")[1]["metadata"]["resourceVersion"]
        return printed, [made, *witness.until(last)]

    def test_the_kinds_are_installed_and_can_be_used_at_once(self):
        self.assertEqual(self.installed, ["installed"] * 2)

    def test_two_processes_set_conditions_and_nothing_is_lost(self):
        printed, versions = self.race(("conditions", "First", self.count), ("conditions", "Second", self.count))
        self.assertEqual(printed, [[f"written {self.count}"]] * 2)
        self.assertEqual(len(versions) - 1, 2 * self.count)
        moved = 0
        for before, after in zip(versions, versions[1:]):
            old, new = conditions_of(before), conditions_of(after)
            self.assertEqual(new["Theirs"], old["Theirs"])
            changed = [t for t in ("First", "Second") if old.get(t) != new.get(t)]
            self.assertEqual(len(changed), 1, (old, new))
            was, now = old.get(changed[0]), new[changed[0]]
            self.assertEqual(int(now["message"]), int(was["message"]) + 1 if was else 1)
            self.assertEqual(now["observedGeneration"], 1)
            if was and was["lastTransitionTime"] != now["lastTransitionTime"]:
                self.assertNotEqual(was["status"], now["status"])
                moved += 1
        self.assertGreater(moved, 0)
        print(f"note: {2 * self.count} conditions written, the transition time moved {moved} times", flush=True)

    def test_two_processes_race_through_the_phases_by_allowed_steps_only(self):
        printed, versions = self.race(("phases", 1, self.count), ("phases", 2, self.count))
        phases = [v.get("status", {}).get("phase", "") for v in versions]
        seen = collections.Counter(zip(phases, phases[1:]))
        for before, after in seen:
            self.assertIn(after, STEPS[before])
        for version in versions[1:]:
            available = conditions_of(version)["Available"]
            self.assertEqual(available["status"], AVAILABLE[version["status"]["phase"]])
            self.assertEqual(available["reason"], version["status"]["phase"])
        facts, counted = collections.Counter(), collections.Counter()
        for line in sum(printed, []):
            if found := re.match(r"(written|conflicts|refused) (\d+)$", line):
                facts[found[1]] += int(found[2])
            if found := re.match(r'kcontrol_status_transitions_total\{from="(\w*)",kind="Site",to="(\w+)"\} (\d+)', line):
                counted[found[1], found[2]] += int(found[3])
        self.assertEqual(+counted, seen)
        self.assertEqual(facts["written"], len(versions) - 1)
        self.assertEqual(sum(facts.values()), 2 * self.count)
        self.assertTrue(all(facts[f] > 0 for f in ("written", "conflicts", "refused")), facts)
        print(f"note: {dict(facts)}", flush=True)

    def test_the_other_helpers_do_nothing_the_second_time(self):
        self.assertEqual(self.play("helpers"), [
            "create_or_patch created 1", "create_or_patch unchanged 1", "ensure_finalizer 1", "ensure_finalizer 1",
            "create_or_update kept created", "create_or_update kept unchanged", "create_or_update gone created",
            "prune 1", "prune 0", "cleaned", "cleaned", "gone"])


if __name__ == "__main__":
    unittest.main()
