"""The gpu_labeler as a program: its NVML, its log, what it serves."""
import json
import os
import pathlib
import signal
import subprocess
import time
import urllib.error
import urllib.request

import wait
import words

ROOT = pathlib.Path(__file__).resolve().parents[2]
FAKE = ROOT / "tests" / "fake_nvml"
PROBES = pathlib.Path(os.environ.get("KCONTROL_PROBES", "/nonexistent"))
PROGRAM = os.environ.get("KCONTROL_LABELER", "")


def is_built():
    return os.access(PROGRAM, os.X_OK) and (PROBES / "libfake_nvml.so").exists()


def golden(inventory, strategy="none"):
    lines = (FAKE / "labels" / f"{inventory}.{strategy}.txt").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines)


def command(*flags):
    return [PROGRAM, "--nvml", PROBES / "libfake_nvml.so", "--machine-type-file", "/nonexistent", "--no-timestamp",
            *flags]


def environment(inventory, **more):
    return {**os.environ, "KCONTROL_FAKE_NVML": str(inventory), **more}


def run(inventory, *flags, **more):
    """To its end."""
    return subprocess.run(command(*flags), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
                          env=environment(inventory, **more))


class Labeler:
    """One that goes on until it is stopped."""
    command = staticmethod(command)

    def __init__(self, inventory, log, *flags, **more):
        self.log = pathlib.Path(log)
        with self.log.open("w") as file:
            self.process = subprocess.Popen(self.command("--listen", "127.0.0.1:0", "--start-jitter", "0s", *flags),
                                            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=file,
                                            env=environment(inventory, **more),
                                            # Under nohup the tests have it ignored, and children inherit that.
                                            preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL))
        self.url = self.wait_for("serving")["url"].rstrip("/")

    def records(self):
        return [json.loads(line) for line in self.log.read_text().splitlines() if line.endswith("}")]

    def wait_for(self, message):
        def told():
            if self.process.poll() is not None:
                raise AssertionError(f"the labeler ended: {self.log.read_text()}")
            return next((r for r in self.records() if r["message"] == message), None)

        return wait.until(lambda: f"no record {message!r} in {self.log.read_text()}", told)

    def get(self, path):
        """(status, text)"""
        try:
            with urllib.request.urlopen(self.url + path, timeout=60) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as answer:
            return answer.code, answer.read().decode()

    def metric(self, name):
        """The sum over all label sets."""
        lines = [line for line in self.get("/metrics")[1].splitlines() if line.split("{")[0].split(" ")[0] == name]
        if not lines:
            raise AssertionError(f"no metric {name}")
        return sum(float(line.rsplit(" ", 1)[1]) for line in lines)

    def stop(self):
        """(exit status, seconds it took)"""
        begin = time.monotonic()
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(60)
            seconds = time.monotonic() - begin
            words.check(self.log.read_text())
            return status, seconds
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError(f"the labeler does not stop: {self.log.read_text()[-2000:]}")
