"""Notices, by the program itself: an API server of the test's own on one side, receivers of all kinds on the other."""
import base64
import hashlib
import hmac
import json
import pathlib
import re
import shutil
import stat
import subprocess
import textwrap
import time
import unittest

import bad_servers
import monitor as monitors
import receivers
import test_hostile
import wait

URL_SECRET = "canary-hook-path"
KEY = "canary-signing-key"
TOKEN = "canary-hook-token"


class World(test_hostile.Folder):
    """A cluster with one job that was there before, and what it takes to be told of it."""

    def setUp(self):
        super().setUp()
        self.cluster = self.keep(bad_servers.GoodServer())
        self.cluster.put("old", "Running")
        self.write("one", test_hostile.kubeconfig(self.cluster.url))
        (self.folder / "key").write_text(KEY + "\n")
        (self.folder / "token").write_text(TOKEN)

    def receiver(self, *script, **options):
        return self.keep(receivers.Receiver(*script, **options))

    def url_file(self, name, receiver):
        (self.folder / name).write_text(f"{receiver.url}/{URL_SECRET}?key={URL_SECRET}\n")
        return name

    def webhook(self, receiver, name="hook", **more):
        return {"name": name, "webhook": {"urlFile": self.url_file(f"{name}-url", receiver), "secretFile": "key"}, **more}

    def config(self, *of, rules=None):
        """YAML takes JSON as it is."""
        file = self.folder / "notify.yaml"
        file.write_text(json.dumps({"receivers": of, "rules": rules or [{"receivers": [r["name"] for r in of]}]}))
        return file

    def start(self, config, *options, log="log"):
        monitor = monitors.Monitor(self.files, self.folder / log, "--notify-config", config, *options)
        self.addCleanup(monitor.process.wait)
        self.addCleanup(monitor.process.kill)
        self.until_live(monitor)
        return monitor

    def until_live(self, monitor):
        wait.until(lambda: f"it does not see the cluster: {monitor.log.read_text()[-2000:]}",
                   lambda: (c := monitor.cluster("one")) and c["state"] == "live" and monitor.jobs("one"))

    def put(self, monitor, name, state, **metadata):
        """Waits until it is shown: of changes in quick succession only the last may be seen."""
        self.cluster.put(name, state, **metadata)
        wait.until(lambda: f"{name} is not {state}",
                   lambda: (job := monitor.job("one", "default", "Job", name)) and job["state"] == state, every=0.01)

    def run_once(self, *options):
        return subprocess.run([monitors.binary(), *map(str, options)], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=60)

    @staticmethod
    def told(receiver):
        return [(n["name"], n["previousState"], n["state"]) for n in (request.json for request in receiver.taken)]

    def until_told(self, receiver, expected):
        wait.until(lambda: f"told was {self.told(receiver)}", lambda: len(self.told(receiver)) >= len(expected))
        self.assertEqual(self.told(receiver), expected)

    def until_counts(self, monitor, **expected):
        def reached():
            counts = self.notices(monitor)
            return all(counts[name] == value for name, value in expected.items()) and counts

        return wait.until(lambda: f"not {expected}: {self.notices(monitor)}", reached)

    @staticmethod
    def notices(monitor):
        status, text = monitor.get_raw("/api/v1/notices")
        if status != 200:
            raise AssertionError(f"{status} {text}")
        return json.loads(text)

    def assert_no_credential(self, monitor, *receivers_):
        shown = [monitor.log.read_text(), *(monitor.get_raw(path)[1] for path in ("/api/v1/notices", "/metrics"))]
        for text in shown:
            for secret in (URL_SECRET, KEY, TOKEN, *(r.url for r in receivers_)):
                self.assertNotIn(secret, text)

    def assert_signed(self, request):
        stamp = request.headers["X-Training-Monitor-Timestamp"]
        wanted = hmac.new(KEY.encode(), b"v1:%s:%s" % (stamp.encode(), request.body), hashlib.sha256).hexdigest()
        self.assertEqual(request.headers["X-Training-Monitor-Signature"], "v1=" + wanted)
        self.assertLess(abs(time.time() - int(stamp)), 300)


class EveryReceiver(World):
    def test_one_notice_for_each_change_and_none_for_what_was_before(self):
        hook, feishu, slack = self.receiver(), self.receiver(otherwise=receivers.answer(200, b'{"code":0}')), self.receiver()
        page = self.folder / "page"
        page.write_text('#!/bin/sh\ncat >>"$OUT"\necho "$1 $HOME" >>"$OUT.more"\n')
        page.chmod(page.stat().st_mode | stat.S_IXUSR)
        audit = self.webhook(hook)
        audit["webhook"]["tokenFile"] = "token"
        each = {"by": []}  # no groups: what fails is told at once
        monitor = self.start(self.config(
            audit,
            {"name": "bot", "feishu": {"urlFile": self.url_file("bot-url", feishu), "secretFile": "key"}, "group": each},
            {"name": "team", "slack": {"urlFile": self.url_file("team-url", slack)}, "text": "{{ .name }} <{{ .state }}>",
             "group": each},
            {"name": "pager", "command": {"arguments": [str(page), "an argument; $(touch x)"],
                                          "environment": {"OUT": str(self.folder / "paged")}}}))
        self.put(monitor, "bert", "Pending")
        self.put(monitor, "bert", "Pending", labels={"seen": "twice"})  # a change, but of no state
        self.put(monitor, "bert", "Running")
        self.put(monitor, "old", "Failed")
        self.cluster.delete("bert")
        changes = [("bert", "New", "Pending"), ("bert", "Pending", "Running"), ("old", "Running", "Failed"),
                   ("bert", "Running", "Gone")]
        self.until_told(hook, changes)
        self.until_counts(monitor, sent=16, queued=0, failed=0, dropped=0, coalesced=0, deadLetters=[])

        self.assertEqual(len({request.headers["X-Training-Monitor-Id"] for request in hook.all}), 4)
        for request in hook.all:
            self.assertEqual(request.path, f"/{URL_SECRET}?key={URL_SECRET}")
            self.assertEqual(request.headers["Authorization"], f"Bearer {TOKEN}")
            self.assert_signed(request)
        for request in feishu.all:
            stamp = request.json["timestamp"]
            wanted = base64.b64encode(hmac.new(f"{stamp}\n{KEY}".encode(), b"", hashlib.sha256).digest()).decode()
            self.assertEqual(request.json["sign"], wanted)
        self.assertEqual([request.json["content"]["text"].splitlines()[0] for request in feishu.all][1],
                         "default/bert is Running (one)")
        self.assertEqual([request.json["text"] for request in slack.all],
                         ["bert <Pending>", "bert <Running>", "old <Failed>", "bert <Gone>"])
        paged = [json.loads(line) for line in (self.folder / "paged").read_text().splitlines()]
        self.assertEqual([(n["name"], n["previousState"], n["state"]) for n in paged], changes)
        self.assertEqual(set((self.folder / "paged.more").read_text().splitlines()), {"an argument; $(touch x) "})
        self.assert_no_credential(monitor, hook, feishu, slack)
        self.assertEqual(monitor.stop(), 0)
        self.assertEqual(len(hook.all), 4)

    def test_rules_choose(self):
        one, two = self.receiver(), self.receiver()
        monitor = self.start(self.config(self.webhook(one, "one"), self.webhook(two, "two"), rules=[
            {"labels": "quiet=yes", "silent": True},
            {"clusters": ["o*"], "namespaces": ["default"], "kinds": ["Job"], "to": ["Failed", "Gone"],
             "receivers": ["one"], "continue": True},
            {"from": ["New"], "receivers": ["two"]}]))
        self.put(monitor, "hush", "Running", labels={"quiet": "yes"})
        self.put(monitor, "bert", "Running")
        self.put(monitor, "hush", "Failed", labels={"quiet": "yes"})
        self.put(monitor, "bert", "Failed")
        self.put(monitor, "stillborn", "Failed")
        self.until_told(one, [("bert", "Running", "Failed"), ("stillborn", "New", "Failed")])
        self.until_told(two, [("bert", "New", "Running"), ("stillborn", "New", "Failed")])

    def test_a_cluster_that_goes_away_and_returns(self):
        hook = self.receiver()
        monitor = self.start(self.config(self.webhook(hook)))
        file = self.files / "one.kubeconfig"
        text = file.read_text()
        file.unlink()
        wait.until("the cluster does not leave", lambda: monitor.cluster("one") is None)
        self.cluster.put("old", "Succeeded")
        file.write_text(text)
        self.until_told(hook, [("old", "Running", "Succeeded")])
        self.cluster.put("last", "Running")
        self.until_told(hook, [("old", "Running", "Succeeded"), ("last", "New", "Running")])

    def test_a_restart_without_memory_is_quiet(self):
        hook = self.receiver()
        config = self.config(self.webhook(hook))
        first = self.start(config)
        self.cluster.put("old", "Failed")
        self.until_told(hook, [("old", "Running", "Failed")])
        self.assertEqual(first.stop(), 0)
        self.start(config, log="log2")
        self.cluster.put("next", "Running")
        self.until_told(hook, [("old", "Running", "Failed"), ("next", "New", "Running")])


class Restarts(World):
    """With --state."""

    def settle(self, monitor):
        """Until what was told is in the state file."""
        self.until_counts(monitor, queued=0)
        wait.until("the state file is not written",
                   lambda: "\ntraining_monitor_state_waiting_changes 0\n" in monitor.get_raw("/metrics")[1])

    def restart(self, end):
        hook = self.receiver()
        config, state = self.config(self.webhook(hook)), self.folder / "state.db"
        first = self.start(config, "--state", state)
        for name in ("bert", "short"):
            self.put(first, name, "Running")
        self.put(first, "old", "Failed")
        before = [("bert", "New", "Running"), ("short", "New", "Running"), ("old", "Running", "Failed")]
        self.until_told(hook, before)
        self.settle(first)
        end(first)
        self.cluster.put("bert", "Succeeded")
        self.cluster.put("appeared", "Running")
        self.cluster.delete("short")
        second = self.start(config, "--state", state, log="log2")
        wait.until(lambda: f"told was {self.told(hook)}", lambda: len(hook.taken) >= 5)
        self.assertEqual(sorted(self.told(hook)[3:]), [("bert", "Running", "Succeeded"), ("short", "Running", "Gone")])
        self.settle(second)
        end(second)
        third = self.start(config, "--state", state, log="log3")
        self.put(third, "last", "Running")
        wait.until(lambda: f"told was {self.told(hook)}", lambda: len(hook.taken) >= 6)
        self.assertEqual(self.told(hook)[5:], [("last", "New", "Running")])

    def test_nothing_twice_and_what_happened_meanwhile_once(self):
        self.restart(lambda monitor: self.assertEqual(monitor.stop(), 0))

    def test_nothing_twice_after_a_kill(self):
        self.restart(lambda monitor: (monitor.process.kill(), monitor.process.wait()))

    def test_what_was_not_delivered_is_told_after_the_restart_with_the_same_id(self):
        hook = self.receiver(otherwise=receivers.answer(503))
        config, state = self.config(self.webhook(hook)), self.folder / "state.db"
        first = self.start(config, "--state", state)
        self.put(first, "bert", "Running")
        wait.until("no try", lambda: hook.all)
        self.assertEqual(first.stop(), 0)
        self.assertIn("notices are left unsent", first.log.read_text())
        hook.otherwise = receivers.answer(200)
        self.start(config, "--state", state, log="log2")
        wait.until("not told", lambda: hook.taken)
        self.assertEqual([n.json["state"] for n in hook.taken], ["Running"])
        self.assertEqual(hook.taken[0].headers["X-Training-Monitor-Id"], hook.all[0].headers["X-Training-Monitor-Id"])


    def test_a_job_that_ended_and_was_deleted_before_anybody_took_a_notice(self):
        hook = self.receiver()
        config, state = self.config(self.webhook(hook)), self.folder / "state.db"
        first = self.start(config, "--state", state)
        self.put(first, "bert", "Running")
        self.until_told(hook, [("bert", "New", "Running")])
        self.settle(first)
        hook.otherwise = receivers.answer(503)
        self.put(first, "bert", "Failed")
        self.cluster.delete("bert")
        wait.until("it is still shown", lambda: not first.job("one", "default", "Job", "bert"))
        self.assertEqual(first.stop(), 0)
        hook.otherwise = receivers.answer(200)
        second = self.start(config, "--state", state, log="log2")
        expected = [("bert", "New", "Running"), ("bert", "Running", "Failed"), ("bert", "Failed", "Gone")]
        self.until_told(hook, expected)
        self.settle(second)
        self.assertEqual(second.stop(), 0)
        third = self.start(config, "--state", state, log="log3")
        self.put(third, "last", "Running")
        self.until_told(hook, [*expected, ("last", "New", "Running")])


class Faults(World):
    def test_429_waits_as_asked_500_is_tried_again_404_is_not(self):
        hook = self.receiver(receivers.answer(429, b"slow down", Retry_After="2"), receivers.answer(500),
                             receivers.answer(200), receivers.answer(404))
        monitor = self.start(self.config(self.webhook(hook)))
        self.put(monitor, "bert", "Running")
        self.put(monitor, "bert", "Failed")
        self.until_told(hook, [("bert", "New", "Running")])
        counts = self.until_counts(monitor, sent=1, failed=1, queued=0)
        self.assertEqual(len(hook.all), 4)
        self.assertGreaterEqual(hook.all[1].at - hook.all[0].at, 2)
        self.assertEqual(len({request.headers["X-Training-Monitor-Id"] for request in hook.all[:3]}), 1)
        for request in hook.all:
            self.assert_signed(request)
        letter = counts["deadLetters"][0]
        self.assertRegex(letter.pop("at"), r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        self.assertEqual(letter, {"receiver": "hook", "job": "one/default/bert (Job)", "state": "Failed", "attempts": 1,
                                  "error": "HTTP 404"})
        self.assertIn("a notice was not delivered", monitor.log.read_text())
        self.assert_no_credential(monitor, hook)

    def test_a_receiver_that_hangs_holds_up_no_other(self):
        stuck, good = self.receiver(otherwise=receivers.hang), self.receiver()
        monitor = self.start(self.config(
            self.webhook(stuck, "stuck", timeout="500ms", queue=3, retry={"attempts": 1}), self.webhook(good, "good")))
        names = [f"job-{i}" for i in range(20)]
        for name in names:
            self.cluster.put(name, "Running")
        self.until_told(good, [(name, "New", "Running") for name in names])
        counts = self.until_counts(monitor, queued=0)
        self.assertEqual((counts["sent"], stuck.taken), (20, []))
        self.assertEqual(counts["failed"] + counts["dropped"], 20)
        errors = {letter["error"] for letter in counts["deadLetters"]}
        self.assertEqual(errors, {"no answer in time", "the queue was full"})
        self.assertEqual(monitor.stop(), 0)

    def test_receivers_that_hang_hold_up_no_stop(self):
        stuck = self.receiver(otherwise=receivers.hang)
        page, started = self.folder / "page", self.folder / "started"
        page.write_text('#!/bin/sh\ntrap "" TERM INT\necho $$ >"$OUT"\nwhile :; do sleep 1000; done\n')
        page.chmod(page.stat().st_mode | stat.S_IXUSR)
        monitor = self.start(self.config(
            self.webhook(stuck, timeout="5m"),
            {"name": "pager", "timeout": "5m", "command": {"arguments": [str(page)], "environment": {"OUT": str(started)}}}))
        self.put(monitor, "bert", "Running")
        wait.until("no try", lambda: stuck.all and started.is_file() and started.read_text().endswith("\n"))
        begin = time.monotonic()
        self.assertEqual(monitor.stop(), 0)
        # measures: it stops at once; Kubernetes gives it 30 s
        self.assertLess(time.monotonic() - begin, 10)
        self.assertEqual(monitor.log.read_text().count("notices are left unsent"), 2)
        process = pathlib.Path("/proc", started.read_text().strip())
        wait.until("the program lives on", lambda: not process.exists())

    def test_a_full_queue_becomes_one_notice_a_job_from_the_first_state_to_the_last(self):
        hook = self.receiver(receivers.answer(503, Retry_After="5"))
        monitor = self.start(self.config(self.webhook(hook, queue=1, repeatAfter="0s")))
        self.cluster.put("first", "Running")
        wait.until("no try", lambda: hook.all)
        for _ in range(10):
            for state in ("Running", "Pending"):
                self.put(monitor, "flapping", state)
        self.put(monitor, "flapping", "Failed")
        self.until_told(hook, [("first", "New", "Running"), ("flapping", "New", "Failed")])
        self.assertEqual(hook.taken[1].json["changes"], 21)
        self.until_counts(monitor, sent=2, coalesced=20, dropped=0, queued=0)

    @unittest.skipUnless(shutil.which("openssl"), "needs the openssl program")
    def test_certificates_are_verified(self):
        ours, others = (bad_servers.Authority(self.folder, name) for name in ("ours", "others"))
        good = self.receiver(tls=ours.issue("a", "127.0.0.1"))
        bad = {"wrong-ca": self.receiver(tls=others.issue("b", "127.0.0.1")),
               "wrong-name": self.receiver(tls=ours.issue("c", "127.0.0.2")),
               "expired": self.receiver(tls=ours.issue("d", "127.0.0.1", expired=True))}
        unknown = self.receiver(tls=ours.issue("e", "127.0.0.1"))
        config = [self.webhook(receiver, name) for name, receiver in (("good", good), *bad.items())]
        for each in config:
            each["webhook"]["caFile"] = "ours.crt"
        config.append(self.webhook(unknown, "unknown-ca"))
        monitor = self.start(self.config(*config))
        self.cluster.put("bert", "Running")
        counts = self.until_counts(monitor, sent=1, failed=4, queued=0)
        self.assertEqual(self.told(good), [("bert", "New", "Running")])
        self.assertEqual([receiver.all for receiver in (*bad.values(), unknown)], [[], [], [], []])
        self.assertEqual({letter["receiver"] for letter in counts["deadLetters"]}, {*bad, "unknown-ca"})
        for letter in counts["deadLetters"]:
            self.assertIn("TLS failed", letter["error"])

    def test_a_receiver_that_is_not_there_yet(self):
        gone = receivers.Receiver()
        config = self.config(self.webhook(gone))
        port = gone.server.server_address[1]
        gone.close()
        monitor = self.start(config)
        self.cluster.put("bert", "Running")
        wait.until("no try", lambda: 'outcome="sent"' in monitor.get_raw("/metrics")[1] and
                   "a receiver of notices fails" in monitor.log.read_text())
        self.assertIn("connection refused", monitor.log.read_text())
        self.assertNotIn(str(port), (self.folder / "log").read_text().split("a receiver of notices fails")[1])


class Test(World):
    def test_test_notify_sends_one_and_says_so(self):
        good, bad = self.receiver(), self.receiver(otherwise=receivers.answer(403))
        config = self.config(self.webhook(good, "good"), self.webhook(bad, "bad"))
        done = self.run_once("--notify-config", config, "--test-notify", "good")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"^good \(webhook\): sent, after \d+ ms\n$")
        self.assertEqual(self.told(good), [("test-job", "Pending", "Running")])
        self.assert_signed(good.all[0])
        done = self.run_once("--notify-config", config, "--test-notify")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("bad (webhook): not sent: HTTP 403", done.stdout)
        self.assertEqual((len(good.all), len(bad.all)), (2, 1))
        done = self.run_once("--notify-config", config, "--test-notify=nobody")
        self.assertEqual((done.returncode, len(good.all)), (2, 2), done.stderr)
        self.assertIn('no receiver "nobody"; there are good, bad', done.stderr)

    def test_the_examples_load(self):
        page = (monitors.ROOT / "docs/training_monitor/notices.md").read_text()
        block = page.split("## The file\n\n")[1].split("\n\n")[0]
        deployed = (monitors.ROOT / "examples/apps/training_monitor/deploy/components/notices/notify.yaml").read_text()
        for text in (textwrap.dedent(block), deployed.replace("/etc/training-monitor/notices/", "")):
            for name in re.findall(r"(?:url|secret)File: ([\w-]+)", text):
                (self.folder / name).write_text("https://127.0.0.1:1/x")
            file = self.folder / "notify.yaml"
            file.write_text(text)
            done = self.run_once("--notify-config", file, "--test-notify=nobody")
            names = ", ".join(re.findall(r"- name: (\w+)", text))
            self.assertIn(f'no receiver "nobody"; there are {names}\n', done.stderr)

    def test_what_is_wrong_is_2_and_named_and_no_credential(self):
        hook = self.receiver()
        cases = {
            "receivers: [": ["notify.yaml", "not YAML"],
            json.dumps({"receivers": [{"name": "a", "slack": {"url": f"https://h/{URL_SECRET}"}}]}):
                ["receivers[0].slack.url", "docs/training_monitor/notices.md"],
            json.dumps({"receivers": [{"name": "a", "slack": {"urlFile": f"https://h/{URL_SECRET}"}}], "rules": [{}]}):
                ["receivers[0]", "urlFile", "name of a file"],
            json.dumps({"receivers": [self.webhook(hook, queue=0)], "rules": [{}]}): ["queue", "0", "between 1 and"],
            json.dumps({"receivers": [self.webhook(hook)], "rules": [{"to": ["Broken"], "receivers": ["hook"]}]}):
                ["rules[0]", "to", "Broken", "Failed"],
        }
        file = self.folder / "notify.yaml"
        for text, parts in cases.items():
            with self.subTest(text):
                file.write_text(text)
                done = self.run_once("--clusters", self.files, "--notify-config", file, "--output", "none")
                self.assertEqual(done.returncode, 2, done.stderr)
                for part in parts:
                    self.assertIn(part, done.stderr)
                self.assertNotIn(URL_SECRET, done.stdout + done.stderr)
        done = self.run_once("--clusters", self.files, "--notify-config", self.folder / "absent", "--output", "none")
        self.assertEqual(done.returncode, 2)
        self.assertIn("absent", done.stderr)
        for arguments in (["--test-notify"], ["--once", "--notify-config", file]):
            self.assertEqual(self.run_once("--clusters", self.files, *arguments).returncode, 2)


class Latency(World):
    """From the API server's event to the receiver's request, with Python at both ends."""

    def test_a_notice_comes_at_once(self):
        hook = self.receiver()
        monitor = self.start(self.config(self.webhook(hook, rate={"perSecond": 1000, "burst": 1000}, queue=1000)))
        sent = []
        for i in range(300):
            sent.append(time.monotonic())
            self.cluster.put(f"job-{i}", "Running")
            wait.until(f"notice {i} does not come", lambda: len(hook.taken) > i, every=0.001)
        took = sorted(request.at - start for request, start in zip(hook.taken, sent, strict=True))
        p50, p99 = took[len(took) // 2], took[len(took) * 99 // 100]
        print(f"note: event to notice, one at a time: p50 {p50 * 1e3:.2f} ms, p99 {p99 * 1e3:.2f} ms")
        self.assertLess(p50, 1.0)
        self.assertIn("training_monitor_notice_latency_seconds_count 300", monitor.get_raw("/metrics")[1])


if __name__ == "__main__":
    unittest.main()
