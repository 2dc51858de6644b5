#!/usr/bin/env python3
"""The lint for deadlines: no test gives up before a minute of real time has passed, and none sleeps to wait.

A deadline is for what is broken, not for what is slow: a machine ten times slower than ours must not miss it. Where a
test passes, a long one costs nothing. Found in Python are numbers below 60 s
  - as time-outs of the standard library's calls, and as `timeout=` and `deadline=` of any;
  - as arguments and defaults of functions of the tests that hand them on to such a call, as wait.until() does;
  - that are added to a clock, or that a time which has passed is compared with;
  - in constants that are called DEADLINE, TIMEOUT or PATIENCE;
  - of `--timeout`, `--request-timeout`, `--connect-timeout`, `--max-time` and of the command `timeout`, and
    `kubectl wait` without the first, which gives up after 30 s;
and every sleep outside tests/e2e/wait.py. Holding for a time (wait.stable) is no deadline.

Found in C++, where the clock is the system's, are durations below 60 s
  - as arguments of run_for(), run_one_for(), read_some(), close(), wait_for() and wait_until() of a lock, and of the
    tests' own functions that take a `duration`;
  - as settings that are called deadline, timeout, idle or patience;
  - that are added to now(), or that are more than what has passed (`now() - begun < 5s`);
  - as defaults of parameters and values of constants of the type `duration`;
  - of `--timeout` and its like in strings, and as milliseconds of poll();
and every sleep of a thread. On a virtual clock any duration is right. Clocks are known by the names of types: REAL and
VIRTUAL below, and each class of a test, or of a header that it includes, that names one of them. A file without a real
clock has no findings but run_one_for(), poll() and sleeps. In a file that names a virtual clock only those functions,
classes and test cases are looked at that name a real one.

usage: check_deadlines.py [ROOT] [--self-test]
A line may carry the comment "measures: REASON", or have it on the line above, in C++ above its statement: for a test
that promises users a time, that provokes the time-out, or whose subject is the time itself. A comment that excuses
nothing is found, too. A time-out that is provoked must not be one that a slow machine provokes before its turn.
"""
import ast
import copy
import functools
import io
import os
import re
import tokenize

import lint

LEAST_S = 60
NAMED = re.compile(r"deadline|timeout|patience", re.I)
KEYWORDS = ("timeout", "deadline")
# Function: the place of its time-out among the positional arguments.
POSITIONS = {"wait": 0, "join": 0, "result": 0, "Timer": 0, "settimeout": 0, "setdefaulttimeout": 0, "alarm": 0,
             "wait_for": 1, "communicate": 1, "create_connection": 1, "get": 1, "acquire": 1, "urlopen": 2,
             "HTTPConnection": 2, "select": 3}
NO_DEADLINE = ("stable",)
CLOCKS = ("monotonic", "time", "perf_counter")
UNITS = {"ms": 0.001, "s": 1, "": 1, "m": 60, "h": 3600}
OPTION = re.compile(r"--(?:timeout|request-timeout|connect-timeout|max-time)")
OPTION_WITH_TIME = re.compile(OPTION.pattern + r"[= ]((?:\d+(?:\.\d+)?(?:ms|s|m|h)?)+)(?![\w.])")
COMMAND = re.compile(r"(?:^|(?<=[;&|])|(?<=[;&|] ))timeout (?:-[ks] \S+ |-\S+ )*(\d+(?:\.\d+)?[smh]?) ", re.M)
TIME = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|)")
EXCUSE = re.compile(r"#\s*measures:\s*(.*)")


def seconds(text):
    """Those of a duration as programs take it, None if it is none."""
    if not re.fullmatch(f"(?:{TIME.pattern})+", text):
        return None
    return sum(float(number) * UNITS[unit] for number, unit in TIME.findall(text))


def named(node):
    """The name of a variable, or of a member without what it belongs to; else nothing."""
    return getattr(node, "id", None) or getattr(node, "attr", "")


def called(call):
    return named(call.func)


def asks_clock(node):
    """time.monotonic(), or monotonic()."""
    return isinstance(node, ast.Call) and not node.args and called(node) in CLOCKS


def parameters(function):
    """Names of the arguments after self."""
    every = [a.arg for a in [*function.args.posonlyargs, *function.args.args]]
    return every[1:] if every[:1] in (["self"], ["cls"]) else every


def assignments(node):
    """[(target, value)], also of `A, B = 1, 2`."""
    pairs = []
    for target in node.targets:
        targets = target.elts if isinstance(target, ast.Tuple) else [target]
        if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple) and len(targets) == len(node.value.elts):
            pairs += zip(targets, node.value.elts)
        else:
            pairs += [(each, node.value) for each in targets]
    return pairs


@functools.cache
def nodes_of(tree):
    """All of a file's, or of a function's: each round asks for them again."""
    return list(ast.walk(tree))


@functools.cache
def paces_of(tree):
    """Calls that say how often something is looked at, not for how long: `while not done.wait(0.1)`."""
    return {call for node in nodes_of(tree) if isinstance(node, ast.While) for call in ast.walk(node.test)
            if isinstance(call, ast.Call) and called(call) in ("wait", "select")}


@functools.cache
def functions_of(tree):
    return [node for node in nodes_of(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]


class File:
    def __init__(self, name, text):
        self.name, self.tree = name, ast.parse(text)
        self.constants = {}
        for node in self.tree.body:
            for target, value in assignments(node) if isinstance(node, ast.Assign) else []:
                self.constants[named(target)] = self.number(value)
        self.excuses, self.alone = {}, set()
        for token in tokenize.generate_tokens(io.StringIO(text).readline) if EXCUSE.search(text) else []:
            found = EXCUSE.search(token.string) if token.type == tokenize.COMMENT else None
            if found:
                self.excuses[token.start[0]] = found[1].strip()
                if not token.line[:token.start[1]].strip():
                    self.alone.add(token.start[0])
        self.used, self.found = set(), []
        every = [pair for node in nodes_of(self.tree) if isinstance(node, ast.Assign) for pair in assignments(node)]
        self.moments = {named(target) for target, value in every if asks_clock(value)}
        self.passed = {"took", "seconds", "elapsed"} | {
            target.id for target, value in every
            if isinstance(target, ast.Name) and any(map(self.is_passed, ast.walk(value)))}

    def is_moment(self, node):
        """What a clock says or has said."""
        return asks_clock(node) or named(node) in self.moments

    def is_passed(self, node):
        """A time that has passed: of two moments the second less the first."""
        return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub) and self.is_moment(node.left)

    def is_later(self, node):
        """A moment, and so much later."""
        return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and self.is_moment(node.left)

    def number(self, node):
        """The value of an expression of numbers and constants of this file; of a choice the least that waits."""
        if isinstance(node, ast.Constant):
            return node.value if type(node.value) in (int, float) else None
        if isinstance(node, ast.Name):
            return self.constants.get(node.id)
        if isinstance(node, ast.IfExp):
            each = [v for v in map(self.number, (node.body, node.orelse)) if v]
            return min(each, default=None)
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub, ast.Mult, ast.Div)):
            left, right = self.number(node.left), self.number(node.right)
            if left is None or right is None or (isinstance(node.op, ast.Div) and not right):
                return None
            return {ast.Add: left + right, ast.Sub: left - right, ast.Mult: left * right,
                    ast.Div: left / right if right else 0}[type(node.op)]
        return None

    def report(self, node, what):
        line = node.lineno
        for place in (line, line - 1):
            if self.excuses.get(place) and (place == line or place in self.alone):
                self.used.add(place)
                return
        self.found.append((line, what))

    def bound(self, node, where):
        """`node` is a deadline. Zero is a question, not a deadline."""
        value = self.number(node)
        if value and 0 < value < LEAST_S:
            self.report(node, f"a deadline of {value:g} s ({where})")

    def own(self, name, known):
        """{(parameter, its place)} of the deadlines that a function of the tests takes: of this file's, or of any."""
        return known.get((self.name, name)) or known.get(name) or set()

    def deadlines(self, call, known):
        """The arguments of a call that are deadlines."""
        name = called(call)
        own = self.own(name, known)
        if name in NO_DEADLINE:
            return
        for keyword in call.keywords:
            if keyword.arg in {*KEYWORDS, *(parameter for parameter, _ in own)}:
                yield keyword.value
        places = {place for _, place in own}
        # dict.get(name, default) has no time, queue.get(True, seconds) has; and nothing is handed on to str.join().
        blocks = name not in ("get", "acquire") or (call.args and getattr(call.args[0], "value", None) is True)
        if name in POSITIONS and blocks:
            places.add(POSITIONS[name])
        for place in places - {None}:
            if place < len(call.args) and (name != "join" or self.number(call.args[place])):
                yield call.args[place]

    @functools.cache
    def waiting(self, function):
        """(the function's calls, the names that it adds to a clock)"""
        paces, calls, added = paces_of(function), [], set()
        for node in nodes_of(function):
            if isinstance(node, ast.Call) and node not in paces:
                calls.append(node)
            elif self.is_later(node):
                added |= {name.id for name in ast.walk(node.right) if isinstance(name, ast.Name)}
        return calls, added

    def taken(self, function, known):
        """{(parameter, its place)} of those parameters that the function uses as deadlines."""
        places = [*((name, at) for at, name in enumerate(parameters(function))),
                  *((argument.arg, None) for argument in function.args.kwonlyargs)]
        calls, used = self.waiting(function)
        used = used | {argument.id for call in calls for argument in self.deadlines(call, known)
                       if isinstance(argument, ast.Name)}
        return {(name, place) for name, place in places if name in used}

    def check(self, known):
        docstrings, paces = set(), paces_of(self.tree)
        for node in nodes_of(self.tree):
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                docstrings.add(node.value)
        for function in functions_of(self.tree):
            self.check_defaults(function, known)
        for node in nodes_of(self.tree):
            if isinstance(node, ast.Call) and node not in paces:
                self.check_call(node, known)
            elif self.is_later(node):
                self.bound(node.right, "added to a clock")
            elif isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.Lt, ast.LtE, ast.Gt, ast.GtE)):
                self.check_passed(node.left, node.comparators[0])
                self.check_passed(node.comparators[0], node.left)
            elif isinstance(node, ast.Assign):
                for target, value in assignments(node):
                    if NAMED.search(named(target)):
                        self.bound(value, named(target))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in docstrings:
                self.check_text(node)
            elif isinstance(node, (ast.List, ast.Tuple)):
                self.check_words(node.elts)
        for line, reason in self.excuses.items():
            if not reason:
                self.found.append((line, "measures what? The comment has no reason"))
            elif line not in self.used:
                self.found.append((line, "nothing here needs the comment \"measures\""))
        return [f"{self.name}:{line}: {what}" for line, what in sorted(set(self.found))]

    def check_defaults(self, function, known):
        own = {*KEYWORDS, *(parameter for parameter, _ in self.own(function.name, known))}
        arguments = function.args
        every = [*arguments.posonlyargs, *arguments.args]
        pairs = [*zip(every[len(every) - len(arguments.defaults):], arguments.defaults),
                 *zip(arguments.kwonlyargs, arguments.kw_defaults)]
        for argument, default in pairs:
            if default is not None and argument.arg in own and function.name not in NO_DEADLINE:
                self.bound(default, f"the default of {argument.arg} of {function.name}")

    def check_call(self, call, known):
        name = called(call)
        if name == "sleep":
            self.report(call, "a sleep outside tests/e2e/wait.py")
        for argument in self.deadlines(call, known):
            self.bound(argument, name)
        if name.startswith(("assertLess", "assertGreater")) and len(call.args) > 1:
            self.check_passed(*call.args[:2] if name.startswith("assertLess") else call.args[1::-1])
        self.check_words(call.args)

    def check_passed(self, left, right):
        if any(self.is_passed(part) or named(part) in self.passed for part in ast.walk(left)):
            self.bound(right, "for a time that has passed")

    def check_text(self, node):
        for pattern in (OPTION_WITH_TIME, COMMAND):
            for match in pattern.finditer(node.value):
                self.check_seconds(node, match[1], match[0].strip())

    def check_words(self, nodes):
        """Two words of a command line."""
        texts = [node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else "" for node in nodes]
        for at, (text, following) in enumerate(zip(texts, texts[1:])):
            if OPTION.fullmatch(text) or (text == "timeout" and at == 0):
                self.check_seconds(nodes[at + 1], following, f"{text} {following}")
        has = lambda option: any(text.startswith(option) for text in texts)
        if "wait" in texts and has("--for") and not has("--timeout"):
            self.report(nodes[texts.index("wait")], "a deadline of 30 s (wait --for without --timeout)")

    def check_seconds(self, node, text, what):
        value = seconds(text)
        if value and value < LEAST_S:
            self.report(node, f"a deadline of {value:g} s ({what})")


# C++
REAL = {"system_environment", "steady_clock", "system_clock", "condition_variable", "steady_timer"}
VIRTUAL = {"manual_environment", "sim_world", "sim_context", "sim_network"}
CPP_UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 0.001, "s": 1, "min": 60, "h": 3600, "nanoseconds": 1e-9,
             "microseconds": 1e-6, "milliseconds": 0.001, "seconds": 1, "minutes": 60, "hours": 3600}
DURATION = (r"(?:(?:std::)?(?:chrono::)?(?P<type>(?:nano|micro|milli)?seconds|minutes|hours)[({](?P<of>[\d.']+)[)}]"
            r"|(?<![\w.])(?P<number>[\d.']+)(?P<unit>ns|us|ms|s|min|h)\b)")
ALWAYS_REAL = {"run_one_for"}
TAKES_DURATION = {"run_for", "read_some", "close", "wait_for", "wait_until", *ALWAYS_REAL}
SETTING = re.compile(r"\w*(?:deadline|timeout|idle|patience)\w*|http2_ping")
TYPE = re.compile(r"^(?:class|struct) (\w+)(?: final)?(?: :[^{;]*)?\s*\{", re.M)
TAKER = re.compile(r"\b(\w+)(?: = \[[^\]]*\])?\((?:[^(){};]|\([^()]*\))*?(?<!wall_time::)\bduration \w+"
                   r"(?: = [^,{};]*?)?[,)][^;{}]*\{")
CALL = re.compile(r"(\w+)\(")
OTHERS = [(re.compile(r"\bnow\(\) \+ " + DURATION), "added to a clock"),
          (re.compile(r"\bduration (\w+) = " + DURATION + r"(?=[;,)])"), "a duration of that value"),
          (re.compile(r"<=? " + DURATION), "for a time that has passed"),
          (re.compile(DURATION + r" >"), "for a time that has passed")]
SLEEP = re.compile(r"this_thread::sleep_\w+|\busleep\(|\bnanosleep\(|(?<![\w>])::sleep\(|\bpoll\(nullptr")
POLL = re.compile(r"\bpoll\([^;]*?, (\d+)\)")
CPP_EXCUSE = re.compile(r"//\s*measures:\s*(.*)")


def cpp_seconds(match):
    return float((match["of"] or match["number"]).replace("'", "")) * CPP_UNITS[match["type"] or match["unit"]]


def arguments(text, begin):
    """[(place, argument)] of the call whose parenthesis is at `begin`."""
    depth, start = 0, begin + 1
    for at in range(begin, len(text)):
        if text[at] in "([{":
            depth += 1
        elif text[at] in ")]}":
            depth -= 1
            if depth == 0:
                yield start, text[start:at]
                return
        elif text[at] == "," and depth == 1:
            yield start, text[start:at]
            start = at + 1


def blocks(code):
    """[(place, text)] of the definitions of a file: each ends with a line that is not indented."""
    begin = 0
    for end in re.finditer(r"^(?:\}.*|\S.*[;}])$", code, re.M):
        yield begin, code[begin:end.end()]
        begin = end.end()
    yield begin, code[begin:]


def words(text):
    return set(re.findall(r"\w+", text))


class Cpp:
    def __init__(self, name, text):
        self.name, self.text, self.with_strings = name, text, lint.strip(text, True)
        self.code = re.sub(r"^#.*", lambda m: " " * len(m[0]), lint.strip(text), flags=re.M)
        self.blocks, self.words = list(blocks(self.code)), words(self.code)
        self.types = {found[1]: words(block) for _, block in self.blocks for found in TYPE.finditer(block)}
        self.takers = {found[1] for found in TAKER.finditer(self.code)} - {"for", "if", "while", "sleep_for"}
        self.excuses = {}
        for number, line in enumerate(text.split("\n"), 1):
            if found := CPP_EXCUSE.search(line):
                self.excuses[number] = (found[1].strip(), line.lstrip().startswith("//"))
        self.used, self.found = set(), []

    def included(self, files):
        """This file and the headers of the tests that it includes."""
        seen, todo = {}, [self]
        while todo:
            file = todo.pop()
            if file.name in seen:
                continue
            seen[file.name] = file
            for header in re.findall(r'^#include ["<]([^">]+)[">]', file.text, re.M):
                for place in (os.path.normpath(f"{os.path.dirname(file.name)}/{header}"), f"tests/{header}"):
                    if place in files:
                        todo.append(files[place])
                        break
        return seen.values()

    def clocks(self, all_types, names):
        """`names`, and the types that hold one."""
        names, before = set(names), None
        while names != before:
            before = set(names)
            names |= {name for name, body in all_types if body & before}
        return names

    def report(self, at, what):
        line = lint.line_of(self.code, at)
        statement = re.search(r"[^;{}]*$", self.code[:at])
        first = lint.line_of(self.code, statement.end() - len(statement[0].lstrip()))
        for place in (line, line - 1, first - 1):
            if place in self.excuses and (place == line or self.excuses[place][1]):
                self.used.add(place)
                return
        self.found.append((line, what))

    def bound(self, at, value, where):
        if 0 < value < LEAST_S:
            self.report(at, f"a deadline of {value:g} s ({where})")

    def check(self, files):
        every = self.included(files)
        types = [one for file in every for one in file.types.items()]
        virtual = self.clocks(types, VIRTUAL)
        real = self.clocks([(n, body) for n, body in types if not body & VIRTUAL or body & REAL], REAL)
        is_real = any(file.words & real for file in every)
        takers = set().union(*(file.takers for file in every))
        for begin, block in self.blocks:
            looked_at = is_real and (words(block) & real or not words(block) & virtual)
            self.check_calls(begin, block, takers | TAKES_DURATION if looked_at else ALWAYS_REAL, looked_at)
            if looked_at:
                for pattern, what in OTHERS:
                    for match in pattern.finditer(block):
                        self.bound(begin + match.start(), cpp_seconds(match), what)
                for match in OPTION_WITH_TIME.finditer(self.with_strings, begin, begin + len(block)):
                    if value := seconds(match[1]):
                        self.bound(match.start(), value, match[0])
        for match in SLEEP.finditer(self.code):
            self.report(match.start(), "a sleep")
        for match in POLL.finditer(self.code):
            if "nullptr" not in match[0]:
                self.bound(match.start(), int(match[1]) / 1000, "poll")
        for line, (reason, _) in self.excuses.items():
            if not reason:
                self.found.append((line, "measures what? The comment has no reason"))
            elif line not in self.used:
                self.found.append((line, "nothing here needs the comment \"measures\""))
        return [f"{self.name}:{line}: {what}" for line, what in sorted(set(self.found))]

    def check_calls(self, begin, block, takers, settings):
        for call in CALL.finditer(block):
            # Whose result is dropped waits as often as its caller likes.
            dropped = call[1] == "run_one_for" and re.match(r"[^;()]*\);", block[call.end():])
            if dropped or call[1] not in takers and not (settings and SETTING.fullmatch(call[1])):
                continue
            for at, argument in arguments(block, call.end() - 1):
                # Of `late ? 20ms : 1min` both.
                for match in re.finditer(r"(?:^\s*|[?:] |\bduration\()" + DURATION + r"(?=\)?\s*(?:$| :))", argument):
                    self.bound(begin + at + match.end() - 1, cpp_seconds(match), call[1])


def check_cpp(root):
    files = {}
    for path in lint.code_files(root, ("tests",)):
        name = path.relative_to(root).as_posix()
        files[name] = Cpp(name, path.read_text())
    return [message for file in files.values() for message in file.check(files)]


def check(root):
    return check_python(root) + check_cpp(root)


def check_python(root):
    files = []
    for path in sorted((root / "tests").rglob("*.py")):
        name = path.relative_to(root).as_posix()
        files.append(File(name, path.read_text()))
    # Who hands a parameter on to such a function is one itself: until nothing is new.
    known, before = {}, None
    while known != before:
        before = copy.deepcopy(known)
        for file in files:
            for function in functions_of(file.tree):
                if function.name not in NO_DEADLINE and (taken := file.taken(function, before)):
                    known.setdefault((file.name, function.name), set()).update(taken)
                    known.setdefault(function.name, set()).update(taken)
    messages = []
    for file in files:
        found = file.check(known)
        messages += [m for m in found if file.name != "tests/e2e/wait.py" or "a sleep outside" not in m]
    return messages


FILE, WAIT = "tests/e2e/test_a.py", "tests/e2e/wait.py"
UNTIL = """import time
DEADLINE = 90.0
def until(what, probe, deadline=DEADLINE, every=0.1):
    end = time.monotonic() + deadline
    while time.monotonic() < end and not probe():
        time.sleep(every)
def stable(probe, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end and probe():
        time.sleep(0.1)
"""
CPP, FIXTURE = "tests/a/a_test.cpp", "tests/a/fixture.hpp"
SYSTEM = "system_environment env;\n"
LOOPBACK = "class loopback {\n    system_environment env;\n};\n"
READER = "inline awaitable<void> read_all(body& b, duration idle = 1min) {\n}\n"
NET = '#include "a/fixture.hpp"\n'
BENCH = "struct bench {\n    testing::manual_environment env;\n    void f(duration d = 5s);\n};\n"
PLANTED = [
    (FILE, "subprocess.run(command, timeout=30)\n", "a.py:1: a deadline of 30 s (run)"),
    (FILE, "subprocess.run(\n    command,\n    timeout=30)\n", "a.py:3: a deadline of 30 s (run)"),
    (FILE, "process.communicate(timeout=5)\n", "5 s (communicate)"),
    (FILE, "urllib.request.urlopen(url, timeout=5)\n", "5 s (urlopen)"),
    (FILE, "http.client.HTTPConnection(host, port, timeout=5)\n", "5 s (HTTPConnection)"),
    (FILE, "socket.create_connection(address, 5)\n", "5 s (create_connection)"),
    (FILE, "connection.settimeout(0.5)\n", "0.5 s (settimeout)"),
    (FILE, "lines.get(timeout=5)\n", "5 s (get)"),
    (FILE, "lines.get(True, 5)\n", "5 s (get)"),
    (FILE, "process.wait(10)\n", "10 s (wait)"),
    (FILE, "thread.join(10)\n", "10 s (join)"),
    (FILE, "future.result(10)\n", "10 s (result)"),
    (FILE, "threading.Timer(10, process.kill)\n", "10 s (Timer)"),
    (FILE, "ready = select.select([one], [], [], 5)\n", "5 s (select)"),
    (FILE, "SOON = 5\nprocess.wait(2 * SOON + 1)\n", "a.py:2: a deadline of 11 s"),
    (FILE, "DEADLINE = 30\n", "30 s (DEADLINE)"),
    (FILE, "OTHER, READ_TIMEOUT = 90, 30\n", "30 s (READ_TIMEOUT)"),
    (FILE, "class A:\n    timeout = 30\n", "30 s (timeout)"),
    (FILE, "page.until('it', what, timeout=5)\n", "5 s (until)"),
    ({WAIT: UNTIL, FILE: "wait.until('it', probe, 30)\n"}, "a.py:1: a deadline of 30 s (until)"),
    ({WAIT: UNTIL, FILE: "wait.until('it', probe, deadline=30)\n"}, "30 s (until)"),
    ({WAIT: UNTIL, FILE: "from wait import until\nuntil('it', probe, 30)\n"}, "30 s (until)"),
    ({WAIT: UNTIL.replace("90.0", "20")}, "wait.py:2: a deadline of 20 s (DEADLINE)"),
    # What hands a deadline on.
    ({WAIT: UNTIL, FILE: "def told(self, what, limit=20):\n    wait.until(what, probe, limit)\n"},
     "20 s (the default of limit of told)"),
    ({WAIT: UNTIL, FILE: "class A:\n    def told(self, what, limit):\n        wait.until(what, probe, limit)\n"
                         "    def both(self, limit):\n        self.told('a', limit)\na.both(20)\n"},
     "a.py:6: a deadline of 20 s (both)"),
    ({WAIT: UNTIL, FILE: "def told(what, limit):\n    wait.until(what, probe, limit)\ntold('b', limit=30)\n"},
     "a.py:3: a deadline of 30 s (told)"),
    # By hand.
    (FILE, "end = time.monotonic() + 10\n", "10 s (added to a clock)"),
    (FILE, "end = time.time() + (30 if slow else 0)\n", "30 s (added to a clock)"),
    (FILE, "begin = time.monotonic()\nwhile time.monotonic() < begin + 10:\n    pass\n", "10 s (added to a clock)"),
    (FILE, "def told(seconds=30):\n    end = time.monotonic() + seconds\n", "30 s (the default of seconds of told)"),
    (FILE, "if time.monotonic() - begin > 30:\n    raise\n", "30 s (for a time that has passed)"),
    (FILE, "self.assertLess(time.monotonic() - begin, 2)\n", "2 s (for a time that has passed)"),
    (FILE, "self.assertGreater(2, time.monotonic() - begin)\n", "2 s (for a time that has passed)"),
    (FILE, "delay = time.monotonic() - begin\nself.assertLess(max(delay, other), 2)\n", "a.py:2: a deadline of 2 s"),
    (FILE, "begin = time.time()\nend = time.time()\nself.assertLessEqual(end - begin, 2)\n", "a.py:3: a deadline"),
    (FILE, "status, seconds = running.stop()\nself.assertLess(seconds, 1)\n", "a.py:2: a deadline of 1 s"),
    (FILE, "time.sleep(1)\n", "a sleep"),
    (FILE, "from time import sleep\nsleep(1)\n", "a.py:2: a sleep"),
    (FILE, "for _ in range(50):\n    if probe():\n        break\n    time.sleep(0.1)\n", "a.py:4: a sleep"),
    # On command lines.
    (FILE, "kubectl('wait', '--for=condition=Ready', 'pod/a', '--timeout=30s')\n", "30 s (--timeout=30s)"),
    (FILE, "kubectl('wait', 'a', '--for=delete', '--timeout', '1m30s', '--request-timeout', '500ms')\n", "0.5 s"),
    (FILE, "kubectl('wait', '--for=condition=Ready', 'pod/a')\n", "30 s (wait --for without --timeout)"),
    (FILE, "run(['curl', '--max-time', '10', url])\n", "10 s (--max-time 10)"),
    (FILE, "run(f'curl --max-time 10 {url}', shell=True)\n", "10 s (--max-time 10)"),
    (FILE, "run(['timeout', '30', program])\n", "30 s (timeout 30)"),
    (FILE, "run('cd a; timeout -k 5 30s program', shell=True)\n", "a deadline of 30 s"),
    # The comment.
    (FILE, "process.wait(10)  # measures:\n", "measures what?"),
    (FILE, "process.wait(10)  # measures:\n", "10 s (wait)"),
    (FILE, "process.wait(90)  # measures: it ends at once\n", "nothing here needs"),
    (FILE, "process.wait(10)  # measures: it ends at once\nprocess.wait(20)\n", "a.py:2: a deadline of 20 s"),
    (FILE, "text = '# measures: no comment'\nprocess.wait(20)\n", "a.py:2: a deadline of 20 s"),
    ("tests/docs/run.py", "process.wait(10)\n", "tests/docs/run.py:1: a deadline of 10 s"),
    # C++.
    (CPP, SYSTEM + "void f() {\n    context.run_for(5s);\n}\n", "a_test.cpp:3: a deadline of 5 s (run_for)"),
    (CPP, SYSTEM + "void f() {\n    get(http::options().deadline(std::chrono::milliseconds(20)));\n}\n",
     "0.02 s (deadline)"),
    (CPP, SYSTEM + "void f() {\n    co_await body.read_some(\n        buffer, 1'500ms, {});\n}\n",
     "cpp:4: a deadline of 1.5 s"),
    (CPP, SYSTEM + "void f() {\n    changed.wait_for(lock, 30s, [&] { return done; });\n}\n", "30 s (wait_for)"),
    (CPP, SYSTEM + "void f() {\n    const auto limit = env.now() + 10s;\n}\n", "10 s (added to a clock)"),
    (CPP, SYSTEM + "void f() {\n    CHECK(env.now() - begun < 900ms);\n}\n", "0.9 s (for a time that has passed)"),
    (CPP, SYSTEM + "void f(duration patience = 10s);\n", "10 s (a duration of that value)"),
    (CPP, SYSTEM + "static constexpr duration patience = 30s;\n", "30 s (a duration of that value)"),
    (CPP, SYSTEM + "bool until(const std::function<bool()>& done, duration limit) {\n}\nbool b = until([] {}, 5s);\n",
     "5 s (until)"),
    (CPP, SYSTEM + "void f() {\n    const auto ask = [&](duration time) {\n    };\n    ask(30ms);\n}\n",
     "0.03 s (ask)"),
    (CPP, SYSTEM + "void f() {\n    options.idle_timeout(late ? 20ms : 1min);\n}\n", "0.02 s (idle_timeout)"),
    (CPP, SYSTEM + "void f() {\n    run({\"kubectl\", \"wait\", \"--timeout=5s\"});\n}\n", "5 s (--timeout=5s)"),
    (CPP, "void f() {\n    while (!done) REQUIRE(context.run_one_for(10s) != 0);\n}\n", "10 s (run_one_for)"),
    (CPP, "void f() {\n    ::poll(&one, 1, 5000);\n}\n", "5 s (poll)"),
    (CPP, "void f() {\n    std::this_thread::sleep_for(5ms);\n}\n", "a sleep"),
    (CPP, "void f() {\n    ::poll(nullptr, 0, 5);\n}\n", "a sleep"),
    # The clock is in a header, and beside a virtual one in the same file.
    ({FIXTURE: LOOPBACK, CPP: NET + "TEST_CASE(\"a\") {\n    loopback net;\n    net.context.run_for(5s);\n}\n"},
     "cpp:4: a deadline of 5 s"),
    ({FIXTURE: LOOPBACK + READER, CPP: NET + "void f() {\n    read_all(body, 5s);\n}\n"}, "5 s (read_all)"),
    ({FIXTURE: LOOPBACK, CPP: NET + BENCH + "TEST_CASE(\"a\") {\n    loopback net;\n    net.context.run_for(5s);\n}\n"},
     "5 s (run_for)"),
    ({FIXTURE: LOOPBACK, CPP: NET + BENCH + "struct more : loopback {\n    void f() { context.run_for(5s); }\n};\n"},
     "5 s (run_for)"),
    (CPP, SYSTEM + "void f() {\n    context.run_for(5s);  // measures:\n}\n", "measures what?"),
    (CPP, SYSTEM + "void f() {\n    context.run_for(1min);  // measures: a minute\n}\n", "nothing here needs"),
    (CPP, "// measures: pure state\nvoid f() {\n    context.run_for(1s);\n}\n", "nothing here needs"),
]
CLEAN = {
    WAIT: UNTIL,
    FILE: """import time
AT_ONCE = 5
PATIENCE = wait.DEADLINE
def told(receiver, every=0.5, deadline=90):
    \"\"\"Not by `kubectl wait --timeout=5s`.\"\"\"
    wait.until("it is not told", lambda: receiver.told, deadline, every)
def hold(seconds=2):
    wait.stable(probe, seconds)
def look(seconds=0.0):
    while select.select([one], [], [], seconds)[0]:
        seconds = 0
subprocess.run(command, timeout=60)
process.wait()
process.wait(timeout=AT_ONCE * 20)
wait.until("it", probe, every=0.01)
wait.until("it", probe, 120, 0.5)
wait.stable(probe, 5)
hold(3)
look(0.1)
told(one, 2)
counts.get("a", 5), ", ".join(words), lock.acquire(), lines.get(timeout=0)
while not done.wait(0.2):
    pass
end = time.monotonic() + 90
self.assertGreater(time.monotonic() - begin, 2)
self.assertLess(len(lines), 10)
program("--timeout=2m", "--leader-election-renew-deadline=3s", "--timeout", "90s")
kubectl("wait", "--for=delete", "pod/a", "--timeout=60s")
print("it waits with a timeout 5 times")
self.assertLess(time.monotonic() - begin, 1)  # measures: a dead GPU shows within a second
# measures: what hangs for 30 s is not waited for
process.wait(20)
time.sleep(0.5)  # measures: power over half a second
""",
    FIXTURE: LOOPBACK + READER,
    # Virtual time, beside a real clock that the header has.
    CPP: NET + BENCH + """TEST_CASE_FIXTURE(bench, "a") {
    context.run_for(5s);
    CHECK(env.now() - begun < 5s);
    server_options().idle_timeout(20s);
}
TEST_CASE("b") {
    loopback net;
    read_all(body, 2min);
    net.context.run_for(std::chrono::minutes(1));
    while (!done) net.context.run_one_for(1s);
    body.read_some(buffer, 0s, {});
    sleep(10);  // a function of the test
    // measures: the server says nothing
    const auto failed = get(net, options()
                                     .deadline(50ms));
    CHECK(failed < 5s);  // measures: the price is the deadline
    // Not now() + 5s, nor "--timeout=5s".
}
""",
    # No clock at all.
    "tests/a/b_test.cpp": "void f() {\n    machine.deadline(5s);\n    CHECK(next == time_point() + 5s);\n}\n",
    "tests/a/c_test.cpp": "TEST_CASE(\"c\") {\n    sim_world world;\n    world.run_for(5s);\n}\n",
}

if __name__ == "__main__":
    lint.main(check, PLANTED, CLEAN, __doc__)
