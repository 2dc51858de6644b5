#!/usr/bin/env python3
"""A router: HTTP requests go to the endpoints of a Service that are ready, at random; without any: 503. A backend that refuses
is skipped. X-Endpoints-State: live, resuming or stale. One request per connection keeps the example short.

usage: router.py NAMESPACE/SERVICE [LISTEN-PORT] [--cache FILE]
"""
import argparse
import asyncio
import random

import kcontrol


class Router:
    def __init__(self, backends: kcontrol.Endpoints) -> None:
        self.backends = backends

    def candidates(self) -> list[tuple[kcontrol.Endpoint, str]]:
        try:
            snapshot = self.backends.snapshot()  # no request is made for it
        except kcontrol.Error:  # no such Service, or no right to read it: it is logged
            return []
        ready = [(e, snapshot.state) for e in snapshot.endpoints if e.ready]
        return random.sample(ready, len(ready))

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            for backend, state in self.candidates():
                try:
                    peer_reader, peer_writer = await asyncio.open_connection(backend.address, backend.port)
                except OSError:
                    continue
                peer_writer.write(head.replace(b"\r\nConnection: keep-alive", b"")[:-2] + b"Connection: close\r\n\r\n")
                writer.write(await peer_reader.readuntil(b"\r\n") + f"X-Endpoints-State: {state}\r\n".encode())
                while chunk := await peer_reader.read(65536):
                    writer.write(chunk)
                    await writer.drain()
                return peer_writer.close()
            writer.write(b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        except (OSError, asyncio.IncompleteReadError):
            pass  # the client or the backend has closed its connection
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
