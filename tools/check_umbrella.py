#!/usr/bin/env python3
"""The umbrella check: kcontrol.hpp includes every public header, src.hpp every definition.

What is for tests (testing/) is not in them: that is what a program includes and builds, and kcontrol::testing is always a
compiled library. Nor are api_beta/, cel/, records/ and scheduling/, libraries of their own, each with a src.hpp. Nor
are api/ and service/ in kcontrol.hpp: a program includes the kinds it uses, and service/ is for programs that are no controllers.
usage: check_umbrella.py [ROOT] [--self-test]      check_umbrella.py --write: writes both files
"""
import pathlib
import sys

import lint

HEAD = """// {what}
// Written by tools/check_umbrella.py --write.
#pragma once

"""
KCONTROL = HEAD.format(what="Every public header of the library but api/, cel/, testing/, records/, scheduling/ and service/.\n"
                            "// Convenient, and slower to compile than the few you need.")
SRC = HEAD.format(what="Every definition of the library, for a build without CMake: include it in one source file of "
                       "yours.") + """#ifndef KCONTROL_SEPARATE_COMPILATION
#error "kcontrol/src.hpp is for compiled mode: define KCONTROL_SEPARATE_COMPILATION in every source file"
#endif

"""
OWN = ("api_beta", "cel", "records", "scheduling")
OWN_SRC = {room: SRC.replace("Every definition of the library", f"Every definition of kcontrol::{room}").replace(
    "kcontrol/src.hpp", f"kcontrol/{room}/src.hpp") for room in OWN}

APART = {"testing", *OWN}


def includes(root, suffix, skip):
    base = root / "include"
    found = sorted(p.relative_to(base).as_posix() for p in base.rglob("*" + suffix))
    return "".join(f"#include <{name}>\n" for name in found if not skip(name.split("/")))


def wanted(root):
    return {
        "include/kcontrol/kcontrol.hpp": KCONTROL + includes(
            root, ".hpp", lambda parts: {"api", "service", *APART} & set(parts[:2]) or
            {"detail", "impl", "kcontrol.hpp", "src.hpp"} & set(parts)),
        "include/kcontrol/src.hpp": SRC + includes(root, ".ipp", lambda parts: parts[1] in APART),
        **{f"include/kcontrol/{room}/src.hpp": OWN_SRC[room] + includes(root, ".ipp", lambda parts, room=room: parts[1] != room)
           for room in OWN},
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
         **{f"include/kcontrol/{room}/src.hpp": OWN_SRC[room] for room in OWN}}
PLANTED = [
    ({**EMPTY, "include/kcontrol/base/a.hpp": ""}, "kcontrol/kcontrol.hpp: not as"),
    ({**EMPTY, "include/kcontrol/base/impl/a.ipp": ""}, "kcontrol/src.hpp: not as"),
    ({**EMPTY, "include/kcontrol/records/impl/a.ipp": ""}, "records/src.hpp: not as"),
    ({**EMPTY, "include/kcontrol/cel/impl/a.ipp": ""}, "cel/src.hpp: not as"),
    ({**EMPTY, "include/kcontrol/scheduling/impl/a.ipp": ""}, "scheduling/src.hpp: not as"),
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
