#!/usr/bin/env python3
"""Takes pictures of the program's demonstration: of the overview, which README.md and docs/training_monitor show, and of
a GPU fault joined to a failure, and of its node.

usage: demo_pictures.py [FOLDER]     default: docs/training_monitor
Needs Chromium and a built training_monitor (KCONTROL_MONITOR names another one). pictures.py takes the other ones.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import chromium  # noqa: E402
import pictures  # noqa: E402
import server  # noqa: E402

SHOTS = [("overview", {"width": 1440, "height": 900}), ("overview-dark", {"width": 1440, "height": 900, "dark": True}),
         ("phone", {"width": 390, "height": 1320, "mobile": True})]
# The causes have been found, gamma has joined, and people have been notified of a failure.
READY = ("attention.needs?.length > 10 && store.clusters.size === 5 && document.querySelectorAll('#sink li').length > 0 && "
         "$('gpu-panel').text && order.length > 20")

FAULTY = "[...store.jobs.values()].find(j => /failed|exit code/.test(why(j)) && why(j).includes('XID 79'))"


def fault(page, folder, look):
    """The job whose GPU fell off the bus, and the node where that was."""
    page.until(FAULTY)
    page.js(f"goJob({FAULTY})")
    page.until("document.querySelector('#job .because')?.innerText.includes('XID 79') && "
               "document.querySelector('#job a[href*=\"node=\"]')")
    pictures.take(page, folder / f"gpu-fault{look}.png")
    page.js("document.querySelector('#job a[href*=\"node=\"]').click()")
    page.until("$('node')?.open && document.querySelectorAll('#node table').length > 2")
    pictures.take(page, folder / f"node{look}.png")


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else server.ROOT / "docs" / "training_monitor"
    folder.mkdir(parents=True, exist_ok=True)
    browser = chromium.Browser()
    try:
        with server.Program(server.training_monitor(), "--demo", "--listen", "127.0.0.1:0", "--output", "none") as program:
            pages = {name: browser.page(program.url, motion=False, **size) for name, size in SHOTS}
            for name, page in pages.items():
                page.until(READY)
                pictures.take(page, folder / f"{name}.png")
            for look, size in pictures.LOOKS.items():
                page = browser.page(program.url, motion=False, **size)
                page.until(READY)
                fault(page, folder, look)
                page.close()
    finally:
        browser.close()


if __name__ == "__main__":
    main()
