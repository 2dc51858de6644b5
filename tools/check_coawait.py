#!/usr/bin/env python3
"""The co_await lint over this tree: g++ 12 miscompiles some full expressions that contain co_await, without a warning.
tools/kcontrol_lint/coawait.py says which; users have the same lint as kcontrol-lint.

It reads every C++ file below ROOT but those in folders named `build`, and fails where there is none.
usage: check_coawait.py [ROOT] [--self-test]
"""
import pathlib
import sys

import lint

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "kcontrol_lint"))
import coawait  # noqa: E402
import cpp_files  # noqa: E402


def check(root):
    messages, read = [], 0
    for path in cpp_files.below(root):
        if "build" in path.relative_to(root).parts:
            continue
        read += 1
        messages += [f"{path.relative_to(root)}:{line}: {text}" for line, text in coawait.problems(path.read_text())]
    return messages if read else [f"{root}: there is no C++ file: nothing was read"]


FILE = "include/kcontrol/watch/impl/a.ipp"


def body(code):
    return "awaitable<void> f(int p) {\n    if (p) { g(); }\n    " + code + "\n}\n"


PLANTED = [(FILE, body(code), message) for code, message in [
    ('co_await f(opts{.label = "x"});', "braced initialiser"),
    ("co_await f({a, b});", "braced initialiser"),
    ("auto r = co_await f(std::array<std::string, 2>{a, b});", "braced initialiser"),
    ("h(opts{1}, co_await g());", "braced initialiser"),
    ("std::vector<std::string> v{co_await a(), co_await b()};", "inside a braced list"),
    ("auto v = agg{co_await a()};", "inside a braced list"),
    ("co_await async_initiate([p](auto h) { h(p); }, t);", "captures by value"),
    ("co_await f([&, p = std::move(p)] { return p; });", "captures by value"),
    ("co_await f([=] { return p; });", "captures by value"),
    ("auto s = c ? co_await str() : std::string();", "?:"),
    ("co_await (c ? f() : g());", "?:"),
    ("if (const auto x = co_await f(opts{1})) { g(x); }", "braced initialiser"),
    ("if (co_await f(p)) { g(); }", "condition"),
    ("for (;;) { if (co_await f(p) != 3) co_return; }", "condition"),
    ("if (!co_await f(p)) co_return;", "condition"),
    ("if (int x = p; g(x, co_await f(p))) { g(); }", "condition"),
    ("if (p = co_await f(p)) { g(); }", "condition"),
    ("if (p == co_await f(p)) { g(); }", "condition"),
    ("while (p > 0 && (p == 7 || co_await f(p))) g();", "condition"),
    ("do { g(); } while (co_await f(p));", "condition"),
    ("switch (co_await f(p)) { case 1: break; }", "condition"),
    ("for (int x = 0; co_await f(x); ++x) g();", "condition"),
    ("for (auto x : co_await f({1, 2})) g(x);", "braced initialiser"),
    ("auto [a, b] = co_await g();", "structured binding"),
    ("co_return co_await f(x, opts{1});", "braced initialiser"),
    ("CHECK(co_await f({1}) == 2);", "braced initialiser"),
]]
# Wherever it lies, and where nothing was read.
PLANTED += [(path, body("co_await f({a, b});"), f"{path}:3: a braced initialiser") for path in ("a.cpp", "tools/x/y.cc")]
PLANTED += [({"a.txt": body("co_await f({a, b});")}, "nothing was read"), ({}, "nothing was read")]
CLEAN = {FILE: "".join(body(code) for code in [
    "opts o{.label = x}; co_await f(o);", "auto x = c ? 1 : 2; co_await f(x);",
    "if (auto r = co_await f(x); !r) { y = {1, 2}; }", "while (const auto n = co_await next()) { a = b ? c : d; }",
    "switch (const int n = co_await f()) { case 1: break; }", "for (auto x : {1, 2}) co_await f(x);",
    "if (const auto& r = co_await f(x)) g();", "if (std::vector<int> r = co_await f(x); r.empty()) g();",
    "for (int x = co_await f(); x < 3; ++x) g();", "for (auto x : co_await f()) g(x);", "co_return co_await f(x);",
    "if (g([&]() -> awaitable<int> { co_return co_await f(); })) h();", "if (a) { co_await f(); } else co_await g();",
    "co_await f([&] { return opts{1}; });", "co_await f([](int a) { return a ? 1 : 2; });",
    "co_await f([this] { g(); });", "auto l = [p] { return p; }; co_await f(l);",
    "co_spawn(ex, [&]() -> awaitable<void> { co_await x(); }, detached);",
    "try { co_await f(); } catch (...) { x = opts{1}; } co_await g();",
    "v[co_await f()] = 1; auto s = a[0]; co_await g(s[1]);", "if (x) co_await f(); else co_await g();",
    "do { co_await f(); } while (a ? b : c);", "(void)co_await f(); // co_await f({1})",
    'co_await f("{?}");', "{ co_await f(); }", "opts o{}; { co_await f(); }", "co_await f(x, {}, stop_token{});",
]) + "struct s { int a{}; };\nenum class e { a, b };\n#define X {1} ? \\\n  co_await\n"}

if __name__ == "__main__":
    lint.main(check, PLANTED, CLEAN, __doc__)
