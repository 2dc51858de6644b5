#!/usr/bin/env bash
# Prints where axe-core is, which checks the pages' accessibility in tests/browser/test_axe.py: KCONTROL_AXE, else the
# package from npm's registry, fetched once into build/axe. Prints nothing where neither is to be had.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
version=4.10.2

if [[ -n ${KCONTROL_AXE-} ]]; then
    echo "$KCONTROL_AXE"
    exit
fi
file=$PWD/build/axe/axe-core-$version.min.js
if [[ ! -e $file ]] && command -v npm > /dev/null; then
    mkdir -p build/axe
    part=$(mktemp -d build/axe/part.XXXXXX)
    trap 'rm -rf "$part"' EXIT
    if (cd "$part" && npm pack --silent "axe-core@$version" > /dev/null 2>&1 && tar xzf axe-core-*.tgz package/axe.min.js); then
        mv "$part/package/axe.min.js" "$file"
    fi
fi
[[ ! -e $file ]] || echo "$file"
