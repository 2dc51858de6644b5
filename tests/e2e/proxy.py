"""A TCP relay between the monitor and one API server, so that a test can cut the line and join it again."""
import socket
import threading
import urllib.parse


class Proxy:
    def __init__(self, url):
        target = urllib.parse.urlparse(url)
        self.target = (target.hostname, target.port)
        self.connections = set()
        self.lock = threading.Lock()
        self.listener = None
        self.port = 0
        self.join()

    @property
    def url(self):
        return f"https://127.0.0.1:{self.port}"

    def join(self):
        """Takes connections (again), at the same port as before."""
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", self.port))
        listener.listen(64)
        self.listener, self.port = listener, listener.getsockname()[1]
        threading.Thread(target=self.accept, args=(listener,), daemon=True).start()

    def cut(self):
        """Refuses new connections and breaks the old ones."""
        listener, self.listener = self.listener, None
        if listener:
            listener.shutdown(socket.SHUT_RDWR)
            listener.close()
        self.drop()

    def drop(self):
        """Breaks all connections; new ones are taken."""
        with self.lock:
            broken, self.connections = self.connections, set()
        for end in broken:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # it was gone already

    def accept(self, listener):
        while True:
            try:
                client, _ = listener.accept()
                server = socket.create_connection(self.target, timeout=60)
                server.settimeout(None)
            except OSError:
                if self.listener is not listener:
                    return
                client.close()  # the API server is down: refuse, as it would
                continue
            for end in (client, server):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with self.lock:
                self.connections |= {client, server}
            for source, sink in ((client, server), (server, client)):
                threading.Thread(target=self.relay, args=(source, sink), daemon=True).start()

    def relay(self, source, sink):
        try:
            while data := source.recv(65536):
                sink.sendall(data)
        except OSError:
            pass  # cut, or the other side closed
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        with self.lock:
            self.connections -= {source, sink}
        source.close()
