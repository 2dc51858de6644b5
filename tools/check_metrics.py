#!/usr/bin/env python3
"""Checks that docs/metrics.md has every family of metrics that the library writes, and no other.

A family is a string in include/ that begins as one (PREFIXES); where the code puts a name together, its
beginning ends with `_` and any family of the page may follow. The type and the labels that
tests/manager/metric_families_test.cpp expects of a family are those of the page.

Every program that serves /metrics has process_* and rest_client_* there: those of a manager by the manager, and one that has
a route of its own by write_process_metrics() and write_request_metrics(), or multicluster_options::metrics().
usage: check_metrics.py [ROOT] [--self-test]
"""
import re
import sys

import lint

PAGE, TEST = "docs/metrics.md", "tests/manager/metric_families_test.cpp"
PREFIXES = "kcontrol|process|rest_client|workqueue|controller_runtime|leader_election|certwatcher|scheduler|scheduling"
WRITTEN = re.compile(rf'"((?:{PREFIXES})_[a-z0-9_]+)"')
ROW = re.compile(rf"^\| `((?:{PREFIXES})_[a-z0-9_]+)` \| (\w+) \| ([^|]*)\|[ ]*([^|]*)\|$", re.M)
# Who serves /metrics, and what its sources must hold then.
ROUTE = re.compile(r'"/metrics",')
STANDARD = {"process_*": re.compile(r"\bwrite_process_metrics\("),
            "rest_client_*": re.compile(r"\bwrite_request_metrics\(|\bsettings\b[^;]*\.metrics\(", re.S)}
EXPECTED = re.compile(r'\{"([a-z0-9_]+)", "(\w+) ([a-z_,]*)"\}')


def check(root):
    written = {}
    for path in sorted((root / "include").rglob("*pp")):
        text = lint.strip(path.read_text(), keep_strings=True)
        for match in WRITTEN.finditer(text):
            written.setdefault(match[1], f"{path.relative_to(root)}:{lint.line_of(text, match.start())}")
    page = (root / PAGE).read_text() if (root / PAGE).is_file() else ""
    messages, rows = [], {}
    for match in ROW.finditer(page):
        name, line = match[1], lint.line_of(page, match.start())
        if name in rows:
            messages.append(f"{PAGE}:{line}: {name} is there twice")
        rows[name] = (line, match[2], {label.strip() for label in match[3].split(",") if label.strip()})
        if not match[4].strip():
            messages.append(f"{PAGE}:{line}: {name} has no meaning")
    beginnings = tuple(name for name in written if name.endswith("_"))
    for name, where in written.items():
        if name.endswith("_") and not any(row.startswith(name) for row in rows):
            messages.append(f"{where}: {PAGE} has no row of a family {name}…")
        elif not name.endswith("_") and name not in rows:
            messages.append(f"{where}: {PAGE} has no row of {name}")
    for name, (line, _, _) in rows.items():
        if name not in written and not (beginnings and name.startswith(beginnings)):
            messages.append(f"{PAGE}:{line}: nothing in include/ writes {name}")
    test = (root / TEST).read_text() if (root / TEST).is_file() else ""
    for name, kind, labels in EXPECTED.findall(test):
        if name in rows and rows[name][1:] != (kind, set(filter(None, labels.split(",")))):
            messages.append(f"{PAGE}:{rows[name][0]}: {TEST} has {name} as a {kind} of {labels}")
    return messages + list(programs_without(root))


def programs_without(root):
    """Complaints about each folder of a program or of the library that serves /metrics without the standard families."""
    above = [root / name for name in ("examples/apps", "tools", "include/kcontrol", "src") if (root / name).is_dir()]
    serving = 0
    for folder in sorted(path for one in above for path in one.iterdir() if path.is_dir()):
        text = "".join(lint.strip(path.read_text(), keep_strings=True) for path in sorted(folder.rglob("*pp")))
        if not ROUTE.search(text):
            continue
        serving += 1
        for family, written in STANDARD.items():
            if not written.search(text):
                yield f"{folder.relative_to(root)}: serves /metrics without {family}"
    if (root / "examples" / "apps").is_dir() and not serving:
        yield "examples/apps: no program serves /metrics: its route is written in a way that this check does not know"


CODE = 'void f() { out.counter("kcontrol_reads_total", ""); by = "rest_client_time_" + end; }\n'
GOOD = "| `kcontrol_reads_total` | counter | kind | reads |\n| `rest_client_time_all` | gauge | | times |\n"
PLANTED = [
    ({"include/a.hpp": CODE, PAGE: GOOD.replace("reads_total", "writes_total")}, "no row of kcontrol_reads_total"),
    ({"include/a.hpp": CODE, PAGE: GOOD.splitlines()[0]}, "no row of a family rest_client_time_"),
    ({"include/a.hpp": CODE, PAGE: GOOD + "| `workqueue_depth` | gauge | | depth |\n"}, "nothing in include/ writes workqueue_depth"),
    ({"include/a.hpp": CODE, PAGE: GOOD.replace("| reads |", "| |")}, "has no meaning"),
    ({"include/a.hpp": CODE, PAGE: GOOD + GOOD}, "is there twice"),
    ({"include/a.hpp": CODE, PAGE: GOOD, TEST: '{"kcontrol_reads_total", "counter code,kind"},'}, "as a counter of code,kind"),
    ({"include/a.hpp": CODE, PAGE: GOOD, TEST: '{"kcontrol_reads_total", "gauge kind"},'}, "as a gauge of kind"),
    ({"include/a.hpp": CODE, PAGE: GOOD, "examples/apps/x/a.cpp": 'get("/metrics", f); write_process_metrics(o, e);'},
     "examples/apps/x: serves /metrics without rest_client_*"),
    ({"include/a.hpp": CODE, PAGE: GOOD, "tools/x/a.cpp": 'get("/metrics", f);'}, "tools/x: serves /metrics without process_*"),
    ({"include/a.hpp": CODE, PAGE: GOOD, "examples/apps/x/a.cpp": 'get(metrics_path, f);'}, "no program serves /metrics"),
    ({"include/a.hpp": CODE, PAGE: GOOD, "include/kcontrol/manager/a.ipp": 'add("", "/metrics", f); write_request_metrics(o, r);'},
     "include/kcontrol/manager: serves /metrics without process_*"),
]
CLEAN = {"include/a.hpp": CODE + '// "kcontrol_of_a_comment"\n', PAGE: GOOD, TEST: '{"kcontrol_reads_total", "counter kind"},'}

if __name__ == "__main__":
    sys.exit(lint.main(check, PLANTED, CLEAN, __doc__))
