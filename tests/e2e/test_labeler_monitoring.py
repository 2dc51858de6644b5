"""The labeler's dashboard and alert rules: they ask for what it serves, and Prometheus' own tool accepts them.

KCONTROL_LABELER is the program, KCONTROL_PROBES the folder with the stand-ins for NVML, KCONTROL_PROMTOOL promtool. Run
alone: run.py test_labeler_monitoring
"""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import labeler
import promql
import wait

FOLDER = labeler.ROOT / "examples" / "apps" / "gpu_labeler" / "deploy" / "monitoring"
PROMTOOL = os.environ.get("KCONTROL_PROMTOOL") or shutil.which("promtool")
NAMES = promql.Names(r"(?:DCGM_FI|kcontrol_gpu|gpu_labeler)_\w+")


DASHBOARD = json.loads((FOLDER / "dashboard.json").read_text())
RULES = (FOLDER / "alerts.yaml").read_text()


class Files(unittest.TestCase):
    def test_the_operators_rules_are_these(self):
        rule = (FOLDER.parent / "components" / "prometheus-operator" / "prometheusrule.yaml").read_text()
        ours = RULES[RULES.index("groups:"):]
        self.assertEqual(rule[rule.index("spec:\n") + 6:], "".join(f"  {line}\n" for line in ours.splitlines()))

    def test_every_alert_says_what_to_do(self):
        for rule in RULES.split("  - alert: ")[1:]:
            for part in ("expr:", "severity:", "summary:", "description:"):
                self.assertIn(part, rule)

    def promtool(self, *arguments):
        done = subprocess.run([PROMTOOL, *map(str, arguments)], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout + done.stderr

    @unittest.skipUnless(PROMTOOL, "no promtool: scripts/promtool.sh fetches one, or name one in KCONTROL_PROMTOOL")
    def test_promtool_takes_the_rules_and_they_fire_when_they_should(self):
        self.promtool("check", "rules", FOLDER / "alerts.yaml")
        self.promtool("test", "rules", pathlib.Path(__file__).parent / "monitoring" / "labeler_alerts_test.yaml")

    @unittest.skipUnless(PROMTOOL, "no promtool: scripts/promtool.sh fetches one, or name one in KCONTROL_PROMTOOL")
    def test_promtool_takes_every_query_of_the_dashboard(self):
        queries = [t["expr"] for panel in DASHBOARD["panels"] for t in panel.get("targets", [])]
        rules = [{"record": f"query:{i}", "expr": promql.concrete(query)} for i, query in enumerate(queries)]
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            json.dump({"groups": [{"name": "dashboard", "rules": rules}]}, file)
            file.flush()
            self.assertIn(f"{len(queries)} rules found", self.promtool("check", "rules", file.name))


@unittest.skipUnless(labeler.is_built(), "the gpu_labeler program or the fake NVML is not built")
class Served(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        inventory = pathlib.Path(folder.name) / "inventory.txt"
        inventory.write_text((labeler.FAKE / "inventories" / "h100-x8.txt").read_text() + "event gpu=3 type=8 data=13\n")
        running = labeler.Labeler(inventory, pathlib.Path(folder.name) / "log", "--output", "none", "--node-name", "n",
                                  "--sample-interval", "100ms")
        cls.addClassCleanup(running.stop)

        def metrics():
            cls.text = running.get("/metrics")[1]
            return all(f"\n{name}{{" in cls.text for name in ("DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL", "kcontrol_gpu_xids_total"))

        wait.until(lambda: f"not all is measured: {cls.text}", metrics)
        cls.families = promql.families_of(cls.text)

    def test_the_dashboard_shows_what_is_served(self):
        self.assertEqual(NAMES.complaints_about_dashboard(DASHBOARD, self.families), [])

    def test_the_alerts_ask_for_what_is_served(self):
        expressions = promql.alert_expressions(RULES)
        self.assertEqual(len(expressions), RULES.count("- alert: "))
        self.assertEqual([what for each in expressions for what in NAMES.complaints_about(each, self.families)], [])

    def test_these_checks_find_mistakes(self):
        for expression, complaint in (("kcontrol_gpu_healt", "no metric"), ('kcontrol_gpu_health{node="x"}', "no label node"),
                                      ("DCGM_FI_DEV_GPU_TMP", "no metric"),
                                      ("sum by (xid) (kcontrol_gpu_health)", "no label xid")):
            self.assertIn(complaint, " ".join(NAMES.complaints_about(expression, self.families)))


if __name__ == "__main__":
    unittest.main()
