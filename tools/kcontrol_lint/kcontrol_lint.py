"""kcontrol-lint: finds what g++ 12 miscompiles around co_await, without a warning.

It reads tokens, so it needs no compiler and no compilation database. See docs/loop.md, "Three traps".
"""
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))  # lint.py, in the source tree; installed, it is here

import coawait  # noqa: E402
import cpp_files  # noqa: E402

USAGE = """usage: kcontrol-lint FILE|FOLDER...

Finds coroutines that g++ 12 miscompiles without a warning: in a full expression with co_await, braced initialisers, lambdas that
capture by value, ?: and structured bindings; and co_await in conditions. Prints FILE:LINE: what is wrong, and the remedy.

  FILE       is read whatever its name
  FOLDER     all C++ files in it and below, except hidden folders and folders with a CMakeCache.txt
  --help, --version

Exit status: 0 clean, 1 something was found, 2 wrong arguments, a file can't be read, or a folder has no C++ file.
"""


class unusable(Exception):
    """The message names the argument and why."""


def files_of(argument):
    path = pathlib.Path(argument)
    if not path.is_dir():
        return [path]
    found = list(cpp_files.below(path))
    if not found:
        raise unusable(f"there is no C++ file in {argument}: nothing was read")
    return found


def text_of(path):
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise unusable(f"{path} can't be read: {error.strerror}") from error


def main(arguments, version="unknown"):
    options = [one for one in arguments if one.startswith("-")]
    if "--help" in options or "-h" in options:
        print(USAGE, end="")
        return 0
    if "--version" in options:
        print(f"kcontrol-lint {version}")
        return 0
    if options:
        print(f"kcontrol-lint: unknown option {options[0]}; see --help", file=sys.stderr)
        return 2
    if not arguments:
        print("kcontrol-lint: a file or a folder is missing, such as `kcontrol-lint src tests`; see --help", file=sys.stderr)
        return 2
    try:
        texts = [(path, text_of(path)) for argument in arguments for path in files_of(argument)]
    except unusable as error:
        print(f"kcontrol-lint: {error}", file=sys.stderr)
        return 2
    found = [f"{path}:{line}: {what}" for path, text in texts for line, what in coawait.problems(text)]
    print("\n".join(found) if found else f"clean: {len(texts)} file{'s' if len(texts) != 1 else ''} read")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[2:], sys.argv[1]))
