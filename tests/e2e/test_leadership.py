"""Candidates for one Lease at a real API server, ours (tests/leader_probe) and client-go's (leader_peer): who leads
writes into a ConfigMap, and a watch looks at every write in the order in which the server stored them.

Leaders are stopped (SIGTERM, SIGSTOP, SIGKILL) and cut off. No write of one of ours comes after the first of the next
leader. client-go has no fence: how often a stopped program of its own wrote late is printed, and not held against it.

KCONTROL_PROBES is the folder of leader_probe. KCONTROL_HANDOVERS: how many (24 otherwise). KCONTROL_HANDOVER_SEED.
Without Go or client-go's modules in Go's cache its part is skipped. Run alone: run.py test_leadership
"""
import json
import os
import pathlib
import queue
import random
import shutil
import signal
import subprocess
import threading
import time
import unittest
import urllib.request

import probes
import proxy
import server
import wait

PEER = pathlib.Path(__file__).resolve().parent / "leader_peer"
MAPS = "/api/v1/namespaces/default/configmaps"
LEASE = "/apis/coordination.k8s.io/v1/namespaces/default/leases/l"


def build_peer(folder):
    """client-go's candidate, from what is in Go's cache; None and why not."""
    go = shutil.which("go")
    if go is None:
        return None, "there is no Go"
    out = folder / "leader_peer"
    environment = {**os.environ, "GOPROXY": "off", "GOFLAGS": "-mod=readonly"}
    run = subprocess.run([go, "build", "-o", out, "."], cwd=PEER, env=environment, capture_output=True, text=True,
                         timeout=3600)
    return (out, "") if run.returncode == 0 else (None, f"Go builds no leader_peer here: {run.stderr[-300:]}")


class Candidate:
    """A process with a way of its own to the server; `events` gets (time, line) of what it prints."""

    def __init__(self, test, name, ours, times):
        self.test, self.name, self.ours, self.times = test, name, ours, times
        self.relay = proxy.Proxy(test.real.url)
        self.number = 0
        self.start()

    def start(self):
        self.number += 1
        identity = f"{self.name}{self.number}"
        folder = self.test.real.work
        if self.ours:
            config = folder / f"{self.name}.kubeconfig"
            config.write_text(self.test.real.kubeconfig.read_text().replace(self.test.real.url, self.relay.url))
            command = [self.test.program, config, identity]
        else:
            command = [self.test.peer, self.relay.url, folder, identity]
        self.process = subprocess.Popen([*map(str, command), *map(str, self.times)], stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True)
        threading.Thread(target=self.read, args=(self.process,), daemon=True).start()

    def read(self, process):
        for line in process.stdout:
            if process is not self.process:
                return
            if line.strip() == "leading":
                self.test.events.put((time.monotonic(), self))

    def send(self, number):
        self.process.send_signal(number)

    def end(self):
        self.relay.cut()
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


class Record:
    """What the server stored, in its order: writes of the ConfigMap, each of "IDENTITY/TERM", and holders of the Lease."""

    def __init__(self, real, version):
        self.writes, self.holders = [], []  # (version, by), (version, identity)
        self.follow(real, f"{MAPS}?fieldSelector=metadata.name%3Dwritten", version,
                    lambda o: self.writes.append((version_of(o), o["data"]["by"])))
        self.follow(real, f"{LEASE.rsplit('/', 1)[0]}?fieldSelector=metadata.name%3Dl", version,
                    lambda o: self.holders.append((version_of(o), o["spec"].get("holderIdentity", ""))))

    @staticmethod
    def follow(real, path, version, take):
        stream = urllib.request.urlopen(f"{real.url}{path}&watch=true&resourceVersion={version}", context=real.context,
                                        timeout=3600)

        def read():
            for line in stream:
                event = json.loads(line)
                if event["type"] != "DELETED":
                    take(event["object"])

        threading.Thread(target=read, daemon=True).start()

    @property
    def last(self):
        return self.writes[-1][1] if self.writes else ""

    def terms(self):
        """Of each term when it was acquired, and its first write. A term may write for the first time when the next
        one has begun, so the Lease says in which order they came."""
        first = {}
        for version, by in self.writes:
            first.setdefault(by, version)
        taken, before = [], ""
        for version, holder in list(self.holders):
            if holder != before:
                taken.append((version, holder))
            before = holder
        acquired = {by: max((v for v, who in taken if who == by.split("/")[0] and v < begun), default=0)
                    for by, begun in first.items()}
        return acquired, first

    def late(self):
        """(term, version, next term, its first write) of what was written after the first write of a later term."""
        acquired, first = self.terms()
        out = []
        for version, by in list(self.writes):
            after = next((o for o in first if acquired[o] > acquired[by] and first[o] < version), None)
            if after:
                out.append((by, version, after, first[after]))
        return out


def version_of(stored):
    return int(stored["metadata"]["resourceVersion"])


class LeadershipTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.program = probes.program("leader_probe")
        cls.real = server.Server("leadership")
        cls.addClassCleanup(cls.real.stop)
        cls.peer = None

    def need_peer(self):
        """Go takes minutes where its cache is empty, and not every test needs it."""
        if self.peer is None:
            type(self).peer, why = build_peer(self.real.work)
            if self.peer is None:
                self.skipTest(why)

    def setUp(self):
        self.events = queue.Queue()
        self.candidates = []
        for path in (LEASE, f"{MAPS}/written"):
            self.real.ask("DELETE", path)
        code, made = self.real.ask("POST", MAPS, json.dumps({"metadata": {"name": "written"}, "data": {"by": "", "n": ""}}))
        self.assertEqual(code, 201)
        self.record = Record(self.real, made["metadata"]["resourceVersion"])

    def tearDown(self):
        for one in self.candidates:
            one.end()

    def add(self, name, ours, times):
        self.candidates.append(Candidate(self, name, ours, times))
        return self.candidates[-1]

    def next_leader(self, other_than, limit=60):
        """(when, who) of the next one that begins to lead."""
        end = time.monotonic() + limit
        while True:
            when, who = self.events.get(timeout=max(0.01, end - time.monotonic()))
            if who is not other_than:
                return when, who

    def until_writing(self, who):
        wait.until(lambda: f"{who.name} does not write: {self.record.last}",
                   lambda: self.record.last.startswith(f"{who.name}{who.number}/"), every=0.02)

    def check_writes(self):
        late = self.record.late()
        ours = [one for one in late if one[0][0] != "g"]
        self.assertEqual(ours, [], "a former leader wrote after the next one had begun")
        return len(late) - len(ours)

    def release(self, leader):
        """How long after SIGTERM another one leads, and who."""
        asked = time.monotonic()
        leader.send(signal.SIGTERM)
        when, follower = self.next_leader(leader)
        leader.process.wait(timeout=60)
        leader.start()
        return when - asked, follower

    def releases(self, count, *candidates):
        """That many hand-overs by release: [(seconds, who)]."""
        _, leader = self.next_leader(None)
        out = []
        for _ in range(count):
            self.until_writing(leader)
            time.sleep(random.uniform(0, 1))  # measures: from anywhere between two renewals
            taken, leader = self.release(leader)
            out.append((taken, leader))
        self.assertLessEqual({who for _, who in out}, set(candidates))
        return out

    def test_one_of_ours_follows_a_release_at_once(self):
        candidates = [self.add(name, True, (15000, 10000, 2000)) for name in "ab"]
        took = [seconds for seconds, _ in self.releases(int(os.environ.get("KCONTROL_RELEASES", "6")), *candidates)]
        print(f"ours after ours: {sorted(round(s, 3) for s in took)}")
        self.assertLess(max(took), 1)  # measures: docs/leadership.md promises a second
        self.assertEqual(self.check_writes(), 0)

    def test_either_follows_a_release_of_the_other(self):
        self.need_peer()
        ours, theirs = self.add("a", True, (15000, 10000, 2000)), self.add("g", False, (15000, 10000, 2000))
        took = self.releases(int(os.environ.get("KCONTROL_RELEASES", "6")), ours, theirs)
        for who, name, limit in ((ours, "ours after client-go", 1), (theirs, "client-go after ours", 5)):
            times = sorted(round(seconds, 3) for seconds, follower in took if follower is who)
            print(f"{name}: {times}")
            self.assertTrue(times)
            self.assertLess(max(times), limit)
        self.assertEqual(self.check_writes(), 0)

    def hand_over(self, leader, how):
        """One leader comes after another; the former one is whole again afterwards. The new one."""
        if how == "release":
            return self.release(leader)[1]
        if how == "kill":
            leader.send(signal.SIGKILL)
            leader.process.wait()
        elif how == "stop":
            leader.send(signal.SIGSTOP)
        else:
            leader.relay.cut()
        _, follower = self.next_leader(leader)
        if how == "kill":
            leader.start()
        elif how == "stop":
            time.sleep(random.uniform(0, 0.5))  # measures: it wakes up at any moment of the next one's term
            leader.send(signal.SIGCONT)
        else:
            leader.relay.join()
        return follower

    def contend(self, names, count):
        for name in names:
            self.add(name, name != "g", (3000, 1500, 400))
        _, leader = self.next_leader(None)
        done = {}
        for i in range(count):
            self.until_writing(leader)
            time.sleep(random.uniform(0, 0.3))  # measures: from anywhere between two renewals
            how = ("stop", "kill", "cut", "release")[i % 4]
            former = "ours" if leader.ours else "client-go"
            leader = self.hand_over(leader, how)
            done[how, former] = done.get((how, former), 0) + 1
        self.until_writing(leader)
        late = self.check_writes()
        acquired, _ = self.record.terms()
        print(f"{count} hand-overs among {', '.join(names)}: {done}; {len(acquired)} terms, {len(self.record.writes)} "
              f"writes; late writes: ours 0, client-go {late}")
        self.assertGreaterEqual(len(acquired), count)

    def test_no_write_comes_late(self):
        random.seed(os.environ.get("KCONTROL_HANDOVER_SEED", "1"))
        self.contend("abc", int(os.environ.get("KCONTROL_HANDOVERS", "24")))

    def test_no_write_comes_late_beside_client_go(self):
        self.need_peer()
        random.seed(os.environ.get("KCONTROL_HANDOVER_SEED", "2"))
        self.contend("abg", int(os.environ.get("KCONTROL_HANDOVERS", "24")))


if __name__ == "__main__":
    unittest.main()
