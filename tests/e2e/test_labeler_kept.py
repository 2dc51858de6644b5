"""What the labeler measured outlives it: in a file, over a restart, and in a database that it pushes to.

KCONTROL_LABELER is the program, KCONTROL_PROBES the folder with the stand-ins for NVML. Run alone: run.py
test_labeler_kept
"""
import json
import pathlib
import re
import tempfile
import unittest

import labeler
import receivers
import wait

INVENTORY = labeler.FAKE / "inventories" / "h100-x8.txt"
LINE = re.compile(r"gpu,host=(\S+),gpu=(\d),uuid=(\S+),model=((?:\\ |\S)+) (\S+) (\d{19})")
SECRET = "T0PSECRET"


@unittest.skipUnless(labeler.is_built(), "the gpu_labeler program or the fake NVML is not built")
class Kept(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.starts = 0

    def start(self, *flags):
        self.starts += 1
        running = labeler.Labeler(INVENTORY, self.folder / f"log{self.starts}", "--output", "none", "--node-name", "n",
                                  "--sample-interval", "1s", *flags)
        self.addCleanup(running.stop)
        return running

    @staticmethod
    def times(running):
        answer = json.loads(running.get("/api/v1/history?metric=powerW")[1])
        return [time for time, _ in answer["items"][0]["points"]] if answer["items"] else []


class InAFile(Kept):
    def test_the_past_survives_a_restart(self):
        file = self.folder / "past"
        running = self.start("--history-file", file)
        self.assertEqual(running.wait_for("there is no past of the GPUs; it begins now")["level"], "info")
        wait.until("nothing is measured", lambda: len(self.times(running)) > 2)
        before = self.times(running)
        self.assertEqual(running.stop()[0], 0)
        self.assertLess(file.stat().st_size, 2 << 20)
        self.assertEqual([f.name for f in self.folder.iterdir() if f.name.startswith(".")], [])
        running = self.start("--history-file", file)
        self.assertEqual(running.wait_for("the past of the GPUs is read")["gpus"], 8)
        after = self.times(running)
        self.assertEqual(after[:len(before)], before)
        wait.until("it does not go on", lambda: len(self.times(running)) > len(before))

    def test_a_broken_file_is_told_and_replaced(self):
        file = self.folder / "past"
        file.write_text("{}")
        running = self.start("--history-file", file)
        told = running.wait_for("the past of the GPUs can't be read; it begins now")
        self.assertEqual((told["level"], told["file"]), ("warning", str(file)))
        self.assertEqual(running.stop()[0], 0)
        self.assertEqual(file.read_bytes()[:8], b"GPUPAST1")

    def test_a_file_that_cannot_be_written_ends_nothing(self):
        running = self.start("--history-file", self.folder / "none" / "past")
        wait.until("nothing is measured", lambda: self.times(running))
        self.assertEqual(running.stop()[0], 0)
        self.assertIn("the past of the GPUs can't be saved", running.log.read_text())


class Pushed(Kept):
    def push(self, *script, **more):
        receiver = receivers.Receiver(*script, **more)
        self.addCleanup(receiver.close)
        login = self.folder / "login"
        login.write_text(f"Token {SECRET}\n")
        return receiver, self.start("--push-url", f"{receiver.url}/api/v2/write?org=o&bucket=b",
                                    "--push-authorization-file", login)

    def test_each_measurement_arrives(self):
        receiver, running = self.push()
        wait.until("nothing arrives", lambda: len(receiver.taken) > 1)
        request = receiver.taken[0]
        self.assertEqual(request.path, "/api/v2/write?org=o&bucket=b")
        self.assertEqual(request.headers["Authorization"], f"Token {SECRET}")
        lines = request.body.decode().splitlines()
        self.assertEqual(len(lines), 8)
        for index, line in enumerate(lines):
            found = LINE.fullmatch(line)
            self.assertIsNotNone(found, line)
            self.assertEqual((found[1], found[2], found[4]), ("n", str(index), "NVIDIA\\ H100\\ 80GB\\ HBM3"))
            fields = dict(field.split("=") for field in found[5].split(","))
            self.assertEqual(float(fields["health"]), 0)
            self.assertIn("powerW", fields)
        self.assertGreater(running.metric("gpu_labeler_pushed_samples_total"), 0)
        self.assertNotIn(SECRET, running.log.read_text())

    def test_an_outage_costs_nothing_and_is_told_twice(self):
        away = [receivers.answer(503)] * 2
        receiver, running = self.push(receivers.answer(204), *away)
        again = running.wait_for("what the GPUs measure is pushed again")
        self.assertEqual((again["dropped"], again["to"]), (0, receiver.url))
        told = [r for r in running.records() if r["message"] == "what the GPUs measure can't be pushed"]
        self.assertEqual([r["error"] for r in told], ["it answers 503"])
        times = [int(LINE.fullmatch(line)[6]) for r in receiver.taken for line in r.body.decode().splitlines()[::8]]
        self.assertEqual(times, sorted(set(times)))   # each once, none left out
        self.assertLess(max((b - a) / 1e9 for a, b in zip(times, times[1:])), 3)
        self.assertEqual(running.metric("gpu_labeler_push_failures_total"), 2)

    def test_what_is_refused_is_not_sent_again(self):
        receiver, running = self.push(receivers.answer(400, SECRET.encode()))
        wait.until("nothing arrives after it", lambda: receiver.taken)
        self.assertNotIn(receiver.all[0].body, [r.body for r in receiver.all[1:]])
        self.assertIn('gpu_labeler_pushed_samples_total{outcome="dropped"} 1\n', running.get("/metrics")[1])
        self.assertNotIn(SECRET, running.log.read_text())

    def test_a_login_that_cannot_be_read_is_told(self):
        receiver = receivers.Receiver()
        self.addCleanup(receiver.close)
        running = self.start("--push-url", f"{receiver.url}/write", "--push-authorization-file", self.folder / "none")
        told = running.wait_for("what the GPUs measure can't be pushed")
        self.assertIn("--push-authorization-file", told["error"])
        self.assertEqual(receiver.all, [])
        (self.folder / "none").write_text("Token later\n")
        wait.until("it is not read again", lambda: receiver.taken)


if __name__ == "__main__":
    unittest.main()
