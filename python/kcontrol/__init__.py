"""What a service needs of Kubernetes: lead, register itself, follow a leader, know the endpoints of a Service.

    with kcontrol.Client() as c:
        backends = c.endpoints("default/web", port="http")
        for endpoint in backends.wait().endpoints: print(endpoint.address, endpoint.port)

The page: docs/service_python.md of the project. All classes may be used from any thread. The library has one thread of its own
per client, which never waits for Python.
"""
from ._client import Client, Endpoints, Follow, Lead, Registration
from ._errors import Code, Error, Timeout
from ._values import Endpoint, Leader, Snapshot, State

__all__ = ["Client", "Code", "Endpoint", "Endpoints", "Error", "Follow", "Lead", "Leader", "Registration", "Snapshot", "State",
           "Timeout"]
