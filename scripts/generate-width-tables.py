#!/usr/bin/env python3
"""Writes include/kcontrol/base/impl/display_width_tables.hpp: which characters take no column of a terminal, which two,
and which are pictures. Facts of the Unicode Character Database, as ranges.

usage: generate-width-tables.py [FOLDER]
  FOLDER   the database; default /usr/share/unicode, where Debian's package unicode-data has it
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
OUT = ROOT / "include/kcontrol/base/impl/display_width_tables.hpp"
LAST = 0x10FFFF

HEAD = """// Written by scripts/generate-width-tables.py from the Unicode Character Database {version}. Do not edit.
#pragma once

#include <array>

namespace kcontrol::inline v0_1::detail {{

// clang-format off

struct width_range {{
    char32_t first, last;
}};
"""


def properties(path):
    """{value: set of characters} of a file with lines `FIRST..LAST ; VALUE # comment`."""
    out = {}
    for line in path.read_text().splitlines():
        found = re.match(r"([0-9A-F]+)(?:\.\.([0-9A-F]+))?\s*;\s*(\w+)", line)
        if found:
            first, last, value = found.groups()
            out.setdefault(value, set()).update(range(int(first, 16), int(last or first, 16) + 1))
    return out


def ranges(characters):
    out = []
    for c in sorted(characters):
        if out and out[-1][1] == c - 1:
            out[-1][1] = c
        else:
            out.append([c, c])
    return out


def table(name, what, characters):
    rows = ranges(characters)
    out = [f"\n// {what}", f"inline constexpr std::array<width_range, {len(rows)}> {name}{{{{"]
    line = "   "
    for first, last in rows:
        cell = f" {{0x{first:x}, 0x{last:x}}},"
        if len(line + cell) > 118:
            out.append(line)
            line = "   "
        line += cell
    return "\n".join([*out, line.rstrip(","), "}};"]) + "\n"


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "/usr/share/unicode")
    category = properties(folder / "extracted/DerivedGeneralCategory.txt")
    east = properties(folder / "EastAsianWidth.txt")
    hangul = properties(folder / "HangulSyllableType.txt")
    listed = properties(folder / "PropList.txt")
    emoji = properties(folder / "emoji/emoji-data.txt")
    version = re.search(r"-([\d.]+)\.txt", (folder / "EastAsianWidth.txt").read_text()).group(1)

    # Marks and format characters stand on the character before them, vowels and finals of Hangul in its syllable. Of the
    # format characters, a soft hyphen is shown, and so are those that enclose the numbers after them.
    zero = category["Mn"] | category["Me"] | category["Cf"] | category["Zl"] | category["Zp"]
    zero |= set(range(0x1160, 0x1200)) | hangul["V"] | hangul["T"]
    zero -= {0xAD} | listed["Prepended_Concatenation_Mark"]
    wide = (east["W"] | east["F"]) - zero
    # Shown as pictures, and wide, only where a variation selector asks for it.
    asked = emoji["Emoji"] - emoji["Emoji_Presentation"] - wide
    text = HEAD.format(version=version)
    text += table("zero_width_ranges", "No column.", zero)
    text += table("double_width_ranges", "Two columns: East_Asian_Width W and F.", wide)
    text += table("optional_picture_ranges", "Two columns with U+FE0F behind them.", asked)
    text += table("picture_ranges", "Parts of emoji sequences: Extended_Pictographic.", emoji["Extended_Pictographic"])
    OUT.write_text(text + "// clang-format on\n\n}  // namespace kcontrol::detail\n")


if __name__ == "__main__":
    main()
