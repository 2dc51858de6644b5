#!/usr/bin/env python3
"""Writes the same object again in other words, through every verb, and records what each write changes (noop.json).

usage: noop.py URL [--ca FILE] [--cert FILE --key FILE] [--token TOKEN] [--only PLURAL] [--record | --print]
Without --record the answers are compared with those of noop.json; exit 1 if one differs. noop_test.cpp does the same
with the in-process server. --record is for a real one: it makes the other words anew from each kind's "base" body, by
the types of src/testserver/builtin_table.hpp.
"""
import argparse, copy, json, pathlib, re, ssl, sys, time, urllib.error, urllib.request

here = pathlib.Path(__file__).resolve().parent
parser = argparse.ArgumentParser()
parser.add_argument("url")
for option in ("--ca", "--cert", "--key", "--token", "--only"):
    parser.add_argument(option)
parser.add_argument("--record", action="store_true")
options = parser.parse_args()
context = ssl.create_default_context(cafile=options.ca) if options.url.startswith("https") else None
if options.cert:
    context.load_cert_chain(options.cert, options.key)
RECORDS = here / "noop.json"


def ask(method, path, body=None, content_type="application/json"):
    headers = {"Content-Type": content_type, "User-Agent": "noop/1"}
    if options.token:
        headers["Authorization"] = "Bearer " + options.token
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(options.url + path, method=method, headers=headers, data=data)
    try:
        with urllib.request.urlopen(request, context=context, timeout=60) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as answer:
        return answer.code, json.loads(answer.read())


class Types:
    """The types of the built-in kinds: {field: (form, flags)} by number."""

    def __init__(self):
        self.types, self.roots = [], {}
        for line in (here.parents[1] / "src/testserver/builtin_table.hpp").read_text().splitlines():
            line = line.removeprefix('R"table(')
            if line.startswith("T "):
                fields = (field.partition("=") for field in line.split(" ")[3:] if field)
                self.types.append({name: (rest.split("|")[0], rest.split("|")[1:]) for name, _, rest in fields})
            elif line.startswith("K "):
                words = line.split(" ")
                if words[-1].isdigit():
                    group = "" if words[1] == "-" else words[1] + "/"
                    self.roots[group + words[2], words[5]] = "#" + words[-1]

    def rewrite(self, form, value, change):
        """The value with change(form, value) done at every place that has a form, from the inside out."""
        if form.startswith("#") and isinstance(value, dict):
            fields = self.types[int(form[1:])]
            value = {k: self.rewrite(fields[k][0], v, change) if k in fields else v for k, v in value.items()}
        elif form[0] == "[" and isinstance(value, list):
            value = [self.rewrite(form[1:], v, change) for v in value]
        elif form[0] == "{" and isinstance(value, dict):
            value = {k: self.rewrite(form[1:], v, change) for k, v in value.items()}
        return change(form, value)


TYPES = Types()
QUANTITIES = {"1.0": "1", "1000m": "1.000", "500m": "0.5", "0.5": "500m", "1024Mi": "1Gi", "1073741824": "1073741824.0",
              "1e3": "1.0e3", "10.0": "10000m", "1.5": "1500m", "0.250": "250m"}


def quantities(form, value):
    return QUANTITIES.get(value, value) if form == "q" else value


def moments(form, value):
    if form not in "tu" or not isinstance(value, str):
        return value
    hour = int(value[11:13])
    fraction = value[19:-1] if form == "u" else ".5"
    return f"{value[:11]}{(hour + 2):02}{value[13:19]}{fraction}+02:00" if hour < 22 else value


def order(form, value):
    return dict(reversed(list(value.items()))) if isinstance(value, dict) else value


def with_absent(zero_of):
    def change(form, value):
        if not form.startswith("#") or not isinstance(value, dict):
            return value
        out = dict(value)
        for name, (inner, flags) in TYPES.types[int(form[1:])].items():
            # An empty choice is no zero of its field: as a key of a list it is another item.
            chosen = any(flag[:2] in ("e:", "d:") for flag in flags)
            zero = ... if chosen else zero_of(inner, "p" in flags)
            if name not in out and name not in ("apiVersion", "kind", "metadata", "status") and zero is not ...:
                out[name] = zero
        return out
    return change


def zero(form, pointer):
    if pointer:
        return ...
    zeros = {"s": "", "b": False, "i": 0, "l": 0, "[": [], "{": {}, "y": ""}
    return zeros.get(form[0], ...)


VARIANTS = {"base": None, "quantities": quantities, "times": moments, "order": order, "zeros": with_absent(zero),
            "nulls": with_absent(lambda form, pointer: None)}


# To a real server an empty list that is said is another generation of these, each time.
COUNT_EMPTY = ("NetworkPolicy", "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")


def variants(base):
    root = TYPES.roots[base["apiVersion"], base["kind"]]
    out = {}
    for name, change in VARIANTS.items():
        if base["kind"] in COUNT_EMPTY and name in ("zeros", "nulls"):
            continue
        made = copy.deepcopy(base)
        if change is not None:
            made = TYPES.rewrite(root, made, change)
        made["metadata"] = base["metadata"] if name != "order" else made["metadata"]
        # The order of members is what this variant is about.
        if name == "base" or json.dumps(made) != json.dumps(base):
            out[name] = made
    return out


def fill(value, mark):
    if isinstance(value, str):
        return value.replace("${ns}", mark)
    if isinstance(value, list):
        return [fill(item, mark) for item in value]
    return {k: fill(v, mark) for k, v in value.items()} if isinstance(value, dict) else value


# Not recorded: what others write meanwhile, or add by an admission plugin that the server for tests does not have.
OF_OTHERS = {
    "Namespace": ("apply",),  # the one before is still being deleted
    "Node": ("update base", "apply base"),  # TaintNodesByCondition adds a taint
    "PersistentVolumeClaim": ("apply base",),  # a controller writes status
    "ControllerRevision": ("json patch base",),  # compared letter by letter, and the patch has dropped the blanks
    "VolumeAttributesClass": ("update base",),  # a controller adds a finalizer
}


def keep_own(kind, outcomes, shown):
    if kind == "Node":
        shown.pop("spec", None)
    for what in list(outcomes):
        if any(what == one or one == "apply" and what.startswith(one) for one in OF_OTHERS.get(kind, ())):
            del outcomes[what]


def version(shown):
    metadata = shown.get("metadata", {})
    managed = json.dumps(metadata.get("managedFields"))
    return metadata.get("resourceVersion"), metadata.get("generation"), managed


class Run:
    def __init__(self, path, ns):
        self.path, self.ns, self.outcomes, self.texts = fill(path, ns), ns, {}, {}

    def named(self, body, name=None):
        body = fill(body, self.ns)
        if name:
            body["metadata"]["name"] = name
        return body

    def write(self, what, method, path, body, content_type="application/json"):
        before = ask("GET", path.partition("?")[0].removesuffix("/status"))[1]
        code, shown = ask(method, path, body, content_type)
        after = ask("GET", path.partition("?")[0].removesuffix("/status"))[1]
        a, b = version(before), version(after)
        outcome = code if code >= 300 else "same" if a == b else "changed" if a[1] == b[1] else "changed generation"
        self.outcomes[what] = outcome
        self.texts[what] = shown.get("message", "") if code >= 300 else (before, after)

    def all(self, bodies):
        base = self.named(bodies["base"])
        at = self.path + "/" + base["metadata"]["name"]
        self.remove(at)
        code, made = ask("POST", self.path, base)
        self.shown = {k: v for k, v in made.items() if k not in ("apiVersion", "kind", "metadata", "status")}
        self.outcomes["create"] = code
        self.texts["create"] = made.get("message", "")
        if code >= 300:
            return
        for name, body in bodies.items():
            body = self.named(body)
            put = copy.deepcopy(body)
            put["metadata"]["resourceVersion"] = ask("GET", at)[1]["metadata"]["resourceVersion"]
            self.write("update " + name, "PUT", at, put)
            self.write("merge patch " + name, "PATCH", at, body, "application/merge-patch+json")
            self.write("strategic patch " + name, "PATCH", at, body, "application/strategic-merge-patch+json")
            steps = [{"op": "add", "path": "/" + k, "value": v} for k, v in body.items()
                     if k not in ("apiVersion", "kind", "metadata", "status")]
            self.write("json patch " + name, "PATCH", at, steps, "application/json-patch+json")
        self.write("update shown", "PUT", at, ask("GET", at)[1])
        self.write("update status", "PUT", at + "/status", ask("GET", at)[1])
        self.remove(at)
        self.apply(bodies, at)
        self.remove(at)

    def remove(self, at):
        ask("DELETE", at)
        if "finalizers" in ask("GET", at)[1].get("metadata", {}):
            ask("PATCH", at, {"metadata": {"finalizers": None}}, "application/merge-patch+json")

    def apply(self, bodies, at):
        apply = at + "?fieldManager=applier&force=true"
        code, made = ask("PATCH", apply, self.named(bodies["base"]), "application/apply-patch+yaml")
        self.outcomes["apply"] = code
        self.texts["apply"] = made.get("message", "")
        if code >= 300:
            return
        for name, body in bodies.items():
            if name == "nulls":  # a real server records who said null, ours does not
                continue
            for time_ in ("", " again"):
                self.write("apply " + name + time_, "PATCH", apply, self.named(body), "application/apply-patch+yaml")


ns = f"noop-{int(time.time())}"
ask("POST", "/api/v1/namespaces", {"metadata": {"name": ns}})
document = json.loads(RECORDS.read_text())
count = failed = 0
for kind in document["kinds"]:
    if options.only and not kind["path"].endswith("/" + options.only):
        continue
    bodies = variants(kind["bodies"]["base"]) if options.record else kind["bodies"]
    run = Run(kind["path"], ns)
    run.all(bodies)
    if options.record:
        kind["bodies"] = bodies
        keep_own(bodies["base"]["kind"], run.outcomes, run.shown)
        kind["outcomes"] = run.outcomes
        kind["shown"] = json.loads(json.dumps(run.shown).replace(ns, "${ns}"))
        for what, outcome in run.outcomes.items():
            if isinstance(outcome, int) and outcome >= 300:
                print(kind["bodies"]["base"]["kind"], what, outcome, str(run.texts[what])[:300])
    else:
        for what, outcome in kind["outcomes"].items():
            count += 1
            found = run.outcomes.get(what)
            if found != outcome:
                failed += 1
                text = run.texts.get(what, "")
                if isinstance(text, tuple):
                    a, b = (json.dumps({**t, "metadata": {k: v for k, v in t.get("metadata", {}).items() if k not in ("managedFields", "resourceVersion")}}, sort_keys=True) for t in text)
                    import difflib
                    da, db = (json.dumps(json.loads(x), indent=0, sort_keys=True).splitlines() for x in (a, b))
                    text = "; ".join(l for l in difflib.unified_diff(da, db, n=0, lineterm="") if l[0] in "+-")[:400]
                print(f"{kind['bodies']['base']['kind']}: {what}: {found}, not {outcome}: {text[:500]}")
if options.record:
    lines = [json.dumps(kind) for kind in document["kinds"]]
    RECORDS.write_text('{"about": ' + json.dumps(document.get("about", "")) + ',\n "kinds": [\n' + ",\n".join(lines) + "\n]}\n")
print(f"{count - failed} as recorded, {failed} not")
sys.exit(1 if failed else 0)
