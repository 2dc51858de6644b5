"""What somebody on call does, and how many clicks each takes: the table of docs/training_monitor/page.md."""
import json
import re

import fixture
import server
import test_node
import test_queues

PAGE = server.ROOT / "docs" / "training_monitor" / "page.md"
BERT = "/api/v1/jobs/alpha/ml/PyTorchJob/bert"


def documented():
    """The task and its clicks, in the order of the page."""
    rows = re.findall(r"^\| (?!task)([^|-][^|]*?) \| (\d+) \|", PAGE.read_text().split("## Ten tasks")[1].split("\n## ")[0], re.M)
    return [(task, int(clicks)) for task, clicks in rows]


class Tasks(fixture.PageTest):
    def setUp(self):
        super().setUp()
        test_node.with_a_node(self.server)
        self.server.job("gpt", "Running")
        bert = {"cluster": "alpha", "namespace": "ml", "name": "bert", "kind": "PyTorchJob",
                "apiVersion": "kubeflow.org/v1", "uid": "u", "state": "Failed", "concern": "failed",
                "since": test_node.stamp(minutes=5), "restarts": 0, "gpusHeld": 0, "blockedBy": "", "reason": "",
                "why": "exit code 1, 40 s after XID 79 of GPU 3", "group": 1}
        self.server.job("bert", "Failed", labels={"kueue.x-k8s.io/queue-name": "team-a"},
                        completionTime=test_node.stamp(minutes=5))
        self.answer("/api/v1/attention", {
            "items": [bert, {**bert, "name": "gpt", "uid": "v"}], "remaining": 0, "groups": [
                {"id": 1, "jobs": 2, "gpus": 16, "cluster": "alpha", "node": "gpu-17", "exitCode": 1, "error": "",
                 "since": bert["since"], "latest": bert["since"]}],
            "clusters": {"total": 1, "unreadable": 0, "partial": 0, "loading": 0, "source": "x"},
            "offers": ["acknowledgements"]})
        pod = {"name": "bert-worker-0", "type": "Worker", "index": 0, "rank": 0, "node": "gpu-17", "phase": "Failed",
               "terminating": False, "restarts": 0, "container": "main", "exitCode": 1, "exitMeaning": "",
               "restartedSince": False, "reason": "", "message": "", "deleted": None, "created": None}
        self.answer(BERT, {"job": bert, "timeline": [], "conditions": [], "labels": {}, "pods": [pod], "events": [],
                           "cause": {"text": "", "pod": "bert-worker-0", "container": "main", "earlier": False},
                           "missingRights": [], "logs": True, "yaml": False,
                           "links": [{"name": "Grafana", "url": "https://grafana.example.com/"}]})
        self.answer(BERT + "/logs", {"container": "main", "previous": False, "cut": False, "lines": ["Traceback"]})
        self.server.step("answer", path=test_queues.PATH, status=200, body=test_queues.answer())
        self.answer("/api/v1/acknowledgements/alpha/ml/PyTorchJob/bert", "")
        self.answer("/api/v1/acknowledgements/alpha/ml/PyTorchJob/gpt", "")

    def answer(self, path, body):
        self.server.step("answer", path=path, status=200, body=json.dumps(body))

    def test_as_many_clicks_as_the_page_says(self):
        job = "#needs a"
        tasks = [
            ([], "$('needs').innerText.includes('XID 79 of GPU 3')"),
            ([job, "#log-read"], "document.querySelector('#log-lines pre')?.innerText === 'Traceback'"),
            (["#needs .group"], "$('needs').children.length === 2"),
            ([job, "#job a[href*=\"node=\"]"], "document.querySelector('#node table')"),
            ([job, "#job .headline button"], "window.copied?.includes('ml/bert')"),
            (["#needs li button:nth-of-type(3)", "#care form button:last-of-type"], "$('marked').innerText.includes('2')"),
            ([job, "#job .facts a[href*='queues=']"], "document.querySelector('#queues table')"),
            ([job, "#job .links a"], "window.left === 'https://grafana.example.com/'"),
            ([".tile[data-state=Failed]"], "location.search === '?state=Failed'"),
            ([".cluster summary"], "document.querySelector('.cluster .inside table')"),
        ]
        self.assertEqual(len(tasks), 10)
        said = documented()
        self.assertEqual(len(said), 10)
        for (task, clicks), (way, reached) in zip(said, tasks):
            with self.subTest(task):
                self.assertEqual(len(way), clicks)
                page = self.open()
                page.js("localStorage.setItem('care-by', 'ana')")
                page.js("navigator.clipboard.writeText = async t => { window.copied = t; }; addEventListener('click', e => "
                        "{ const a = e.target.closest?.('.links a'); if (a) { e.preventDefault(); window.left = a.href; } })")
                page.until("$('needs').children.length")
                for selector in way:
                    page.until(f"document.querySelector({json.dumps(selector)})?.checkVisibility()")
                    page.click(selector)
                page.until(reached)
