#!/usr/bin/env bash
# Builds the training-job monitor and runs its demonstration: simulated clusters, no Kubernetes needed.
# usage: demo.sh [--no-install] [--once] [OPTION]...
#   --no-install   only check whether the needed packages are there; exit 1 with the command to run if not
#   --once         run the scenario to its end without a terminal or a person; the last line counts, exit 1 if
#                  anything was duplicated or lost
#   OPTION         passed on to the monitor, for instance --listen 127.0.0.1:9090
# Shows a table in the terminal and a page at http://127.0.0.1:8080. Ctrl-C stops it.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# Tests run the monitor that they have compiled anyway.
mode=install preset=${KCONTROL_DEMO_PRESET:-demo} options=()
for argument in "$@"; do
    case $argument in
    --no-install) mode=check ;;
    --help | -h) sed -n '2,8s/^# \?//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    *) options+=("$argument") ;;
    esac
done
step "Packages"
ensure_packages "$mode" demo
use_ccache
# CMake ignores this in a build folder that has a compiler.
compiler=$(demo_compiler)
[[ $preset != demo || -z $compiler || -n ${CXX-} ]] || export CXX=$compiler
step "Build (some minutes the first time)"
configure "$preset"
build "$preset" training_monitor
step "Demonstration"
exec "$BUILD/$preset/examples/apps/training_monitor/training_monitor" --demo "${options[@]}"
