#!/usr/bin/env python3
"""Writes a CRD of about the wanted size in which no two objects are alike, with names that try to break the header.

It is the worst case of a generated header: every object is a type of its own, and every member that holds one makes a
list, a dict or a boxed part of its own. The output depends on the arguments only.
usage: huge_crd.py BYTES >FILE
"""
import json
import sys

HOSTILE = ["default", "operator", "class", "a-b", "a.b", "a b", "1st", "\"); int evil; //", "*/ int evil;", "日本", "std",
           "kcontrol", "list", "a\\nb", "??/", "#include <x>", "%s", "R\"(x)\"", "__x", "_Y", "NULL", "int8_t", "x\ty"]


class Writer:
    """Makes objects until they are large enough together."""

    def __init__(self, size):
        self.left = size
        self.count = 0

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
                part = self.object(depth - 1)
                properties[f"part{i}Of{own}"] = [
                    part, {"type": "array", "items": part}, {"type": "object", "additionalProperties": part}][i % 3]
        return {"type": "object", "description": f"Object {own}.", "properties": properties}


def main():
    size = int(sys.argv[1])
    writer = Writer(size)
    spec = {"type": "object", "properties": {}}
    while writer.left > 0:
        spec["properties"][f"branch{len(spec['properties'])}"] = writer.object(5)
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
