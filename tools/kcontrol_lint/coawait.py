"""Finds what g++ 12 miscompiles around co_await, by the tokens of a file: what kcontrol-lint and check_coawait.py share.

Forbidden in a full expression with co_await: filled braced initialisers (aggregates are destroyed twice), lambdas that capture
by value (used after free), ?: (destroyed twice), and structured bindings (g++ 15 forgets the hidden object).
Forbidden as well: co_await in the condition of if, while, switch and for. When the coroutine's outermost block declares
no variable, g++ 12.2 lays its frame out wrongly (GCC's PR 106188); one variable more or less must not decide that.
A variable declared in the condition, an init-statement and the range of a for are fine, and so is co_return co_await.
"""
import re

import lint

WORD = re.compile(r"[A-Za-z_]\w*|\d[\w.']*|::|->|&&|\|\||[^\s\w]")
OPEN, CLOSE = {"(": ")", "[": "]", "{": "}"}, {")": "(", "]": "[", "}": "{"}
CONDITION = {"if", "while", "switch", "for", "constexpr"}
# What may follow the closing brace of an initialiser or a lambda, but not that of a block.
CONTINUES = {",", ")", "]", "}", ".", "->", "&&", "||", "+", "-", "*", "/", "?", ":", "=", "<", ">", "|", "(", "[", ";"}


class Source:
    def __init__(self, text):
        code = lint.strip(text)
        code = re.sub(r"^[ \t]*#(?:[^\n\\]|\\\n|\\.)*", lambda m: re.sub(r"[^\n]", " ", m.group(0)), code, flags=re.M)
        found = list(WORD.finditer(code))
        self.words = [m.group(0) for m in found]
        self.code, self.places = code, [m.start() for m in found]
        self.match = {}
        stack = []
        for i, word in enumerate(self.words):
            if word in OPEN:
                stack.append(i)
            elif word in CLOSE and stack and self.words[stack[-1]] == CLOSE[word]:
                self.match[i] = stack[-1]
                self.match[stack.pop()] = i

    def line(self, i):
        return lint.line_of(self.code, self.places[i])

    def word(self, i):
        return self.words[i] if 0 <= i < len(self.words) else ""

    def has_statements(self, brace):
        """Whether a semicolon stands directly between the braces: a block, not an initialiser."""
        i = brace + 1
        while i < self.match.get(brace, 0):
            if self.words[i] == ";":
                return True
            i = self.match.get(i, i) + 1 if self.words[i] in OPEN else i + 1
        return False

    def full_expression(self, at):
        """(first, last, inside a braced list) of the full expression around the co_await at `at`."""
        i, bound, braced = at - 1, len(self.words), False
        while i >= 0:
            word = self.words[i]
            if word == ";":
                break
            if word in CLOSE:
                opening = self.match.get(i, i)
                if word == "}" and self.word(i + 1) not in CONTINUES:
                    break
                if word == "}" and self.word(i + 1) == "(" and self.has_statements(opening):
                    break
                if word == ")" and self.word(opening - 1) in CONDITION:
                    break
                i = opening - 1
                continue
            if word == "(" and self.word(i - 1) in CONDITION:
                bound = self.match.get(i, bound)
                break
            if word == "{":
                if self.has_statements(i):
                    break
                braced = True
            i -= 1
        first, i = i + 1, at
        while i < bound and self.words[i] != ";":
            i = self.match.get(i, i) + 1 if self.words[i] in OPEN else i + 1
        return first, min(i, bound), braced

    def declares(self, first, at):
        """Whether the words from first to at begin a declaration with =: `const auto& x = ... co_await`."""
        return any(self.words[i] == "=" and self.word(i + 1) != "=" and re.fullmatch(r"\w+", self.word(i - 1))
                   and i - 2 >= first and re.fullmatch(r"\w+|[>&*]", self.word(i - 2)) for i in range(first, at))

    def in_condition(self, at):
        """Whether the co_await at `at` is part of the condition of a statement."""
        first, i, semicolons = None, at - 1, 0
        while i >= 0:
            word = self.words[i]
            if word == ";" and first is None:
                first = i + 1
            semicolons += word == ";"
            if word in CLOSE:
                i = self.match.get(i, i) - 1
                continue
            if word == "{":
                return False
            if word == "(" and self.word(i - 1) in CONDITION:
                break
            if word == "(":
                first, semicolons = None, 0
            i -= 1
        else:
            return False
        keyword, first = self.word(i - 1), i + 1 if first is None else first
        end, after = self.match.get(i, at), 0
        j = at
        while j < end:
            after += self.words[j] == ";"
            j = self.match.get(j, j) + 1 if self.words[j] in OPEN else j + 1
        if keyword == "for":
            return semicolons == 1 and after == 1
        return after == 0 and not self.declares(first, at)

    def lambda_at(self, i):
        """(captures, index after its body) if a lambda starts at the bracket at i, else None."""
        before = self.word(i - 1)
        if re.fullmatch(r"\w+|\)|\]", before) and before not in ("return", "co_return", "co_await", "co_yield", "case"):
            return None
        if self.word(i + 1) == "[" or before == "[":
            return None
        end = self.match.get(i, i)
        j = end + 1
        while j < len(self.words) and self.words[j] not in ("{", ";"):
            j = self.match.get(j, j) + 1 if self.words[j] == "(" else j + 1
        return self.words[i + 1:end], self.match.get(j, j) + 1

    def problem(self, at):
        first, last, braced = self.full_expression(at)
        if braced:
            return "co_await inside a braced list"
        if self.in_condition(at):
            return "co_await in a condition"
        i = first
        while i < last:
            word = self.words[i]
            if word == "[":
                if self.word(i - 1) in ("auto", "&", "&&") and self.word(self.match.get(i, i) + 1) in ("=", ":"):
                    return "a structured binding of a co_await"
                found = self.lambda_at(i)
                if found:
                    captures, i = found
                    text = "".join(captures)
                    if text and not all(re.fullmatch(r"&\w*|this", part) for part in text.split(",")):
                        return "a lambda that captures by value beside a co_await"
                    continue
            if word == "?":
                return "?: beside a co_await"
            if word == "{" and self.word(i + 1) != "}":  # tools/clang_pass.py knows which empty ones are aggregates
                return "a braced initialiser beside a co_await"
            i += 1
        return None


def problems(text):
    """(line, what is wrong and the remedy) of each forbidden co_await in the text of a file."""
    if "co_await" not in text:
        return
    source = Source(text)
    for i, word in enumerate(source.words):
        problem = source.problem(i) if word == "co_await" else None
        if problem:
            cure = "name the result first" if "condition" in problem else "name it, then co_await it"
            yield source.line(i), f"{problem}: {cure}"
