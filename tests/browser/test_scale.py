"""Ten thousand jobs: the first picture, scrolling, and what the document holds.

The figures are printed as notes. What is held to a bound is either far from it, or not wall time: others use the
machine, too.
"""
import fixture
import server
from fixture import focused, note, row_says, rows

MANY = 10000
STATES = ["Running", "Succeeded", "Pending", "Failed", "Queued", "Succeeded", "Running", "Restarting"]


def fleet(n=MANY):
    for c in range(8):
        yield {"op": "cluster", **server.cluster(f"cluster-{c}", objects=n // 8)}
    for i in range(n):
        yield {"op": "job", **server.job(f"train-{i:05d}", STATES[i % 8], cluster=f"cluster-{i % 8}",
                                         namespace=f"team-{i % 23}", startTime=f"2026-11-{1 + i % 20:02d}T{i % 24:02d}:{i % 60:02d}:00Z")}


# Milliseconds of work that does not change with the page: how fast the machine is at the moment.
REFERENCE = """Math.min(...[1, 2, 3].map(() => {
    const begun = performance.now();
    JSON.parse(JSON.stringify([...store.jobs.values()])).sort((a, b) => a.name < b.name ? 1 : -1);
    return performance.now() - begun;
}))"""

SCROLL = """new Promise(done => {
    document.querySelector('#rows').scrollIntoView();
    const times = [];
    let last = 0, at = scrollY, nodes = 0;
    const step = now => {
        if (last) times.push(now - last);
        last = now;
        nodes = Math.max(nodes, document.querySelectorAll('.row').length);
        at += %d;
        if (times.length === 150) return done({times, nodes, all: document.querySelectorAll('*').length});
        scrollTo(0, at);
        requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
})"""


class Scale(fixture.PageTest):
    def setUp(self):
        super().setUp()
        self.server.steps(fleet())

    def open(self, address="", **size):
        page = super().open(address, **size)
        page.call("Performance.enable", {"timeDomain": "threadTicks"})  # what work() asks is processor time
        return page

    def test_first_useful_paint(self):
        page = self.open()
        page.until("link.is === 'live' && store.jobs.size === %d" % MANY)
        page.call("Page.addScriptToEvaluateOnNewDocument", {"source": """
            new MutationObserver((_, o) => { if (document.querySelector('.row')) { o.disconnect();
                requestAnimationFrame(() => requestAnimationFrame(() => { window.rowsAt = performance.now(); })); } })
                .observe(document, {childList: true, subtree: true});"""})
        found, times_the_reference = [], []
        for _ in range(3):
            page.open(self.server.url)
            page.until("window.rowsAt && performance.getEntriesByName('first-contentful-paint').length")
            first, useful = page.js("[performance.getEntriesByName('first-contentful-paint')[0].startTime, window.rowsAt]")
            page.until("link.is === 'live' && store.jobs.size === %d" % MANY)
            found.append((self.work(page), first, useful, page.js("performance.now()")))
            times_the_reference.append(useful / page.js(REFERENCE))
        work, first, useful, whole = sorted(found)[1]
        note(f"{MANY} jobs: first contentful paint {first:.0f} ms, first rows painted {useful:.0f} ms, all there "
             f"after {whole:.0f} ms; {work:.0f} ms of script, style and layout (median of 3); first "
             f"rows painted after {min(times_the_reference):.1f} times the reference")
        self.assertLess(work, 500)
        # A second, where the reference takes 40 ms.
        self.assertLess(min(times_the_reference), 25)

    def test_scrolling(self):
        page = self.open()
        page.until("order.length === %d" % MANY)
        # A strong flick of the finger, and faster than anybody reads: forty rows a frame.
        for step, bound in ((200, 16), (1400, 60)):
            before = self.work(page)
            frames = page.js(SCROLL % step)
            work = (self.work(page) - before) / len(frames["times"])
            times = sorted(frames["times"])
            p50, p95 = (times[int(len(times) * q)] for q in (.5, .95))
            note(f"scrolling {MANY} jobs by {step} pixels a frame: {work:.1f} ms of script, style and layout a "
                 f"frame, frames p50 {p50:.1f} ms, p95 {p95:.1f} ms; at most {frames['nodes']} rows in the document")
            self.assertLess(frames["nodes"], 120)
            self.assertLess(frames["all"], 3000)
            self.assertLess(work, bound)

    def work(self, page, parts=("ScriptDuration", "LayoutDuration", "RecalcStyleDuration")):
        """Milliseconds that the page has worked; how fast pictures are painted is the machine's affair."""
        metrics = {m["name"]: m["value"] for m in page.call("Performance.getMetrics")["metrics"]}
        return 1000 * sum(metrics[name] for name in parts)

    def test_what_is_in_sight_is_right_wherever_one_scrolls(self):
        page = self.open("?sort=name")
        page.until("order.length === %d && link.is === 'live'" % MANY)
        for at in (0, 5000, 9990):
            page.js("scrollTo(0, document.querySelector('#rows').offsetTop + %d * 36)" % at)
            page.until("shownRows().map(r => r.querySelector('a')).some(a => a.textContent === 'train-%05d')" % at)
            # In one call: what comes above the rows between two calls shifts them.
            shown = page.js("shownRows().map(r => [r.querySelector('a').textContent, +r.getAttribute('aria-rowindex')])"
                            ".sort((a, b) => a[1] - b[1])")
            first = int(shown[0][0][-5:])
            self.assertEqual(shown, [[f"train-{i:05d}", i + 2] for i in range(first, first + len(shown))])

    def test_keys_reach_the_end_and_the_focus_outlives_the_scroll(self):
        page = self.open("?sort=name")
        page.until("order.length === %d && link.is === 'live'" % MANY)
        page.js("focusRow(0)")
        page.key("End")
        page.until("document.activeElement.querySelector?.('a')?.textContent === 'train-09999'")
        page.key("PageUp")
        self.assertLess(focused(page), "train-09990")
        page.js("focusRow(100); scrollTo(0, 200000)")
        page.until("rowsShown() > 20 && !document.querySelector('.row a').textContent.startsWith('train-00100')"
                   " || document.activeElement.matches('.row')")
        self.assertEqual(focused(page), "train-00100")
        page.key("ArrowDown")
        self.assertEqual(focused(page), "train-00101")

    def test_many_changes_at_once(self):
        page = self.open("?sort=name")
        page.until("order.length === %d && link.is === 'live'" % MANY)
        page.js("window.longest = 0; new PerformanceObserver(l => l.getEntries().forEach(e => { "
                "longest = Math.max(longest, e.duration); })).observe({type: 'longtask'});"
                "window.pictures = 0; window.drawOnce = frame; frame = () => { ++pictures; drawOnce(); }")
        # What a stream's events cost is not in ScriptDuration.
        before = self.work(page, ["TaskDuration"])
        for state in ("Running", "Failed"):
            self.server.steps({"op": "job", **server.job(f"train-{i:05d}", state, cluster=f"cluster-{i % 8}",
                                                         namespace=f"team-{i % 23}")} for i in range(0, 2000))
        # What is asked again and again is work as well: this costs little.
        page.until("document.querySelector('[data-state=Failed] b').textContent === (2000 + 1000).toLocaleString('en')")
        work = self.work(page, ["TaskDuration"]) - before
        self.assertEqual(page.js("[...store.jobs.values()].filter(j => j.name < 'train-02000' && j.state === 'Failed').length"), 2000)
        page.until(row_says("train-00003", "Failed"))
        longest, reference, pictures = page.js(f"[window.longest, {REFERENCE}, pictures]")
        note(f"4000 changes while {MANY} jobs are shown: {work:.0f} ms of all tasks in {pictures} pictures; the longest "
             f"{longest:.0f} ms, {longest / reference:.1f} times the reference")
        # The slower a busy machine sends the changes, the more pictures show them, each of 50 ms.
        self.assertLess(work, 600 + 80 * pictures)
        self.assertLess(longest / reference, 15)

    def test_search_is_at_once(self):
        page = self.open()
        page.until("order.length === %d && link.is === 'live'" % MANY)
        before = self.work(page)
        took = page.js("""new Promise(done => { const t = performance.now(); go({q: 'train-0123'});
            requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - t))); })""")
        page.until("order.length === 10")
        work = self.work(page) - before
        # How many of them are in sight depends on what has come above them meanwhile.
        self.assertTrue(rows(page) and all(name.startswith("train-0123") for name in rows(page)), rows(page))
        note(f"searching {MANY} jobs until it is drawn: {took:.0f} ms; {work:.0f} ms of script, style and layout")
        self.assertLess(work, 250)

    def test_the_stream_breaks_and_all_is_told_anew(self):
        page = self.open()
        page.until("order.length === %d && link.is === 'live'" % MANY)
        self.server.step("down")
        page.until("link.is === 'lost'")
        self.server.steps({"op": "delete", **server.job(f"train-{i:05d}", cluster=f"cluster-{i % 8}",
                                                        namespace=f"team-{i % 23}")}
                          for i in range(0, MANY, 2))
        self.server.step("up")
        page.until("link.is === 'live' && order.length === %d" % (MANY // 2))
        self.assertEqual(page.js("store.jobs.size"), MANY // 2)
