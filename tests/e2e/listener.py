"""A server of a test's own on loopback: what is done with each connection is its heir's, on a thread each."""
import socket
import threading


class Listener:
    def __init__(self, address="127.0.0.1"):
        self.listener = socket.create_server((address, 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return  # closed
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def close(self):
        self.listener.close()
