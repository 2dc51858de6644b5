"""The healer's page: cases, who waits for a human, policies, phases; the keyboard, a phone, the dark."""
import urllib.parse

import fixture
import healer
import test_axe
from fixture import text
from healer import case, policy, released, waits

ROWS = "[...document.querySelectorAll('#rows tr')].map(r => [...r.cells].slice(0, 5).map(c => c.innerText.trim()).join('|'))"
READ = "view.read && $('link').dataset.is === 'live'"
PHASE = "[...document.querySelectorAll('#phase-rows tr')].map(r => r.innerText.replace(/\\s+/g, ' ').trim())"


def busy():
    return [waits(), case("gpu-11", "Repairing", step="reset", attempt=1), case("gpu-12", "Held", reason="BreakerOpen"),
            case("gpu-13", "Cancelled", reason="HumanHold", message="rma-17", tainted=True),
            released("gpu-01", 30), released("gpu-02", 60)]


class Opened(fixture.PageTest):
    def make_server(self):
        return healer.HealerServer()

    def setUp(self):
        super().setUp()
        self.server.tell(busy(), [policy(ill=3, tainted=3, breaker=900, nodes=20)])

    def open_all(self, address="", **size):
        page = self.open(address, **size)
        page.until(READ)
        return page

    def tell(self, page, *told, **members):
        """The page has read and drawn it when this returns."""
        self.server.tell(*told, **members)
        page.js("poll()")


class Healer(Opened):
    def test_open_cases_first(self):
        page = self.open_all()
        self.assertEqual(sorted(page.js(ROWS)), ["gpu-07|NeedsHuman|NotHealthy|gpus|reboot, attempt 2", "gpu-11|Repairing||gpus|reset, attempt 1",
                                                 "gpu-12|Held|BreakerOpen|gpus|", "gpu-13|Taint left|HumanHold|gpus|"])
        self.assertEqual(text(page, "#sum"), "4 nodes with a case · 1 needs a human · 3 nodes ill · breaker open: gpus · gpu-healer-0 decides")
        self.assertEqual(page.js("document.title"), "1 needs a human: GPU healer")
        page.js("$('only').value = ''; $('only').oninput()")
        self.assertEqual(len(page.js(ROWS)), 6)
        page.js("$('only').value = 'ended'; $('filter').value = 'gpu-02'; $('filter').oninput()")
        self.assertEqual(page.js(ROWS), ["gpu-02|Released||gpus|roll-back, attempt 1"])

    def test_who_waits_for_a_human(self):
        page = self.open_all()
        told = text(page, "#humans")
        for words in ("gpu-07", "NotHealthy", "no step is left", "Repair the node by hand", "kubectl delete noderepair gpu-07-1a2b",
                      "spec.nodeName=gpu-07"):
            self.assertIn(words, told)
        self.tell(page, [case("gpu-11", "Repairing")])
        self.assertTrue(page.js("$('humans').hidden"))

    def test_one_case(self):
        page = self.open_all("#gpu-07-1a2b")
        page.until("!$('one').hidden")
        self.assertEqual(text(page, "#one-name"), "gpu-07 (gpu-07-1a2b)")
        self.assertIn("kcontrol.dev/gpu-unhealthy=GPUFailed:NoSchedule", text(page, "#one-what"))
        self.assertEqual(page.js("document.querySelectorAll('#timeline li').length"), 8)
        self.assertIn("Draining, StepFailed: reset: the server answers 500", text(page, "#timeline"))
        self.assertEqual(page.js("[...document.querySelectorAll('#commands code')].map(c => c.innerText)"), [
            "kubectl describe noderepair gpu-07-1a2b",
            "kubectl get pods --all-namespaces --field-selector spec.nodeName=gpu-07",
            "kubectl annotate node gpu-07 healing.kcontrol.dev/hold=REASON",
            "kubectl annotate node gpu-07 healing.kcontrol.dev/exempt=true",
            "kubectl delete noderepair gpu-07-1a2b"])
        page.js("location.hash = '#gpu-13-1a2b'")
        page.until("$('one-name').innerText.startsWith('gpu-13') && document.activeElement.id === 'one'")
        self.assertIn("kubectl annotate node gpu-13 healing.kcontrol.dev/hold-", text(page, "#commands"))

    def test_policies_and_the_breaker(self):
        page = self.open_all()
        told = text(page, "#policies")
        for words in ("Breaker open", "held: gpu-12", "kubectl annotate healingpolicy gpus healing.kcontrol.dev/reset-breaker=yes",
                      "gpus: admit 2 nodes more"):
            self.assertIn(words, told)
        self.tell(page, [], [policy(spec={"taint": {"effect": "NoExecute"}}), policy("dry", spec={"dryRun": True})])
        told = text(page, "#policy-rows")
        self.assertIn("Invalid", told)
        self.assertIn("Dry run", told)
        self.assertIn("invalid: gpus", text(page, "#sum"))

    def test_times_of_phases(self):
        page = self.open_all()
        told = page.js(PHASE)
        self.assertIn("Verifying 0 2m 2s 30m 0s 3", told)    # 122 s twice, 1800 s
        self.assertIn("Repairing 1 1m 58s 6m 30s 4", told)   # 100, 118, 118, 390 s
        self.assertIn("NeedsHuman 1 – – 0", told)
        page.js("[...document.querySelectorAll('#phase-rows button')].find(b => b.textContent === 'Held').click()")
        self.assertEqual(page.js(ROWS), ["gpu-12|Held|BreakerOpen|gpus|"])
        self.assertEqual(page.js("document.activeElement.id"), "list")

    def test_nothing_is_well_that_is_not_known(self):
        page = self.open_all()
        self.tell(page, [released("gpu-01", 30)])
        self.assertEqual(text(page, "#sum"), "No node has a case. gpu-healer-0 decides.")
        self.tell(page, [released("gpu-01", 30)], [policy(ill=1)])
        self.assertNotIn("No node has a case", text(page, "#sum"))
        self.tell(page, [], [])
        self.assertNotIn("No node has a case", text(page, "#sum"))
        self.assertEqual(text(page, "#no-policies"), "There is no HealingPolicy: no node is watched.")
        for trouble in ("the healer can't read NodeRepairs (forbidden)", "no replica leads: no case goes on"):
            self.tell(page, [], trouble=trouble)
            self.assertIn(trouble, text(page, "#lost"))
            self.assertEqual(page.js("$('link').dataset.is + ' ' + document.title"), "lost Disconnected: GPU healer")
            self.assertNotIn("No node has a case", text(page, "#sum"))
        self.tell(page, [])
        self.assertTrue(page.js("$('lost').hidden"))

    def test_a_server_that_is_away(self):
        page = self.open_all()
        self.server.step("answer", path="/api/v1/overview", status=503, body="{}")
        page.js("poll()")
        self.assertIn("it answers 503", text(page, "#lost"))
        self.assertEqual(len(page.js(ROWS)), 4)
        self.server.step("answer", path="/api/v1/overview", status=0, body="")
        page.js("$('try').click()")  # which may be hidden again by now
        page.until("$('lost').hidden && " + READ)

    def test_before_the_first_answer_nothing_is_said(self):
        self.server.step("answer", path="/api/v1/overview", status=500, body="{}")
        page = self.browser.page(self.server.url)
        self.pages.append(page)
        self.addCleanup(page.close)
        page.until("$('link').dataset.is === 'lost'")
        self.assertEqual(text(page, "#sum"), "")
        self.assertEqual(page.js("$('empty').hidden && $('no-policies').hidden && $('humans').hidden"), True)

    def test_the_keyboard(self):
        page = self.open_all()
        page.key("/", "/")
        page.type("GPU-11")
        page.until("document.querySelectorAll('#rows tr').length === 1")
        page.js("document.querySelector('#rows a').focus()")
        page.key("Enter", "\r")
        page.until("!$('one').hidden && document.activeElement.id === 'one'")
        page.key("Escape")
        page.until("$('one').hidden && document.activeElement.textContent === 'gpu-11'")

    def test_news_come_and_the_focus_stays(self):
        page = self.open_all()
        page.js("[...document.querySelectorAll('#rows a')].find(a => a.textContent === 'gpu-11').focus()")
        self.tell(page, [waits(), case("gpu-11", "Verifying")])
        self.assertIn("gpu-11|Verifying||gpus|", page.js(ROWS))
        self.assertEqual(page.js("document.activeElement.textContent"), "gpu-11")
        self.assertEqual(text(page, "#live"), "gpu-11: Verifying.")

    def test_a_command_is_copied(self):
        page = self.open_all("#gpu-11-1a2b")
        page.until("!$('one').hidden")
        page.js("Object.defineProperty(navigator, 'clipboard', {value: {writeText: async t => { window.copied = t; }}})")
        page.js("document.querySelector('#commands button').click()")
        page.until("window.copied !== undefined")
        self.assertEqual(page.js("window.copied"), "kubectl describe noderepair gpu-11-1a2b")

    def test_what_comes_is_text(self):
        evil = "<img src=x onerror=alert(1)>"
        self.server.tell([waits(evil, policy=evil, name=evil), case("x; rm -rf '/'", "Held", reason=evil, message=evil)], [policy(evil, breaker=9)])
        page = self.open_all("#" + urllib.parse.quote(evil))
        page.until("!$('one').hidden")
        self.assertEqual(page.js("document.querySelectorAll('main img').length"), 0)
        self.assertIn(evil, text(page, "#rows"))
        self.assertIn(f"kubectl delete noderepair '{evil}'", text(page, "#commands"))
        self.assertEqual(page.js("COMMANDS.hold(view.cases.find(c => c.phase === 'Held'))[1]"),
                         "kubectl annotate node 'x; rm -rf '\\''/'\\''' healing.kcontrol.dev/hold=REASON")

    def test_a_phone(self):
        page = self.open_all("#gpu-07-1a2b", width=390, height=844, mobile=True)
        page.until("!$('one').hidden")
        self.assertFalse(page.js("document.documentElement.scrollWidth > innerWidth"))
        cut = page.js("[...document.querySelectorAll('.box .scroll-x')].filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.parentNode.id)")
        self.assertNotIn("phases", cut)
        label = page.js("getComputedStyle(document.querySelector('[data-name=reason]'), '::before').content")
        self.assertEqual(label.replace('"', "").split(), ["reason"])

    def test_thousands_of_cases(self):
        self.server.tell([case(f"n-{i}", "Quarantined") for i in range(100)] + [released(f"old-{i}", i) for i in range(400)])
        page = self.open_all()
        self.assertEqual(len(page.js(ROWS)), 100)
        page.js("$('only').value = ''; $('only').oninput()")
        self.assertEqual(len(page.js(ROWS)), 200)
        self.assertEqual(text(page, "#older"), "300 older cases not shown: kubectl get noderepairs lists all.")


class HealerAxe(Opened):
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
                self.server.tell(busy(), [policy(ill=3, tainted=3, breaker=900, nodes=20)])
                page = self.open_all("#gpu-07-1a2b", motion=False, **look)
                page.until("!$('one').hidden")
                self.check(page, "one case")
                self.tell(page, busy(), trouble="the healer can't read Nodes (failed)")
                page.until("!$('lost').hidden")
                self.check(page, "disconnected")


if __name__ == "__main__":
    fixture.unittest.main()
