#!/usr/bin/env python3
"""A router: HTTP requests go to the endpoints of a Service in turn, to those that are ready, as long as they are known.

usage: router.py NAMESPACE/SERVICE [LISTEN-PORT] [--cache FILE]
A backend that refuses is skipped; without any that is ready the answer is 503. X-Endpoints-State: live, resuming or stale.
"""
import argparse
import asyncio
import itertools

import kcontrol


class Router:
    def __init__(self, backends: kcontrol.Endpoints) -> None:
        self.backends = backends
        self.turn = itertools.count()

    def ready(self) -> tuple[str, list[kcontrol.Endpoint]]:
        snapshot = self.backends.snapshot()  # no request is made for it
        ready = [e for e in snapshot.endpoints if e.ready]
        first = next(self.turn) % len(ready) if ready else 0
        return snapshot.state, ready[first:] + ready[:first]

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            state, candidates = self.ready()
            for backend in candidates:
                try:
                    peer_reader, peer_writer = await asyncio.open_connection(backend.address, backend.port)
                except OSError:
                    continue
                # One request per connection keeps the example short.
                peer_writer.write(head.replace(b"\r\nConnection: keep-alive", b"")[:-2] + b"Connection: close\r\n\r\n")
                status = await peer_reader.readuntil(b"\r\n")
                writer.write(status + f"X-Endpoints-State: {state}\r\n".encode())
                while chunk := await peer_reader.read(65536):
                    writer.write(chunk)
                    await writer.drain()
                peer_writer.close()
                return
            writer.write(b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        finally:
            writer.close()


async def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("service")
    parser.add_argument("port", type=int, nargs="?", default=8080)
    parser.add_argument("--cache")
    wanted = parser.parse_args()
    async with kcontrol.Client() as client:
        router = Router(client.endpoints(wanted.service, cache=wanted.cache))
        server = await asyncio.start_server(router.serve, "127.0.0.1", wanted.port)
        print("listening on", server.sockets[0].getsockname()[1], flush=True)
        await server.serve_forever()

asyncio.run(main())
