#!/usr/bin/env python3
"""The version check: version.hpp, CHANGELOG.md, vcpkg.json, the port and each Helm chart name one version; the port one
set of needs.

CMake and conanfile.py read version.hpp themselves.
usage: check_versions.py [ROOT] [--self-test]
"""
import json
import re

import lint

HEADER = "include/kcontrol/version.hpp"


def header_version(root):
    text = (root / HEADER).read_text()
    parts = [re.search(rf"#define KCONTROL_VERSION_{part} (\d+)\n", text) for part in ("MAJOR", "MINOR", "PATCH")]
    string = re.search(r'#define KCONTROL_VERSION_STRING "([^"]*)"\n', text)
    numbers = ".".join(match.group(1) for match in parts if match)
    return numbers, string.group(1) if string else None


def abi_namespace(root):
    """The inline namespace of what the library defines: v0_1, by major and minor, as SOVERSION."""
    return "v" + "_".join(header_version(root)[0].split(".")[:2])


def names(manifest):
    return {d for d in manifest["dependencies"] if isinstance(d, str)}


def check(root):
    numbers, version = header_version(root)
    messages = []
    if numbers != version:
        messages.append(f"{HEADER}: the numbers say {numbers}, the text says {version}")
    manifests = {}
    for path in ("vcpkg.json", "ports/kcontrol/vcpkg.json"):
        manifests[path] = json.loads((root / path).read_text())
        if manifests[path]["version"] != version:
            messages.append(f"{path}: version {manifests[path]['version']}, {HEADER} says {version}")
    if names(manifests["vcpkg.json"]) != names(manifests["ports/kcontrol/vcpkg.json"]):
        messages.append("vcpkg.json and ports/kcontrol/vcpkg.json list different dependencies")
    for path in sorted(root.glob("examples/apps/*/deploy/chart/Chart.yaml")):
        for key, found in re.findall(r"^(version|appVersion): (\S+)$", path.read_text(), re.M):
            if found != version:
                messages.append(f"{path.relative_to(root)}: {key} {found}, {HEADER} says {version}")
    newest = re.search(r"^## (\d+\.\d+\.\d+)", (root / "CHANGELOG.md").read_text(), re.M)
    if not newest or newest.group(1) != version:
        messages.append(f"CHANGELOG.md: the newest entry is not {version}")
    for path, pattern in (("CMakeLists.txt", r"include\(cmake/version.cmake\)"), ("conanfile.py", r"version\.hpp")):
        if not re.search(pattern, (root / path).read_text()):
            messages.append(f"{path}: does not read {HEADER}")
    return messages


# For self-tests.
HEADER_OF_1_2_3 = {HEADER: "#define KCONTROL_VERSION_MAJOR 1\n#define KCONTROL_VERSION_MINOR 2\n"
                           '#define KCONTROL_VERSION_PATCH 3\n#define KCONTROL_VERSION_STRING "1.2.3"\n'}


def tree(**changes):
    files = HEADER_OF_1_2_3 | {
        "vcpkg.json": '{"version": "1.2.3", "dependencies": ["a"]}',
        "ports/kcontrol/vcpkg.json": '{"version": "1.2.3", "dependencies": ["a", {"name": "b"}]}',
        "examples/apps/a/deploy/chart/Chart.yaml": "apiVersion: v2\nversion: 1.2.3\nappVersion: 1.2.3\n",
        "CHANGELOG.md": "# Changes\n\n## 1.2.3\n",
        "CMakeLists.txt": "include(cmake/version.cmake)\n",
        "conanfile.py": "load('version.hpp')\n",
    }
    return {**files, **changes}


PLANTED = [
    (tree(**{HEADER: tree()[HEADER].replace("1.2.3", "1.2.4")}), "the numbers say"),
    (tree(**{"vcpkg.json": '{"version": "1.2.2", "dependencies": ["a"]}'}), "vcpkg.json: version 1.2.2"),
    (tree(**{"ports/kcontrol/vcpkg.json": '{"version": "1.2.3", "dependencies": []}'}), "different dependencies"),
    (tree(**{"examples/apps/a/deploy/chart/Chart.yaml": "version: 1.2.3\nappVersion: 1.2.2\n"}), "appVersion 1.2.2"),
    (tree(**{"CHANGELOG.md": "## 1.2.2\n"}), "newest entry"),
    (tree(**{"CMakeLists.txt": "project(kcontrol VERSION 1.2.3)\n"}), "does not read"),
]

if __name__ == "__main__":
    lint.main(check, PLANTED, tree(), __doc__)
