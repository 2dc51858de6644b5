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
import wait

FOLDER = monitors.ROOT / "examples" / "training_monitor" / "deploy" / "monitoring"
PROMTOOL = os.environ.get("KCONTROL_PROMTOOL") or shutil.which("promtool")
PANELS = {"timeseries", "stat", "table", "row"}
METRIC = re.compile(r"\b(?:training|process)_[a-z_]+")
NO_PROMTOOL = "no promtool: scripts/promtool.sh fetches one, or name one in KCONTROL_PROMTOOL"


def families_of(text):
    """{family: (type, its labels)} of Prometheus' text format."""
    types = dict(re.findall(r"^# TYPE (\S+) (\S+)$", text, re.M))
    labels = {name: set() for name in types}
    for name, inside in re.findall(r"^([a-z_]+)\{(.*)\} \S+$", text, re.M):
        family = name if name in types else name.rsplit("_", 1)[0]
        labels[family] |= set(re.findall(r'([a-z_]+)="', inside))
    return {name: (types[name], labels[name]) for name in types}


def complaints_about(expression, families):
    """What is wrong with the names of metrics and labels in a PromQL expression."""
    out = []
    known = set()
    for name in METRIC.findall(expression):
        family, part = name, ""
        if name not in families:
            family, _, part = name.rpartition("_")
        if family not in families or (part and (families[family][0] != "histogram" or part not in ("bucket", "sum", "count"))):
            out.append(f"no metric {name}")
            continue
        known |= families[family][1]
        for matchers in re.findall(re.escape(name) + r"\{([^}]*)\}", expression):
            for label in re.findall(r"([a-z_]+)\s*[=!]", matchers):
                if label not in families[family][1]:
                    out.append(f"{name} has no label {label}")
    for by in re.findall(r"\bby \(([^)]*)\)", expression):
        out += [f"no label {label}" for label in re.split(r",\s*", by) if label not in known]
    return out


def alert_expressions(text):
    """The expressions of a rules file, without a YAML reader: `expr:` and what is indented below it."""
    found = re.findall(r"^( +)expr: (?:\|-\n((?:\1 .*\n)+)|(.*)\n)", text, re.M)
    return [block or line for _, block, line in found]


def concrete(expression):
    """As Grafana sends it."""
    return expression.replace("$__rate_interval", "5m").replace("$cluster", ".*").replace("$namespace", ".*").replace(
        "$kind", ".*")


def complaints_about_dashboard(dashboard, families):
    out = []
    for field in ("title", "uid", "schemaVersion", "panels", "templating", "time"):
        if not dashboard.get(field):
            out.append(f"no {field}")
    variables = {v["name"] for v in dashboard["templating"]["list"]}
    taken, ids = {}, set()
    for panel in dashboard["panels"]:
        title, at = panel["title"], panel["gridPos"]
        if panel["id"] in ids or panel["type"] not in PANELS:
            out.append(f"{title}: id {panel['id']} or type {panel['type']}")
        ids.add(panel["id"])
        if at["x"] + at["w"] > 24 or min(at.values()) < 0:
            out.append(f"{title}: beyond the 24 columns")
        for cell in ((x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])):
            if taken.setdefault(cell, title) != title:
                out.append(f"{title} overlaps {taken[cell]}")
                break
        targets = panel.get("targets", [])
        if panel["type"] != "row" and not targets:
            out.append(f"{title}: no query")
        if len({t["refId"] for t in targets}) != len(targets):
            out.append(f"{title}: a refId twice")
        for target in targets:
            expression = target["expr"]
            out += [f"{title}: {what}" for what in complaints_about(expression, families)]
            out += [f"{title}: no variable {name}" for name in re.findall(r"\$(\w+)", expression)
                    if name not in variables and name != "__rate_interval"]
            if target["datasource"]["uid"] != "${datasource}":
                out.append(f"{title}: its data source is fixed")
            out += [f"{title}: no label {name} for the legend" for name in re.findall(r"\{\{(\w+)\}\}", target["legendFormat"])
                    if name != "instance" and not any(name in families[f][1] for f in families if f in expression)]
    for variable in dashboard["templating"]["list"]:
        if variable["type"] == "query":
            metric, label = re.fullmatch(r"label_values\((\w+), (\w+)\)", variable["query"]["query"]).groups()
            if label not in families.get(metric, ("", set()))[1]:
                out.append(f"variable {variable['name']}: no {metric}.{label}")
    return out


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
                         lambda: re.search(r"http://[\d.:]+/", log.read_text()), 30)[0]
        def metrics():
            cls.text = subprocess.run(["curl", "-sSf", url + "metrics"], capture_output=True, text=True, check=True).stdout
            return all(f"# TYPE {name} " in cls.text for name in ("training_jobs", "training_monitor_objects"))

        wait.until(lambda: f"no jobs: {cls.text}", metrics, 60)
        cls.families = families_of(cls.text)
        cls.dashboard = json.loads((FOLDER / "dashboard.json").read_text())
        cls.rules = (FOLDER / "alerts.yaml").read_text()

    def test_the_operators_rules_are_these(self):
        rule = (FOLDER.parent / "components" / "prometheus-operator" / "prometheusrule.yaml").read_text()
        ours = self.rules[self.rules.index("groups:"):]
        self.assertEqual(rule[rule.index("spec:\n") + 6:], "".join(f"  {line}\n" for line in ours.splitlines()))

    def test_the_dashboard_shows_what_is_served(self):
        self.assertEqual(complaints_about_dashboard(self.dashboard, self.families), [])

    def test_the_alerts_ask_for_what_is_served(self):
        expressions = alert_expressions(self.rules)
        self.assertEqual(len(expressions), self.rules.count("- alert: "))
        self.assertEqual([what for each in expressions for what in complaints_about(each, self.families)], [])

    def test_every_alert_says_what_to_do(self):
        for rule in self.rules.split("  - alert: ")[1:]:
            for part in ("expr:", "severity:", "summary:", "description:"):
                self.assertIn(part, rule)

    def test_these_checks_find_mistakes(self):
        for expression, complaint in (("training_job", "no metric"), ("training_jobs_bucket", "no metric"),
                                      ('training_jobs{stat="x"}', "no label stat"),
                                      ("sum by (receiver) (training_jobs)", "no label receiver")):
            self.assertIn(complaint, " ".join(complaints_about(expression, self.families)))
        broken = json.loads(json.dumps(self.dashboard))
        broken["panels"][1]["gridPos"]["x"] -= 1
        broken["panels"][2]["targets"][0]["expr"] = 'training_jobs{cluster="$clusters"}'
        found = " ".join(complaints_about_dashboard(broken, self.families))
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
        rules = [{"record": f"query:{i}", "expr": concrete(query)} for i, query in enumerate(queries)]
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            json.dump({"groups": [{"name": "dashboard", "rules": rules}]}, file)
            file.flush()
            self.assertIn(f"{len(queries)} rules found", self.promtool("check", "rules", file.name))


if __name__ == "__main__":
    unittest.main()
