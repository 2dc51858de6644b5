"""What no message of a program may say: the same words twice, because two layers added them."""
import re

TWICE = [
    re.compile(r'(?<![^\s"=])(\S[^"]*?): \1(?=[:" ]|$)'),  # a prefix: "cluster a: cluster a: it is away"
    re.compile(r"(?<!\S)(\S+) \(\1\)"),  # a reason: "Unauthorized (Unauthorized)"
    re.compile(r"\b([a-z]{2,}) \1\b"),
]


def twice(line):
    """The words that the line says twice, or None."""
    for pattern in TWICE:
        if found := pattern.search(line):
            return found[0]
    return None


def check(text):
    for line in text.splitlines():
        if found := twice(line):
            raise AssertionError(f"{found!r} is said twice: {line}")
