"""How busy GPUs are: a job's own, the fleet by node with failed ones first, and jobs whose GPUs idle."""
import datetime
import json

import fixture
from fixture import text

JOB = "/api/v1/jobs/alpha/ml/PyTorchJob/bert"


def stamp(**ago):
    return (datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(**ago)).strftime("%Y-%m-%dT%H:%M:%SZ")


def usage(state="known", mean=40.4, least=0, idle=None, xids=(), reason="", measured=2):
    return {"state": state, "reason": reason, "gpus": 2, "measured": measured,
            "utilization": {"mean": mean, "least": least},
            "memory": {"usedBytes": 10 * 2**30, "totalBytes": 160 * 2**30}, "powerW": 1234.5, "xids": list(xids),
            "idleSince": idle, "at": stamp(seconds=5)}


def gpu(index, health="ok", reason="", busy=50, xid=None, warm=40):
    return {"index": index, "product": "H100", "health": health, "reason": reason, "utilization": busy,
            "memoryUsedBytes": 1, "memoryTotalBytes": 2, "temperatureC": warm, "powerW": 70, "xid": xid, "xidTime": None}


def node(name, *gpus, state="ok", reason=""):
    return {"node": name, "state": state, "reason": reason, "gpus": list(gpus)}


def cluster(name, *nodes, state="known", reason="", missing=()):
    return {"cluster": name, "state": state, "reason": reason, "at": None, "nodes": list(nodes),
            "missingRights": list(missing)}


def job_answer(said):
    """What the interface says of the job bert."""
    job = {"cluster": "alpha", "namespace": "ml", "name": "bert", "kind": "PyTorchJob", "apiVersion": "v1", "uid": "u",
           "state": "Running", "reason": "", "message": "", "why": "", "startTime": stamp(hours=2), "completionTime": None,
           "durationSeconds": 7200, "gpus": 2, "replicas": {}, "terminating": False, "labels": {}, "gpuUsage": said}
    return json.dumps({"job": job, "conditions": [], "timeline": [], "labels": {}})


class Usage(fixture.PageTest):
    def setUp(self):
        super().setUp()
        self.server.cluster("alpha")
        self.server.job("bert", "Running", startTime=stamp(hours=2))

    def show(self, said):
        self.server.step("answer", path=JOB, status=200, body=job_answer(said))
        page = self.open("?job=alpha%2Fml%2FPyTorchJob%2Fbert")
        page.until("document.querySelector('#job-duration')")
        return page

    PANEL = "[...document.querySelectorAll('#job .panel')].find(p => p.innerText.startsWith('How busy'))"

    def test_a_job_whose_gpus_work(self):
        page = self.show(usage(xids=[{"node": "<b>n1</b>", "gpu": 1, "xid": 79, "time": stamp(minutes=1)}]))
        page.until(self.PANEL)
        shown = page.js(self.PANEL + ".innerText")
        for part in ("40 %", "0 %", "10.0 of 160.0 GiB", "1,235 W", "79 on <b>n1</b> GPU 1, "):
            self.assertIn(part, shown)
        self.assertNotIn("[object", shown)
        self.assertNotIn("All its GPUs", shown)

    def test_a_job_whose_gpus_idle_and_one_of_which_little_is_known(self):
        page = self.show(usage(mean=0, idle=stamp(hours=3, minutes=2)))
        page.until(self.PANEL)
        self.assertIn("All its GPUs have been at 0 % for 3h.", page.js(self.PANEL + ".innerText"))
        page = self.show(usage(state="partial", measured=1, reason="node n2: no GPU labeler runs there"))
        page.until(self.PANEL)
        shown = page.js(self.PANEL + ".innerText")
        self.assertIn("40 % (of 1 of 2 GPUs)", shown)
        self.assertIn("node n2: no GPU labeler runs there", shown)
        page = self.show(None)
        self.assertFalse(page.js(f"Boolean({self.PANEL})"))

    def test_a_job_whose_gpus_idle_needs_somebody(self):
        self.server.step("answer", path="/api/v1/attention", status=200, body=json.dumps({"remaining": 0, "items": [
            {"cluster": "alpha", "namespace": "ml", "name": "bert", "kind": "PyTorchJob", "apiVersion": "v1", "uid": "u",
             "state": "Running", "concern": "idle", "since": stamp(minutes=42), "restarts": 0, "reason": "", "why": ""}]}))
        page = self.open()
        page.until("$('needs').children.length === 1")
        self.assertIn("all its GPUs idle for 42m", page.js("$('needs').children[0].innerText"))

    def answer_fleet(self, *items):
        self.server.step("answer", path="/api/v1/fleet", status=200, body=json.dumps({"items": items}))

    def test_the_fleet_is_asked_for_when_it_is_opened(self):
        self.answer_fleet(cluster("alpha", state="loading"))
        page = self.open()
        page.until("!$('fleet').hidden")
        self.assertEqual(text(page, "#h-fleet"), "Nodes open to list them")
        asked = "performance.getEntriesByType('resource').map(e => e.name).filter(n => n.includes('/fleet'))"
        self.assertTrue(all(name.endswith("?look=false") for name in page.js(asked)))
        self.answer_fleet(
            cluster("alpha", node("a1", gpu(0), gpu(1, busy=None, warm=None)),
                    node("a2", state="no-response", reason="503")),
            cluster("beta", node("b1", gpu(0, "failed", "<b>lost</b>", None, 79, 91.4), gpu(1, busy=10, warm=50)),
                    state="known", missing=["grant get on pods/proxy"]))
        page.click("#fleet summary")
        page.until("document.querySelector('#fleet tbody')")
        self.assertTrue(page.js(asked)[-1].endswith("/api/v1/fleet"))
        cells = page.js("[...document.querySelectorAll('#fleet tbody tr')].map(r => [...r.cells].map(c => c.innerText.trim()))")
        self.assertEqual(cells, [
            ["b1", "GPU 0 failed: <b>lost</b>", "79 (GPU 0)", "beta", "H100", "2", "10 %", "91 °C"],
            ["a2", "no response: 503", "", "alpha", "", "0", "", ""],
            ["a1", "ok", "", "alpha", "H100", "2", "50 %", "40 °C"]])
        self.assertEqual(text(page, "#h-fleet"), "Nodes 4 GPUs on 3 nodes · 1 failed")
        self.assertIn("beta: grant get on pods/proxy", text(page, "#fleet"))

    def test_without_gpu_usage_there_is_no_panel(self):
        page = self.open()
        page.until("everReady && document.querySelector('details.cluster')")
        self.assertTrue(page.js("$('fleet').hidden"))
