#!/usr/bin/env python3
"""Writes include/kcontrol/codec/impl/builtin_lists_table.hpp from tools/kcontrol_gen/data/kubernetes.json: the lists of
objects in Kubernetes' own kinds, and the keys of their elements. The format is described in builtin_lists.hpp.

usage: generate-list-table.py [--check]      --check: fails if the file is not what would be written
"""
import json, pathlib, sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
TARGET = ROOT / "include/kcontrol/codec/impl/builtin_lists_table.hpp"
HEAD = """// Written by scripts/generate-list-table.py; the format is described in builtin_lists.hpp.
#pragma once

#include <array>
#include <string_view>

namespace kcontrol::inline v0_1::detail {

// clang-format off
inline constexpr std::array<std::string_view, %d> builtin_lists_table = {
%s};
// clang-format on

}  // namespace kcontrol::detail
"""
CHUNK = 15000  # compilers have a limit for the length of one literal


def target_of(field):
    """The type name behind lists and maps, or None for scalars and raw JSON."""
    return field["type"].partition("#")[2] or None


def is_object_list(field):
    return field["type"].startswith("[") and "#" in field["type"]


def reach(types, start):
    seen, queue = set(), [start]
    while queue:
        name = queue.pop()
        if name not in seen:
            seen.add(name)
            queue += [t for t in map(target_of, types[name]) if t]
    return seen


def wanted_types(types, roots):
    below = {name: reach(types, name) for name in types}
    on_the_way = {n for n in types if any(is_object_list(f) for m in below[n] for f in types[m])}
    elements = {target_of(f) for n in on_the_way for f in types[n] if is_object_list(f)}
    known = on_the_way.union(*(below[n] for n in elements))
    return [n for n in dict.fromkeys(list(roots) + sorted(known)) if n in known]


def field_text(field, types, number):
    form = field["type"].split("#")[0] + "#" + str(number[target_of(field)])
    keys = []
    for key in field.get("keys", []):
        default = next((f.get("default") for f in types[target_of(field)] if f["name"] == key), None)
        keys.append(key if default in (None, 0) else key + "~" + json.dumps(default))
    return field["name"] + "=" + form + ("|" + "+".join(keys) if keys else "")


def table(document):
    types = document["types"]
    kinds = sorted(document["kinds"], key=lambda k: (k["group"], k["version"], k["kind"]))
    order = wanted_types(types, [k["type"] for k in kinds])
    number = {name: i for i, name in enumerate(order)}
    lines = [f"K {k['group'] or '-'} {k['version']} {k['kind']} {number[k['type']]}" for k in kinds if k["type"] in number]
    for name in order:
        parts = [field_text(f, types, number) for f in types[name] if target_of(f) in number]
        lines.append(" ".join(["T", str(len(types[name]))] + parts))
    return lines


def render(lines):
    chunks = [""]
    for line in lines:
        if len(chunks[-1]) + len(line) > CHUNK:
            chunks.append("")
        chunks[-1] += line + "\n"
    return HEAD % (len(chunks), "".join(f'R"table({chunk})table",\n' for chunk in chunks))


def main():
    source = ROOT / "tools/kcontrol_gen/data/kubernetes.json"
    text = render(table(json.loads(source.read_text())))
    if "--check" in sys.argv[1:]:
        if TARGET.read_text() != text:
            sys.exit(f"{TARGET.relative_to(ROOT)} is not what {source.name} says; run scripts/generate-list-table.py")
    else:
        TARGET.write_text(text)


if __name__ == "__main__":
    main()
