"""The monitor where the machine has nothing left: descriptors, a state file's disk, memory. It says so, goes on, and all
is well once there is room again."""
import contextlib
import os
import pathlib
import resource
import socket
import subprocess
import tempfile
import time
import unittest

import fake_jobs
import monitor as monitors
import ports
import wait

MIB = 1 << 20


def is_sanitized():
    return b"__asan_init" in monitors.binary().read_bytes()


@contextlib.contextmanager
def small_file_system(bytes_):
    """A file system of its own, or a skipped test where this user may not mount one."""
    with tempfile.TemporaryDirectory(prefix="kcontrol-mount-") as folder:
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={bytes_}", "tmpfs", folder], capture_output=True, text=True)
        if done.returncode != 0:
            raise unittest.SkipTest(f"can't mount: {done.stderr.strip()}")
        try:
            yield pathlib.Path(folder)
        finally:
            subprocess.run(["umount", "-l", folder], check=True)


@contextlib.contextmanager
def memory_group(limit):
    """A control group below this process's own with that limit, or a skipped test. Yields what moves a process into it,
    and what tells how many processes the kernel killed there."""
    for line in pathlib.Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers == "memory":
            base, most, events = "/sys/fs/cgroup/memory" + path, "memory.limit_in_bytes", "memory.oom_control"
            break
        if controllers == "":
            base, most, events = "/sys/fs/cgroup" + path, "memory.max", "memory.events"
    group = pathlib.Path(base) / f"kcontrol-test-{os.getpid()}"
    try:
        group.mkdir()
    except OSError as why:
        raise unittest.SkipTest(f"can't make a control group: {why}")
    try:
        try:
            (group / most).write_text(str(limit))
        except OSError as why:
            raise unittest.SkipTest(f"can't limit memory: {why}")
        kills = lambda: next((int(l.split()[1]) for l in (group / events).read_text().splitlines() if l.startswith("oom_kill ")), 0)
        yield lambda pid: (group / "cgroup.procs").write_text(str(pid)), kills
    finally:
        group.rmdir()


class ScarcityTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="kcontrol-scarcity-", ignore_cleanup_errors=True)
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.clusters = self.folder / "clusters"
        self.clusters.mkdir()

    def serve(self, name="a"):
        server = fake_jobs.FakeJobs()
        self.addCleanup(server.stop)
        (self.clusters / f"{name}.kubeconfig").write_text(server.kubeconfig())
        return server

    def start(self, *options):
        self.health = ports.free_port()
        made = monitors.Monitor(self.clusters, self.folder / "monitor.log",
                                "--health-probe-bind-address", f"127.0.0.1:{self.health}", *options)
        self.addCleanup(self.end, made)
        wait.until("the monitor does not get ready", lambda: made.get_raw("/readyz")[0] == 200)
        return made

    def end(self, monitor):
        if monitor.process.poll() is None:
            monitor.process.kill()
            monitor.process.wait()
            print("the monitor's log ends so:\n" + monitor.log.read_text()[-4000:])

    def recovers(self, monitor, count):
        """Once there is memory again, the informer of cluster b has so many jobs, after the backoff (a minute at most), and
        so has the table of the monitor, which its handler fills."""
        job = lambda: monitor.kind("b", "Job", "batch/v1")
        wait.until(lambda: f"it does not recover: {job()}", lambda: job()["objects"] == count and job()["state"] == "live", 120)
        self.assertEqual(len(monitor.jobs("b")), count)

    def crowd(self, port, count, text=b""):
        """So many connections that say that and nothing more."""
        out = []
        for _ in range(count):
            one = socket.create_connection(("127.0.0.1", port), timeout=60)
            self.addCleanup(one.close)
            with contextlib.suppress(OSError):
                one.sendall(text)
            out.append(one)
        return out

    def test_descriptors_exhausted(self):
        first = self.serve("a")
        first.set("bert", "Running")
        monitor = self.start()
        pid = monitor.process.pid
        used = max(int(n) for n in os.listdir(f"/proc/{pid}/fd"))
        before = resource.prlimit(pid, resource.RLIMIT_NOFILE)
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (used + 20, before[1]))
        self.crowd(monitor.port, 100, b"GET / HTTP/1.1\r\n")
        second = self.serve("b")
        second.set("gpt", "Running")
        first.set("bert", "Succeeded")
        wait.until("what is connected does not go on",
                   lambda: monitor.job("a", "ml", "Job", "bert")["state"] == "Succeeded")
        self.assertEqual(monitors.get_text(self.health, "/healthz")[0], 200)
        self.assertIn("closed to make room", monitor.log.read_text())
        self.assertIn('reason="descriptors"', monitor.get_raw("/metrics")[1])
        resource.prlimit(pid, resource.RLIMIT_NOFILE, before)
        wait.until("it does not recover", lambda: monitor.job("b", "ml", "Job", "gpt"), 60)
        lines = monitor.log.read_text().splitlines()
        self.assertLess(len(lines), 60, lines)
        self.assertEqual(monitor.kind("a", "Job", "batch/v1")["watches"], 1)
        self.assertEqual(monitor.stop(), 0)

    def test_a_state_file_on_a_disk_that_is_full_and_then_read_only(self):
        server = self.serve()
        server.set("bert", "Running")
        with small_file_system(2 * MIB) as disk:
            monitor = self.start("--state", disk / "state.db")
            verbose = lambda: monitor.get_raw("/readyz?verbose")[1]
            says = lambda what: wait.until(lambda: f"{what}: {verbose()}", lambda: what in verbose())
            says("[+]state file")
            filler = disk / "filler"
            with contextlib.suppress(OSError), filler.open("wb", buffering=0) as out:
                while True:
                    out.write(bytes(4096))
            for i in range(300):
                server.set(f"job-{i}", "Running")
            says(f"[-]state file {disk}/state.db not written")
            says("make room")
            filler.unlink()
            says(f"[+]state file {disk}/state.db written")
            # With a file open for writing the kernel refuses "ro" of the mount; what it does after an error of the disk
            # is that, too, and no file may grow or be made.
            done = subprocess.run(["mount", "-o", "remount,ro", str(disk)], capture_output=True, text=True)
            if done.returncode == 0:
                server.set("job-0", "Failed")
                says(f"[-]state file {disk}/state.db not written")
                subprocess.run(["mount", "-o", "remount,rw", str(disk)], check=True)
                says(f"[+]state file {disk}/state.db written")
            self.assertEqual(monitor.get_raw("/readyz")[0], 200)
            self.assertEqual(monitor.stop(), 0)

    def test_a_state_file_that_is_read_only(self):
        self.serve()
        with small_file_system(2 * MIB) as disk:
            (disk / "state.db").touch()
            subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
            done = subprocess.run([monitors.binary(), "--clusters", self.clusters, "--listen", "0", "--output", "none",
                                   "--state", disk / "state.db"], stdin=subprocess.DEVNULL, capture_output=True,
                                  text=True, timeout=60)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn(f"{disk}/state.db", done.stderr)
            self.assertRegex(done.stderr, "can't be written|[Rr]ead-only")

    def test_memory_that_runs_out_in_a_list(self):
        if is_sanitized():
            self.skipTest("AddressSanitizer ends the program instead of refusing memory")
        small = self.serve("a")
        small.set("bert", "Running")
        monitor = self.start()
        large = fake_jobs.FakeJobs()
        self.addCleanup(large.stop)
        for i in range(30000):
            large.set(f"job-{i:06}", "Running")
        pid = monitor.process.pid
        now = int(pathlib.Path(f"/proc/{pid}/statm").read_text().split()[0]) * resource.getpagesize()
        # Sometimes the list itself finds no memory, sometimes who is told of its objects.
        resource.prlimit(pid, resource.RLIMIT_AS, (now + 24 * MIB, resource.RLIM_INFINITY))
        (self.clusters / "b.kubeconfig").write_text(large.kubeconfig())
        wait.until("it does not say that memory ran out", lambda: "memory" in (monitor.cluster("b") or {}).get("reason", ""), 60)
        self.assertEqual(monitors.get_text(self.health, "/healthz")[0], 200)
        small.set("bert", "Succeeded")
        wait.until("the other cluster does not go on",
                   lambda: monitor.job("a", "ml", "Job", "bert")["state"] == "Succeeded")
        resource.prlimit(pid, resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        self.recovers(monitor, 30000)
        self.assertEqual(monitor.stop(), 0)

    def test_memory_that_runs_out_in_a_watch(self):
        if is_sanitized():
            self.skipTest("AddressSanitizer ends the program instead of refusing memory")
        small, large = self.serve("a"), self.serve("b")
        small.set("bert", "Running")
        large.set("job", "Running")
        monitor = self.start()
        wait.until("the first job is not there", lambda: len(monitor.jobs("b")) == 1)
        pid = monitor.process.pid
        statm = lambda: int(pathlib.Path(f"/proc/{pid}/statm").read_text().split()[0]) * resource.getpagesize()
        resource.prlimit(pid, resource.RLIMIT_AS, (statm() + 24 * MIB, resource.RLIM_INFINITY))
        for i in range(30000):
            large.set(f"job-{i:06}", "Running")
        wait.until("it does not say that memory ran out", lambda: "memory" in (monitor.cluster("b") or {}).get("reason", ""), 60)
        used = lambda: sum(int(n) for n in pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[11:13])
        before = used()
        for _ in range(5):
            self.assertEqual(monitors.get_text(self.health, "/healthz")[0], 200)
            time.sleep(1)  # measures: the CPU time of five seconds
        self.assertLess(used() - before, 3 * os.sysconf("SC_CLK_TCK"), "it spins")
        small.set("bert", "Succeeded")
        wait.until("the other cluster does not go on",
                   lambda: monitor.job("a", "ml", "Job", "bert")["state"] == "Succeeded")
        resource.prlimit(pid, resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        self.recovers(monitor, 30001)
        self.assertEqual(monitor.stop(), 0)

    def test_crowds_within_a_control_group_s_memory(self):
        if is_sanitized():
            self.skipTest("AddressSanitizer's own memory is most of it")
        server = self.serve()
        for i in range(2000):
            server.set(f"job-{i:06}", "Running")
        limit = 96 * MIB
        with memory_group(limit) as (move, kills):
            monitor = self.start()
            move(monitor.process.pid)
            wait.until("the jobs are not there", lambda: len(monitor.jobs("a")) == 2000)
            get = "GET {} HTTP/1.1\r\nHost: localhost\r\n\r\n"
            for text in ("", "GET / HTTP/1.1\r\nX: ", "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4000\r\n\r\nx",
                         get.format("/api/v1/jobs"), get.format("/api/v1/events")):
                crowd = self.crowd(monitor.port, 1500, text.encode())
                self.assertEqual(monitors.get_text(self.health, "/healthz")[0], 200)
                self.assertEqual(monitor.get_raw("/api/v1/clusters")[0], 200)
                for one in crowd:
                    one.close()
            self.assertIsNone(monitor.process.poll())
            self.assertEqual(kills(), 0)
            self.assertEqual(monitor.stop(), 0)


if __name__ == "__main__":
    unittest.main()
