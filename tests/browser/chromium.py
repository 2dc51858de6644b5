"""A headless Chromium, driven over the DevTools protocol on a pipe: no driver, no port, the standard library only.

Protocol: https://chromedevtools.github.io/devtools-protocol/. Messages are JSON, ended by a zero byte; Chromium reads
them from file descriptor 3 and writes to 4.
"""
import base64
import json
import os
import pathlib
import select
import shutil
import signal
import subprocess
import tempfile
import time


def program():
    chosen = os.environ.get("KCONTROL_CHROMIUM")
    if chosen:
        return chosen
    for name in ("chromium", "chromium-browser", "google-chrome"):
        found = shutil.which(name)
        if found:
            return found
    return None


# Seconds after which something will not come any more: a bound for what is broken, not for what is slow.
PATIENCE = 90


# In the page's language: what tests ask often.
HELPERS = """
window.shownRows = () => [...document.querySelectorAll('.row:not([hidden])')];
window.rowsShown = () => shownRows().length;
"""


class Failure(AssertionError):
    pass


class Browser:
    """One browser process with a profile of its own. Each page is a target with a session of its own."""

    FLAGS = ["--headless=new", "--remote-debugging-pipe", "--disable-dev-shm-usage", "--disable-gpu", "--no-first-run",
             "--disable-extensions", "--disable-background-networking", "--disable-sync", "--disable-component-update",
             "--metrics-recording-only", "--hide-scrollbars", "--disable-background-timer-throttling",
             "--disable-renderer-backgrounding", "--disable-backgrounding-occluded-windows", "--lang=en-US"]

    def __init__(self):
        # Root may not have the sandbox. Where the kernel denies it to others (some containers), it is done without:
        # only our own pages are opened.
        self.start(["--no-sandbox"] if os.geteuid() == 0 else [])
        try:
            self.call("Browser.getVersion")
        except Failure as failure:
            self.close()
            if os.geteuid() == 0 or "sandbox" not in str(failure).lower():
                raise
            self.start(["--no-sandbox"])
            self.call("Browser.getVersion")

    def start(self, more):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="kcontrol-browser-"))
        to_browser, self.to = os.pipe()
        self.source, from_browser = os.pipe()

        def place():   # in the child: its ends become 3 and 4
            high = [os.dup2(to_browser, 63), os.dup2(from_browser, 64)]
            for fd, end in zip((3, 4), high):
                os.dup2(end, fd)
                os.close(end)

        self.log = (self.folder / "log").open("w")
        self.process = subprocess.Popen(
            [program(), *self.FLAGS, *more, f"--user-data-dir={self.folder / 'profile'}", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=subprocess.STDOUT, close_fds=False, preexec_fn=place,
            start_new_session=True, env={**os.environ, "TZ": "UTC", "LANG": "C.UTF-8"})
        os.close(to_browser)
        os.close(from_browser)
        self.buffer = b""
        self.last_id = 0
        self.answers = {}
        self.listeners = {}

    def send(self, method, params=None, session=None):
        self.last_id += 1
        message = {"id": self.last_id, "method": method, "params": params or {}}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        try:
            while data:
                data = data[os.write(self.to, data):]
        except BrokenPipeError:
            raise self.ended() from None
        return self.last_id

    def ended(self):
        return Failure(f"the browser ended; its log: {pathlib.Path(self.log.name).read_text(errors='replace')[-2000:]}")

    def call(self, method, params=None, session=None, timeout=PATIENCE):
        sent = self.send(method, params, session)
        deadline = time.monotonic() + timeout
        while sent not in self.answers:
            self.receive(deadline, method)
        answer = self.answers.pop(sent)
        if "error" in answer:
            raise Failure(f"{method}: {answer['error']}")
        return answer["result"]

    def receive(self, deadline, what="an event"):
        """Takes in what comes next."""
        left = deadline - time.monotonic()
        ready = left > 0 and select.select([self.source], [], [], left)[0]
        if not ready:
            raise Failure(f"the browser did not answer in time: {what}")
        piece = os.read(self.source, 1 << 20)
        if not piece:
            raise self.ended()
        self.buffer += piece
        *whole, self.buffer = self.buffer.split(b"\0")
        for text in whole:
            message = json.loads(text)
            if "id" in message:
                self.answers[message["id"]] = message
            else:
                for listener in self.listeners.get(message.get("sessionId"), []):
                    listener(message["method"], message["params"])

    def page(self, url="about:blank", **size):
        return Page(self, url, **size)

    def close(self):
        try:
            self.call("Browser.close")
        except (Failure, OSError):
            pass
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)   # its session: nobody else is in it
            self.process.wait()
        os.close(self.to)
        os.close(self.source)
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def left_the_page(failure):
    """Whether an expression failed because the document that it was asked in has gone."""
    return "navigat" in str(failure) or "destroyed" in str(failure)


class Page:
    """A tab with a profile of its own (no storage is shared with others)."""

    def __init__(self, browser, url, width=1280, height=900, dark=False, motion=True, mobile=False, login=None):
        self.browser = browser
        self.login = login       # what is typed where the browser asks for a password
        self.asked = 0
        self.context = browser.call("Target.createBrowserContext")["browserContextId"]
        self.target = browser.call("Target.createTarget",
                                   {"url": "about:blank", "browserContextId": self.context})["targetId"]
        self.session = browser.call("Target.attachToTarget", {"targetId": self.target, "flatten": True})["sessionId"]
        self.errors = []
        self.failed_requests = []
        browser.listeners[self.session] = [self.hear]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")
        self.call("Page.addScriptToEvaluateOnNewDocument", {"source": HELPERS})
        if login is not None:
            self.call("Fetch.enable", {"handleAuthRequests": True})
        self.size(width, height, mobile)
        self.media(dark, motion)
        self.open(url)

    def hear(self, method, params):
        if method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description") or details["text"])
        elif method == "Runtime.consoleAPICalled" and params["type"] == "error":
            self.errors.append(" ".join(str(a.get("value", a.get("description"))) for a in params["args"]))
        elif method == "Fetch.requestPaused":
            self.browser.send("Fetch.continueRequest", {"requestId": params["requestId"]}, self.session)
        elif method == "Fetch.authRequired":
            self.asked += 1
            answer = {"response": "CancelAuth"} if self.asked > 1 else {
                "response": "ProvideCredentials", "username": "anyone", "password": self.login}
            self.browser.send("Fetch.continueWithAuth",
                              {"requestId": params["requestId"], "authChallengeResponse": answer}, self.session)
        elif method == "Log.entryAdded" and params["entry"]["source"] == "network":
            self.failed_requests.append(params["entry"].get("url"))
        elif method == "Log.entryAdded" and params["entry"]["source"] in ("security", "violation"):
            self.errors.append(params["entry"]["text"])

    def call(self, method, params=None, timeout=PATIENCE):
        return self.browser.call(method, params, self.session, timeout)

    def size(self, width, height, mobile=False):
        self.call("Emulation.setDeviceMetricsOverride",
                  {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile})

    def media(self, dark=False, motion=True):
        self.call("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "no-preference" if motion else "reduce"}]})

    def open(self, url):
        self.call("Page.navigate", {"url": url})

    def reload(self):
        self.js("window.stale = true")     # until then it is the old document that answers
        self.call("Page.reload")
        self.until("!window.stale && document.readyState === 'complete'")

    def js(self, expression, timeout=PATIENCE):
        """The value of an expression; promises are waited for."""
        answer = self.call("Runtime.evaluate", {"expression": expression, "returnByValue": True, "awaitPromise": True,
                                                "userGesture": True}, timeout)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise Failure(details.get("exception", {}).get("description") or details["text"])
        return answer["result"].get("value")

    def until(self, expression, what=None, timeout=PATIENCE):
        """Waits until the expression is true of what is drawn: where the page has planned a frame, after that frame.
        The page itself looks again and again; nothing here sleeps."""
        ask = """new Promise(done => {
            const end = performance.now() + 2000;
            const drawn = () => {
                let v;
                try { v = (%s); } catch (e) { v = null; }
                if (v || performance.now() > end) done(v instanceof Node ? true : v);
                else setTimeout(look, 15);
            };
            const look = () => {
                if (typeof planned === "undefined" || !planned) return drawn();
                const late = setTimeout(drawn, 300);     // a tab in the background draws nothing
                requestAnimationFrame(() => { clearTimeout(late); drawn(); });
            };
            look();
        })""" % expression
        deadline = time.monotonic() + timeout
        while True:
            try:
                value = self.js(ask, timeout + 10)
                if value:
                    return value
            except Failure as failure:   # a navigation in between ends what was running in the page
                if not left_the_page(failure):
                    raise
            if self.errors or time.monotonic() > deadline:   # a page that threw need not be waited for
                raise Failure(f"not within {timeout} s: {what or expression}\n{self.errors}\nthe page shows:\n" +
                              str(self.js("document.body.innerText"))[:3000])

    def key(self, key, text=None, modifiers=0):
        codes = {"Enter": 13, "Escape": 27, "ArrowUp": 38, "ArrowDown": 40, "PageUp": 33, "PageDown": 34, "Home": 36,
                 "End": 35, "Tab": 9}
        params = {"key": key, "modifiers": modifiers, "windowsVirtualKeyCode": codes.get(key, ord(key[0].upper()))}
        if key == "Enter":
            text = "\r"
        elif len(key) == 1:
            text = text or key
        if text:
            params["text"] = text
        self.call("Input.dispatchKeyEvent", {"type": "keyDown" if text else "rawKeyDown", **params})
        params.pop("text", None)
        self.call("Input.dispatchKeyEvent", {"type": "keyUp", **params})

    def type(self, text):
        self.call("Input.insertText", {"text": text})

    def click(self, selector):
        """Until a click has reached the element: again where something that appeared above it moved it away from below
        the mouse, be it before the button went down or before it came up."""
        find = "const e = document.querySelector(%s);" % json.dumps(selector)
        for _ in range(10):
            at = self.js("""(() => { %s
                e.scrollIntoView({block: 'center'});
                window.lastClick?.abort();
                const seen = window.lastClick = new AbortController();
                for (const kind of ['mousedown', 'click'])
                    window.addEventListener(kind, event => {
                        %s seen[kind] = e?.contains(event.target);
                    }, {capture: true, signal: seen.signal});
                const r = e.getBoundingClientRect();
                return [r.x + r.width / 2, r.y + r.height / 2];
            })()""" % (find, find))
            self.mouse("mousePressed", at)
            if not self.js("(() => { %s return lastClick.mousedown && e.contains(document.elementFromPoint(%f, %f)); })()"
                           % (find, *at)):
                self.mouse("mouseReleased", [0, 0])      # so that nothing else is clicked
                continue
            self.mouse("mouseReleased", at)
            try:
                if self.js("!window.lastClick || lastClick.click"):
                    return
            except Failure as failure:
                if not left_the_page(failure):
                    raise
                return       # it was the click that left it
        raise Failure(f"no click reaches {selector}")

    def mouse(self, kind, at):
        self.call("Input.dispatchMouseEvent", {"type": kind, "x": at[0], "y": at[1], "button": "left", "clickCount": 1})

    def picture(self, path):
        data = self.call("Page.captureScreenshot", {"format": "png", "optimizeForSpeed": False})["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))

    def close(self):
        self.browser.listeners.pop(self.session, None)
        self.browser.call("Target.disposeBrowserContext", {"browserContextId": self.context})
