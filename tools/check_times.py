#!/usr/bin/env python3
"""The lint of times: RFC 3339 texts are read by values/rfc3339.hpp and by parse_time(), which is built on it, and by
nothing else.

Readers of one's own take `Z` only, forget offsets and fractions, or read the 30th of February. The lint finds what such
readers consist of: the C library's and the standard library's parsers of dates, scanf with the fields of a date, a look at
a letter of fixed place for 'T', 'Z' or a separator, and dates that are put together from numbers that were read.
usage: check_times.py [ROOT] [--self-test]
A line may carry "times: ok, REASON" in a comment.
"""
import re

import lint

RULES = [
    (r"(?<![\w.>])(strptime|timegm|mktime|getdate(_r)?)\s*\(", "the C library reads a date"),
    (r"\bstd\s*::\s*get_time\b|\b(chrono\s*::\s*parse|from_stream)\s*\(", "the standard library reads a date"),
    (r"scanf\s*\([^;]*%[24]?[dlu]\s*-\s*%[02]*[dlu]", "scanf reads a date"),
    (r"\[\s*(4|7|10|13|16|19)\s*\]\s*(==|!=|\^)\s*'[-Tt:Zz]'", "a letter of a time is looked at by its place"),
    (r"\bchrono\s*::\s*(year|month|day)\s*[({]\s*(?![\d)}])", "a date is put together from numbers"),
]
RULES = [(re.compile(pattern, re.S), what) for pattern, what in RULES]
READER = "include/kcontrol/values/impl/rfc3339.ipp"
DIRECTORIES = ("include", "src", "examples", "tools", "bench")
EXCUSE = re.compile(r"//.*\btimes: ok, \S")


def without_comments(text):
    """Strings stay, for scanf's fields are in one."""
    return lint.strip(text, keep_strings=True)


def check(root):
    messages = []
    for path in lint.code_files(root, DIRECTORIES):
        name = path.relative_to(root).as_posix()
        if name == READER:
            continue
        text = path.read_text()
        code, lines = without_comments(text), text.splitlines()
        for pattern, what in RULES:
            for match in pattern.finditer(code):
                line = lint.line_of(code, match.start())
                if not EXCUSE.search(lines[line - 1]):
                    messages.append(f"{name}:{line}: {what}; read times with rfc3339_time::parse() or parse_time(): "
                                    f"{lines[line - 1].strip()}")
    return messages


FILE = "examples/apps/monitor/a.cpp"
PLANTED = [
    (FILE, 'strptime(text, "%FT%TZ", &parts);\n', "the C library"),
    (FILE, "auto at = ::timegm(&parts);\n", "the C library"),
    (FILE, 'in >> std::get_time(&parts, "%FT%TZ");\n', "the standard library"),
    (FILE, 'in >> std::chrono::parse("%FT%TZ", at);\n', "the standard library"),
    (FILE, 'std::sscanf(text, "%4d-%2u-%2uT%2d:%2d:%2d%c", &year, &month, &day, &h, &m, &s, &zone);\n', "scanf"),
    (FILE, 'sscanf(text,\n       "%d-%d-%d", &year, &month, &day);\n', "scanf"),
    (FILE, "if (text[10] != 'T') return {};\n", "by its place"),
    (FILE, "if (t.size() < 20 || t[ 4 ] != '-') return {};\n", "by its place"),
    ("tools/a/a.cpp", "const bool utc = t[19] == 'Z';\n", "by its place"),
    ("src/testserver/a.cpp", "const std::chrono::year_month_day date{std::chrono::year(y), m, d};\n", "from numbers"),
    ("include/kcontrol/watch/impl/a.ipp", "auto m = std::chrono::month(static_cast<unsigned>(month));\n", "from numbers"),
]
CLEAN = {
    READER: "differs = text_[4] ^ '-';\nstd::chrono::year(parts.year);\n",
    FILE: 'const auto at = kcontrol::parse_time(text);  // not strptime(text)\nlog("sscanf(%d)");\n'
          "constexpr auto day = std::chrono::year(2026) / 11 / 26;\nconst std::chrono::year_month_day date(days);\n"
          "if (name[10] == 'x') return;\nstd::sscanf(text, \"%d.%d\", &major, &minor);\n"
          "auto y = std::chrono::year(n);  // times: ok, the year of a report, which is a number\n",
    "tests/values/a_test.cpp": "auto at = timegm(&parts);\n",
}

if __name__ == "__main__":
    lint.main(check, PLANTED, CLEAN, __doc__)
