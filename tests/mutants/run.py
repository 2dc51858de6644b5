"""Plants one mistake after the other into a copy of the library, and wants the tests to find each.

usage: run.py ROOT --build DIR [--results FILE] [--only TEXT]
DIR: a build of the test programs named below, compiled library by compiled library (KCONTROL_DEVELOPER_MODE=ON); what is
compiled and linked here lies in DIR/mutants. Only the library's file with the mistake is compiled again.
"""
import argparse
import pathlib
import shlex
import shutil
import subprocess
import sys

LIMIT_S = 600  # of a run of a test program: a mistake may be one that never ends

WATCHES = "include/kcontrol/watch/impl/reflector_fsm_watches.ipp"
FAILURES = "include/kcontrol/watch/detail/failure_meaning.hpp"
QUEUE = "include/kcontrol/workqueue/impl/queue_core.ipp"

# What is wrong, the file, what stands there, what stands there instead, the library's file that holds it, and the test
# programs of which one at least must fail.
MUTANTS = [
    ("the last event before the end of a stream is skipped", "include/kcontrol/http/impl/watch_framer.ipp",
     "if (rest.empty() || detail::framer_is_complete(rest)) return watch_frame(rest);",
     "if (rest.empty() || detail::framer_is_complete(rest)) return watch_frame(rest.substr(0, 0));", "http", ["http"]),
    ("a bookmark ends the initial events whatever its annotation says", "include/kcontrol/client/impl/watch_stream.ipp",
     'return value != nullptr && *value == "true";', "return value != nullptr;", "client", ["client", "watch"]),
    ("a list whose version is too large is asked for again", FAILURES,
     "{failure_kind::version_too_large, remedy::list_newest,", "{failure_kind::version_too_large, remedy::again,",
     "watch", ["watch"]),
    ("a watch whose version is too large is opened again, for ever", FAILURES,
     "{failure_kind::version_too_large, remedy::list_newest, remedy::list_newest_later,",
     "{failure_kind::version_too_large, remedy::list_newest, remedy::again,", "watch", ["watch"]),
    ("a watch that is refused with 429 leads to a list", FAILURES,
     "{failure_kind::overloaded, remedy::again, remedy::again,",
     "{failure_kind::overloaded, remedy::again, remedy::list_later,", "watch", ["watch"]),
    ("an expired watch is resumed at its version", FAILURES,
     "{failure_kind::expired, remedy::list_newest, remedy::list,",
     "{failure_kind::expired, remedy::list_newest, remedy::again,", "watch", ["watch"]),
    ("an older version moves a watch back", WATCHES, "    if (went_back(version)) {", "    if (false) {", "watch",
     ["watch"]),
    ("an event does not move a watch on", WATCHES, "    version_ = version;\n", "", "watch", ["watch"]),
    ("what a list no longer holds stays", "include/kcontrol/cache/impl/store.ipp",
     "    detail::compare(state, all, initial, change.events, kept);\n",
     "    detail::compare(state, all, initial, change.events, kept);\n"
     "    std::erase_if(change.events, [](const auto& one) { return one.type == event_type::deleted; });\n",
     "cache", ["cache"]),
    ("a request that comes while it is worked on is forgotten", QUEUE,
     "    if (n.ready) levels_.push(n, lane_of(n));\n}", "}", "workqueue", ["workqueue"]),
    ("a request is given to a second worker while it is worked on", QUEUE,
     "    if (!n.processing) levels_.push(n, lane_of(n));", "    levels_.push(n, lane_of(n));", "workqueue",
     ["workqueue"]),
    ("a delay goes on though its request is ready", QUEUE,
     "    if (n.is_delayed()) delays_.erase(n);\n    n.ready = true;", "    n.ready = true;", "workqueue", ["workqueue"]),
]


class stale(Exception):
    """The table does not fit the code any more."""


def plant(root, folder, file, before, after):
    """A copy of the file with the mistake in it; the folder goes before the library's own."""
    text = (root / file).read_text()
    if text.count(before) != 1:
        raise stale(f"{file} has {text.count(before)} times what is to be replaced: mend the table")
    copy = folder / file
    copy.parent.mkdir(parents=True, exist_ok=True)
    copy.write_text(text.replace(before, after))
    return folder / "include"


def command_of(build, target):
    """How ninja makes a target, as words."""
    listed = subprocess.run(["ninja", "-C", str(build), "-t", "commands", "-s", target], capture_output=True, text=True,
                            check=False)
    if listed.returncode != 0:
        raise stale(f"{build} makes no {target}: {listed.stderr.strip()}")
    return [word for word in shlex.split(listed.stdout) if word not in (":", "&&")]


def compile_command(build, room, include, output):
    """How the library compiles the room's file, with the copy's folder first and another output."""
    words = command_of(build, f"CMakeFiles/kcontrol.dir/src/{room}.cpp.o")
    first = next(i for i, word in enumerate(words) if word.startswith("-"))
    words.insert(first, f"-I{include}")
    for flag, path in (("-o", output), ("-MF", f"{output}.d")):
        words[words.index(flag) + 1] = str(path)
    return words


def link_command(build, program, mutated, output):
    """How the program is linked, with the mutated object before all libraries, of which it so replaces a part."""
    words = command_of(build, f"tests/{program}")
    words[words.index("-o") + 1] = str(output)
    first = next(i for i, word in enumerate(words) if word.endswith(".o"))
    return words[:first] + [str(mutated)] + words[first:]


def is_found(root, build, mutant, folder):
    _, file, before, after, room, rooms = mutant
    include = plant(root, folder, file, before, after)
    mutated = folder / "mutant.o"
    subprocess.run(compile_command(build, room, include, mutated), check=True, cwd=build)
    for one in rooms:
        program = folder / f"test_{one}"
        subprocess.run(link_command(build, f"test_{one}", mutated, program), check=True, cwd=build)
        try:
            run = subprocess.run([str(program), "--no-colors", "--abort-after=1"], cwd=root, timeout=LIMIT_S,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        except subprocess.TimeoutExpired:
            return True
        if run.returncode != 0:
            return True
    return False


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--results", type=pathlib.Path)
    parser.add_argument("--only", default="", help="mutants whose description holds this text")
    arguments = parser.parse_args()
    root, build = arguments.root.resolve(), arguments.build.resolve()
    found = missed = 0
    for mutant in MUTANTS:
        if arguments.only not in mutant[0]:
            continue
        folder = build / "mutants"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        try:
            killed = is_found(root, build, mutant, folder)
        except (stale, subprocess.CalledProcessError) as problem:
            print(f"FAILED: {mutant[0]}: {problem}")
            killed = False
        else:
            print(f"{'found' if killed else 'FAILED: nobody found'}: {mutant[0]}", flush=True)
        found, missed = found + killed, missed + (not killed)
    if arguments.results:
        with arguments.results.open("a") as results:
            results.write(f"{found} {missed} 0\n")
    sys.exit(1 if missed else 0)


main()
