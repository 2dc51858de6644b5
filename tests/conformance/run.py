#!/usr/bin/env python3
"""Runs the cases (*.json) against an API server over HTTP: those that conformance_test runs on the in-process one.

usage: run.py URL [--ca FILE] [--cert FILE --key FILE] [--token TOKEN] [--controllers] [--results FILE]
              [--ours] [--record] [--without FILE] [FILE...]
--controllers: the cases of a cluster with controllers (collection.json) instead; FILE: only these, by name.
--results: which cases passed, for fidelity.py. --ours: it is kcontrol-apiserver. A case that says how that `differs`
has its answer in `ours`, and fails as well where it answers as a real server does.
--record: writes whole answers, and fields that are otherwise, into the files (recorded.py), for a person to review.
Other problems of a case stay. With --ours: into `ours`, of cases that say so.
Makes a namespace and the CustomResourceDefinition of crd.json. Exit 1 if a case fails.
"""
import argparse, contextlib, json, pathlib, re, ssl, sys, time, urllib.error, urllib.request

here = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(here.parent / "e2e"))

import recorded  # noqa: E402
import wait  # noqa: E402

parser = argparse.ArgumentParser()
parser.add_argument("url")
parser.add_argument("files", nargs="*")
parser.add_argument("--controllers", action="store_true")
parser.add_argument("--ours", action="store_true")
parser.add_argument("--record", action="store_true")
for option in ("--ca", "--cert", "--key", "--token", "--results", "--without"):
    parser.add_argument(option)
options = parser.parse_intermixed_args()
context = ssl.create_default_context(cafile=options.ca) if options.url.startswith("https") else None
if options.cert:
    context.load_cert_chain(options.cert, options.key)


def ask(case):
    body = case.get("raw")
    if body is None and "body" in case:
        body = json.dumps(case["body"])
    headers = {"Content-Type": case.get("content_type", "application/json"), "User-Agent": "conformance/1"}
    if "accept" in case:
        headers["Accept"] = case["accept"]
    # A dictionary of headers has one of each name; none of the cases needs two groups.
    if "as" in case:
        headers["Impersonate-User"] = case["as"]["user"]
        headers.update({"Impersonate-Group": group for group in case["as"].get("groups", [])})
    if options.token:
        headers["Authorization"] = "Bearer " + options.token
    request = urllib.request.Request(options.url + case["path"], method=case["method"], headers=headers,
                                     data=None if body is None else body.encode())
    try:
        with urllib.request.urlopen(request, context=context, timeout=60) as answer:
            return answer.status, answer.read().decode(errors="replace"), answer.headers
    except urllib.error.HTTPError as answer:
        return answer.code, answer.read().decode(errors="replace"), answer.headers


def at(document, pointer):
    for part in pointer.split("/")[1:]:
        part = part.replace("~1", "/").replace("~0", "~")
        try:
            document = document[int(part) if isinstance(document, list) else part]
        except (KeyError, IndexError, TypeError):
            return None
    return document


def fill(value, saved):
    if isinstance(value, str):
        return re.sub(r"\$\{(\w+)\}", lambda m: saved[m.group(1)], value)
    if isinstance(value, list):
        return [fill(item, saved) for item in value]
    if isinstance(value, dict):
        return {key: fill(item, saved) for key, item in value.items()}
    return value


def problems(expect, code, text, headers):
    if code != expect["code"]:
        yield f"code {code}, not {expect['code']}: {text[:300]}"
        return
    if "text" in expect and expect["text"] not in text:
        yield f"text {text[:80]!r}"
    if "warnings" in expect and headers.get_all("Warning", []) != expect["warnings"]:
        yield f"warnings {headers.get_all('Warning')}, not {expect['warnings']}"
    if "type" in expect and headers.get("Content-Type") != expect["type"]:
        yield f"Content-Type {headers.get('Content-Type')!r}, not {expect['type']!r}"
    if "events" in expect:
        events = [json.loads(line) for line in text.splitlines() if line]
        what = [str(e["object"]["code"]) if e["type"] == "ERROR" else e["object"]["metadata"].get("name", "") for e in events]
        seen = [(e["type"] + " " + w).strip() for e, w in zip(events, what)]
        if seen != expect["events"]:
            yield f"events {seen}, not {expect['events']}"
    if "answer" in expect:
        if different := recorded.difference(expect["answer"], recorded.content(text)):
            yield different
    if "fields" in expect or "absent" in expect:
        document = json.loads(text)
        for pointer, value in expect.get("fields", {}).items():
            if at(document, pointer) != value:
                yield f"{pointer} is {at(document, pointer)!r}, not {value!r}"
        for pointer in expect.get("absent", []):
            if at(document, pointer) is not None:
                yield f"{pointer} is {at(document, pointer)!r}, not absent"


def fields_of(expect, text):
    """What is expected, with the fields as they are in this answer; None where that makes it no better."""
    if not text.lstrip().startswith("{"):
        return None
    found = {pointer: at(json.loads(text), pointer) for pointer in expect.get("fields", {})}
    return None if None in found.values() else {"fields": recorded.blank(found, saved)}


def answer_to(case, expect):
    """The whole answer, and what is wrong with it; where it comes right eventually, only once the time is over."""
    seen = [None, []]

    def is_right():
        code, text, headers = ask(case)
        seen[:] = (code, text, headers), list(problems(expect, code, text, headers))
        return not seen[1]

    if not is_right() and case.get("eventually"):
        with contextlib.suppress(AssertionError):
            wait.until("right", is_right, every=0.2)
    return seen


saved = {"ns": f"conformance-{int(time.time())}"}
ask({"method": "POST", "path": "/api/v1/namespaces", "body": {"metadata": {"name": saved["ns"]}}})
ask({"method": "POST", "path": "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
     "body": json.loads((here / "crd.json").read_text())})
wait.until("the kind is not served",
           lambda: ask({"method": "GET", "path": "/apis/conformance.example.com/v1/things"})[0] == 200)
ordinary = ["cases", "discovery", "kinds", "deletion", "bodies", "writes", "values", "custom", "rules", "definitions", "subresources",
            "yaml", "tables", "access", "webhooks", "cel", "openapi"]
names = options.files or (["collection"] if options.controllers else ordinary)
count = failed = 0
results = []
for name in names:
    if name == options.without or not (here / f"{name}.json").exists():
        continue
    answers = {}
    for number, unfilled in enumerate(json.loads((here / f"{name}.json").read_text())["cases"]):
        case = fill(unfilled, saved) if "${" in json.dumps(unfilled) else unfilled
        own = options.ours and "differs" in case
        expect = case["ours" if own else "expect"]
        recording = options.record and own == options.ours and recorded.is_whole(unfilled["ours" if own else "expect"])
        answer, found = answer_to(case, {"code": expect["code"]} if recording else expect)
        as_real = list(problems(case["expect"], *answer)) if own else found
        if own and not as_real:
            found = ["it answers as a real server does: take `differs` and `ours` away"]
        count += 1
        rewrites = options.record and not recording and own == options.ours and as_real
        if rewrites and found and (fields := fields_of(expect, answer[1])):
            if not (found := list(problems({**expect, **fill(fields, saved)}, *answer))):
                answers[number] = fields
        failed += bool(found)
        results.append({"file": name, "name": unfilled["name"], "passed": not as_real})
        for problem in found:
            print(f"{case['name']}: {problem}")
        if recording and not found:
            answers[number] = {"answer": recorded.template(answer[1], saved)}
        if "save" in case and answer[0] == expect["code"] and not own:  # those that follow want it, whatever else is wrong
            for mark, pointer in case["save"].items():
                saved[mark] = at(json.loads(answer[1]), pointer)
    if answers:
        recorded.write(here / f"{name}.json", "ours" if options.ours else "expect", answers)
if options.results:
    pathlib.Path(options.results).write_text(json.dumps(results))
print(f"{count - failed} passed, {failed} failed, 0 skipped")
sys.exit(1 if failed else 0)
