#!/usr/bin/env python3
"""Measures what it costs the stripped training_monitor, and the API servers, to say why jobs fail.

usage: monitor_why.py BUILD [CLUSTERS [JOBS [PODS [RATE [SECONDS]]]]]
BUILD: a release build folder with training_monitor and serve_jobs; by default 100 clusters with 100 PyTorchJobs of 4 pods
each, of which 100 a second fail for 20 seconds: a pod, with the time as its last words, then its job. Twice: with the
right to read pods and events, and without it.
"""
import http.client
import json
import pathlib
import subprocess
import sys
import time
import urllib.parse

from monitor_bench import cpu_of, free_port, served_jobs, status_of, stripped_monitor

IDLE_S = 20


def received(pid):
    """Bytes that the sockets of a process have received so far, TLS included; those of closed ones are not counted."""
    text = subprocess.run(["ss", "-tinpH", "state", "established"], capture_output=True, text=True, check=True).stdout
    total, mine = 0, False
    for line in text.splitlines():
        if not line.startswith(("\t", " ")):
            mine = f"pid={pid}," in line
        elif mine:
            total += sum(int(part.split(":")[1]) for part in line.split() if part.startswith("bytes_received:"))
    return total


def ask(url, path):
    connection = http.client.HTTPConnection(urllib.parse.urlsplit(url).netloc, timeout=60)
    try:
        connection.request("GET", path)
        return json.loads(connection.getresponse().read())["items"]
    finally:
        connection.close()


def until(program, holds):
    """Seconds, from now on, until it holds; a monitor that does not answer yet does not hold."""
    begin = time.monotonic()
    while True:
        try:
            if holds():
                return time.monotonic() - begin
        except OSError:
            pass
        if time.monotonic() - begin > 300 or program.poll() is not None:
            sys.exit("the monitor did not get there")
        time.sleep(0.02)


def delays(url, seconds):
    """Of the jobs that fail meanwhile: ns from the write of the pod's status to `why` in the event stream, sorted."""
    address = urllib.parse.urlsplit(url)
    connection = http.client.HTTPConnection(address.netloc, timeout=5)
    connection.request("GET", "/api/v1/events")
    stream = connection.getresponse()
    found, live, name = {}, False, ""
    yield None
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        line = stream.readline()
        if line.startswith(b"event: "):
            name = line[7:].strip()
            live = live or name == b"ready"
            if name == b"ready":
                yield None
                end = time.monotonic() + seconds
        if not live or name != b"job" or not line.startswith(b"data: "):
            continue
        job = json.loads(line[6:])
        written = job["why"].rpartition(": ")[2]
        if job["state"] == "Failed" and written.isdigit():
            found.setdefault(job["uid"], time.monotonic_ns() - int(written))
    connection.close()
    yield sorted(found.values())


def measure(build, numbers, forbidden):
    clusters, jobs, pods, rate, seconds = numbers
    with served_jobs(build, "why-", clusters, jobs, 1, pods) as (work, server):
        def tell(line):
            server.stdin.write(line + "\n")
            server.stdin.flush()

        def counts():
            tell("count")
            return json.loads(server.stdout.readline())

        if forbidden:
            tell("forbid")
        url = f"http://127.0.0.1:{free_port()}"
        served_cpu = cpu_of(server.pid)
        program = subprocess.Popen([stripped_monitor(build, work), "--clusters", work / "clusters", "--output", "none",
                                    "--listen", url.removeprefix("http://")], stderr=subprocess.DEVNULL)
        try:
            began = time.monotonic()
            until(program, lambda: ask(url, "/api/v1/jobs?limit=1"))
            first = time.monotonic() - began
            wanted = "forbidden" if forbidden else "live"
            until(program, lambda: (found := ask(url, "/api/v1/clusters")) and len(found) == clusters and all(
                c["state"] == "live" and c["pods"] == wanted for c in found)
                  and sum(k["objects"] for c in found for k in c["kinds"]) == clusters * jobs)
            whole = time.monotonic() - began
            out = {"first_rows_s": round(first, 2), "all_live_s": round(whole, 1), "sync_cpu_s": round(cpu_of(program.pid), 2),
                   "servers_cpu_s": round(cpu_of(server.pid) - served_cpu, 2), "received_mb": round(received(program.pid) / 1e6, 1),
                   "requests": counts()}
            before = cpu_of(program.pid)
            time.sleep(IDLE_S)
            out["rest_cpu_percent"] = round(100 * (cpu_of(program.pid) - before) / IDLE_S, 2)
            memory = status_of(program.pid)
            out["rss_mb"], out["peak_mb"] = memory["VmRSS"] // 1024, memory["VmHWM"] // 1024
            if not forbidden:
                events = delays(url, seconds)
                next(events)
                next(events)
                bytes_before = received(program.pid)
                tell(f"fail {rate}")
                found = next(events)
                if not found:
                    sys.exit("no reason was told")
                at = lambda q: round(found[min(len(found) - 1, int(len(found) * q))] / 1e6)
                out["told"], out["write_to_why_ms"] = len(found), {"p50": at(0.5), "p99": at(0.99), "max": at(1)}
                out["received_while_failing_mb"] = round((received(program.pid) - bytes_before) / 1e6, 1)
                out["requests_after"] = counts()
            return out
        finally:
            program.terminate()
            program.wait()


def main():
    defaults = [100, 100, 4, 100, 20]
    given = [int(n) for n in sys.argv[2:]]
    numbers = given + defaults[len(given):]
    build = pathlib.Path(sys.argv[1])
    out = {"clusters": numbers[0], "jobs": numbers[0] * numbers[1], "pods": numbers[0] * numbers[1] * numbers[2]}
    for name, forbidden in (("with_pods_and_events", False), ("without", True)):
        out[name] = measure(build, numbers, forbidden)
    print(json.dumps(out, indent=2))


if __name__ == "__main__":
    main()
