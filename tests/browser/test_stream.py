"""The stream breaks, goes quiet, and catches up."""
import fixture
import server
from fixture import row_says, rows, text


class Quiet(fixture.PageTest):
    heartbeat_ms = 50

    def test_heartbeats_are_seen(self):
        self.server.cluster("alpha")
        page = self.open()
        page.until("link.patience === 1100")
        page.js("link.patience = 1e9; window.beats = new Set(); window.told = store.clusters.get('alpha')")
        page.until("beats.add(link.lastBytes).size > 10")
        self.assertTrue(page.js("told === store.clusters.get('alpha') && link.is === 'live'"))


class Breaks(fixture.PageTest):
    def setUp(self):
        super().setUp()
        self.server.cluster("alpha")
        self.server.cluster("beta")
        for name in ("stays", "changes", "vanishes"):
            self.server.job(name)
        self.server.job("other", cluster="beta")

    def away(self, page):
        """What happens while the page can't see it."""
        self.server.job("changes", "Failed")
        self.server.step("delete", **server.job("vanishes"))
        self.server.step("forget", name="beta")
        self.server.job("comes", "Pending")

    def caught_up(self, page):
        page.until("document.querySelector('#link').dataset.is === 'live'")
        page.until(row_says("changes", "Failed"))
        self.assertEqual(sorted(rows(page)), ["changes", "comes", "stays"])
        self.assertEqual(page.js("document.querySelectorAll('details.cluster').length"), 1)
        self.assertTrue(page.js("document.querySelector('#lost').hidden"))
        changes = page.js("$('changes').textContent")
        self.assertIn("Running → Failed", changes)
        self.assertIn("deleted (was Running)", changes)
        self.assertEqual(text(page, "[data-state=Running] b"), "1")

    def test_the_monitor_stops_and_starts_again(self):
        page = self.open()
        page.until("rowsShown() === 4")
        self.server.step("down")
        page.until("document.querySelector('#link').dataset.is === 'lost'")
        self.assertEqual(text(page, "#link"), "Disconnected")
        page.until("/Next try in \\d+ s/.test(document.querySelector('#lost').innerText)")
        notice = text(page, "#lost")
        self.assertRegex(notice, r"Disconnected since \d")
        self.assertIn("What you see is as it was then.", notice)
        self.assertEqual(len(rows(page)), 4)                 # what was there is still to be seen
        duration = page.js("document.querySelector('.row .duration').textContent")
        page.until("link.tries > 1")                         # and a try later it stands as it stood
        self.assertEqual(page.js("document.querySelector('.row .duration').textContent"), duration)
        self.away(page)
        self.server.step("up")
        page.click("#try")
        self.caught_up(page)

    def test_it_comes_back_by_itself(self):
        page = self.open()
        self.server.step("down")
        page.until("document.querySelector('#link').dataset.is === 'lost'")
        self.away(page)
        self.server.step("up")
        self.caught_up(page)

    def test_a_line_that_went_dead_is_noticed_by_its_silence(self):
        page = self.open()
        page.until("rowsShown() === 4")
        page.until("link.patience === 31000")       # twice what the monitor tells, and a second
        self.server.step("mute")
        page.js("link.patience = 1000")
        page.until("document.querySelector('#link').dataset.is === 'lost'")
        self.assertIn("not even a heartbeat", text(page, "#lost"))
        page.js("link.patience = 31000")
        self.away(page)
        self.server.step("unmute")
        self.caught_up(page)

    def test_the_page_is_opened_while_the_monitor_answers_with_errors(self):
        self.server.step("answer", path="/api/v1/events", status=503, body="{}")
        page = self.browser.page(self.server.url)
        self.addCleanup(page.close)
        page.until("document.querySelector('#lost')?.hidden === false")
        self.assertIn("The monitor can't be reached", text(page, "#lost"))
        self.assertIn("the monitor answers 503", text(page, "#lost"))
        page.until("document.querySelector('#empty').innerText === 'Nothing was loaded yet.'")
        self.server.step("answer", path="/api/v1/events", status=0)
        page.until("rowsShown() === 4")

    def test_a_login_that_is_asked_for_again(self):
        page = self.open()
        self.server.step("answer", path="/api/v1/events", status=401, body="{}")
        self.server.step("down")
        self.server.step("up")
        page.until("document.querySelector('#lost').innerText.includes('asks for a login again; reload this page')")
        self.assertEqual(len(rows(page)), 4)

    def test_an_open_job_view_catches_up_too(self):
        page = self.open("?job=alpha%2Fml%2FPyTorchJob%2Fchanges")
        page.until("document.querySelector('#job .headline')")
        self.server.step("down")
        page.until("document.querySelector('#link').dataset.is === 'lost'")
        self.away(page)
        self.server.step("up")
        page.until("document.querySelector('#job .headline .badge').innerText === 'Failed'")
        page.until("document.querySelectorAll('.timeline .piece').length === 2")

    def test_nobody_reads_twice(self):
        page = self.open()
        self.server.step("down")
        page.until("document.querySelector('#link').dataset.is === 'lost'")
        self.server.step("up")
        page.click("#try")
        page.until("document.querySelector('#link').dataset.is === 'live'")
        page.until("rowsShown() === 4")
        fixture.eventually(lambda: self.server.step("clients") == "1")   # it may notice late that one hung up
