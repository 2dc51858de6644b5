#!/usr/bin/env python3
"""Takes the pictures of the GPU scheduler's page that docs/gpu_scheduler.md shows: of a full, a fragmented and a starved
cluster, all made up.

usage: gpu_scheduler_pictures.py [FOLDER]     default: docs/gpu_scheduler
Needs Chromium and a built gpu_page_server (KCONTROL_GPU_PAGE_SERVER names another one).
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import chromium  # noqa: E402
import gpu_scheduler  # noqa: E402
import server  # noqa: E402
from gpu_scheduler import GPU_MIB, KINDS, gpu, node, tenant, waiting  # noqa: E402

RACKS = 6


def cluster(held_on):
    """Six racks of eight nodes; held_on(i): tenants of the eight GPUs of node i, or None."""
    nodes = []
    for i in range(8 * RACKS):
        name = f"gpu-{i:02d}"
        holds = [[] if who is None else [(f"{who}/train-{i}", who, GPU_MIB)] for who in held_on(i)]
        nodes.append(node(name, f"rack-{i // 8}", [gpu(name, g, *held, healthy=(i, g) != (19, 5)) for g, held in enumerate(holds)]))
    return nodes


def full(face):
    nodes = cluster(lambda i: [KINDS[(i // 3) % 4]] * 8)
    half = [(f"speech/asr-{n}", "speech", GPU_MIB // 2) for n in range(2)]
    nodes[40]["gpus"][:2] = [gpu("gpu-40", g, *half) for g in range(2)]
    face.nodes = nodes
    face.tenants = [tenant(name, 96, 96, 112, pending=2) for name in KINDS]
    none = "0/48 nodes are available: 48 Insufficient nvidia.com/gpu."
    face.pending = [waiting(f"{name}/next-{n}", 1 + 2 * i + n, none, would=[
        f"fits when 8 more GPUs are free on gpu-{7 * i + n:02d} (held by {KINDS[i - 1]}/train-{7 * i + n}, priority 0)"])
        for i, name in enumerate(KINDS) for n in range(2)]
    face.history = gpu_scheduler.history(gpus=384, waits=8)


def fragmented(face):
    face.nodes = cluster(lambda i: [KINDS[i % 4] if g < 6 else None for g in range(8)])
    face.tenants = [tenant(name, 96, 72, 80 if name == "nlp" else 72, pending=int(name == "nlp")) for name in KINDS]
    face.pending = [waiting("nlp/llama-70b", 1, "0/48 nodes are available: 48 Insufficient nvidia.com/gpu.", would=[
        "fits when 6 more GPUs are free on gpu-01 (held by nlp/train-1, priority 0)",
        "no node has 8 GPUs of one NVLink domain; the largest free set is 2"])]
    face.history = gpu_scheduler.history(gpus=384, waits=1)


def starved(face):
    face.nodes = cluster(lambda i: [KINDS[i % 2] if i < 30 else None] * 8)
    face.tenants = [tenant("vision", 120, 120, 120), tenant("nlp", 120, 120, 200, pending=10, limit=120), tenant("speech", 0, 0, 0)]
    face.pending = [waiting(f"nlp/sweep-{n}", n + 1, "tenant nlp is at its limit of 120 GPUs",
                            would=["tenant nlp is at its limit of 120 GPUs"]) for n in range(10)]
    face.history = gpu_scheduler.history(gpus=384, waits=10)


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else server.ROOT / "docs" / "gpu_scheduler"
    folder.mkdir(parents=True, exist_ok=True)
    browser = chromium.Browser()
    try:
        for fill in (full, fragmented, starved):
            face = gpu_scheduler.SchedulerServer()
            fill(face)
            page = browser.page(face.url, motion=False, width=1440, height=1100)
            page.until("document.querySelectorAll('.node').length === %d && document.querySelector('#chart .k-allocated') && "
                       "document.querySelectorAll('#queue-rows tr').length === %d" % (len(face.nodes), len(face.pending)))
            page.picture(folder / f"{fill.__name__}.png")
            assert page.errors == [], page.errors
            page.close()
            face.close()
    finally:
        browser.close()


if __name__ == "__main__":
    main()
