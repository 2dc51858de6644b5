#!/usr/bin/env python3
"""Measures how long a notice takes: from a write at an API server until a webhook has it, beside many quiet clusters.

usage: monitor_notices.py BUILD [CLUSTERS [JOBS [RATE [SECONDS]]]] [-- FLAG...]
BUILD: a release build folder with training_monitor and serve_jobs; by default 100 clusters with 3 kinds of 1000 jobs,
50 changes of state a second (what a webhook gets by default) for 30 seconds. FLAGs are given to training_monitor.
"""
import json
import pathlib
import re
import socket
import subprocess
import sys
import threading
import time
import urllib.request

from monitor_bench import cpu_of, free_port, served_jobs, status_of, stripped_monitor, wait_live

KINDS = 3
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


class Webhook(threading.Thread):
    """Answers one request after another; keeps what each notice took in ns, and the ids."""

    def __init__(self):
        super().__init__(daemon=True)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.took, self.ids = [], set()
        self.start()

    def run(self):
        while True:
            connection, _ = self.listener.accept()
            with connection:
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self.serve(connection)

    def serve(self, connection):
        rest = b""
        while True:
            head, found, body = rest.partition(b"\r\n\r\n")
            length = int(re.search(rb"(?i)content-length: *(\d+)", head)[1]) if found else 0
            if not found or len(body) < length:
                more = connection.recv(1 << 16)
                if not more:
                    return
                rest += more
                continue
            now = time.monotonic_ns()
            connection.sendall(ANSWER)
            notice, rest = json.loads(body[:length]), body[length:]
            self.took.append(now - int(notice["message"]))
            self.ids.add(notice["id"])


def main():
    arguments, _, flags = " ".join(sys.argv[1:]).partition(" -- ")
    build, *numbers = arguments.split()
    clusters, jobs, rate, seconds = [int(n) for n in numbers] + [100, 1000, 50, 30][len(numbers):]
    total = clusters * jobs * KINDS
    hook = Webhook()
    with served_jobs(pathlib.Path(build), "notices-", clusters, jobs, KINDS) as (work, server):
        port = free_port()
        (work / "url").write_text(f"http://127.0.0.1:{hook.port}/\n")
        (work / "notify.yaml").write_text(json.dumps({
            "receivers": [{"name": "hook", "webhook": {"urlFile": "url"}, "queue": 10000,
                           "rate": {"perSecond": 10000, "burst": 10000}, "repeatAfter": "0s"}],
            "rules": [{"receivers": ["hook"]}]}))
        program = subprocess.Popen([stripped_monitor(pathlib.Path(build), work), "--clusters", work / "clusters", "--output",
                                    "none", "--listen", f"127.0.0.1:{port}", "--notify-config", work / "notify.yaml",
                                    *flags.split()], stderr=subprocess.DEVNULL)
        try:
            url = f"http://127.0.0.1:{port}"
            wait_live(program, url, clusters, total)
            if hook.took:
                sys.exit("what was there before was told")
            cpu = cpu_of(program.pid)
            server.stdin.write(f"change {rate}\n")
            server.stdin.flush()
            time.sleep(seconds)
            took, passed = sorted(hook.took), seconds
            cpu, memory = cpu_of(program.pid) - cpu, status_of(program.pid)
            with urllib.request.urlopen(url + "/api/v1/notices") as answer:
                counts = json.load(answer)
        finally:
            program.terminate()
            program.wait()
    if not took:
        sys.exit("nothing was told")
    at = lambda q: round(took[min(len(took) - 1, int(len(took) * q))] / 1e6, 2)
    print(json.dumps({
        "objects": total, "clusters": clusters, "changes_per_s": rate, "notices": len(took), "different_ids": len(hook.ids),
        "write_to_webhook_ms": {"p50": at(0.5), "p90": at(0.9), "p99": at(0.99), "max": at(1)},
        "queued_at_the_end": counts["queued"], "failed": counts["failed"], "dropped": counts["dropped"],
        "coalesced": counts["coalesced"], "cpu_percent": round(100 * cpu / passed, 1), "rss_mb": memory["VmRSS"] // 1024,
    }, indent=2))


if __name__ == "__main__":
    main()
