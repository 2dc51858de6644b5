#!/usr/bin/env bash
# Lists the Debian or Ubuntu packages that are missing, then installs them (with sudo where needed).
# usage: install-deps.sh [--no-install] [--build-only]
#   --no-install   only check: exit 1, with the command to run, if something is missing
#   --build-only   what the library and its programs need; without it also what the tests and checks need
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
mode=install sets=(build test)
for argument in "$@"; do
    case $argument in
    --no-install) mode=check ;;
    --build-only) sets=(build) ;;
    --help | -h) sed -n '2,5s/^# \?//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    *) warn "unknown option: $argument (see --help)"; exit 2 ;;
    esac
done
ensure_packages "$mode" "${sets[@]}"
