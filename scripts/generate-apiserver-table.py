#!/usr/bin/env python3
"""Writes src/testserver/builtin_table.hpp: what the in-process API server knows of Kubernetes' own
kinds, as one text. Facts only, no prose: names, types, how lists merge, what discovery says.

usage: generate-apiserver-table.py OPENAPI-FOLDER FIELDS.tsv DISCOVERY-FOLDER
  OPENAPI-FOLDER    the OpenAPI v3 documents of an API server, one file a group-version
  FIELDS.tsv        of every field: its Go type, and whether JSON shows a zero
  DISCOVERY-FOLDER  api.json and apis.json: the aggregated discovery of the same server (/api and /apis asked for with
                    Accept: application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList); legacy.json: an
                    object with what /api/v1 and /apis/GROUP/VERSION answer, under "v1" and "GROUP/VERSION"
"""
import json, pathlib, re, sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tools"))

import check_versions

VERBS = {"create": "c", "delete": "d", "deletecollection": "D", "get": "g", "list": "l", "patch": "p", "update": "u",
         "watch": "w"}
SCALARS = {("string", "date-time"): "t", ("string", "byte"): "y", ("string", "int-or-string"): "x",
           ("integer", "int32"): "i", ("integer", "int64"): "l", ("boolean", None): "b", ("string", None): "s"}
SPECIAL = {"resource.Quantity": "q", "intstr.IntOrString": "x", "MicroTime": "u", "meta.v1.Time": "t",
           "runtime.RawExtension": "r", "FieldsV1": "r", "JSON": "r", "JSONSchemaPropsOrArray": "r",
           "JSONSchemaPropsOrBool": "r", "JSONSchemaPropsOrStringArray": "r", "DeleteOptions": None, "Status": None,
           "WatchEvent": None}


def main():
    openapi, fields, discovery = (pathlib.Path(a) for a in sys.argv[1:4])
    types = {}
    for file in sorted(openapi.glob("*.json")):
        types.update(json.loads(file.read_text())["components"]["schemas"])
    go = {}
    for line in fields.read_text().splitlines()[1:]:
        of, name, _, _, gotype, zero = line.split("\t")
        go[of, name] = (gotype, zero)
    kinds, roots = read_kinds(discovery, types)
    order, seen, queue = [], set(), list(roots)
    while queue:
        name = queue.pop(0)
        if name in seen:
            continue
        seen.add(name)
        order.append(name)
        for field in types[name].get("properties", {}).values():
            queue += [n for n in references(field) if code(n) is None]
    number = {name: str(i) for i, name in enumerate(order)}
    lines = [k.format(root=number.get(root, "-")) for k, root in kinds]
    lines += [type_line(name, types[name], go, number) for name in order]
    write(lines)


def read_kinds(discovery, types):
    kinds, roots = [], []
    by_kind = {}
    for name, schema in types.items():
        for gvk in schema.get("x-kubernetes-group-version-kind", []):
            by_kind.setdefault((gvk["group"], gvk["version"], gvk["kind"]), name)
    legacy = json.loads((discovery / "legacy.json").read_text())
    for file in ("api", "apis"):
        for item in json.loads((discovery / f"{file}.json").read_text())["items"]:
            group = item["metadata"].get("name", "")
            for version in item["versions"]:
                for r in version["resources"]:
                    kind = r["responseKind"]["kind"]
                    root = by_kind[group, version["version"], kind]
                    roots.append(root)
                    subs = [":".join((s["subresource"], s["responseKind"].get("group", ""),
                                      s["responseKind"].get("version", ""), s["responseKind"]["kind"],
                                      "".join(VERBS[v] for v in s["verbs"]))) for s in r.get("subresources", [])]
                    verbs = "".join(VERBS[v] for v in r["verbs"])
                    listed = legacy[(group + "/" if group else "") + version["version"]]["resources"]
                    stored = next(l for l in listed if l["name"] == r["resource"]).get("storageVersionHash", "-")
                    kinds.append((" ".join(["K", group or "-", version["version"], r["resource"], r["singularResource"],
                                            kind, r["scope"][0], verbs, ",".join(r.get("shortNames", [])) or "-",
                                            ",".join(r.get("categories", [])) or "-", ",".join(subs) or "-",
                                            stored, "{root}"]), root))
    return kinds, roots


def code(name):
    short = name.removeprefix("io.k8s.")
    for suffix, letter in SPECIAL.items():
        if short.endswith("." + suffix):
            return letter or "r"
    return None


def references(schema):
    if "$ref" in schema:
        yield schema["$ref"].rsplit("/", 1)[1]
    for inner in schema.get("allOf", []) + schema.get("oneOf", []):
        yield from references(inner)
    for inner in ("items", "additionalProperties"):
        if isinstance(schema.get(inner), dict):
            yield from references(schema[inner])


def type_code(schema, number):
    for name in references({k: v for k, v in schema.items() if k in ("$ref", "allOf", "oneOf")}):
        return code(name) or "#" + number[name]
    kind = schema.get("type")
    if kind == "array":
        return "[" + type_code(schema["items"], number)
    if kind == "object":
        more = schema.get("additionalProperties")
        return "{" + type_code(more, number) if isinstance(more, dict) else "r"
    if kind == "number":
        return "n"
    if kind is None:
        return "r"
    return SCALARS.get((kind, schema.get("format")), "s" if kind == "string" else "l")


def go_field(go, name, field):
    """Some types have the members of others in them: a Volume those of its VolumeSource."""
    for of in (name, name + "Source", name + "Handler", name + "Common", name.replace("Spec", "Source")):
        if (of, field) in go:
            return go[of, field]
    return "*", "omitempty"


def type_line(name, schema, go, number):
    short = name.removeprefix("io.k8s.").removeprefix("api.")
    out = ["T", short, "a" if schema.get("x-kubernetes-map-type") == "atomic" else "-"]
    for field, s in schema.get("properties", {}).items():
        gotype, zero = go_field(go, "k8s.io." + name.removeprefix("io.k8s."), field)
        flags = []
        if zero == "always":
            flags.append("z")
        if gotype.startswith("*"):
            flags.append("p")
        if field in schema.get("required", []):
            flags.append("r")
        if s.get("x-kubernetes-map-type") == "atomic":
            flags.append("a")
        kind = s.get("x-kubernetes-list-type")
        if kind == "map":
            flags.append("m:" + "+".join(s["x-kubernetes-list-map-keys"]))
        if kind == "set":
            flags.append("s")
        strategy = s.get("x-kubernetes-patch-strategy", "")
        if "merge" in strategy:
            flags.append("M:" + s.get("x-kubernetes-patch-merge-key", ""))
        if "retainKeys" in strategy:
            flags.append("R")
        if s.get("enum"):
            flags.append("e:" + "+".join(e for e in s["enum"] if e))
        default = s.get("default")
        if default not in (None, {}, "", 0, False):
            flags.append("d:" + json.dumps(default, separators=(",", ":")))
        entry = f"{field}={type_code(s, number)}"
        assert not re.search(r"\s", entry + "".join(flags)), (name, field)
        out.append("|".join([entry] + flags))
    return " ".join(out)


def write(lines):
    parts, size = [[]], 0
    for line in lines:
        if size + len(line) > 30000:
            parts.append([])
            size = 0
        parts[-1].append(line)
        size += len(line)
    text = ["// Written by scripts/generate-apiserver-table.py; the format is said in builtin_schema.hpp.", "#pragma once", "",
            "#include <array>", "#include <string_view>", "",
            f"namespace kcontrol::inline {check_versions.abi_namespace(ROOT)}::testing::detail {{", "",
            "// clang-format off",
            f"inline constexpr std::array<std::string_view, {len(parts)}> builtin_table = {{"]
    for part in parts:
        text += ['R"table(' + "\n".join(part) + '\n)table",']
    text += ["};", "// clang-format on", "", "}  // namespace kcontrol::testing::detail", ""]
    here = pathlib.Path(__file__).resolve().parents[1]
    (here / "src/testserver/builtin_table.hpp").write_text("\n".join(text))


main()
