"""Kueue's queues of a cluster above the page: from a job's queue, from its cluster, by the address, when they can't be
read."""
import json

import fixture
from fixture import text

JOB = "?job=alpha%2Fml%2FPyTorchJob%2Fbert"
PATH = "/api/v1/queues/alpha"
SHOWN = "$('queues')?.open && document.querySelector('#queues table')"
SAID = "document.querySelector('#queues [role=status]')?.innerText"


def queue(**members):
    return {"name": "gpus", "cohort": "all", "strategy": "BestEffortFIFO", "stopPolicy": "None", "pending": 3,
            "reserving": 1, "admitted": 1, "inactive": None, "flavors": [
                {"name": "h100", "resource": "nvidia.com/gpu", "nominal": "8", "used": "10", "borrowed": "2",
                 "borrowingLimit": "4"},
                {"name": "a100", "resource": "nvidia.com/gpu", "nominal": "16", "used": "0", "borrowed": "0",
                 "borrowingLimit": None}],
            "localQueues": [{"namespace": "ml", "name": "team-a", "pending": 3, "reserving": 0, "admitted": 1,
                             "inactive": None}],
            "waiting": [
                {"position": 1, "positionInLocalQueue": 1, "namespace": "ml", "localQueue": "team-a",
                 "workload": "job-x", "priority": 100, "job": {"kind": "PyTorchJob", "name": "bert", "inView": True}},
                {"position": 2, "positionInLocalQueue": 2, "namespace": "ml", "localQueue": "team-a",
                 "workload": "<b>other</b>", "priority": 0, "job": {}}], **members}


def answer(state="known", **members):
    queues = [queue()] if state == "known" else []
    return json.dumps({"cluster": "alpha", "state": state, "reason": "", "clusterQueues": queues, "missingRights": [],
                       **members})


class Queues(fixture.PageTest):
    def setUp(self):
        super().setUp()
        self.server.cluster("alpha")
        self.server.job("bert", "Queued", labels={"kueue.x-k8s.io/queue-name": "team-a"})
        self.server.step("answer", path=PATH, status=200, body=answer())

    def test_from_a_job_and_back(self):
        page = self.open(JOB)
        page.until("[...document.querySelectorAll('#job .facts a')].some(a => a.innerText === 'team-a')")
        page.js("[...document.querySelectorAll('#job .facts a')].find(a => a.innerText === 'team-a').click()")
        page.until(SHOWN)
        self.assertEqual(page.js("location.search"), JOB + "&queues=alpha")
        self.assertEqual(text(page, "#h-queues"), "Queues alpha")
        self.assertEqual(page.js(SAID), "1 ClusterQueue, 3 Workloads waiting")
        tables = page.js("[...document.querySelectorAll('#queues table')].map(t => [t.caption.textContent, "
                         "...[...t.tBodies[0].rows].map(r => [...r.cells].map(c => c.innerText).join('|'))])")
        self.assertEqual(tables, [
            ["Quota of gpus", "h100|nvidia.com/gpu|10|8|2|4", "a100|nvidia.com/gpu|0|16|0|no limit"],
            ["LocalQueues of gpus", "team-a|ml|3|1"],
            ["Waiting in gpus", "1|bert|ml|team-a (1)|100", "2|<b>other</b>|ml|team-a (2)|0"]])
        self.assertIn("and 1 more", text(page, "#queues"))
        page.key("Escape")
        page.until("!$('queues').open && location.search === " + json.dumps(JOB))  # history goes back on its own

    def test_from_its_cluster_to_a_job(self):
        page = self.open()
        page.click(".cluster summary")
        page.until("document.querySelector(\".cluster .inside a[href*='queues=']\")")  # it is drawn once it is open
        page.click(".cluster .inside a[href*='queues=']")
        page.until(SHOWN)
        page.js("[...document.querySelectorAll('#queues tbody a')].find(a => a.innerText === 'bert').click()")
        page.until("!$('queues').open && document.querySelector('#job-name')?.textContent === 'bert'")
        self.assertEqual(page.js("location.search"), JOB)

    def test_what_can_not_be_read(self):
        for status, body, words, more in (
                (200, answer("not-installed"), "Kueue is not installed there.", ""),
                (200, answer("failed", reason="connection refused"), "It could not be read: connection refused", ""),
                (200, answer("forbidden", missingRights=["grant list on clusterqueues"]), "",
                 "grant list on clusterqueues"),
                (503, json.dumps({"error": "the cluster is not there"}), "It could not be read: the cluster is not there",
                 "")):
            with self.subTest(words):
                self.server.step("answer", path=PATH, status=status, body=body)
                page = self.open("?queues=alpha")
                page.until(f"$('queues')?.open && {SAID} === {json.dumps(words)}")
                self.assertIn(more, text(page, "#queues"))
        untold = queue()
        del untold["waiting"]
        self.server.step("answer", path=PATH, status=200, body=answer(clusterQueues=[untold]))
        page = self.open("?queues=alpha")
        page.until(SHOWN)
        self.assertIn("Who waits could not be read.", text(page, "#queues"))

    def test_on_a_phone(self):
        page = self.open("?queues=alpha", width=360, height=740, mobile=True)
        page.until(SHOWN)
        wide = page.js("[...document.querySelectorAll('#queues, #queues *')].filter(e => e.checkVisibility() && "
                       "!e.closest('.unseen, .scroll-x') && e.getBoundingClientRect().right > 361)"
                       ".map(e => e.outerHTML.slice(0, 80))")
        self.assertEqual(wide, [])
