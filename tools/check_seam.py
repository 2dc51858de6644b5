#!/usr/bin/env python3
"""The seam lint: time, randomness and the environment enter through runtime/impl only, and nothing starts a thread.

The simulator replays a seed only if nothing else asks the machine. Tests obey too, for they never sleep to wait. Host
look-ups of the C library and of Asio block, or start a thread where one can't see it.
usage: check_seam.py [ROOT] [--self-test]
A line may carry "seam: ok, REASON" in a comment; main.cpp below examples/ are programs and may start threads.
"""
import re

import lint

# A pattern, what it finds, and words: each text that it finds has one of them, so that most files need not be searched.
RULES = [
    (r"\b(steady_clock|system_clock|high_resolution_clock|utc_clock|file_clock)\s*::\s*now\b", "a clock is read", "now"),
    (r"\bthis_thread\s*::\s*sleep_(for|until)\b", "a sleep", "this_thread"),
    (r"(?<![\w.>])(usleep|nanosleep|clock_gettime|gettimeofday)\s*\(", "a system call for time",
     "usleep nanosleep gettime"),
    (r"(?<![\w.>])time\s*\(\s*(nullptr|NULL|0)\s*\)|\bstd\s*::\s*clock\s*\(", "the C clock is read", "time clock"),
    (r"\brandom_device\b", "a random source", "random_device"),
    (r"(?<![\w.>])(rand|drand48|arc4random)\s*\(\s*\)|\b(srand|getrandom)\s*\(|(?<!\w)::\s*random\s*\(", "a C random source", "rand"),
    (r"(?<![\w.>])(secure_)?(getenv|setenv|putenv|unsetenv)\s*\(", "the environment is used", "tenv"),
    (r"\bstd\s*::\s*(thread|jthread|async)\b(?!\s*::\s*id\b)", "a thread is started", "thread async"),
    (r"\bpthread_create\b", "a thread is started", "pthread_create"),
    (r"\b(getaddrinfo|gethostbyname(2)?(_r)?|getnameinfo)\s*\(|\bip\s*::\s*\w+\s*::\s*resolver\b|\basync_resolve\b",
     "a look-up that starts a thread or blocks", "getaddrinfo gethostbyname getnameinfo resolve"),
    (r"\bflat_hash_(map|set)|\bnode_hash_(map|set)", "a container whose iteration order is random", "_hash_"),
]
NOWHERE = ("a thread is started", "a look-up that starts a thread or blocks")
RULES = [(re.compile(pattern), what, words.split()) for pattern, what, words in RULES]
ALLOWED = re.compile(r"^include/kcontrol/runtime/impl/")
PROGRAM = re.compile(r"^(examples/.*/?main\.cpp|bench/)")
EXCUSE = re.compile(r"//.*\bseam: ok, \S")


def check(root):
    messages = []
    for path in lint.code_files(root):
        name = path.relative_to(root).as_posix()
        text = path.read_text()
        code = lint.strip(text)
        lines = text.splitlines()
        for pattern, what, words in RULES:
            if not any(word in code for word in words):
                continue
            if PROGRAM.search(name) and what == "a thread is started":
                continue
            if ALLOWED.search(name) and what not in NOWHERE:
                continue
            for match in pattern.finditer(code):
                line = lint.line_of(code, match.start())
                if not EXCUSE.search(lines[line - 1]):
                    where = "" if what in NOWHERE else " outside runtime/impl"
                    messages.append(f"{name}:{line}: {what}{where}: {lines[line - 1].strip()}")
    return messages


FILE = "include/kcontrol/watch/a.hpp"
PLANTED = [
    (FILE, "auto t = std::chrono::steady_clock::now();\n", "a clock"),
    (FILE, "auto t = system_clock ::now();\n", "a clock"),
    (FILE, "void f() { std::this_thread::sleep_for(1s); }\n", "a sleep"),
    (FILE, "std::random_device device;\n", "a random source"),
    (FILE, "int x = std::rand();\n", "a C random source"),
    (FILE, "auto t = std::time(nullptr);\n", "the C clock"),
    (FILE, 'auto v = std::getenv("HOME");\n', "the environment"),
    (FILE, 'auto v = ::getenv("HOME");\n', "the environment"),
    (FILE, 'int v = setenv("HOME", "x", 1);\n', "the environment"),
    (FILE, "std::thread worker(f);\n", "a thread"),
    (FILE, "auto f = std::async(g);\n", "a thread"),
    ("include/kcontrol/runtime/impl/a.ipp", "std::thread worker(f);\n", "a thread"),
    ("include/kcontrol/transport/impl/a.ipp", "boost::asio::ip::tcp::resolver r(ex);\n", "a look-up"),
    ("include/kcontrol/transport/impl/a.ipp", "co_await r.async_resolve(host, port, token);\n", "a look-up"),
    ("include/kcontrol/runtime/impl/a.ipp", "::getaddrinfo(host, nullptr, &hints, &list);\n", "a look-up"),
    (FILE, "absl::flat_hash_map<int, int> m;\n", "iteration order"),
    ("tests/watch/a_test.cpp", "std::this_thread::sleep_for(1s);\n", "a sleep"),
    ("examples/apps/monitor/impl/a.cpp", "std::jthread t(f);\n", "a thread"),
    ("examples/apps/monitor/main.cpp", "auto t = std::chrono::steady_clock::now();\n", "a clock"),
]
CLEAN = {
    "include/kcontrol/runtime/impl/a.ipp": "auto t = std::chrono::steady_clock::now();\nstd::random_device d;\n",
    "include/kcontrol/runtime/a.hpp": "// steady_clock::now() is read here only\nstd::chrono::steady_clock::time_point t;\n"
                                      'log("std::thread");\nstd::thread::id id;\nauto n = env.now();\nvirtual std::uint64_t random() = 0;\nauto t = time();\n'
                                      "co_await sleep_for(clock, 1s, stop);\n",
    "examples/apps/monitor/main.cpp": "std::thread t(f);\n",
    "tests/base/a_test.cpp": "std::thread t(f);  // seam: ok, the logger is tested from two threads\n",
}

if __name__ == "__main__":
    lint.main(check, PLANTED, CLEAN, __doc__)
