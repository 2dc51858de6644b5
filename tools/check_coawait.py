#!/usr/bin/env python3
"""The co_await lint: g++ 12 miscompiles some full expressions that contain co_await, without a warning.

Forbidden in such an expression: filled braced initialisers (aggregates are destroyed twice), lambdas that capture by
value (used after free), ?: (destroyed twice), and structured bindings (g++ 15 forgets the hidden object).
Forbidden as well: co_await in the condition of if, while, switch and for. When the coroutine's outermost block declares
no variable, g++ 12.2 lays its frame out wrongly (GCC's PR 106188); one variable more or less must not decide that.
A variable declared in the condition, an init-statement and the range of a for are fine, and so is co_return co_await.
The cure is the same each time: name it, then co_await it.
usage: check_coawait.py [ROOT] [--self-test]
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
        self.lines = [lint.line_of(code, m.start()) for m in found] if "co_await" in self.words else []
        self.match = {}
        stack = []
        for i, word in enumerate(self.words):
            if word in OPEN:
                stack.append(i)
            elif word in CLOSE and stack and self.words[stack[-1]] == CLOSE[word]:
                self.match[i] = stack[-1]
                self.match[stack.pop()] = i

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


def check(root):
    messages = []
    for path in lint.code_files(root):
        source = Source(path.read_text())
        for i, word in enumerate(source.words):
            problem = source.problem(i) if word == "co_await" else None
            if problem:
                cure = "name the result first" if "condition" in problem else "name it, then co_await it"
                messages.append(f"{path.relative_to(root)}:{source.lines[i]}: {problem}: {cure}")
    return messages


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
