#!/usr/bin/env python3
"""The lint for deadlines: no Python test gives up before a minute has passed, and none sleeps to wait.

A deadline is for what is broken, not for what is slow: a machine ten times slower than ours must not miss it. Where a
test passes, a long one costs nothing. Found are numbers below 60 s
  - as time-outs of the standard library's calls, and as `timeout=` and `deadline=` of any;
  - as arguments and defaults of functions of the tests that hand them on to such a call, as wait.until() does;
  - that are added to a clock, or that a time which has passed is compared with;
  - in constants that are called DEADLINE, TIMEOUT or PATIENCE;
  - of `--timeout`, `--request-timeout`, `--connect-timeout`, `--max-time` and of the command `timeout`, and
    `kubectl wait` without the first, which gives up after 30 s;
and every sleep outside tests/e2e/wait.py. Holding for a time (wait.stable) is no deadline.
usage: check_deadlines.py [ROOT] [--self-test]
A line may carry the comment "measures: REASON", or have it on the line above: for a test that promises users a time,
that provokes the time-out, or whose subject is the time itself. A comment that excuses nothing is found, too.
"""
import ast
import copy
import io
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


def paces_of(tree):
    """Calls that say how often something is looked at, not for how long: `while not done.wait(0.1)`."""
    return {call for node in ast.walk(tree) if isinstance(node, ast.While) for call in ast.walk(node.test)
            if isinstance(call, ast.Call) and called(call) in ("wait", "select")}


def functions_of(tree):
    return [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]


class File:
    def __init__(self, name, text):
        self.name, self.tree = name, ast.parse(text)
        self.constants = {}
        for node in self.tree.body:
            for target, value in assignments(node) if isinstance(node, ast.Assign) else []:
                self.constants[named(target)] = self.number(value)
        self.excuses, self.alone = {}, set()
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            found = EXCUSE.search(token.string) if token.type == tokenize.COMMENT else None
            if found:
                self.excuses[token.start[0]] = found[1].strip()
                if not token.line[:token.start[1]].strip():
                    self.alone.add(token.start[0])
        self.used, self.found = set(), []
        every = [pair for node in ast.walk(self.tree) if isinstance(node, ast.Assign) for pair in assignments(node)]
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

    def taken(self, function, known):
        """{(parameter, its place)} of those parameters that the function uses as deadlines."""
        places = [*((name, at) for at, name in enumerate(parameters(function))),
                  *((argument.arg, None) for argument in function.args.kwonlyargs)]
        used, paces = set(), paces_of(function)
        for node in ast.walk(function):
            if isinstance(node, ast.Call) and node not in paces:
                used |= {argument.id for argument in self.deadlines(node, known) if isinstance(argument, ast.Name)}
            elif self.is_later(node):
                used |= {name.id for name in ast.walk(node.right) if isinstance(name, ast.Name)}
        return {(name, place) for name, place in places if name in used}

    def check(self, known):
        docstrings, paces = set(), paces_of(self.tree)
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                docstrings.add(node.value)
        for function in functions_of(self.tree):
            self.check_defaults(function, known)
        for node in ast.walk(self.tree):
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


def check(root):
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
    "tests/a/a_test.cpp": "process.wait(10);\n",
}

if __name__ == "__main__":
    lint.main(check, PLANTED, CLEAN, __doc__)
