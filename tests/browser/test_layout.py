"""What an on-call engineer has before the eyes: many rows and whole sentences, and nothing that scrolls sideways."""
import datetime
import json

import fixture
import pictures
import test_usage
from fixture import text

SENTENCE = ("Worker 3 (rank 4) on gpu-17: exit code 1 after RuntimeError: NCCL communicator was aborted on rank 4, "
            "watchdog caught collective operation timeout")
# Rows that are whole between the sticky head and the lower edge.
WHOLE_ROWS = """(() => {
    const top = $('head').getBoundingClientRect().bottom;
    return shownRows().filter(r => { const b = r.getBoundingClientRect(); return b.top >= top - 1 && b.bottom <= innerHeight; }).length;
})()"""
# How many characters of a text fit into its cell.
FITS = """(cell => {
    const range = document.createRange(), text = cell.firstChild, right = cell.getBoundingClientRect().right;
    for (let n = text.length; n > 0; --n) {
        range.setStart(text, n - 1); range.setEnd(text, n);
        if (range.getBoundingClientRect().right <= right) return n;
    }
    return 0;
})"""
SIDEWAYS = """[...document.querySelectorAll('main *')].filter(e => e.scrollWidth > e.clientWidth + 1 &&
    ['auto', 'scroll'].includes(getComputedStyle(e).overflowX)).map(e => e.className || e.id || e.tagName)"""


def stamp(**ago):
    return (datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(**ago)).strftime("%Y-%m-%dT%H:%M:%SZ")


class Layout(fixture.PageTest):
    def settled(self, page):
        page.until("order.length > 20 && $('needs').children.length === Math.min(6, attention.needs.length)")
        page.js("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))")

    def test_twelve_rows_and_eighty_characters(self):
        pictures.fleet(self.server)
        for i in range(8):
            self.server.job(f"broken-{i}", "Failed", cluster="fra-h100", why="", message=SENTENCE, reason="",
                            completionTime=stamp(minutes=i))
        page = self.open(width=1440, height=900)
        self.settled(page)
        self.assertEqual(page.js("$('needs').children.length"), 6)
        self.assertGreaterEqual(page.js(WHOLE_ROWS), 12)
        page.js("go({q: 'broken-'})")
        page.until("order.length === 8")
        cell = "shownRows()[0].querySelector('.why')"
        self.assertEqual(page.js(cell + ".textContent"), SENTENCE)
        self.assertGreaterEqual(page.js(f"{FITS}({cell})"), 80)
        self.assertEqual(page.js("shownRows()[0].querySelector('.place').textContent"), "PyTorchJob · fra-h100 · ml")

    def test_the_sign_of_the_order_is_whole(self):
        self.server.cluster("alpha")
        self.server.job("bert")
        for width in (1280, 1440):
            page = self.open(width=width, height=900)
            page.until("rowsShown() === 1")
            names = page.js("[...document.querySelectorAll('#head button')].map(b => b.dataset.sort)")
            self.assertGreater(len(names), 4)
            for name in names:
                cell = f"document.querySelector('#head button[data-sort={name}]').parentNode"
                page.js(cell + ".querySelector('button').click()")
                page.until(f"{cell}.ariaSort && /[▼▲]/.test({cell}.textContent)")
                # What is left between the sign and what is cut off, or the next head.
                room = page.js(f"(c => (getComputedStyle(c).overflowX === 'visible' ? (c.nextElementSibling ?? "
                               "c.parentNode).getBoundingClientRect()[c.nextElementSibling ? 'left' : 'right'] : "
                               "c.getBoundingClientRect().right) - (r => { r.selectNodeContents(c); return "
                               f"r.getBoundingClientRect().right; }})(document.createRange()))({cell})")
                self.assertGreaterEqual(room, -0.5, (width, name))

    def test_nothing_scrolls_sideways(self):
        pictures.fleet(self.server)
        page = self.open(width=1280, height=900)
        self.settled(page)
        page.js("document.querySelectorAll('details').forEach(d => { d.open = true; })")
        page.until("document.querySelector('details.cluster tbody') && document.querySelectorAll('.chart').length === 2")
        self.assertEqual(page.js(SIDEWAYS), [])
        self.assertLessEqual(page.js("document.documentElement.scrollWidth"), 1280)

    def test_a_job_scrolls_nothing_sideways(self):
        self.server.cluster("alpha")
        self.server.job("bert", "Running", startTime=stamp(hours=2))
        self.server.job("bert", "Failed", startTime=stamp(hours=2), message=SENTENCE * 2, completionTime=stamp())
        self.server.step("pod", cluster="alpha", pod=json.dumps({
            "metadata": {"name": "bert-worker-0-" + 20 * "x", "namespace": "ml", "uid": "p0", "labels": {
                "training.kubeflow.org/job-name": "bert", "training.kubeflow.org/replica-type": "worker",
                "training.kubeflow.org/operator-name": "pytorchjob-controller", "training.kubeflow.org/replica-index": "0"}},
            "spec": {"nodeName": "gpu-17"}, "status": {"phase": "Failed", "containerStatuses": [{
                "name": "pytorch", "state": {"terminated": {"exitCode": 1, "reason": "Error", "message": SENTENCE}}}]}}))
        page = self.open("?job=alpha%2Fml%2FPyTorchJob%2Fbert", width=1280, height=900)
        page.until("[...document.querySelectorAll('#job h2')].some(h => h.innerText === 'Pods')")
        self.assertEqual(page.js(SIDEWAYS), [])

    def test_rows_are_drawn_on_a_phone_below_a_long_list(self):
        self.server.cluster("alpha")
        for i in range(12):
            self.server.job(f"broken-{i}", "Failed", message=SENTENCE, completionTime=stamp(minutes=i))
        page = self.open(width=390, height=844, mobile=True)
        page.until("$('needs').children.length === 3")
        page.click("#all-needs")
        page.until("$('needs').children.length === 12")
        page.until("document.querySelector('#rows').getBoundingClientRect().top > 3 * innerHeight / 2")
        page.until("rowsShown() >= 8", "rows far below are drawn before one scrolls")

    def test_folded_panels_open_and_stay_so(self):
        self.server.cluster("alpha")
        self.server.job("bert", "Pending")
        page = self.open()
        page.until("rowsShown() === 1")
        self.server.job("bert", "Running")
        page.until("$('changes-sum').textContent === 'bert Pending → Running'")
        self.assertFalse(page.js("$('fold-changes').open || $('fold-totals').open"))
        page.click("#fold-changes summary")
        page.until("$('changes').checkVisibility()")
        page.reload()
        page.until("$('fold-changes').open && !$('fold-totals').open")

    def test_many_clusters_are_chips_with_the_bad_first(self):
        for i in range(30):
            self.server.cluster(f"c{i:02d}", "unreachable" if i in (27, 28) else "live", reason="refused" if i > 26 else "")
        page = self.open(width=1440, height=900)
        page.until("document.querySelectorAll('details.cluster').length === 8")
        names = page.js("[...document.querySelectorAll('details.cluster strong')].map(s => s.textContent)")
        self.assertEqual(names[:3], ["c27", "c28", "c00"])
        self.assertIn("unreachable", text(page, "details.cluster"))
        self.assertEqual(text(page, "#all-clusters"), "22 more clusters")
        page.click("#all-clusters")
        page.until("document.querySelectorAll('details.cluster').length === 30")


class GpuPanels(fixture.PageTest):
    def test_what_matters_comes_first(self):
        self.server.cluster("alpha")
        self.server.step("gpus", items=json.dumps([{
            "cluster": "alpha", "state": "known", "reason": "", "listed": None, "waiting": 0, "missingRights": [],
            "products": [{"product": "H100", "nodes": 1, "usableNodes": 1, "allocatable": 8, "asked": 2, "free": 6,
                          "fits": [{"gpusPerPod": 4, "pods": 1}]}]}]))
        self.server.step("answer", path="/api/v1/fleet", status=200, body=json.dumps(
            {"items": [test_usage.cluster("alpha", test_usage.node("n1", test_usage.gpu(0)))]}))
        page = self.open(width=1280, height=900)
        page.until("!$('gpu-panel').hidden && !$('fleet').hidden")
        page.js("document.querySelectorAll('#extras details').forEach(d => { d.open = true; })")
        page.until("document.querySelector('#fleet tbody')")
        heads = "[...document.querySelectorAll('%s thead th')].map(h => h.textContent)"
        self.assertEqual(page.js(heads % "#gpu-panel")[:4], ["Product", "Cluster", "Free", "Fits"])
        self.assertEqual(page.js(heads % "#fleet")[:3], ["Node", "Health", "Last XID"])
