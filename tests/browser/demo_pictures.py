#!/usr/bin/env python3
"""Takes the pictures of the overview that README.md and docs/training_monitor show, of the program's demonstration.

usage: demo_pictures.py [FOLDER]     default: docs/training_monitor
Needs Chromium and a built training_monitor (KCONTROL_MONITOR names another one). pictures.py takes the other ones.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import chromium  # noqa: E402
import server  # noqa: E402

SHOTS = [("overview", {"width": 1440, "height": 900}), ("overview-dark", {"width": 1440, "height": 900, "dark": True}),
         ("phone", {"width": 390, "height": 1320, "mobile": True})]
# The causes have been found, gamma has joined, and people have been notified of a failure.
READY = ("attention.needs?.length > 10 && store.clusters.size === 5 && document.querySelectorAll('#sink li').length > 0 && "
         "$('gpu-panel').text && order.length > 20")


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else server.ROOT / "docs" / "training_monitor"
    folder.mkdir(parents=True, exist_ok=True)
    browser = chromium.Browser()
    try:
        with server.Program(server.training_monitor(), "--demo", "--listen", "127.0.0.1:0", "--output", "none") as program:
            pages = {name: browser.page(program.url, motion=False, **size) for name, size in SHOTS}
            for name, page in pages.items():
                page.until(READY)
                page.js("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))")
                page.picture(folder / f"{name}.png")
                print(folder / f"{name}.png")
    finally:
        browser.close()


if __name__ == "__main__":
    main()
