#!/usr/bin/env python3
"""Compares the inference autoscaler with a HorizontalPodAutoscaler's algorithm, by its simulation.

    bench/inference_autoscaler_figures.py build/release/examples/apps/inference_autoscaler/inference_autoscaler

It makes a steady, a day and a burst load by a seed. A table says what HPA comes to with its defaults; what the
autoscaler comes to with its defaults; and of its settings in GRID without a flap that with the fewest
violations at no more replicaSeconds (within 2 %), and that with the fewest replicaSeconds at no more violations.
"""
import itertools
import json
import math
import os
import random
import subprocess
import sys
import tempfile

SERVICE_MS = 200
GRID = {"waiting": (0.5, 5), "below": (40, 45, 50, 60), "step": (1, 4)}


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


def scaler(waiting=5, below=70, step=1):
    rules = [{"name": "p95", "pods": {"metric": "http_request_duration_seconds", "of": "P95"}, "threshold": 0.8,
              "action": {"proportional": True}},
             {"name": "waiting", "pods": {"metric": "vllm:num_requests_waiting"}, "threshold": waiting,
              "action": {"proportional": True}}]
    return {"apiVersion": "autoscaling.kcontrol.dev/v1alpha1", "kind": "InferenceScaler", "metadata": {"name": "llama"},
            "spec": {"target": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "llama"}, "minReplicas": 4,
                     "maxReplicas": 60, "metrics": {"pods": {"port": 8000}}, "rules": rules,
                     "down": {"belowPercent": below, "maxStep": step}}}


def simulate(program, load, settings, policy):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(scaler(**settings), file)
        file.flush()
        done = subprocess.run([program, "simulate", "--load", load, "--scaler", file.name, "--policy", policy],
                              check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def line(kind, what, result, settings):
    print(f"| {kind} | {what} | {result['sloViolations']} | {result['replicaSeconds']} | {result['p95Ms']:.0f} | "
          f"{result['scaleUps']} | {result['scaleDowns']} | {result['flaps']} | {settings} |", flush=True)


def main():
    program = sys.argv[1]
    seconds = int(os.environ.get("SECONDS_OF_LOAD", "21600"))
    print("| load | policy | violations | replicaSeconds | P95 ms | ups | downs | flaps | settings |")
    print("|---|---|---|---|---|---|---|---|---|")
    for kind in ("steady", "day", "burst"):
        with tempfile.TemporaryDirectory() as folder:
            load = os.path.join(folder, "load.csv")
            write_load(load, kind, seconds)
            hpa = simulate(program, load, {}, "hpa")
            line(kind, "hpa", hpa, "defaults")
            line(kind, "ours", simulate(program, load, {}, "ours"), "defaults")
            all_settings = [dict(zip(GRID, values)) for values in itertools.product(*GRID.values())]
            tried = [(simulate(program, load, settings, "ours"), settings) for settings in all_settings]
        tried = [t for t in tried if t[0]["flaps"] == 0]
        cheap = [t for t in tried if t[0]["replicaSeconds"] <= 1.02 * hpa["replicaSeconds"]]
        as_good = [t for t in tried if t[0]["sloViolations"] <= hpa["sloViolations"]]
        if cheap:
            line(kind, "ours, no more replicaSeconds", *min(cheap, key=lambda t: t[0]["sloViolations"]))
        if as_good:
            line(kind, "ours, no more violations", *min(as_good, key=lambda t: t[0]["replicaSeconds"]))


if __name__ == "__main__":
    main()
