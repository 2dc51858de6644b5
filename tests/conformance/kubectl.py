#!/usr/bin/env python3
"""Types kubectl.json at two API servers and shows where kubectl says something else.

usage: kubectl.py KUBECTL KUBECONFIG OTHER-KUBECONFIG
Uids, versions, times, addresses, the width of columns and the order of managers are evened out; nothing else is. A case
that differs has in `more` what only the first server's answer says: each such line is one of these regular expressions, and
each of these is a line of it. The second server's answer says nothing else. Exit 1 if anything differs otherwise.
"""
import contextlib
import difflib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))

import wait  # noqa: E402

EVENED = [
    (r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "UID"),
    (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "TIME"),
    (r"\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d [+-]\d{4}", "TIME"),
    (r"(resourceVersion\W+)\d+", r"\1VERSION"),
    (r"(Resource Version:\s+)\d+", r"\1VERSION"),
    (r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+ \+0000", "TIME"),
    (r"\beyJ[\w-]+\.[\w-]+\.[\w-]+", "TOKEN"),
    (r"\b10\.\d+\.\d+\.\d+\b", "ADDRESS"),
    (r"(?<=\s)(\d+[smh])+(?=\s)|<invalid>|(?<=\s)(\d+[smh])+$", "AGE"),
    (r"127\.0\.0\.1:\d+|localhost:\d+", "SERVER"),
    (r"/tmp/\S+", "FILE"),
    (r"X509SHA256=[0-9a-f]{64}", "X509SHA256=DIGEST"),
    (r"-{2,}", "--"),
    (r"[ \t\xa0]+", " "),  # go-cmp indents with either kind of space, to keep its output from being compared
    # A real server's loop that repairs addresses may look between a Service and its address.
    (r"^Events:\n Type .*\n --.*\n Warning ClusterIPNotAllocated .*$", "Events: <none>"),
]

# managedFields as JSON in a message. They are sorted by time first, so two servers differ where a second begins between two managers.
MANAGER = r'\{\\"apiVersion\\":(?:(?!\\"time\\").)*\\"time\\":\\"TIME\\"\}'
MANAGERS = re.compile(rf"(?<=\[){MANAGER}(?:,{MANAGER})+(?=\])")


def evened(text):
    for pattern, mark in EVENED:
        text = re.sub(pattern, mark, text, flags=re.M)
    return MANAGERS.sub(lambda found: ",".join(sorted(re.findall(MANAGER, found[0]))), text)


def type_at(kubectl, kubeconfig, cache, case):
    words = re.findall(r"\S+", case["run"]) if "schedule" not in case["run"] else split_schedule(case["run"])
    env = {**os.environ, "KUBECONFIG": kubeconfig, "KUBECTL_EXTERNAL_DIFF": "diff -u", "TZ": "UTC"}
    env["KUBE_EDITOR"] = case.get("editor", "false")
    done = subprocess.run([kubectl, "--cache-dir", cache, "-n", "typed", "--request-timeout=60s", *words], env=env,
                          input=case.get("input", ""), capture_output=True, text=True, timeout=600)
    said = done.stdout
    if "--raw" in words and said.startswith("{"):
        shown = json.loads(said)
        shown.get("metadata", {}).get("managedFields", []).sort(key=lambda entry: entry["manager"])
        said = json.dumps(shown, indent=1, sort_keys=True)  # Go's order of members is that of its structs
    return evened(f"exit {done.returncode}\n{said}{done.stderr}")


def differs_as_said(said, more):
    """Whether the first answer has, beside all of the second, just lines as in `more`."""
    changes = [line for line in difflib.ndiff(*(answer.splitlines() for answer in said)) if line[:2] in ("- ", "+ ")]
    only_first = [line[2:] for line in changes if line[:2] == "- "]
    patterns = [[re.fullmatch(one, line) is not None for line in only_first] for one in more]
    return len(only_first) == len(changes) and all(map(any, patterns)) and all(map(any, zip(*patterns)))


def split_schedule(text):
    before, schedule = text.split("--schedule=", 1)
    return [*before.split(), "--schedule=" + schedule]


def main():
    kubectl, *kubeconfigs = sys.argv[1:]
    cases = json.loads((HERE / "kubectl.json").read_text())["cases"]
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for case in cases:
            def both_say_the_same():
                said[:] = [type_at(kubectl, config, f"{folder}/{i}", case) for i, config in enumerate(kubeconfigs)]
                return said[0] == said[1]

            said = []
            same = both_say_the_same()
            if not same and case.get("eventually"):
                with contextlib.suppress(AssertionError):  # what differs then is shown below
                    wait.until("the same", both_say_the_same, every=0.2)
                same = said[0] == said[1]
            if same if "differs" not in case else differs_as_said(said, case["more"]):
                continue
            failed += 1
            print(f"kubectl {case['run']}:" + (" says the same now" if same else ""))
            print("\n".join(list(difflib.unified_diff(said[0].splitlines(), said[1].splitlines(), "first", "second",
                                                      lineterm="", n=1))[2:40]))
    print(f"{len(cases) - failed} passed, {failed} failed, 0 skipped")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
