"""Servers that a client must survive, and one that behaves; each in threads of its own, on loopback."""
import http.server
import json
import pathlib
import socket
import ssl
import subprocess
import threading

import listener

JSON = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
LIST = json.dumps({"kind": "JobList", "apiVersion": "batch/v1", "metadata": {"resourceVersion": "1"}, "items": []}).encode()
PAGE = b"<html><body>Sign in</body></html>"
GIBIBYTE = 1 << 30


def with_length(head, body):
    return head + b"Content-Length: %d\r\n\r\n" % len(body) + body


def page(status):
    return lambda connection, request: connection.sendall(
        with_length(b"HTTP/1.1 %s\r\nContent-Type: text/html\r\n" % status, PAGE))


def redirect(to):
    answer = with_length(b"HTTP/1.1 302 Found\r\nLocation: %s/login?state=canary-state\r\n" % to.encode(), b"")
    return lambda connection, request: connection.sendall(answer)


def cut(connection, request):
    connection.sendall(JSON + b'Content-Length: 1000\r\n\r\n{"kind":"JobList",')
    connection.close()


def cut_chunk(connection, request):
    connection.sendall(JSON + b'Transfer-Encoding: chunked\r\n\r\nff\r\n{"kind":"JobList",')
    connection.close()


def stall(connection, request):
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Le")
    connection.recv(1)  # until the client goes


def giant_list(connection, request):
    connection.sendall(JSON + b"Content-Length: %d\r\n\r\n" % GIBIBYTE)
    for _ in range(GIBIBYTE >> 16):
        connection.sendall(b" " * (1 << 16))


def giant_event(connection, request):
    if b"watch=true" not in request:
        return connection.sendall(with_length(JSON, LIST))
    start = b'{"type":"ADDED","object":{"a":"'
    connection.sendall(JSON + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n" % (len(start), start))
    for _ in range(GIBIBYTE >> 16):
        connection.sendall(b"10000\r\n" + b"x" * (1 << 16) + b"\r\n")


class BadServer(listener.Listener):
    """Answers every request by `answer(connection, request)`; with `tls`, a (certificate, key) pair of files."""

    def __init__(self, answer, tls=None, address="127.0.0.1"):
        self.answer = answer
        self.context = None
        if tls:
            self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.context.load_cert_chain(*tls)
        self.requests = []
        super().__init__(address)
        scheme = "https" if tls else "http"
        self.url = f"{scheme}://{address}:{self.port}"

    def serve(self, connection):
        try:
            if self.context:
                connection = self.context.wrap_socket(connection, server_side=True)
            with connection:
                while request := self.read_head(connection):
                    self.requests.append(request)
                    self.answer(connection, request)
        except OSError:
            pass  # the client went

    @staticmethod
    def read_head(connection):
        head = b""
        while b"\r\n\r\n" not in head:
            part = connection.recv(65536)
            if not part:
                return b""
            head += part
        return head

    def close(self):
        self.listener.close()


class BlackHole:
    """A port whose queue is full: the system drops every further SYN."""

    def __init__(self):
        self.listener = socket.socket()
        self.listener.bind(("127.0.0.1", 0))
        self.listener.listen(0)
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.fillers = [socket.socket() for _ in range(4)]
        for filler in self.fillers:
            filler.setblocking(False)
            filler.connect_ex(self.listener.getsockname())

    def close(self):
        for each in [*self.fillers, self.listener]:
            each.close()


class GoodServer:
    """The least an API server can be: batch/v1 Jobs, listed and watched."""

    STATES = {
        "Pending": {"active": 1, "ready": 0},
        "Running": {"active": 1, "ready": 1},
        "Succeeded": {"conditions": [{"type": "Complete", "status": "True", "reason": "CompletionsReached"}]},
        "Failed": {"conditions": [{"type": "Failed", "status": "True", "reason": "BackoffLimitExceeded"}]},
    }

    def __init__(self):
        self.jobs, self.log, self.lists, self.watches = {}, [], 0, 0
        self.changed = threading.Condition()
        good = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_GET(self):
                good.get(self)

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_):
                pass  # the client went

        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def add(self, name):
        self.put(name, "Running")

    def put(self, name, state, **metadata):
        """The job of that name, made or changed."""
        with self.changed:
            version = str(len(self.log) + 2)
            old = self.jobs.get(name)
            self.jobs[name] = {
                "apiVersion": "batch/v1", "kind": "Job", "spec": {},
                "metadata": {"name": name, "namespace": "default", "uid": f"uid-{name}", **metadata,
                             "resourceVersion": version},
                "status": {"startTime": "2026-01-01T00:00:00Z", **self.STATES[state]}}
            self.log.append(("MODIFIED" if old else "ADDED", self.jobs[name]))
            self.changed.notify_all()

    def delete(self, name):
        with self.changed:
            job = self.jobs.pop(name)
            metadata = {**job["metadata"], "resourceVersion": str(len(self.log) + 2)}
            self.log.append(("DELETED", {**job, "metadata": metadata}))
            self.changed.notify_all()

    def get(self, handler):
        if "/batch/v1/jobs" not in handler.path:
            return self.send(handler, 404, {"kind": "Status", "status": "Failure", "reason": "NotFound", "code": 404,
                                            "message": "the server could not find the requested resource"})
        if "watch=true" in handler.path:
            return self.watch(handler)
        with self.changed:
            self.lists += 1
            items, version = list(self.jobs.values()), str(len(self.log) + 1)
        self.send(handler, 200, {"kind": "JobList", "apiVersion": "batch/v1",
                                 "metadata": {"resourceVersion": version}, "items": items})

    @staticmethod
    def send(handler, status, document):
        body = json.dumps(document).encode()
        handler.send_response(status)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    def watch(self, handler):
        handler.send_response(200)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        with self.changed:
            self.watches += 1
            told = int(handler.path.split("resourceVersion=")[1].split("&")[0]) - 1
            while True:
                for type_, job in self.log[told:]:
                    line = json.dumps({"type": type_, "object": job}).encode() + b"\n"
                    handler.wfile.write(b"%x\r\n%s\r\n" % (len(line), line))
                told = len(self.log)
                self.changed.wait()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Authority:
    """A certificate authority in a folder, by the openssl program."""

    def __init__(self, folder, name):
        self.folder = pathlib.Path(folder)
        self.name = name
        self.cert, self.key = self.folder / f"{name}.crt", self.folder / f"{name}.key"
        self.openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                     "-subj", f"/CN={name}", "-keyout", self.key, "-out", self.cert)

    def openssl(self, *arguments):
        subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True, cwd=self.folder, timeout=60)

    def issue(self, name, address, expired=False):
        """(certificate, key) files of a server at `address`."""
        cert, key, request = (self.folder / f"{name}.{end}" for end in ("crt", "key", "csr"))
        self.openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", f"/CN={name}",
                     "-keyout", key, "-out", request)
        extensions = self.folder / f"{name}.ext"
        extensions.write_text(f"subjectAltName=IP:{address}\nextendedKeyUsage=serverAuth\n")
        config = self.folder / f"{name}.cnf"
        config.write_text(f"[ca]\ndefault_ca=x\n[x]\ndatabase={name}.db\nserial={name}.srl\nnew_certs_dir=.\n"
                          "default_md=sha256\npolicy=p\n[p]\ncommonName=supplied\n")
        (self.folder / f"{name}.db").write_text("")
        (self.folder / f"{name}.srl").write_text("01\n")
        begin, end = ("20200101000000Z", "20200201000000Z") if expired else ("20200101000000Z", "20990101000000Z")
        self.openssl("ca", "-batch", "-notext", "-config", config, "-cert", self.cert, "-keyfile", self.key,
                     "-in", request, "-out", cert, "-extfile", extensions, "-startdate", begin, "-enddate", end)
        return cert, key
