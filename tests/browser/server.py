"""Web faces before a script. What they do is written in page_server.cpp, labeler_page_server.cpp,
autoscaler_page_server.cpp, gpu_page_server.cpp and healer_page_server.cpp."""
import json
import os
import pathlib
import re
import subprocess
import threading

ROOT = pathlib.Path(__file__).resolve().parents[2]


def binary(variable, *places):
    chosen = os.environ.get(variable)
    candidates = [pathlib.Path(chosen)] if chosen else [
        ROOT / "build" / preset / place for preset in ("release", "dev", "clang-asan") for place in places]
    return next((c for c in candidates if c.is_file()), None)


def page_server():
    return binary("KCONTROL_PAGE_SERVER", "tests/page_server")


def training_monitor():
    return binary("KCONTROL_MONITOR", "examples/apps/training_monitor/training_monitor")


def labeler_page_server():
    return binary("KCONTROL_LABELER_PAGE_SERVER", "tests/labeler_page_server")


def autoscaler_page_server():
    return binary("KCONTROL_AUTOSCALER_PAGE_SERVER", "tests/autoscaler_page_server")


def gpu_page_server():
    return binary("KCONTROL_GPU_PAGE_SERVER", "tests/gpu_page_server")


def healer_page_server():
    return binary("KCONTROL_HEALER_PAGE_SERVER", "tests/healer_page_server")


def gpu_labeler():
    return binary("KCONTROL_LABELER", "examples/apps/gpu_labeler/gpu_labeler")


def fake_nvml():
    return binary("KCONTROL_FAKE_NVML_LIBRARY", "tests/libfake_nvml.so")


class Program:
    """A program that serves, as a context. Its log says where."""

    def __init__(self, *command, **environment):
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                        env={**os.environ, **environment})
        self.url = None
        for line in self.process.stderr:
            found = re.search(r"http://127\.0\.0\.1:\d+/", line)
            if found:
                self.url = found.group(0)
                break
        # Nobody reads the rest, and it may not stand still for that.
        threading.Thread(target=lambda stream: [None for _ in stream], args=[self.process.stderr], daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise


class ScriptedServer:
    """A face before a script: see scripted_server.hpp."""

    def __init__(self, *command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.port = json.loads(self.process.stdout.readline())["port"]
        self.url = f"http://127.0.0.1:{self.port}/"

    def steps(self, steps):
        """Does all of them; their answers are read together."""
        answers = []
        steps = list(steps)
        for begin in range(0, len(steps), 200):   # both pipes stay far from full
            part = steps[begin:begin + 200]
            self.process.stdin.write("".join(json.dumps(s) + "\n" for s in part))
            self.process.stdin.flush()
            answers += [self.process.stdout.readline().strip() for _ in part]
        bad = [a for a in answers if a == "" or a.startswith("error")]
        assert not bad, bad[:3]
        return answers

    def step(self, op, **members):
        return self.steps([{"op": op, **members}])[0]

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        try:
            status = self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise
        assert status == 0, f"the scripted server ended with status {status}"


class Server(ScriptedServer):
    def __init__(self, heartbeat_ms=15000, links=()):
        super().__init__(page_server(), str(heartbeat_ms), *links)

    def cluster(self, name, state="live", **members):
        self.step("cluster", **cluster(name, state, **members))

    def job(self, name, state="Running", **members):
        self.step("job", **job(name, state, **members))


KINDS = [("PyTorchJob", "kubeflow.org/v1"), ("MPIJob", "kubeflow.org/v2beta1"),
         ("TrainJob", "trainer.kubeflow.org/v1alpha1"), ("Job", "batch/v1")]


def cluster(name, state="live", reason="", objects=10, **members):
    kinds = [{"kind": k, "apiVersion": v, "state": "live" if state == "live" else "paused", "objects": objects,
              "lists": 1, "watches": 3} for k, v in KINDS]
    return {"name": name, "state": state, "reason": reason, "server": f"https://{name}.example.com:6443",
            "generation": 1, "lastSync": "2026-11-21T14:00:00Z", "kinds": kinds, **members}


def job(name, state="Running", **members):
    return {"cluster": "alpha", "namespace": "ml", "kind": "PyTorchJob", "name": name, "state": state,
            "reason": f"PyTorchJob{state}", "message": f"PyTorchJob {name} is {state.lower()}.", "gpus": 8,
            "startTime": "2026-11-21T12:00:00Z",
            "replicas": {"Master": {"desired": 1, "active": 1}, "Worker": {"desired": 7, "active": 7}}, **members}
