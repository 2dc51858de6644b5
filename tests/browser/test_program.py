"""The page before the real program with its simulated clusters, which join, fail and leave."""
import re
import subprocess
import tempfile
import threading
import unittest

import fixture
import server


class Monitor:
    """The program itself with its demonstration, as a context."""

    def __init__(self, *arguments):
        self.process = subprocess.Popen(
            [server.training_monitor(), "--demo", "--listen", "127.0.0.1:0", "--output", "none", "--log-format", "json",
             *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.url = None
        for line in self.process.stderr:
            found = re.search(r"http://127\.0\.0\.1:\d+/", line)
            if found:
                self.url = found.group(0)
                break
        # Nobody reads the rest, and it may not stand still for that.
        threading.Thread(target=lambda stream: [None for _ in stream], args=[self.process.stderr], daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise


@unittest.skipUnless(server.training_monitor(), "training_monitor is not built")
class Program(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        fixture.PageTest.setUpClass()

    def test_the_demonstration(self):
        with Monitor() as monitor:
            page = fixture.PageTest.browser.page(monitor.url)
            self.addCleanup(page.close)
            page.until("document.querySelectorAll('details.cluster').length === 2")
            page.until("[...document.querySelectorAll('.row')].some(r => r.innerText.includes('Running'))")
            page.until("document.querySelector('#changes').innerText.includes('→')")
            page.until("document.querySelectorAll('details.cluster').length === 3", "gamma joins")
            page.js("goJob(order.find(j => j.state === 'Running') || order[0])")
            page.until("document.querySelector('#job .timeline') && document.querySelector('#job .commands')")
            page.until("document.querySelector('#job').innerText.includes('Conditions')")
            page.js("history.back()")
            page.until("document.querySelector('details.cluster .health.bad')", "alpha can't be reached")
            page.until("store.clusters.get('alpha')?.state === 'live'", "alpha is back")
            self.assertEqual(page.errors, [])

    def test_a_token_opens(self):
        with tempfile.NamedTemporaryFile("w", suffix=".tokens") as tokens:
            tokens.write("a-token-of-some-length\n")
            tokens.flush()
            with Monitor("--token-file", tokens.name) as monitor:
                wrong = fixture.PageTest.browser.page(monitor.url, login="another-token-of-some-length")
                self.addCleanup(wrong.close)
                wrong.until("document.readyState === 'complete' && location.href === %r" % monitor.url)
                fixture.eventually(lambda: wrong.js("document.body.innerText") and wrong.asked == 2)
                self.assertIsNone(wrong.js("document.querySelector('#grid')"))
                self.assertNotIn("alpha", wrong.js("document.body.innerText"))
                page = fixture.PageTest.browser.page(monitor.url, login="a-token-of-some-length")
                self.addCleanup(page.close)
                page.until("document.querySelectorAll('details.cluster').length >= 2 && link.is === 'live'")
                page.until("document.querySelector('.row')")
                self.assertEqual(page.asked, 1)       # the stream and the rest go by what the page was opened with
                page.js("goJob(order[0])")
                page.until("document.querySelector('#job .timeline')")
                self.assertEqual((page.asked, page.errors), (1, []))
