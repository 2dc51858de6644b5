"""Dashboards and alert rules: whether they ask for metrics and labels that are there."""
import re

PANELS = {"timeseries", "stat", "table", "row"}


def families_of(text):
    """{family: (type, its labels)} of Prometheus' text format."""
    types = dict(re.findall(r"^# TYPE (\S+) (\S+)$", text, re.M))
    labels = {name: set() for name in types}
    for name, inside in re.findall(r"^(\w+)\{(.*)\} \S+$", text, re.M):
        family = name if name in types else name.rsplit("_", 1)[0]
        labels[family] |= set(re.findall(r'(\w+)="', inside))
    return {name: (types[name], labels[name]) for name in types}


def alert_expressions(text):
    """The expressions of a rules file, without a YAML reader: `expr:` and what is indented below it."""
    found = re.findall(r"^( +)expr: (?:\|-\n((?:\1 .*\n)+)|(.*)\n)", text, re.M)
    return [block or line for _, block, line in found]


def concrete(expression):
    """As Grafana sends it."""
    return re.sub(r"\$\w+", ".*", expression.replace("$__rate_interval", "5m"))


class Names:
    """The names of a program's metrics, as a regular expression."""

    def __init__(self, pattern):
        self.pattern = re.compile(rf"\b{pattern}")

    def complaints_about(self, expression, families):
        """What is wrong with the names of metrics and labels in a PromQL expression."""
        out = []
        known = {"instance"}   # which Prometheus adds
        for name in self.pattern.findall(expression):
            family, part = name, ""
            if name not in families:
                family, _, part = name.rpartition("_")
            if family not in families or (part and (families[family][0] != "histogram" or part not in ("bucket", "sum", "count"))):
                out.append(f"no metric {name}")
                continue
            known |= families[family][1]
            for matchers in re.findall(re.escape(name) + r"\{([^}]*)\}", expression):
                for label in re.findall(r"(\w+)\s*[=!]", matchers):
                    if label not in families[family][1]:
                        out.append(f"{name} has no label {label}")
        for by in re.findall(r"\bby \(([^)]*)\)", expression):
            out += [f"no label {label}" for label in re.split(r",\s*", by) if label not in known]
        return out

    def complaints_about_dashboard(self, dashboard, families):
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
                out += [f"{title}: {what}" for what in self.complaints_about(expression, families)]
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
