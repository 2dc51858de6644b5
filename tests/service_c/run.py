#!/usr/bin/env python3
"""Looks at libkcontrol_service.so from outside: what it exports and needs, its binary interface, C programs that use it.

usage: run.py --library PATH --api-server PROGRAM [--results FILE]      --write-abi: writes abi.xml, of the present interface
abi.xml is what abidw (libabigail) reads of the library's symbols and types; without libabigail that comparison is skipped.
"""
import argparse
import contextlib
import json
import os
import pathlib
import queue
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
HEADER = ROOT / "include/kcontrol_service.h"
ABI = HERE / "abi.xml"
PATIENCE = 120  # seconds; for what never comes
OPTIONS = None


def run(*command, **more):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True, **more).stdout


def declared():
    return set(re.findall(r"^KC_API \w+ \*?(kc_\w+)\(", HEADER.read_text(), re.M))


# api.cpp is C++, whose own types are of no interest.
SUPPRESSED = "".join(f"[suppress_{what}]\nname_not_regexp = ^kc_\ndrop = yes\n" for what in ("type", "function"))


def described():
    """What abidw says of the library's interface; what is behind it, or of this machine, is left out."""
    with tempfile.TemporaryDirectory() as folder:
        headers = pathlib.Path(folder)
        shutil.copy(HEADER, headers)
        suppressed = headers / "suppressed.ini"
        suppressed.write_text(SUPPRESSED)
        return run("abidw", "--headers-dir", headers, "--suppressions", suppressed, "--drop-private-types", "--no-corpus-path",
                   "--no-comp-dir-path", "--no-show-locs", "--no-elf-needed", "--exported-interfaces-only", OPTIONS.library)


def differences(described_now):
    with tempfile.NamedTemporaryFile("w", suffix=".xml") as now:
        now.write(described_now)
        now.flush()
        done = subprocess.run(["abidiff", "--no-show-locs", str(ABI), now.name], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


class Interface(unittest.TestCase):
    def test_exports_what_the_header_declares(self):
        symbols = run("nm", "-D", "--defined-only", OPTIONS.library)
        exported = re.findall(r"^[0-9a-f]+ (\w) (\S+)$", symbols, re.M)
        self.assertEqual({name for kind, name in exported if kind != "A"}, {f"{n}@@KCONTROL_SERVICE_1" for n in declared()})
        self.assertEqual(len(declared()), 15)

    def test_finds_a_planted_export(self):
        with tempfile.TemporaryDirectory() as folder:
            other = pathlib.Path(folder) / "other.so"
            run("cc", "-shared", "-fPIC", "-x", "c", "-", "-o", other, input="int kc_planted(void) { return 1; }")
            self.assertIn("kc_planted", run("nm", "-D", "--defined-only", other))

    def test_needs_libraries_of_the_system_alone(self):
        read = run("readelf", "-dW", OPTIONS.library)
        self.assertIn("Library soname: [libkcontrol_service.so.0]", read)
        needed = re.findall(r"\(NEEDED\).*\[(.+)\]", read)
        self.assertFalse([name for name in needed if "kcontrol" in name], needed)
        self.assertNotIn("not found", run("ldd", OPTIONS.library))
        self.assertNotIn("TEXTREL", read)

    @unittest.skipUnless(shutil.which("abidiff"), "abigail-tools is not installed")
    def test_the_binary_interface_is_that_of_abi_xml(self):
        self.assertEqual(differences(described()), (0, ""))

    @unittest.skipUnless(shutil.which("abidiff"), "abigail-tools is not installed")
    def test_finds_planted_changes(self):
        now = described()
        for there, planted, named in (("kc_lead_left", "kc_lead_right", "kc_lead_left"),
                                      ("size-in-bits='384'", "size-in-bits='448'", "kc_endpoint"),
                                      ("type-id='type-id-2' name='timeout_ms'", "type-id='type-id-3' name='timeout_ms'",
                                       "kc_client_dispatch")):
            with self.subTest(planted):
                self.assertIn(there, now)
                code, text = differences(now.replace(there, planted))
                self.assertNotEqual(code, 0)
                self.assertIn(named, text)

    def test_the_header_is_for_c_and_cpp_of_any_standard(self):
        values = {"KC_OK": 0, "KC_EINVAL": 1, "KC_EHANDLE": 2, "KC_EFORKED": 3, "KC_EBUSY": 4, "KC_ETIMEDOUT": 5,
                  "KC_EUNREACHABLE": 6, "KC_EFORBIDDEN": 7, "KC_ENOTFOUND": 8, "KC_ENOMEM": 9, "KC_LIVE": 0, "KC_RESUMING": 1,
                  "KC_STALE": 2}
        checks = "".join(f"typedef char is_{name}[{name} == {value} ? 1 : -1];\n" for name, value in values.items())
        source = f"#include <kcontrol_service.h>\n{checks}int main(void) {{ return kc_abi_version() != 1; }}\n"
        for compiler, language, standards in (("cc", "c", ("c99", "c11", "c17")), ("c++", "c++", ("c++98", "c++11", "c++20"))):
            for standard in standards:
                with self.subTest(standard):
                    run(compiler, f"-std={standard}", "-pedantic", "-Wall", "-Wextra", "-Werror", "-Wno-long-long", "-fsyntax-only",
                        f"-I{ROOT}/include", "-x", language, "-", input=source)


class Program:
    """A running program and the lines that it prints."""

    def __init__(self, *command, **environment):
        self.process = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                        stdin=subprocess.DEVNULL, text=True, env=os.environ | environment)
        self.lines, self.seen = queue.Queue(), []
        threading.Thread(target=self.read, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def read(self):
        with contextlib.suppress(ValueError):  # closed at the end
            for line in self.process.stdout:
                self.lines.put(line.rstrip("\n"))
        self.lines.put(None)

    def line(self):
        line = self.lines.get(timeout=PATIENCE)
        self.seen.append(line)
        return line

    def wait_for(self, part):
        while True:
            line = self.line()
            if line is None:
                raise AssertionError(f"it ended before it printed {part!r}: {self.seen}")
            if part in line:
                return line

    def end(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        return self.process.wait(timeout=PATIENCE)


class Cluster(Program):
    """An in-process API server, and a kubeconfig that leads to it."""

    def __init__(self, program, token=None):
        super().__init__(program)
        user = {} if token is None else {"token": token}
        self.url = self.line()
        self.folder = tempfile.TemporaryDirectory()
        self.kubeconfig = pathlib.Path(self.folder.name) / "kubeconfig"
        self.kubeconfig.write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "c",
            "clusters": [{"name": "c", "cluster": {"server": self.url}}], "users": [{"name": "c", "user": user}],
            "contexts": [{"name": "c", "context": {"cluster": "c", "user": "c", "namespace": "default"}}]}))

    def __exit__(self, *arguments):
        super().__exit__(*arguments)
        self.folder.cleanup()

    def request(self, method, path, body=None, kind="application/json"):
        data = None if body is None else json.dumps(body).encode()
        asked = urllib.request.Request(f"{self.url}{path}", data, {"Content-Type": kind}, method=method)
        with urllib.request.urlopen(asked, timeout=PATIENCE) as answer:
            return json.load(answer)

    SLICES = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices"
    LEASES = "/apis/coordination.k8s.io/v1/namespaces/default/leases"

    def add_service(self, name="web", addresses=(), port=8080):
        self.request("POST", "/api/v1/namespaces/default/services", {
            "apiVersion": "v1", "kind": "Service", "metadata": {"name": name},
            "spec": {"selector": {"app": name}, "ports": [{"name": "http", "port": 80, "targetPort": port}]}})
        self.request("POST", self.SLICES, self.slice(name, addresses, port))

    def set_addresses(self, addresses, name="web", port=8080):
        self.request("PUT", f"{self.SLICES}/{name}-1", self.slice(name, addresses, port))

    @staticmethod
    def slice(name, addresses, port):
        return {"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "addressType": "IPv4",
                "metadata": {"name": f"{name}-1", "namespace": "default", "labels": {"kubernetes.io/service-name": name}},
                "ports": [{"name": "http", "port": port, "protocol": "TCP"}],
                "endpoints": [{"addresses": [a], "conditions": {"ready": True}, "nodeName": "n1", "zone": "z1",
                               "targetRef": {"kind": "Pod", "name": f"{name}-{i}"}} for i, a in enumerate(addresses)]}

    def holder(self, lease):
        return self.request("GET", f"{self.LEASES}/{lease}")["spec"].get("holderIdentity", "")


class Programs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def build(self, source, *packages):
        for package in packages:
            if subprocess.run(["pkg-config", "--exists", package], check=False).returncode != 0:
                self.skipTest(f"{package} is not installed")
        flags = run("pkg-config", "--cflags", "--libs", *packages).split() if packages else []
        program = pathlib.Path(self.folder.name) / source.stem
        library = OPTIONS.library.resolve()
        run("cc", "-std=c99", "-D_POSIX_C_SOURCE=200809L", "-Wall", "-Wextra", "-Werror", f"-I{ROOT}/include", source, "-o",
            program, library, f"-Wl,-rpath,{library.parent}", "-pthread", *flags)
        self.assertLessEqual(len(source.read_text().splitlines()), 60 if "examples" in source.parts else 200)
        return program

    def test_example_of_poll(self):
        program = self.build(ROOT / "examples/service_c/poll.c")
        with Cluster(OPTIONS.api_server) as cluster:
            cluster.add_service(addresses=["10.77.0.1"])
            with Program(program, "default", "master", "web", KUBECONFIG=str(cluster.kubeconfig)) as it:
                it.wait_for("10.77.0.1:8080")
                if not any("leading, token" in line for line in it.seen):  # either may be first
                    it.wait_for("leading, token")
                cluster.set_addresses(["10.77.0.1", "10.77.0.2"])
                it.wait_for("10.77.0.2:8080")
                self.assertEqual(it.end(), 0, it.seen)
            self.assertEqual(cluster.holder("master"), "")

    def test_example_of_libuv(self):
        program = self.build(ROOT / "examples/service_c/libuv.c", "libuv")
        with Cluster(OPTIONS.api_server) as cluster:
            with Program(program, "k8s://default/master", KUBECONFIG=str(cluster.kubeconfig)) as it:
                it.wait_for("- live")
                cluster.request("POST", cluster.LEASES, {
                    "apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "master"},
                    "spec": {"holderIdentity": "10.77.0.1:7000", "leaseDurationSeconds": 600,
                             "renewTime": "2026-01-01T00:00:00.000000Z"}})
                it.wait_for("10.77.0.1:7000 live")
                self.assertEqual(it.end(), 0, it.seen)

    def test_example_of_glib(self):
        program = self.build(ROOT / "examples/service_c/glib.c", "glib-2.0")
        member = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "member", "namespace": "default"}}
        with Cluster(OPTIONS.api_server) as cluster:
            cluster.add_service(addresses=["10.77.0.1", "10.77.0.2"])
            with Program(program, "default", "web", json.dumps(member), KUBECONFIG=str(cluster.kubeconfig)) as it:
                it.wait_for("2 ready")
                cluster.set_addresses(["10.77.0.1"])
                it.wait_for("1 ready")
                self.assertEqual(it.end(), 0, it.seen)
            names = [o["metadata"]["name"] for o in cluster.request("GET", "/api/v1/namespaces/default/configmaps")["items"]]
            self.assertNotIn("member", names)

    # Those that the header and docs/service_c.md name.
    VARIABLES = {"KUBECONFIG", "HOME", "KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT", "POD_NAMESPACE", "HOSTNAME",
                 "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "REQUEST_METHOD", "DISABLE_HTTP2", "HTTP2_READ_IDLE_TIMEOUT_SECONDS",
                 "HTTP2_PING_TIMEOUT_SECONDS", "KCONTROL_TLS_HANDSHAKES", "LOCALDOMAIN", "RES_OPTIONS", "CARES_HOSTS", "OPENSSL_CONF",
                 "SSL_CERT_FILE", "SSL_CERT_DIR", "OPENSSL_ia32cap", "SIMDJSON_FORCE_IMPLEMENTATION"}

    def test_settings_of_the_process_are_left_alone(self):
        program = self.build(HERE / "probe.c")
        folder = pathlib.Path(self.folder.name)
        record, recorder = folder / "record", folder / "recorder.so"
        run("cc", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", f'-DRECORD="{record}"', HERE / "recorder.c", "-o",
            recorder)
        with Cluster(OPTIONS.api_server) as cluster:
            cluster.add_service()
            subprocess.run([program, "all", cluster.kubeconfig], check=True, capture_output=True, timeout=PATIENCE,
                           env=os.environ | {"LD_PRELOAD": str(recorder)})
        lines = [line.split(" ", 2) for line in record.read_text().splitlines()]
        read = {name for _, function, name in lines if function in ("getenv", "secure_getenv")}
        self.assertIn("HTTPS_PROXY", read)  # it does record
        # c-ares and OpenSSL read some by themselves; theirs are in the list, too.
        self.assertEqual({name for name in read if {name, name.upper()}.isdisjoint(self.VARIABLES)}, set())
        self.assertEqual([line for line in lines if line[1] not in ("getenv", "secure_getenv")], [])
        for path in (HEADER, ROOT / "docs/service_c.md"):
            text = path.read_text()
            self.assertEqual([name for name in self.VARIABLES if name not in text], [], path)

    TOKEN = "token-of-the-test-0123456789abcdef"

    def test_no_token_in_the_log(self):
        program = self.build(HERE / "probe.c")
        with Cluster(OPTIONS.api_server, self.TOKEN) as cluster:
            cluster.add_service()
            done = subprocess.run([program, "all", cluster.kubeconfig, "debug"], capture_output=True, text=True, timeout=PATIENCE,
                                  check=True)
        self.assertIn("lease", done.stderr)  # it does log
        self.assertNotIn(self.TOKEN, done.stdout + done.stderr)

    @unittest.skipIf(resource.getrlimit(resource.RLIMIT_CORE)[1] == 0, "cores are forbidden here (ulimit -H -c)")
    def test_no_core_unless_the_client_permits_it(self):
        program = self.build(HERE / "probe.c")
        dumped = {}
        with Cluster(OPTIONS.api_server, self.TOKEN) as cluster:
            cluster.add_service()
            for mode in ("abort", "abort-without-core"):
                child = subprocess.Popen([program, mode, cluster.kubeconfig], cwd=self.folder.name, stderr=subprocess.DEVNULL,
                                         preexec_fn=lambda: resource.setrlimit(
                                             resource.RLIMIT_CORE, (resource.getrlimit(resource.RLIMIT_CORE)[1],) * 2))
                status = os.waitpid(child.pid, 0)[1]
                child.returncode = os.waitstatus_to_exitcode(status)
                self.assertEqual(child.returncode, -signal.SIGABRT)
                dumped[mode] = os.WCOREDUMP(status)
        if not dumped["abort"]:
            self.skipTest("this system dumps no cores")
        self.assertEqual(dumped, {"abort": True, "abort-without-core": False})

    def test_many_starts_and_stops(self):
        program = self.build(HERE / "probe.c")
        count = int(os.environ.get("KCONTROL_LIFECYCLES", "10000"))
        for mode in ("cycles", "cycles-without-thread"):
            with self.subTest(mode), Cluster(OPTIONS.api_server) as cluster:
                cluster.add_service(addresses=["10.77.0.1"])
                printed = run(program, mode, cluster.kubeconfig, count)
                (memory, *others), (memory_then, *others_then) = [[int(n) for n in line.split()] for line in printed.splitlines()]
                print(f"{mode}: {count} cycles, bytes {memory} -> {memory_then}, descriptors and threads {others_then}")
                self.assertEqual(others, others_then)
                self.assertLess(memory_then, memory + 500_000)

    def test_a_program_in_c99_and_its_ends(self):
        program = self.build(HERE / "probe.c")
        for mode in ("all", "pthread", "return", "exit", "exit-in-callback"):
            with self.subTest(mode), Cluster(OPTIONS.api_server) as cluster:
                cluster.add_service()
                done = subprocess.run([program, mode, cluster.kubeconfig], capture_output=True, text=True, timeout=PATIENCE,
                                      check=False)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


def main():
    global OPTIONS
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", type=pathlib.Path, required=True, help="libkcontrol_service.so.0")
    parser.add_argument("--api-server", type=pathlib.Path, help="tests/readme/api_server.cpp, built")
    parser.add_argument("--results", type=pathlib.Path, help="PASSED FAILED SKIPPED are added to this file")
    parser.add_argument("--write-abi", action="store_true")
    OPTIONS, rest = parser.parse_known_args()
    if OPTIONS.write_abi:
        ABI.write_text(described())
        return 0
    program = unittest.main(argv=[sys.argv[0], *rest], exit=False, verbosity=2)
    failed, skipped = len(program.result.failures) + len(program.result.errors), len(program.result.skipped)
    if OPTIONS.results:
        with OPTIONS.results.open("a") as results:
            results.write(f"{program.result.testsRun - failed - skipped} {failed} {skipped}\n")
    return 0 if failed == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
