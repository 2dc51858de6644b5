"""The state file, with the program killed in the middle of writes and started on files that it must refuse."""
import json
import os
import pathlib
import random
import resource
import signal
import sqlite3
import subprocess
import tempfile
import threading
import time
import unittest

import cores
import fake_jobs
import monitor as monitors
import wait

ROOT = pathlib.Path(__file__).resolve().parents[2]
SECRET = "a-token-that-nobody-may-see"


class StateTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="kcontrol-state-", ignore_cleanup_errors=True)
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.clusters = self.folder / "clusters"
        self.clusters.mkdir()
        self.state = self.folder / "state.db"
        self.monitors = []
        self.addCleanup(lambda: [m.process.kill() or m.process.wait() for m in self.monitors if m.process.poll() is None])

    def serve(self):
        server = fake_jobs.FakeJobs()
        self.addCleanup(server.stop)
        (self.clusters / "a.kubeconfig").write_text(server.kubeconfig())
        return server

    def start(self, *options):
        made = monitors.Monitor(self.clusters, self.folder / f"monitor-{len(self.monitors)}.log",
                                "--state", self.state, *options)
        self.monitors.append(made)
        wait.until("the monitor does not get ready", lambda: made.get_raw("/readyz")[0] == 200)
        return made

    def crash(self, monitor):
        monitor.process.send_signal(signal.SIGKILL)
        monitor.process.wait()

    def run_program(self, *arguments):
        return subprocess.run([monitors.binary(), *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=60)

    def refusal(self, *options):
        done = self.run_program("--clusters", self.clusters, "--listen", "0", "--output", "none", "--state", self.state,
                                *options)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(str(self.state), done.stderr)
        return done.stderr

    def check_file(self):
        """What may be in the file after a crash: whole jobs, each once, with states that follow one another."""
        with sqlite3.connect(self.state) as db:
            self.assertEqual(db.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
            uids = [row[0] for row in db.execute("SELECT uid FROM jobs")]
            self.assertEqual(len(uids), len(set(uids)))
            orphans = db.execute("SELECT count(*) FROM spans WHERE job NOT IN (SELECT id FROM jobs)").fetchone()[0]
            self.assertEqual(orphans, 0)
            spans = {}
            for job, n, state, began, ended in db.execute("SELECT job, n, state, began, ended FROM spans ORDER BY job, n"):
                spans.setdefault(job, []).append((n, state, began, ended))
            for each in spans.values():
                for (n1, state1, _, ended1), (n2, state2, began2, _) in zip(each, each[1:]):
                    self.assertEqual(n1 + 1, n2)
                    self.assertNotEqual(state1, state2)
                    self.assertEqual(ended1, began2)
                self.assertIsNone(each[-1][3])
        db.close()
        return len(uids)

    def timeline(self, monitor, name):
        status, text = monitor.get_raw(f"/api/v1/jobs/a/ml/Job/{name}")
        self.assertEqual(status, 200, text)
        return [span["state"] for span in json.loads(text)["timeline"]]

    def test_crashes_in_the_middle_of_writes(self):
        server = self.serve()
        names = [f"job-{i}" for i in range(60)]
        for name in names:
            server.set(name, "Pending")
        chance = random.Random(7)
        for _ in range(4):
            monitor = self.start()
            done = threading.Event()

            def change():
                while not done.wait(0.001):
                    name = chance.choice(names)
                    server.set(name, "Running" if server.states[name] != "Running" else "Suspended")

            changes = threading.Thread(target=change)
            changes.start()
            goal = lambda: int(next(line.split()[1] for line in monitor.get_raw("/metrics")[1].splitlines()
                                    if line.startswith("training_monitor_state_writes_total "))) >= 3
            wait.until("nothing is written", goal)
            self.crash(monitor)
            done.set()
            changes.join()
            self.assertEqual(self.check_file(), len(names))
        monitor = self.start()
        for name in names:
            wait.until(lambda: f"{name}: {self.timeline(monitor, name)}, not {server.states[name]}",
                       lambda: self.timeline(monitor, name)[-1] == server.states[name])
            timeline = self.timeline(monitor, name)
            self.assertFalse(any(a == b for a, b in zip(timeline, timeline[1:])), timeline)
        self.assertEqual(monitor.items("/api/v1/gone"), [])
        self.assertEqual(monitor.stop(), 0)
        self.check_file()

    def test_what_happened_while_away(self):
        server = self.serve()
        for name in ("runs", "ends", "goes"):
            server.set(name, "Running")
        monitor = self.start()
        wait.until("the jobs are not shown", lambda: len(monitor.jobs("a")) == 3)
        self.assertEqual(monitor.stop(), 0)
        server.set("ends", "Failed")
        server.remove("goes")
        monitor = self.start()
        gone = wait.until("nothing is found gone", lambda: (g := monitor.items("/api/v1/gone")) and len(g) == 2 and g)
        found = {g["name"]: (g["lastState"], g["state"], g["gone"] is None) for g in gone}
        self.assertEqual(found, {"ends": ("Running", "Failed", True), "goes": ("Running", None, False)})
        self.assertEqual(self.timeline(monitor, "runs"), ["Running"])
        self.assertEqual(self.timeline(monitor, "ends"), ["Running", "Failed"])
        self.assertEqual(self.timeline(monitor, "goes"), ["Running"])
        self.assertEqual(monitor.get_raw("/api/v1/jobs/a/ml/Job/never")[0], 404)
        self.assertIn(f"[+]state file {self.state} written", monitor.get_raw("/readyz?verbose")[1])
        self.assertEqual(monitor.stop(), 0)
        self.assertIn("the job is gone", monitor.log.read_text())

    def test_totals_survive_a_kill_and_come_with_an_older_file(self):
        server = self.serve()
        for name in ("one", "two"):
            server.set(name, "Running")
        monitor = self.start()
        points = wait.until("no point is recorded", lambda: monitor.items("/api/v1/totals"))
        self.assertEqual(points[0]["states"], {"Running": 2})
        in_file = lambda: sqlite3.connect(self.state).execute("SELECT count(*) FROM totals").fetchone()[0] > 0
        wait.until("no point is written", in_file)
        self.crash(monitor)
        monitor = self.start()
        self.assertEqual(monitor.items("/api/v1/totals")[:len(points)], points)
        self.assertEqual(monitor.stop(), 0)
        with sqlite3.connect(self.state) as db:  # as the version before had it
            db.executescript("DROP TABLE totals; DROP TABLE gpu_hours; DROP TABLE gpu_watches; "
                             "DROP TABLE acknowledgements; DROP TABLE open_alerts; PRAGMA user_version = 1")
        db.close()
        monitor = self.start()
        self.assertEqual(monitor.items("/api/v1/totals"), [])
        self.assertEqual(self.timeline(monitor, "one"), ["Running"])
        self.assertEqual(monitor.items("/api/v1/gone"), [])
        self.assertEqual(monitor.stop(), 0)

    def test_gpu_hours_survive_a_restart_and_a_kill_and_count_nothing_twice(self):
        server = self.serve()
        server.set("runs", "Running", gpus=3600, team="nlp")  # an hour a second
        server.set("goes", "Running", gpus=3600, team="vision")
        answer = lambda query: json.loads(monitor.get_raw("/api/v1/gpu-hours" + query)[1])
        hours = lambda: {i["team"]: i["gpuHours"] for i in answer("?by=team")["items"]}
        begin = time.time()
        monitor = self.start()
        seen = time.time()

        def check(what):
            # It is counted once its cluster has been in view for some seconds, from when it came into view.
            wait.until(what, lambda: (h := hours().get("nlp")) and h > time.time() - seen - 2)
            counted = hours()["nlp"]
            self.assertLess(counted, time.time() - begin)

        check("nothing is counted")
        since = answer("")["since"]
        self.assertEqual(answer("?by=namespace,cluster")["items"][0]["namespace"], "ml")
        self.assertEqual(monitor.get_raw("/api/v1/gpu-hours?by=week")[0], 400)
        gone = hours()["vision"]
        self.assertEqual(monitor.stop(), 0)
        stopped = time.time()
        server.remove("goes")
        time.sleep(3)  # measures: three hours of GPUs while nobody looks
        monitor = self.start()
        self.assertGreaterEqual(hours()["vision"], gone)
        check("what ran while the monitor was away is not counted")
        self.assertEqual(answer("")["since"], since)
        self.crash(monitor)
        monitor = self.start()
        check("what ran around a crash is not counted")
        # Of what is gone nobody knows how long it ran while nobody looked.
        self.assertLess(hours()["vision"], stopped - begin + 1)
        self.assertEqual(monitor.stop(), 0)

    def test_files_that_are_refused_and_left_as_they_are(self):
        self.serve()
        for text, why in ((b"no database at all" * 100, "it is not a state file"), (None, "a newer training_monitor")):
            with self.subTest(why):
                if text is None:
                    self.state.unlink()
                    self.start().stop()
                    with sqlite3.connect(self.state) as db:
                        db.execute("PRAGMA user_version = 99")
                    db.close()
                else:
                    self.state.write_bytes(text)
                before = self.state.read_bytes()
                self.assertIn(why, self.refusal())
                self.assertEqual(self.state.read_bytes(), before)

    def test_damage_is_told(self):
        server = self.serve()
        for i in range(300):
            server.set(f"job-{i}", "Running")
        monitor = self.start()
        wait.until("the jobs are not shown", lambda: len(monitor.jobs("a")) == 300)
        monitor.stop()
        data = bytearray(self.state.read_bytes())
        data[2 * 4096:6 * 4096] = b"\x5a" * (4 * 4096)
        self.state.write_bytes(data)
        self.assertIn("it is damaged", self.refusal())

    def test_one_monitor_a_file(self):
        self.serve()
        monitor = self.start()
        self.assertIn(f"another training_monitor (process {monitor.process.pid}) uses it", self.refusal())
        self.crash(monitor)
        self.assertEqual(self.start().stop(), 0)

    def test_a_file_that_another_program_keeps_locked(self):
        server = self.serve()
        monitor = self.start()
        with sqlite3.connect(self.state, isolation_level=None) as other:
            other.execute("BEGIN IMMEDIATE")
            server.set("job", "Running")
            wait.until("that nothing can be written is not told",
                       lambda: "another program keeps it locked" in monitor.get_raw("/readyz?verbose")[1])
            begin = time.monotonic()
            self.assertEqual(monitor.stop(), 0)
            # measures: it does not wait for the other program; Kubernetes gives it 30 s
            self.assertLess(time.monotonic() - begin, 10)
        other.close()
        self.assertIn("it is learned again at the next start", monitor.log.read_text())

    def test_a_disk_that_is_full_loses_nothing(self):
        server = self.serve()
        monitor = self.start()
        pid = monitor.process.pid
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (self.state.stat().st_size + 100_000, resource.RLIM_INFINITY))
        for i in range(1000):
            server.set(f"job-{i}", "Running")
        verbose = lambda: monitor.get_raw("/readyz?verbose")[1]
        wait.until("that nothing can be written is not told",
                   lambda: f"[-]state file {self.state} not written" in verbose())
        self.assertIn("make room", verbose())
        self.assertIn("training_monitor_state_up 0", monitor.get_raw("/metrics")[1])
        for i in range(0, 1000, 2):
            server.set(f"job-{i}", "Failed")
        wait.until("the jobs are not shown", lambda: sum(j["state"] == "Failed" for j in monitor.jobs("a")) == 500)
        self.assertEqual(monitor.get_raw("/readyz")[0], 200)
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        wait.until("it is not written when there is room again", lambda: f"[+]state file {self.state} written" in verbose(), 60)
        wait.until("changes are left",
                   lambda: "training_monitor_state_waiting_changes 0\n" in monitor.get_raw("/metrics")[1])
        self.crash(monitor)
        self.assertEqual(self.check_file(), 1000)
        monitor = self.start()
        self.assertEqual(monitor.items("/api/v1/gone"), [])
        for i in (0, 998):
            self.assertEqual(self.timeline(monitor, f"job-{i}")[-1], "Failed")
        self.assertEqual(monitor.stop(), 0)

    def test_no_core_dump_holds_its_secrets(self):
        self.serve()
        os.chdir(self.folder)  # that is where cores go
        self.addCleanup(os.chdir, ROOT)
        if b"__asan_init" in monitors.binary().read_bytes():
            self.skipTest("LeakSanitizer needs to look into the program")
        if not cores.are_dumped(self.folder):
            self.skipTest("no program's core is dumped here")
        self.assertFalse(cores.dumps_core(self.start().process))

    def test_clusters_in_the_file(self):
        server = self.serve()
        server.set("bert", "Running")
        config = self.clusters / "a.kubeconfig"
        config.write_text(server.kubeconfig(token=SECRET))
        key = self.folder / "key"
        self.assertEqual(self.run_program("cluster", "init-key", key).returncode, 0)
        reader = monitors.Monitor(None, self.folder / "kept.log", "--state", self.state, "--key-file", key)
        self.monitors.append(reader)
        add = ("cluster", "add", "--state", self.state, "--kubeconfig", config)
        self.assertEqual(self.run_program(*add, "sealed", "--key-file", key).returncode, 0)
        self.assertEqual(self.run_program(*add, "path", "--by-path").returncode, 0)
        wait.until("the added clusters do not join", lambda: reader.job("sealed", "ml", "Job", "bert")
                   and reader.job("path", "ml", "Job", "bert"))
        listed = self.run_program("cluster", "list", "--state", self.state)
        self.assertEqual((listed.returncode, len(listed.stdout.splitlines())), (0, 3))
        self.assertEqual(self.run_program("cluster", "remove", "path", "--state", self.state).returncode, 0)
        wait.until("the removed cluster stays", lambda: not reader.cluster("path"))
        self.assertTrue(reader.cluster("sealed"))
        self.assertEqual(self.run_program("cluster", "remove", "path", "--state", self.state).returncode, 1)
        self.assertEqual(self.run_program("cluster", "add").returncode, 2)
        self.assertIn(f"Bearer {SECRET}", server.credentials)  # it was opened and used, and is nowhere to be seen
        shown = [listed.stdout, *(reader.get_raw(p)[1] for p in ("/metrics", "/readyz?verbose", "/api/v1/clusters", "/api/v1/jobs"))]
        self.assertNotIn(SECRET, "".join(shown) + reader.log.read_text())
        for file in self.folder.glob("state.db*"):
            self.assertNotIn(SECRET.encode(), file.read_bytes())
        # Another key: this cluster's failure, told without a secret. The key's bytes are nowhere, either.
        other = self.folder / "other"
        self.assertEqual(self.run_program("cluster", "init-key", other).returncode, 0)
        secret_bytes = key.read_bytes()
        os.replace(other, key)
        wait.until("the wrong key is not told", lambda: "sealed with another key" in reader.cluster("sealed")["reason"])
        self.assertEqual(reader.stop(), 0)
        self.assertNotIn(SECRET, reader.log.read_text())
        for file in (*self.folder.glob("state.db*"), reader.log):
            self.assertNotIn(secret_bytes, file.read_bytes())


if __name__ == "__main__":
    unittest.main()
