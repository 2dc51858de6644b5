"""The inference autoscaler's page: the list, one scaler with its charts, the keyboard, a phone, the dark."""
import autoscaler
import fixture
import test_axe
from fixture import text

ROWS = "[...document.querySelectorAll('#rows tr')].map(r => r.innerText.replace(/\\s+/g, ' '))"
QWEN = {"warming": 0, "wanted": 5}
LINE = "document.querySelector('#value .k-value')?.getAttribute('d').length > 50"


class Opened(fixture.PageTest):
    def make_server(self):
        return autoscaler.AutoscalerServer()

    def setUp(self):
        super().setUp()
        self.server.past("llama")
        self.server.past("qwen", spec={"dryRun": True}, **QWEN)

    def open_one(self, name="llama", **size):
        page = self.open(f"#ml/{name}", **size)
        page.until(LINE)
        return page

    def poll(self, page):
        page.js("poll()")

    def fail_at(self, status):
        self.server.step("answer", path="/api/v1/scalers", status=status, body="{}")


class Autoscaler(Opened):
    def test_the_list(self):
        self.server.look("down", conditions=[autoscaler.condition("Conflict", "True", "OtherAutoscaler", "HPA down")])
        page = self.open()
        page.until("document.querySelectorAll('#rows tr').length === 3")
        self.assertEqual(page.js(ROWS), [
            "ml/down Deployment/down Conflict 2 1 3 1–8 waiting: 9 (threshold 5)",
            "ml/llama Deployment/llama Warming 2 1 3 1–8 waiting: 9 (threshold 5)",
            "ml/qwen Deployment/qwen Dry run 2 0 5 1–8 waiting: 9 (threshold 5)"])
        self.assertEqual(text(page, "#sum"), "3 scalers · 6 ready · 2 warming · 11 wanted")
        self.assertEqual(page.js("document.title"), "1 in trouble: Inference autoscaler")
        asked = "performance.getEntriesByType('resource').filter(r => r.name.endsWith('/history')).length"
        self.assertEqual(page.js(asked), 0)

    def test_one_scaler(self):
        page = self.open_one()
        self.assertIn("waiting is 6.05, > 5: 3 replicas instead of 2", text(page, "#sentence"))
        self.assertIn("Ready: True Working", text(page, "#conditions"))
        self.assertIn("2 → 3", text(page, "#decisions"))
        self.assertTrue(page.js("$('dry').hidden"))
        self.assertIn("replicas 3, ready 2, warming 1, wanted 3, lower limit 1, upper limit 8",
                      page.js("$('replicas').getAttribute('aria-label')"))
        qwen = self.open_one("qwen")
        self.assertEqual(text(qwen, "#dry"), "Dry run: it would change 3 to 5 replicas.")

    def test_what_is_not_known(self):
        self.server.look("new", decision={}, conditions=[], replicas=0, ready=0, warming=0, wanted=0)
        page = self.open("#ml/new")
        page.until("document.querySelector('#replicas .k-replicas') !== null")
        self.assertEqual(text(page, "#sentence"), "Nothing was decided yet.")
        self.assertEqual(text(page, "#no-decisions"), "None since this program began.")
        for words in ("null", "undefined", "NaN"):
            self.assertNotIn(words, text(page, "main"))

    def test_the_keyboard(self):
        page = self.open()
        page.until("document.querySelectorAll('#rows tr').length === 2")
        page.key("/", "/")
        page.type("QW")
        page.until("document.querySelectorAll('#rows tr').length === 1")
        page.js("document.querySelector('#rows a').focus()")
        page.key("Enter", "\r")
        page.until(LINE + " && document.activeElement.id === 'one'")
        page.js("$('value').focus()")
        page.key("ArrowLeft")
        before = text(page, "#value-at")
        self.assertIn("value 8.95, threshold 5", before)
        page.key("Home")
        self.assertIn("value 3, threshold 5", text(page, "#value-at"))
        page.key("End")
        self.assertIn("value 9, threshold 5", text(page, "#value-at"))
        # What is read stays where it is when the list comes again.
        page.key("ArrowLeft")
        self.poll(page)
        self.assertEqual(text(page, "#value-at"), before)
        page.key("Escape")
        page.until("$('one').hidden && document.activeElement.textContent === 'ml/qwen'")
        page.js("$('filter').value = 'none'; $('filter').oninput()")
        self.assertEqual(text(page, "#empty"), "No scaler has that name.")

    def test_news_come_and_the_focus_stays(self):
        page = self.open()
        page.until("document.querySelectorAll('#rows tr').length === 2")
        page.js("document.querySelector('#rows a').focus()")
        self.server.look("llama", warming=0, ready=3)
        self.poll(page)
        page.until("document.querySelector('#rows').innerText.includes('Steady')")
        self.assertEqual(page.js("document.activeElement.textContent"), "ml/llama")
        self.assertEqual(text(page, "#live"), "ml/llama: Steady.")

    def test_a_server_that_is_away(self):
        page = self.open_one()
        self.fail_at(503)
        self.poll(page)
        page.until("!$('lost').hidden")
        self.assertIn("it answers 503", text(page, "#lost"))
        self.assertIn("ml/llama", text(page, "#rows"))
        self.fail_at(0)
        page.js("$('try').click()")  # which may be hidden again by now
        page.until("$('lost').hidden && $('link').dataset.is === 'live'")

    def test_names_are_text(self):
        self.server.look("<img src=x onerror=alert(1)>")
        page = self.open()
        page.until("document.querySelectorAll('#rows tr').length === 3")
        self.assertEqual(page.js("document.querySelectorAll('#rows img').length"), 0)

    def test_a_phone(self):
        page = self.open_one(width=390, height=844, mobile=True)
        self.assertFalse(page.js("document.documentElement.scrollWidth > innerWidth"))
        label = page.js("getComputedStyle(document.querySelector('[data-name=limits]'), '::before').content")
        self.assertEqual(label.replace('"', "").split(), ["limits"])  # as one text or as two

    def test_a_thousand_scalers(self):
        self.server.steps(autoscaler.look(f"m-{i}") for i in range(998))
        page = self.open()
        page.until("document.querySelectorAll('#rows tr').length === 1000")
        page.js("$('filter').value = 'm-99'; $('filter').oninput()")
        self.assertEqual(page.js("document.querySelectorAll('#rows tr').length"), 9)


class AutoscalerAxe(Opened):
    """axe-core finds nothing in any view."""

    check = test_axe.Axe.check
    source = None

    @classmethod
    def setUpClass(cls):
        cls.source = test_axe.axe()
        if cls.source is None:
            raise fixture.unittest.SkipTest("axe-core is not there, and npm can't fetch it")
        super().setUpClass()

    def test_every_view(self):
        for look in ({"dark": False}, {"dark": True}, {"width": 390, "height": 844, "mobile": True}):
            with self.subTest(look):
                page = self.open_one("qwen", motion=False, **look)
                self.check(page, "one scaler")
                self.fail_at(503)
                self.poll(page)
                page.until("!$('lost').hidden")
                self.check(page, "disconnected")
                self.fail_at(0)


if __name__ == "__main__":
    fixture.unittest.main()
