#!/usr/bin/env python3
"""Takes the pictures of the labeler's page that docs/gpu_labeler shows, of a made-up node.

usage: labeler_pictures.py [FOLDER]     default: docs/gpu_labeler
Needs Chromium and a built labeler_page_server (KCONTROL_LABELER_PAGE_SERVER names another one).
"""
import datetime
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import chromium  # noqa: E402
import labeler  # noqa: E402
import server  # noqa: E402


def user(team, pod, **members):
    return {"namespace": team, "pod": pod, "container": "pytorch", **members}


def node(trouble):
    gpus = [labeler.gpu(i, memoryMHz=1593, smMHz=1410) for i in range(8)]
    for i in range(4):
        gpus[i]["users"] = [user("nlp", f"llama3-70b-dpo-4f1c-worker-{i // 2}")]
    slices = [("3g.40gb", 40), ("2g.20gb", 20), ("1g.10gb", 10)]
    gpus[5]["migs"] = [{"uuid": f"MIG-{p}", "profile": p, "totalBytes": g * labeler.GIB} for p, g in slices]
    gpus[5]["users"] = [user("vision", "vit-h14-dedup-0", migUuid="MIG-3g.40gb"), user("speech", "whisper-ft-2", migUuid="MIG-1g.10gb")]
    gpus[6]["users"] = [user("ranking", "ranker-v7-nightly-0")]
    if trouble:
        gpus[2] |= {"health": "degraded", "reason": "a memory row waits to be remapped; reset the GPU when it is idle",
                    "xid": 63, "xidTime": labeler.stamp(labeler.NOON - datetime.timedelta(minutes=51)), "recovery": 1}
        gpus[6] = {**labeler.lost(6), "users": gpus[6]["users"], "xid": 79,
                   "xidTime": labeler.stamp(labeler.NOON + datetime.timedelta(hours=23, minutes=50))}
    return gpus


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else server.ROOT / "docs" / "gpu_labeler"
    folder.mkdir(parents=True, exist_ok=True)
    browser = chromium.Browser()
    face = labeler.LabelerServer()
    try:
        face.past(node(False), 23 * 60, every=60)
        face.past(node(False), 300)
        face.past(node(True), 60)
        shots = [("overview", {"width": 1440, "height": 1300}), ("dark", {"width": 1440, "height": 900, "dark": True}),
                 ("phone", {"width": 390, "height": 1100, "mobile": True})]
        for name, size in shots:
            page = browser.page(face.url, motion=False, **size)
            page.until("document.querySelectorAll('.card').length === 8 && "
                       "document.querySelector('#gpu-7 .stroke-line').getAttribute('d').length > 500")
            page.picture(folder / f"{name}.png")
            assert page.errors == [], page.errors
            page.close()
    finally:
        face.close()
        browser.close()


if __name__ == "__main__":
    main()
