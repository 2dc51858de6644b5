#!/usr/bin/env python3
"""Takes the pictures of the GPU healer's page that docs/gpu_healer.md shows: light, dark and on a phone, all made up.

usage: healer_pictures.py [FOLDER]     default: docs/gpu_healer
Needs Chromium and healer_page_server.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import chromium  # noqa: E402
import healer  # noqa: E402
import server  # noqa: E402
from healer import case, policy, released, waits  # noqa: E402


def fill(face):
    held = [case(f"gpu-{n}", "Held", (120, "Suspected: kcontrol.dev/GPUHealthy is False, GPUFailed"),
                 (119, "Held, BreakerOpen: as many nodes as the breaker allows are tainted"), reason="BreakerOpen",
                 policy="h100") for n in (21, 22, 25)]
    busy = [waits(policy="h100"),
            case("gpu-11", "Repairing", (420, "Suspected: kcontrol.dev/GPUHealthy is Unknown, DriverHangs"), (419, "Quarantined"),
                 (400, "Draining: WaitForCompletion before roll-back"), (95, "Repairing: roll-back, attempt 1"),
                 step="roll-back", attempt=1, policy="a100"),
            case("gpu-23", "Verifying", (300, "Suspected: kcontrol.dev/GPUHealthy is Unknown, DriverHangs"), (299, "Quarantined"),
                 (298, "Draining: WaitForCompletion before roll-back"), (290, "Repairing: roll-back, attempt 1"),
                 (40, "Verifying: roll-back: done"), step="roll-back", attempt=1, policy="h100"),
            case("gpu-31", "Cancelled", (8000, "Suspected: kcontrol.dev/GPUHealthy is False, GPUFailed"), (7999, "Quarantined"),
                 (7000, "Cancelled, HumanHold: rma-1177"), reason="HumanHold", message="rma-1177", tainted=True, policy="a100")]
    past = [released(f"gpu-{n:02d}", 40 * n, policy=("h100", "a100")[n % 2]) for n in range(1, 25)]
    face.tell(busy + held + past, [policy("a100", 30, 1, 2), policy("h100", 20, 5, 2, breaker=118)])


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else server.ROOT / "docs" / "gpu_healer"
    folder.mkdir(parents=True, exist_ok=True)
    browser = chromium.Browser()
    face = healer.HealerServer()
    try:
        fill(face)
        for name, look in (("light", {}), ("dark", {"dark": True}), ("phone", {"width": 390, "height": 844, "mobile": True})):
            page = browser.page(face.url + "#gpu-23-1a2b", motion=False, **{"width": 1440, "height": 1560, **look})
            page.until("!$('one').hidden && document.querySelectorAll('#rows tr').length === 7")
            page.js("scrollTo(0, 0)")
            page.picture(folder / f"{name}.png")
            assert page.errors == [], page.errors
            page.close()
    finally:
        face.close()
        browser.close()


if __name__ == "__main__":
    main()
