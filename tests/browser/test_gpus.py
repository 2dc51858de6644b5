"""The panel of GPUs: by cluster and product, what is free and would fit, and which right is missing."""
import json

import fixture
from fixture import text


def product(name, nodes, usable, allocatable, asked, free, *fits):
    return {"product": name, "nodes": nodes, "usableNodes": usable, "allocatable": allocatable, "asked": asked,
            "free": free, "fits": [{"gpusPerPod": g, "pods": p} for g, p in fits]}


def cluster(name, *products, state="known", waiting=0, missing=(), reason=""):
    return {"cluster": name, "state": state, "reason": reason, "listed": None, "waiting": waiting,
            "products": list(products), "missingRights": list(missing)}


class Gpus(fixture.PageTest):
    def show(self, *items):
        self.server.cluster("alpha")
        self.server.step("gpus", items=json.dumps(items))
        page = self.open()
        page.until("!$('gpu-panel').hidden")
        return page

    def test_what_is_free_and_would_fit(self):
        page = self.show(
            cluster("alpha", product("H100", 3, 2, 24, 12, 4, (4, 1), (2, 2), (1, 4)), waiting=16),
            cluster("beta", product(None, 1, 1, 8, 0, 8, (8, 1), (4, 2), (2, 4), (1, 8))))
        self.assertEqual(text(page, "#h-gpus"), "GPUs 12 of 32 used · 16 requested by pending jobs · fits 1 pod of 8")
        page.click("#gpu-panel summary")
        cells = page.js("[...document.querySelectorAll('#gpu-panel tbody tr')].map(r => [...r.cells].map(c => c.innerText))")
        self.assertEqual(cells[0], ["H100", "alpha", "4", "1 pod of 4 · 2 pods of 2 · 4 pods of 1", "12", "24", "2 of 3"])
        self.assertEqual((cells[1][:3], cells[1][-1]), (["no label", "beta", "8"], "1"))

    def test_which_right_would_show_more(self):
        right = "grant list on nodes to see the GPUs by product"
        page = self.show(cluster("alpha", state="forbidden", missing=[right]),
                         cluster("beta", state="failed", reason="<b>no answer</b>"))
        self.assertIn("alpha: " + right, text(page, "#gpu-panel"))
        self.assertIn("beta: nodes could not be listed: <b>no answer</b>", text(page, "#gpu-panel"))

    def test_without_gpus_there_is_no_panel(self):
        self.server.cluster("alpha")
        page = self.open()
        page.until("everReady && document.querySelector('details.cluster')")
        self.assertTrue(page.js("$('gpu-panel').hidden && $('gpu-hours').hidden"))

    def hours(self, by, *items, since="2026-01-01T00:00:00Z"):
        self.server.step("answer", path="/api/v1/gpu-hours", status=200, body=json.dumps(
            {"since": since, "until": since, "gpuHours": sum(h for _, h in items),
             "items": [{by: name, "gpuHours": h} for name, h in items]}))

    def test_hours_by_team_and_day(self):
        self.server.cluster("alpha")
        self.hours("team", ("<b>nlp</b>", 1500.4), (None, 499.6), ("(other)", 0.25))
        page = self.open()
        page.until("!$('gpu-hours').hidden")
        self.assertEqual(text(page, "#h-gpu-hours"), "GPU hours 2,000 in 7 days")
        page.click("#gpu-hours summary")
        cells = "[...document.querySelectorAll('#gpu-hours tbody tr')].map(r => [...r.cells].map(c => c.innerText.trim()))"
        self.assertEqual(page.js(cells), [["<b>nlp</b>", "1,500", "75%"], ["no team", "500", "25%"],
                                          ["others, of too many", "0.3", "0%"]])
        self.assertIn("GPUs that jobs asked for while they ran", text(page, "#gpu-hours"))
        self.assertNotIn("Counted since", text(page, "#gpu-hours"))
        # What is chosen is asked for, and the choice keeps the focus.
        self.hours("day", ("2026-11-25", 10), ("2026-11-26", 4), since="2999-01-01T00:00:00Z")
        page.js("{ const s = document.querySelector('#gpu-hours select'); s.focus(); s.value = 'day'; s.onchange(); }")
        page.until("document.querySelector('#gpu-hours th').innerText === 'Day (UTC)'")
        self.assertEqual([row[0] for row in page.js(cells)], ["2026-11-26", "2026-11-25"])
        self.assertIn("Counted since", text(page, "#gpu-hours"))
        self.assertEqual(page.js("document.activeElement.value"), "day")
        asked = page.js("performance.getEntriesByType('resource').map(e => e.name).filter(n => n.includes('gpu-hours'))")
        self.assertRegex(asked[-1], r"\?by=day&since=\d{4}-\d\d-\d\d$")
