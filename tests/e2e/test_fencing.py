"""service::lead at a real API server, with a store that refuses smaller tokens: leaders of a 3 s Lease are stopped (SIGSTOP),
killed and cut off, and go on writing with the token that they had. Tokens grow, no former leader's write is accepted
after one of the next leader, and the label is on two pods for at most the Lease's time.

KCONTROL_PROBES is the folder of fencing_probe. KCONTROL_FENCED_HANDOVERS: how many (12 otherwise); group fencing makes
500. KCONTROL_HANDOVER_SEED. Run alone: run.py test_fencing
"""
import concurrent.futures
import os
import random
import signal
import statistics
import unittest

import fencing
import probes
import server
import wait

LEASE = 3.0
AT_ONCE = 8  # contests, each in a namespace of its own: they mostly wait


class FencingTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.program = probes.program("fencing_probe")
        cls.real = server.Server("fencing")
        cls.addClassCleanup(cls.real.stop)

    def contest(self, namespace, times, through_proxy=True, pods="abc"):
        made = fencing.Contest(self.program, self.real, namespace, times, random.Random(f"{self.seed} {namespace}"),
                               through_proxy, pods)
        self.addCleanup(made.close)
        return made

    def setUp(self):
        self.seed = os.environ.get("KCONTROL_HANDOVER_SEED", "1")

    def test_no_write_of_a_former_leader_is_accepted(self):
        count = int(os.environ.get("KCONTROL_FENCED_HANDOVERS", "12"))
        groups = min(AT_ONCE, count)
        shares = [count // groups + (i < count % groups) for i in range(groups)]
        contests = [self.contest(f"fenced-{i}", (3000, 2000, 500)) for i in range(groups)]
        with concurrent.futures.ThreadPoolExecutor(groups) as threads:
            runs = [threads.submit(contest.run, share, i) for i, (contest, share) in enumerate(zip(contests, shares))]
            done = [run.result() for run in runs]
        refused, accepted = 0, 0
        for contest in contests:
            self.assertEqual(contest.wrong(), [])
            self.assertLessEqual(contest.record.longest_two, LEASE)
            refused += sum(not ok for _, _, ok in contest.store.writes)
            accepted += sum(ok for _, _, ok in contest.store.writes)
        kinds = {how: sum(each.get(how, 0) for each in done) for how in ("stop", "kill", "cut")}
        longest = max(contest.record.longest_two for contest in contests)
        print(f"{count} hand-overs of a Lease of {LEASE:.0f} s: {kinds}; {sum(len(c.terms) for c in contests)} terms, "
              f"{accepted} writes accepted, {refused} of former leaders refused; the label was on two pods for "
              f"{1000 * longest:.0f} ms at most")
        self.assertGreaterEqual(sum(kinds.values()), count)
        self.assertGreater(refused, count)  # else nobody tried
        self.assertGreaterEqual(sum(contest.record.moves for contest in contests), count)

    def test_a_free_lease_is_acquired_at_once(self):
        starts, follows = [], []
        contest = self.contest("free", (15000, 10000, 2000), through_proxy=False, pods="ab")
        a, b = contest.candidates
        for _ in range(10):
            a.start()
            _, _, ms = contest.next_leader()
            starts.append(ms)
            self.assertEqual(a.end(signal.SIGTERM), 0)
            a.process.stdout.close()
        a.start()
        contest.next_leader()
        leader, follower = a, b
        follower.start()
        for _ in range(10):
            contest.until_writing(leader)
            contest.until_following(follower, leader)
            freed = len(contest.record.freed)
            self.assertEqual(leader.end(signal.SIGTERM), 0)
            leader.process.stdout.close()
            when, _, _ = contest.next_leader(leader.identity)
            wait.until("the Lease was never free", lambda: len(contest.record.freed) > freed)
            follows.append(1000 * (when - contest.record.freed[freed]))
            leader.start()
            leader, follower = follower, leader
        for name, times in (("a start", starts), ("a release", follows)):
            print(f"a free Lease → leading, after {name}: median {statistics.median(times):.0f} ms, "
                  f"at most {max(times):.0f} ms")
            self.assertLess(statistics.median(times), 1000)
        self.assertEqual(contest.wrong(), [])


if __name__ == "__main__":
    unittest.main()
