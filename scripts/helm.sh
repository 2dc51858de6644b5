#!/usr/bin/env bash
# Prints the path of a helm, for the tests of the chart: the one in PATH, or one built from its published Go module.
#
# usage: helm.sh        exit 1, and nothing printed: there is none, and none could be had
set -euo pipefail

version=v3.19.0
if command -v helm; then exit 0; fi
cache=${XDG_CACHE_HOME:-$HOME/.cache}/kcontrol/helm/$version
if [[ ! -x $cache/helm ]]; then
    command -v go >/dev/null || exit 1
    mkdir -p "$cache"
    exec 9>"$cache.lock"
    flock 9
    [[ -x $cache/helm ]] || GOBIN=$cache timeout 900 go install -trimpath -ldflags "-s -w" "helm.sh/helm/v3/cmd/helm@$version" >&2 || exit 1
fi
echo "$cache/helm"
