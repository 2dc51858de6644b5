#!/usr/bin/env bash
# Prints the path of a Prometheus 3 for the tests; builds it from its Go module where there is none.
#
# usage: prometheus.sh [--no-build]       exit 3, and nothing printed: there is none, and none could be had
#
# Looks in KCONTROL_PROMETHEUS, in PATH (version 3 only) and in the user's cache. The build is without its page and
# without discovery in clouds, needs Go >= 1.26.7, and takes 3 minutes of a core.
set -euo pipefail
version=0.316.0  # of the module; the program is 3.16.0

if [[ -n ${KCONTROL_PROMETHEUS-} ]]; then echo "$KCONTROL_PROMETHEUS"; exit 0; fi
if program=$(command -v prometheus) && "$program" --version 2>&1 | grep -q '^prometheus, version 3\.'; then
    echo "$program"
    exit 0
fi
cache=${XDG_CACHE_HOME:-$HOME/.cache}/kcontrol/prometheus/$version
if [[ ! -x $cache/prometheus ]]; then
    [[ ${1-} != --no-build ]] && command -v go >/dev/null || exit 3
    mkdir -p "$cache"
    exec 9>"$cache.lock"
    flock 9
fi
if [[ ! -x $cache/prometheus ]]; then
    echo "Building prometheus ..." >&2
    source=$( (cd / && go mod download -json "github.com/prometheus/prometheus@v$version" || true) |
        sed -n 's/.*"Dir": "\(.*\)".*/\1/p')
    [[ -n $source ]] || exit 3
    # Its go.work names modules that the published one does not have.
    (cd "$source" && GOWORK=off go build -trimpath -tags netgo,remove_all_sd \
        -ldflags "-s -w -X github.com/prometheus/common/version.Version=3.16.0" \
        -o "$cache/prometheus" ./cmd/prometheus >&2) || exit 3
fi
echo "$cache/prometheus"
