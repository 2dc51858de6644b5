#!/usr/bin/env python3
"""The wheel `kcontrol` in a virtual environment, against in-process API servers.

usage: VENV/bin/python test_service.py --api-server PROGRAM [--results FILE]
What takes packages that the environment lacks (uvloop, gunicorn, mypy) is skipped.
"""
import argparse
import asyncio
import importlib.util
import json
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/service_c"))
from run import PATIENCE, Cluster, Program  # noqa: E402

import kcontrol  # noqa: E402

OPTIONS = None
CONFIGMAPS = "/api/v1/namespaces/default/configmaps"
MEMBER = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "member", "namespace": "default"}}


def has(package):
    return importlib.util.find_spec(package) is not None


class WithCluster(unittest.TestCase):
    def setUp(self):
        self.cluster = self.enterContext(Cluster(OPTIONS.api_server))

    def enterContext(self, manager):  # unittest's own is of Python 3.11
        value = manager.__enter__()
        self.addCleanup(manager.__exit__, None, None, None)
        return value

    def client(self):
        return kcontrol.Client(kubeconfig=self.cluster.kubeconfig, log="off")

    def script(self, text, *arguments):
        """A program that uses the package, with `kubeconfig` as its first argument."""
        path = pathlib.Path(self.cluster.folder.name) / "script.py"
        path.write_text(text)
        return self.enterContext(Program(sys.executable, "-u", path, self.cluster.kubeconfig, *arguments))

    def wait_until(self, holds):
        """Asks the server again with each request; a deadline ends what never comes."""
        end = time.monotonic() + PATIENCE
        while not holds():
            self.assertLess(time.monotonic(), end)


class Values(WithCluster):
    def test_endpoints_come_and_go(self):
        self.cluster.add_service(addresses=["10.77.0.2", "10.77.0.1"])
        with self.client() as client:
            endpoints = client.endpoints("default/web", port="http")
            first = endpoints.wait(timeout=PATIENCE)
            self.assertEqual([(e.address, e.port) for e in first.endpoints], [("10.77.0.1", 8080), ("10.77.0.2", 8080)])
            self.assertEqual(first.endpoints[0], kcontrol.Endpoint("10.77.0.1", 8080, True, True, False, "z1", "n1", "web-1"))
            self.assertIn(first.state, ("live", "resuming"))  # the watch may open after the list is there
            self.wait_until(lambda: endpoints.snapshot().state == "live")
            self.assertGreaterEqual(first.age, 0)
            self.cluster.set_addresses(["10.77.0.2"])
            second = endpoints.wait(first.version, timeout=PATIENCE)
            self.assertGreater(second.version, first.version)
            self.assertEqual([e.address for e in second.endpoints], ["10.77.0.2"])
            self.assertEqual(len(first.endpoints), 2)
            with self.assertRaises(kcontrol.Timeout) as failed:
                endpoints.wait(second.version, timeout=0.01)  # measures: it times out
            self.assertEqual(failed.exception.code, kcontrol.Code.ETIMEDOUT)
            self.assertIsInstance(failed.exception, TimeoutError)

    def test_lead_hands_over(self):
        with self.client() as client, self.client() as other:
            first = client.lead("default", "master", identity="one", address="10.77.0.1:7000")
            token = first.wait_won(timeout=PATIENCE)
            self.assertEqual(first.token, token)
            self.assertTrue(0 < first.left <= 10)
            follow = other.follow("k8s://default/master")
            self.assertEqual(follow.wait(timeout=PATIENCE).address, "10.77.0.1:7000")
            second = other.lead("default", "master", identity="two")
            self.assertEqual((second.token, second.left), (0, 0))
            with self.assertRaises(kcontrol.Timeout):
                first.wait_lost(timeout=0.01)  # measures: it is not lost
            first.close()
            self.assertGreater(second.wait_won(timeout=PATIENCE), token)
            self.cluster.request("PATCH", f"{self.cluster.LEASES}/master", {"spec": {"holderIdentity": "three"}},
                                 "application/merge-patch+json")
            second.wait_lost(timeout=PATIENCE)
            self.assertEqual(second.token, 0)

    def test_register_until_closed(self):
        with self.client() as client:
            registration = client.register(MEMBER)
            self.wait_until(lambda: self.cluster.request("GET", CONFIGMAPS)["items"])
            registration.close()
            self.assertEqual(self.cluster.request("GET", CONFIGMAPS)["items"], [])
            client.register(json.dumps(MEMBER))  # nobody refers to it, and it stays
            self.wait_until(lambda: self.cluster.request("GET", CONFIGMAPS)["items"])
        self.assertEqual(self.cluster.request("GET", CONFIGMAPS)["items"], [])

    def test_failures_have_codes(self):
        with self.assertRaises(kcontrol.Error) as failed:
            kcontrol.Client(kubeconfig="/nowhere")
        self.assertEqual(failed.exception.code, kcontrol.Code.EINVAL)
        self.assertIn("/nowhere", str(failed.exception))
        copy = pickle.loads(pickle.dumps(failed.exception))
        self.assertEqual((copy.code, str(copy)), (failed.exception.code, str(failed.exception)))
        with unittest.mock.patch.dict(os.environ):
            for name in ("KUBECONFIG", "HOME", "KUBERNETES_SERVICE_HOST"):
                os.environ.pop(name, None)
            with self.assertRaises(kcontrol.Error) as failed:
                kcontrol.Client()
        self.assertIn('the option "kubeconfig"', str(failed.exception))
        client = self.client()
        for call in (lambda: client.endpoints("default"), lambda: client.follow("k8s://x"), lambda: client.register("{}"),
                     lambda: client.lead("default", ""), lambda: client.follow("k8s://default/a\0b"),
                     lambda: client.lead("default", "a", label=("no key", "x"))):
            with self.assertRaises(kcontrol.Error) as failed:
                call()
            self.assertEqual(failed.exception.code, kcontrol.Code.EINVAL)
        follow = client.follow("k8s://default/a")
        client.close()
        client.close()
        for call in (lambda: client.follow("k8s://default/a"), follow.leader, lambda: follow.wait(timeout=PATIENCE)):
            with self.assertRaises(kcontrol.Error) as failed:
                call()
            self.assertEqual(failed.exception.code, kcontrol.Code.EHANDLE)

    def test_those_who_wait_hear_of_the_end(self):
        client = self.client()
        follow = client.follow("k8s://default/a")
        codes = []

        def wait():
            try:
                follow.wait()
            except kcontrol.Error as error:
                codes.append(error.code)

        thread = threading.Thread(target=wait)
        thread.start()
        client.close()
        thread.join(PATIENCE)
        self.assertEqual(codes, [kcontrol.Code.EHANDLE])


class Loops(WithCluster):
    async def follow_all(self):
        loop = asyncio.get_running_loop()
        async with self.client() as client:
            lead = client.lead("default", "master", address="10.77.0.1:7000")
            token = await lead.won()
            self.assertGreater(token, 0)
            seen = []
            async for snapshot in client.endpoints("default/web"):
                seen.append(len(snapshot.endpoints))
                if seen[-1] == 2:
                    break
                if seen[-1] == 1 and snapshot.state == "live":
                    await loop.run_in_executor(None, self.cluster.set_addresses, ["10.77.0.1", "10.77.0.2"])
            async for leader in client.follow("k8s://default/master"):
                if leader.address is not None:
                    break
            self.assertEqual(leader.address, "10.77.0.1:7000")
            lost = asyncio.ensure_future(lead.lost())
            with self.assertRaises(asyncio.TimeoutError):
                await asyncio.wait_for(asyncio.shield(lost), 0.01)  # measures: it is not lost yet
            await loop.run_in_executor(None, self.cluster.request, "PATCH", f"{self.cluster.LEASES}/master",
                                       {"spec": {"holderIdentity": "other"}}, "application/merge-patch+json")
            await lost
            # A cancelled wait leaves no descriptor behind.
            before = len(os.listdir("/proc/self/fd"))
            waiting = asyncio.ensure_future(lead.lost())
            loop.call_soon(waiting.cancel)  # after its first step
            await asyncio.gather(waiting, return_exceptions=True)
            self.assertEqual(len(os.listdir("/proc/self/fd")), before)

    def test_asyncio(self):
        self.cluster.add_service(addresses=["10.77.0.1"])
        asyncio.run(self.follow_all())

    @unittest.skipUnless(has("uvloop"), "uvloop is not installed")
    def test_uvloop(self):
        import uvloop
        self.cluster.add_service(addresses=["10.77.0.1"])
        loop = uvloop.new_event_loop()
        try:
            loop.run_until_complete(self.follow_all())
        finally:
            loop.close()

    def test_the_gil_is_free_while_waiting(self):
        with self.client() as client:
            follow = client.follow("k8s://default/a")
            begun, done = threading.Event(), threading.Event()

            def wait():
                begun.set()
                try:
                    follow.wait()
                except kcontrol.Error:
                    done.set()

            thread = threading.Thread(target=wait)
            thread.start()
            begun.wait(PATIENCE)
            self.assertEqual(sum(range(10_000)), 49_995_000)  # with the GIL held there, this would wait for ever
            self.assertFalse(done.is_set())
        thread.join(PATIENCE)
        self.assertTrue(done.is_set())

    def test_a_lease_is_renewed_while_python_holds_the_gil(self):
        with self.client() as client:
            lead = client.lead("default", "master", lease_duration=1, renew_deadline=0.6, retry_period=0.1)
            token = lead.wait_won(timeout=PATIENCE)
            import ctypes
            held = ctypes.PyDLL(None)  # calls keep the GIL
            held.usleep(2_500_000)  # while this thread holds it
            self.assertEqual(lead.token, token)


class Processes(WithCluster):
    # Whoever runs the tests in the background of a shell has made the signal one that is ignored.
    FOLLOW = """
import signal, sys, kcontrol
signal.signal(signal.SIGINT, signal.default_int_handler)
client = kcontrol.Client(kubeconfig=sys.argv[1])
"""

    def test_interrupted_while_waiting(self):
        it = self.script(self.FOLLOW + """
follow = client.follow("k8s://default/nobody")
print("waiting")
try:
    follow.wait()
except KeyboardInterrupt:
    print("interrupted")
    sys.exit(3)
""")
        it.wait_for("waiting")
        self.assertEqual(it.end(signal.SIGINT), 3)

    def test_interrupted_in_asyncio(self):
        it = self.script(self.FOLLOW + """
import asyncio
async def main():
    async with client:
        print("waiting")
        async for leader in client.follow("k8s://default/nobody"): pass
try:
    asyncio.run(main())
except KeyboardInterrupt:
    sys.exit(3)
""")
        it.wait_for("waiting")
        self.assertEqual(it.end(signal.SIGINT), 3)

    def test_exit_without_close_gives_the_lease_up(self):
        it = self.script(self.FOLLOW + """
lead = client.lead("default", "master")
print("token", lead.wait_won())
""")
        it.wait_for("token")
        self.assertEqual(it.process.wait(timeout=PATIENCE), 0, it.seen)
        self.assertEqual(self.cluster.holder("master"), "")

    def test_exit_in_a_thread_and_with_an_exception(self):
        it = self.script(self.FOLLOW + """
import threading
follow = client.follow("k8s://default/nobody")
threading.Thread(target=follow.wait, daemon=True).start()
raise SystemExit(4)
""")
        self.assertEqual(it.process.wait(timeout=PATIENCE), 4, it.seen)

    def test_fork_before_the_start_and_after_it(self):
        it = self.script("""
import os, sys, kcontrol
def child(body):
    pid = os.fork()
    if pid == 0:
        status = 9
        try:
            status = body()
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
def works():
    with kcontrol.Client(kubeconfig=sys.argv[1]) as client:
        client.lead("default", "master").wait_won()
    return 0
print("before", child(works))
client = kcontrol.Client(kubeconfig=sys.argv[1])
endpoints = client.endpoints("default/web")
def refused():
    for call in (works, endpoints.snapshot, endpoints.wait):
        try:
            call()
        except kcontrol.Error as error:
            if error.code != kcontrol.Code.EFORKED: return 1
        else:
            return 2
    client.close()
    return 0
print("after", child(refused))
client.close()
print("again", child(works))
""")
        for wanted in ("before 0", "after 0", "again 0"):
            self.assertEqual(it.line(), wanted)
        self.assertEqual(it.process.wait(timeout=PATIENCE), 0)

    @unittest.skipUnless(has("gunicorn"), "gunicorn is not installed")
    def test_gunicorn_with_workers(self):
        self.cluster.add_service(addresses=["10.77.0.1"])
        (pathlib.Path(self.cluster.folder.name) / "service_app.py").write_text("""
import functools, json, kcontrol
@functools.cache
def backends():  # in the worker, after its fork
    return kcontrol.Client().endpoints("default/web")
def app(environ, start_response):
    snapshot = backends().wait()
    start_response("200 OK", [("Content-Type", "application/json")])
    return [json.dumps([e.address for e in snapshot.endpoints]).encode()]
""")
        it = self.enterContext(Program(
            sys.executable, "-m", "gunicorn", "--workers", "2", "--preload", "--bind", "127.0.0.1:0", "--chdir",
            self.cluster.folder.name, "service_app:app", KUBECONFIG=str(self.cluster.kubeconfig), PYTHONUNBUFFERED="1"))
        url = it.wait_for("Listening at: http").split("Listening at: ")[1].split(" ")[0]
        for _ in range(20):
            with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
                self.assertEqual(json.load(answer), ["10.77.0.1"])
        self.assertEqual(it.end(), 0, it.seen)

    def test_the_router(self):
        source = ROOT / "examples/python/router.py"
        self.assertLessEqual(len(source.read_text().splitlines()), 60)
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "index.html").write_text("from the backend")
            backend = self.enterContext(Program(sys.executable, "-u", "-m", "http.server", "0", "--bind", "127.0.0.1",
                                                "--directory", folder))
            port = int(backend.wait_for("port").split(" port ")[1].split(" ")[0])
            # A real API server refuses loopback addresses; this one does not.
            self.cluster.add_service(addresses=["127.0.0.1"], port=port)
            it = self.enterContext(Program(sys.executable, source, "default/web", "0",
                                           KUBECONFIG=str(self.cluster.kubeconfig)))
            url = "http://127.0.0.1:" + it.wait_for("listening on").split()[-1]
            self.wait_until(lambda: self.status(url) == 200)
            self.wait_until(lambda: self.state(url) == "live")
            with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
                self.assertEqual(answer.read(), b"from the backend")
            self.cluster.set_addresses([], port=port)
            self.wait_until(lambda: self.status(url) == 503)

    @staticmethod
    def state(url):
        with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
            return answer.headers["X-Endpoints-State"]

    @staticmethod
    def status(url):
        try:
            with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
                return answer.status
        except urllib.error.HTTPError as error:
            return error.code


class Package(unittest.TestCase):
    @unittest.skipUnless(has("mypy"), "mypy is not installed")
    def test_types(self):
        with tempfile.TemporaryDirectory() as cache:
            for what in (["-p", "kcontrol"], [str(ROOT / "examples/python/router.py")]):
                done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", cache, *what],
                                      capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 0, done.stdout)

    def test_the_library_and_its_needs_are_inside(self):
        inside = pathlib.Path(kcontrol.__file__).parent / "lib"
        listed = subprocess.run(["ldd", inside / "libkcontrol_service.so.0"], capture_output=True, text=True, check=True).stdout
        self.assertNotIn("not found", listed)
        outside = [line.split()[0] for line in listed.splitlines() if "=>" in line and str(inside) not in line]
        system = ("libc.", "libm.", "libdl.", "librt.", "libpthread.", "libresolv.", "libgcc_s.", "libstdc++.")
        self.assertEqual([name for name in outside if not name.startswith(system)], [])


def main():
    global OPTIONS
    parser = argparse.ArgumentParser()
    parser.add_argument("--api-server", type=pathlib.Path, required=True)
    parser.add_argument("--results", type=pathlib.Path)
    OPTIONS, rest = parser.parse_known_args()
    program = unittest.main(argv=[sys.argv[0], *rest], exit=False, verbosity=2)
    failed, skipped = len(program.result.failures) + len(program.result.errors), len(program.result.skipped)
    if OPTIONS.results:
        with OPTIONS.results.open("a") as results:
            results.write(f"{program.result.testsRun - failed - skipped} {failed} {skipped}\n")
    return 0 if failed == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
