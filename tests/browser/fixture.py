"""What the tests share: one browser for all, a scripted server and a page for each."""
import time
import unittest

import chromium
import server


class PageTest(unittest.TestCase):
    browser = None       # made by the first test, closed by run.py
    heartbeat_ms = 15000

    @classmethod
    def setUpClass(cls):
        if PageTest.browser is None:
            PageTest.browser = chromium.Browser()

    def setUp(self):
        self.server = self.make_server()
        self.addCleanup(self.server.close)
        self.pages = []

    def make_server(self):
        return server.Server(self.heartbeat_ms)

    def open(self, address="", **size):
        """A page at this address, live."""
        page = self.browser.page(self.server.url + address, **size)
        self.pages.append(page)
        self.addCleanup(page.close)
        page.until("document.readyState === 'complete' && document.querySelector('#link').dataset.is === 'live'")
        return page

    def tearDown(self):
        # Nothing may go wrong unseen: an exception in the page, a breach of its security policy.
        self.assertEqual([error for page in self.pages for error in page.errors], [])


def note(text):
    """Something for the reader of test.sh, who is shown the lines that begin so."""
    print(f"\nnote: {text}", flush=True)


def eventually(holds):
    """Asks again and again; each question is a round trip, so nothing sleeps."""
    deadline = time.monotonic() + chromium.PATIENCE
    while not holds():
        if time.monotonic() > deadline:
            raise chromium.Failure("it did not come about")


# In the page's language: what a test asks often.
def rows(page):
    """The names of the jobs in the document, from the top."""
    return page.js("shownRows().sort((a, b) => a.getAttribute('aria-rowindex') - b.getAttribute('aria-rowindex'))"
                   ".map(r => r.querySelector('a').textContent)")


def text(page, selector):
    return page.js("document.querySelector(%r)?.innerText ?? ''" % selector)


def row_says(name, words):
    """An expression: the row of that job shows those words."""
    return ("shownRows().some(r => r.querySelector('a').textContent === %r && "
            "r.innerText.includes(%r))" % (name, words))


def focused(page):
    return page.js("document.activeElement?.querySelector?.('a')?.textContent ?? document.activeElement?.id")
