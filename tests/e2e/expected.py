"""What the monitor should say of a job, worked out from the cluster's own object, independently of the monitor."""
RESOURCES = {
    ("PyTorchJob", "kubeflow.org/v1"): "pytorchjobs.v1.kubeflow.org",
    ("MPIJob", "kubeflow.org/v1"): "mpijobs.v1.kubeflow.org",
    ("MPIJob", "kubeflow.org/v2beta1"): "mpijobs.v2beta1.kubeflow.org",
    ("TrainJob", "trainer.kubeflow.org/v1alpha1"): "trainjobs.v1alpha1.trainer.kubeflow.org",
    ("Job", "batch/v1"): "jobs.v1.batch",
}
OWNERS = {"PyTorchJob", "MPIJob", "TrainJob"}


def condition(job, kind):
    """The condition of a type if it holds; by type, never by position."""
    for c in job.get("status", {}).get("conditions", []):
        if c["type"] == kind:
            return c if c["status"] == "True" else None
    return None


def suspended_state(job):
    return "Queued" if job["metadata"].get("labels", {}).get("kueue.x-k8s.io/queue-name") else "Suspended"


def kubeflow_state(job):
    status = job.get("status", {})
    suspended = job["spec"].get("runPolicy", {}).get("suspend", False)
    for kind, state in (("Failed", "Failed"), ("Succeeded", "Succeeded")):
        if condition(job, kind):
            return state
    if condition(job, "Suspended") and suspended:
        return suspended_state(job)
    for kind in ("Restarting", "Running"):
        if condition(job, kind):
            return kind
    active = any(r.get("active", 0) for r in status.get("replicaStatuses", {}).values())
    if status.get("startTime") or active:
        return "Pending"
    return "Created" if condition(job, "Created") else "Unknown"


def batch_state(job):
    status = job.get("status", {})
    if condition(job, "Failed"):
        return "Failed"
    if condition(job, "Complete"):
        return "Succeeded"
    if condition(job, "Suspended") and job["spec"].get("suspend", False):
        return suspended_state(job)
    if condition(job, "FailureTarget") or condition(job, "SuccessCriteriaMet"):
        return "Running"
    if status.get("active", 0):
        if status.get("ready", status["active"]):
            return "Running"
        return "Restarting" if status.get("failed", 0) else "Pending"
    if status.get("succeeded", 0):
        return "Running"
    if status.get("failed", 0):
        return "Restarting"
    return "Pending" if status.get("startTime") else "Created"


def train_state(job):
    status = job.get("status", {})
    if condition(job, "Failed"):
        return "Failed"
    if condition(job, "Complete"):
        return "Succeeded"
    if condition(job, "Suspended") and job["spec"].get("suspend", False):
        return suspended_state(job)
    total = {n: sum(j.get(n, 0) for j in status.get("jobsStatus", [])) for n in ("ready", "active", "failed", "succeeded")}
    if total["ready"]:
        return "Running"
    if total["failed"]:
        return "Restarting"
    if total["active"]:
        return "Pending"
    return "Running" if total["succeeded"] else "Created"


def state(job):
    return {"Job": batch_state, "TrainJob": train_state}.get(job["kind"], kubeflow_state)(job)


def replicas(job):
    status = job.get("status", {})
    if job["kind"] == "Job":
        desired = job["spec"].get("completions", job["spec"].get("parallelism", 1))
        return {"Pod": counts(desired, status)}
    if job["kind"] == "TrainJob":
        return None  # the monitor's own reading of child Jobs; not compared
    specs = job["spec"].get("pytorchReplicaSpecs") or job["spec"].get("mpiReplicaSpecs") or {}
    statuses = status.get("replicaStatuses", {})
    return {name: counts(specs.get(name, {}).get("replicas", 1) if name in specs else 0, statuses.get(name, {}))
            for name in {*specs, *statuses}}


def counts(desired, status):
    return {"desired": desired, **{n: status.get(n, 0) for n in ("active", "succeeded", "failed")}}


def wanted_only(of, state):
    """Of an ended job the monitor shows what its pods came to, where it may see them: test_why compares that."""
    if of is None or state not in ("Failed", "Succeeded"):
        return of
    return {name: {"desired": each["desired"]} for name, each in of.items()}


def is_part_of_another(job):
    return any(o.get("controller") and o["kind"] in OWNERS for o in job["metadata"].get("ownerReferences", []))


def view(job):
    """The members of a job of /api/v1/jobs that follow from the object alone."""
    meta, status = job["metadata"], job.get("status", {})
    return {
        "namespace": meta["namespace"], "name": meta["name"], "kind": job["kind"], "apiVersion": job["apiVersion"],
        "uid": meta["uid"], "state": state(job), "terminating": "deletionTimestamp" in meta,
        "startTime": None if job["kind"] == "TrainJob" else status.get("startTime"),
        "replicas": wanted_only(replicas(job), state(job)),
    }


def of_cluster(cluster, kinds):
    """{(namespace, kind, name): view} of all jobs of a real cluster, as kubectl lists them."""
    out = {}
    for kind in kinds:
        for job in cluster.get(RESOURCES[kind], "-A")["items"]:
            if not is_part_of_another(job):
                out[job["metadata"]["namespace"], job["kind"], job["metadata"]["name"]] = view(job)
    return out


def of_monitor(jobs):
    """The same of what the monitor shows."""
    out = {}
    for job in jobs:
        members = {n: job[n] for n in ("namespace", "name", "kind", "apiVersion", "uid", "state", "terminating",
                                       "startTime", "replicas")}
        members["replicas"] = wanted_only(members["replicas"], members["state"])
        if job["kind"] == "TrainJob":
            members.update(startTime=None, replicas=None)
        out[job["namespace"], job["kind"], job["name"]] = members
    return out


def is_subsequence(short, long):
    rest = iter(long)
    return all(item in rest for item in short)
