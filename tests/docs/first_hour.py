#!/usr/bin/env python3
"""Does what docs/first_controller.md says: its files as they are shown, built with an installed kcontrol, tested, and run against
kcontrol-apiserver, where the program must count the entries of a ConfigMap. Prints how long each step took.

usage: first_hour.py PREFIX FOLDER
"""
import pathlib
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))

import wait  # noqa: E402

PAGE = ROOT / "docs/first_controller.md"
MANIFEST = "{apiVersion: v1, kind: ConfigMap, metadata: {name: colours}, data: {red: '#f00'}}\n"


def write_files(folder):
    """A block is the file that was named last before it, if that is not there yet."""
    text = PAGE.read_text()
    for block in re.finditer(r"^```cpp\n(.*?)^```$|(?:^    [^\n]*\n)+", text, re.S | re.M):
        named = re.findall(r"`([\w.]+\.(?:txt|hpp|cpp))`", text[:block.start()])
        if named and not (folder / named[-1]).exists():
            (folder / named[-1]).write_text(block[1] or re.sub(r"^    ", "", block[0], flags=re.M))
    names = sorted(path.name for path in folder.iterdir())
    if names != ["CMakeLists.txt", "entries.hpp", "main.cpp", "test.cpp"]:
        sys.exit(f"{PAGE.name} shows other files than expected: {names}")


def timed(what, command, **more):
    begun = time.monotonic()
    subprocess.run(command, check=True, timeout=3600, **more)
    print(f"note: first controller: {what} took {time.monotonic() - begun:.1f} s", flush=True)


def run_program(prefix, folder):
    """The program's log says that it has counted, once the server has the annotation that it wrote."""
    (folder / "colours.yaml").write_text(MANIFEST)
    log = folder / "entries.log"
    with log.open("w") as to:
        server = subprocess.Popen([prefix / "bin/kcontrol-apiserver", "--kubeconfig", "kc", "--load", "colours.yaml"], cwd=folder,
                                  stdout=subprocess.PIPE, text=True)
        program = None
        try:
            server.stdout.readline()  # its address; the kubeconfig is complete by then
            program = subprocess.Popen([folder / "build/entries", "--kubeconfig", "kc"], cwd=folder, stderr=to)
            wait.until("the program has not counted", lambda: "info counted" in log.read_text(), every=0.05)
            program.terminate()
            if program.wait(60) != 0:
                sys.exit(f"the program ended with status {program.returncode}")
        finally:
            for one in filter(None, (program, server)):
                one.terminate()
                one.wait(60)


def main():
    prefix, folder = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    write_files(folder)
    timed("configuring", ["cmake", "-S", folder, "-B", folder / "build", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}"])
    timed("building", ["cmake", "--build", folder / "build"])
    timed("its test", ["ctest", "--test-dir", folder / "build", "--output-on-failure"])
    run_program(prefix, folder)


if __name__ == "__main__":
    main()
