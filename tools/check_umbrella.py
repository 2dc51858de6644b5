#!/usr/bin/env python3
"""The umbrella check: kcontrol.hpp includes every public header, src.hpp every definition.

What is for tests (testing/) is not in them: that is what a program includes and builds, and kcontrol::testing is always a
compiled library. Nor is records/, which needs SQLite; records/src.hpp has its own. Nor are api/ and service/ in kcontrol.hpp: a
program includes the kinds it uses, and service/ is for programs that are no controllers.
usage: check_umbrella.py [ROOT] [--self-test]      check_umbrella.py --write: writes both files
"""
import pathlib
import sys

import lint

HEAD = """// {what}
// Written by tools/check_umbrella.py --write.
#pragma once

"""
KCONTROL = HEAD.format(what="Every public header of the library but api/, testing/, records/ and service/. Convenient, and\n"
                            "// slower to compile than the few you need.")
SRC = HEAD.format(what="Every definition of the library, for a build without CMake: include it in one source file of "
                       "yours.") + """#ifndef KCONTROL_SEPARATE_COMPILATION
#error "kcontrol/src.hpp is for compiled mode: define KCONTROL_SEPARATE_COMPILATION in every source file"
#endif

"""
RECORDS_SRC = SRC.replace("Every definition of the library", "Every definition of kcontrol::records").replace(
    "kcontrol/src.hpp", "kcontrol/records/src.hpp")

APART = {"testing", "records"}


def includes(root, suffix, skip):
    base = root / "include"
    found = sorted(p.relative_to(base).as_posix() for p in base.rglob("*" + suffix))
    return "".join(f"#include <{name}>\n" for name in found if not skip(name.split("/")))


def wanted(root):
    return {
        "include/kcontrol/kcontrol.hpp": KCONTROL + includes(
            root, ".hpp", lambda parts: ({"api", "service", "detail", "impl", "kcontrol.hpp", "src.hpp"} | APART) & set(parts)),
        "include/kcontrol/src.hpp": SRC + includes(root, ".ipp", lambda parts: APART & set(parts)),
        "include/kcontrol/records/src.hpp": RECORDS_SRC + includes(root, ".ipp", lambda parts: "records" not in parts),
    }


def check(root):
    messages = []
    for path, text in wanted(root).items():
        file = root / path
        if not file.is_file() or file.read_text() != text:
            messages.append(f"{path}: not as the folders say; run tools/check_umbrella.py --write")
    return messages


def write(root):
    for path, text in wanted(root).items():
        (root / path).write_text(text)


EMPTY = {"include/kcontrol/kcontrol.hpp": KCONTROL, "include/kcontrol/src.hpp": SRC,
         "include/kcontrol/records/src.hpp": RECORDS_SRC}
PLANTED = [
    ({**EMPTY, "include/kcontrol/base/a.hpp": ""}, "kcontrol/kcontrol.hpp: not as"),
    ({**EMPTY, "include/kcontrol/base/impl/a.ipp": ""}, "kcontrol/src.hpp: not as"),
    ({**EMPTY, "include/kcontrol/records/impl/a.ipp": ""}, "records/src.hpp: not as"),
]
CLEAN = {**EMPTY, "include/kcontrol/kcontrol.hpp": KCONTROL + "#include <kcontrol/base/a.hpp>\n",
         "include/kcontrol/src.hpp": SRC + "#include <kcontrol/base/impl/a.ipp>\n",
         "include/kcontrol/base/a.hpp": "", "include/kcontrol/base/impl/a.ipp": "",
         "include/kcontrol/testing/a.hpp": "", "include/kcontrol/api/a.hpp": "", "include/kcontrol/base/detail/a.hpp": ""}

if __name__ == "__main__":
    if "--write" in sys.argv:
        write(pathlib.Path(__file__).resolve().parent.parent)
    else:
        lint.main(check, PLANTED, CLEAN, __doc__)
