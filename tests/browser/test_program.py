"""The page before the real program with its simulated clusters, which join, fail and leave."""
import re
import subprocess
import unittest

import chromium
import fixture
import server


@unittest.skipUnless(server.training_monitor(), "training_monitor is not built")
class Demo(unittest.TestCase):
    def test_the_demonstration(self):
        fixture.PageTest.setUpClass()
        monitor = subprocess.Popen([server.training_monitor(), "--demo", "--listen", "127.0.0.1:0", "--output", "none",
                                    "--log-format", "json"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            url = None
            for line in monitor.stderr:
                found = re.search(r"http://127\.0\.0\.1:\d+/", line)
                if found:
                    url = found.group(0)
                    break
            self.assertIsNotNone(url, "the monitor said no address")
            page = fixture.PageTest.browser.page(url)
            page.until("document.querySelectorAll('details.cluster').length === 2", timeout=30)
            page.until("[...document.querySelectorAll('.row')].some(r => r.innerText.includes('Running'))", timeout=30)
            page.until("document.querySelector('#changes').innerText.includes('→')", timeout=30)
            page.until("document.querySelectorAll('details.cluster').length === 3", "gamma joins", timeout=60)
            page.js("goJob(order.find(j => j.state === 'Running') || order[0])")
            page.until("document.querySelector('#job .timeline') && document.querySelector('#job .commands')")
            page.until("document.querySelector('#job').innerText.includes('Conditions')")
            page.js("history.back()")
            page.until("document.querySelector('details.cluster .health.bad')", "alpha can't be reached", timeout=60)
            page.until("store.clusters.get('alpha')?.state === 'live'", "alpha is back", timeout=60)
            self.assertEqual(page.errors, [])
            page.close()
        finally:
            monitor.terminate()
            monitor.stderr.close()
            monitor.wait(20)
