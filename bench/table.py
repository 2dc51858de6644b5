#!/usr/bin/env python3
"""Makes bench.sh's tables of rows "id TAB peer TAB variant TAB value TAB unit" from standard input, in Markdown.

The first table has every row. Those that follow, where the peers were measured too, set kcontrol against each of them:
the ratio says how many times less kcontrol takes, or how many times more it does a second, for the same work on the same
bytes in the same run.
usage: table.py [--self-test]
"""
import re
import sys

# id, unit, what kcontrol does, the peer, what it does: rows that are comparable.
PAIRS = [
    ("PB-1", "us/object", "JSON watch, managedFields skipped", "client-go", "JSON watch"),
    ("PB-1", "us/object", "JSON watch, managedFields skipped", "client-go", "JSON list, managedFields absent"),
    ("PB-1", "us/object", "JSON watch, managedFields skipped", "client-go", "protobuf list, managedFields absent"),
    ("PB-1", "us/object", "protobuf, managedFields skipped", "client-go", "protobuf list, managedFields absent"),
    ("PB-1", "us/object", "protobuf, 14 fields", "client-go", "protobuf list, managedFields absent"),
    ("PB-1", "us/object", "JSON watch, 14 fields", "client-go", "JSON list, managedFields absent"),
    ("PB-1", "us/object", "JSON watch, dynamic", "client-go", "JSON watch, Unstructured"),
    ("PB-1", "us/object", "JSON watch, metadata only", "client-go", "JSON list, metadata only"),
    ("PB-1", "B live/object", "JSON watch, managedFields skipped", "client-go", "JSON list, managedFields absent"),
    ("PB-1", "B live/object", "JSON watch, 14 fields", "client-go", "JSON list, managedFields absent"),
    ("PB-1", "B live/object", "JSON watch, dynamic", "client-go", "JSON watch, Unstructured"),
    ("PB-1", "B live/object", "JSON watch, metadata only", "client-go", "JSON list, metadata only"),
    ("PB-2", "us CPU/object", "JSON, LIST in pages, full", "client-go", "protobuf, WatchList (default)"),
    ("PB-2", "us CPU/object", "JSON, LIST in pages, full", "client-go", "JSON, LIST"),
    ("PB-2", "us CPU/object", "protobuf, LIST in pages, full", "client-go", "protobuf, WatchList (default)"),
    ("PB-3", "B live/object", "JSON, LIST in pages, full", "client-go", "protobuf, WatchList, managedFields stripped"),
    ("PB-3", "B live/object", "JSON, LIST in pages, full", "client-go", "protobuf, WatchList (default)"),
    ("PB-3", "B live/object", "JSON, LIST in pages, 14 fields", "client-go", "protobuf, WatchList, managedFields stripped"),
    ("PB-3", "B RSS/object", "JSON, LIST in pages, full", "client-go", "protobuf, WatchList, managedFields stripped"),
    ("PB-3", "B RSS/object", "JSON, LIST in pages, 14 fields", "client-go", "protobuf, WatchList, managedFields stripped"),
    *[("PB-4", "x live", "JSON, LIST in pages, full" + relist, peer, theirs + relist)
      for relist in ("", ", relist")
      for peer, theirs in (("client-go", "protobuf, WatchList"), ("client-go", "JSON, WatchList"),
                           ("kube-rs", "JSON, LIST in pages"))],
    ("PB-4", "x live", "JSON, LIST in pages, full", "client-go", "protobuf, WatchList (default)"),
    ("PB-4", "x live", "JSON, LIST in pages, full", "kube-rs", "JSON, LIST in pages (default)"),
    *[("PB-5", unit, "JSON, LIST in pages, full", peer, theirs)
      for unit in ("us CPU/event", "events/s", "MB RSS growth")
      for peer, theirs in (("client-go", "protobuf, WatchList (default)"), ("client-go", "JSON, WatchList"),
                           ("controller-runtime", "protobuf, WatchList (default)"),
                           ("kube-rs", "JSON, LIST in pages (default)"))],
    *[("PB-5", unit, "protobuf, LIST in pages, full", "client-go", "protobuf, WatchList (default)")
      for unit in ("us CPU/event", "events/s")],
    *[("PB-6", f"us {quantile}", f"JSON, to reconcile at {rate}/s", "client-go", f"{encoding}, to reconcile at {rate}/s")
      for encoding in ("protobuf", "JSON") for rate in (100, 1000, 5000) for quantile in ("p50", "p99", "p99.9")],
    *[("PB-9", "us CPU/event", f"JSON, handlers: {variant}", "client-go", f"protobuf, handlers: {variant}")
      for variant in ("1", "10", "50", "10, one takes 1 ms")],
    *[("PB-7", "writes/s", variant, peer, variant)
      for peer in ("client-go", "kube-rs")
      for variant in (*(f"{objects} objects, {readers} full-list readers" for objects in (10000, 160000)
                        for readers in (0, 1, 10, 40)), "160000 objects, 10 readers of 1 % by index")],
    *[("PB-8", "ns/op", variant, "client-go", variant)
      for variant in ("Get", "List namespace: 100 pods", "List selector: 2294 pods", "List owner: 6 pods")],
    *[("PB-8", "ns/op", ours, "controller-runtime", f"UnsafeDisableDeepCopy, {theirs}")
      for ours, theirs in (("Get, shared pointer", "Get"), ("List namespace: 100 pods",) * 2, ("List owner: 6 pods",) * 2)],
    ("PB-8", "ns/op", "Get, shared pointer", "kube-rs", "Get"),
    *[("PB-10", "ns/item", variant, peer, variant)
      for peer in ("client-go", "controller-runtime")
      for variant in ("add, get, done of 1000 keys", "add, get, done of 1000 keys in 3 priorities",
                      "4 producers and 4 consumers", "AddAfter of 100000 keys within 10 min",
                      "AddRateLimited of 10000 keys", "1000000 adds of one key beside a worker")],
    *[("PB-14", "objects/s", f"{form}, LIST in pages, 200 Mbit/s{gzip}", "client-go", f"{form}, LIST, 200 Mbit/s{gzip}")
      for form in ("protobuf", "JSON") for gzip in ("", ", gzip")],
    *[("PB-17", unit, variant, "client-go", variant)
      for variant in ("protobuf", "JSON") for unit in ("us/object", "allocs/object")],
    ("PB-11", "s to all synced", "1000 clusters of 10 pods", "controller-runtime", "1000 clusters of 10 pods, a cache each"),
    ("PB-11", "KB RSS/cluster", "1000 clusters of 10 pods", "controller-runtime", "1000 clusters of 10 pods, a cache each"),
]
HEAD = "| id | peer | variant | value | unit |\n|---|---|---|---:|---|\n"
AGAINST = ("\nkcontrol against {0}\n\n"
           "| id | kcontrol | {0} | unit | kcontrol takes or does | {0} takes or does | kcontrol is better by |\n|---|---|---|---|---:|---:|---:|\n")


class BadRow(Exception):
    pass


def read(lines):
    rows = []
    for line in lines:
        if line.startswith("id\tpeer\t") or not line.strip():
            continue
        row = tuple(line.rstrip("\n").split("\t"))
        if len(row) != 5 or not re.fullmatch(r"PB-\d+", row[0]) or not re.fullmatch(r"-?\d+(\.\d+)?", row[3]):
            raise BadRow(f"not a row of id, peer, variant, value, unit: {line!r}")
        rows.append(row)
    return rows


def make(rows):
    ordered = sorted(rows, key=lambda row: int(row[0][3:]))  # stable: as measured, kcontrol first
    text = HEAD + "".join(f"| {' | '.join(row)} |\n" for row in ordered)
    values = {(i, peer, variant, unit): value for i, peer, variant, value, unit in rows}
    against = {}
    for i, unit, ours, peer, theirs in PAIRS:
        a, b = values.get((i, "kcontrol", ours, unit)), values.get((i, peer, theirs, unit))
        if a is not None and b is not None and float(a) > 0:
            ratio = float(a) / float(b) if unit.endswith("/s") and float(b) > 0 else float(b) / float(a)
            row = f"| {i} | {ours} | {theirs} | {unit} | {a} | {b} | {ratio:.1f} |\n"
            against.setdefault(peer, []).append(row)
    return text + "".join(AGAINST.format(peer) + "".join(rows) for peer, rows in against.items())


def self_test():
    ours = "PB-1\tkcontrol\tJSON watch, dynamic\t10.0\tus/object\n"
    theirs = "id\tpeer\tvariant\tvalue\tunit\nPB-1\tclient-go\tJSON watch, Unstructured\t545\tus/object\n"
    wanted_ours = "| PB-1 | kcontrol | JSON watch, dynamic | 10.0 | us/object |\n"
    wanted_theirs = "| PB-1 | client-go | JSON watch, Unstructured | 545 | us/object |\n"
    ratio = "| PB-1 | JSON watch, dynamic | JSON watch, Unstructured | us/object | 10.0 | 545 | 54.5 |\n"
    add = "add, get, done of 1000 keys"
    queue = "".join(f"PB-10\t{peer}\t{add}\t{took}\tns/item\n"
                    for peer, took in (("kcontrol", 50), ("client-go", 300), ("controller-runtime", 4000)))
    alone = "160000 objects, 0 full-list readers"
    writes = f"PB-7\tkcontrol\t{alone}\t600000\twrites/s\nPB-7\tclient-go\t{alone}\t150000\twrites/s\n"
    later = "PB-13\tkcontrol\tx\t1\tus/object\n"
    table = [
        ("alone", ours, HEAD + wanted_ours),
        ("with a peer", ours + theirs, HEAD + wanted_ours + wanted_theirs + AGAINST.format("client-go") + ratio),
        ("with two peers", queue, HEAD + "".join(f"| {' | '.join(row.split(chr(9)))} |\n" for row in queue.splitlines())
         + AGAINST.format("client-go") + f"| PB-10 | {add} | {add} | ns/item | 50 | 300 | 6.0 |\n"
         + AGAINST.format("controller-runtime") + f"| PB-10 | {add} | {add} | ns/item | 50 | 4000 | 80.0 |\n"),
        ("more is better", writes, HEAD + "".join(f"| {' | '.join(row.split(chr(9)))} |\n" for row in writes.splitlines())
         + AGAINST.format("client-go") + f"| PB-7 | {alone} | {alone} | writes/s | 600000 | 150000 | 4.0 |\n"),
        ("in the order of ids", later + ours, HEAD + wanted_ours + "| PB-13 | kcontrol | x | 1 | us/object |\n"),
        ("nothing", "", HEAD),
        ("a value that is none", ours.replace("10.0", "fast"), None),
        ("a column too few", "PB-1\tkcontrol\t1\tus/object\n", None),
    ]
    failed = 0
    for name, given, wanted in table:
        try:
            got = make(read(given.splitlines(keepends=True)))
        except BadRow:
            got = None
        if got != wanted:
            failed += 1
            print(f"table.py: {name}: got\n{got}\nnot\n{wanted}", file=sys.stderr)
    return 1 if failed else 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    if sys.argv[1:]:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        sys.stdout.write(make(read(sys.stdin)))
    except BadRow as bad:
        print(f"error: {bad}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
