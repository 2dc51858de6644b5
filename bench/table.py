#!/usr/bin/env python3
"""Makes bench.sh's tables of rows "id TAB peer TAB variant TAB value TAB unit" from standard input, in Markdown.

The first table has every row. The second one, where the peers were measured too, sets kcontrol against client-go:
the ratio says how many times less kcontrol takes, for the same work on the same bytes in the same run.
usage: table.py [--self-test]
"""
import re
import sys

# id, unit, what kcontrol does, the peer, what it does: rows that are comparable.
PAIRS = [
    ("PB-1", "us/object", "JSON watch, managedFields skipped", "client-go", "JSON watch"),
    ("PB-1", "us/object", "JSON watch, managedFields skipped", "client-go", "JSON list, managedFields absent"),
    ("PB-1", "us/object", "JSON watch, managedFields skipped", "client-go", "protobuf list, managedFields absent"),
    ("PB-1", "us/object", "JSON watch, 14 fields", "client-go", "JSON list, managedFields absent"),
    ("PB-1", "us/object", "JSON watch, dynamic", "client-go", "JSON watch, Unstructured"),
    ("PB-1", "us/object", "JSON watch, metadata only", "client-go", "JSON list, metadata only"),
    ("PB-1", "B live/object", "JSON watch, managedFields skipped", "client-go", "JSON list, managedFields absent"),
    ("PB-1", "B live/object", "JSON watch, 14 fields", "client-go", "JSON list, managedFields absent"),
    ("PB-1", "B live/object", "JSON watch, dynamic", "client-go", "JSON watch, Unstructured"),
    ("PB-1", "B live/object", "JSON watch, metadata only", "client-go", "JSON list, metadata only"),
    ("PB-2", "us CPU/object", "JSON, LIST in pages, full", "client-go", "protobuf, WatchList (default)"),
    ("PB-2", "us CPU/object", "JSON, LIST in pages, full", "client-go", "JSON, LIST"),
    ("PB-3", "B live/object", "JSON, LIST in pages, full", "client-go", "protobuf, WatchList, managedFields stripped"),
    ("PB-3", "B live/object", "JSON, LIST in pages, full", "client-go", "protobuf, WatchList (default)"),
    ("PB-3", "B live/object", "JSON, LIST in pages, 14 fields", "client-go", "protobuf, WatchList, managedFields stripped"),
    ("PB-3", "B RSS/object", "JSON, LIST in pages, full", "client-go", "protobuf, WatchList, managedFields stripped"),
    ("PB-3", "B RSS/object", "JSON, LIST in pages, 14 fields", "client-go", "protobuf, WatchList, managedFields stripped"),
]
HEAD = "| id | peer | variant | value | unit |\n|---|---|---|---:|---|\n"
AGAINST = ("\nkcontrol against client-go\n\n"
           "| id | kcontrol | client-go | unit | kcontrol takes | client-go takes | client-go : kcontrol |\n|---|---|---|---|---:|---:|---:|\n")


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
    against = []
    for i, unit, ours, peer, theirs in PAIRS:
        a, b = values.get((i, "kcontrol", ours, unit)), values.get((i, peer, theirs, unit))
        if a is not None and b is not None and float(a) > 0:
            against.append(f"| {i} | {ours} | {theirs} | {unit} | {a} | {b} | {float(b) / float(a):.1f} |\n")
    return text + (AGAINST + "".join(against) if against else "")


def self_test():
    ours = "PB-1\tkcontrol\tJSON watch, dynamic\t10.0\tus/object\n"
    theirs = "id\tpeer\tvariant\tvalue\tunit\nPB-1\tclient-go\tJSON watch, Unstructured\t545\tus/object\n"
    wanted_ours = "| PB-1 | kcontrol | JSON watch, dynamic | 10.0 | us/object |\n"
    wanted_theirs = "| PB-1 | client-go | JSON watch, Unstructured | 545 | us/object |\n"
    ratio = "| PB-1 | JSON watch, dynamic | JSON watch, Unstructured | us/object | 10.0 | 545 | 54.5 |\n"
    later = "PB-13\tkcontrol\tx\t1\tus/object\n"
    table = [
        ("alone", ours, HEAD + wanted_ours),
        ("with a peer", ours + theirs, HEAD + wanted_ours + wanted_theirs + AGAINST + ratio),
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
