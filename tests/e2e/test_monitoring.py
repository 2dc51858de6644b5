"""The dashboard and the alert rules: they ask for what the monitor serves, and Prometheus' own tool accepts them."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import monitor as monitors
import promql
import wait

FOLDER = monitors.ROOT / "examples" / "apps" / "training_monitor" / "deploy" / "monitoring"
PROMTOOL = os.environ.get("KCONTROL_PROMTOOL") or shutil.which("promtool")
NAMES = promql.Names(r"(?:training|process)_[a-z_]+")
NO_PROMTOOL = "no promtool: scripts/promtool.sh fetches one, or name one in KCONTROL_PROMTOOL"


class Monitoring(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        path = pathlib.Path(folder.name)
        config = path / "notify.yaml"
        config.write_text("receivers: [{name: r, command: {arguments: [/bin/true]}}]\nrules: [{receivers: [r]}]\n")
        log = path / "log"
        process = subprocess.Popen(
            [monitors.binary(), "--demo", "--output", "none", "--listen", "127.0.0.1:0", "--notify-config", config],
            stdin=subprocess.DEVNULL, stdout=log.open("w"), stderr=subprocess.STDOUT)
        cls.addClassCleanup(process.wait)
        cls.addClassCleanup(process.kill)
        url = wait.until(lambda: f"it does not serve: {log.read_text()}",
                         lambda: re.search(r"http://[\d.:]+/", log.read_text()))[0]
        def metrics():
            cls.text = subprocess.run(["curl", "-sSf", url + "metrics"], capture_output=True, text=True, check=True).stdout
            return all(f"# TYPE {name} " in cls.text for name in ("training_jobs", "training_monitor_objects"))

        wait.until(lambda: f"no jobs: {cls.text}", metrics, 60)
        cls.families = promql.families_of(cls.text)
        cls.dashboard = json.loads((FOLDER / "dashboard.json").read_text())
        cls.rules = (FOLDER / "alerts.yaml").read_text()

    def test_the_operators_rules_are_these(self):
        rule = (FOLDER.parent / "components" / "prometheus-operator" / "prometheusrule.yaml").read_text()
        ours = self.rules[self.rules.index("groups:"):]
        self.assertEqual(rule[rule.index("spec:\n") + 6:], "".join(f"  {line}\n" for line in ours.splitlines()))

    def test_the_dashboard_shows_what_is_served(self):
        self.assertEqual(NAMES.complaints_about_dashboard(self.dashboard, self.families), [])

    def test_the_alerts_ask_for_what_is_served(self):
        expressions = promql.alert_expressions(self.rules)
        self.assertEqual(len(expressions), self.rules.count("- alert: "))
        self.assertEqual([what for each in expressions for what in NAMES.complaints_about(each, self.families)], [])

    def test_every_alert_says_what_to_do(self):
        for rule in self.rules.split("  - alert: ")[1:]:
            for part in ("expr:", "severity:", "summary:", "description:"):
                self.assertIn(part, rule)

    def test_these_checks_find_mistakes(self):
        for expression, complaint in (("training_job", "no metric"), ("training_jobs_bucket", "no metric"),
                                      ('training_jobs{stat="x"}', "no label stat"),
                                      ("sum by (receiver) (training_jobs)", "no label receiver")):
            self.assertIn(complaint, " ".join(NAMES.complaints_about(expression, self.families)))
        broken = json.loads(json.dumps(self.dashboard))
        broken["panels"][1]["gridPos"]["x"] -= 1
        broken["panels"][2]["targets"][0]["expr"] = 'training_jobs{cluster="$clusters"}'
        found = " ".join(NAMES.complaints_about_dashboard(broken, self.families))
        self.assertIn("overlaps", found)
        self.assertIn("no variable clusters", found)

    def promtool(self, *arguments, stdin=None):
        done = subprocess.run([PROMTOOL, *map(str, arguments)], input=stdin, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout + done.stderr

    @unittest.skipUnless(PROMTOOL, NO_PROMTOOL)
    def test_promtool_takes_the_metrics(self):
        self.assertEqual(self.promtool("check", "metrics", stdin=self.text), "")

    @unittest.skipUnless(PROMTOOL, NO_PROMTOOL)
    def test_promtool_takes_the_rules_and_they_fire_when_they_should(self):
        self.promtool("check", "rules", FOLDER / "alerts.yaml")
        self.promtool("test", "rules", pathlib.Path(__file__).parent / "monitoring" / "alerts_test.yaml")

    @unittest.skipUnless(PROMTOOL, NO_PROMTOOL)
    def test_promtool_takes_every_query_of_the_dashboard(self):
        queries = [t["expr"] for panel in self.dashboard["panels"] for t in panel.get("targets", [])]
        rules = [{"record": f"query:{i}", "expr": promql.concrete(query)} for i, query in enumerate(queries)]
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            json.dump({"groups": [{"name": "dashboard", "rules": rules}]}, file)
            file.flush()
            self.assertIn(f"{len(queries)} rules found", self.promtool("check", "rules", file.name))


if __name__ == "__main__":
    unittest.main()
