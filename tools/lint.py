"""What the check_*.py scripts share: reading C++ without its comments and strings, and self-tests."""
import argparse
import pathlib
import re
import sys
import tempfile

CODE_DIRECTORIES = ("include", "src", "examples", "tests", "bench")
SUFFIXES = {".hpp", ".ipp", ".cpp"}

TOKEN = re.compile(r'''//[^\n]*|/\*.*?\*/|R"(?P<tag>[^()\\ ]{0,16})\(.*?\)(?P=tag)"'''
                   r'''|"(?:\\.|[^"\\\n])*"|(?<![0-9a-zA-Z_])'(?:\\.|[^'\\\n])*\'''', re.S)


def blank(match, keep_strings):
    text = match.group(0)
    if keep_strings and not text.startswith("/"):
        return text
    return re.sub(r"[^\n]", " ", text) if "\n" in text else " " * len(text)


def strip(text, keep_strings=False):
    """The code with comments (and strings) blanked out; every line keeps its number."""
    return TOKEN.sub(lambda match: blank(match, keep_strings), text)


def code_files(root, directories=CODE_DIRECTORIES):
    for directory in directories:
        for path in sorted((root / directory).rglob("*")):
            if path.suffix in SUFFIXES and path.is_file() and "build" not in path.relative_to(root).parts:
                yield path


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def main(check, planted, clean, description):
    """Runs `check(root) -> [message]` on a tree, or on trees it must find wrong (planted) and right (clean).

    planted: [(path, text, part of the expected message)] or [({path: text}, part)]; each is a tree of its own.
    clean: {path: text}; all together must give no message.
    """
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("root", type=pathlib.Path, nargs="?", default=pathlib.Path("."))
    parser.add_argument("--self-test", action="store_true", help="find planted violations in a temporary tree")
    arguments = parser.parse_args()
    if arguments.self_test:
        sys.exit(self_test(check, planted, clean))
    messages = check(arguments.root.resolve())
    print("\n".join(messages) if messages else "clean")
    sys.exit(1 if messages else 0)


def self_test(check, planted, clean):
    failures = 0
    for number, (*tree, expected) in enumerate(planted):
        files = tree[0] if len(tree) == 1 else {tree[0]: tree[1]}
        messages = check_tree(check, files)
        if not any(expected in message for message in messages):
            failures += 1
            print(f"planted violation {number} in {sorted(files)} was not found (wanted {expected!r}, got {messages})")
    messages = check_tree(check, clean)
    if messages:
        failures += 1
        print("a clean tree was called bad: " + "; ".join(messages))
    print(f"self-test: {len(planted)} planted violations, {failures} failures")
    return 1 if failures else 0


def check_tree(check, files):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for path, text in files.items():
            file = root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        return check(root)
