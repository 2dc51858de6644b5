#!/usr/bin/env python3
"""Backends, and requests for them by way of routers: a process of its own, so that a busy test does not slow it down.

usage: traffic.py BACKEND-PORT RATE ROUTER-PORT…
Backends: all addresses of this machine at that port; which one is asked is the address that a router connected to. A
request for one that was not added, or was terminated over ten seconds ago, is answered with 503, which routers pass on.
Requests: RATE a second to each router at 127.0.0.1, each on a connection of its own. Routers add their name as a header,
X-Router.
On standard input, a line of JSON each: {"add": ADDRESS}, {"terminate": ADDRESS, "at": time.monotonic()},
{"report": true}, which is answered with a line of what happened since the last report; "stop" as the last one.
"""
import asyncio
import collections
import json
import sys
import time

GRACE_S = 10.0  # after an endpoint was terminating; pods have 30
PATIENCE_S = 60


class Backends:
    def __init__(self):
        self.ends = {}
        self.begin()

    def begin(self):
        self.hits, self.late = collections.defaultdict(set), []
        self.lasts = collections.defaultdict(dict)  # by router and address: seconds from its end to its last request

    def status(self, address, router):
        now, end = time.monotonic(), self.ends.get(address, 0.0)
        if end is None or now <= end + GRACE_S:
            self.hits[router].add(address)
            if end is not None:
                self.lasts[router][address] = now - end
            return "200 OK"
        self.late.append([address, round(now - end, 3), router])
        return "503 Service Unavailable"


class Backend(asyncio.Protocol):
    """A connection of a router's, on which requests come one after the other."""

    def __init__(self, backends):
        self.backends, self.pending = backends, b""

    def connection_made(self, transport):
        self.transport, self.address = transport, transport.get_extra_info("sockname")[0]

    def data_received(self, data):
        *whole, self.pending = (self.pending + data).split(b"\r\n\r\n")
        for request in whole:
            router = next((line[9:].strip().decode() for line in request.lower().split(b"\r\n")
                           if line.startswith(b"x-router:")), "")
            status = self.backends.status(self.address, router)
            self.transport.write(f"HTTP/1.1 {status}\r\nContent-Length: 3\r\n\r\nok\n".encode())


class Request(asyncio.Protocol):
    """One request on a connection of its own; `done` becomes the status, "" if there was no answer."""

    def __init__(self, done):
        self.done, self.answer = done, b""

    def connection_made(self, transport):
        transport.write(b"GET / HTTP/1.1\r\nHost: web\r\nConnection: close\r\n\r\n")

    def data_received(self, data):
        self.answer += data

    def connection_lost(self, failure):
        if not self.done.done():
            self.done.set_result(self.answer.split(b" ", 2)[1].decode() if b" " in self.answer else f"no answer: {failure}")


class Load:
    def __init__(self, port):
        self.port, self.answers, self.failures = port, collections.Counter(), []

    async def ask(self):
        loop = asyncio.get_running_loop()
        done = loop.create_future()
        try:
            async with asyncio.timeout(PATIENCE_S):
                await loop.create_connection(lambda: Request(done), "127.0.0.1", self.port)
                status = await done
        except (OSError, TimeoutError) as failure:
            status = type(failure).__name__
        self.answers[status] += 1
        if status != "200":
            self.failures.append([round(time.monotonic(), 3), status])

    async def run(self, rate):
        due, running = time.monotonic(), set()
        while True:
            task = asyncio.create_task(self.ask())
            running.add(task)
            task.add_done_callback(running.discard)
            due += 1 / rate
            await asyncio.sleep(max(0.0, due - time.monotonic()))  # measures: so many a second


async def main():
    port, rate, *routers = map(int, sys.argv[1:])
    backends, loads = Backends(), [Load(each) for each in routers]
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Backend(backends), "0.0.0.0", port, backlog=1024)
    tasks = [asyncio.create_task(load.run(rate)) for load in loads]
    lines = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    while line := (await lines.readline()).decode().strip():
        if line == "stop":
            break
        command = json.loads(line)
        if "add" in command:
            backends.ends[command["add"]] = None
        elif "terminate" in command:
            backends.ends[command["terminate"]] = command["at"]
        else:
            print(json.dumps({"hits": {router: sorted(those) for router, those in backends.hits.items()},
                              "late": backends.late, "lasts": backends.lasts, "routers": {
                load.port: {"answers": load.answers, "failures": load.failures[:20]} for load in loads}}), flush=True)
            backends.begin()
            for load in loads:
                load.answers, load.failures = collections.Counter(), []
    for task in tasks:
        task.cancel()
    server.close()


if __name__ == "__main__":
    asyncio.run(main())
