"""The training_monitor program under test, and a reader of its event stream."""
import http.client
import json
import os
import pathlib
import subprocess
import threading

import ports
import wait
import words

ROOT = pathlib.Path(__file__).resolve().parents[2]


def binary():
    chosen = os.environ.get("KCONTROL_MONITOR")
    if chosen:
        return pathlib.Path(chosen)
    for preset in ("release", "dev"):
        candidate = ROOT / "build" / preset / "examples" / "apps" / "training_monitor" / "training_monitor"
        if candidate.is_file():
            return candidate
    return None


def get_text(port, path):
    """Status and body of an answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


class Monitor:
    def __init__(self, clusters, log, *options):
        """Watches that directory of kubeconfigs; None: what the options say."""
        self.port = ports.free_port()
        source = ["--clusters", clusters] if clusters else []
        self.log = pathlib.Path(log)
        self.process = subprocess.Popen(
            [binary(), *source, "--listen", f"127.0.0.1:{self.port}", "--output", "none", *options],
            stdin=subprocess.DEVNULL, stdout=self.log.open("w"), stderr=subprocess.STDOUT)
        wait.until(lambda: f"the monitor does not answer: {self.log.read_text()[-2000:]}", self.answers)
        self.events = Events(self.port)

    def answers(self):
        if self.process.poll() is not None:
            raise AssertionError(f"the monitor ended with {self.process.returncode}: {self.log.read_text()[-2000:]}")
        try:
            return self.get_raw("/healthz")[0] == 200
        except OSError:
            return False

    def get_raw(self, path):
        return get_text(self.port, path)

    def items(self, path):
        status, text = self.get_raw(path)
        if status != 200:
            raise AssertionError(f"{path}: {status} {text[:500]}")
        return json.loads(text)["items"]

    def jobs(self, cluster):
        return self.items(f"/api/v1/jobs?cluster={cluster}")

    def job(self, cluster, namespace, kind, name):
        found = [j for j in self.jobs(cluster) if (j["namespace"], j["kind"], j["name"]) == (namespace, kind, name)]
        return found[0] if found else None

    def cluster(self, name):
        found = [c for c in self.items("/api/v1/clusters") if c["name"] == name]
        return found[0] if found else None

    def kind(self, cluster, kind, version):
        found = self.cluster(cluster)
        kinds = found["kinds"] if found else []
        return next((k for k in kinds if k["kind"] == kind and k["apiVersion"] == version), None)

    def counters(self, cluster, kinds):
        """{(kind, apiVersion): (lists, watches)} of a cluster's `kinds`: those installed, for the others are probed."""
        found = self.cluster(cluster)
        shown = found["kinds"] if found else []
        every = {(k["kind"], k["apiVersion"]): (k["lists"], k["watches"]) for k in shown}
        return {kind: every.get(kind) for kind in kinds}

    def stop(self):
        """The exit code after SIGTERM."""
        self.process.terminate()
        code = self.process.wait(timeout=60)
        self.events.thread.join(timeout=60)
        words.check(self.log.read_text(errors="replace"))
        return code


class Events:
    """Reads /api/v1/events in a thread and keeps every event, in order: (id, name, data)."""

    def __init__(self, port):
        self.all = []
        self.failure = None
        self.connection = http.client.HTTPConnection("127.0.0.1", port)
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()
        wait.until("no ready event", lambda: any(name == "ready" for _, name, _ in self.all) or self.failure)

    def read(self):
        try:
            self.connection.request("GET", "/api/v1/events")
            answer = self.connection.getresponse()
            kind = answer.headers.get_content_type()
            if answer.status != 200 or kind != "text/event-stream":
                raise AssertionError(f"/api/v1/events: {answer.status} {kind}")
            fields = {}
            for line in answer:
                line = line.decode().rstrip("\r\n")
                if line == "" and "data" in fields:
                    self.all.append((int(fields["id"]), fields["event"], json.loads(fields["data"])))
                if line == "":
                    fields = {}
                elif not line.startswith(":"):
                    name, _, value = line.partition(":")
                    fields[name] = value.removeprefix(" ")
        except (OSError, http.client.HTTPException):
            pass  # the monitor was stopped
        except Exception as failure:  # shown by check()
            self.failure = failure

    def check(self):
        """Replays the stream by its own rules. Returns {uid: [state, …]} and the jobs and clusters it leaves.

        Raises if an id does not increase, an event repeats what was said, a previousState is not the state before,
        or something is removed that was not there.
        """
        if self.failure:
            raise AssertionError(f"the event stream broke: {self.failure}")
        jobs, clusters, states, last_id, ready = {}, {}, {}, 0, 0
        for id_, name, data in list(self.all):
            where = f"event {id_} {name} {json.dumps(data)[:300]}"
            if id_ <= last_id:
                raise AssertionError(f"{where}: its id is not above {last_id}")
            last_id = id_
            if name == "job":
                self.apply_job(jobs, states, data, where, ready > 0)
            elif name == "job-removed":
                if jobs.pop(key(data), None) is None:
                    raise AssertionError(f"{where}: removed, but it was not there")
            elif name == "cluster":
                clusters[data["name"]] = data
            elif name == "cluster-removed":
                if clusters.pop(data["name"], None) is None:
                    raise AssertionError(f"{where}: removed, but it was not there")
                jobs = {k: v for k, v in jobs.items() if k[0] != data["name"]}
            elif name == "ready":
                ready += 1
            else:
                raise AssertionError(f"{where}: not an event of this stream")
        if ready != 1:
            raise AssertionError(f"{ready} ready events on one connection")
        return states, jobs, clusters

    @staticmethod
    def apply_job(jobs, states, data, where, live):
        before = jobs.get(key(data))
        previous = data.get("previousState")
        if before and without_clock(before) == without_clock(data):
            raise AssertionError(f"{where}: says again what was said before")
        if before and before["uid"] == data["uid"] and before["state"] != data["state"]:
            if previous != before["state"]:
                raise AssertionError(f"{where}: previousState is {previous}, it was {before['state']}")
        elif previous is not None and live and before is not None and before["uid"] == data["uid"]:
            raise AssertionError(f"{where}: previousState without a change of state")
        jobs[key(data)] = data
        seen = states.setdefault((data["cluster"], data["uid"]), [])
        if not seen or seen[-1] != data["state"]:
            seen.append(data["state"])


def key(job):
    return job["cluster"], job["namespace"], job["kind"], job["apiVersion"], job["name"]


def without_clock(job):
    """What both lists and events have, and what does not change by itself."""
    return {name: value for name, value in job.items() if name not in ("durationSeconds", "gpuUsage", "previousState")}
