"""What test_fencing.py is made of: processes that contend for a Lease, the store that they write into, and what the API
server stored meanwhile."""
import bisect
import json
import queue
import signal
import socketserver
import subprocess
import threading
import time
import urllib.request

import proxy
import wait


class Store:
    """Refuses tokens that are smaller than one that it has seen. `writes` has (token, by, accepted) in its order."""

    def __init__(self):
        self.largest, self.writes, self.lock = 0, [], threading.Lock()
        store = self

        class Handler(socketserver.StreamRequestHandler):
            def handle(self):
                try:
                    for line in self.rfile:
                        token, by = line.decode().split()
                        self.wfile.write(b"ok\n" if store.write(int(token), by) else b"refused\n")
                except OSError:
                    pass  # its writer was killed

        class Listener(socketserver.ThreadingTCPServer):
            daemon_threads = True
            block_on_close = False

        self.listener = Listener(("127.0.0.1", 0), Handler)
        self.port = self.listener.server_address[1]
        threading.Thread(target=self.listener.serve_forever, daemon=True).start()

    def write(self, token, by):
        with self.lock:
            accepted = token >= self.largest
            self.largest = max(self.largest, token)
            self.writes.append((token, by, accepted))
            return accepted

    def last_writer(self):
        with self.lock:
            return next((by for _, by, accepted in reversed(self.writes) if accepted), "")

    def close(self):
        self.listener.shutdown()
        self.listener.server_close()


class Record:
    """What the server stored of one namespace: who held the Lease from which version on, when it was free, and for how
    long the label was on two pods. Times are those of this process."""

    def __init__(self, real, namespace):
        self.holders, self.freed, self.tokens = [], [], []  # [(version, identity)], [time], [their versions]
        self.labelled, self.two_since, self.longest_two, self.moves = set(), None, 0.0, 0
        self.lock = threading.Lock()
        self.streams = []
        self.follow(real, f"/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases", self.see_lease)
        self.follow(real, f"/api/v1/namespaces/{namespace}/pods", self.see_pod)

    def follow(self, real, path, take):
        _, listed = real.ask("GET", path)
        version = listed["metadata"]["resourceVersion"]
        for each in listed["items"]:
            take("ADDED", each)
        stream = urllib.request.urlopen(f"{real.url}{path}?watch=true&resourceVersion={version}", context=real.context,
                                        timeout=3600)

        def read():
            for line in stream:
                event = json.loads(line)
                take(event["type"], event["object"])

        threading.Thread(target=read, daemon=True).start()

    def see_lease(self, _, lease):
        version, holder = int(lease["metadata"]["resourceVersion"]), lease["spec"].get("holderIdentity", "")
        with self.lock:
            if not self.holders or self.holders[-1][1] != holder:
                self.holders.append((version, holder))
                self.tokens.append(version)
                if not holder:
                    self.freed.append(time.monotonic())

    def see_pod(self, kind, pod):
        now, name = time.monotonic(), pod["metadata"]["name"]
        carries = kind != "DELETED" and pod["metadata"].get("labels", {}).get("role") == "leader"
        with self.lock:
            before = set(self.labelled)
            (self.labelled.add if carries else self.labelled.discard)(name)
            self.moves += self.labelled != before
            if self.two_since is not None:
                self.longest_two = max(self.longest_two, now - self.two_since)
            if len(self.labelled) < 2:
                self.two_since = None
            elif self.two_since is None:
                self.two_since = now

    def holder_at(self, token):
        """Whose term the version is of, and which one in their order."""
        with self.lock:
            index = bisect.bisect_right(self.tokens, token) - 1
            return (index, self.holders[index][1]) if index >= 0 else (-1, "")


class Candidate:
    """A process in the place of a pod, with a way of its own to the server. `events` gets (time, identity, word, token, ms)."""

    def __init__(self, program, real, namespace, pod, store, times, events, through_proxy=True):
        self.program, self.namespace, self.pod, self.store, self.times, self.events = \
            program, namespace, pod, store, times, events
        self.relay = proxy.Proxy(real.url) if through_proxy else None
        self.config = real.work / f"{namespace}-{pod}.kubeconfig"
        text = real.kubeconfig.read_text()
        self.config.write_text(text.replace(real.url, self.relay.url) if self.relay else text)
        self.log = open(real.work / f"{namespace}-{pod}.log", "a")
        self.number, self.process, self.leader = 0, None, ""

    @property
    def identity(self):
        return f"{self.pod}.{self.number}"

    def start(self):
        self.number += 1
        self.leader = ""
        command = [self.program, self.config, self.namespace, self.pod, self.identity, self.store.port, *self.times]
        self.process = subprocess.Popen([*map(str, command)], stdout=subprocess.PIPE, stderr=self.log, text=True)
        threading.Thread(target=self.read, args=(self.process, self.identity), daemon=True).start()
        return self

    def read(self, process, identity):
        for line in process.stdout:
            word, *rest = line.split()
            if word == "leader":
                self.leader = rest[0] if rest else ""
                continue
            token, *ms = rest
            self.events.put((time.monotonic(), identity, word, int(token), float(ms[0]) if ms else None))

    def end(self, number=signal.SIGKILL):
        """The exit code."""
        self.process.send_signal(number)
        return self.process.wait(timeout=60)

    def close(self):
        if self.process and self.process.poll() is None:
            self.end()
        if self.process:
            self.process.stdout.close()
        if self.relay:
            self.relay.cut()
        self.log.close()


class Contest:
    """Three candidates, a Lease, a label and a store: in a namespace of their own, beside other contests."""

    def __init__(self, program, real, namespace, times, random, through_proxy=True, pods="abc"):
        self.random, self.record, self.store = random, None, Store()
        self.events, self.terms, self.late = queue.Queue(), [], []  # terms: [(identity, token)] as they were told
        real.ask("POST", "/api/v1/namespaces", json.dumps({"metadata": {"name": namespace}}))
        for pod in pods:
            body = {"metadata": {"name": pod}, "spec": {"containers": [{"name": "main", "image": "a"}]}}
            code, answer = real.ask("POST", f"/api/v1/namespaces/{namespace}/pods", json.dumps(body))
            if code != 201:
                raise RuntimeError(f"the pod is refused: {answer}")
        self.record = Record(real, namespace)
        self.candidates = [Candidate(program, real, namespace, pod, self.store, times, self.events, through_proxy)
                           for pod in pods]

    def of(self, identity):
        return next((c for c in self.candidates if c.identity == identity), None)

    def next_leader(self, other_than="", limit=90):
        """(when, candidate, ms) of the next one that begins to lead."""
        end = time.monotonic() + limit
        while True:
            when, identity, word, token, ms = self.events.get(timeout=max(0.01, end - time.monotonic()))
            if word != "leading":
                continue
            self.terms.append((identity, token))
            if identity != other_than and self.of(identity):
                return when, self.of(identity), ms

    def until_writing(self, candidate):
        wait.until(lambda: f"{candidate.identity} does not write: {self.store.last_writer()}",
                   lambda: self.store.last_writer() == candidate.identity, every=0.02)

    def until_following(self, candidate, leader):
        wait.until(lambda: f"{candidate.identity} follows {candidate.leader}",
                   lambda: candidate.leader == leader.identity, every=0.02)
        time.sleep(self.random.uniform(0.5, 1))  # measures: from anywhere between two renewals, and its watch is open

    def hand_over(self, leader, how):
        """Another one leads; the former one is whole again afterwards, and still writes. The new one."""
        former = leader.identity
        if how == "kill":
            leader.end()
            leader.process.stdout.close()
            leader.start()
        elif how == "stop":
            leader.process.send_signal(signal.SIGSTOP)
        else:
            leader.relay.cut()
        _, follower, _ = self.next_leader(former)
        if how == "stop":
            time.sleep(self.random.uniform(0, 0.5))  # measures: it wakes up at any moment of the next one's term
            leader.process.send_signal(signal.SIGCONT)
        elif how == "cut":
            leader.relay.join()
        return follower

    def run(self, count, first=0):
        """So many hand-overs, beginning with that kind. How many of which kind."""
        for each in self.candidates:
            each.start()
        _, leader, _ = self.next_leader()
        done = {}
        for i in range(count):
            self.until_writing(leader)
            time.sleep(self.random.uniform(0, 0.3))  # measures: from anywhere between two renewals
            how = ("stop", "kill", "cut")[(first + i) % 3]
            leader = self.hand_over(leader, how)
            done[how] = done.get(how, 0) + 1
        self.until_writing(leader)
        wait.until(lambda: f"the label is on {self.record.labelled}", lambda: self.record.labelled == {leader.pod})
        return done

    def wrong(self):
        """What must not be, as texts."""
        out, newest, writers = [], -1, {}
        for identity, token in self.terms:
            term, holder = self.record.holder_at(token)
            if holder != identity:
                out.append(f"{identity} leads with {token}, which is of {holder or 'nobody'}")
            if term <= newest:
                out.append(f"the token {token} of {identity} does not grow")
            newest = max(newest, term)
        latest = -1
        for token, by, accepted in list(self.store.writes):
            term, holder = self.record.holder_at(token)
            if by != writers.setdefault(token, by) or by != holder:
                out.append(f"{by} writes with {token}, which is of {holder or 'nobody'}")
            if accepted and term < latest:
                out.append(f"a write of {by}, a former leader, was accepted after one of term {latest}")
            if accepted:
                latest = max(latest, term)
        return out

    def close(self):
        for each in self.candidates:
            each.close()
        self.store.close()
