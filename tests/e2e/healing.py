"""The recorded case of the healer with its real times: 120 s of verification, within 257 s in all.

Only by name, for it takes five minutes: run.py healing, or scripts/test.sh --only healing.
"""
import unittest

from recorded_case import RecordedCase


class HealingTest(RecordedCase):
    def test_the_recorded_case(self):
        measured = self.play(unknown_after=30, known_after=30, hold=120, awx_late=5, awx_takes=30, fallback_after=10)
        self.assertLessEqual(measured["from the condition to the taint"], 2)
        self.assertLessEqual(measured["from True to the taint's end, without holdSeconds"], 5)
        self.assertLessEqual(measured["in all"], 257)


if __name__ == "__main__":
    unittest.main()
