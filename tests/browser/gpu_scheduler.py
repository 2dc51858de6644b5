"""The GPU scheduler's page before answers and events that a test chooses. What its answers are like is held by
tests/apps/gpu_scheduler; tests/e2e/test_gpu_scheduler.py has the program itself."""
import base64
import datetime
import hashlib
import http.server
import json
import pathlib
import queue
import threading

APPS = pathlib.Path(__file__).resolve().parents[2] / "examples" / "apps"
NOON = datetime.datetime.now(datetime.timezone.utc).replace(second=0, microsecond=0)
GPU_MIB = 81920
KINDS = ["vision", "nlp", "speech", "ranking"]


def page(app="gpu_scheduler"):
    """The page as the build puts it together, and its policy."""
    folder = APPS / app / "web" / "page"
    css = "".join(f.read_text() for f in (APPS / "page" / "base.css", folder / "page.css"))
    scripts = [APPS / "page" / "0_elements.js", *sorted(folder.glob("*.js"))]
    js = "".join(f.read_text() for f in scripts)
    text = (folder / "page.html").read_text().replace("/*PAGE_CSS*/", css).replace("/*PAGE_JS*/", js)
    source = {name: "'sha256-" + base64.b64encode(hashlib.sha256(part.encode()).digest()).decode() + "'"
              for name, part in (("style", css), ("script", js))}
    return text, (f"default-src 'none'; script-src {source['script']}; style-src {source['style']}; connect-src 'self'; "
                  "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")


def stamp(minutes=0):
    return (NOON + datetime.timedelta(minutes=minutes)).strftime("%Y-%m-%dT%H:%M:%SZ")


def gpu(node, index, *holds, healthy=True, slices=()):
    """holds: (pod, tenant, MiB)."""
    free = GPU_MIB - sum(mib for _, _, mib in holds)
    return {"index": index, "uuid": f"GPU-{node}-{index}", "memoryMiB": GPU_MIB, "freeMiB": free, "cores": 100,
            "freeCores": 100 if not holds else 0, "healthy": healthy, "slices": list(slices), "pods": [h[0] for h in holds],
            "holds": [{"pod": pod, "tenant": tenant, "memoryMiB": mib} for pod, tenant, mib in holds]}


def node(name, rack, gpus, **members):
    return {"name": name, "product": "NVIDIA-H100-80GB-HBM3", "state": "ready", "forecast": True, "rack": rack, "gpus": gpus,
            **members}


def busy_node(i, held=8):
    name, tenant = f"gpu-{i:03d}", KINDS[i % 4]
    return node(name, f"rack-{i // 16:02d}", [gpu(name, g, *([(f"{tenant}/train-{i}", tenant, GPU_MIB)] if g < held else []))
                                              for g in range(8)])


def tenant(name, fair, allocated, requested, pending=0, quota_gpus=None, limit=None, **status):
    quota = {"product": "*", "allocated": str(allocated), "requested": str(requested), "fairShare": str(fair),
             "borrowed": str(max(0, allocated - fair))}
    ready = [{"type": "Ready", "status": "True", "reason": "Ready", "message": ""}]
    quotas = [{"product": "*", "gpus": fair if quota_gpus is None else quota_gpus, "limit": limit}]
    return {"name": name, "quotas": quotas, "status": {"quotas": [quota], "pending": pending, "conditions": ready, **status}}


def waiting(pod, place, reason, gang=None, would=()):
    return {"pod": pod, "gang": gang, "tenant": pod.split("/")[0], "since": stamp(-12), "place": place, "reason": reason,
            "would": list(would)}


def history(minutes=1440, gpus=32, waits=3):
    at = int(NOON.timestamp())
    return {"tenants": ["nlp", "vision"], "points": [
        [at + 60 * (i - minutes), gpus, gpus * (0.5 + 0.4 * ((i // 90) % 2)), gpus * 0.05, waits * ((i // 200) % 3), [gpus / 4, gpus / 4]]
        for i in range(minutes + 1)]}


class SchedulerServer:
    def __init__(self):
        self.nodes, self.tenants, self.pending, self.history = [], [], [], history()
        self.down = False
        self.streams = []
        text, policy = page()
        owner = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                if self.path == "/api/v1/events" and not owner.down:
                    return self.stream()
                found = {"/api/v1/pending": {"items": owner.pending}, "/api/v1/history": owner.history}.get(self.path)
                body = text if self.path == "/" else json.dumps(found)
                self.send_response(200 if self.path == "/" else 503 if owner.down else 404 if found is None else 200)
                self.send_header("Content-Type", "text/html" if self.path == "/" else "application/json")
                self.send_header("Content-Security-Policy", policy)
                self.send_header("Content-Length", str(len(body.encode())))
                self.end_headers()
                self.wfile.write(body.encode())

            def stream(self):
                mine = queue.Queue()
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.end_headers()
                for name, data in (("nodes", {"items": owner.nodes}), ("tenants", {"items": owner.tenants}),
                                   ("pending", {"pods": len(owner.pending)})):
                    self.wfile.write(event(name, data))
                owner.streams.append(mine)
                while (piece := mine.get()) is not None:
                    self.wfile.write(piece)
                self.close_connection = True

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def send(self, name, data):
        for each in self.streams:
            each.put(event(name, data))

    def hang_up(self):
        for each in self.streams:
            each.put(None)
        self.streams = []

    def close(self):
        self.hang_up()
        self.server.shutdown()
        self.server.server_close()


def event(name, data):
    return f"event: {name}\ndata: {json.dumps(data)}\n\n".encode()
