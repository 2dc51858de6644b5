"""The overview: it changes before the eyes, and can be searched, filtered, sorted and shared."""
import datetime
import json

import fixture
import server
from fixture import focused, row_says, rows, text


class Live(fixture.PageTest):
    def test_a_job_goes_through_its_states(self):
        self.server.cluster("alpha")
        self.server.job("bert", "Pending")
        page = self.open()
        page.until(row_says("bert", "Pending"))
        self.assertEqual(text(page, "[data-state=Pending] b"), "1")
        self.server.job("bert", "Running")
        page.until(row_says("bert", "Running"))
        self.assertEqual(text(page, "[data-state=Running] b"), "1")
        self.assertEqual(text(page, "[data-state=Pending] b"), "0")
        self.assertEqual(text(page, "#gpus"), "8 of 8 running")
        page.until("document.querySelector('#changes').textContent.includes('Pending → Running')")
        self.server.step("delete", **server.job("bert", "Running"))
        page.until("rowsShown() === 0")
        page.until("document.querySelector('#empty').innerText.includes('no jobs in these clusters')")

    def test_the_duration_ticks(self):
        self.server.cluster("alpha")
        started = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(minutes=3)
        self.server.job("bert", "Running", startTime=started.strftime("%Y-%m-%dT%H:%M:%SZ"))
        page = self.open()
        first = page.until("document.querySelector('.row .duration')?.textContent")
        page.until("document.querySelector('.row .duration').textContent !== %r" % first)

    def test_the_title_of_a_tab_in_the_background(self):
        self.server.cluster("alpha")
        self.server.job("bert", "Running")
        page = self.open()
        page.until("document.title === '1 running, 0 failed · Training jobs'")
        page.js("Object.defineProperty(document, 'hidden', {get: () => true}); window.requestAnimationFrame = () => 0")
        self.server.job("bert", "Failed")
        page.until("document.title === '0 running, 1 failed · Training jobs'")

    def test_a_cluster_dies_and_returns(self):
        self.server.cluster("alpha")
        self.server.cluster("beta")
        page = self.open()
        page.until("document.querySelectorAll('details.cluster').length === 2")
        self.assertEqual(page.js("document.querySelector('details.cluster strong').textContent"), "alpha")
        self.server.cluster("beta", "unreachable", reason="connect: connection refused")
        # Trouble comes first, and says why.
        page.until("document.querySelector('details.cluster strong').textContent === 'beta'")
        self.assertIn("connection refused", page.js("document.querySelector('details.cluster .reason').textContent"))
        self.assertIn("1 of 2 live", text(page, "#clusters-sum"))
        self.server.cluster("beta")
        page.until("document.querySelector('details.cluster strong').textContent === 'alpha'")
        self.assertIn("2 of 2 live", text(page, "#clusters-sum"))
        changes = page.js("$('changes').textContent")
        self.assertIn("cluster beta: live → unreachable: connect: connection refused", changes)
        self.assertIn("cluster beta: unreachable → live", changes)
        self.server.step("forget", name="beta")
        page.until("document.querySelectorAll('details.cluster').length === 1")

    def test_a_cluster_opens_to_its_kinds(self):
        self.server.cluster("alpha", generation=7)
        page = self.open()
        page.until("document.querySelector('details.cluster')")
        page.click("details.cluster summary")
        page.until("document.querySelector('details.cluster[open] tbody')?.rows.length === 4")
        self.assertIn("configuration 7", text(page, "details.cluster"))
        self.assertIn("https://alpha.example.com:6443", text(page, "details.cluster"))
        page.click("details.cluster .only")
        page.until("location.search === '?cluster=alpha'")

    def test_empty_states_say_what_is_missing(self):
        page = self.open()
        page.until("document.querySelector('#empty').innerText === 'No jobs are known: No clusters: the directory /clusters "
                   "(--clusters) has none.'")
        self.assertEqual(text(page, "#link"), "No clusters: the directory /clusters (--clusters) has none")
        self.assertEqual(page.js("document.title"), "No clusters · Training jobs")
        self.assertEqual(page.js("document.querySelector('[data-state=Failed] b').textContent"), "?")
        self.server.cluster("alpha")
        page.until("document.querySelector('#empty').innerText === 'There are no jobs in these clusters.'")
        self.server.job("bert")
        page.until("rowsShown() === 1")
        page.js("go({q: 'no such thing'})")
        page.until("document.querySelector('#empty').innerText === 'No job fits these filters.'")


class Filters(fixture.PageTest):
    def setUp(self):
        super().setUp()
        self.server.cluster("alpha")
        self.server.cluster("beta")
        self.server.job("bert", "Running", startTime="2026-11-21T10:00:00Z", gpus=2)
        self.server.job("gpt", "Failed", startTime="2026-11-21T11:00:00Z", gpus=16)
        self.server.job("llama", "Running", cluster="beta", startTime="2026-11-21T12:00:00Z", gpus=8)
        self.server.job("convert", "Succeeded", cluster="beta", namespace="data", kind="Job",
                        startTime="2026-11-21T09:00:00Z", gpus=0)

    def test_the_address_says_what_is_shown(self):
        cases = [
            ("", ["llama", "gpt", "bert", "convert"]),
            ("?cluster=beta", ["llama", "convert"]),
            ("?namespace=data", ["convert"]),
            ("?kind=PyTorchJob&state=Running", ["llama", "bert"]),
            ("?state=Running,Failed", ["llama", "gpt", "bert"]),
            ("?state=Running&state=Failed&cluster=alpha", ["gpt", "bert"]),
            ("?q=LLa", ["llama"]),
            ("?q=beta+data", ["convert"]),
            ("?sort=name", ["bert", "convert", "gpt", "llama"]),
            ("?sort=-gpus", ["gpt", "llama", "bert", "convert"]),
            ("?sort=nonsense", ["llama", "gpt", "bert", "convert"]),
        ]
        page = self.open()
        for address, names in cases:
            with self.subTest(address):
                page.js("history.pushState({}, '', %s); dispatchEvent(new PopStateEvent('popstate'))" % json.dumps("/" + address))
                page.until("JSON.stringify(order.map(j => j.name)) === %s && rowsShown() === %d"
                           % (json.dumps(json.dumps(names, separators=(",", ":"))), len(names)))
                self.assertEqual(rows(page), names)

    def test_opened_with_an_address(self):
        page = self.open("?cluster=beta&state=Running&sort=name")
        page.until("rowsShown() === 1")
        self.assertEqual(rows(page), ["llama"])
        self.assertEqual(page.js("document.querySelector('#by-cluster').value"), "beta")
        self.assertEqual(page.js("document.querySelector('[data-state=Running]').getAttribute('aria-pressed')"), "true")
        self.assertIn("1 of 4", text(page, "#shown"))

    def test_tiles_selects_sort_and_back(self):
        page = self.open()
        page.until("rowsShown() === 4")
        page.click("[data-state=Running]")
        page.until("location.search === '?state=Running' && rowsShown() === 2")
        page.js("(s => { s.value = 'beta'; s.dispatchEvent(new Event('change')); })(document.querySelector('#by-cluster'))")
        page.until("location.search === '?cluster=beta&state=Running' && rowsShown() === 1")
        page.click("[data-sort=name]")
        page.until("location.search.endsWith('&sort=name')")
        self.assertEqual(page.js("document.querySelector('#head .name').getAttribute('aria-sort')"), "ascending")
        page.click("[data-sort=name]")
        page.until("location.search.endsWith('&sort=-name')")
        for search, count in [("?cluster=beta&state=Running&sort=name", 1), ("?cluster=beta&state=Running", 1),
                              ("?state=Running", 2), ("", 4)]:
            page.js("history.back()")
            page.until("location.search === %r && rowsShown() === %d" % (search, count))
        self.assertEqual(page.js("document.querySelector('[data-state=Running]').getAttribute('aria-pressed')"), "false")
        page.js("history.forward()")
        page.until("location.search === '?state=Running' && rowsShown() === 2")
        page.click("#clear")
        page.until("location.search === '' && rowsShown() === 4")

    def test_typing_is_one_step_of_the_history(self):
        page = self.open()
        page.key("/")
        page.until("document.activeElement.id === 'search'")
        for letter in "bert":
            page.type(letter)
        page.until("location.search === '?q=bert' && rowsShown() === 1")
        page.js("history.back()")
        page.until("location.search === '' && rowsShown() === 4")

    def test_a_change_of_state_moves_a_job_out_of_the_filter(self):
        page = self.open("?state=Running")
        page.until("rowsShown() === 2")
        self.server.job("bert", "Failed", startTime="2026-11-21T10:00:00Z")
        page.until("rowsShown() === 1")
        self.assertEqual(rows(page), ["llama"])

    def test_keys_alone(self):
        page = self.open()
        page.until("rowsShown() === 4")
        page.key("/")
        page.until("document.activeElement.id === 'search'")
        page.key("ArrowDown")
        page.until("document.activeElement.matches('.row')")
        self.assertEqual(focused(page), "llama")
        page.key("ArrowDown")
        page.key("ArrowDown")
        self.assertEqual(focused(page), "bert")
        page.key("End")
        self.assertEqual(focused(page), "convert")
        page.key("Home")
        self.assertEqual(focused(page), "llama")
        page.key("ArrowDown")
        page.key("Enter")
        page.until("!document.querySelector('#job').hidden && document.activeElement.id === 'job-name'")
        self.assertEqual(text(page, "#job h1"), "gpt")
        page.key("Escape")
        page.until("!document.querySelector('#overview').hidden && document.activeElement.matches('.row')")
        self.assertEqual(focused(page), "gpt")
        page.key("?")
        page.until("document.querySelector('#help').open")
        page.key("Escape")
        page.until("!document.querySelector('#help').open")
        page.js("go({state: ['Failed']})")
        page.until("location.search === '?state=Failed'")
        page.key("x")
        page.until("location.search === ''")

    def test_the_row_that_has_the_focus_keeps_it(self):
        page = self.open()
        page.until("rowsShown() === 4")
        page.js("focusRow(2)")
        self.assertEqual(focused(page), "bert")
        self.server.job("newer", "Running", startTime="2026-11-21T13:00:00Z")   # comes in above it
        page.until("rowsShown() === 5")
        self.assertEqual(focused(page), "bert")
        page.key("ArrowUp")
        self.assertEqual(focused(page), "gpt")


class Hostile(fixture.PageTest):
    """Names come from clusters: they are text, whatever they hold."""
    EVIL = "<img src=x onerror=window.broken=1><script>window.broken=1</script>\"'&</span>"

    def test_names_are_text(self):
        evil = self.EVIL
        self.server.cluster(evil, "degraded", reason=evil, server=evil)
        self.server.job(evil, "Failed", cluster=evil, namespace=evil, reason=evil, message=evil, uid=evil,
                        labels={evil: evil}, replicas={evil: {"desired": 1}},
                        conditions=[{"type": evil, "status": evil, "reason": evil, "message": evil,
                                     "lastTransitionTime": evil}])
        self.server.step("answer", path="/api/v1/gone", status=200, body=json.dumps({"items": [
            dict.fromkeys(["cluster", "namespace", "name", "kind", "uid", "lastState", "lastSeen", "gone"], evil)]}))
        self.server.step("answer", path="/api/v1/notices", status=200, body=json.dumps({
            "queued": 0, "sent": 1, "failed": 1, "dropped": 0, "coalesced": 0, "deadLetters": [
                {"receiver": evil, "job": evil, "state": evil, "at": evil, "attempts": 3, "error": evil}]}))
        page = self.open()
        page.until("rowsShown() === 1")
        self.assertEqual(rows(page), [evil])
        page.click("details.cluster summary")
        page.until("document.querySelector('details.cluster[open] tbody')")
        page.until("!document.querySelector('#gone').hidden && !document.querySelector('#notices').hidden")
        self.server.job(evil, "Running", cluster=evil, namespace=evil, uid=evil, labels={evil: evil})
        page.until("document.querySelector('#changes').textContent.includes('Failed → Running')")
        page.js("focusRow(0)")
        page.key("Enter")
        page.until("document.querySelector('#job .labels')")
        self.assertEqual(text(page, "#job h1"), evil)
        self.assertIn(evil, text(page, "#job .labels"))
        # What is offered for a shell is quoted for it.
        self.assertIn("'\\''", text(page, "#job .commands"))
        page.reload()
        page.until("document.querySelector('#job .labels')")
        self.assertEqual(page.js("document.querySelectorAll('img, main script').length"), 0)
        self.assertIsNone(page.js("window.broken ?? null"))

    def test_quoting_survives_a_shell(self):
        import subprocess
        page = self.open()
        for name in ["plain-1", "a b", "$(touch /tmp/x)", "it's", "`id`", "a;b", "-n", "*", "\\", "\"", "a\nb"]:
            quoted = page.js("quote(%s)" % json.dumps(name))
            said = subprocess.run(["sh", "-c", f"printf %s {quoted}"], capture_output=True, text=True, check=True).stdout
            self.assertEqual(said, name)
