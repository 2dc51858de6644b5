"""The stream breaks, goes quiet, and catches up."""
import fixture
import server
from fixture import row_says, rows, text


class Breaks(fixture.PageTest):
    heartbeat_ms = 200     # so that a dead line is noticed after 1.4 s

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
        changes = text(page, "#changes")
        self.assertIn("Running → Failed", changes)
        self.assertIn("gone, was Running", changes)
        self.assertEqual(text(page, "[data-state=Running] b"), "1")

    def test_the_monitor_stops_and_starts_again(self):
        page = self.open()
        page.until("document.querySelectorAll('.row').length === 4")
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
        page.until("document.querySelectorAll('.row').length === 4")
        page.until("link.patience === 1400")
        self.server.step("mute")
        page.until("document.querySelector('#link').dataset.is === 'lost'")
        self.assertIn("not even a heartbeat", text(page, "#lost"))
        self.away(page)
        self.server.step("unmute")
        self.caught_up(page)

    def test_a_quiet_fleet_is_not_a_dead_line(self):
        page = self.open()
        page.until("link.patience === 1400")
        page.js("window.lost = 0; new MutationObserver(() => { if (link.is === 'lost') ++window.lost; })"
                ".observe(document.querySelector('#link'), {attributes: true})")
        page.until("(window.since ??= performance.now()) && performance.now() - window.since > 3000")
        self.assertEqual(page.js("window.lost"), 0)

    def test_the_page_is_opened_while_the_monitor_answers_with_errors(self):
        self.server.step("answer", path="/api/v1/events", status=503, body="{}")
        page = self.browser.page(self.server.url)
        self.addCleanup(page.close)
        page.until("document.querySelector('#lost')?.hidden === false")
        self.assertIn("The monitor can't be reached", text(page, "#lost"))
        self.assertIn("the monitor answers 503", text(page, "#lost"))
        self.assertEqual(text(page, "#empty"), "Nothing was loaded yet.")
        self.server.step("answer", path="/api/v1/events", status=0)
        page.until("document.querySelectorAll('.row').length === 4")

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
        page.until("document.querySelectorAll('.row').length === 4")
        self.assertEqual(self.server.step("clients"), "1")
