"""An API server with batch/v1 Jobs only, whose states change as told: for tests of the monitor's memory, in which
there are many jobs or many changes. Anything else it answers with 404, so the other kinds are not installed."""
import http.server
import json
import queue
import threading
import urllib.parse

PAGE = 500


def status_of(state):
    if state == "Running":
        return {"startTime": "2026-01-01T00:00:00Z", "active": 1, "ready": 1}
    if state == "Pending":
        return {"startTime": "2026-01-01T00:00:00Z", "active": 1}
    kind = {"Succeeded": "Complete", "Failed": "Failed", "Suspended": "Suspended"}[state]
    return {"startTime": "2026-01-01T00:00:00Z", "conditions": [{"type": kind, "status": "True", "reason": "Told"}]}


class FakeJobs:
    """Thread-safe. `set` and `remove` are seen by watches at once."""

    def __init__(self, port=0):
        self.lock = threading.Lock()
        self.version = 1
        self.jobs = {}  # name: JSON text
        self.states = {}
        self.watches = []
        self.credentials = set()
        self.pages = None
        server = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                server.answer(self)

            def log_message(self, *arguments):
                pass

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.http.daemon_threads = True
        self.port = self.http.server_address[1]
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def kubeconfig(self, token=None):
        return json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "x",
            "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
            "users": [{"name": "u", "user": {"token": token} if token else {}}],
            "clusters": [{"name": "c", "cluster": {"server": f"http://127.0.0.1:{self.port}"}}]})

    def set(self, name, state, gpus=0, team=None):
        with self.lock:
            self.version += 1
            kind = "MODIFIED" if name in self.jobs else "ADDED"
            container = {"name": "c", "resources": {"limits": {"nvidia.com/gpu": str(gpus)}}} if gpus else {"name": "c"}
            self.jobs[name] = json.dumps({
                "apiVersion": "batch/v1", "kind": "Job",
                "metadata": {"name": name, "namespace": "ml", "uid": "uid-" + name, "labels": {"team": team} if team else {},
                             "resourceVersion": str(self.version), "creationTimestamp": "2026-01-01T00:00:00Z"},
                "spec": {"parallelism": 1, "suspend": state == "Suspended", "completions": 1, "template": {"spec": {"containers": [container]}}},
                "status": status_of(state)})
            self.states[name] = state
            self.tell(kind, self.jobs[name])

    def remove(self, name):
        with self.lock:
            self.version += 1
            job = json.loads(self.jobs.pop(name))
            job["metadata"]["resourceVersion"] = str(self.version)
            del self.states[name]
            self.tell("DELETED", json.dumps(job))

    def tell(self, kind, job):
        self.pages = None
        line = f'{{"type":"{kind}","object":{job}}}\n'.encode()
        for watch in self.watches:
            watch.put(line)

    def answer(self, request):
        url = urllib.parse.urlsplit(request.path)
        query = dict(urllib.parse.parse_qsl(url.query))
        self.credentials.add(request.headers.get("Authorization"))
        if url.path != "/apis/batch/v1/jobs":
            body = json.dumps({"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 404,
                               "reason": "NotFound", "message": "the server could not find the requested resource"})
            return self.whole(request, 404, body.encode())
        if query.get("watch") in ("true", "1"):
            return self.watch(request, int(query.get("resourceVersion") or 0))
        with self.lock:
            if self.pages is None:
                texts = list(self.jobs.values())
                parts = [texts[i:i + PAGE] for i in range(0, len(texts), PAGE)] or [[]]
                self.pages = [self.render(i, part, len(parts)) for i, part in enumerate(parts)]
            page = self.pages[int(query.get("continue") or 0)]
        self.whole(request, 200, page)

    def render(self, index, items, count):
        meta = {"resourceVersion": str(self.version)}
        if index + 1 < count:
            meta["continue"] = str(index + 1)
        head = json.dumps({"apiVersion": "batch/v1", "kind": "JobList", "metadata": meta})
        return (head[:-1] + ',"items":[' + ",".join(items) + "]}").encode()

    @staticmethod
    def whole(request, code, body):
        request.send_response(code)
        request.send_header("Content-Type", "application/json")
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)

    def watch(self, request, version):
        lines = queue.Queue()
        with self.lock:
            fresh = version == self.version
            if fresh:
                self.watches.append(lines)
        request.send_response(200)
        request.send_header("Content-Type", "application/json")
        request.send_header("Transfer-Encoding", "chunked")
        request.end_headers()
        if not fresh:  # no history is kept here: list again
            lines.put(b'{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","status":"Failure","code":410,'
                      b'"reason":"Expired","message":"too old resource version"}}\n')
        try:
            while True:
                line = lines.get()
                request.wfile.write(b"%x\r\n%s\r\n" % (len(line), line))
                request.wfile.flush()
                if not fresh:
                    request.wfile.write(b"0\r\n\r\n")
                    return
        except OSError:
            with self.lock:
                if lines in self.watches:
                    self.watches.remove(lines)

    def stop(self):
        self.http.shutdown()
        self.http.server_close()
