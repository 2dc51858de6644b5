#!/usr/bin/env python3
"""Compares the inference autoscaler with a HorizontalPodAutoscaler's algorithm, by its simulation.

    bench/inference_autoscaler_figures.py build/release/examples/apps/inference_autoscaler/inference_autoscaler

It makes a steady, a day and a burst load by a seed (SEED, 1). A table says what HPA comes to with its defaults, what the
autoscaler comes to with its defaults, and what it comes to with the settings PATIENT. The exit code is 1 unless these have
no flap, at least 30 % fewer violations at no more replicaSeconds than HPA, and at least 15 % fewer replicaSeconds at no
more violations.
"""
import json
import math
import os
import random
import subprocess
import sys
import tempfile

SERVICE_MS = 200
PATIENT = {"up": {"maxPercent": 0, "maxStep": 3}, "down": {"forSeconds": 3600, "maxStep": 2}}


def rates(kind, seconds):
    if kind == "steady":
        return [40.0] * seconds
    if kind == "day":  # a day in six hours
        return [8 + 72 * (1 - math.cos(2 * math.pi * s / seconds)) / 2 for s in range(seconds)]
    return [120.0 if s % 7200 in range(1800, 3000) else 20.0 for s in range(seconds)]


def write_load(path, kind, seconds, seed=1):
    draw = random.Random(seed)
    with open(path, "w", encoding="utf-8") as out:
        out.write("second,requests,service_ms\n")
        for second, rate in enumerate(rates(kind, seconds)):
            requests = max(0, round(draw.gauss(rate, math.sqrt(rate))))
            out.write(f"{second},{requests},{round(draw.uniform(0.5, 1.5) * SERVICE_MS)}\n")


def scaler(settings):
    rules = [{"name": "p95", "pods": {"metric": "http_request_duration_seconds", "of": "P95"}, "threshold": 0.8,
              "action": {"proportional": True}},
             {"name": "waiting", "pods": {"metric": "vllm:num_requests_waiting"}, "threshold": 5,
              "action": {"proportional": True}}]
    return {"apiVersion": "autoscaling.kcontrol.dev/v1alpha1", "kind": "InferenceScaler", "metadata": {"name": "llama"},
            "spec": {"target": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "llama"}, "minReplicas": 4,
                     "maxReplicas": 60, "metrics": {"pods": {"port": 8000}}, "rules": rules, **settings}}


def simulate(program, load, settings, policy):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(scaler(settings), file)
        file.flush()
        done = subprocess.run([program, "simulate", "--load", load, "--scaler", file.name, "--policy", policy],
                              check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def line(kind, what, result):
    print(f"| {kind} | {what} | {result['sloViolations']} | {result['replicaSeconds']} | {result['p95Ms']:.0f} | "
          f"{result['scaleUps']} | {result['scaleDowns']} | {result['flaps']} |", flush=True)


def holds(ours, hpa):
    return (ours["flaps"] == 0 and ours["sloViolations"] <= 0.7 * hpa["sloViolations"]
            and ours["replicaSeconds"] <= 0.85 * hpa["replicaSeconds"])


def main():
    program = sys.argv[1]
    seconds, seed = int(os.environ.get("SECONDS_OF_LOAD", "21600")), int(os.environ.get("SEED", "1"))
    print("| load | policy | violations | replicaSeconds | P95 ms | ups | downs | flaps |")
    print("|---|---|---|---|---|---|---|---|")
    missed = []
    for kind in ("steady", "day", "burst"):
        with tempfile.TemporaryDirectory() as folder:
            load = os.path.join(folder, "load.csv")
            write_load(load, kind, seconds, seed)
            hpa, ours, patient = (simulate(program, load, settings, policy) for settings, policy in
                                  (({}, "hpa"), ({}, "ours"), (PATIENT, "ours")))
        line(kind, "hpa", hpa)
        line(kind, "ours", ours)
        line(kind, "ours, patient", patient)
        missed += [] if holds(patient, hpa) else [kind]
    sys.exit(f"missed: {', '.join(missed)}" if missed else 0)


if __name__ == "__main__":
    main()
