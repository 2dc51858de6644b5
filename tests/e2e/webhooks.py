"""What tests of webhooks before a real API server share: certificates, replicas, what stands before them, and a load."""
import collections
import http.client
import json
import socket
import ssl
import subprocess
import threading
import time
import urllib.request

import ports
import probes
import wait

TABS = "/apis/hooks.kcontrol.dev/v1/namespaces/default/tabs"


def issue(folder, name="webhook"):
    """An authority with a certificate for 127.0.0.1: the files ca.crt, tls.crt and tls.key in the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    script = f"""set -e
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN={name}-ca -days 2 -keyout ca.key -out ca.crt
openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN={name} -keyout new.key |
  openssl x509 -req -CA ca.crt -CAkey ca.key -CAcreateserial -days 2 -out new.crt \
    -extfile <(printf 'subjectAltName=IP:127.0.0.1,DNS:localhost\nextendedKeyUsage=serverAuth')
mv new.key tls.key && mv new.crt tls.crt"""
    subprocess.run(["bash", "-c", script], cwd=folder, check=True, capture_output=True)


class Replica:
    """A program that serves webhooks; `flags` say whence its certificate is."""

    def __init__(self, real, name, *flags, program=None, kubeconfig=None):
        self.port, self.health, self.log = ports.free_port(), ports.free_port(), real.work / f"{name}.log"
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [program or probes.program("webhook_probe"), "--kubeconfig", kubeconfig or real.kubeconfig, *flags,
                 "--webhook-bind-address", f"127.0.0.1:{self.port}", "--listen", f"127.0.0.1:{self.health}"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def get(self, path):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.health}{path}", timeout=60) as answer:
                return answer.read().decode()
        except OSError:
            return None

    def ready(self):
        return self.get("/readyz") is not None

    def wait_ready(self):
        wait.until(lambda: f"it is not ready: {self.log.read_text()[-2000:]}", self.ready, 60)
        return self

    def kill(self):
        self.process.kill()
        self.process.wait()


class Service:
    """What a Service does: new connections go to replicas that are ready, those that are there stay where they are."""

    def __init__(self):
        self.replicas, self.turn, self.stopping = [], 0, False
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.port = self.listener.getsockname()[1]
        self.endpoints = []
        threading.Thread(target=self.accept, daemon=True).start()
        threading.Thread(target=self.look, daemon=True).start()

    def look(self):
        while not self.stopping:
            self.endpoints = [r.port for r in list(self.replicas) if r.ready()]
            time.sleep(0.2)  # measures: how often readiness is asked for

    def accept(self):
        while not self.stopping:
            try:
                peer, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.carry, args=(peer,), daemon=True).start()

    def carry(self, peer):
        ports = self.endpoints
        self.turn += 1
        try:
            other = socket.create_connection(("127.0.0.1", ports[self.turn % len(ports)]))
        except (OSError, ZeroDivisionError):
            return peer.close()
        for a, b in ((peer, other), (other, peer)):
            threading.Thread(target=self.pump, args=(a, b), daemon=True).start()

    @staticmethod
    def pump(source, to):
        try:
            while data := source.recv(65536):
                to.sendall(data)
            to.shutdown(socket.SHUT_WR)
        except OSError:
            for s in (source, to):
                s.close()

    def stop(self):
        self.stopping = True
        self.listener.close()


class Load:
    """So many creates of Tabs a second, as dry runs, while it is entered."""

    WORKERS, WHAT = 20, "creates"

    def __init__(self, real, rate):
        self.real, self.rate = real, rate
        self.codes, self.failures, self.stop, self.seconds = collections.Counter(), [], threading.Event(), 0.0
        self.threads = [threading.Thread(target=self.work, args=(i,)) for i in range(self.WORKERS)]

    def __str__(self):
        return f"{self.codes.total()} {self.WHAT} in {self.seconds:.0f} s, {dict(self.codes)}"

    def __enter__(self):
        self.begun = time.monotonic()
        for t in self.threads:
            t.start()
        return self

    def __exit__(self, *_):
        self.stop.set()
        for t in self.threads:
            t.join()
        self.seconds = time.monotonic() - self.begun

    def go_on(self, seconds=2):
        """Until as many creates more have been answered as that time asks for."""
        before = self.codes.total()
        wait.until("no creates", lambda: self.codes.total() >= before + seconds * self.rate, 60 + 4 * seconds)

    def work(self, worker):
        due = time.monotonic()
        host = self.real.url.removeprefix("https://")
        connection = http.client.HTTPSConnection(host, context=self.real.context, timeout=60)
        while not self.stop.is_set():
            code, answer = self.dry_run(connection, worker)
            self.codes[code] += 1
            if code != 201:
                self.failures.append(answer)
            due += self.WORKERS / self.rate
            time.sleep(max(0.0, due - time.monotonic()))  # measures: so many a second

    @staticmethod
    def dry_run(connection, worker):
        body = {"apiVersion": "hooks.kcontrol.dev/v1", "kind": "Tab", "metadata": {"name": f"load-{worker}"},
                "spec": {"schedule": "x"}}
        connection.request("POST", TABS + "?dryRun=All", json.dumps(body), {"Content-Type": "application/json"})
        answer = connection.getresponse()
        return answer.status, answer.read().decode()


class Reviews(Load):
    """So many reviews a second at a webhook itself, as an API server asks that trusts the bundle; 4 a connection."""

    WHAT = "reviews"

    def __init__(self, port, bundle, rate):
        super().__init__(None, rate)
        self.port, self.context = port, ssl.create_default_context(cadata=bundle)

    def work(self, worker):
        due = time.monotonic()
        while not self.stop.is_set():
            connection = http.client.HTTPSConnection("127.0.0.1", self.port, context=self.context, timeout=60)
            for _ in range(4):
                code, answer = self.review(connection)
                self.codes[code] += 1
                if code != 200:
                    self.failures.append(answer)
                due += self.WORKERS / self.rate
                time.sleep(max(0.0, due - time.monotonic()))  # measures: so many a second
            connection.close()

    @staticmethod
    def review(connection, seconds=10, **spec):
        """Status and text; 0 and the error where there was none."""
        kind = {"group": "hooks.kcontrol.dev", "version": "v1"}
        tab = {"apiVersion": "hooks.kcontrol.dev/v1", "kind": "Tab", "metadata": {"name": "t"},
               "spec": {"schedule": "x", **spec}}
        body = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
            "uid": "u", "kind": {**kind, "kind": "Tab"}, "resource": {**kind, "resource": "tabs"}, "name": "t",
            "namespace": "default", "operation": "CREATE", "userInfo": {"username": "admin"}, "object": tab}}
        try:
            connection.request("POST", f"/validate-hooks-kcontrol-dev-v1-tab?timeout={seconds}s", json.dumps(body),
                               {"Content-Type": "application/json"})
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        except OSError as failure:
            connection.close()
            return 0, str(failure)
