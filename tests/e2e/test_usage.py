"""The monitor's command line: exit codes and messages; no cluster needed."""
import pathlib
import re
import socket
import subprocess
import tempfile
import unittest

import monitor as monitors


def run(*arguments):
    return subprocess.run([monitors.binary(), *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=60)


class Usage(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_help_and_version(self):
        self.assertIn("--clusters", run("--help").stdout)
        self.assertRegex(run("--version").stdout, r"\d+\.\d+\.\d+")
        self.assertEqual((run("--help").returncode, run("--version").returncode), (0, 0))

    def test_wrong_usage_is_2_and_named(self):
        for arguments, named in ((["--bogus"], "--bogus"), (["--kinds", "Nope", "--clusters", self.folder], "Nope"),
                                 (["--output", "xml", "--clusters", self.folder], "xml"), (["--listen", "nowhere"], "nowhere")):
            with self.subTest(arguments=arguments):
                done = run(*arguments)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(named, done.stderr)

    def test_a_missing_kubeconfig_is_1_and_named(self):
        file = self.folder / "absent.kubeconfig"
        done = run("--kubeconfig", file, "--once", "--output", "none", "--listen", "127.0.0.1:0")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, "--kubeconfig: .*absent.kubeconfig")

    def test_a_bad_kubeconfig_names_file_and_field_and_no_secret(self):
        file = self.folder / "bad.kubeconfig"
        file.write_text("apiVersion: v1\nkind: Config\ncurrent-context: c\n"
                        "contexts: [{name: c, context: {cluster: gone, user: u}}]\n"
                        "users: [{name: u, user: {token: hush-hush}}]\nclusters: []\n")
        done = run("--kubeconfig", file, "--once", "--output", "none", "--listen", "127.0.0.1:0")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertTrue(re.search(r"bad\.kubeconfig", done.stderr) and "gone" in done.stderr, done.stderr)
        self.assertNotIn("hush-hush", done.stdout + done.stderr)

    def test_a_port_in_use_is_1_and_named(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            done = run("--clusters", self.folder, "--output", "none", "--listen", f"127.0.0.1:{port}")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(str(port), done.stderr)


if __name__ == "__main__":
    unittest.main()
