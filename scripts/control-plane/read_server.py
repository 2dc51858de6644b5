#!/usr/bin/env python3
"""Reads what an API server says of its kinds: what scripts/kubernetes.sh generates from.

usage: read_server.py WORK OUT     WORK: the folder of a server that start.sh started
Writes OUT/openapi (the OpenAPI v3 documents, one file a group-version) and OUT/discovery (api.json, apis.json:
aggregated discovery; legacy.json: the lists of resources by group-version).
"""
import json
import pathlib
import ssl
import sys
import urllib.request

AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"


def main():
    work, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    url = (work / "url").read_text().strip()
    context = ssl.create_default_context(cafile=work / "ca.crt")
    context.load_cert_chain(work / "admin.crt", work / "admin.key")

    def get(path, accept="application/json"):
        request = urllib.request.Request(url + path, headers={"Accept": accept})
        with urllib.request.urlopen(request, context=context, timeout=60) as answer:
            return json.load(answer)

    def write(path, document):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(document))

    for name, where in get("/openapi/v3")["paths"].items():
        if name.startswith(("api/", "apis/")) and name.count("/") == (1 if name.startswith("api/") else 2):
            write(out / "openapi" / (name.replace("/", "__") + ".json"), get(where["serverRelativeURL"]))
    legacy = {}
    for file in ("api", "apis"):
        groups = get("/" + file, AGGREGATED)
        write(out / "discovery" / f"{file}.json", groups)
        for group in groups["items"]:
            for version in group["versions"]:
                name = "/".join(filter(None, (group["metadata"].get("name"), version["version"])))
                legacy[name] = get(f"/{file}/{name}")
    write(out / "discovery" / "legacy.json", legacy)


if __name__ == "__main__":
    main()
