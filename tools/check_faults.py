#!/usr/bin/env python3
"""Holds docs/faults.md against the tests: each of F01 to F58 has a row, and the tests that rows name exist.

usage: check_faults.py ROOT | --self-test
A row names files of tests ("handler_test", "controller/lifecycle_test", "e2e: test_restore") and, in quotes, their cases.
"""
import pathlib
import re
import sys
import tempfile

FAULTS = [f"F{n:02}" for n in range(1, 59)]
CASE = re.compile(r'(?:TEST_CASE|TEST_CASE_FIXTURE)\(\s*(?:\w+,\s*)?((?:"(?:[^"\\]|\\.)*"\s*)+)')
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
ROW = re.compile(r"^\| ([FS]\d\d) \|(.*)\|([^|]*)\|$", re.M)
# Rows of the table of tests/hostile, which are names of scenarios and not of cases.
HOSTILE = re.compile(r'hostile: rows? [^;]*|hostile: "[^;]*')


def cases_of(root):
    out = set()
    for path in (root / "tests").rglob("*.cpp"):
        for match in CASE.finditer(path.read_text(errors="replace")):
            out.add("".join(STRING.findall(match[1])).replace('\\"', '"'))
    return out


def check(root):
    page = (root / "docs" / "faults.md").read_text()
    rows = {name: tests for name, _, tests in ROW.findall(page)}
    cases = cases_of(root)
    files = {str(p.relative_to(root / "tests").with_suffix("")) for p in (root / "tests").rglob("*test*") if p.is_file()}
    for fault in FAULTS:
        if fault not in rows:
            yield f"docs/faults.md: no row of {fault}"
    for name, tests in rows.items():
        tests = HOSTILE.sub("", tests)
        for case in re.findall(r'"([^"]+)"', tests):
            if not any(case in one for one in cases):
                yield f'docs/faults.md: {name}: no test is called "{case}"'
        for file in re.findall(r"[\w/]*(?:_test|\btest_\w+)\b", re.sub(r'"[^"]+"', "", tests)):
            if not any(one == file or one.endswith("/" + file) for one in files):
                yield f"docs/faults.md: {name}: there is no {file}"


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "docs").mkdir()
        (root / "tests" / "room").mkdir(parents=True)
        (root / "tests" / "room" / "a_test.cpp").write_text('TEST_CASE_FIXTURE(f, "it is "\n    "so") {}')
        rows = "".join(f'| {f} | x | y | a_test "it is so" |\n' for f in FAULTS)
        page = root / "docs" / "faults.md"
        page.write_text(rows)
        good = list(check(root))
        page.write_text(rows.replace("| F07 ", "| X07 "))
        no_row = list(check(root))
        page.write_text(rows.replace("so", "otherwise", 1))
        no_case = list(check(root))
        page.write_text(rows.replace("a_test", "b_test", 1))
        no_file = list(check(root))
    return good == [] and "F07" in no_row[0] and "otherwise" in no_case[0] and "b_test" in no_file[0]


def main():
    if sys.argv[1] == "--self-test":
        found = self_test()
        print("finds what it should" if found else "FAILED: misses what it should find")
        return 0 if found else 1
    problems = list(check(pathlib.Path(sys.argv[1])))
    print("\n".join(problems) or "clean")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
