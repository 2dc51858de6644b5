"""What controllers look at (predicates, kinds, sources), at a real API server: what each of them is told of the life of a
Site and what belongs to it. The controller `plain` has no predicate, so what it tells was there to be seen.

KCONTROL_PROBES is the folder of sources_probe. Run alone: run.py test_sources
"""
import json
import re
import subprocess
import threading
import unittest

import probes
import server
import wait

SITES = "/apis/test.kcontrol.dev/v1/namespaces/default/sites"
PARTS = "/apis/test.kcontrol.dev/v1/namespaces/default/parts"
MAPS = "/api/v1/namespaces/default/configmaps"
MERGE = "application/merge-patch+json"
LINE = re.compile(r"(\S+) default/(\S+) (.*)$")
# Who is told of any site that is made: those without a predicate, and those whose predicates look at updates only.
ALL = {"plain", "metadata", "replicas", "status"}


class SourcesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        program = probes.program("sources_probe")
        cls.real = server.Server("sources")
        cls.addClassCleanup(cls.real.stop)
        cls.log = cls.real.work / "sources.log"
        log = cls.log.open("ab")
        cls.addClassCleanup(log.close)
        cls.process = subprocess.Popen([program, "--kubeconfig", cls.real.kubeconfig], stdin=subprocess.DEVNULL,
                                       stdout=subprocess.PIPE, stderr=log, text=True)
        cls.addClassCleanup(cls.process.kill)
        cls.lines = []
        threading.Thread(target=cls.read, daemon=True).start()
        wait.until(lambda: f"it does not run: {cls.log.read_text()}",
                   lambda: any(name == "tick" for name, *_ in cls.lines), 60)

    @classmethod
    def read(cls):
        for line in cls.process.stdout:
            if found := LINE.match(line.strip()):
                cls.lines.append(found.groups())

    def write(self, method, path, body=None, content_type="application/json"):
        code, answer = self.real.ask(method, path, body and json.dumps(body), content_type)
        self.assertIn(code, (200, 201), answer)
        return answer

    def merge(self, path, body):
        return self.write("PATCH", path, body, MERGE)

    def make(self, path, kind, name, spec=None, **metadata):
        group = "v1" if path == MAPS else "test.kcontrol.dev/v1"
        body = {"apiVersion": group, "kind": kind, "metadata": {"name": name, **metadata}}
        return self.write("POST", path, {**body, **(spec or {})})

    def told(self, name, since):
        """Which controllers were told of the request, and why, after that many lines."""
        return {c: why for c, about, why in self.lines[since:] if about == name and c not in ("tick", "signalled")}

    def expect(self, name, wanted, change):
        """What `change` makes is told to those controllers and to nobody else. What each of them was told."""
        since = len(self.lines)
        change()
        wait.until(lambda: f"{name}: {sorted(wanted)} expected, {self.told(name, since)} were told",
                   lambda: set(wanted) <= set(self.told(name, since)))
        # Who is told beside them is told at the same time.
        wait.stable(lambda: self.assertEqual(set(self.told(name, since)), set(wanted)) is None, 0.5)
        return self.told(name, since)

    def test_predicates(self):
        at = f"{SITES}/web"
        spec = {"spec": {"replicas": 1, "image": "web"}}
        told = self.expect("web", ALL | {"web", "selected"},
                           lambda: self.make(SITES, "Site", "web", spec, labels={"tier": "front"}))
        self.assertIn("added", told["plain"])
        self.expect("web", {"plain", "metadata", "replicas", "web", "selected", "scaled-up", "not-status"},
                    lambda: self.merge(at, {"spec": {"replicas": 3}}))
        self.expect("web", {"plain", "metadata", "replicas", "web", "selected", "not-status"},
                    lambda: self.merge(at, {"spec": {"replicas": 2}}))
        self.expect("web", {"plain", "metadata", "status", "web", "selected"},
                    lambda: self.merge(f"{at}/status", {"status": {"phase": "Ready"}}))
        # It leaves the selection: that is told once, and what follows is not.
        self.expect("web", {"plain", "metadata", "web", "selected", "not-status"},
                    lambda: self.merge(at, {"metadata": {"labels": {"tier": "back"}}}))
        self.expect("web", {"plain", "metadata", "web", "not-status"},
                    lambda: self.merge(at, {"metadata": {"labels": {"x": "y"}}}))
        # The same of a function of the object.
        self.expect("web", {"plain", "metadata", "web", "not-status"},
                    lambda: self.merge(at, {"spec": {"image": "db"}}))
        told = self.expect("web", {"plain", "metadata", "not-status"},
                           lambda: self.merge(at, {"metadata": {"annotations": {"team": "a"}}}))
        self.assertTrue(told["metadata"].endswith("| a"), told)
        # And back into both.
        self.expect("web", {"plain", "metadata", "web", "selected", "not-status"},
                    lambda: self.merge(at, {"metadata": {"labels": {"tier": "front"}}, "spec": {"image": "web"}}))
        # A write that changes nothing is no event.
        since = len(self.lines)
        self.merge(at, {"spec": {"image": "web"}})
        # A reconciler that takes the object is not called for one that is gone.
        told = self.expect("web", ALL - {"metadata"} | {"gone", "selected", "web", "owner", "settings"},
                           lambda: self.write("DELETE", at))
        lines = [c for c, about, _ in self.lines[since:] if about == "web" and c not in ("tick", "signalled")]
        self.assertEqual(sorted(lines), sorted(told))
        self.assertIn("deleted", told["gone"])

    def test_dependents_and_kinds_known_at_run_time(self):
        made = []
        self.expect("parent", ALL, lambda: made.append(self.make(SITES, "Site", "parent", {"spec": {"replicas": 1}})))
        owner = made[0]
        reference = {"apiVersion": "test.kcontrol.dev/v1", "kind": "Site", "name": "parent", "controller": True,
                     "uid": owner["metadata"]["uid"]}
        # Of a dependent that is watched by its metadata alone the owner is found.
        told = self.expect("parent", {"owner"}, lambda: self.make(PARTS, "Part", "p1", {"spec": {"image": "a"}},
                                                                  ownerReferences=[reference]))
        self.assertRegex(told["owner"], "Part.* default/p1 added")
        since = len(self.lines)
        self.merge(f"{PARTS}/p1", {"spec": {"image": "b"}})
        wait.until(lambda: f"the image of a part is not told: {self.lines[since:]}",
                   lambda: "run-time" in self.told("p1", since))
        self.expect("p1", set(), lambda: self.merge(f"{PARTS}/p1", {"spec": {"replicas": 2}}))
        # One that is nobody's.
        self.expect("parent", set(), lambda: self.make(PARTS, "Part", "p2", {"spec": {"image": "a"}}))

    def test_an_event_handler_sees_the_old_object_and_the_new_one(self):
        self.make(MAPS, "ConfigMap", "conf", {"data": {"a": "1"}})
        self.expect("conf", set(), lambda: self.merge(f"{MAPS}/conf", {"metadata": {"labels": {"a": "b"}}}))
        told = self.expect("conf", {"settings"}, lambda: self.merge(f"{MAPS}/conf", {"data": {"a": "2"}}))
        self.assertIn("ConfigMap", told["settings"])

    def signals(self, name, since):
        return [why for c, about, why in self.lines[since:] if c == "signalled" and about == name]

    def test_channels_functions_and_timers(self):
        since = len(self.lines)
        self.make(SITES, "Site", "sent", {"spec": {"replicas": 1}}, annotations={"send": "yes"})
        wait.until(lambda: f"what was sent does not come: {self.log.read_text()[-2000:]}",
                   lambda: self.signals("sent", since))
        self.assertEqual(self.signals("sent", since)[0], "webhook signalled")
        # The function has failed until now, for there is no such ConfigMap, and is called again.
        self.make(MAPS, "ConfigMap", "bus", {"data": {"site": "one"}})
        wait.until(lambda: "what the function tells does not come", lambda: self.signals("one", since))
        self.merge(f"{MAPS}/bus", {"data": {"site": "two"}})
        wait.until(lambda: "what the function tells does not come", lambda: self.signals("two", since))
        self.assertEqual(self.signals("two", since), ["bus signalled"])
        # It fails again, and comes back.
        self.write("DELETE", f"{MAPS}/bus")
        self.make(MAPS, "ConfigMap", "bus", {"data": {"site": "three"}})
        wait.until(lambda: "it does not come back", lambda: self.signals("three", since))
        ticks = lambda: [why for c, about, why in self.lines if c == "tick" and about == "clock"]
        before = len(ticks())
        wait.until(lambda: "the timer does not tick", lambda: len(ticks()) >= before + 3)
        self.assertEqual(set(ticks()), {"tick signalled"})

    def test_z_the_program_ends_in_good_order(self):
        self.process.terminate()
        self.assertEqual(self.process.wait(60), 0, self.log.read_text()[-2000:])


if __name__ == "__main__":
    unittest.main()
