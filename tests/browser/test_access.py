"""For everybody: screen readers, keyboards, phones, dark rooms, people whom movement hurts."""
import fixture
import server
from fixture import text

# Every visible text against what is behind it. WCAG 2.2, 1.4.3: 4.5, and 3 where it is large.
CONTRAST = """(() => {
  const parse = c => { const m = c.match(/[\\d.]+/g).map(Number); return m.length > 3 ? m : [...m, 1]; };
  const linear = v => { v /= 255; return v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4; };
  const light = ([r, g, b]) => .2126 * linear(r) + .7152 * linear(g) + .0722 * linear(b);
  const behind = e => {
    for (; e; e = e.parentElement) {
      const c = parse(getComputedStyle(e).backgroundColor);
      if (c[3] === 1) return c;
    }
    return null;
  };
  const bad = []; let seen = 0;
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let n; (n = walk.nextNode());) {
    const e = n.parentElement;
    if (!n.data.trim() || !e.checkVisibility() || e.closest('.unseen, .skip, script, option')) continue;
    const style = getComputedStyle(e), back = behind(e);
    const ink = parse(e instanceof SVGElement ? style.fill : style.color);
    const [a, b] = [light(ink), light(back)].sort((x, y) => y - x);
    const size = parseFloat(style.fontSize), large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
    const ratio = (a + .05) / (b + .05);
    ++seen;
    if (ratio < (large ? 3 : 4.5)) {
      bad.push(`${ratio.toFixed(2)} ${style.color} on ${back}: ${n.data.trim().slice(0, 40)}`);
    }
  }
  return {seen, bad: [...new Set(bad)]};
})()"""
STATES = ["Running", "Restarting", "Pending", "Queued", "Created", "Suspended", "Unknown", "Failed", "Succeeded"]


class Access(fixture.PageTest):
    def setUp(self):
        super().setUp()
        self.server.cluster("alpha")
        self.server.cluster("beta", "unreachable", reason="connect: connection refused")
        self.server.cluster("gamma", "degraded", reason="pytorchjobs: forbidden")
        for state in STATES:
            self.server.job("job-" + state.lower(), state)
        for minute, jobs in enumerate((3, 5, 4)):
            self.server.step("totals", time=f"2026-11-21T12:0{minute}:00Z", states={"Running": jobs, "Queued": 1},
                             gpus={"requested": 8 * jobs + 8, "running": 8 * jobs})

    def tree(self, page):
        nodes = page.call("Accessibility.getFullAXTree")["nodes"]
        out = []
        for node in nodes:
            if not node.get("ignored"):
                properties = {p["name"]: p["value"].get("value") for p in node.get("properties", [])}
                out.append((node.get("role", {}).get("value"), node.get("name", {}).get("value", ""), properties))
        return out

    def test_contrast(self):
        for dark in (False, True):
            with self.subTest(dark=dark):
                page = self.open(dark=dark)
                page.until("rowsShown() === 9")
                page.js("$('fold-totals').open = true")
                page.until("document.querySelector('.chart')")
                page.js("document.querySelector('details.cluster').open = true")
                page.js("focusRow(0)")
                found = page.js(CONTRAST)
                self.assertGreater(found["seen"], 100)
                self.assertEqual(found["bad"], [])
                page.js("goJob(order[0])")
                page.until("document.querySelector('#job .timeline')")
                self.assertEqual(page.js(CONTRAST)["bad"], [])
                self.server.step("down")
                page.until("link.is === 'lost'")
                self.assertEqual(page.js(CONTRAST)["bad"], [])
                self.server.step("up")

    def test_dark_and_light_and_the_choice_is_kept(self):
        page = self.open(dark=True)
        self.assertEqual(page.js("getComputedStyle(document.body).backgroundColor"), "rgb(14, 17, 22)")
        page.click("#theme")
        page.until("getComputedStyle(document.body).backgroundColor === 'rgb(244, 245, 247)'")
        page.reload()
        page.until("document.querySelector('#theme')?.innerText === 'Theme: light'")
        self.assertEqual(page.js("getComputedStyle(document.body).backgroundColor"), "rgb(244, 245, 247)")
        page.click("#theme")
        page.click("#theme")
        page.until("document.querySelector('#theme').innerText === 'Theme: auto'")
        page.media(dark=False)
        page.until("getComputedStyle(document.body).backgroundColor === 'rgb(244, 245, 247)'")

    def test_a_browser_that_keeps_nothing(self):
        page = self.browser.page("about:blank")
        self.addCleanup(page.close)
        page.call("Page.addScriptToEvaluateOnNewDocument", {"source":
                  "Object.defineProperty(window, 'localStorage', {get() { throw new DOMException('', 'SecurityError'); }})"})
        page.open(self.server.url + "?job=alpha%2Fml%2FPyTorchJob%2Fjob-running")
        page.until("document.querySelector('#job .timeline') && link.is === 'live'")
        page.click("#theme")
        page.until("document.querySelector('#theme').innerText === 'Theme: light'")
        page.js("(i => { i.value = 'prod'; i.dispatchEvent(new Event('input')); })(document.querySelector('#context'))")
        self.assertIn("--context prod ", text(page, "#job .commands code"))
        self.assertEqual(page.errors, [])

    def test_phone(self):
        page = self.open(width=360, height=740, mobile=True)
        page.until("rowsShown() > 0")
        for address in ("/", "/?job=alpha%2Fml%2FPyTorchJob%2Fjob-running"):
            page.js("history.pushState({}, '', %r); dispatchEvent(new PopStateEvent('popstate'))" % address)
            page.until("document.querySelector('#overview').hidden === %s" % ("true" if "job=" in address else "false"))
            if "job=" not in address:
                page.js("$('fold-totals').open = $('fold-changes').open = true")
                page.until("document.querySelector('#charts svg')")   # what is told of them is not seen, but is there
            wide = page.js("[...document.querySelectorAll('body *')].filter(e => e.checkVisibility() && "
                           "!e.closest('.unseen, .skip, .scroll-x, .symbols, #strip') && "
                           "e.getBoundingClientRect().right > 361).map(e => e.outerHTML.slice(0, 80))")
            self.assertEqual(wide, [])
            self.assertEqual(page.js("document.documentElement.scrollWidth"), 360)
        page.js("history.back()")
        page.until("!document.querySelector('#overview').hidden")
        page.js("document.querySelector('#grid').scrollIntoView()")  # below what needs attention
        page.until("rowsShown() > 0")
        row = text(page, ".row")
        for word in ("job-", "ml", "alpha"):
            self.assertIn(word, row)
        cut = page.js("shownRows().filter(r => [...r.children].some(c => "
                      "c.checkVisibility() && c.getBoundingClientRect().bottom > r.getBoundingClientRect().bottom)).length")
        self.assertEqual(cut, 0)
        self.assertEqual(page.js("[...document.querySelector('.row').children].filter(c => c.checkVisibility()).length"), 4)
        small = page.js("[...document.querySelectorAll('#bar input, #bar select, button.tile, .row')].filter(e => "
                        "e.checkVisibility() && e.getBoundingClientRect().height < 40).map(e => e.outerHTML.slice(0, 60))")
        self.assertEqual(small, [])    # to be hit with a thumb

    def test_the_tree_that_screen_readers_read(self):
        page = self.open()
        page.until("rowsShown() === 9")
        tree = self.tree(page)
        roles = [role for role, _, _ in tree]
        self.assertEqual(roles.count("grid"), 1)
        self.assertEqual(roles.count("columnheader"), 7)
        self.assertEqual(roles.count("row"), 10)
        self.assertEqual(page.js("document.querySelector('#grid').getAttribute('aria-rowcount')"), "10")
        self.assertIn(("grid", "Jobs 9"), [(role, name) for role, name, _ in tree])
        for role, name, properties in tree:
            if role in ("button", "link", "combobox", "searchbox", "img", "main", "region") and role != "main":
                self.assertTrue(name, (role, properties))
        buttons = {name: properties for role, name, properties in tree if role == "button"}
        # One cluster can't be read, so the number of its jobs is not known.
        self.assertIn("pressed", next(properties for name, properties in buttons.items() if name.startswith("Running ")))
        self.assertEqual(sum(1 for role, _, p in tree if role == "row" and p.get("focusable")), 9)
        self.assertEqual(page.js("shownRows().filter(r => r.tabIndex === 0).length"), 1)
        indices = page.js("shownRows().map(r => +r.getAttribute('aria-rowindex')).sort((a, b) => a - b)")
        self.assertEqual(indices, list(range(2, 11)))
        page.js("goJob(order[0])")
        page.until("document.querySelector('#job .timeline')")
        for role, name, properties in self.tree(page):
            if role in ("button", "link", "textbox", "table", "img"):
                self.assertTrue(name, (role, properties))

    def test_states_are_not_told_by_colour_alone(self):
        page = self.open()
        page.until("rowsShown() === 9")
        told = page.js("[...document.querySelectorAll('.row .badge')].map(b => "
                       "[b.innerText, b.querySelector('use').getAttribute('href')])")
        self.assertEqual(sorted(word for word, _ in told), sorted(STATES))
        self.assertEqual(len({sign for _, sign in told}), 9)

    def test_changes_are_said_seldom_and_in_sum(self):
        page = self.open()
        page.until("rowsShown() === 9")
        page.js("window.said = []; new MutationObserver(() => said.push([performance.now(), "
                "document.querySelector('#live').textContent])).observe(document.querySelector('#live'), {childList: true, characterData: true, subtree: true})")
        self.server.job("job-pending", "Running")
        page.until("said.length === 1")
        self.assertEqual(page.js("said[0][1]"), "job-pending in alpha is Running")
        self.server.steps([{"op": "job", **server.job("job-" + name.lower(), "Failed")} for name in STATES[3:7]] +
                          [{"op": "job", **server.job("job-running", "Succeeded")}])
        page.until("said.length === 2")
        self.assertEqual(page.js("said[1][1]"), "5 changes: 4 Failed, 1 Succeeded")
        self.assertGreaterEqual(page.js("said[1][0] - said[0][0]"), 4900)

    def test_nothing_moves_for_who_wants_it_so(self):
        for motion, name in ((True, "news"), (False, "none")):
            page = self.open(motion=motion)
            page.until("rowsShown() > 0")
            self.assertEqual(page.js("(r => { r.classList.add('news'); return getComputedStyle(r).animationName; })"
                                     "(document.querySelector('.row'))"), name)

    def test_the_focus_is_seen(self):
        page = self.open()
        page.until("rowsShown() === 9")
        page.js("$('fold-totals').open = true")
        page.until("document.querySelector('.chart')")
        page.key("Tab")
        seen = []
        for _ in range(60):
            at = page.js("(e => e === document.body ? null : [e.id || e.getAttribute('class') || e.tagName, "
                         "getComputedStyle(e).outlineStyle, getComputedStyle(e).outlineWidth])(document.activeElement)")
            if at is None:
                break
            seen.append(at[0])
            self.assertEqual(at[1:], ["solid", "3px"], at)
            page.key("Tab")
        # In the order in which they are read; of the grid one row, of which the arrows lead on.
        wanted = ["home", "theme", "keys", "tile s-Running", "tile s-Succeeded", "SUMMARY", "chart", "search",
                  "by-cluster", "by-namespace", "by-kind", "row"]
        self.assertEqual([name for name in wanted if name in seen], wanted, seen)
        self.assertEqual(sorted(wanted, key=seen.index), wanted)
        self.assertEqual(seen.count("row"), 1)

    def test_totals_over_time(self):
        page = self.open()
        page.js("$('fold-totals').open = true")
        page.until("document.querySelectorAll('.chart').length === 2")
        label = page.js("document.querySelector('.chart').getAttribute('aria-label')")
        self.assertIn("1 Running", label)
        page.js("document.querySelector('.chart').focus()")
        for _ in range(2):
            page.key("ArrowLeft")
        page.until("/5 Running, .*1 Queued/.test(document.querySelector('#charts output').textContent)")
        # Between these points and now there were none for days: no line is drawn through that time.
        self.assertEqual(page.js("document.querySelectorAll('.chart .line.requested').length"), 2)
