"""What needs attention, whose it is, what ended long ago, and what happened before the page was opened."""
import datetime
import json

import fixture
import server
from fixture import rows, text


def stamp(**ago):
    return (datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(**ago)).strftime("%Y-%m-%dT%H:%M:%SZ")


def needs(page):
    return page.js("[...$('needs').children].map(row => row.querySelector('a').textContent)")


def say(names):
    return ("JSON.stringify([...$('needs').children].map(row => row.querySelector('a').textContent)) === %s"
            % json.dumps(json.dumps(names, separators=(",", ":"))))


class Attention(fixture.PageTest):
    def setUp(self):
        super().setUp()
        self.server.cluster("alpha")
        self.server.job("fine", "Running", startTime=stamp(hours=2))
        self.server.job("waits", "Pending", startTime=None, at=stamp(hours=3))
        self.server.job("broken", "Failed", message="exit code 137", startTime=stamp(hours=2),
                        completionTime=stamp(minutes=7))
        self.server.job("long-ago", "Failed", startTime=stamp(days=3), completionTime=stamp(days=2))

    def test_the_urgent_first_and_why(self):
        page = self.open()
        page.until(say(["broken", "waits"]))
        first = page.js("$('needs').children[0].innerText")
        self.assertIn("Failed", first)
        self.assertIn("failed 7m ago", first)
        self.assertIn("exit code 137", first)
        self.assertIn("waiting for 3h", page.js("$('needs').children[1].innerText"))
        self.assertEqual(text(page, "#needs-sum"), "2")
        self.server.job("fine", "Restarting", startTime=stamp(hours=2))
        page.until(say(["broken", "fine", "waits"]))
        self.server.job("waits", "Running", startTime=stamp(seconds=1))
        page.until(say(["broken", "fine"]))
        page.click("#needs a")
        page.until("document.querySelector('#job-name')?.textContent === 'broken'")

    def test_what_was_seen_or_muted_stays_so(self):
        page = self.open()
        page.until(say(["broken", "waits"]))
        page.click("#needs li button")
        page.until(say(["waits"]))
        self.assertEqual(page.js("document.activeElement.getAttribute('aria-label')"), "Seen: waits")
        page.click("#needs li button:nth-of-type(2)")
        page.until(say([]))
        self.assertEqual(page.js("document.activeElement.id"), "marked")
        self.assertIn("All clear: no failures in the last 24 h", text(page, "#attention"))
        self.assertEqual(text(page, "#marked"), "2 seen or muted")
        page.reload()
        page.until("!$('attention').hidden && $('marked').innerText === '2 seen or muted'")
        self.assertEqual(needs(page), [])
        page.click("#marked")
        page.until(say(["broken", "waits"]))
        self.assertIn("(seen)", page.js("$('needs').children[0].innerText"))
        self.assertIn("(muted)", page.js("$('needs').children[1].innerText"))
        page.click("#needs li button")
        page.click("#marked")
        page.until(say(["broken"]))
        # One that was seen is news again once it is about something else.
        page.click("#needs li button")
        page.until(say([]))
        self.server.job("broken", "Restarting")
        page.until(say(["broken"]))

    def test_few_are_listed_until_somebody_wants_all(self):
        for i in range(9):
            self.server.job(f"broken-{i}", "Failed", completionTime=stamp(minutes=30 + i))
        page = self.open()
        page.until("$('needs').children.length === 6")
        self.assertEqual(text(page, "#all-needs"), "5 more")
        page.click("#all-needs")
        page.until("$('needs').children.length === 11")
        self.assertEqual(text(page, "#all-needs"), "Show fewer")

    def test_the_sign_of_the_tab(self):
        page = self.open()
        page.until("decodeURIComponent($('icon').href).includes('>2</text>')")
        for _ in range(2):
            page.click("#needs li button")
        page.until("$('icon').href.startsWith('data:image/svg') && !$('icon').href.includes('text')")
        self.server.step("down")
        page.until("document.title.startsWith('Disconnected · ')")
        self.assertIn("stroke", page.js("$('icon').href"))
        self.server.step("up")
        page.until("!document.title.startsWith('Disconnected')")

    def test_what_ended_long_ago_is_folded(self):
        page = self.open()
        page.until("rowsShown() === 3")
        self.assertNotIn("long-ago", rows(page))
        self.assertEqual(text(page, "#fold"), "1 job ended long ago: show")
        self.assertEqual(text(page, "#shown"), "3 of 4")
        page.click("#fold")
        page.until("rowsShown() === 4 && location.search === '?finished=1'")
        page.click("#fold")
        page.until("rowsShown() === 3 && location.search === ''")
        # Who asks for a state, or a word, gets all.
        page.js("go({state: ['Failed']})")
        page.until("rowsShown() === 2")
        page.js("go({state: [], q: 'long'})")
        page.until("rowsShown() === 1")


class OneCause(fixture.PageTest):
    """Jobs that failed for one cause are one row."""

    def break_job(self, name, node):
        self.server.step("pod", cluster="alpha", pod=json.dumps({
            "metadata": {"name": name + "-worker-0", "namespace": "ml", "uid": name, "labels": {
                "training.kubeflow.org/job-name": name, "training.kubeflow.org/replica-type": "worker",
                "training.kubeflow.org/operator-name": "pytorchjob-controller",
                "training.kubeflow.org/replica-index": "0"}},
            "spec": {"nodeName": node}, "status": {"phase": "Failed", "containerStatuses": [{
                "name": "pytorch", "state": {"terminated": {"exitCode": 1, "reason": "Error",
                                                            "message": "RuntimeError: XID 79"}}}]}}))
        self.server.job(name, "Failed", startTime=stamp(hours=2), completionTime=stamp(minutes=7))

    def setUp(self):
        super().setUp()
        self.server.cluster("alpha")
        for name in ("a1", "a2", "a3"):
            self.break_job(name, "gpu-3")
        self.break_job("b1", "gpu-4")

    def test_nothing_of_a_burst_is_cut(self):
        for i in range(47):
            self.break_job(f"llama-3-70b-{i:02}", "gpu-3")
        for width in (1280, 1440):
            page = self.open(width=width, height=900)
            page.until("document.querySelector('#needs .where')?.textContent.startsWith('50 jobs on gpu-3 ·')")
            self.assertEqual(page.js("""[...document.querySelectorAll('#needs .what:has(.group:not([hidden])) > *')]
                .filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.textContent)"""), [])

    def test_it_opens_by_mouse_and_by_keys(self):
        page = self.open()
        page.until("$('needs').children.length === 2 && document.querySelector('#needs .group')")
        self.assertEqual(text(page, "#needs-sum"), "2")
        row = "document.querySelector('#needs .group').closest('li')"
        group = "document.querySelector('#needs .group:not([hidden])')"
        self.assertEqual(page.js(row + ".where.textContent"), "3 jobs on gpu-3 · 24 GPUs · alpha")
        self.assertEqual(page.js(group + ".textContent"), "2 more")
        self.assertEqual(page.js(group + ".getAttribute('aria-expanded')"), "false")
        page.click("#needs .group")
        page.until("$('needs').children.length === 4")
        self.assertEqual(sorted(needs(page)), ["a1", "a2", "a3", "b1"])
        self.assertEqual(page.js("document.querySelectorAll('#needs .group:not([hidden])').length"), 1)
        self.assertEqual(page.js(group + ".getAttribute('aria-expanded')"), "true")
        self.assertEqual(page.js(row + ".where.textContent"), "ml · alpha")
        self.assertEqual(text(page, "#needs-sum"), "4")
        self.assertTrue(page.js(group + " === document.activeElement"))
        page.key("Enter")
        page.until("$('needs').children.length === 2")
        self.assertTrue(page.js(group + " === document.activeElement"))
        page.key("Enter")
        page.until("$('needs').children.length === 4")

    def test_its_button_is_seen_beside_long_names(self):
        for i in range(2):
            self.break_job(f"llama3-70b-instruct-preference-tuning-nightly-{i}", "gpu-17-of-the-second-hall")
        for width in (1280, 1440):
            page = self.open(width=width, height=900)
            page.until("document.querySelectorAll('#needs .group:not([hidden])').length === 2")
            covered = page.js("[...document.querySelectorAll('#needs .group:not([hidden])')].filter(b => { const r = "
                              "b.getBoundingClientRect(); return [r.left + 3, r.right - 3].some(x => "
                              "document.elementFromPoint(x, (r.top + r.bottom) / 2) !== b); }).map(b => b.innerText)")
            self.assertEqual(covered, [], width)
            gaps = page.js("[...document.querySelectorAll('#needs .where')].map(w => { const at = w.getBoundingClientRect(), "
                           "name = w.previousElementSibling.getBoundingClientRect(); "
                           "return at.top >= name.bottom - 1 ? 99 : at.left - name.right; })")
            self.assertGreater(min(gaps), 4, width)

    def test_one_mark_is_of_all(self):
        page = self.open()
        page.until("$('needs').children.length === 2 && document.querySelector('#needs .group')")
        page.js("document.querySelector('#needs .group').closest('li').seen.click()")
        page.until(say(["b1"]))
        self.assertEqual(text(page, "#marked"), "3 seen or muted")
        page.click("#marked")
        page.until("$('needs').children.length === 2")
        # Of one that is open it is that job's.
        page.js("document.querySelector('#needs .group').closest('li').seen.click()")
        page.until("$('marked').hidden || $('marked').innerText === '0 seen or muted'")
        page.click("#needs .group")
        page.until("$('needs').children.length === 4")
        page.js("document.querySelector('#needs .group').closest('li').seen.click()")
        page.until("marks.all.size === 1")

    def test_one_that_ends_alone_leaves_it(self):
        page = self.open()
        page.until("$('needs').children.length === 2 && document.querySelector('#needs .group')")
        for name in ("a1", "a2"):
            self.server.step("delete", **server.job(name))
        page.until("$('needs').children.length === 2 && !document.querySelector('#needs .group:not([hidden])')")
        self.assertEqual(sorted(needs(page)), ["a3", "b1"])

    def test_a_phone(self):
        page = self.open(width=360, height=740, mobile=True)
        page.until("$('needs').children.length === 2 && document.querySelector('#needs .group')")
        box = page.js("(b => [b.right, b.height])(document.querySelector('#needs .group').getBoundingClientRect())")
        self.assertLessEqual(box[0], 360)
        self.assertGreaterEqual(box[1], 38)   # to be hit with a thumb


class Dark(fixture.PageTest):
    """Clusters that can't be read: nothing looks healthy."""

    def go_dark(self, *names):
        for name in names:
            self.server.cluster(name, "unreachable", reason="connect: connection refused")

    def test_all_clusters_are_dead(self):
        self.go_dark("alpha", "beta", "gamma")
        page = self.open()
        page.until(say(["alpha", "beta", "gamma"]))
        first = page.js("$('needs').children[0].innerText")
        for words in ("unreachable", "can't be read for", "connection refused"):
            self.assertIn(words, first)
        self.assertEqual(text(page, "#link"), "3 of 3 clusters can't be read")
        self.assertEqual(page.js("document.title"), "? running, ? failed · Training jobs")
        self.assertEqual(page.js("[...document.querySelectorAll('.tile b')].map(b => b.textContent).join(' ')"),
                         "? ? ? ? ? ? ? ? ? ? of ? running")
        self.assertIn("No jobs are known: 3 of 3 clusters can't be read.", text(page, "#empty"))
        page.until("decodeURIComponent($('icon').href).includes('>3</text>')")
        # Muted they need nobody, and still nothing is clear.
        for left in (["beta", "gamma"], ["gamma"], []):
            page.click("#needs li button:nth-of-type(2)")
            page.until(say(left))
        self.assertEqual(text(page, "#no-need"), "3 of 3 clusters can't be read")
        self.assertFalse(page.js("$('attention').classList.contains('calm-now')"))
        page.until("decodeURIComponent($('icon').href).includes('>?</text>')")
        self.assertNotIn("2da44e", page.js("decodeURIComponent($('icon').href)"))

    def test_one_is_dead_and_returns(self):
        self.server.cluster("alpha")
        self.server.cluster("beta")
        self.server.job("fine", "Running")
        page = self.open()
        page.until("$('attention').classList.contains('calm-now')")
        self.assertEqual(text(page, "#link"), "Live")
        self.go_dark("beta")
        page.until(say(["beta"]))
        page.until("$('link').innerText === \"1 of 2 clusters can't be read\"")
        page.until("document.title === '1? running, ? failed · Training jobs'")
        self.assertFalse(page.js("$('attention').classList.contains('calm-now')"))
        page.click("#needs a")
        page.until("location.search === '?cluster=beta'")
        self.server.cluster("beta")
        page.until("$('link').innerText === 'Live' && $('attention').classList.contains('calm-now')")
        page.until("document.title === '1 running, 0 failed · Training jobs'")

    def test_one_that_loads_is_not_empty(self):
        self.server.cluster("alpha")
        self.server.cluster("beta", "connecting")
        page = self.open()
        page.until("$('no-need').innerText === '1 of 2 clusters not loaded yet'")
        self.assertEqual(text(page, "#link"), "1 of 2 clusters not loaded yet")
        self.assertFalse(page.js("$('attention').classList.contains('calm-now')"))


class Whose(fixture.PageTest):
    def test_team_owner_and_queue_are_shown_and_searched(self):
        self.server.cluster("alpha")
        self.server.job("bert", labels={"team": "nlp", "owner": "ada", "kueue.x-k8s.io/queue-name": "gold"})
        self.server.job("plain")
        page = self.open()
        page.until("rowsShown() === 2")
        self.assertEqual(page.js("shownRows().map(r => r.querySelector('.place').textContent).sort().join('|')"),
                         "PyTorchJob · alpha · ml|PyTorchJob · alpha · ml · nlp · ada · gold")
        for words, names in (("team=nlp", ["bert"]), ("ada", ["bert"]), ("running", ["bert", "plain"]), ("team=cv", [])):
            with self.subTest(words):
                page.js("go({q: %s})" % json.dumps(words))
                page.until("rowsShown() === %d" % len(names))
                self.assertEqual(sorted(rows(page)), names)
        page.js("goJob(order[0] ?? store.jobs.values().find(j => j.name === 'bert'))")
        page.until("document.querySelector('.facts')?.innerText.includes('Queue')")


class Before(fixture.PageTest):
    def test_changes_before_the_page_was_opened_are_told_once(self):
        self.server.cluster("alpha")
        self.server.job("bert", "Pending", startTime=None, at=stamp(hours=2))
        self.server.job("bert", "Running", at=stamp(hours=1))
        page = self.open()
        page.until("$('changes').textContent.includes('Pending → Running')")
        self.server.job("bert", "Failed")
        page.until("$('changes').children[0].textContent.includes('Running → Failed')")
        self.server.step("down")
        page.until("link.is === 'lost'")
        self.server.step("up")
        page.until("link.is === 'live'")
        self.assertEqual(page.js("changes.length"), 2)

    def test_nothing_is_zero_before_it_is_known(self):
        self.server.cluster("alpha")
        page = self.open()
        page.until("document.querySelector('[data-state=Running] b').textContent === '0'")
        page.js("everReady = false; drawTiles()")
        self.assertEqual(page.js("document.querySelector('[data-state=Running] b').textContent"), "")
