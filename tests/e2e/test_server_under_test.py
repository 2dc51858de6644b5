"""A user's test before a real kube-apiserver, which the library's own fixture starts (testing/server_under_test.hpp).

Run alone: run.py test_server_under_test
"""
import os
import subprocess
import unittest

import cluster
import probes


class TestServerUnderTest(unittest.TestCase):
    def test_real_apiserver(self):
        program = probes.program("test_server_under_test")
        assets, why = cluster.find_assets(server_only=True)
        if assets is None:
            self.skipTest(why)
        done = subprocess.run([program, "--no-colors"], env={**os.environ, "KUBEBUILDER_ASSETS": assets},
                              capture_output=True, text=True, timeout=600)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"test cases: +[1-9]\d* \| +[1-9]\d* passed \| +0 failed \| +0 skipped")


if __name__ == "__main__":
    unittest.main()
