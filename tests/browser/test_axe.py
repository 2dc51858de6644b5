"""axe-core finds nothing against WCAG 2.1 AA in any view, light and dark, wide and narrow.

Where axe-core is: scripts/axe.sh. Without it the tests count as skipped."""
import datetime
import json
import pathlib
import subprocess
import unittest

import fixture
import test_node
import test_usage

ROOT = pathlib.Path(__file__).resolve().parents[2]
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]


def axe():
    found = subprocess.run([ROOT / "scripts" / "axe.sh"], capture_output=True, text=True, check=True).stdout.strip()
    return pathlib.Path(found).read_text() if found else None


def stamp(**ago):
    return (datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(**ago)).strftime("%Y-%m-%dT%H:%M:%SZ")


class Axe(fixture.PageTest):
    source = None

    @classmethod
    def setUpClass(cls):
        cls.source = axe()
        if cls.source is None:
            raise unittest.SkipTest("axe-core is not there, and npm can't fetch it")
        super().setUpClass()

    def setUp(self):
        super().setUp()
        self.server.cluster("alpha")
        self.server.cluster("beta", "unreachable", reason="connect: connection refused")
        for state in ("Running", "Restarting", "Pending", "Queued", "Created", "Suspended", "Unknown", "Succeeded"):
            self.server.job(state.lower(), state, startTime=stamp(hours=2), labels={"team": "nlp"})
        self.server.job("failed", "Pending", startTime=stamp(hours=2))
        self.server.job("failed", "Failed", startTime=stamp(hours=2), message="exit code 137",
                        conditions=[{"type": "Failed", "status": "True", "reason": "BackoffLimitExceeded", "message": "m",
                                     "lastTransitionTime": stamp(minutes=5)}])
        self.server.step("answer", path="/api/v1/gpu-hours", status=200, body=json.dumps(
            {"since": stamp(hours=2), "until": stamp(), "gpuHours": 12.5,
             "items": [{"team": "nlp", "gpuHours": 12}, {"team": None, "gpuHours": 0.5}]}))
        self.server.step("answer", path="/api/v1/fleet", status=200, body=json.dumps({"items": [{
            "cluster": "alpha", "state": "known", "reason": "", "at": None, "missingRights": ["get pods/proxy"],
            "nodes": [{"node": name, "state": "ok", "reason": "", "gpus": [
                {"index": 0, "product": "H100", "health": health, "reason": "lost", "utilization": 3,
                 "memoryUsedBytes": 1, "memoryTotalBytes": 2, "temperatureC": 40, "powerW": 70, "xid": 79,
                 "xidTime": None}]} for name, health in (("n1", "failed"), ("n2", "ok"))]}]}))
        self.server.job("bert", "Running", startTime=stamp(hours=2))
        self.server.step("answer", path=test_usage.JOB, status=200, body=test_usage.job_answer(test_usage.usage(
            state="partial", mean=0, idle=stamp(hours=1), reason="node n2: no GPU labeler runs there",
            xids=[{"node": "n1", "gpu": 1, "xid": 79, "time": stamp(hours=1)}])))
        self.server.step("answer", path=test_node.PATH, status=200, body=test_node.node())
        for minute in range(3):
            self.server.step("totals", time=stamp(minutes=3 - minute), states={"Running": 3, "Pending": minute},
                             gpus={"requested": 64, "running": 32})

    def check(self, page, view):
        page.js("(() => {" + self.source + "\n})(), true")
        found = json.loads(page.js(
            "axe.run(document, {runOnly: %s, resultTypes: ['violations']})"
            ".then(r => JSON.stringify(r.violations.map(v => [v.id, v.help, v.nodes.slice(0, 4).map(n => n.target.join(' ') + ' ' + "
            "(n.any[0]?.message ?? ''))])))" % json.dumps(RULES)))
        self.assertEqual(found, [], view)

    def test_every_view(self):
        address = "?job=alpha%2Fml%2FPyTorchJob%2Ffailed"
        for look in ({"dark": False}, {"dark": True}, {"width": 390, "height": 844, "mobile": True}):
            with self.subTest(look):
                page = self.open(motion=False, **look)
                page.until("order.length > 3 && $('needs').children.length > 0")
                self.check(page, "overview")
                page.js("document.querySelectorAll('details').forEach(d => { d.open = true; })")
                page.until("document.querySelector('details.cluster tbody') && document.querySelector('.chart')")
                self.check(page, "opened clusters")
                page.js("$('help').showModal()")
                self.check(page, "keys")
                page.js("$('help').close(); go({q: 'no such thing'})")
                page.until("!$('empty').hidden")
                self.check(page, "nothing fits")
                page.js("$('marked').hidden = false; [...$('needs').children][0].seen.click(); $('marked').click()")
                self.check(page, "marked")
                opened = self.open(address, motion=False, **look)
                opened.until("document.querySelector('#job .timeline')")
                self.check(opened, "job")
                opened.js("document.querySelector('#yaml-read').click()")
                opened.until("document.querySelector('#yaml-text')")
                self.check(opened, "YAML of a job")
                busy = self.open("?job=alpha%2Fml%2FPyTorchJob%2Fbert", motion=False, **look)
                busy.until("document.querySelector('#job .bad')")
                self.check(busy, "GPUs of a job")
                unknown = self.open("?job=alpha%2Fml%2FPyTorchJob%2Fnobody", motion=False, **look)
                unknown.until("document.querySelector('#job .panel')")
                self.check(unknown, "no job")
                above = self.open(test_node.NODE, motion=False, **look)
                above.until(test_node.SHOWN)
                self.check(above, "node")

    def test_disconnected(self):
        page = self.open(motion=False)
        page.until("rowsShown() > 3")
        self.server.step("down")
        page.until("link.is === 'lost'")
        self.check(page, "disconnected")
