"""What must be true of the two real clusters and the monitor when all other tests have had them; comes last, by its name.
It ends the monitor.
"""
import json
import signal
import unittest

import expected
import wait
from fixture import KINDS, WorldTest


class End(WorldTest):
    def test_1_states_are_those_the_cluster_went_through(self):
        """Against kubectl's own watches: no state was made up, none out of order, and the last one is right."""
        truth = {}
        names = [c.name for c in (self.alpha, self.beta) for _ in KINDS[c.name]]
        for name, recorder in zip(names, self.world.recorders):
            for what, job in recorder.versions:
                if what == "DELETED":
                    continue
                states = truth.setdefault((name, job["metadata"]["uid"]), [])
                if not states or states[-1] != expected.state(job):
                    states.append(expected.state(job))
        seen, _, _ = self.monitor.events.check()
        compared = 0
        for (name, uid), states in seen.items():
            # kubectl's watches on alpha ended with its crash; what came later has no witness.
            if (name, uid) in truth and name == "beta":
                compared += 1
                self.assertTrue(expected.is_subsequence(states, truth[name, uid]), (name, uid, states, truth[name, uid]))
        self.assertGreater(compared, 0)

    def test_2_each_change_was_told_once(self):
        def counts():
            return json.loads(self.monitor.get_raw("/api/v1/notices")[1])

        wait.until(lambda: f"notices wait: {counts()}", lambda: counts()["queued"] == 0)
        self.assertEqual({k: v for k, v in counts().items() if k != "sent"},
                         {"queued": 0, "failed": 0, "dropped": 0, "coalesced": 0, "deadLetters": []})
        told = {}
        for request in self.world.told.taken:
            told.setdefault((request.json["cluster"], request.json["uid"]), []).append(request.json)
        shown = self.monitor.events.check()[0]
        self.assertLessEqual(set(told), set(shown))
        for job, states in shown.items():
            with self.subTest(job=job, states=states):
                steps = [(n["previousState"], n["state"]) for n in told.get(job, [])]
                if steps and steps[-1][1] == "Gone":
                    self.assertEqual(steps.pop()[0], states[-1])
                # A job that was there when its cluster was first seen is no news in that state.
                begin = ["New", *states] if steps and steps[0][0] == "New" else states
                self.assertEqual(steps, list(zip(begin, begin[1:])))
        print(f"note: {len(self.world.told.taken)} notices of {len(told)} jobs, each change once")

    def test_3_it_stops_at_once(self):
        self.monitor.process.send_signal(signal.SIGINT)
        # measures: Kubernetes gives it 30 s
        self.assertEqual(self.monitor.process.wait(timeout=10), 0)

    def tearDown(self):
        pass  # the monitor is gone


if __name__ == "__main__":
    unittest.main()
