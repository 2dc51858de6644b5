"""What the tests of the healer's page share: its scripted server, and cases and policies for it."""
import datetime

import server

NOON = datetime.datetime(2026, 11, 29, 12, tzinfo=datetime.timezone.utc)


def stamp(seconds=0):
    return (NOON + datetime.timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")


def case(node, phase, *timeline, reason="", message="", policy="gpus", name=None, tainted=None, **status):
    """timeline: (seconds before noon, what). The case was opened with the first entry, its phase began with the last."""
    timeline = timeline or ((600, "Suspected: kcontrol.dev/GPUHealthy is False, GPUFailed"), (590, phase))
    if tainted is None:
        tainted = phase not in ("Suspected", "Held", "Released", "Cancelled")
    quarantined = {"type": "Quarantined", "status": str(tainted), "reason": "Tainted", "message": "", "lastTransitionTime": stamp()}
    return {"apiVersion": "healing.kcontrol.dev/v1alpha1", "kind": "NodeRepair",
            "metadata": {"name": name or f"{node}-1a2b", "uid": f"uid-{node}", "creationTimestamp": stamp(-timeline[0][0])},
            "spec": {"node": node, "policy": policy,
                     "trigger": {"type": "kcontrol.dev/GPUHealthy", "status": "False", "reason": "GPUFailed"}},
            "status": {"phase": phase, "reason": reason, "message": message, "phaseTime": stamp(-timeline[-1][0]),
                       "timeline": [{"time": stamp(-before), "what": what} for before, what in timeline],
                       "taint": {"key": "kcontrol.dev/gpu-unhealthy", "value": "GPUFailed", "effect": "NoSchedule"},
                       "conditions": [quarantined], **status}}


def released(node, minutes, policy="gpus"):
    """A case that went through all phases, and ended so many minutes ago."""
    end = 60 * minutes
    return case(node, "Released", (end + 257, "Suspected: kcontrol.dev/GPUHealthy is Unknown, DriverHangs"), (end + 256, "Quarantined"),
                (end + 255, "Draining: WaitForCompletion before roll-back"), (end + 240, "Repairing: roll-back, attempt 1"),
                (end + 122, "Verifying: roll-back: done"), (end, "Released: healthy for 120 s"), step="roll-back", attempt=1,
                policy=policy)


def waits(node="gpu-07", **members):
    """A case that needs a human after two steps."""
    return case(node, "NeedsHuman", (4000, "Suspected: kcontrol.dev/GPUHealthy is False, GPUFailed"), (3999, "Quarantined: XID 79 of GPU 3"),
                (3990, "Draining: WaitForCompletion before reset"), (3900, "Repairing: reset, attempt 1"),
                (3800, "Draining, StepFailed: reset: the server answers 500"), (3790, "Repairing: reboot, attempt 2"),
                (3400, "Verifying: reboot: done"), (1600, "NeedsHuman, NotHealthy: the node did not become healthy in time; no step is left"),
                reason="NotHealthy", message="the node did not become healthy in time; no step is left", step="reboot", attempt=2, **members)


def policy(name="gpus", nodes=48, ill=0, tainted=0, breaker=None, spec=None):
    condition = {"type": "BreakerOpen", "status": str(breaker is not None), "reason": "TooManyNodes", "message": "",
                 "lastTransitionTime": stamp(-(breaker or 0))}
    return {"apiVersion": "healing.kcontrol.dev/v1alpha1", "kind": "HealingPolicy", "metadata": {"name": name},
            "spec": {"nodeSelector": {"matchLabels": {"gpu": "true"}}, **(spec or {})},
            "status": {"nodes": nodes, "ill": ill, "tainted": tainted, "conditions": [condition]}}


class HealerServer(server.ScriptedServer):
    def __init__(self):
        super().__init__(server.healer_page_server())

    def tell(self, repairs=(), policies=None, **members):
        policies = [policy()] if policies is None else policies
        self.step("tell", time=stamp(), repairs=list(repairs), policies=policies, **{"leader": "gpu-healer-0", **members})
