#!/usr/bin/env python3
"""Crowds before a program's server: what an honest client still sees, and what the crowd costs in memory.

usage: serving_load.py BUILD [--program monitor|labeler] [--connections N] [--seconds S] [--again S] [--jobs N]
                       [--rate N] [--flag FLAG]... [SORT...]
BUILD: a build folder with training_monitor and serve_jobs, or gpu_labeler and libfake_nvml.so. For each SORT (default: all)
the program is started anew, N (5000) connections of that sort are made as fast as one process can, and one that is closed
is made again after --again (10) seconds. Meanwhile an honest client, a process of its own, asks everything once a second,
each time on a new connection, and tries nothing twice. Of the monitor --jobs (10000) jobs are in view, --rate (50) of which
change each second. Needs 2 N descriptors: ulimit -n.

SORTs, of which those with a star are the monitor's only:
  silent           nothing is said
  half_handshake*  the first message of a TLS handshake, and no second
  silent_tls*      a TLS handshake, and no request
  half_request     a request whose header does not end
  slow_body        a request whose body drips, a byte a second
  idle             a login and an answer, and nothing more
  streams*         a login and an event stream that is never read
  unread           a login and the largest answer there is, which is never read
Printed: a line of JSON for each: failures and seconds of the honest client's answers, memory of the program in MB, and the
kernel's for all sockets of the machine (those of the crowd as well), the program's counts.
"""
import argparse
import asyncio
import contextlib
import http.client
import json
import multiprocessing
import os
import pathlib
import re
import resource
import socket
import ssl
import subprocess
import sys
import tempfile
import time

from monitor_bench import cpu_of, free_port, served_jobs, status_of

TOKEN = "a-token-for-the-honest-and-for-the-crowd"
LOGIN = f"Authorization: Bearer {TOKEN}\r\n"
GET = "GET {} HTTP/1.1\r\nHost: localhost\r\n"


def client_hello():
    to_us, from_us = ssl.MemoryBIO(), ssl.MemoryBIO()
    tls = ssl.create_default_context().wrap_bio(to_us, from_us, server_hostname="localhost")
    with contextlib.suppress(ssl.SSLWantReadError):
        tls.do_handshake()
    return from_us.read()


class Sort:
    """What a member of a crowd says at once and each second after; paths are those of the program (`large`, `small`)."""

    def __init__(self, says=b"", path=None, then=b"", reads=True, tls=True, monitor_only=False):
        self.says, self.path, self.then = says, path, then
        self.reads, self.tls, self.monitor_only = reads, tls, monitor_only

    def opening(self, paths):
        return self.says if self.path is None else (GET.format(paths[self.path]) + LOGIN + "\r\n").encode()


SORTS = {
    "silent": Sort(tls=False),
    "half_handshake": Sort(client_hello(), tls=False, monitor_only=True),
    "silent_tls": Sort(monitor_only=True),
    "half_request": Sort((GET.format("/") + "X-Half: ").encode()),
    "slow_body": Sort((GET.format("/") + "Content-Length: 3000\r\n\r\n").encode(), then=b"x"),
    "idle": Sort(path="small"),
    "streams": Sort(path="stream", reads=False, monitor_only=True),
    "unread": Sort(path="large", reads=False),
}


class Member(asyncio.Protocol):
    """One connection of the crowd."""

    def __init__(self, sends, reads, lost):
        self.sends, self.reads, self.lost = sends, reads, lost

    def connection_made(self, transport):
        self.transport = transport
        if not self.reads:
            # With TLS asyncio itself would go on reading, up to some 256 KiB: what is below it is to stop.
            below = getattr(transport, "_ssl_protocol", None)
            (below._transport if below else transport).pause_reading()
        if self.sends:
            transport.write(self.sends)

    def connection_lost(self, _):
        if not self.lost.done():
            self.lost.set_result(None)


async def be_member(port, sort, paths, context, again, connecting, counts):
    kind = SORTS[sort]
    loop = asyncio.get_running_loop()
    while True:
        lost = loop.create_future()
        try:
            async with connecting:
                transport, _ = await asyncio.wait_for(loop.create_connection(
                    lambda: Member(kind.opening(paths), kind.reads, lost), "127.0.0.1", port,
                    ssl=context if kind.tls else None, server_hostname="localhost" if kind.tls and context else None), 30)
            counts["made"] += 1
            counts["open"] += 1
            while not lost.done():
                await asyncio.wait([lost], timeout=1 if kind.then else None)
                if kind.then and not lost.done():
                    transport.write(kind.then)
            counts["open"] -= 1
        except (OSError, asyncio.TimeoutError):
            counts["failed"] += 1
        await asyncio.sleep(again)


async def be_crowd(port, sort, paths, context, options, report):
    counts = {"made": 0, "open": 0, "failed": 0}
    connecting = asyncio.Semaphore(200)
    members = [asyncio.create_task(be_member(port, sort, paths, context, options.again, connecting, counts))
               for _ in range(options.connections)]
    while counts["made"] + counts["failed"] < options.connections:
        await asyncio.sleep(0.1)
    report.send(("all have connected", dict(counts)))
    while not report.poll():
        await asyncio.sleep(0.1)
    report.send(("at the end", dict(counts)))
    for member in members:
        member.cancel()


def crowd(port, sort, paths, ca, options, report):
    context = ssl.create_default_context(cafile=ca) if ca else None
    asyncio.run(be_crowd(port, sort, paths, context, options, report))


def ask(port, path, ca):
    """Seconds until a whole answer, of an event stream until what is there was told."""
    begin = time.monotonic()
    if ca:
        connection = http.client.HTTPSConnection("localhost", port, context=ssl.create_default_context(cafile=ca), timeout=10)
    else:
        connection = http.client.HTTPConnection("localhost", port, timeout=10)
    try:
        connection.request("GET", path, headers={"Authorization": f"Bearer {TOKEN}"})
        answer = connection.getresponse()
        if answer.status != 200:
            raise OSError(f"{answer.status} {answer.read(200)}")
        if path.endswith("/events"):
            for line in answer:
                if line == b"event: ready\n":
                    break
        else:
            answer.read()
        return time.monotonic() - begin
    finally:
        connection.close()


def be_honest(asked, results):
    """`asked`: (port, path, ca)…, each once a second until something is sent."""
    took, failed = {path: [] for _, path, _ in asked}, []
    while not results.poll():
        begin = time.monotonic()
        for port, path, ca in asked:
            try:
                took[path].append(ask(port, path, ca))
            except (OSError, http.client.HTTPException) as why:
                failed.append(f"{path}: {why or type(why).__name__}")
        time.sleep(max(0.0, 1 - (time.monotonic() - begin)))
    results.send((took, failed))


def kernel_tcp_mb():
    pages = int(re.search(r"TCP:.* mem (\d+)", pathlib.Path("/proc/net/sockstat").read_text())[1])
    return pages * resource.getpagesize() / 1e6


def make_certificate(folder):
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1",
                    "-keyout", "tls.key", "-out", "tls.crt", "-subj", "/CN=localhost", "-addext",
                    "subjectAltName=DNS:localhost,IP:127.0.0.1"], cwd=folder, check=True, capture_output=True)
    (folder / "tokens").write_text(TOKEN + "\n")


def has_health_port(program):
    return "--health-probe-bind-address" in subprocess.run([program, "--help"], capture_output=True, text=True, check=True).stdout


@contextlib.contextmanager
def monitor(options):
    program = options.build / "examples/apps/training_monitor/training_monitor"
    clusters = 10
    with served_jobs(options.build, "serving-", clusters, options.jobs // clusters, 1) as (work, server):
        make_certificate(work)
        port, health, ca = free_port(), free_port(), str(work / "tls.crt")
        flags = ["--health-probe-bind-address", f"127.0.0.1:{health}"] if has_health_port(program) else []
        with open(work / "log", "w") as log:
            process = subprocess.Popen(
                [program, "--clusters", work / "clusters", "--output", "none", "--listen", f"127.0.0.1:{port}", "--tls-cert-file",
                 ca, "--tls-private-key-file", work / "tls.key", "--token-file", work / "tokens", *flags, *options.flag],
                stdin=subprocess.DEVNULL, stderr=log)
        asked = [(port, path, ca) for path in ("/healthz", "/readyz", "/api/v1/clusters", "/metrics", "/", "/api/v1/events")]
        if flags:
            asked.append((health, "/healthz?own-port", None))
        try:
            wait_for(process, port, ca, "/api/v1/totals", work / "log")
            until = time.monotonic() + 120
            while jobs_in_view(said(port, ca, "/metrics")) < clusters * (options.jobs // clusters):
                if time.monotonic() > until:
                    sys.exit("the monitor does not see its jobs")
                time.sleep(0.5)
            server.stdin.write(f"change {options.rate}\n")
            server.stdin.flush()
            yield process, port, ca, asked, \
                {"large": "/api/v1/jobs", "small": "/api/v1/clusters", "stream": "/api/v1/events"}, work / "log"
        finally:
            process.terminate()
            process.wait()


@contextlib.contextmanager
def labeler(options):
    program = options.build / "examples/apps/gpu_labeler/gpu_labeler"
    root = pathlib.Path(__file__).resolve().parents[1]
    with tempfile.TemporaryDirectory() as name:
        port, health, folder = free_port(), free_port(), pathlib.Path(name)
        flags = ["--health-probe-bind-address", f"127.0.0.1:{health}"] if has_health_port(program) else []
        with open(folder / "log", "w") as log:
            process = subprocess.Popen(
                [program, "--output", "none", "--node-name", "gpu-1", "--listen", f"127.0.0.1:{port}", "--nvml",
                 options.build / "tests/libfake_nvml.so", "--pod-resources-socket", "", *flags, *options.flag],
                env={"KCONTROL_FAKE_NVML": str(root / "tests/fake_nvml/inventories/a100-x8.txt")}, stdin=subprocess.DEVNULL, stderr=log)
        asked = [(port, path, None) for path in ("/healthz", "/readyz", "/api/v1/gpus", "/metrics", "/")]
        if flags:
            asked.append((health, "/healthz?own-port", None))
        try:
            wait_for(process, port, None, "/readyz", folder / "log")
            yield process, port, None, asked, {"large": "/", "small": "/api/v1/gpus"}, folder / "log"
        finally:
            process.terminate()
            process.wait()


def said(port, ca, path):
    context = ssl.create_default_context(cafile=ca) if ca else None
    connection = http.client.HTTPSConnection("localhost", port, context=context, timeout=20) if ca else \
        http.client.HTTPConnection("localhost", port, timeout=20)
    try:
        connection.request("GET", path, headers={"Authorization": f"Bearer {TOKEN}"})
        return connection.getresponse().read().decode()
    finally:
        connection.close()


def jobs_in_view(metrics):
    return sum(float(m) for m in re.findall(r"^training_jobs\{.*\} (\S+)$", metrics, re.M))


def wait_for(process, port, ca, path, log):
    until = time.monotonic() + 60
    while True:
        try:
            return ask(port, path, ca)
        except OSError as why:
            if time.monotonic() > until or process.poll() is not None:
                sys.exit(f"the program does not serve: {why}\n{log.read_text()[-2000:]}")
            time.sleep(0.2)


def quantiles(values):
    values = sorted(values)
    if not values:
        return None
    return {"p50": round(values[len(values) // 2], 3), "max": round(values[-1], 3), "asked": len(values)}


def measure(sort, options):
    with {"monitor": monitor, "labeler": labeler}[options.program](options) as (process, port, ca, asked, paths, log):
        before, cpu, kernel = status_of(process.pid), cpu_of(process.pid), kernel_tcp_mb()
        honest, his_end = multiprocessing.Pipe()
        many, their_end = multiprocessing.Pipe()
        workers = [multiprocessing.Process(target=be_honest, args=(asked, his_end), daemon=True),
                   multiprocessing.Process(target=crowd, args=(port, sort, paths, ca, options, their_end), daemon=True)]
        for worker in workers:
            worker.start()
        begin = time.monotonic()
        if not many.poll(300):
            sys.exit("the crowd does not get together")
        connected_after = time.monotonic() - begin
        peak_kernel = 0.0
        until = time.monotonic() + options.seconds
        while time.monotonic() < until and process.poll() is None:
            peak_kernel = max(peak_kernel, kernel_tcp_mb())
            time.sleep(0.2)
        many.recv()
        many.send("stop")
        honest.send("stop")
        took, failed = honest.recv()
        counts = many.recv()[1]
        if process.poll() is not None:
            sys.exit(f"{sort}: the program ended with {process.returncode}\n{log.read_text()[-2000:]}")
        after, cpu = status_of(process.pid), cpu_of(process.pid) - cpu
        for worker in workers:
            worker.terminate()
            worker.join()
        try:
            metrics = said(port, ca, "/metrics")
        except OSError as why:
            metrics = f"{why}"
        counted = {m[1]: int(float(m[2])) for m in
                   re.finditer(r'^((?:kcontrol_http|training_monitor_stream)_\S*(?:total|refused)\S*) (\S+)$', metrics, re.M)
                   if float(m[2])}
        log_lines = len(log.read_text().splitlines())
    print(json.dumps({
        "sort": sort, "connections": options.connections, "all_tried_after_s": round(connected_after, 1), "crowd": counts,
        "honest_failures": len(failed), "why": sorted(set(failed))[:5],
        "honest_s": {path: quantiles(values) for path, values in took.items()},
        "rss_mb": {"before": before["VmRSS"] // 1024, "after": after["VmRSS"] // 1024, "peak": after["VmHWM"] // 1024},
        "program_cpu_s": round(cpu, 1), "load_average": os.getloadavg()[0],
        "kernel_tcp_mb": {"before": round(kernel, 1), "peak": round(peak_kernel, 1)},
        "log_lines": log_lines, "counted": counted}), flush=True)


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\nBUILD")[0])
    parser.add_argument("build", type=lambda p: pathlib.Path(p).resolve())
    parser.add_argument("--program", choices=("monitor", "labeler"), default="monitor")
    parser.add_argument("--connections", type=int, default=5000)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--again", type=float, default=10)
    parser.add_argument("--jobs", type=int, default=10000)
    parser.add_argument("--rate", type=int, default=50)
    parser.add_argument("--flag", action="append", default=[])
    parser.add_argument("sorts", nargs="*")
    options = parser.parse_intermixed_args()
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit[1], limit[1]))
    if limit[1] != resource.RLIM_INFINITY and limit[1] < options.connections + 100:
        sys.exit(f"{options.connections} connections need as many descriptors, and ulimit -n allows {limit[1]}")
    possible = [name for name, sort in SORTS.items() if options.program == "monitor" or not sort.monitor_only]
    for sort in options.sorts or possible:
        if sort not in possible:
            sys.exit(f"{sort} is no sort of the {options.program}: {', '.join(possible)}")
        measure(sort, options)


if __name__ == "__main__":
    main()
