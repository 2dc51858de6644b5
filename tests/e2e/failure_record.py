"""What the monitor says of each failure that failures.py makes: kept as a table and as pictures of the page."""
import json
import os
import pathlib
import re
import sys
import threading
import time
import urllib.parse

import cluster as clusters
import fixture
import monitor as monitors
import receivers
import wait

sys.path.append(str(clusters.ROOT / "tests" / "browser"))
import chromium  # noqa: E402

OUT = pathlib.Path(os.environ.get("KCONTROL_FAILURES_OUT", clusters.ROOT / "build" / "failures"))
# Every change is told at once, and what a job waits for once it has waited so long.
NOTICES = """receivers: [{name: all, webhook: {urlFile: hook}, rate: {perSecond: 1000, burst: 1000}, repeatAfter: 0s}]
rules:
- {for: 8s, to: [Unknown, Created, Pending, Queued, Restarting, Suspended], receivers: [all]}
- {receivers: [all]}
"""


def tame(text):
    """Without what differs from run to run: the random ends of pods' names, times."""
    text = re.sub(r"(?<=[a-z0-9])-[bcdfghjklmnpqrstvwxz2456789]{5}\b", "-xxxxx", text)
    text = re.sub(r"\d{4}-\d\d-\d\dT[\d:]+Z", "…", text)
    return re.sub(r" for (\d+[hms])+", " for …", text)


class Record:
    def __init__(self, real, folder):
        """The monitor beside a cluster, with the rights of its manifests and no others."""
        self.rows, self.real = [], real
        for file in ("namespace.yaml", "reader.yaml"):
            real.kubectl("apply", "-f", fixture.DEPLOY / file)
        why = fixture.binding("monitor")
        why["metadata"]["name"] = "why"
        why["roleRef"]["name"] = "training-monitor-why"
        real.apply(fixture.binding("monitor"), why)
        files = folder / "files"
        files.mkdir()
        (files / "c").write_text(real.kubeconfig(real.url, real.service_account_token("monitor")))
        self.told = receivers.Receiver()
        (folder / "hook").write_text(self.told.url)
        (folder / "notify.yaml").write_text(NOTICES)
        self.monitor = monitors.Monitor(files, folder / "log", "--notify-config", folder / "notify.yaml")
        self.browser = chromium.Browser() if chromium.program() else None
        self.begun, self.explained, self.listed = 0.0, {}, {}  # the last two: seconds, by name
        self.stopping = threading.Event()
        OUT.mkdir(parents=True, exist_ok=True)
        wait.until(lambda: f"not live: {self.monitor.cluster('c')}",
                   lambda: (c := self.monitor.cluster("c")) and c["state"] == "live" and c["pods"] == "live", 60)
        self.watching = threading.Thread(target=self.watch_the_list)
        self.watching.start()

    def watch_the_list(self):
        """When "Needs attention" has a job for the first time."""
        while not self.stopping.wait(0.25):
            for needy in self.monitor.items("/api/v1/attention"):
                self.listed.setdefault(needy.get("name"), time.monotonic())

    def job(self, kind, name, namespace="default"):
        return self.monitor.job("c", namespace, kind, name)

    def notices(self, name):
        return [r.json for r in self.told.all if r.json["name"] == name]

    def until_shown(self, kind, name, words, state, namespace="default", deadline=60):
        """The job as /api/v1/jobs shows it, once it is in that state and says all the words."""
        def shown():
            found = self.job(kind, name, namespace)
            return found and found["state"] == state and all(w in self.reason(found) for w in words) and found

        return wait.until(lambda: f"{name} is not {state} with {words}: {self.job(kind, name, namespace)}", shown, deadline)

    def until_told(self, name, words, state, deadline=60):
        """The notice of that state, or of what came after it, that says all the words."""
        def told():
            return next((n for n in self.notices(name) if n["state"] == state and all(w in n["text"] for w in words)), None)

        return wait.until(lambda: f"no notice of {name}, {state}, says {words}: {self.notices(name)}", told, deadline)

    @staticmethod
    def reason(job):
        """What the page shows: what pods and events say, else what the object says."""
        return job["why"] or f"{job['reason']}: {job['message']}".strip(": ")

    def keep(self, failure, made, kind, name, words, state, namespace="default", before="", deadline=60):
        """Waits for the page's reason and the notice, takes the picture, and makes a row of the table of it. `before`:
        what the page said on the way there."""
        shown = self.until_shown(kind, name, words, state, namespace, deadline)
        self.explained[name] = time.monotonic()
        self.picture(kind, name, namespace, words)
        notice = self.until_told(name, words, state)
        self.add(name, failure, made, f"{before}{state}: {self.reason(shown)}", notice["text"])
        return shown

    def add(self, name, failure, made, shown, notice):
        self.explained.setdefault(name, time.monotonic())
        self.rows.append((name, self.begun, failure, made, tame(shown), tame(notice)))

    def until_listed(self, name, seconds):
        """Whether "Needs attention" has it by so many seconds after its reason was shown."""
        late = lambda: (f"{name} is not listed {seconds} s after its reason was shown; listed are "
                        f"{[(j.get('name'), j['concern']) for j in self.monitor.items('/api/v1/attention')]}")
        wait.until(late, lambda: name in self.listed,
                   max(0, self.explained[name] + seconds - time.monotonic()))
        took = self.listed[name] - self.explained[name]
        if took > seconds:
            raise AssertionError(f"{name} was listed {took:.1f} s after its reason was shown; at most {seconds} s are owed")

    def picture(self, kind, name, namespace, words):
        """Of the job's own view, which says the same words as the interface."""
        if not self.browser:
            return
        where = urllib.parse.urlencode({"job": f"c/{namespace}/{kind}/{name}"})
        page = self.browser.page(f"http://127.0.0.1:{self.monitor.port}/?{where}", motion=False, width=1000, height=600)
        try:
            page.until("document.readyState === 'complete' && document.querySelector('#job .timeline')")
            shown = f"{json.dumps(words)}.every(w => document.querySelector('#job').innerText.includes(w))"
            page.until(shown, f"the page says {words}")
            page.picture(OUT / f"{name}.png")
            if page.errors:
                raise AssertionError(f"the page of {name}: {page.errors}")
        finally:
            page.close()

    def write(self):
        cell = lambda text: text.replace("|", "\\|").replace("\n", " ")
        lines = ["| failure | how it was made | the page | the notice | explained after | listed after |",
                 "|---|---|---|---|---|---|"]
        for name, begun, *texts in self.rows:
            times = [f"{self.explained[name] - begun:.1f} s",
                     f"{self.listed[name] - begun:.1f} s" if name in self.listed else "not listed"]
            lines.append("| " + " | ".join(cell(part) for part in (*texts, *times)) + " |")
        (OUT / "table.md").write_text("\n".join(lines) + "\n")
        print(f"\nnote: {len(self.rows)} failures, with pictures, in {OUT}")

    def stop(self):
        self.stopping.set()
        self.watching.join()
        self.write()
        if self.browser:
            self.browser.close()
        self.monitor.process.kill()
        self.monitor.process.wait()
        self.told.close()
