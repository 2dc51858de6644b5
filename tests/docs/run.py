#!/usr/bin/env python3
"""Compiles every C++ block of README.md and docs/, and runs the programs that are marked so. pages.py says how they are marked.

The blocks of a page are one translation unit, over one precompiled header; each program is one of its own, as it stands.
usage: run.py ROOT OUT [--page PART]... [--prefix PREFIX] [--jobs N] [--results FILE] | run.py --self-test
  --page PART      only pages whose path has this in it
  --prefix PREFIX  an installed kcontrol, with which programs marked `run` are built and run; else they are only compiled
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import pages

HERE = pathlib.Path(__file__).resolve().parent
LINT = HERE.parents[1] / "tools/check_coawait.py"
# With a compiler cache, a page is compiled again when it or a header of it changed.
LAUNCHER = [word for word in os.environ.get("CMAKE_CXX_COMPILER_LAUNCHER", "").split(";") if word]
COMPILER = [*LAUNCHER, os.environ.get("CXX", "g++")]
# g++ takes a #line for another file, and warns of coroutines whose types are of one file alone.
FLAGS = "-std=c++20 -O0 -Wall -Wextra -Wconversion -Wshadow -Werror -Wno-subobject-linkage -DKCONTROL_SEPARATE_COMPILATION".split()
# Shown parts need not use all that they name, and may call what they declare as the prelude does. Nothing that they call may be
# dropped: a user copies that.
FRAGMENT_FLAGS = "-Wno-unused-variable -Wno-unused-but-set-variable -Wno-unused-parameter -Wno-shadow -Wshadow=local -Winvalid-pch -fpch-preprocess".split()


def compile_file(source, flags, output):
    """What the compiler says; nothing if all is well."""
    # ccache takes a precompiled header for what it was made of only if told so.
    environment = {**os.environ, "CCACHE_SLOPPINESS": "pch_defines,time_macros"}
    run = subprocess.run([*COMPILER, *FLAGS, *flags, "-c", source, "-o", output], capture_output=True, text=True, env=environment)
    return "" if run.returncode == 0 else run.stderr or f"the compiler ended with status {run.returncode}"


def includes(root):
    """What is installed, and no more: a reader has no other header but those that the page shows."""
    return [f"-I{root / 'include'}"]


def precompile(root, out):
    """The header that all pages have, read once: most of their time would go there."""
    text = compile_file(HERE / "prelude.hpp", [*FRAGMENT_FLAGS, *includes(root), "-x", "c++-header"], out / "prelude.hpp.gch")
    if text:
        sys.exit(f"FAILED: tests/docs/prelude.hpp\n{text[:6000]}")


class job:
    """One thing to compile: `what` is told where it fails."""

    def __init__(self, what, source, flags, runs=False):
        self.what, self.source, self.flags, self.runs = what, source, flags, runs

    def __call__(self):
        return self, compile_file(self.source, self.flags, self.source.with_suffix(".o"))


def jobs_of(root, out, path, blocks):
    """Writes the sources of a page."""
    stem = str(path).replace("/", "_").removesuffix(".md")
    found = []
    if any(one.kind in ("fragment", "declarations") for one in blocks):
        source = out / "src" / f"{stem}.cpp"
        source.write_text(pages.unit(path, blocks))
        found.append(job(str(path), source, [*FRAGMENT_FLAGS, f"-I{out}", f"-I{HERE}", *includes(root)]))
    own = out / "src" / stem
    own.mkdir(exist_ok=True)
    for one in blocks:
        if one.kind == "file":
            (own / one.name).write_text(one.code)
        if one.kind == "program":
            source = out / "src" / f"{stem}_{one.line}.cpp"
            source.write_text(f'#line {one.line} "{path}"\n{one.code}')
            found.append(job(f"{path}:{one.line}", source, [f"-I{own}", *includes(root)], one.run))
    return found


def build_and_run(prefix, out, programs):
    """Of each program that is marked `run`, what went wrong, or nothing."""
    build, names = out / "programs", [one.source.stem for one in programs]
    configure = ["cmake", "-S", HERE, "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}", f"-DSOURCES={out / 'src'}",
                 f"-DPROGRAMS={';'.join(names)}"]
    subprocess.run(configure, check=True)
    subprocess.run(["cmake", "--build", build, "--", "-k", "0"], check=False)
    for one in programs:
        program = build / one.source.stem
        if not program.exists():
            yield one, "it was not built"
            continue
        try:
            run = subprocess.run([program], capture_output=True, text=True, timeout=120)
            yield one, "" if run.returncode == 0 else f"it ended with status {run.returncode}\n{run.stdout}{run.stderr}"
        except subprocess.TimeoutExpired:
            yield one, "it ran for longer than 120 s"


def traps(out):
    """What g++ 12 would miscompile without a warning, at the lines of the pages."""
    run = subprocess.run([sys.executable, LINT, out], capture_output=True, text=True)
    if run.returncode == 0:
        return
    for line in run.stdout.splitlines() or [run.stderr]:
        found = re.match(r"(src/\S+?):(\d+): (.*)", line)
        if not found:
            yield line
            continue
        before = (out / found[1]).read_text().splitlines()[:int(found[2])]
        at = max((number for number, text in enumerate(before) if text.startswith("#line ")), default=None)
        if at is None:
            yield line
        else:
            _, first, path = before[at].split()
            yield f"{path.strip(chr(34))}:{int(first) + len(before) - at - 2}: {found[3]}"


def page_paths(root):
    return ["README.md", *sorted(str(path.relative_to(root)) for path in (root / "docs").rglob("*.md"))]


def check(root, out, parts=(), jobs=2, prefix=None):
    """(passed, failed, texts of notes and failures)"""
    shutil.rmtree(out / "src", ignore_errors=True)
    (out / "src").mkdir(parents=True)
    passed, texts, work, left_out, shown = 0, [], [], [], 0
    for path in page_paths(root):
        if parts and not any(part in path for part in parts):
            continue
        try:
            blocks = pages.read(path, (root / path).read_text())
        except pages.bad_page as error:
            texts.append(f"FAILED: {error}")
            continue
        shown += sum(one.kind != "prelude" for one in blocks)
        left_out += [f"{path}:{one.line}: {one.reason}" for one in blocks if one.kind == "left_out"]
        work += jobs_of(root, out, path, blocks)
    texts += [f"FAILED: {text}" for text in traps(out)]
    fragments = any("-Winvalid-pch" in one.flags for one in work)
    texts.append(f"units: {len(work) + fragments}")
    if fragments:
        precompile(root, out)
    running = [one for one in work if one.runs and prefix]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        done = list(pool.map(lambda one: one(), [one for one in work if one not in running]))
    if running:
        done += build_and_run(prefix, out, running)
    for one, text in done:
        passed += not text
        if text:
            texts.append(f"FAILED: {one.what}\n{text[:6000]}")
    failed = sum(text.startswith("FAILED") for text in texts)
    texts.append(f"note: {shown} blocks, {len(running)} of them run, {len(left_out)} not compiled")
    texts += [f"note: not compiled: {text}" for text in left_out]
    return passed, failed, texts


PLANTED = {  # a page, and what must be said of it
    "```cpp\nno_such_name();\n```\n": "no_such_name",
    "```cpp\n\nco_await f({1, 2});\n```\n": "docs/page.md:3: a braced initialiser",
    "```cpp\nint main() { return no_such_name(); }\n```\n": "no_such_name",
    "```cpp\n#include <kcontrol/no_such_header.hpp>\n```\n": "no_such_header",
    "```cpp\n#include \"pod.hpp\"\nint main() { return 0; }\n```\n": "pod.hpp",
    "<!-- cpp: not compiled: -->\n```cpp\n```\n": "needs a reason",
    "<!-- cpp: declaration -->\n```cpp\n```\n": "is no mark",
    "<!-- cpp: uses nothing -->\n```cpp\n```\n": "no block has the name",
    "- item\n\n  ```cpp\n  no_such_name();\n  ```\n": "no_such_name",
    "text\n\n    f(1);    // in an indented block\n\ntext\n": "docs/page.md:3: an indented block of C++ is not compiled",
    "text\n\n    const auto x = co_await f();\n": "docs/page.md:3: an indented block",
    "text\n\n    http::make_transport_factory(env)\n": "docs/page.md:3: an indented block",
    "```cpp\nf();\n": "is not closed",
    "<!-- cpp: declarations -->\n```cpp\n[[nodiscard]] inline int f() { return 1; }\ninline void g() { f(); }\n```\n": "nodiscard",
    "<!-- cpp: declarations -->\n```cpp\ninline char f(int x) { return x; }\n```\n": "conversion",
    "```cpp\nint x = 1;\n{\n    int x = 2;\n}\n```\n": "shadow",
    "<!-- cpp: declarations -->\n\n```cpp\n```\n": "does not stand directly above",
}
CLEAN = ("text\n\n    cmake -S . -B build && target(kcontrol::kcontrol)\n    DELETE FROM clusters WHERE f(name);\n\n"
         "- item\n\n  <!-- cpp: returns int -->\n  ```cpp\n  return 1;\n  ```\n\n<!-- cpp prelude\nextern int hidden;\n-->\n<!-- cpp: declarations, name first -->\n```cpp\nint f();\n```\n"
         "<!-- cpp: returns int, uses first -->\n```cpp\nreturn f() + hidden;\n```\n"
         "<!-- cpp: not compiled: it is pseudo-code, as said -->\n```cpp\n…\n```\n```cpp\nint main() { return 0; }\n```\n")


def self_test():
    """Wrong pages are found, and a right one is not; a prelude of one line makes it cheap."""
    global HERE
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        HERE = root
        (root / "docs").mkdir()
        (root / "README.md").write_text("")
        (root / "prelude.hpp").write_text("#include <coroutine>\nnamespace kcontrol { template <class T> using result = T; template <class T>"
                                          " struct awaitable { struct promise_type { awaitable get_return_object(); std::suspend_never"
                                          " initial_suspend(); std::suspend_never final_suspend() noexcept; void unhandled_exception();"
                                          " template <class U> void return_value(U); struct none {}; void return_value(none); }; }; }\n")
        for text, expected in PLANTED.items():
            (root / "docs/page.md").write_text(text)
            _, failed, texts = check(root, root / "out")
            if not failed or expected not in "\n".join(texts):
                bad += 1
                print(f"not found: {text!r}\n" + "\n".join(texts))
        (root / "docs/page.md").write_text(CLEAN)
        passed, failed, texts = check(root, root / "out")
        if failed or passed != 2 or not any("1 not compiled" in text for text in texts):
            bad += 1
            print(f"a right page is called wrong: {passed} passed\n" + "\n".join(texts))
    print(f"self-test: {len(PLANTED)} planted pages, {bad} failures")
    return 1 if bad else 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--page", action="append", default=[])
    parser.add_argument("--prefix", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--results", type=pathlib.Path)
    arguments = parser.parse_args()
    passed, failed, texts = check(arguments.root.resolve(), arguments.out.resolve(), arguments.page, arguments.jobs, arguments.prefix)
    print("\n".join(texts))
    print(f"{passed} passed, {failed} failed")
    if arguments.results:
        with arguments.results.open("a") as file:
            file.write(f"{passed} {failed} 0\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
