"""The jobs that the tests submit, as plain objects. Simulated pods end after sim/run-ms with sim/exit-code."""


def template(run_ms, exit_code, container, restart):
    return {
        "metadata": {"annotations": {"sim/run-ms": str(run_ms), "sim/exit-code": str(exit_code)}},
        "spec": {"restartPolicy": restart, "containers": [
            {"name": container, "image": "none", "resources": {"limits": {"nvidia.com/gpu": "1"}}}]},
    }


def pytorch(name, run_ms=500, exit_code=0, workers=1, restart="Never", **policy):
    def replica(n):
        pod = template(run_ms, exit_code, "pytorch", "Never")
        del pod["spec"]["restartPolicy"]
        return {"replicas": n, "restartPolicy": restart, "template": pod}

    return {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "metadata": {"name": name, "namespace": "default"},
            "spec": {"runPolicy": policy, "pytorchReplicaSpecs": {"Master": replica(1), "Worker": replica(workers)}}}


def batch(name, run_ms=500, exit_code=0, **spec):
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name, "namespace": "default"},
            "spec": {"backoffLimit": 0, **spec, "template": template(run_ms, exit_code, "main", "Never")}}


def train(name):
    return {"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainJob",
            "metadata": {"name": name, "namespace": "default"}, "spec": {"runtimeRef": {"name": "torch"}}}


def conditions(*types_and_statuses):
    return [{"type": t, "status": s, "reason": "Test" + t, "message": "", "lastTransitionTime": "2026-01-02T03:04:05Z"}
            for t, s in types_and_statuses]
