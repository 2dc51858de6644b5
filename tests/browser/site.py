#!/usr/bin/env python3
"""The built site in headless Chromium, at the widths of a phone and of a desktop: no page is wider than the screen, nothing is loaded
from elsewhere, and the search finds what it should without another server.

usage: site.py FOLDER [--results FILE]     FOLDER: build/site/html, from scripts/site.sh
"""
import argparse
import functools
import http.server
import pathlib
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import chromium  # noqa: E402

SIZES = {"phone": {"width": 390, "height": 844, "mobile": True}, "desktop": {"width": 1280, "height": 900}}
PAGES = ["index.html", "docs/guide.html", "docs/first_controller.html", "docs/metrics.html", "docs/from_go.html", "HACKING.html",
         "docs/parity.html"]


class quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class site_server(http.server.ThreadingHTTPServer):
    def handle_error(self, *_):
        """A page that is closed while something of it is still coming."""


def width_problem(page):
    wide = page.js("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    return f"it is {wide} pixels wider than the screen" if wide > 1 else None


def foreign(page):
    return page.js("performance.getEntriesByType('resource').map(r => r.name).filter(n => !n.startsWith(location.origin)).join(' ')")


def search_problem(browser, url):
    page = browser.page(url + "search.html?q=finalizer", **SIZES["desktop"])
    try:
        page.until("document.querySelectorAll('#mkdocs-search-results article').length > 0")
        found = page.js("document.querySelector('#mkdocs-search-results').innerText.toLowerCase().includes('finalizer')")
        return None if found else "it finds other things"
    except chromium.Failure as failure:
        return str(failure)
    finally:
        page.close()


def check(browser, url):
    """Yields for each check what it is of, and what is wrong or None."""
    for name, size in SIZES.items():
        for path in PAGES:
            page = browser.page(url + path, **size)
            page.until("document.readyState === 'complete'")
            problem = width_problem(page)
            if not problem and foreign(page):
                problem = f"it loads {foreign(page)}"
            page.close()
            yield f"{path} on a {name}", problem
    yield "search", search_problem(browser, url)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--results", type=pathlib.Path)
    arguments = parser.parse_args()
    passed = failed = skipped = 0
    if chromium.program() is None:
        print("skipped: Chromium is not installed (package chromium)")
        skipped = 1
    else:
        server = site_server(("127.0.0.1", 0), functools.partial(quiet, directory=arguments.folder))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        browser = chromium.Browser()
        try:
            for what, problem in check(browser, f"http://127.0.0.1:{server.server_port}/"):
                passed, failed = passed + (not problem), failed + bool(problem)
                if problem:
                    print(f"FAILED: {what}: {problem}")
        finally:
            browser.close()
            server.shutdown()
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    if arguments.results:
        with arguments.results.open("a") as out:
            out.write(f"{passed} {failed} {skipped}\n")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
