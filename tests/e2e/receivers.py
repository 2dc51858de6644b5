"""Receivers of notices: HTTP servers that answer as a test says, and keep what came."""
import http.server
import json
import ssl
import threading
import time


def answer(status, body=b"ok", **headers):
    def give(handler):
        handler.send_response(status)
        handler.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(body)

    give.status = status
    return give


def hang(handler):
    """No answer, until the client goes."""
    handler.close_connection = True
    handler.connection.settimeout(60)
    handler.connection.recv(1)


hang.status = None


class Request:
    def __init__(self, handler, body):
        self.at = time.monotonic()
        self.path, self.headers, self.body = handler.path, dict(handler.headers), body

    @property
    def json(self):
        return json.loads(self.body)


class Receiver:
    """Gives the answers of `script` one after another, then `otherwise`. `tls`: a (certificate, key) pair of files.

    all: every request; taken: those that were answered with 2xx.
    """

    def __init__(self, *script, otherwise=answer(200), tls=None):
        self.script, self.otherwise = list(script), otherwise
        self.all, self.taken = [], []
        self.lock = threading.Lock()
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_POST(self):
                request = Request(self, self.rfile.read(int(self.headers["Content-Length"])))
                with receiver.lock:
                    give = receiver.script.pop(0) if receiver.script else receiver.otherwise
                    receiver.all.append(request)
                    if give.status and give.status < 300:
                        receiver.taken.append(request)
                give(self)

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_):
                pass  # a client that went, or did not like the certificate

        self.server = Server(("127.0.0.1", 0), Handler)
        if tls:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*tls)
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True,
                                                     do_handshake_on_connect=False)
        self.url = f"{'https' if tls else 'http'}://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()
