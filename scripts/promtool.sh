#!/usr/bin/env bash
# Prints the path of a promtool, Prometheus' own checker of metrics and rules, for the tests.
#
# usage: promtool.sh        exit 1, and nothing printed: there is none, and none could be had
#
# Debian's package has it beside the server, and installing that would start a daemon; so only the program is taken out
# of the package, into the user's cache.
set -euo pipefail

if command -v promtool; then exit 0; fi
cache=${XDG_CACHE_HOME:-$HOME/.cache}/kcontrol/promtool
if [[ ! -x $cache/promtool ]]; then
    command -v apt-get dpkg-deb >/dev/null || exit 1
    mkdir -p "$cache"
    work=$(mktemp -d "$cache/download-XXXXXX")
    trap 'rm -rf "$work"' EXIT
    cd "$work"
    timeout 300 apt-get download prometheus >&2 || exit 1
    dpkg-deb --fsys-tarfile prometheus_*.deb | tar -x ./usr/bin/promtool
    mv usr/bin/promtool "$cache/promtool"
fi
echo "$cache/promtool"
