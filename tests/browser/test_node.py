"""A node above the page: from a pod's link, by its address, by keys, on a phone, when it can't be read."""
import datetime
import json

import fixture
from fixture import text

JOB = "?job=alpha%2Fml%2FPyTorchJob%2Fbert"
NODE = "?node=alpha%2Fgpu-17"
PATH = "/api/v1/nodes/alpha/gpu-17"
SHOWN = "$('node')?.open && document.querySelector('#node table')"


def stamp(**ago):
    return (datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(**ago)).strftime("%Y-%m-%dT%H:%M:%SZ")


def pod(name, job, **more):
    return {"pod": name, "namespace": "ml", "phase": "Running", "terminating": False, "restarts": 2, "gpus": 8,
            "type": "Worker", "index": 0, "job": job, **more}


def bert():
    return {"cluster": "alpha", "namespace": "ml", "name": "bert", "kind": "PyTorchJob", "apiVersion": "kubeflow.org/v1",
            "uid": "u", "state": "Failed", "why": "exit code 1, 40 s after XID 79 of GPU 3"}


def node(state="known", **members):
    facts = {"unschedulable": True, "gpusAllocatable": 8, "fault": "XID 79 of GPU 3", "conditions": [
        {"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "<b>fine</b>", "since": stamp(days=2)}],
        "taints": [{"key": "gpu", "value": "bad", "effect": "NoSchedule", "since": None}]} if state == "known" else {}
    return json.dumps({
        "cluster": "alpha", "node": "gpu-17", "state": state, "reason": "", **facts,
        "gpus": [{"index": 3, "product": "H100", "health": "failed", "reason": "lost", "utilization": None,
                  "memoryUsedBytes": 1, "memoryTotalBytes": 2, "temperatureC": 40, "powerW": 70, "xid": 79,
                  "xidTime": stamp(minutes=1)}],
        "pods": [pod("bert-worker-0", bert()), pod("other", {})], "missingRights": [], **members})


def with_a_node(server):
    """A job with a pod on a node, and the node."""
    server.cluster("alpha")
    server.job("bert", "Running")
    server.step("pod", cluster="alpha", pod=json.dumps({
        "metadata": {"name": "bert-worker-0", "namespace": "ml", "uid": "p0", "labels": {
            "training.kubeflow.org/job-name": "bert", "training.kubeflow.org/replica-type": "worker",
            "training.kubeflow.org/operator-name": "pytorchjob-controller",
            "training.kubeflow.org/replica-index": "0"}},
        "spec": {"nodeName": "gpu-17"}, "status": {"phase": "Running"}}))
    server.step("answer", path=PATH, status=200, body=node())


class Node(fixture.PageTest):
    def setUp(self):
        super().setUp()
        with_a_node(self.server)

    def test_from_a_pod_and_back(self):
        page = self.open(JOB)
        page.until("document.querySelector('#job a[href*=\"node=\"]')")
        page.click("#job a[href*=\"node=\"]")
        page.until(SHOWN)
        self.assertEqual(page.js("location.search"), JOB + "&node=alpha%2Fgpu-17")
        self.assertEqual(text(page, "#h-node"), "Node gpu-17 alpha")
        self.assertEqual(text(page, "#node [role=status]"), "Ready · cordoned · XID 79 of GPU 3")
        tables = page.js("[...document.querySelectorAll('#node table')].map(t => [t.caption.textContent, "
                         "...[...t.tBodies[0].rows].map(r => [...r.cells].map(c => c.innerText).join('|'))])")
        self.assertEqual([t[0] for t in tables], ["Jobs", "GPUs", "Conditions", "Taints"])
        self.assertEqual(tables[0][1:], ["bert|ml|Failed|bert-worker-0|8|2|exit code 1, 40 s after XID 79 of GPU 3",
                                         "unknown|ml||other|8|2|"])
        self.assertTrue(tables[1][1].startswith("3|H100|failed: lost|?|79 "), tables[1])
        self.assertTrue(tables[2][1].startswith("Ready|True|KubeletReady|<b>fine</b>|"), tables[2])
        self.assertEqual(tables[3][1:], ["gpu|bad|NoSchedule"])
        page.js("history.back()")
        page.until("!$('node').open && location.search === " + json.dumps(JOB))  # history goes back on its own
        self.assertEqual(page.js("document.activeElement.textContent"), "gpu-17")
        page.js("history.forward()")
        page.until("$('node').open")

    def test_the_focus_comes_back_to_a_link_that_was_drawn_anew(self):
        page = self.open(JOB)
        page.until("document.querySelector('#job a[href*=\"node=\"]')")
        page.click("#job a[href*=\"node=\"]")
        page.until(SHOWN)
        draw = "(() => { opened.shape = ''; drawJob(); })()"
        page.js("window.link = document.querySelector('#job a[href*=\"node=\"]')")
        page.js(draw)   # as a change of the job does
        self.assertFalse(page.js("link.isConnected"))
        page.js("history.back()")
        page.until("!$('node').open && document.activeElement.textContent === 'gpu-17'")
        page.js(draw)
        self.assertEqual(page.js("document.activeElement.textContent"), "gpu-17")

    def test_a_node_under_repair(self):
        repair = {"node": "gpu-17", "case": "gpu-17-1", "phase": "Draining", "reason": "GPUFailed", "message": "<b>XID 79</b>",
                  "since": stamp(minutes=3), "links": [{"name": "Healer", "url": "https://healer.example/#gpu-17-1"}]}
        self.server.step("answer", path=PATH, status=200, body=node(repair=repair))
        page = self.open(NODE)
        page.until(SHOWN)
        told = text(page, "#node .repair")
        self.assertIn("Node gpu-17 is under repair: Draining, GPUFailed: <b>XID 79</b> since ", told)
        self.assertEqual(page.js("document.querySelector('#node .repair a').href"), "https://healer.example/#gpu-17-1")
        # The row of a job that needs attention says the same.
        need = {"cluster": "alpha", "namespace": "ml", "name": "bert", "kind": "PyTorchJob", "apiVersion": "kubeflow.org/v1", "uid": "bert",
                "state": "Failed", "concern": "failed", "since": stamp(minutes=7), "restarts": 0, "reason": "", "why": "exit code 1"}
        items = [{**need, "repair": repair}, {**need, "name": "other", "uid": "other"}]
        self.server.job("bert", "Failed")
        self.server.job("other", "Failed")
        self.server.step("answer", path="/api/v1/attention", status=200, body=json.dumps({
            "items": items, "remaining": 0, "clusters": {"total": 1, "unreadable": 0, "partial": 0, "loading": 0, "source": ""}}))
        for look in ({"width": 1280}, {"width": 800}, {"width": 360, "height": 740, "mobile": True}):
            with self.subTest(look):
                page = self.open(**look)
                page.until("$('needs').children.length === 2")
                self.assertEqual(page.js("$('needs').children[0].querySelector('.repair').innerText"),
                                 "Node gpu-17 is under repair: Draining, GPUFailed Healer ↗")
                self.assertTrue(page.js("$('needs').children[1].querySelector('.repair').hidden"))
                self.assertFalse(page.js("document.documentElement.scrollWidth > innerWidth"))

    def test_its_address_and_who_closes_it(self):
        page = self.open(NODE)
        page.until(SHOWN)
        self.assertTrue(page.js("document.activeElement.id === 'h-node'"))
        page.key("Escape")
        page.until("!$('node').open && location.search === ''")
        # What was opened here is left by going back: no second entry of the history.
        page.js("go({node: {cluster: 'alpha', name: 'gpu-17'}})")
        page.until(SHOWN)
        entries = page.js("history.length")
        page.js("[...document.querySelectorAll('#node button')].find(b => b.innerText === 'Close').click()")
        page.until("!$('node').open && location.search === ''")
        self.assertEqual(page.js("history.length"), entries)

    def test_the_fault_comes_first_and_nothing_is_cut(self):
        gpus = json.loads(node())["gpus"]
        healthy = [{**gpus[0], "index": i, "health": "ok", "reason": "", "xid": None} for i in range(7)]
        self.server.step("answer", path=PATH, status=200, body=node(gpus=[*healthy, {**gpus[0], "index": 7}]))
        for look in ({"width": 1280}, {"width": 360, "height": 740, "mobile": True}):
            with self.subTest(look):
                page = self.open(NODE, **look)
                page.until(SHOWN)
                rows = page.js("[...document.querySelectorAll('#node table')][1].tBodies[0].rows.length")
                self.assertEqual(rows, 8)
                self.assertEqual(page.js("[...document.querySelectorAll('#node table')][1].tBodies[0].rows[0].cells[0].innerText"), "7")
                hidden = page.js("[...document.querySelectorAll('#node .scroll-y')].filter(e => e.scrollHeight > e.clientHeight + 1)"
                                 ".map(e => e.ariaLabel)")
                self.assertEqual(hidden, [])
                # No head, and on a phone no cell, that is so narrow that it breaks by letters.
                broken = page.js("[...document.querySelectorAll('#node th')].filter(h => getComputedStyle(h.closest('thead'))"
                                 ".position !== 'absolute' && h.clientHeight > 40).map(h => h.innerText)")
                self.assertEqual(broken, [])
                if "mobile" in look:
                    narrow = page.js("[...document.querySelectorAll('#node td')].filter(d => d.innerText && d.clientWidth < 250)"
                                     ".map(d => d.innerText)")
                    self.assertEqual(narrow, [])

    def test_a_job_of_it(self):
        page = self.open(NODE)
        page.until(SHOWN)
        page.click("#node tbody a")
        page.until("!$('node').open && document.querySelector('#job-name')?.textContent === 'bert'")
        self.assertEqual(page.js("location.search"), JOB)
        page.js("history.back()")
        page.until("$('node').open && $('job').hidden")

    def test_again_keeps_the_focus(self):
        page = self.open(NODE)
        page.until(SHOWN)
        page.js("document.querySelector('#node button').focus()")
        self.server.step("answer", path=PATH, status=200, body=node(unschedulable=False))
        page.key("Enter")
        page.until("document.querySelector('#node [role=status]').innerText === 'Ready · XID 79 of GPU 3'")
        self.assertEqual(page.js("document.activeElement.innerText"), "Refresh")

    def test_gpus_come_a_moment_later(self):
        self.server.step("answer", path=PATH, status=200, body=node(gpus=[]))
        page = self.open(NODE)
        page.until(SHOWN)
        self.assertNotIn("GPUs", page.js("[...document.querySelectorAll('#node h3')].map(h => h.innerText)"))
        self.server.step("answer", path=PATH, status=200, body=node())
        page.until("[...document.querySelectorAll('#node h3')].some(h => h.innerText === 'GPUs')")

    def test_what_can_not_be_read(self):
        said = "document.querySelector('#node [role=status]')?.innerText"
        for status, body, words in (
                (200, node("forbidden", missingRights=["grant list on nodes to see"]), ""),
                (200, node("failed", reason="connection refused"), "It could not be read: connection refused"),
                (200, node("gone"), "not in the cluster any more"),
                (404, json.dumps({"error": "the cluster has no node gpu-17"}),
                 "It could not be read: the cluster has no node gpu-17")):
            with self.subTest(words):
                self.server.step("answer", path=PATH, status=status, body=body)
                page = self.open(NODE)
                page.until(f"{said} === {json.dumps(words)}")
                # The jobs are told all the same.
                self.assertEqual(page.js("document.querySelector('#node tbody a')?.innerText ?? ''"),
                                 "bert" if status == 200 else "")
                self.assertEqual("grant list on nodes to see" in text(page, "#node"), words == "")

    def test_on_a_phone(self):
        page = self.open(NODE, width=360, height=740, mobile=True)
        page.until(SHOWN)
        box = page.js("(b => [b.left, b.right, b.bottom])($('node').getBoundingClientRect())")
        self.assertGreaterEqual(box[0], 0)
        self.assertLessEqual(box[1], 360)
        self.assertLessEqual(box[2], 740)
        wide = page.js("[...document.querySelectorAll('#node *')].filter(e => e.checkVisibility() && "
                       "!e.closest('.unseen, .scroll-x') && e.getBoundingClientRect().right > 361)"
                       ".map(e => e.outerHTML.slice(0, 80))")
        self.assertEqual(wide, [])
