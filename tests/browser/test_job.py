"""A job's own view: how it got where it is, and where to look further."""
import json
import urllib.parse

import fixture
import gpu_scheduler
import server
from fixture import text

JOB = "?job=alpha%2Fml%2FPyTorchJob%2Fbert"


class Job(fixture.PageTest):
    def setUp(self):
        super().setUp()
        self.server.cluster("alpha")
        self.server.job("bert", "Created", at="2026-11-21T11:50:00Z", startTime=None)
        self.server.job("bert", "Pending", at="2026-11-21T11:52:00Z")
        self.server.job("bert", "Running", at="2026-11-21T12:00:00Z", labels={"team": "nlp"}, conditions=[
            {"type": "Created", "status": "True", "reason": "JobCreated", "message": "made",
             "lastTransitionTime": "2026-11-21T11:50:00Z"},
            {"type": "Running", "status": "True", "reason": "JobRunning", "message": "on its way",
             "lastTransitionTime": "2026-11-21T12:00:00Z"}])

    def test_it_has_an_address_of_its_own(self):
        page = self.open(JOB)
        page.until("document.querySelector('#job .timeline')")
        self.assertEqual(text(page, "#job h1"), "bert")
        self.assertEqual(page.js("document.title"), "bert, Running · Training jobs")
        self.assertTrue(page.js("document.querySelector('#overview').hidden"))
        page.click("#job .back")
        page.until("location.search === '' && !document.querySelector('#overview').hidden")
        page.js("history.back()")
        page.until("!document.querySelector('#job').hidden")

    def test_its_timeline_is_drawn_and_listed(self):
        page = self.open(JOB)
        pieces = page.until("(p => p.length && p)([...document.querySelectorAll('.timeline .piece')].map(p => p.title))")
        self.assertEqual(pieces[:2], ["Created, 2m 0s", "Pending, 8m 0s"])
        self.assertTrue(pieces[2].startswith("Running, "))
        self.assertIn("Created for 2m 0s, then Pending for 8m 0s, then Running for",
                      page.js("document.querySelector('.timeline').getAttribute('aria-label')"))
        table = page.js("[...document.querySelector('.timeline').parentNode.querySelectorAll('tbody tr')].map(r => "
                        "[...r.cells].map(c => c.innerText))")
        self.assertEqual([row[0] for row in table], ["Running", "Pending", "Created"])
        self.assertEqual([row[2] for row in table[1:]], ["8m 0s", "2m 0s"])
        self.assertTrue(table[0][2].endswith("so far"))
        self.assertEqual(table[1][3], "PyTorchJobPending: PyTorchJob bert is pending.")

    def test_a_change_arrives_while_it_is_open(self):
        page = self.open(JOB)
        page.until("document.querySelectorAll('.timeline .piece').length === 3")
        self.server.job("bert", "Failed", reason="Evicted", message="the node went away",
                        completionTime="2026-11-21T13:00:00Z")
        page.until("document.querySelectorAll('.timeline .piece').length === 4")
        self.assertEqual(text(page, "#job .headline .badge"), "Failed")
        self.assertEqual(text(page, "#job .because"), "Evicted: the node went away")
        self.assertIn("1h 0m", text(page, "#job-duration"))

    def test_conditions_labels_replicas(self):
        page = self.open(JOB)
        page.until("document.querySelector('#job .labels')")
        self.assertEqual(text(page, "#job .labels"), "team=nlp")
        whole = text(page, "#job")
        self.assertIn("JobRunning: on its way", whole)
        self.assertIn("Worker\t7\t7\t0\t0", whole)

    def test_its_pods_say_why(self):
        def pod(index, **status):
            self.server.step("pod", cluster="alpha", pod=json.dumps({
                "metadata": {"name": f"bert-worker-{index}", "namespace": "ml", "uid": f"p{index}", "labels": {
                    "training.kubeflow.org/job-name": "bert", "training.kubeflow.org/replica-type": "worker",
                    "training.kubeflow.org/operator-name": "pytorchjob-controller",
                    "training.kubeflow.org/replica-index": str(index)}},
                "spec": {"nodeName": "gpu-17"}, "status": status}))

        page = self.open(JOB)
        page.until("document.querySelector('#job .timeline')")
        pod(0, phase="Running")
        pod(1, phase="Failed", containerStatuses=[{"name": "pytorch", "state": {"terminated": {
            "exitCode": 137, "reason": "OOMKilled", "message": "<i>last words</i>"}}}])
        self.server.job("bert", "Failed", reason="Limit", message="backoff", completionTime="2026-11-21T13:00:00Z")
        page.until("document.querySelector('#job .because')?.innerText.includes('out of memory')")
        self.assertEqual(text(page, "#job .because"),
                         "Worker 1 (rank 2) on gpu-17: exit code 137, killed (SIGKILL), out of memory (OOMKilled): "
                         "<i>last words</i>")
        # Nor is there an operator's word before our sentence in the timeline.
        page.until("document.querySelector('.timeline').parentNode.querySelector('tbody tr').cells[3].innerText === "
                   "document.querySelector('#job .because').innerText")
        # What failed comes first.
        page.until("[...document.querySelectorAll('#job h2')].some(h => h.innerText === 'Pods')")
        rows = page.js("[...[...document.querySelectorAll('#job .panel')].find(p => p.querySelector('h2')?.innerText === "
                       "'Pods').querySelectorAll('tbody tr')].map(r => [...r.cells].map(c => c.innerText))")
        self.assertEqual([r[1] for r in rows], ["bert-worker-1", "bert-worker-0"])
        self.assertEqual(rows[0][:6], ["2 (Worker)", "bert-worker-1", "gpu-17", "Failed", "0", "137"])
        self.assertIn("out of memory", rows[0][7])
        # The log is read when somebody asks, and is text.
        self.assertEqual(page.js("document.querySelector('#log-lines').innerText"), "")
        page.click("#log-read")
        page.until("document.querySelector('#log-lines pre')")
        self.assertEqual(text(page, "#log-lines pre"), "asked for pod=bert-worker-1\n<b>Traceback</b>")
        # By rank, more lines, and again and again while somebody follows.
        self.assertEqual(page.js("[...$('log-pod').options].map(o => o.textContent)"),
                         ["rank 1 · bert-worker-0", "rank 2 · bert-worker-1 · exit code 137"])
        page.js("$('log-most').value = '1000'; $('log-most').onchange()")
        page.until("document.querySelector('#log-lines pre').innerText.includes('lines=1000')")
        page.js("$('log-pod').value = 'bert-worker-0'; $('log-pod').onchange()")
        page.until("document.querySelector('#log-lines pre').innerText.includes('pod=bert-worker-0&')")
        self.server.step("answer", path="/api/v1/jobs/alpha/ml/PyTorchJob/bert/logs", status=200, body=json.dumps(
            {"container": "pytorch", "previous": False, "cut": False, "lines": ["step 1"]}))
        page.click("#log-follow")
        page.until("document.querySelector('#log-lines pre').innerText === 'step 1'")
        self.server.step("answer", path="/api/v1/jobs/alpha/ml/PyTorchJob/bert/logs", status=200, body=json.dumps(
            {"container": "pytorch", "previous": False, "cut": False, "lines": ["step 1", "step 2"]}))
        page.until("document.querySelector('#log-lines pre').innerText === 'step 1\\nstep 2'")
        self.server.step("answer", path="/api/v1/jobs/alpha/ml/PyTorchJob/bert/logs", status=0)
        page.js("goBack()")
        page.until("!view.job")
        page.js("go({finished: true})")   # it ended long ago
        page.until("[...document.querySelectorAll('.row')].some(r => r.innerText.includes('out of memory'))")

    def test_its_yaml(self):
        page = self.open(JOB)
        page.until("document.querySelector('#yaml-read')")
        self.assertEqual(page.js("document.querySelector('#yaml').children.length"), 0)  # nobody asked
        page.click("#yaml-read")
        page.until("document.querySelector('#yaml-text')")
        self.assertEqual(text(page, "#yaml-text"), "# <i>Left out</i>\nkind: <b>Job</b>\n")
        self.assertTrue(text(page, "#yaml-said").startswith("2 lines, read at "))
        self.assertEqual(text(page, "#yaml-read"), "Show the YAML")
        page.js("navigator.clipboard.writeText = async t => { window.copied = t; }")
        page.click("#yaml button")
        page.until("window.copied === '# <i>Left out</i>\\nkind: <b>Job</b>\\n'")
        # It stays, and so does what is read there, when the job changes.
        page.js("document.querySelector('#yaml-text').focus()")
        self.server.job("bert", "Failed", completionTime="2026-11-21T13:00:00Z")
        page.until("document.querySelectorAll('.timeline .piece').length === 4")
        self.assertEqual(page.js("document.activeElement.id"), "yaml-text")
        # Another job has its own.
        self.server.job("secret", uid="s")
        page.js("go({job: {cluster: 'alpha', namespace: 'ml', kind: 'PyTorchJob', name: 'secret'}})")
        page.until("document.querySelector('#job h1')?.innerText === 'secret' && "
                   "document.querySelector('#yaml')?.children.length === 0")
        page.click("#yaml-read")
        page.until("document.querySelector('#yaml-said').innerText.startsWith('It could not be read: ')")
        self.assertIn("it needs the right get jobs.batch", text(page, "#yaml-said"))
        # No such job any more: none can be asked for.
        self.server.step("delete", **server.job("secret", uid="s"))
        page.until("document.querySelector('#job p.gone') && !document.querySelector('#yaml-read')")

    def test_commands_of_kinds_that_are_read_by_rules(self):
        listed = "[...document.querySelectorAll('#job .commands code')].map(c => c.textContent)"
        self.server.job("set", kind="JobSet", uid="s")
        page = self.open("?job=alpha%2Fml%2FJobSet%2Fset")
        commands = page.until(f"(c => c.length && c[0].includes('jobset.x-k8s.io') && c)({listed})")
        self.assertEqual(commands[0], "kubectl --context alpha -n ml describe jobsets.jobset.x-k8s.io set")
        self.assertEqual(commands[1], "kubectl --context alpha -n ml get pods -o wide -l jobset.sigs.k8s.io/jobset-name=set")
        self.server.job("ray", kind="RayJob", uid="r")  # nobody's pods have its name
        page = self.open("?job=alpha%2Fml%2FRayJob%2Fray")
        commands = page.until(f"(c => c.length && c[0].includes('rayjobs.ray.io') && c)({listed})")
        self.assertEqual([c for c in commands if "pods" in c or "logs" in c], [])

    def test_commands(self):
        page = self.open(JOB)
        page.until("document.querySelector('#job .timeline')")
        commands = page.js("[...document.querySelectorAll('#job .commands code')].map(c => c.textContent)")
        self.assertEqual(commands[0], "kubectl --context alpha -n ml describe pytorchjobs.kubeflow.org bert")
        self.assertEqual(commands[2], "kubectl --context alpha -n ml logs --all-containers --prefix --tail=100 "
                                      "-l training.kubeflow.org/job-name=bert")
        # The context is one's own affair, and kept.
        page.js("(i => { i.value = 'my prod'; i.dispatchEvent(new Event('input')); })(document.querySelector('#context'))")
        self.assertIn("--context 'my prod' ", text(page, "#job .commands code"))
        page.reload()
        page.until("document.querySelector('#job .timeline') && link.is === 'live' && "
                   "document.querySelector('#context').value === 'my prod'")
        page.js("navigator.clipboard.writeText = async t => { window.copied = t; }")
        page.click("#job .commands button")
        page.until("window.copied?.startsWith('kubectl --context')")

    def test_one_paragraph_for_chat(self):
        page = self.open(JOB)
        page.until("document.querySelector('#job .timeline')")
        self.server.job("bert", "Failed", reason="Evicted", message="the node went away",
                        completionTime="2026-11-21T13:00:00Z")
        page.until("document.querySelectorAll('.timeline .piece').length === 4")
        page.js("navigator.clipboard.writeText = async t => { window.copied = t; }")
        page.click("#job .headline button")
        page.until("window.copied")
        self.assertRegex(page.js("window.copied"),
                         r"^✗ ml/bert \(PyTorchJob, 8 GPUs, alpha\) is Failed after 1h 0m, ended \d+d ago: "
                         r"Evicted: the node went away http://127\.0\.0\.1:\d+/\?job=alpha%2Fml%2FPyTorchJob%2Fbert$")
        # Where the clipboard is closed, it is shown, and selected.
        page.js("navigator.clipboard.writeText = async () => { throw new Error(); }")
        page.until("document.querySelector('#job .headline button').innerText === 'Copy for chat'")
        page.click("#job .headline button")
        page.until("getSelection().toString().startsWith('✗ ml/bert')")

    def test_what_is_being_typed_outlives_a_change(self):
        page = self.open(JOB)
        page.until("document.querySelectorAll('.timeline .piece').length === 3")
        page.js("document.querySelector('#context').select()")
        page.type("prod")
        self.server.job("bert", "Failed", completionTime="2026-11-21T13:00:00Z")
        page.until("document.querySelectorAll('.timeline .piece').length === 4")
        self.assertEqual(page.js("document.activeElement.id"), "context")
        page.type("-eu")
        self.assertIn("--context prod-eu ", text(page, "#job .commands code"))

    def test_one_that_is_gone(self):
        page = self.open(JOB)
        page.until("document.querySelectorAll('.timeline .piece').length === 3")
        self.server.step("delete", **server.job("bert"))
        page.until("document.querySelector('#job p.gone')?.innerText.includes('Deleted ')")
        page.reload()
        page.until("document.querySelector('#job p.gone')?.innerText.includes('Deleted at ')")
        self.assertEqual(page.js("document.querySelectorAll('.timeline .piece').length"), 3)

    def test_one_that_never_was(self):
        page = self.open("?job=alpha%2Fml%2FJob%2Fnone")
        page.until("document.querySelector('#job').innerText.includes('There is no Job ml/none in cluster alpha')")

    def test_gone_jobs_and_notices_where_they_are_served(self):
        page = self.open()
        page.until("extras.absent.has('/api/v1/notices')")
        self.assertTrue(page.js("document.querySelector('#gone').hidden && document.querySelector('#notices').hidden"))
        self.server.step("answer", path="/api/v1/gone", status=200, body=json.dumps({"items": [
            {"cluster": "alpha", "namespace": "ml", "name": "bert", "kind": "PyTorchJob", "uid": "u", "lastState": "Running",
             "lastSeen": "2026-11-21T12:00:00Z", "gone": "2026-11-21T13:00:00Z", "state": None},
            {"cluster": "alpha", "namespace": "ml", "name": "gpt", "kind": "PyTorchJob", "uid": "v", "lastState": "Running",
             "lastSeen": "2026-11-21T12:00:00Z", "gone": None, "state": "Failed"}]}))
        self.server.step("answer", path="/api/v1/notices", status=200, body=json.dumps(
            {"queued": 1, "sent": 5, "failed": 1, "dropped": 0, "coalesced": 2, "deadLetters": [
                {"receiver": "ops", "job": "alpha/ml/bert", "state": "Failed", "at": "2026-11-21T12:00:00Z", "attempts": 5,
                 "error": "status 500"}]}))
        page.reload()
        page.until("!document.querySelector('#gone').hidden && !document.querySelector('#notices').hidden")
        self.assertIn("5 sent · 1 waiting · 2 coalesced", text(page, "#notices"))
        self.assertIn("1 not delivered", text(page, "#notices"))
        page.js("document.querySelector('#gone details').open = document.querySelector('#notices details').open = true")
        self.assertIn("status 500", text(page, "#notices"))
        self.assertIn("1 job ended · 1 job deleted", text(page, "#gone"))
        self.assertIn("bert", text(page, "#gone"))
        self.assertIn("Failed", text(page, "#gone"))
        page.click("#gone a")
        page.until("document.querySelector('#job h1')?.innerText === 'bert'")


class Links(fixture.PageTest):
    """--link: to other programs that know of the job."""
    HOSTILE = 'bert"><img src=x onerror=alert(1)>'
    ALL = ("Grafana=https://grafana.example.com/d/jobs?ns={namespace}&job={name}&from={from}&to={to}",
           "MPIJob/Horovod=https://h.example.com/{name}", "PyTorchJob/MLflow=http://mlflow.example.com/#/{label:run}",
           "Logs=https://logs.example.com/{cluster}/{kind}/{uid}")

    def make_server(self):
        return server.Server(links=self.ALL)

    def links_of(self, page):
        return page.js("[...document.querySelectorAll('#job .links a')].map(a => [a.textContent, a.getAttribute('href'), "
                       "a.rel, a.target])")

    def test_each_kind_has_its_own(self):
        self.server.cluster("alpha")
        self.server.job("bert", uid="u 1", labels={"run": "a/b&c"})
        page = self.open(JOB)
        page.until("document.querySelector('#job .links')")
        more = ["noreferrer", "_blank"]
        self.assertEqual(self.links_of(page), [
            ["Grafana ↗", "https://grafana.example.com/d/jobs?ns=ml&job=bert&from=1795262400000&to=now", *more],
            ["MLflow ↗", "http://mlflow.example.com/#/a%2Fb%26c", *more],
            ["Logs ↗", "https://logs.example.com/alpha/PyTorchJob/u%201", *more]])
        # It ended, and has lost its label: the page follows.
        self.server.job("bert", "Failed", uid="u 1", completionTime="2026-11-21T13:00:00Z")
        page.until("document.querySelectorAll('#job .links a').length === 2")
        self.assertTrue(self.links_of(page)[0][1].endswith("&to=1795266000000"))
        # Its logs are wanted most when it is gone.
        self.server.step("delete", **server.job("bert", "Failed", uid="u 1"))
        page.until("document.querySelector('#job .gone')")
        self.assertEqual([link[0] for link in self.links_of(page)], ["Grafana ↗", "Logs ↗"])

    def test_a_name_and_a_label_are_text(self):
        self.server.cluster("alpha")
        self.server.job("mpi", kind="MPIJob", labels={"run": "x"}, namespace=self.HOSTILE, startTime=None)
        page = self.open("?job=" + "%2F".join(
            urllib.parse.quote(part, safe="") for part in ("alpha", self.HOSTILE, "MPIJob", "mpi")))
        page.until("document.querySelector('#job .links')")
        # Without a start there is no link to the times of the job.
        self.assertEqual([link[:2] for link in self.links_of(page)], [
            ["Horovod ↗", "https://h.example.com/mpi"],
            ["Logs ↗", "https://logs.example.com/alpha/MPIJob/" + urllib.parse.quote(self.HOSTILE + "/mpi", safe="")]])
        self.assertEqual(page.js("document.querySelectorAll('#job img').length"), 0)


class QueueLink(fixture.PageTest):
    """The link of docs/gpu_scheduler.md, from a job to its pods in the scheduler's queue."""

    def make_server(self):
        self.scheduler = gpu_scheduler.SchedulerServer()
        self.addCleanup(self.scheduler.close)
        self.scheduler.pending = [gpu_scheduler.waiting(f"{pod}-worker-0", place, "no node has 8 free GPUs")
                                  for place, pod in enumerate(("nlp/bert", "ml/bert", "ml/solo"), 1)]
        return server.Server(links=[f"GPU queue={self.scheduler.url}#q={{namespace}}/{{name}}"])

    def test_it_shows_the_pods_of_the_job_alone(self):
        self.server.cluster("alpha")
        self.server.job("bert", "Pending", startTime=None)
        page = self.open(JOB)
        page.until("document.querySelector('#job .links a')?.textContent === 'GPU queue ↗'")
        queue = self.browser.page(page.js("document.querySelector('#job .links a').href"))
        self.pages.append(queue)
        self.addCleanup(queue.close)
        queue.until("document.querySelectorAll('#queue-rows tr').length === 1")
        self.assertIn("ml/bert-worker-0", text(queue, "#queue-rows"))


class Training(fixture.PageTest):
    """What a TrainingJob says beyond what all jobs do."""
    PLACE = "?job=alpha%2Fml%2FTrainingJob%2Fllama"
    PANEL = "[...document.querySelectorAll('#job .panel')].find(p => p.querySelector('h2')?.innerText === 'Training')"

    def training(self, status, **spec):
        self.server.step("object", cluster="alpha", object=json.dumps({
            "apiVersion": "ai.kcontrol.dev/v1alpha1", "kind": "TrainingJob",
            "metadata": {"name": "llama", "namespace": "ml", "uid": "t"},
            "spec": {"workers": 4, "template": {}, **spec}, "status": status}))

    def facts(self, page):
        return page.js(f"Object.fromEntries([...{self.PANEL}.querySelectorAll('dt')].map(d => [d.innerText, "
                       "d.nextElementSibling.innerText]))")

    def tables(self, page):
        return page.js(f"[...{self.PANEL}.querySelectorAll('table')].map(t => [t.caption.textContent, "
                       "...[...t.tBodies[0].rows].map(r => [...r.cells].map(c => c.innerText).join('|'))])")

    def test_its_panel(self):
        self.server.cluster("alpha")
        gates = [{"name": "loss", "metric": "val_loss", "op": "<=", "threshold": "1.5"},
                 {"name": "bias", "metric": "bias", "op": "<", "threshold": "0.1"},
                 {"name": "speed", "metric": "p99", "op": "<", "threshold": "9"}]
        self.training({
            "phase": "Promoting", "phaseTime": "2026-11-21T14:00:00Z", "startTime": "2026-11-21T12:00:00Z", "workers": 4,
            "ready": "4/4", "attempt": 2, "datasetVersion": "v42 <b>",
            "checkpoints": [
                {"step": 9000, "attempt": 2, "uri": "s3://c/9000", "time": "2026-11-21T13:00:00Z", "refused": True},
                {"step": 8000, "attempt": 1, "uri": "s3://c/8000", "time": "2026-11-21T12:50:00Z"}],
            "gates": [{"name": "loss", "result": "Passed", "value": "1.31"},
                      {"name": "bias", "result": "Running", "message": "pod llama-bias runs"}],
            "promotion": {"step": 2, "weight": 25, "time": "2026-11-21T14:10:00Z"}},
            backoffLimit=5, gates=gates, promote={"steps": [5, 25, 100]})
        page = self.open(self.PLACE, width=1280)
        page.until(self.PANEL)
        facts = self.facts(page)
        self.assertTrue(facts.pop("Phase").startswith("Promoting since "), facts)
        self.assertEqual(facts, {"Attempt": "2 of at most 6", "Dataset version": "v42 <b>", "Goes on at": "step 8,000",
                                 "Promotion": "25 % of the traffic · step 2 of 3"})
        self.assertEqual(text(page, "#job .headline .badge"), "Running")  # beside its own word
        shown = self.tables(page)
        self.assertEqual(shown[0], ["Gates", "loss|val_loss <= 1.5|Passed|1.31|", "bias|bias < 0.1|Running||pod llama-bias runs",
                                    "speed|p99 < 9|not begun||"])
        self.assertEqual([row.split("|")[::3] for row in shown[1][1:]],
                         [["9,000", "s3://c/9000 (refused)"], ["8,000", "s3://c/8000"]])
        self.assertEqual([row.split("|")[1] for row in shown[1][1:]], ["2", "1"])

    def test_before_it_began_and_after_it_was_rolled_back(self):
        self.server.cluster("alpha")
        self.training({"phase": "Queued"})
        page = self.open(self.PLACE)
        page.until(self.PANEL)
        self.assertEqual(self.facts(page), {"Phase": "Queued", "Attempt": "none yet"})
        self.assertEqual(self.tables(page), [])

    def test_rolled_back_on_a_phone(self):
        self.server.cluster("alpha")
        self.training({"phase": "ValidationFailed", "attempt": 1,
                       "checkpoints": [{"step": 1, "attempt": 1, "uri": "s3://bucket/" + 80 * "c", "time": ""}],
                       "promotion": {"step": 1, "weight": 0, "rolledBack": True}}, promote={"steps": [5, 100]})
        page = self.open(self.PLACE, width=360, height=740, mobile=True)
        page.until(self.PANEL)
        facts = self.facts(page)
        self.assertEqual((facts["Phase"], facts["Attempt"], facts["Promotion"]),
                         ("ValidationFailed", "1 of at most 3", "0 % of the traffic · step 1 of 2 · rolled back"))
        self.assertEqual(text(page, "#job .headline .badge"), "Failed")
        self.assertLessEqual(page.js("document.documentElement.scrollWidth"), 360)
