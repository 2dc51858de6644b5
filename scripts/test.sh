#!/usr/bin/env bash
# Builds and runs every test and check; the last line counts them: N passed, N failed, N skipped.
# usage: test.sh [--fast | --all] [--only GROUP]... [--no-install] [--list] [--help]
#   --fast         lints, headers and unit tests; no packages, no real clusters. A test program that did not change since it
#                  passed is left out
#   --all          every group that needs no GPU: some hours; a test that passes only at a second try fails the run
#   --only GROUP   only this group (repeatable); with --all by the rules of --all
#   --no-install   only check whether the needed packages are there, install none
#   --list         print the names of the groups: all of them, or those of --fast or --all
# Unit tests run with AddressSanitizer and UBSan (preset clang-asan; with --all gcc-ubsan); logs are in build/test-logs.
# Groups that mostly wait (real clusters, a browser) run while others compile, and so do groups that compile little at a time.
# A table at the end says what each group took.
# A group that cannot run here (no Go for a control plane, say) counts as skipped and says why.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=scripts/test-groups.sh
source "${KCONTROL_TEST_GROUPS:-$ROOT/scripts/test-groups.sh}"
source "$ROOT/scripts/test-report.sh"

mode=install fast=0 all=0 list=0 only=()
while (($#)); do
    case $1 in
    --fast) fast=1 ;;
    --all) all=1 ;;
    --only) (($# > 1)) || { warn "--only needs a group (see --list)"; exit 2; }; only+=("$2"); shift ;;
    --no-install) mode=check ;;
    --list) list=1 ;;
    --help | -h) sed -n '2,14s/^# \?//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    *) warn "unknown option: $1 (see --help)"; exit 2 ;;
    esac
    shift
done
((!(fast && all))) || { warn "--fast and --all exclude each other"; exit 2; }
if ((list)); then
    if ((fast)); then printf '%s\n' "${FAST_GROUPS[@]}"
    elif ((all)); then printf '%s\n' "${ALL_GROUPS[@]}"
    else printf '%s\n' "${PLAIN_GROUPS[@]}" "${ALL_GROUPS[@]}" "${MACHINE_GROUPS[@]}" | awk '!seen[$0]++'; fi
    exit 0
fi
if ((${#only[@]} == 0)); then
    only=("${PLAIN_GROUPS[@]}")
    if ((fast)); then only=("${FAST_GROUPS[@]}"); fi
    if ((all)); then only=("${ALL_GROUPS[@]}"); fi
fi
for group in "${only[@]}"; do
    declare -F "group_$group" >/dev/null || { warn "no such group: $group (see --list)"; exit 2; }
done
export UNIT_PRESET=clang-asan
((all)) && UNIT_PRESET=gcc-ubsan

[[ -n ${KCONTROL_TEST_GROUPS-} ]] || ensure_packages "$mode" build test
use_ccache
record_compilations
LOGS=$BUILD/test-logs
mkdir -p "$LOGS"
for group in "${only[@]}"; do rm -f "$LOGS/$group".{log,count,count.flaky,times,status,compilations}; done
start_all=$SECONDS

# stage GROUP build|run FUNCTION: runs the function with the group's log; what it took is a line of the group's times. The
# status of a stage that failed stays in the group's status.
stage() {
    local group=$1 part=$2 function=$3 start=$SECONDS status=0
    RESULTS=$LOGS/$group.count STAGE=$part
    # Not "function || status=$?" directly: that would switch errexit off inside the function.
    set +e
    (
        export KCONTROL_COMPILATIONS=$LOGS/$group.compilations
        trap 'status=$?; times >"$LOGS/$group.$part.cpu"; exit $status' EXIT
        # A test that waits for a cluster gets the processor before a compiler does.
        [[ -z $lanes ]] || is_one_of "$group" "${WAITING_GROUPS[@]}" || renice -n "${niceness:-10}" -p "$BASHPID" >/dev/null
        set -e
        "$function"
    ) >>"$LOGS/$group.log" 2>&1 </dev/null
    status=$?
    set -e
    ((status == 0)) || echo "$status" >"$LOGS/$group.status"
    echo "$part $((SECONDS - start)) $(tail -n 1 "$LOGS/$group.$part.cpu" | cpu_seconds)" >>"$LOGS/$group.times"
    rm -f "$LOGS/$group.$part.cpu"
    return "$status"
}

run_group() {
    stage "$1" run "group_$1" || true
    report "$1"
}

# open_lane NAME GROUP...: if some of the run's groups are among these, they get a lane beside the main one. It runs the groups
# that are sent to it, one after the other.
declare -A lane_of=() lane_process=() lane_end=()
lanes=''
open_lane() {
    local name=$1 group end pipe=$LOGS/lane.$1.$$ mine=''
    shift
    for group in "${only[@]}"; do ! is_one_of "$group" "$@" || { lane_of[$group]=$name; mine=yes; }; done
    [[ $mine ]] || return 0
    mkfifo "$pipe"
    {
        # A lane ends when nobody can send to it any more.
        for end in "${lane_end[@]}"; do exec {end}>&-; done
        while read -r group; do run_group "$group"; done
    } <"$pipe" &
    lane_process[$name]=$!
    exec {end}>"$pipe"
    lane_end[$name]=$end
    rm "$pipe"
}
# Waits until the lane has run all that it was sent.
close_lane() {
    local end=${lane_end[$1]-}
    [[ $end ]] || return 0
    exec {end}>&-
    unset "lane_end[$1]"
    wait "${lane_process[$1]}"
}

later=()
if ((${#only[@]} > 1)) && [[ ${KCONTROL_TEST_LANES:-2} != 1 ]]; then
    lanes=yes
    open_lane waiting "${WAITING_GROUPS[@]}"
    open_lane side "${SIDE_GROUPS[@]}"
fi
# First whatever compiles; then what runs, and by then no compiler is at work any more.
for group in "${only[@]}"; do
    step "$group"
    if declare -F "build_$group" >/dev/null && ! stage "$group" build "build_$group"; then
        report "$group"
    elif [[ ${lane_of[$group]-} ]]; then
        echo "$group" >&"${lane_end[${lane_of[$group]}]}"
    elif declare -F "build_$group" >/dev/null; then
        later+=("$group")
    else
        run_group "$group"
    fi
done
close_lane side

# run_later BESIDE: those that run beside groups that wait (1), or all others (0).
run_later() {
    local group chosen=() filling=() filler=''
    for group in "${later[@]}"; do
        [[ $(is_one_of "$group" "${BESIDE_GROUPS[@]}" && echo 1 || echo 0) == "$1" ]] || continue
        if [[ $lanes ]] && is_one_of "$group" "${FILLING_GROUPS[@]}"; then filling+=("$group"); else chosen+=("$group"); fi
    done
    if ((${#filling[@]})); then
        step "${filling[*]} run"
        (niceness=15; for group in "${filling[@]}"; do run_group "$group"; done) &
        filler=$!  # reports start processes of their own, whose number $! is afterwards
    fi
    for group in "${chosen[@]}"; do
        step "$group runs"
        run_group "$group"
    done
    [[ ! $filler ]] || wait "$filler"
}
run_later 1
# What measures time runs when nothing compiles and no cluster is at work.
close_lane waiting
lanes=''
run_later 0
close_report "$((SECONDS - start_all))" "$all" "${only[@]}"
