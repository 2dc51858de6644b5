"""kcontrol-follow before HAProxy and nginx, at a real API server: rolling updates and outages, and no request refused.

The backends have addresses of 10.77.0.0/16, in a network namespace. KCONTROL_EXAMPLES is the folder of the programs of
examples/. Run alone: run.py test_follow.FollowTest, or test_follow.LongFollowTest for the nightly size.
"""
import itertools
import json
import os
import pathlib
import signal
import subprocess
import sys
import time
import unittest

import cluster
import own_network
import routers
import server
import wait

PORT, BACKENDS, RATE, SURGE = 8080, 8, 200, 4
PROMISED_S = 1.0  # from an endpoint that is terminating to a router that asks it no more
SLICES = "/apis/discovery.k8s.io/v1/namespaces/shop/endpointslices"
RIGHTS = cluster.ROOT / "examples" / "apps" / "follow" / "deploy" / "rights.yaml"


class Traffic:
    def __init__(self, *router_ports):
        program = pathlib.Path(__file__).with_name("traffic.py")
        self.process = subprocess.Popen([sys.executable, program, str(PORT), str(RATE), *map(str, router_ports)],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def say(self, command):
        self.process.stdin.write(json.dumps(command) + "\n")
        self.process.stdin.flush()

    def report(self):
        self.say({"report": True})
        return json.loads(self.process.stdout.readline())

    def stop(self):
        self.process.kill()
        self.process.communicate()


class Service:
    """A Service's endpoints, as the controller of EndpointSlices writes them: in two slices, between which they move."""

    def __init__(self, real):
        self.real, self.states, self.turn = real, {}, 0
        self.addresses = (f"10.77.{n // 250}.{n % 250 + 2}" for n in itertools.count())
        self.must("POST", "/api/v1/namespaces", {"metadata": {"name": "shop"}})
        self.must("POST", "/api/v1/namespaces/shop/services", {
            "metadata": {"name": "web"},
            "spec": {"selector": {"app": "web"}, "ports": [{"name": "http", "port": 80, "targetPort": PORT}]}})
        for name in ("web-a", "web-b"):
            self.must("POST", SLICES, {
                "metadata": {"name": name, "labels": {"kubernetes.io/service-name": "web"}}, "addressType": "IPv4",
                "ports": [{"name": "http", "port": PORT, "protocol": "TCP"}], "endpoints": []})

    def must(self, method, path, body, content_type="application/json"):
        code, answer = self.real.ask(method, path, json.dumps(body), content_type)
        if code not in (200, 201):
            raise RuntimeError(f"{method} {path}: {answer}")

    def fresh(self, count):
        return list(itertools.islice(self.addresses, count))

    def ready(self):
        return {address for address, state in self.states.items() if state == "ready"}

    def write(self):
        """Returns when the server has it. Each time the border between the two slices is elsewhere."""
        self.turn += 1
        everyone = [{"addresses": [address], "nodeName": "node", "zone": "a",
                     "targetRef": {"kind": "Pod", "namespace": "shop", "name": f"web-{address.replace('.', '-')}"},
                     "conditions": {"ready": state == "ready", "serving": True, "terminating": state != "ready"}}
                    for address, state in self.states.items()]
        border = self.turn % (len(everyone) + 1)
        # What moves is in both for a moment, never in none.
        for name, part in (("web-b", everyone), ("web-a", everyone[:border]), ("web-b", everyone[border:])):
            self.must("PATCH", f"{SLICES}/{name}", {"endpoints": part}, "application/merge-patch+json")


class FollowTest(unittest.TestCase):
    UPDATES, STALE_S, OUTAGE_S = 5, 3, 0

    @classmethod
    def setUpClass(cls):
        for program in ("haproxy", "nginx"):
            routers.needed(program)
        cls.addClassCleanup(own_network.OwnNetwork("10.77.0.0/16").leave)
        cls.real = server.Server("follow")
        cls.addClassCleanup(cls.real.stop)
        cls.service = Service(cls.real)
        cls.followers = []
        folder = pathlib.Path(cls.real.folder.name)
        cls.haproxy, cls.nginx = routers.Haproxy(folder), routers.Nginx(folder)
        cls.traffic = Traffic(cls.haproxy.port, cls.nginx.port)
        for each in (cls.haproxy, cls.nginx, cls.traffic):
            cls.addClassCleanup(each.stop)
        cls.add(BACKENDS)
        cls.service.write()
        cls.give_rights()
        for name, flags in (("of-haproxy", cls.haproxy.flags), ("of-nginx", cls.nginx.flags)):
            follower = routers.Follower(
                folder, name, "endpoints", "shop/web", "--port", "http", "--kubeconfig", cls.real.work / "token.kubeconfig",
                "--stale-after", f"{cls.STALE_S}s", "--cache", folder / f"{name}.cache", *flags)
            cls.followers.append(follower)
            cls.addClassCleanup(follower.stop)
        cls.until_right()
        cls.until_used()
        wait.until("nginx has a worker that knows no backend", lambda: cls.nginx.workers() == 1, every=0.02)

    @classmethod
    def give_rights(cls):
        """To the user of the token: what the Role of the manifest has, and no more."""
        subprocess.run([f"{cls.real.assets}/kubectl", "--kubeconfig", cls.real.kubeconfig, "apply", "-n", "shop",
                        "-f", RIGHTS], check=True, stdout=subprocess.DEVNULL)
        cls.service.must("POST", "/apis/rbac.authorization.k8s.io/v1/namespaces/shop/rolebindings", {
            "metadata": {"name": "robot"},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "kcontrol-follow"},
            "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "robot"}]})

    @classmethod
    def add(cls, count):
        for address in cls.service.fresh(count):
            cls.traffic.say({"add": address})
            cls.service.states[address] = "ready"

    @classmethod
    def until_right(cls):
        wanted = cls.service.ready()
        wait.until(lambda: "\n".join(f"{f.last()}\n{f.tail()}" for f in cls.followers),
                   lambda: all(f.ready() == wanted and f.last()["state"] == "live" for f in cls.followers), every=0.02)

    @classmethod
    def until_used(cls):
        """Until each backend that is ready had a request of each router since the last that failed: one may be answered by
        what a router was before."""
        used, report = {}, {}

        def look():
            nonlocal used, report
            report = cls.traffic.report()
            for router in (cls.haproxy, cls.nginx):
                failed = report["routers"][str(router.port)]["failures"]
                used[router.name] = set() if failed else used.get(router.name, set()) | set(report["hits"].get(router.name, ()))
            return all(those >= cls.service.ready() for those in used.values())
        wait.until(lambda: f"ready {cls.service.ready()}, used {used}, {report}", look)

    def roll(self):
        """One rolling update: SURGE new ones, then as many terminate; they are gone when they have had their time."""
        old = sorted(self.service.ready())
        for at in range(0, BACKENDS, SURGE):
            self.add(SURGE)
            self.service.write()
            for address in old[at:at + SURGE]:
                self.service.states[address] = "terminating"
            self.service.write()
            now = time.monotonic()
            for address in old[at:at + SURGE]:
                self.traffic.say({"terminate": address, "at": now})
            wait.stable(lambda: True, PROMISED_S + 0.2)  # a router that goes by what is deleted alone is seen
            for address in old[at:at + SURGE]:
                del self.service.states[address]
            self.service.write()

    def check(self, report, seconds):
        for port, of in report["routers"].items():
            router = self.haproxy if port == str(self.haproxy.port) else self.nginx
            self.assertEqual(of["failures"], [], f"{router.name}: {of['answers']}\n{router.tail()}")
            # A machine that is slow asks less often; what it asked was answered.
            self.assertGreater(of["answers"].get("200", 0), seconds * RATE / 20)
        self.assertEqual(report["late"], [])
        return sum(of["answers"]["200"] for of in report["routers"].values())

    def test_1_rolling_updates(self):
        self.traffic.report()
        begun = time.monotonic()
        for _ in range(self.UPDATES):
            self.roll()
        self.until_right()
        seconds = time.monotonic() - begun
        report = self.traffic.report()
        answered = self.check(report, seconds)
        self.until_used()
        lasts = sorted(last for those in report["lasts"].values() for last in those.values())
        slow, ends = sum(last > PROMISED_S for last in lasts), 2 * self.UPDATES * BACKENDS
        print(f"note: {self.UPDATES} rolling updates of {BACKENDS} backends in {seconds:.0f} s: {answered} requests answered, "
              f"none refused; the last one {max(lasts, default=0):.2f} s after its backend was terminating")
        # A machine that is busy for a second may hold up one reload.
        self.assertLessEqual(slow, ends / 10, lasts)

    def test_2_a_router_that_was_restarted(self):
        self.haproxy.stop()
        self.haproxy.start()
        begun = time.monotonic()
        self.until_used()
        print(f"note: HAProxy restarted: each backend is used again after {time.monotonic() - begun:.2f} s")

    def test_3_the_server_is_killed(self):
        self.traffic.report()
        killed = time.monotonic()
        subprocess.run([cluster.SCRIPTS / "stop.sh", "--crash", self.real.work], check=True)
        wait.until("it is not stale", lambda: all(f.last()["state"] == "stale" for f in self.followers), every=0.02)
        stale = [f.since(killed, "stale") for f in self.followers]
        self.assertEqual([f.stop() for f in self.followers], [0, 0])
        for follower in self.followers:  # a restart knows what the file of --cache knows
            follower.start()
        wait.until("no line", lambda: all(f.lines for f in self.followers), every=0.02)
        self.assertEqual({f.last()["state"] for f in self.followers}, {"stale"})
        wait.stable(lambda: all(f.ready() == self.service.ready() for f in self.followers), self.OUTAGE_S)
        self.real.resume()
        back = time.monotonic()
        self.add(1)
        del self.service.states[min(self.service.ready())]
        self.service.write()
        self.until_right()
        right = time.monotonic() - back
        answered = self.check(self.traffic.report(), time.monotonic() - killed)
        print(f"note: killed: stale after {[round(s, 2) for s in stale]} s, right {right:.2f} s after its return, {answered} requests answered "
              f"in {time.monotonic() - killed:.0f} s without it, none refused")
        # What is promised, and a second for a busy machine.
        self.assertLess(max(stale), self.STALE_S + 1)
        self.assertLess(right, 2)  # measures: what is promised


class LongFollowTest(FollowTest):
    """The same, with more of it."""
    UPDATES, STALE_S, OUTAGE_S = 50, 10, 300

    def test_4_the_server_is_stopped(self):
        pid = int((self.real.work / "pids").read_text().split()[1])
        self.traffic.report()
        begun = time.monotonic()
        os.killpg(pid, signal.SIGSTOP)
        try:
            wait.until("it is not stale", lambda: all(f.last()["state"] == "stale" for f in self.followers), every=0.02)
            stale = [f.since(begun, "stale") for f in self.followers]
        finally:
            os.killpg(pid, signal.SIGCONT)
        back = time.monotonic()
        self.until_right()
        right = time.monotonic() - back
        self.check(self.traffic.report(), time.monotonic() - begun)
        print(f"note: stopped: stale after {[round(s, 2) for s in stale]} s, right {right:.2f} s after its return")
        self.assertLess(max(stale), 15)
        self.assertLess(right, 2)  # measures: what is promised


if __name__ == "__main__":
    unittest.main()
