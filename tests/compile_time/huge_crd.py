#!/usr/bin/env python3
"""Writes a CRD of about the wanted size with so many different objects, and names that try to break the header.

What a header costs goes with its types: every different object is one, and every member that holds one makes a list, a
dict or a boxed part of its own. Real CRDs are large for they repeat objects: RayCluster has 277 types in 0.9 MB, which
are three pod templates. Once there are DIFFERENT objects the rest is copies of them; without it no two are alike. The
output depends on the arguments only.
usage: huge_crd.py BYTES [DIFFERENT] >FILE
"""
import json
import sys

HOSTILE = ["default", "operator", "class", "a-b", "a.b", "a b", "1st", "\"); int evil; //", "*/ int evil;", "日本", "std",
           "kcontrol", "list", "a\\nb", "??/", "#include <x>", "%s", "R\"(x)\"", "__x", "_Y", "NULL", "int8_t", "x\ty"]


class Writer:
    """Makes objects until they are large enough together."""

    def __init__(self, size, different):
        self.left = size
        self.different = different
        self.count = 0
        self.made = []

    def scalar(self, n):
        return [{"type": "string", "description": f"Text number {n} of this object."},
                {"type": "integer", "format": "int32", "minimum": 0}, {"type": "integer", "format": "int64"},
                {"type": "boolean"}, {"type": "number"}, {"type": "string", "format": "date-time"},
                {"type": "array", "items": {"type": "string"}},
                {"type": "object", "additionalProperties": {"type": "string"}},
                {"x-kubernetes-int-or-string": True}][n % 9]

    def object(self, depth):
        self.count += 1
        own = self.count
        properties = {f"member{own}": {"type": "string"}}
        for i in range(4):
            properties[f"{HOSTILE[(own + i) % len(HOSTILE)]}{own % 7}"] = self.scalar(own + i)
        self.left -= len(json.dumps(properties, separators=(",", ":"))) + 60
        if depth > 0:
            for i in range(6):
                if self.left <= 0:
                    break
                self.hold(properties, f"part{i}Of{own}", i, depth - 1)
        made = {"type": "object", "description": f"Object {own}.", "properties": properties}
        return made

    def hold(self, properties, name, how, depth):
        """Adds a member that holds an object: alone, in a list or in a dict."""
        if self.count < self.different:
            part = self.object(depth)
            if depth >= 2:
                self.made.append((name, part))
        else:  # a copy is of the same type only if its member has the same name
            name, part = self.made.pop(0)
            self.made.append((name, part))
            self.left -= len(json.dumps(part, separators=(",", ":")))
        properties[name] = [
            part, {"type": "array", "items": part}, {"type": "object", "additionalProperties": part}][how % 3]


def main():
    size = int(sys.argv[1])
    writer = Writer(size, int(sys.argv[2]) if len(sys.argv) > 2 else size)
    spec = {"type": "object", "properties": {}}
    while writer.left > 0:
        number = len(spec["properties"])
        branch = {"type": "object", "properties": {}}
        writer.hold(branch["properties"], f"top{number}", number, 5)
        spec["properties"][f"branch{number}"] = branch
    crd = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
           "metadata": {"name": "huges.example.com"},
           "spec": {"group": "example.com", "scope": "Namespaced",
                    "names": {"kind": "Huge", "plural": "huges", "singular": "huge", "listKind": "HugeList"},
                    "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {
                        "type": "object", "properties": {"spec": spec}}}}]}}
    json.dump(crd, sys.stdout, separators=(",", ":"))
    print(file=sys.stderr, end=f"{writer.count} objects\n")


if __name__ == "__main__":
    main()
