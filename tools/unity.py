#!/usr/bin/env python3
"""Puts several sources into one translation unit, so that they pay for their common headers and templates once.

usage: unity.py tests|parts --plan LINES FOLDER SOURCE... | unity.py tests|parts OUT FOLDER SOURCE... | unity.py --self-test
  tests     #include lines come first, and what follows them in each source stands in a namespace of its own. A source that
            can't be in a namespace (it opens kcontrol or std, specialises a template of theirs, or includes something below its
            first declaration) is a batch of its own
  parts     sources of a program are included one after the other. Those whose unnamed namespaces have the same names (but for
            the same aliases), or that define macros, are not in one batch. A type of an unnamed namespace whose name a header
            beside the sources declares, too, is refused: whether they meet depends on the batches
  --plan    prints one batch per line, the sources separated by semicolons; none has more than LINES lines, those of the .ipp
            files that a source includes among them. Up to 3000 LINES the names of the sources decide where one ends, so that
            few batches change when a source does. With more, as few batches as possible: for what is built once
  OUT       the file to write. It has no path of this checkout, so that a compiler's cache knows it in every other one
  FOLDER    the folder that the names of sources are relative to; for tests it is on the compiler's include path
"""
import os
import pathlib
import re
import sys
import zlib

AVERAGE = 8  # sources in a batch, if they are short
STABLE = 3000  # lines: larger batches need not stay the same

# What must stand at the outermost level.
OUTERMOST = re.compile(r"^(namespace (kcontrol|std|boost|doctest|fmt)\b(?! *=)|template <>|int main\(|extern \"C\"|DOCTEST_|"
                       r"#define DOCTEST)", re.M)
DEFINITIONS = re.compile(r"^#include <(kcontrol/[^>]+\.ipp)>", re.M)
ALIAS = re.compile(r"(?:namespace|using) \w+ = [\w:]+;")
TYPE = re.compile(r"^(?:struct|class|enum class|enum|union|using) (\w+)(?= *(?:[={]|:(?!:))| final)", re.M)
MACRO = re.compile(r"^#\s*define (\w+)", re.M)


def split(text):
    """(the text's #include lines, how many lines stand before those that follow them, these)"""
    lines = text.split("\n")
    includes, end = [], 0
    for number, line in enumerate(lines):
        if line.startswith("#include"):
            includes.append(line)
            end = number + 1
        elif line.strip() and not line.startswith("//"):
            break
    return includes, end, lines[end:]


def test_fits(text):
    """Whether a test may stand in a namespace, behind the includes of others."""
    _, _, rest = split(text)
    body = "\n".join(rest)
    return not OUTERMOST.search(body) and not re.search(r"^\s*#\s*include", body, re.M)


def part_fits(text):
    return not MACRO.search(text) and not re.search(r"^int main\(", text, re.M)


def private_names(text):
    """The names that unnamed namespaces declare at their own level, where nothing is indented. Each has the text of its
    declaration if that is an alias, which may be declared again, else None."""
    names, inside = {}, False
    for line in text.split("\n"):
        if line.startswith("namespace {"):
            inside = True
        elif line.startswith("}  // namespace"):
            inside = False
        elif inside:
            found = re.match(r"(?:struct|class|enum class|enum|union|using|namespace) (\w+)(?! *::)(?= *[={:;]| final)", line)
            if not found and re.match(r"[A-Za-z\[]", line) and not line.startswith(("using ", "template ", "public", "private")):
                found = re.search(r"(\w+)\(", line) or re.search(r"(\w+)(?:\[\w*\])* ?(?:=|\{|;)", line)
            if found:
                names[found[1]] = line if ALIAS.fullmatch(line) else None
    return names


def private_types(text):
    """The types that unnamed namespaces declare at their own level."""
    return {name for part in re.findall(r"^namespace \{\n(.*?)^\}  // namespace$", text, re.M | re.S) for name in TYPE.findall(part)}


def declared_types(folder):
    """The types that headers below a folder declare, each with its header."""
    return {name: header for header in sorted(folder.rglob("*.hpp")) for name in TYPE.findall(header.read_text())}


def collisions(sources):
    """A sentence for each private type that has the name of a header's."""
    if len(sources) < 2:
        return []
    declared = declared_types(pathlib.Path(os.path.commonpath([source.resolve().parent for source in sources])))
    return [f"{source.name}: {name} of its unnamed namespace has the name of a type of {declared[name].name}: rename it"
            for source in sorted(sources) for name in sorted(private_types(source.read_text()) & declared.keys())]


def name_of(source, folder):
    return source.resolve().relative_to(folder.resolve()).as_posix()


class Batch:
    def __init__(self):
        self.sources, self.lines, self.names = [], 0, {}

    def has_room(self, lines, names, most):
        collide = any(name in self.names and (text is None or self.names[name] != text) for name, text in names.items())
        return self.lines + lines <= most and not collide

    def add(self, source, lines, names):
        self.sources.append(source)
        self.lines += lines
        self.names.update(names)


def length(text, folder):
    """A room of the library is a file of #include lines: what counts is what they include."""
    parts = (folder / "include" / name for name in DEFINITIONS.findall(text))
    return text.count("\n") + sum(part.read_text().count("\n") for part in parts if part.is_file())


def plan(kind, sources, most, folder):
    """Batches in the order of the names; those that are alone come last."""
    batches, alone = [], []
    for source in sorted(sources):
        text = source.read_text()
        names = private_names(text) if kind == "parts" else {}
        if not (part_fits if kind == "parts" else test_fits)(text):
            alone.append([source])
            continue
        lines = length(text, folder)
        ends = most <= STABLE and zlib.crc32(name_of(source, folder).encode()) % AVERAGE == 0
        candidates = batches if most > STABLE else [] if ends else batches[-1:]
        batch = next((batch for batch in candidates if batch.has_room(lines, names, most)), None)
        if batch is None:
            batch = Batch()
            batches.append(batch)
        batch.add(source, lines, names)
    return [batch.sources for batch in batches] + alone


def from_folder(line, source, folder):
    """An #include of a file that lies beside the source, as the include path finds it."""
    found = re.match(r'#include "([^"]+)"', line)
    if found and (source.parent / found[1]).is_file():
        return f'#include "{name_of(source.parent / found[1], folder)}"'
    return line


def include(source, out):
    return f'#include "{pathlib.PurePath(os.path.relpath(source.resolve(), out.resolve().parent)).as_posix()}"\n'


def unit(kind, out, sources, folder):
    if kind == "parts" or len(sources) == 1:
        return "".join(include(source, out) for source in sources)
    includes, bodies = {}, []
    for source in sources:
        text = source.read_text()
        name = name_of(source, folder)
        if not test_fits(text):
            sys.exit(f"{name} can't be in a batch any more: configure again, and it will be one of its own")
        lines, before, body = split(text)
        for line in lines:
            includes[from_folder(line, source, folder)] = None
        space = re.sub(r"\W", "_", name.removesuffix(".cpp"))
        bodies.append(f'namespace {space} {{\n#line {before + 1} "{name}"\n' + "\n".join(body) + f"\n}}  // namespace {space}\n" +
                      "".join(f"#undef {macro}\n" for macro in MACRO.findall("\n".join(body))))
    return "\n".join([*includes, ""]) + "\n" + "\n".join(bodies)


def names_of(batches):
    return [[path.name for path in batch] for batch in batches]


def test_units(root, failures):
    (root / "room/help.hpp").write_text("#pragma once\n")
    texts = {
        "a_test.cpp": '// a\n#include "help.hpp"\n\n#include <string>\n\nnamespace {\nint twice;\n}\n',
        "b_test.cpp": '#include <string>\n#include <vector>\nusing namespace std;\n#define TWICE 2\nint twice = TWICE;\n',
        "c_test.cpp": "#include <string>\nnamespace kcontrol {\n}\n",
        "d_test.cpp": "#include <string>\nint d;\n#include <vector>\n",
        "e_test.cpp": "#include <string>\ntemplate <>\nstruct std::hash<int> {};\n",
    }
    paths = {file: root / "room" / file for file in texts}
    for file, text in texts.items():
        paths[file].write_text(text)
    found = names_of(plan("tests", paths.values(), 100, root))
    if found != [["a_test.cpp", "b_test.cpp"], ["c_test.cpp"], ["d_test.cpp"], ["e_test.cpp"]]:
        failures.append(f"the batches are {found}")
    if names_of(plan("tests", [paths["a_test.cpp"], paths["b_test.cpp"]], 8, root)) != [["a_test.cpp"], ["b_test.cpp"]]:
        failures.append("a batch is too long")
    made = unit("tests", root / "out.cpp", [paths["a_test.cpp"], paths["b_test.cpp"]], root)
    expected = ('#include "room/help.hpp"\n#include <string>\n#include <vector>\n\nnamespace room_a_test {\n'
                '#line 5 "room/a_test.cpp"\n\nnamespace {\nint twice;\n}\n\n}  // namespace room_a_test\n\n'
                'namespace room_b_test {\n#line 3 "room/b_test.cpp"\nusing namespace std;\n#define TWICE 2\nint twice = TWICE;\n\n'
                '}  // namespace room_b_test\n#undef TWICE\n')
    if made != expected:
        failures.append(f"the unit is\n{made}")
    if unit("tests", root / "build/out.cpp", [paths["c_test.cpp"]], root) != '#include "../room/c_test.cpp"\n':
        failures.append("a batch of one")


def part_units(root, failures):
    texts = {
        "a.cpp": "namespace app {\nnamespace {\nstruct row {};\nint text_of(int n) { return n; }\nconst int limit = 1;\n"
                 "}  // namespace\nint shared() { return 1; }\n}  // namespace app\n",
        "b.cpp": "namespace app {\nnamespace {\nusing kcontrol::result;\nint other();\n}  // namespace\nint row;\n}\n",
        "c.cpp": "namespace app {\nnamespace {\nstd::string text_of(int n);\n}  // namespace\n}\n",
        "d.cpp": "#define X\n",
        "e.cpp": "namespace {\nstruct rows final : base {\n    int limit;\n};\n}  // namespace\n",
        "f.cpp": "namespace {\nnamespace http = kcontrol::http;\n}  // namespace\n",
        "g.cpp": "namespace {\nnamespace http = kcontrol::http;\n}  // namespace\n",
        "h.cpp": "namespace {\nnamespace http = other::http;\n}  // namespace\n",
        "main.cpp": "int main() {}\n",
    }
    paths = {file: root / "room" / file for file in texts}
    for file, text in texts.items():
        paths[file].write_text(text)
    names = [dict.fromkeys(("row", "text_of", "limit")), {"rows": None}, {"http": "namespace http = other::http;"}]
    if (made := [private_names(texts[file]) for file in ("a.cpp", "e.cpp", "h.cpp")]) != names:
        failures.append(f"the names are {made}")
    found = names_of(plan("parts", paths.values(), 100, root))
    if found != [["a.cpp", "b.cpp"], ["c.cpp", "e.cpp", "f.cpp", "g.cpp"], ["h.cpp"], ["d.cpp"], ["main.cpp"]]:
        failures.append(f"the batches of parts are {found}")
    if unit("parts", root / "x/out.cpp", [paths["a.cpp"], paths["b.cpp"]], root) != '#include "../room/a.cpp"\n#include "../room/b.cpp"\n':
        failures.append("a unit of parts")


def hidden_types(root, failures):
    texts = {"kinds.hpp": "struct row {\n    int limit;\n};\n",
             "a.cpp": "namespace {\nusing row = int;\nint limit() {\n    return 1;\n}\n}  // namespace\n",
             "b.cpp": "namespace {\nusing row::text;\nstruct other {};\nvoid row();\n}  // namespace\nusing row = int;\n"}
    for file, text in texts.items():
        (root / "room" / file).write_text(text)
    found = collisions([root / "room/a.cpp", root / "room/b.cpp"])
    if found != ["a.cpp: row of its unnamed namespace has the name of a type of kinds.hpp: rename it"]:
        failures.append(f"the collisions are {found}")


def rooms(root, failures):
    (root / "include/kcontrol").mkdir(parents=True)
    (root / "include/kcontrol/a.ipp").write_text("int a;\n" * 5000)
    texts = {"a.cpp": "#include <kcontrol/a.ipp>\n", "b.cpp": "#include <kcontrol/a.ipp>\n", "c.cpp": "int c;\n"}
    paths = {file: root / "room" / file for file in texts}
    for file, text in texts.items():
        paths[file].write_text(text)
    found = names_of(plan("parts", paths.values(), 6000, root))
    if found != [["a.cpp", "c.cpp"], ["b.cpp"]]:
        failures.append(f"the batches of rooms are {found}")


def stable_batches(root, failures):
    many = [root / f"room/many{number}_test.cpp" for number in range(100)]
    for path in many:
        path.write_text("int x;\n")
    before = plan("tests", many, 1000, root)
    if not 8 < len(before) < 25:
        failures.append(f"100 sources are {len(before)} batches")
    if len([batch for batch in plan("tests", many[1:], 1000, root) if batch not in before]) > 1:
        failures.append("one source less changes several batches")


def self_test():
    import tempfile  # here, for the tool starts some hundred times
    failures = []
    for test in (test_units, part_units, hidden_types, rooms, stable_batches):
        with tempfile.TemporaryDirectory() as name:
            (pathlib.Path(name) / "room").mkdir()
            test(pathlib.Path(name), failures)
    print("\n".join(failures) or "self-test: clean")
    return 1 if failures else 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    kind, first, *rest = sys.argv[1:]
    if first == "--plan":
        most, folder, *names = rest
        sources = [pathlib.Path(name) for name in names]
        if kind == "parts" and (found := collisions(sources)):
            sys.exit("\n".join(found))
        for batch in plan(kind, sources, int(most), pathlib.Path(folder)):
            print(";".join(map(str, batch)))
        return 0
    out, (folder, *sources) = pathlib.Path(first), rest
    text = unit(kind, out, [pathlib.Path(one) for one in sources], pathlib.Path(folder))
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
