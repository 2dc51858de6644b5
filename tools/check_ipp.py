#!/usr/bin/env python3
"""The check of definitions: an .ipp file is the definitions of the header of its name.

impl/NAME.ipp and its parts, impl/NAME_PART.ipp, belong to a NAME.hpp of their room, which may be in detail/ or impl/. A
header in another folder is FOLDER_NAME here: api/core/v1.hpp has api/impl/core_v1.ipp. In header-only mode that header
includes them; parts may be included by other parts, and definitions of a private header by any definitions of the
room. In compiled mode src/ROOM*.cpp reaches them. A header includes definitions under KCONTROL_HEADER_ONLY only. What
declares and defines everything itself is a private header, impl/NAME.hpp.
kcontrol::testing is never header-only: src/testing/NAME.cpp and src/testserver/NAME.cpp, or NAME_PART.cpp, are the definitions
of a NAME.hpp beside them or in include/kcontrol/testing/, which they include.
usage: check_ipp.py [ROOT] [--self-test]
"""
import re

import lint

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"]', re.M)
HEADER_ONLY = re.compile(r"^#[ \t]*(?:ifdef[ \t]+KCONTROL_HEADER_ONLY|if[ \t]+defined\(KCONTROL_HEADER_ONLY\))[ \t]*$"
                         r"(.*?)^#[ \t]*endif", re.M | re.S)
# All of a file's text may be for compiled mode: then no header includes it.
COMPILED_ONLY = re.compile(r"^#[ \t]*ifndef[ \t]+KCONTROL_HEADER_ONLY[ \t]*$", re.M)

TYPE = re.compile(r"^(?:class|struct) (\w+)(?= final| :(?!:)|:(?!:)| ?\{|;)", re.M)
# The name behind the result type: what comes before the first parenthesis.
FUNCTION = re.compile(r"^(?:template <.*>\s+)?inline [^(;{]*?([\w:~]+)\(", re.M)
INSTANTIATION = re.compile(r"^template (?:class|struct) ", re.M)


# Directories of src/ whose sources are compiled one by one.
COMPILED = ("testing", "testserver")


class source:
    """The includes of a file: those of header-only mode, and all others."""

    def __init__(self, path):
        self.text = lint.strip(path.read_text(), keep_strings=True)
        self.header_only = [name for block in HEADER_ONLY.findall(self.text) for name in INCLUDE.findall(block)]
        self.always = INCLUDE.findall(HEADER_ONLY.sub("", self.text))


class tree:
    """The files of include/ by their names in #include lines, and those of src/ by their stems."""

    def __init__(self, root):
        base = root / "include"
        self.files = {path.relative_to(base).as_posix(): source(path) for path in lint.code_files(root, ("include",))}
        self.sources = {path.stem: source(path) for path in lint.code_files(root, ("src",))
                        if path.suffix == ".cpp" and path.parent == root / "src"}
        self.headers = {}
        for name in self.files:
            if name.endswith(".hpp"):
                self.headers.setdefault((room_of(name), short_name(name)), []).append(name)
        self.reached = {}

    def headers_of(self, name):
        """The headers that the name of the definitions allows: of the same name, or else of the beginning of it."""
        words = short_name(name).split("_")
        whole = self.headers.get((room_of(name), "_".join(words)), [])
        parts = [header for count in range(len(words) - 1, 0, -1)
                 for header in self.headers.get((room_of(name), "_".join(words[:count])), [])]
        return whole or parts

    def reached_from_sources(self, room):
        """What the sources of a room include in compiled mode."""
        if room not in self.reached:
            todo = [name for stem, file in self.sources.items() if stem == room or stem.startswith(room + "_")
                    for name in file.always]
            seen = set()
            while todo:
                name = todo.pop()
                if name in self.files and name not in seen:
                    seen.add(name)
                    todo += self.files[name].always
            self.reached[room] = seen
        return self.reached[room]


def room_of(name):
    parts = name.split("/")
    return parts[1] if len(parts) > 2 else ""


def short_name(name):
    """kcontrol/cache/detail/event_queue.hpp: event_queue; kcontrol/api/core/v1.hpp: core_v1."""
    folders = [part for part in name.split("/")[2:-1] if part not in ("impl", "detail")]
    return "_".join([*folders, name.split("/")[-1].rsplit(".", 1)[0]])


def included_in_header_only_mode(all_files, name, header, accepted):
    """By the header, by one that it includes for this, by other definitions of it, or of a room that keeps it private."""
    tail = all_files.files[header].header_only
    if name in tail or any(name in all_files.files[other].header_only for other in tail if other in all_files.files):
        return True
    private = "/impl/" in header and short_name(header) == short_name(name)
    for other, file in all_files.files.items():
        if room_of(other) != room_of(name) or other == name:
            continue
        if other.endswith(".ipp") and name in file.always and (private or header in accepted.get(other, ())):
            return True
        if private and name in file.header_only:
            return True
    return False


def owners(all_files, definitions):
    """{definitions: the headers that include them}, found step by step, for parts include parts."""
    accepted = {}
    while True:
        found = {name: headers for name in definitions if name not in accepted
                 for headers in [[header for header in all_files.headers_of(name)
                                  if COMPILED_ONLY.search(all_files.files[name].text)
                                  or included_in_header_only_mode(all_files, name, header, accepted)]] if headers}
        if not found:
            return accepted
        accepted |= found


def defines(text, headers):
    """Whether something that the text defines was declared elsewhere, in a header."""
    if "KCONTROL_DECL" in text or INSTANTIATION.search(text):
        return True
    own = set(TYPE.findall(text))
    functions = FUNCTION.findall(text)
    if any("::" in name and name.split("::")[0] not in own for name in functions):
        return True
    return any(re.search(rf"\b{re.escape(name)}\(", header) for name in functions for header in headers)


def check_definitions(all_files):
    definitions = sorted(name for name in all_files.files if name.endswith(".ipp"))
    accepted = owners(all_files, definitions)
    for name in definitions:
        where, room = f"include/{name}", room_of(name)
        if name.split("/")[2:-1] != ["impl"]:
            yield f"{where}: definitions lie in ROOM/impl/"
        headers = all_files.headers_of(name)
        if not headers:
            yield f"{where}: {room}/ has no header of this name, or of the beginning of it; a private header ends in .hpp"
        elif name not in accepted:
            yield f"{where}: not included by {', '.join(headers)} under KCONTROL_HEADER_ONLY, nor by other definitions of it"
        if not defines(all_files.files[name].text, [all_files.files[header].text for header in headers]):
            yield f"{where}: defines nothing that a header declares; a private header is impl/NAME.hpp"
        if name not in all_files.reached_from_sources(room):
            yield f"{where}: not reached from src/{room}*.cpp"


def check_headers(all_files):
    for name, file in sorted(all_files.files.items()):
        if name.endswith(".hpp") and not name.endswith("/src.hpp"):
            for other in file.always:
                if other.endswith(".ipp"):
                    yield f"include/{name}: includes {other} in compiled mode, too"


def check_compiled(root):
    """The sources and headers of kcontrol::testing."""
    public = {path.stem: f"kcontrol/testing/{path.name}" for path in (root / "include/kcontrol/testing").glob("*.hpp")}
    for room in COMPILED:
        headers = public | {path.stem: f"{room}/{path.name}" for path in (root / "src" / room).glob("*.hpp")}
        for path in sorted((root / "src" / room).glob("*.cpp")):
            words = path.stem.split("_")
            names = ["_".join(words[:count]) for count in range(len(words), 0, -1)]
            owner = next((headers[name] for name in names if name in headers), None)
            where = path.relative_to(root)
            if owner is None:
                yield f"{where}: there is no header of this name, or of the beginning of it"
            elif owner not in source(path).always:
                yield f"{where}: does not include {owner}"
            if re.search(r"^inline (?!namespace|constexpr)", path.read_text(), re.M):
                yield f"{where}: a private helper stands in an unnamed namespace and is not inline"
    for path in lint.code_files(root, ("include/kcontrol/testing", *(f"src/{room}" for room in COMPILED))):
        where = path.relative_to(root)
        if path.suffix == ".ipp" or re.search(r"\bKCONTROL_(?:DECL|HEADER_ONLY)\b", path.read_text()):
            yield f"{where}: kcontrol::testing is not header-only: definitions are in src/"


def check(root):
    all_files = tree(root)
    return [*check_definitions(all_files), *check_headers(all_files), *check_compiled(root)]


def tail(*names):
    return "#ifdef KCONTROL_HEADER_ONLY\n" + "".join(f"#include <kcontrol/{name}>\n" for name in names) + "#endif\n"


def included(*names):
    return "".join(f"#include <kcontrol/{name}>\n" for name in names)


H, I, S = "include/kcontrol/base/a.hpp", "include/kcontrol/base/impl/", "src/base.cpp"
F = "KCONTROL_DECL void f() {}\n"
PLANTED = [
    ({H: "", I + "b.ipp": F, S: included("base/impl/b.ipp")}, "no header of this name"),
    ({H: tail("base/impl/ab.ipp"), I + "ab.ipp": F, S: included("base/impl/ab.ipp")}, "no header of this name"),
    ({"include/kcontrol/json/a.hpp": "", I + "a.ipp": F, S: included("base/impl/a.ipp")}, "no header of this name"),
    ({H: "", I + "a.ipp": F, S: included("base/impl/a.ipp")}, "not included by kcontrol/base/a.hpp"),
    ({H: included("base/impl/a.ipp"), I + "a.ipp": F, S: ""}, "in compiled mode, too"),
    # Another header's, although there is one of its name.
    ({H: "", "include/kcontrol/base/b.hpp": tail("base/impl/a.ipp"), I + "a.ipp": F, S: included("base/impl/a.ipp")},
     "not included by kcontrol/base/a.hpp"),
    # A part that only the definitions of another header include.
    ({H: tail("base/impl/a.ipp"), "include/kcontrol/base/b.hpp": "", I + "b_part.ipp": F,
      I + "a.ipp": included("base/impl/b_part.ipp") + F, S: included("base/impl/a.ipp")}, "not included by kcontrol/base/b.hpp"),
    ({H: tail("base/impl/a.ipp"), I + "a.ipp": F, S: ""}, "a.ipp: not reached from src/base*.cpp"),
    ({H: tail("base/impl/a.ipp"), I + "a.ipp": F, S: "", "src/json.cpp": included("base/impl/a.ipp")}, "not reached from"),
    ({H: tail("base/impl/a.ipp"), I + "a.ipp": F, S: included("base/a.hpp")}, "not reached from"),
    ({H: tail("base/detail/a.ipp"), "include/kcontrol/base/detail/a.ipp": F, S: included("base/detail/a.ipp")},
     "lie in ROOM/impl/"),
    ({H: tail("base/impl/a.ipp"), I + "a.ipp": "inline int twice(int n) { return 2 * n; }\n", S: included("base/impl/a.ipp")},
     "defines nothing that a header declares"),
    ({H: tail("base/impl/a.ipp"), I + "a.ipp": "class x {\n    int g();\n};\ninline int x::g() { return 1; }\n",
      S: included("base/impl/a.ipp")}, "defines nothing that a header declares"),
]
T = "src/testserver/"
PLANTED += [
    ({T + "a.cpp": included("testing/b.hpp"), "include/kcontrol/testing/b.hpp": ""}, "there is no header of this name"),
    ({T + "a_part.cpp": "", T + "a.hpp": ""}, "does not include testserver/a.hpp"),
    ({T + "a.cpp": '#include "testserver/a.hpp"\ninline int f() { return 1; }\n', T + "a.hpp": ""}, "is not inline"),
    ({"include/kcontrol/testing/a.hpp": "KCONTROL_DECL void f();\n"}, "is not header-only"),
    ({"src/testing/a.ipp": "", "src/testing/a.hpp": ""}, "is not header-only"),
]
CLEAN = {
    H: tail("base/impl/a.ipp", "base/impl/a_linux.ipp"),
    I + "a.ipp": included("base/impl/a_run.ipp", "base/impl/secret.ipp", "base/impl/help.hpp") + F,
    I + "a_linux.ipp": F,
    I + "a_run.ipp": included("base/impl/a_run_end.ipp") + "inline result<std::size_t> a::impl::run(int n) { return n; }\n",
    I + "a_run_end.ipp": "inline a::~a() {}\n",
    I + "help.hpp": "inline int twice(int n) { return 2 * n; }\n",
    # A private header, whose definitions are those of a part of the room.
    I + "secret.hpp": "class secret {\n    int f();\n};\nint g();\n",
    I + "secret.ipp": included("base/impl/secret_g.ipp") + "class secret::part final {};\ninline int secret::f() { return 1; }\n",
    I + "secret_g.ipp": "inline int g() { return 1; }\n",
    # Two headers that need each other.
    "include/kcontrol/base/b.hpp": tail("base/detail/c.hpp"),
    "include/kcontrol/base/detail/c.hpp": tail("base/impl/b.ipp", "base/impl/c.ipp"),
    I + "b.ipp": F,
    I + "c.ipp": F,
    "include/kcontrol/base/compiled.hpp": "",
    I + "compiled.ipp": "#ifndef KCONTROL_HEADER_ONLY\ntemplate struct list<int>;\n#endif\n",
    S: included("base/impl/a.ipp", "base/impl/a_linux.ipp", "base/impl/compiled.ipp"),
    "src/base_more.cpp": included("base/impl/b.ipp", "base/impl/c.ipp"),
    "include/kcontrol/src.hpp": included("base/impl/a.ipp"),
    "include/kcontrol/api/core/v1.hpp": "#if defined(KCONTROL_HEADER_ONLY)\n" + included("api/impl/core_v1.ipp") + "#endif\n",
    "include/kcontrol/api/impl/core_v1.ipp": F,
    "src/api.cpp": included("api/impl/core_v1.ipp"),
    T + "a.hpp": "",
    T + "a.cpp": '#include "testserver/a.hpp"\nnamespace {\nint f() { return 1; }\n}\n',
    T + "a_part.cpp": '#include "testserver/a.hpp"\n',
    "include/kcontrol/testing/c.hpp": "",
    "src/testing/c.cpp": included("testing/c.hpp"),
}

if __name__ == "__main__":
    lint.main(check, PLANTED, CLEAN, __doc__)
