#!/usr/bin/env python3
"""Puts several test sources into one translation unit, so that they pay for their common headers and templates once.

usage: unity.py OUT --include FOLDER SOURCE... | unity.py --plan LINES FOLDER SOURCE... | unity.py --self-test
  OUT               the file to write
  --include FOLDER  the folder that is on the compiler's include path, and in which the sources lie: what they include beside
                    themselves is found from there, and paths are relative to it, so that they are the same in every checkout
  --plan LINES      prints one batch per line, the sources separated by semicolons: none has more than LINES lines, and where one
                    ends goes by the names of its sources, so that few batches change when a source does

All #include lines come first. What follows them in each source stands in a namespace of its own, so the names of one source do
not meet those of another; #line keeps the places in messages. A source that can't be in a namespace (it opens kcontrol or std,
specialises a template of theirs, or includes something below its first declaration) is a batch of its own, as it stands.
"""
import pathlib
import re
import sys
import tempfile
import zlib

AVERAGE = 8  # sources in a batch, if they are short

# What must stand at the outermost level.
OUTERMOST = re.compile(r"^(namespace (kcontrol|std|boost|doctest|fmt)\b(?! *=)|template <>|int main\(|extern \"C\"|DOCTEST_|"
                       r"#define DOCTEST)", re.M)
MACRO = re.compile(r"^#\s*define (\w+)", re.M)


def split(text):
    """(the text's #include lines, the number of the first line after them, that line and all that follow)"""
    lines = text.split("\n")
    includes, end = [], 0
    for number, line in enumerate(lines):
        if line.startswith("#include"):
            includes.append(line)
            end = number + 1
        elif line.strip() and not line.startswith("//"):
            break
    return includes, end, lines[end:]


def fits(text):
    """Whether it may stand in a namespace, behind the includes of others."""
    _, _, rest = split(text)
    body = "\n".join(rest)
    return not OUTERMOST.search(body) and not re.search(r"^\s*#\s*include", body, re.M)


def from_folder(line, source, folder):
    """An #include of a file that lies beside the source, as the include path finds it."""
    found = re.match(r'#include "([^"]+)"', line)
    if found and (source.parent / found[1]).is_file():
        return f'#include "{(source.parent / found[1]).resolve().relative_to(folder.resolve()).as_posix()}"'
    return line


def unit(sources, folder):
    folder = pathlib.Path(folder)
    if len(sources) == 1:
        name = sources[0].resolve().relative_to(folder.resolve()).as_posix()
        return f'#include "{name}"\n'
    includes, bodies = {}, []
    for source in sources:
        text = source.read_text()
        if not fits(text):
            sys.exit(f"{source} can't be in a batch any more: configure again (cmake {folder.parent}), and it is one of its own")
        name = source.resolve().relative_to(folder.resolve()).as_posix()
        lines, number, body = split(text)
        for line in lines:
            includes[from_folder(line, source, folder)] = None
        space = re.sub(r"\W", "_", name.removesuffix(".cpp"))
        bodies.append(f'namespace {space} {{\n#line {number + 1} "{name}"\n' + "\n".join(body) + f"\n}}  // namespace {space}\n" +
                      "".join(f"#undef {macro}\n" for macro in MACRO.findall("\n".join(body))))
    return "\n".join([*includes, ""]) + "\n" + "\n".join(bodies)


def plan(sources, most, folder):
    """Batches in the order of the names."""
    batches, lines = [], 0
    alone = []
    for source in sorted(sources):
        text = source.read_text()
        length = text.count("\n")
        if not fits(text):
            alone.append([source])
            continue
        name = source.resolve().relative_to(folder.resolve()).as_posix()
        if not batches or zlib.crc32(name.encode()) % AVERAGE == 0 or lines + length > most:
            batches.append([])
            lines = 0
        batches[-1].append(source)
        lines += length
    return batches + alone


def self_test():
    failures = []
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        (root / "room").mkdir()
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
        wanted = [["a_test.cpp", "b_test.cpp"], ["c_test.cpp"], ["d_test.cpp"], ["e_test.cpp"]]
        found = [[path.name for path in batch] for batch in plan(paths.values(), 100, root)]
        if found != wanted:
            failures.append(f"the batches are {found}")
        if [len(batch) for batch in plan([paths["a_test.cpp"], paths["b_test.cpp"]], 8, root)] != [1, 1]:
            failures.append("a batch is too long")
        many = []
        for number in range(100):
            many.append(root / f"room/many{number}_test.cpp")
            many[-1].write_text("int x;\n")
        before = plan(many, 1000, root)
        if not 10 < len(before) < 30:
            failures.append(f"100 sources are {len(before)} batches")
        if len([batch for batch in plan(many[1:], 1000, root) if batch not in before]) > 1:
            failures.append("one source less changes several batches")
        made = unit([paths["a_test.cpp"], paths["b_test.cpp"]], root)
        expected = ('#include "room/help.hpp"\n#include <string>\n#include <vector>\n\nnamespace room_a_test {\n'
                    '#line 5 "room/a_test.cpp"\n\nnamespace {\nint twice;\n}\n\n}  // namespace room_a_test\n\n'
                    'namespace room_b_test {\n#line 3 "room/b_test.cpp"\nusing namespace std;\n#define TWICE 2\nint twice = TWICE;\n\n'
                    '}  // namespace room_b_test\n#undef TWICE\n')
        if made != expected:
            failures.append(f"the unit is\n{made}")
        if unit([paths["c_test.cpp"]], root) != '#include "room/c_test.cpp"\n':
            failures.append("a batch of one")
    print("\n".join(failures) or "self-test: clean")
    return 1 if failures else 0


def main():
    arguments = sys.argv[1:]
    if arguments == ["--self-test"]:
        return self_test()
    if arguments and arguments[0] == "--plan":
        for batch in plan([pathlib.Path(one) for one in arguments[3:]], int(arguments[1]), pathlib.Path(arguments[2])):
            print(";".join(map(str, batch)))
        return 0
    out, _, folder, *sources = arguments
    text = unit([pathlib.Path(one) for one in sources], folder)
    path = pathlib.Path(out)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
