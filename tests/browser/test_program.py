"""The page before the real program with its simulated clusters, which join, fail and leave."""
import subprocess
import tempfile
import unittest

import fixture
import server


def monitor(*arguments):
    """The program itself with its demonstration, as a context."""
    return server.Program(server.training_monitor(), "--demo", "--listen", "127.0.0.1:0", "--output", "none",
                          "--log-format", "json", *arguments)


@unittest.skipUnless(server.training_monitor(), "training_monitor is not built")
class Program(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        fixture.PageTest.setUpClass()

    def test_the_demonstration(self):
        with monitor() as program:
            page = fixture.PageTest.browser.page(program.url)
            self.addCleanup(page.close)
            page.until("document.querySelectorAll('details.cluster').length === 4")
            page.until("[...document.querySelectorAll('.row')].some(r => r.innerText.includes('Running'))")
            page.until("document.querySelector('#changes').textContent.includes('→')")
            page.until("document.querySelectorAll('details.cluster').length === 5", "gamma joins")
            page.until("!$('notices').hidden && !$('sink').hidden && $('gpu-panel').text")
            self.assertEqual(page.failed_requests, [])    # nothing is asked for that is not there
            page.js("goJob(order.find(j => j.state === 'Running') || order[0])")
            page.until("document.querySelector('#job .timeline') && document.querySelector('#job .commands')")
            page.until("document.querySelector('#job').innerText.includes('Conditions')")
            page.js("document.querySelector('#yaml-read').click()")
            page.until("document.querySelector('#yaml-text')?.innerText.includes('\\nkind: ')")
            page.js("history.back()")
            page.until("store.clusters.get('alpha')?.state === 'unreachable'", "alpha can't be reached")
            page.until("store.clusters.get('alpha')?.state === 'live'", "alpha is back")
            self.assertEqual(page.errors, [])

    # What each job of the demonstration's show cluster is to teach: the job, and what the page says of it.
    CAUSES = [
        ("llama3-8b-sft", "out of memory (OOMKilled)"), ("vit-h14-pretrain", "an illegal memory access was encountered"),
        ("mixtral-pretrain", "NCCL communicator was aborted on rank 1"), ("mixtral-pretrain", "s after XID 79 of GPU 7"), ("ranker-v7-nightly", "low on"),
        ("whisper-large-ft", "preempt"), ("tokenize-shards", "can't pull the image"),
        ("dedup-crawl", "s3-credentials"), ("eval-harness", "crash looping"), ("qwen2-72b-rlhf", "unschedulable"),
        ("clip-filter", "exceeded quota"), ("sweep-lr", "number 3 in queue research"),
    ]

    def test_the_demonstration_has_a_job_for_each_cause(self):
        with monitor() as program:
            page = fixture.PageTest.browser.page(program.url)
            self.addCleanup(page.close)
            for name, words in self.CAUSES:
                page.until("[...store.jobs.values()].some(j => j.name === %r && why(j).includes(%r))" % (name, words),
                           f"{name}: {words}: " )
            page.until("store.clusters.get('lab-a100')?.state === 'unreachable'")
            # A traceback, a hang and its idle GPUs, and the node whose GPU fell off the bus.
            for name, words in (("vit-h14-pretrain", "RuntimeError: CUDA error"), ("moe-ablation", "still waiting for shard")):
                page.js("goJob([...store.jobs.values()].find(j => j.name === %r))" % name)
                page.until("document.querySelector('#job h1')?.innerText === %r && $('log-read')" % name)
                page.js("$('log-pod').value = [...$('log-pod').options].map(o => o.value).find(v => v.includes('worker'))")
                page.js("$('log-read').click()")
                page.until("document.querySelector('#log-lines pre')?.textContent.includes(%r)" % words)
            page.until("document.querySelector('#job').innerText.includes('How busy its GPUs are')")
            page.js("goBack()")
            page.js("document.querySelector('#fleet details').open = true")
            page.until("document.querySelector('#fleet tbody')?.rows[0].innerText.includes('fallen off the bus')")
            page.until("document.querySelectorAll('#sink li').length > 0")
            # From the failure that the fault caused to its node, and Kueue's queues of that cluster.
            page.js("goJob([...store.jobs.values()].find(j => j.name === 'mixtral-pretrain'))")
            page.until("[...document.querySelectorAll('#job a[href*=\"node=\"]')].some(a => a.innerText === 'gpu-2')")
            page.js("[...document.querySelectorAll('#job a[href*=\"node=\"]')].find(a => a.innerText === 'gpu-2').click()")
            page.until("$('node')?.open && $('node').innerText.includes('XID 79 of GPU 7') && "
                       "$('node').innerText.includes('mixtral-pretrain')")
            self.assertEqual((page.errors, page.failed_requests), ([], []))

    def test_once_without_clusters_fails_and_names_the_directory(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([server.training_monitor(), "--clusters", folder, "--once"], capture_output=True, text=True,
                                  timeout=60)
            self.assertEqual(done.returncode, 1)
            self.assertIn(f"No jobs are known: no clusters: the directory {folder} (--clusters) has none.", done.stdout)
            self.assertIn(f"no clusters: the directory {folder} (--clusters) has none", done.stderr)
            self.assertIn("there are no clusters to watch", done.stderr)

    def test_what_is_compressed(self):
        coding = ("fetch(%r).then(a => { const coding = a.headers.get('content-encoding'); a.body.cancel(); "
                  "return coding; })")
        with monitor("--yaml") as program:
            page = fixture.PageTest.browser.page(program.url)
            self.addCleanup(page.close)
            page.until("store.jobs.size")
            sizes = "(n => [n.encodedBodySize, n.decodedBodySize])(performance.getEntriesByType('navigation')[0])"
            sent, read = page.js(sizes)
            self.assertLess(2 * sent, read)
            fixture.note(f"the page is {read} bytes, of which {sent} are sent")
            self.assertEqual(page.js(coding % "/api/v1/jobs"), "gzip")
            self.assertEqual(page.js("fetch('/api/v1/jobs').then(a => a.json()).then(a => a.items.length > 0)"), True)
            self.assertIsNone(page.js(coding % "/api/v1/events"))
            job = page.js("pathOf([...store.jobs.values()][0])")
            self.assertIsNone(page.js(coding % f"/api/v1/jobs/{job}/yaml"))
            self.assertEqual(page.errors, [])

    def test_a_token_opens(self):
        with tempfile.NamedTemporaryFile("w", suffix=".tokens") as tokens:
            tokens.write("a-token-of-some-length\n")
            tokens.flush()
            with monitor("--token-file", tokens.name) as program:
                wrong = fixture.PageTest.browser.page(program.url, login="another-token-of-some-length")
                self.addCleanup(wrong.close)
                wrong.until("document.readyState === 'complete' && location.href === %r" % program.url)
                fixture.eventually(lambda: wrong.js("document.body.innerText") and wrong.asked == 2)
                self.assertIsNone(wrong.js("document.querySelector('#grid')"))
                self.assertNotIn("alpha", wrong.js("document.body.innerText"))
                page = fixture.PageTest.browser.page(program.url, login="a-token-of-some-length")
                self.addCleanup(page.close)
                page.until("document.querySelectorAll('details.cluster').length >= 2 && link.is === 'live'")
                page.until("document.querySelector('.row')")
                self.assertEqual(page.asked, 1)       # the stream and the rest go by what the page was opened with
                page.js("goJob(order[0])")
                page.until("document.querySelector('#job .timeline')")
                self.assertEqual((page.asked, page.errors), (1, []))
