#!/usr/bin/env bash
# Builds and runs every test and check; the last line counts them: N passed, N failed, N skipped.
# usage: test.sh [--fast] [--sanitize] [--only GROUP]... [--no-install] [--list] [--help]
#   --fast         lints and unit tests without sanitizers; no packages, no real clusters
#   --sanitize     with --fast: the unit tests with sanitizers all the same
#   --only GROUP   only this group (repeatable; --list names them)
#   --no-install   only check whether the needed packages are there, install none
# Unit tests run with AddressSanitizer and UBSan (preset gcc-asan); logs are in build/test-logs.
# A group that cannot run here (no Go for a control plane, say) counts as skipped and says why.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
source "$ROOT/scripts/test-groups.sh"

mode=install fast=0 sanitize=0 only=()
while (($#)); do
    case $1 in
    --fast) fast=1 ;;
    --sanitize) sanitize=1 ;;
    --only) (($# > 1)) || { warn "--only needs a group (see --list)"; exit 2; }; only+=("$2"); shift ;;
    --no-install) mode=check ;;
    --list) printf "%s\n" "${ALL_GROUPS[@]}" "${EXTRA_GROUPS[@]}"; exit 0 ;;
    --help | -h) sed -n '2,10s/^# \?//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    *) warn "unknown option: $1 (see --help)"; exit 2 ;;
    esac
    shift
done
if ((${#only[@]} == 0)); then
    only=("${ALL_GROUPS[@]}")
    ((fast)) && only=("${FAST_GROUPS[@]}")
fi
for group in "${only[@]}"; do
    declare -F "group_$group" >/dev/null || { warn "no such group: $group (see --list)"; exit 2; }
done
export UNIT_PRESET=gcc-asan
((fast && !sanitize)) && UNIT_PRESET=dev

ensure_packages "$mode" build test
use_ccache
LOGS=$BUILD/test-logs
mkdir -p "$LOGS"
passed=0 failed=0 skipped=0 names=()
start_all=$SECONDS
for group in "${only[@]}"; do
    step "$group"
    start=$SECONDS status=0
    RESULTS=$LOGS/$group.count
    : >"$RESULTS"
    # Not "group || status=$?" directly: that would switch errexit off inside the group.
    set +e
    (set -e; "group_$group") >"$LOGS/$group.log" 2>&1 </dev/null
    status=$?
    set -e
    read -r p f s < <(awk '{p += $1; f += $2; s += $3} END {print p + 0, f + 0, s + 0}' "$RESULTS")
    # A group that broke off before it counted anything as failed is a failure, and so is one that counted nothing.
    if ((status != 0 && f == 0)) || ((p + f + s == 0)); then f=$((f + 1)); fi
    grep -E '^(note|skipped): ' "$LOGS/$group.log" | sed 's/^/   /' || true
    if ((f > 0)); then
        # Once more at the end, in few lines: who reads only the end of a long output learns what failed.
        mapfile -t -O "${#names[@]}" names < <(
            { grep -aoE '^(FAILED|FAIL|ERROR): .*' "$LOGS/$group.log" || echo "status $status"; } | sort -u | head -n 12 | cut -c1-160 | sed "s/^/$group: /")
        grep -aE -A 60 '^(FAILED|FAIL|ERROR): ' "$LOGS/$group.log" | head -n 200 | sed 's/^/   | /' || true
        say "   --- end of $LOGS/$group.log"
        tail -n "${KCONTROL_LOG_TAIL:-60}" "$LOGS/$group.log" | sed 's/^/   | /'
    fi
    say "   $p passed, $f failed, $s skipped ($((SECONDS - start)) s)"
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
done
((failed == 0)) || printf '   %s\n' "Failed:" "${names[@]}"
say "All groups took $((SECONDS - start_all)) s."
say "$passed passed, $failed failed, $skipped skipped"
((failed == 0))
