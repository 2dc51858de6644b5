"""The panel of GPUs: by cluster and product, what is free and would fit, and which right would show more."""
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
        self.assertEqual(text(page, "#h-gpus"), "GPUs 12 of 32 free · room for 1 × 8 · 16 GPUs waited for")
        page.click("#gpu-panel summary")
        cells = page.js("[...document.querySelectorAll('#gpu-panel tbody tr')].map(r => [...r.cells].map(c => c.innerText))")
        self.assertEqual(cells[0], ["H100", "alpha", "2 of 3", "24", "12", "4", "1 × 4 · 2 × 2 · 4 × 1"])
        self.assertEqual(cells[1][:3], ["no label", "beta", "1"])

    def test_which_right_would_show_more(self):
        right = "list nodes: would show the GPUs that there are"
        page = self.show(cluster("alpha", state="forbidden", missing=[right]),
                         cluster("beta", state="failed", reason="<b>no answer</b>"))
        self.assertIn("alpha: no right to " + right, text(page, "#gpu-panel"))
        self.assertIn("beta: nodes could not be listed: <b>no answer</b>", text(page, "#gpu-panel"))

    def test_without_gpus_there_is_no_panel(self):
        self.server.cluster("alpha")
        page = self.open()
        page.until("everReady && document.querySelector('details.cluster')")
        self.assertTrue(page.js("$('gpu-panel').hidden"))
