#!/usr/bin/env python3
"""Takes the first C++ program out of README.md, builds it against an installed kcontrol, and runs it.

It must be the program in examples/tutorial, tell of a pod that is there, of one that changes, and stop at SIGINT.
usage: run.py PREFIX BUILD_DIRECTORY
"""
import json
import pathlib
import queue
import re
import signal
import subprocess
import sys
import threading
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "tutorial" / "hello_controller.cpp"


def snippet():
    found = re.search(r"```cpp\n(.*?)```", (ROOT / "README.md").read_text(), re.S)
    if not found:
        sys.exit("README.md has no C++ program")
    return found.group(1)


def without_comments(text):
    return "\n".join(line for line in text.splitlines() if line.strip() and not line.startswith("//"))


def build(prefix, folder):
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / "hello_controller.cpp"
    source.write_text(snippet())
    configure = ["cmake", "-S", ROOT / "tests/readme", "-B", folder / "build", "-G", "Ninja",
                 f"-DCMAKE_PREFIX_PATH={prefix}", f"-DSNIPPET={source}"]
    subprocess.run(configure, check=True)
    subprocess.run(["cmake", "--build", folder / "build"], check=True)
    return folder / "build"


def request(method, url, body, kind="application/json"):
    call = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": kind}, method=method)
    with urllib.request.urlopen(call, timeout=10) as answer:
        return json.load(answer)


def wait_for(lines, *parts):
    """Reads lines until one has all parts; the queue's timeout is the deadline."""
    while True:
        line = lines.get(timeout=20)
        if line is None:
            sys.exit(f"hello_controller ended before it told of {parts}")
        print(line, end="")
        if all(part in line for part in parts):
            return


def run(build_folder, folder):
    server = subprocess.Popen([build_folder / "api_server"], stdout=subprocess.PIPE, text=True)
    url = server.stdout.readline().strip()
    pods = f"{url}/api/v1/namespaces/default/pods"
    request("POST", pods, {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"},
                           "spec": {"containers": [{"name": "c", "image": "i"}]}, "status": {"phase": "Pending"}})
    config = folder / "kubeconfig"
    config.write_text(f"""apiVersion: v1
kind: Config
clusters: [{{name: c, cluster: {{server: "{url}"}}}}]
contexts: [{{name: c, context: {{cluster: c}}}}]
current-context: c
""")
    hello = subprocess.Popen([build_folder / "hello_controller", "--kubeconfig", config], stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    lines = queue.Queue()

    def read():
        for line in hello.stdout:
            lines.put(line)
        lines.put(None)

    threading.Thread(target=read, daemon=True).start()
    try:
        wait_for(lines, "hello", "web")
        request("PATCH", f"{pods}/web/status", {"status": {"phase": "Running"}}, "application/merge-patch+json")
        wait_for(lines, "hello", "web", "Running")
        hello.send_signal(signal.SIGINT)
        return hello.wait(timeout=10)
    finally:
        hello.kill()
        server.kill()


def main():
    prefix, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    if without_comments(snippet()) != without_comments(EXAMPLE.read_text()):
        sys.exit(f"the README's program is not {EXAMPLE.relative_to(ROOT)}")
    code = run(build(prefix, folder), folder)
    print(f"it ended with {code}")
    return 0 if code == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
