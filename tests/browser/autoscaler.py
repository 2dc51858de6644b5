"""What the tests of the autoscaler's page share: its scripted server, and looks at scalers for it."""
import datetime

import server

NOON = datetime.datetime(2026, 11, 29, 12, tzinfo=datetime.timezone.utc)


def stamp(minutes=0):
    return (NOON + datetime.timedelta(minutes=minutes)).strftime("%Y-%m-%dT%H:%M:%SZ")


def condition(kind, status, reason, message=""):
    return {"type": kind, "status": status, "reason": reason, "message": message, "lastTransitionTime": stamp(-60)}


def scaler(name, value=9.0, spec=None, **status):
    """A scaler with two ready replicas and one that warms; the rule "waiting" decided."""
    decision = {"rule": "waiting", "value": value, "threshold": 5, "since": stamp(-59),
                "sentence": "waiting is 6.05, > 5: 3 replicas instead of 2"}
    return {"apiVersion": "autoscaling.kcontrol.dev/v1alpha1", "kind": "InferenceScaler",
            "metadata": {"namespace": "ml", "name": name},
            "spec": {"target": {"apiVersion": "apps/v1", "kind": "Deployment", "name": name}, "minReplicas": 1,
                     "maxReplicas": 8, "metrics": {"pods": {"port": 8000}}, **(spec or {})},
            "status": {"replicas": 3, "ready": 2, "warming": 1, "wanted": 3, "decision": decision,
                       "conditions": [condition("Ready", "True", "Working")], **status}}


class AutoscalerServer(server.ScriptedServer):
    def __init__(self):
        super().__init__(server.autoscaler_page_server())

    def look(self, name, minutes=0, **members):
        self.steps([look(name, minutes, **members)])

    def past(self, name, **members):
        """Two hours: a value that rises from 3 to 9, and a replica more an hour ago."""
        scale = {"time": stamp(-59), "from": 2, "to": 3, "rule": "waiting"}
        now = {"ready": 2, "lastScale": scale}
        before = {"replicas": 2, "ready": 2, "warming": 0, "wanted": 2}
        self.steps(look(name, i - 120, value=3 + i / 20, **{**members, **(now if i > 60 else before)})
                   for i in range(120))
        self.look(name, lastScale=scale, **members)


def look(name, minutes=0, **members):
    return {"op": "look", "time": stamp(minutes), "scaler": scaler(name, **members)}
