#!/usr/bin/env python3
"""Clang reads every translation unit once: its warnings are errors, and clang-query runs the exact co_await lint.

check_coawait.py reads tokens; this one reads types, so that it sees an empty {} that makes an aggregate with a
destructor, and knows that a lambda whose captures are trivial does no harm. See cpp rules in HACKING.md.
Each is read as its target compiles it, if a build folder with a compilation database is given.
usage: clang_pass.py [ROOT] [--build FOLDER] [--jobs N] [--results FILE] [--self-test]
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

FLAGS = "-std=c++20 -DKCONTROL_SEPARATE_COMPILATION -Wall -Wextra -Wconversion -Wshadow -Werror -Wno-string-conversion".split()
# A temporary with a destructor is a cxxBindTemporaryExpr; that destructor is what g++ 12 runs twice or too early.
AGGREGATE = "anyOf(has(initListExpr()), has(cxxFunctionalCastExpr(has(initListExpr()))), has(lambdaExpr()))"
QUERIES = [
    "set output diag",
    "set bind-root true",
    f"match coawaitExpr(hasDescendant(cxxBindTemporaryExpr({AGGREGATE})))",
    "match coawaitExpr(hasDescendant(cxxStdInitializerListExpr()))",
    "match initListExpr(hasDescendant(coawaitExpr()), unless(hasDescendant(lambdaExpr())))",
    "match conditionalOperator(hasDescendant(coawaitExpr()), unless(hasDescendant(lambdaExpr())))",
    *(f"match {kind}(hasCondition(expr(anyOf(coawaitExpr(), hasDescendant(coawaitExpr())), unless(hasDescendant(lambdaExpr())))))"
      for kind in ("ifStmt", "whileStmt", "doStmt", "switchStmt", "forStmt")),
    "match coawaitExpr(hasDescendant(conditionalOperator(hasType(hasUnqualifiedDesugaredType(recordType())))))",
]
BOUND = re.compile(r'^(/[^:]+):(\d+):\d+: note: "root" binds here$', re.M)


def tool(name):
    for candidate in (f"{name}-14", name):
        if shutil.which(candidate):
            return candidate
    return None


def flags_of(build):
    """{source: what its target adds to the command line} from the compilation database of a build folder."""
    if build is None:
        return {}
    out = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        words = shlex.split(entry["command"])
        flags = []
        for word, after in zip(words, [*words[1:], ""]):
            if word in ("-isystem", "-include"):
                flags += [word, after]
            elif re.match("-[ID].", word):
                flags.append(word)
        out[pathlib.Path(entry["file"])] = flags
    return out


def query(root, source, flags):
    """[message] for one translation unit."""
    command = [tool("clang-query")]
    for text in QUERIES:
        command += ["-c", text]
    includes = flags.get(source) or [f"-I{root}/{folder}" for folder in ("include", "tests", "tools", "src")]
    run = subprocess.run([*command, str(source), "--", *FLAGS, *includes], capture_output=True, text=True)
    output = run.stdout + run.stderr
    messages = []
    if run.returncode != 0 or " error: " in output or "Error while processing" in output:
        messages.append(f"{source}: clang does not accept it\n" + output[:3000])
    for file, line in BOUND.findall(output):
        if pathlib.Path(file).is_relative_to(root):
            messages.append(f"{file}:{line}: g++ 12 miscompiles this co_await: name the temporary or the result first")
    return messages


def check(root, jobs, flags=None):
    # Not those that must not compile, nor those that CMake gives macros of its own.
    sources = [s for d in ("src", "tests", "examples", "bench", "tools") for s in sorted((root / d).rglob("*.cpp"))
               if not {"package", "compile_fail", "crds"} & set(s.relative_to(root).parts)]
    messages, bad = [], 0
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for found in pool.map(lambda s: query(root, s, flags or {}), sources):
            bad += bool(found)
            messages += found
    return sources, bad, sorted(set(messages))


SELF_TEST = """
#include <boost/asio/awaitable.hpp>
#include <functional>
#include <string>
#include <vector>
template <class T> using awaitable = boost::asio::awaitable<T>;
struct opts { std::string label; int n = 0; };
struct trivial { int n; };
awaitable<int> f(opts);
awaitable<int> g(std::vector<std::string>);
awaitable<int> h(std::function<void()>);
awaitable<int> t(trivial);
awaitable<std::string> s();
awaitable<void> coroutine(std::string p, bool c) {
    co_await f({"x", 1});                             // bad
    co_await f(opts{});                               // bad
    co_await g({"a", "b"});                           // bad
    co_await h([p] { (void)p; });                     // bad
    auto x = c ? co_await s() : std::string();        // bad
    auto y = co_await (c ? s() : s());                // bad
    auto z = opts{co_await s(), 1};                   // bad
    if (co_await t({1}) == 2) co_return;              // bad
    while (c && co_await t({1})) c = false;           // bad
    do { c = false; } while (co_await t({1}));        // bad
    switch (co_await t({1})) { default: break; }      // bad
    for (; co_await t({1});) break;                   // bad
    if (const int n = co_await t({1}); n == 2) co_return;
    if (const int n = co_await t({1})) (void)n;
    for (auto ch : co_await s()) (void)ch;
    co_await h([&] { (void)p; });
    co_await t({3});
    co_await t(trivial{c ? 1 : 2});
    opts named{"x", 1};
    co_await f(std::move(named));
    auto lambda = [p] { (void)p; };
    co_await h(lambda);
    std::vector<std::function<awaitable<int>()>> list{[&]() -> awaitable<int> { co_return co_await t({1}); }};
    (void)x, (void)y, (void)z, (void)list;
}
"""


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder).resolve()
        (root / "src").mkdir()
        (root / "src" / "planted.cpp").write_text(SELF_TEST)
        _, _, messages = check(root, 1)
        found = {int(match.group(1)) for m in messages if (match := re.match(r"[^:]+planted.cpp:(\d+):", m))}
        wanted = {n for n, line in enumerate(SELF_TEST.splitlines(), 1) if line.endswith("// bad")}
        (root / "src" / "planted.cpp").write_text("int broken( { return 0; }\n")
        broken = check(root, 1)[1]
    print(f"self-test: found lines {sorted(found)}, planted {sorted(wanted)}, broken files found {broken}")
    if found != wanted:
        print("\n".join(messages))
    return 0 if found == wanted and broken == 1 else 1


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=pathlib.Path, nargs="?", default=pathlib.Path("."))
    parser.add_argument("--build", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--results", type=pathlib.Path)
    parser.add_argument("--self-test", action="store_true")
    arguments = parser.parse_args()
    if tool("clang-query") is None:
        print("skipped: clang-query is not installed")
        if arguments.results:
            arguments.results.open("a").write("0 0 1\n")
        return 0
    if arguments.self_test:
        return self_test()
    sources, bad, messages = check(arguments.root.resolve(), arguments.jobs, flags_of(arguments.build))
    print("\n".join(messages))
    print(f"{len(sources)} translation units, {bad} with problems")
    if arguments.results:
        arguments.results.open("a").write(f"{len(sources) - bad} {bad} 0\n")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
