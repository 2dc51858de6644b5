"""The inference autoscaler's page before answers that a test chooses. The page is put together as the build does it."""
import base64
import datetime
import hashlib
import http.server
import json
import pathlib
import threading

APPS = pathlib.Path(__file__).resolve().parents[2] / "examples" / "apps"
NOON = datetime.datetime(2026, 11, 29, 12, tzinfo=datetime.timezone.utc)


def stamp(minutes=0):
    return (NOON + datetime.timedelta(minutes=minutes)).strftime("%Y-%m-%dT%H:%M:%SZ")


def page():
    """The page and its policy."""
    folder = APPS / "inference_autoscaler" / "web" / "page"
    css = "".join(f.read_text() for f in (APPS / "page" / "base.css", folder / "page.css"))
    scripts = [APPS / "page" / "0_elements.js", *sorted(folder.glob("*.js"))]
    js = "".join(f.read_text() for f in scripts)
    text = (folder / "page.html").read_text().replace("/*PAGE_CSS*/", css).replace("/*PAGE_JS*/", js)
    source = {name: "'sha256-" + base64.b64encode(hashlib.sha256(part.encode()).digest()).decode() + "'"
              for name, part in (("style", css), ("script", js))}
    return text, (f"default-src 'none'; script-src {source['script']}; style-src {source['style']}; connect-src 'self'; "
                  "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")


def scaler(name, **members):
    status = {"replicas": 3, "ready": 2, "warming": 1, "wanted": 3,
              "decision": {"rule": "waiting", "value": 7.25, "threshold": 5, "since": stamp(-5),
                           "sentence": "waiting is 7.25, above 5: 2 + 1 = 3 replicas."},
              "conditions": [{"type": "Ready", "status": "True", "reason": "Scaling", "message": "", "since": stamp(-60)}]}
    return {"namespace": "ml", "name": name, "target": f"Deployment/{name}", "minReplicas": 1, "maxReplicas": 8,
            "paused": False, "dryRun": False, **status, "time": stamp(), **members}


def history(name, minutes=120):
    points = [[int(NOON.timestamp()) + 60 * (i - minutes), 2 + (i > 60), 2, int(i > 60), 2 + (i > 60), 0, 3 + i / 20, 5]
              for i in range(minutes + 1)]
    return {"namespace": "ml", "name": name, "rules": ["waiting"], "points": points,
            "decisions": [{"time": stamp(-59), "from": 2, "to": 3, "by": "waiting", "rule": "waiting", "value": 6.05,
                           "threshold": 5, "since": stamp(-60), "sentence": "waiting is 6.05, above 5."}]}


class AutoscalerServer:
    def __init__(self):
        self.scalers = []
        self.histories = {}
        self.down = False
        self.asked = []
        text, policy = page()
        owner = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                owner.asked.append(self.path)
                found = owner.answer(self.path)
                body = text if self.path == "/" else json.dumps(found)
                status = 503 if owner.down and self.path != "/" else 404 if self.path != "/" and found is None else 200
                self.send_response(status)
                self.send_header("Content-Type", "text/html" if self.path == "/" else "application/json")
                self.send_header("Content-Security-Policy", policy)
                self.send_header("Content-Length", str(len(body.encode())))
                self.end_headers()
                self.wfile.write(body.encode())

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def answer(self, path):
        if path == "/api/v1/scalers":
            return {"items": self.scalers}
        return self.histories.get(path.removeprefix("/api/v1/scalers/").removesuffix("/history"))

    def add(self, name, **members):
        self.scalers.append(scaler(name, **members))
        self.histories[f"ml/{name}"] = history(name)

    def close(self):
        self.server.shutdown()
        self.server.server_close()
