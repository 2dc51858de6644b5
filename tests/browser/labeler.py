"""What the tests and the pictures of the labeler's page share: its scripted server, and samples for it."""
import datetime
import math

import server

NOON = datetime.datetime(2026, 11, 21, 12, tzinfo=datetime.timezone.utc)
GIB = 2 ** 30


def stamp(at):
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")


def gpu(index, **members):
    return {"index": index, "uuid": f"GPU-{index:08x}-59d1-4d1e-93a2-0d8a7c5b21ff", "name": "NVIDIA A100-SXM4-80GB",
            "busId": f"00000000:{16 + index:02X}:00.0", "health": "ok", "temperatureC": 40 + index, "powerW": 71.3,
            "powerLimitW": 400, "utilization": 10 * index, "memoryUtilization": 5, "memoryTotalBytes": 80 * GIB,
            "memoryUsedBytes": (index + 1) * GIB, "smMHz": 1410, "memoryMHz": 1593, "eccUncorrected": 0, **members}


def lost(index, reason="GPU is lost: it has fallen off the bus; reset it or reboot the node"):
    named = gpu(index)
    return {k: named[k] for k in ("index", "uuid", "name", "busId")} | {"health": "failed", "reason": reason}


class LabelerServer(server.ScriptedServer):
    def __init__(self):
        super().__init__(server.labeler_page_server())
        self.now = NOON

    def sample(self, gpus, state="ok", after=10, **members):
        """A sample so many seconds after the last one."""
        self.now += datetime.timedelta(seconds=after)
        self.step("sample", time=stamp(self.now), state=state, driverVersion="550.107.02", cudaVersion=12040,
                  gpus=gpus, **members)

    def past(self, gpus, samples, every=10):
        """So many samples, with loads that go up and down."""
        steps = []
        for _ in range(samples):
            self.now += datetime.timedelta(seconds=every)
            steps.append({"op": "sample", "time": stamp(self.now), "state": "ok", "driverVersion": "550.107.02",
                          "cudaVersion": 12040, "gpus": [busy(g, self.now) for g in gpus]})
        self.steps(steps)


def busy(g, now):
    """That GPU with a load as it might be at that time."""
    if g["health"] == "failed":
        return g
    t = now.timestamp() / 60 + 37 * g["index"]
    load = min(1, max(0, 0.62 + 0.5 * math.sin(t / 90) + 0.12 * math.sin(t / 3.1) + 0.05 * math.sin(t * 2.3)))
    return {**g, "utilization": round(100 * load), "powerW": round(62 + 320 * load, 1), "temperatureC": round(33 + 38 * load),
            "memoryUsedBytes": int((20 + 8 * g["index"] % 50 + 9 * math.sin(t / 200)) * GIB)}
