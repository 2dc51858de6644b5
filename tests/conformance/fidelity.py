#!/usr/bin/env python3
"""What a run of the cases on both servers says of each verb, as the table of docs/fidelity.md.

usage: fidelity.py REAL.json OURS.json [--write]     results of run.py; exit 1 if the page says something else
Without --write it only compares; the page is what it prints.
"""
import collections
import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "fidelity.md"
BEGIN, END = "<!-- written by tests/conformance/fidelity.py -->", "<!-- end -->"
PATCHES = {"json-patch": "patch, JSON", "strategic": "patch, strategic merge", "apply-patch": "apply", "merge-patch": "patch, merge"}


def verb_of(case):
    path, _, query = case["path"].partition("?")
    method = case["method"]
    parts = path.strip("/").split("/")
    if not path.startswith(("/api/", "/apis/")) or len(parts) <= (2 if parts[0] == "api" else 3):
        return "discovery, version, health"
    if "as=Table" in case.get("accept", ""):
        return "get, list and watch as tables"
    rest = parts[2:] if parts[0] == "api" else parts[3:]
    if rest[0] == "namespaces" and len(rest) > 2 and rest[2] not in ("status", "finalize"):
        rest = rest[2:]
    if len(rest) > 2:
        return "subresource " + rest[2]
    if rest[0].endswith("reviews") and method == "POST":
        return "reviews of access"
    if method == "PATCH":
        kind = case.get("content_type", "application/merge-patch+json")
        return next((verb for name, verb in PATCHES.items() if name in kind), "patch, of no known type")
    if method == "GET":
        return "watch" if re.search(r"\bwatch=(true|1)", query) else "get" if len(rest) > 1 else "list"
    if method == "DELETE":
        return "delete" if len(rest) > 1 else "delete many"
    return {"POST": "create", "PUT": "update"}.get(method, "methods that are none")


def table(real, ours):
    cases = {}
    for path in sorted(HERE.glob("*.json")):
        for case in json.loads(path.read_text()).get("cases", []):
            if "method" in case:
                cases[path.stem, case["name"]] = case
    rows = collections.defaultdict(lambda: [0, 0, 0])
    differing = []
    for result in real:
        case = cases[result["file"], result["name"]]
        row = rows[verb_of(case)]
        row[0] += 1
        row[1] += result["passed"]
        row[2] += ours.get((result["file"], result["name"]), False)
        if "differs" in case:
            differing.append(f"| {verb_of(case)} | {case['name']} | {case['differs']} |")
    total = [sum(column) for column in zip(*rows.values())]
    yield "| verb | cases | as kube-apiserver answers | as this one does |"
    yield "|---|---|---|---|"
    for verb, row in sorted(rows.items()):
        yield f"| {verb} | {row[0]} | {row[1]} | {row[2]} |"
    yield f"| all | {total[0]} | {total[1]} | {total[2]} |"
    yield ""
    yield "| verb | where this one differs | how |"
    yield "|---|---|---|"
    yield from differing
    typed = json.loads((HERE / "kubectl.json").read_text())["cases"]
    for case in typed:
        if "differs" in case:
            yield f"| kubectl | `{case['run'].split(' -p ')[0]}` | {case['differs']} |"
    yield ""
    same = sum("differs" not in case for case in typed)
    yield f"{same} of {len(typed)} commands of kubectl say the same of both servers, to the letter."


def main():
    real, ours = (json.loads(pathlib.Path(path).read_text()) for path in sys.argv[1:3])
    passed = {(r["file"], r["name"]): r["passed"] for r in ours}
    lines = "\n".join(table(real, passed))
    before, _, rest = PAGE.read_text().partition(BEGIN)
    after = rest.partition(END)[2]
    page = f"{before}{BEGIN}\n{lines}\n{END}{after}"
    if "--write" in sys.argv:
        PAGE.write_text(page)
    elif PAGE.read_text() != page:
        print(f"{PAGE.name} says something else than this run; write it anew with --write:\n{lines}")
        sys.exit(1)
    print("the page says what the run says")


if __name__ == "__main__":
    main()
