#!/usr/bin/python3 -IS
"""Runs a compiler, and writes down what it took.

usage: record_compilation.py COMPILER ARGUMENT...
A line is appended to the file that KCONTROL_COMPILATIONS names: seconds of the processor, megabytes of memory at the peak, and the
source. That is the sum over the compiler's processes, and the largest of them. Nothing is written without that variable, nor if no
source is compiled. The status is the compiler's. scripts/test.sh has ccache call this, so what ccache knows leaves no line.
usage: record_compilation.py --self-test
"""
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def source_of(arguments):
    """What is compiled, if that is one source."""
    found = [one for one in arguments if one.endswith((".cpp", ".cc", ".c")) and not one.startswith("-")]
    return found[-1] if found and "-c" in arguments else None


def run(command):
    """(its status, seconds, megabytes)"""
    _, status, used = os.wait4(os.posix_spawnp(command[0], command, os.environ), 0)
    return os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime, used.ru_maxrss // 1024


def record(command):
    status, seconds, megabytes = run(command)
    file, source = os.environ.get("KCONTROL_COMPILATIONS"), source_of(command[1:])
    if file and source:
        # In one piece, for others append as well.
        line = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
        os.write(line, f"{seconds:.1f} {megabytes} {os.path.relpath(source, ROOT)}\n".encode())
        os.close(line)
    return status if status >= 0 else 128 - status


def self_test():
    """Of two processes the larger counts, although the first only starts it."""
    failures = []
    taken = "import sys; x = bytearray(80 << 20); sys.exit(3)"
    starts = f"import subprocess, sys; sys.exit(subprocess.run([sys.executable, '-c', {taken!r}]).returncode)"
    status, seconds, megabytes = run([sys.executable, "-c", starts])
    if status != 3 or not 80 <= megabytes < 160 or not 0 < seconds < 30:
        failures.append(f"status {status}, {seconds} s, {megabytes} MB")
    for arguments, expected in [(["-c", "a.cpp", "-o", "a.o"], "a.cpp"), (["a.o", "-o", "a"], None), (["-E", "a.cpp"], None)]:
        if source_of(arguments) != expected:
            failures.append(f"{arguments}: {source_of(arguments)}")
    print("\n".join(failures) or "self-test: clean")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(self_test() if sys.argv[1:] == ["--self-test"] else record(sys.argv[1:]))
