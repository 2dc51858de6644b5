"""The inference autoscaler's reader of metrics at a real Prometheus 3 and a scripted exporter: each way in which a value
can be missing has its reason, and the value comes back with the server."""
import http.server
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import threading
import unittest
import urllib.request

import ports
import probes
import wait

PROMETHEUS = os.environ.get("KCONTROL_PROMETHEUS") or shutil.which("prometheus")
MEMORY = 'avg(DCGM_FI_DEV_FB_USED / (DCGM_FI_DEV_FB_USED + DCGM_FI_DEV_FB_FREE))'
CONFIG = """global: {{scrape_interval: 1s, scrape_timeout: 1s}}
scrape_configs: [{{job_name: engines, static_configs: [{{targets: ["127.0.0.1:{port}"]}}]}}]
"""


class Exporter:
    """Serves what metrics() gives as /metrics: `text`, unless a subclass says something else."""

    def __init__(self):
        self.text = ""
        owner = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                body = owner.metrics().encode()
                self.send_response(200)
                self.send_header("Content-Type", "text/plain; version=0.0.4")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def metrics(self):
        return self.text

    def memory(self, used, free):
        self.text = f'DCGM_FI_DEV_FB_USED{{gpu="0"}} {used}\nDCGM_FI_DEV_FB_FREE{{gpu="0"}} {free}\n'

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


class Prometheus:
    """A server on a port of its own; its data outlive a restart unless they are removed."""

    def __init__(self, folder, target):
        self.folder = pathlib.Path(folder)
        self.port = ports.free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.process = None
        (self.folder / "prometheus.yml").write_text(CONFIG.format(port=target))

    def start(self, *more):
        command = [PROMETHEUS, "--config.file", self.folder / "prometheus.yml", "--storage.tsdb.path", self.folder / "data",
                   "--web.listen-address", f"127.0.0.1:{self.port}", *more]
        with (self.folder / "log").open("a") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                                            env=os.environ | {"GOMAXPROCS": "1"})
        wait.until(lambda: (self.folder / "log").read_text()[-2000:], self.is_ready)

    def is_ready(self):
        try:
            return urllib.request.urlopen(self.url + "/-/ready", timeout=60).status == 200
        except OSError:
            return False

    def kill(self):
        self.process.kill()
        self.process.wait()


@unittest.skipUnless(PROMETHEUS, "no Prometheus 3: scripts/prometheus.sh builds one, or name one in KCONTROL_PROMETHEUS")
class PrometheusTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.exporter = Exporter()
        self.addCleanup(self.exporter.stop)
        self.exporter.memory(921, 79)
        self.prometheus = Prometheus(folder.name, self.exporter.port)
        self.addCleanup(lambda: self.prometheus.kill())
        self.prometheus.start()
        self.reader = self.start_reader(self.prometheus.url)

    def start_reader(self, url):
        reader = subprocess.Popen([probes.program("inference_probe"), url, "5"], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, text=True, bufsize=1)

        def stop():
            reader.stdin.close()
            reader.stdout.close()
            reader.kill()
            reader.wait()

        self.addCleanup(stop)
        return reader

    def ask(self, query=MEMORY):
        self.reader.stdin.write(query + "\n")
        self.told = self.reader.stdout.readline().strip()
        return self.told

    def becomes(self, start, query=MEMORY):
        """Until the answer begins so. A value is shared for a second, and samples come every second."""
        wait.until(lambda: f"{query} is {self.told}, not {start}", lambda: self.ask(query).startswith(start))

    def test_what_a_query_gives(self):
        self.becomes("0.921000")
        self.exporter.memory(500, 500)
        self.becomes("0.500000")
        for query, start in (("scalar(vector(3))", "3.000000"), ("vector(0)", "0.000000"),
                             ("up + on() group_right DCGM_FI_DEV_FB_USED", "501.0000"),
                             ("0 / 0", "NotANumber: the value is NaN"), ("1 / 0", "NotANumber: the value is Inf"),
                             ("-1 / 0", "NotANumber: the value is -Inf"),
                             ("DCGM_FI_DEV_FB_USED > 1e6", "Empty: "), ("DCGM_FI_DEV_FB_USED[1m]", "ManySeries: the query gives a matrix"),
                             ('"text"', "ManySeries: the query gives a string"),
                             ('{__name__=~"DCGM_FI_.*"}', "ManySeries: the query gives 2 series"),
                             ("sum(", "Refused: the server answered 400: ")):
            with self.subTest(query):
                self.assertTrue(self.ask(query).startswith(start), self.told)
        self.assertIn("parse error", self.ask("sum("))
        self.becomes('MetricNeverSeen: there is no metric "DCGM_FI_DEV_FB_USD"; near: DCGM_FI_DEV_FB_USED', "DCGM_FI_DEV_FB_USD")
        # A query of many pods is a form.
        pods = "|".join(f"llama-{i}[.]x" for i in range(1000))
        self.assertTrue(self.ask(f'sum(DCGM_FI_DEV_FB_USED{{pod!~"{pods}"}})').startswith("500.0"), self.told)

    def test_an_exporter_that_says_nan_or_nothing(self):
        self.becomes("0.921000")
        self.exporter.memory("NaN", 79)
        self.becomes("NotANumber: the value is NaN")
        self.exporter.memory(900, 100)
        self.becomes("0.900000")
        # What is older than MAX_AGE_SECONDS does not count, and was there once.
        self.exporter.text = ""
        self.becomes("Empty: ")

    def test_a_server_that_is_killed_hangs_and_forgets(self):
        self.becomes("0.921000")
        self.prometheus.kill()
        self.becomes("NoAnswer: ")
        self.prometheus.start()
        self.becomes("0.921000")
        self.prometheus.process.send_signal(signal.SIGSTOP)
        self.becomes("NoAnswer: ")
        self.prometheus.process.send_signal(signal.SIGCONT)
        self.becomes("0.921000")
        # Without its past it knows no metric until it scraped again.
        self.prometheus.kill()
        shutil.rmtree(self.prometheus.folder / "data")
        self.exporter.text = ""
        self.prometheus.start()
        self.becomes("Empty: ")
        self.exporter.memory(921, 79)
        self.becomes("0.921000")

    def test_a_server_that_asks_for_a_login(self):
        self.prometheus.kill()
        web = self.prometheus.folder / "web.yml"
        web.write_text("basic_auth_users: {u: $2b$12$hNf2lSsxfm0.i4a.1kVpSOVyBCfIB51VRjgBUyv6kdnyTlgWj81Ay}\n")
        self.prometheus.is_ready = lambda: not self.ask().startswith("NoAnswer")
        self.prometheus.start("--web.config.file", web)
        self.assertEqual(self.told, 'Refused: the server answered 401: "Unauthorized"')


if __name__ == "__main__":
    unittest.main()
