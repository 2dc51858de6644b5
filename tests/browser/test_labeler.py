"""The labeler's page: cards, charts, lost GPUs and drivers, the link to the server."""
import unittest

import fixture
import labeler
from fixture import text

CARDS = "document.querySelectorAll('.card').length"


def card(index, what=""):
    return f"document.querySelector('#gpu-{index} {what}')"


def says(index, words, what=""):
    return f"{card(index, what)}?.innerText.includes({words!r})"


def line_of(index, chart=0):
    """The path of a chart's line."""
    return f"document.querySelectorAll('#gpu-{index} .stroke-line')[{chart}].getAttribute('d')"


class Labeler(fixture.PageTest):
    def make_server(self):
        return labeler.LabelerServer()

    def open_with(self, count, samples=30, **size):
        self.gpus = [labeler.gpu(i) for i in range(count)]
        self.server.past(self.gpus, samples)
        page = self.open(**size)
        page.until(f"{CARDS} === {count} && {line_of(count - 1)}.length > 20")
        return page


class Cards(Labeler):
    def test_values_change(self):
        page = self.open_with(2)
        self.server.sample([labeler.gpu(0, powerW=215.4, utilization=37, temperatureC=61), labeler.gpu(1)])
        page.until(says(0, "215 W"))
        for words in ("37 %", "61 °C", "1 GiB of 80 GiB", "1,410 MHz", "memory 1,593 MHz", "NVIDIA A100-SXM4-80GB", "OK"):
            self.assertIn(words, text(page, "#gpu-0"))
        self.assertEqual(text(page, "#title"), "GPUs of gpu-node-7")
        self.assertIn("2 GPUs", text(page, "#sum"))
        self.assertIn("driver 550.107.02 · CUDA 12.4", text(page, "#sum"))
        page.js("window.same = document.querySelector('#gpu-0')")
        self.server.sample([labeler.gpu(0, powerW=300), labeler.gpu(1)])
        page.until(says(0, "300 W"))
        self.assertTrue(page.js("window.same === document.querySelector('#gpu-0')"))   # the focus would be lost

    def test_what_is_not_told_is_a_dash(self):
        self.server.sample([{"index": 0, "uuid": "GPU-x", "name": "Tesla K80", "health": "ok"}])
        page = self.open()
        page.until(f"{CARDS} === 1")
        self.assertEqual(page.js("[...document.querySelectorAll('#gpu-0 figcaption b')].map(b => b.textContent)"), ["–"] * 4)
        for words in ("null", "undefined", "NaN", "ECC", "Clocks"):
            self.assertNotIn(words, text(page, "#gpu-0"))
        self.assertIn("nothing measured", page.js("document.querySelector('#gpu-0 .chart').getAttribute('aria-label')"))

    def test_nvlinks(self):
        self.server.sample([labeler.gpu(0, nvlinks=18, nvlinksActive=17, nvlinkTransmit=123.4e9, nvlinkReceive=87e6),
                            labeler.gpu(1, nvlinks=1), labeler.gpu(2)])
        page = self.open()
        page.until(says(0, "17 of 18 links active, sends 123.4 GB/s, receives 87 MB/s"))
        self.assertIn("1 of 1 link active", text(page, "#gpu-1"))
        self.assertNotIn("NVLink", text(page, "#gpu-2"))

    def test_who_uses_it_and_what_went_wrong(self):
        user = {"namespace": "ml", "pod": "llama-0", "container": "pytorch"}
        slices = [{"uuid": "MIG-a", "profile": "3g.40gb", "totalBytes": 40 * labeler.GIB},
                  {"uuid": "MIG-b", "profile": "1g.10gb", "totalBytes": 10 * labeler.GIB}]
        self.server.sample([
            labeler.gpu(0, users=[user], health="degraded", reason="XID 63: a row was remapped", xid=63, recovery=1,
                        xidTime="2026-11-21T11:59:00Z", eccUncorrected=2),
            labeler.gpu(1, migs=slices, users=[{**user, "migUuid": "MIG-a"}])])
        page = self.open()
        page.until(says(0, "Used by ml/llama-0 (pytorch)"))
        first = text(page, "#gpu-0")
        for words in ("Degraded", "XID 63: a row was remapped", "63 (a memory row was remapped)", "asks for a reset of this GPU"):
            self.assertIn(words, first)
        self.assertIn("Divided by MIG into 2 slices", text(page, "#gpu-1"))
        rows = page.js("[...document.querySelectorAll('#gpu-1 li')].map(l => l.innerText)")
        self.assertEqual(rows, ["3g.40gb 40 GiB used by ml/llama-0 (pytorch)", "1g.10gb 10 GiB"])
        self.assertIn("GPU 0: degraded", text(page, "#troubles"))
        page.click("#troubles a")
        page.until("location.hash === '#gpu-0'")

    def test_names_are_text_never_markup(self):
        evil = "<img src=x onerror=alert(1)>"
        self.server.sample([labeler.gpu(0, name=evil, health="failed", reason=evil,
                                        users=[{"namespace": evil, "pod": evil, "container": evil}])], message=evil)
        page = self.open()
        page.until(says(0, evil))
        self.assertEqual(page.js("document.images.length"), 0)


class Charts(Labeler):
    def test_they_draw_and_go_on(self):
        page = self.open_with(2, samples=60)
        before = [page.js(line_of(0, i)) for i in range(4)]
        self.assertTrue(all(len(d) > 50 for d in before))
        points = page.js("past.points.get('powerW').get(%r).length" % self.gpus[0]["uuid"])
        self.server.past(self.gpus, 3)
        page.until(f"{line_of(0)} !== {before[0]!r}")
        page.until("past.points.get('powerW').get(%r).length === %d" % (self.gpus[0]["uuid"], points + 3))
        # What is drawn is where it should be: the newest value at the right edge, at its height.
        x, y = (float(v) for v in page.js(line_of(0)).split("L")[-1].split(","))
        self.assertGreater(x, 298)
        percent = page.js("past.points.get('utilization').get(%r).at(-1)[1]" % self.gpus[0]["uuid"])
        self.assertAlmostEqual(y, 43 - percent / 100 * 42, delta=0.2)

    def test_the_span(self):
        page = self.open_with(1, samples=200)
        # In an hour's chart these 33 minutes begin in its second half; in that of ten minutes they are more than all.
        self.assertGreater(page.js("parseFloat(%s.slice(1))" % line_of(0)), 100)
        page.click("#spans input[value='600']")
        page.until("parseFloat(%s.slice(1)) < 10" % line_of(0))
        self.assertIn("last 10 minutes", page.js("document.querySelector('.chart').getAttribute('aria-label')"))
        page.click("#spans input[value='86400']")
        page.until("parseFloat(%s.slice(1)) > 280" % line_of(0))
        page.reload()
        page.until("document.querySelector('#spans input:checked').value === '86400'")   # it is kept

    def test_a_gap_is_a_gap(self):
        page = self.open_with(2)
        self.assertEqual(page.js(line_of(1) + ".split('M').length"), 2)
        for _ in range(12):
            self.server.sample([self.gpus[0], labeler.lost(1)])
        self.server.past(self.gpus, 8)
        page.until(line_of(1) + ".split('M').length === 3")
        self.assertEqual(page.js(line_of(0) + ".split('M').length"), 2)

    def test_where_minutes_meet_shorter_points_is_no_gap(self):
        page = self.open_with(1, samples=3 * 360)
        for span in (3600, 21600):
            page.click(f"#spans input[value='{span}']")
            page.until("parseFloat(%s.slice(1)) < %d" % (line_of(0), 10 if span == 3600 else 160))
            self.assertEqual(page.js(line_of(0) + ".split('M').length"), 2, span)


class Troubles(Labeler):
    def test_a_gpu_is_lost_and_returns(self):
        page = self.open_with(2)
        self.server.sample([self.gpus[0], labeler.lost(1)])
        page.until(says(1, "Failed", "header"))
        self.assertIn("fallen off the bus", text(page, "#gpu-1 .reason"))
        self.assertIn("1 Failed", text(page, "#sum"))
        self.assertIn("1 of 2 in trouble", page.js("document.title"))
        self.assertIn("GPU 1: failed: GPU is lost", page.js("document.querySelector('#live').textContent"))
        self.assertGreater(page.js(line_of(1) + ".length"), 20)   # its past is still there
        self.server.sample(self.gpus)
        page.until(says(1, "OK", "header"))
        self.assertEqual(text(page, "#troubles"), "")
        self.assertEqual(page.js("document.title"), "gpu-node-7")
        self.server.sample([self.gpus[0]])
        page.until(f"{CARDS} === 1")
        self.server.sample(self.gpus)
        page.until(f"{CARDS} === 2 && [...document.querySelectorAll('.card')].map(c => c.id).join() === 'gpu-0,gpu-1'")

    def test_the_driver_goes_and_returns(self):
        page = self.open_with(2)
        self.server.sample([], state="no-driver", message="libnvidia-ml.so.1 is not there; is the driver installed?")
        page.until("!document.querySelector('#state').hidden")
        self.assertIn("No NVIDIA driver. libnvidia-ml.so.1 is not there", text(page, "#state"))
        self.assertIn("What you see is as of", text(page, "#state"))
        self.assertEqual(page.js(CARDS), 2)
        self.server.sample([labeler.lost(0, "the driver does not answer")], state="hanging", message="nvmlInit_v2 hangs for 40 s")
        page.until("document.querySelector('#state').innerText.includes('The driver does not answer. nvmlInit_v2 hangs')")
        self.server.sample(self.gpus)
        page.until(f"document.querySelector('#state').hidden && {CARDS} === 2")

    def test_no_driver_from_the_start(self):
        page = self.open()
        page.until("document.querySelector('#state').innerText.includes('have not been asked yet')")
        self.assertEqual(text(page, "#empty"), "There is nothing to show yet.")
        self.server.sample([], state="no-device", message="the driver lists no GPU")
        page.until("document.querySelector('#state').innerText.includes('No GPU.')")

    def test_the_server_dies_and_returns(self):
        page = self.open_with(2)
        points = page.js("past.points.get('powerW').get(%r).length" % self.gpus[0]["uuid"])
        self.server.step("down")
        page.until("document.querySelector('#link').dataset.is === 'lost'")
        self.assertIn("Disconnected since", text(page, "#lost"))
        self.assertIn("What you see is as it was then.", text(page, "#lost"))
        self.assertTrue(page.js("document.title").startswith("Disconnected"))
        self.assertEqual(page.js(CARDS), 2)
        self.server.past(self.gpus, 20)
        self.server.step("up")
        page.click("#try")
        page.until("document.querySelector('#link').dataset.is === 'live' && document.querySelector('#lost').hidden")
        page.until("past.points.get('powerW').get(%r).length === %d" % (self.gpus[0]["uuid"], points + 20))

    def test_a_server_started_anew_does_not_cost_the_past(self):
        page = self.open_with(1)
        uuid = self.gpus[0]["uuid"]
        points = page.js("past.points.get('powerW').get(%r).length" % uuid)
        self.server.step("anew")
        self.server.past(self.gpus, 5)
        page.until("past.points.get('powerW').get(%r).length === %d" % (uuid, points + 5))
        # Its clock set back by a minute and a half, and by an hour: what lies in the future is not shown.
        self.server.past(self.gpus, 20)
        page.until("past.points.get('powerW').get(%r).length === %d" % (uuid, points + 25))
        self.server.sample(self.gpus, after=-90)
        page.until("past.points.get('powerW').get(%r).at(-1)[0] === %d" % (uuid, self.server.now.timestamp()))
        self.server.sample(self.gpus, after=-3600)
        page.until("past.points.get('powerW').get(%r)?.length === 1" % uuid)

    def test_an_answer_that_does_not_come(self):
        page = self.open_with(1)
        self.server.step("mute")
        page.until("document.querySelector('#lost').innerText.includes('nothing came in time')")
        self.server.step("unmute")
        page.until("document.querySelector('#link').dataset.is === 'live'")
        self.server.step("answer", path="/api/v1/gpus", status=503, body="{}")
        page.until("document.querySelector('#lost').innerText.includes('it answers 503')")
        self.server.step("answer", path="/api/v1/gpus", status=0)
        page.until("document.querySelector('#link').dataset.is === 'live'")


class Looks(Labeler):
    def test_sixteen_gpus(self):
        page = self.open_with(16, samples=60)
        drawn = page.js("[...document.querySelectorAll('.stroke-line')].filter(l => l.getAttribute('d').length > 20).length")
        self.assertEqual(drawn, 64)
        self.assertFalse(page.js("document.documentElement.scrollWidth > innerWidth"))

    def test_a_phone(self):
        page = self.open_with(2, width=390, height=844, mobile=True)
        self.server.sample([self.gpus[0], labeler.lost(1)])
        page.until(says(1, "Failed", "header"))
        self.assertFalse(page.js("document.documentElement.scrollWidth > innerWidth"))
        self.assertEqual(page.js("new Set([...document.querySelectorAll('.card')].map(c => c.offsetLeft)).size"), 1)

    def test_contrast_in_light_and_dark(self):
        for dark in (False, True):
            page = self.open_with(2, dark=dark)
            self.server.sample([labeler.gpu(0, health="degraded", reason="rows"), labeler.lost(1)])
            page.until(says(1, "Failed", "header"))
            bad = page.js(CONTRAST)
            self.assertEqual(bad, [], f"dark={dark}")

    def test_the_theme_button(self):
        page = self.open_with(1)
        page.click("#theme")
        page.click("#theme")
        page.until("document.documentElement.dataset.theme === 'dark'")
        self.assertEqual(page.js("getComputedStyle(document.body).backgroundColor"), "rgb(14, 17, 22)")


# What has too little contrast with what is behind it (WCAG 2.1, 1.4.3).
CONTRAST = """(() => {
  const channels = text => text.match(/[\\d.]+/g).map(Number);
  const light = c => { const [r, g, b] = c.slice(0, 3).map(v => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
    return .2126 * r + .7152 * g + .0722 * b; };
  const behind = e => { for (; e; e = e.parentElement) {
    const c = channels(getComputedStyle(e).backgroundColor); if (c.length < 4 || c[3] > 0) return c; } return [255, 255, 255]; };
  const bad = [];
  for (const e of document.querySelectorAll('body *')) {
    if (![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()) || !e.checkVisibility() || e.closest('script,.unseen,.skip')) continue;
    const [a, b] = [light(channels(getComputedStyle(e).color)), light(behind(e))].sort((x, y) => y - x);
    if ((a + .05) / (b + .05) < 4.5) bad.push(e.outerHTML.slice(0, 120) + ((a + .05) / (b + .05)).toFixed(2));
  }
  return bad;
})()"""


class Hands(Labeler):
    def test_keyboard(self):
        page = self.open_with(2, samples=60)
        page.key("Tab")
        self.assertEqual(page.js("document.activeElement.className"), "skip")
        focus = "document.activeElement"
        for _ in range(3):
            page.key("Tab")
        # Theme, span, then one stop for each card's charts.
        self.assertEqual(page.js(f"{focus}.closest('.card')?.id"), "gpu-0")
        page.key("ArrowDown")
        self.assertIn("Memory of GPU 0", page.js(f"{focus}.getAttribute('aria-label')"))
        page.key("Home")
        first = page.js(f"{focus}.closest('figure').querySelector('output').textContent")
        self.assertRegex(first, r"^[\d.]+ GiB at \d\d:\d\d:\d\d$")
        page.key("ArrowRight")
        self.assertNotEqual(page.js(f"{focus}.closest('figure').querySelector('output').textContent"), first)
        page.key("Tab")
        self.assertEqual(page.js(f"{focus}.closest('.card')?.id"), "gpu-1")
        self.assertEqual(page.js("document.querySelector('#gpu-0 output').textContent"), "")

    def test_every_chart_has_a_text(self):
        page = self.open_with(1, samples=60)
        for i, title in enumerate(("Utilisation", "Memory", "Power", "Temperature")):
            label = page.js(f"document.querySelectorAll('.chart')[{i}].getAttribute('aria-label')")
            self.assertRegex(label, rf"^{title} of GPU 0, last hour: now .+, lowest .+, highest .+, mean .+")
        self.assertEqual(page.js("[...document.querySelectorAll('article')].map(a => document.getElementById("
                                 "a.getAttribute('aria-labelledby')).textContent)"), ["GPU 0 NVIDIA A100-SXM4-80GB"])


if __name__ == "__main__":
    unittest.main()
