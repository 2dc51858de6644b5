#!/usr/bin/env python3
"""Checks that every test which docs/parity.md names is there: `room/file: how a case's name begins; another
case of it`, or a folder.

usage: check_parity.py [ROOT] | --self-test      prints what is missing and exits with 1, or "clean"
"""
import pathlib
import re
import sys
import tempfile


def missing(root):
    for line in (root / "docs/parity.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) != 4 or cells[0] == "what" or set(cells[0]) <= {"-"}:
            continue
        if cells[1] not in ("=", "+", "/", "-"):
            yield f"{cells[0]}: the mark is {cells[1]!r}"
        if not cells[3] and cells[1] in ("=", "+"):
            yield f"{cells[0]}: no test"
        place = ""
        for named in filter(None, (one.strip() for one in cells[3].split(";"))):
            if "/" in named:
                place, _, case = named.partition(": ")
            else:
                case = named  # of the same file
            found = [root / "tests" / place, root / "tests" / f"{place}.cpp"]
            file = next((one for one in found if one.exists()), None)
            if file is None:
                yield f"{cells[0]}: there is no tests/{place}"
            elif case and not re.search(r'TEST_CASE\w*\((?:[^"\n]*\n?\s*)"(?:[\w\' -]+: )?' + re.escape(case), file.read_text()):
                yield f"{cells[0]}: tests/{place} has no case {case!r}"


def self_test():
    rows = {"| a | = | | a/b_test: it works |": 0, "| a | = | | a/b_test: b: it works; it also |": 0, "| a | + | | a/ |": 0,
            "| a | - | | |": 0, "| a | = | | |": 1, "| a | ? | | a/b_test |": 1, "| a | = | | a/c_test |": 1,
            "| a | = | | a/b_test: it fails |": 1, "| a | = | | a/b_test: it works; it does not |": 1}
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "docs").mkdir()
        (root / "tests/a").mkdir(parents=True)
        (root / "tests/a/b_test.cpp").write_text('TEST_CASE("b: it works") {}\nTEST_CASE_FIXTURE(f, "it also works") {}\n')
        for row, wanted in rows.items():
            (root / "docs/parity.md").write_text(f"| what | | here | test |\n|---|---|---|---|\n{row}\n")
            found = list(missing(root))
            if len(found) != wanted:
                failed += 1
                print(f"{row}: {found}")
    print(f"self-test: {len(rows)} rows, {failed} failures")
    return 1 if failed else 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    found = list(missing(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
    print("\n".join(f"docs/parity.md: {one}" for one in found) or "clean")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
