# shellcheck shell=bash
# What test.sh says of its groups: when one ends, and all of them as a table at the end. It reads LOGS/GROUP.…:
#   count         lines PASSED FAILED SKIPPED
#   count.flaky   what passed at a second try only, a line each
#   status        there only if a stage failed
#   times         lines build|run SECONDS CPU-SECONDS
#   log           lines "compiled: SECONDS" of a run are time that belongs to compiling; "units: N" are compilations
#   compilations  lines SECONDS MEGABYTES SOURCE: what the compiler took that no cache knew
# BUDGET has a line for a group that compiles: GROUP UNITS CPU-SECONDS-COMPILING CPU-SECONDS-RUNNING; "-" for what is not held.
# Its line "memory EXPECTED MOST" is what one compilation may take, in megabytes.
BUDGET=${KCONTROL_TEST_BUDGET:-$ROOT/tests/budget.txt}

# The two times of bash's `times`, as 1m2.500s 0m0.250s, added up: whole seconds.
cpu_seconds() { awk '{ for (i = 1; i <= NF; ++i) { split($i, t, /[ms]/); sum += t[1] * 60 + t[2] } } END { printf "%d", sum + 0.5 }'; }

# A group that broke off before it counted anything as failed is a failure, and so is one that counted nothing.
counts_of() {
    awk -v broken="$([[ -f $LOGS/$1.status ]] && echo 1 || echo 0)" '{ p += $1; f += $2; s += $3 }
        END { if (p + f + s == 0 || broken && f == 0) f += 1; print p + 0, f, s + 0 }' "$LOGS/$1.count" 2>/dev/null ||
        echo "0 1 0"
}

# seconds compiled, seconds run, CPU seconds compiled, CPU seconds run, units
times_of() {
    local inner units
    inner=$(awk '$1 == "compiled:" { n += $2 } END { print n + 0 }' "$LOGS/$1.log")
    units=$(awk '$1 == "units:" { n += $2 } /^\[[0-9]+\/[0-9]+\] Building CXX / { ++n } END { print n + 0 }' "$LOGS/$1.log")
    # What a group that only compiles took is all compiling.
    awk -v inner="$inner" -v units="$units" -v only="$(is_one_of "$1" "${COMPILING_GROUPS[@]}" && echo 1 || echo 0)" '
        $1 == "build" { built += $2; built_cpu += $3 }
        $1 == "run" { ran += $2; ran_cpu += $3 }
        END {
            if (only) { built += ran; built_cpu += ran_cpu; ran = ran_cpu = 0 }
            if (inner > ran) inner = ran
            print built + inner, ran - inner, built_cpu + 0, ran_cpu + 0, units
        }' "$LOGS/$1.times" 2>/dev/null
}

# Of a group: what it compiled beyond its budget is a failed check; what took much longer is a warning.
hold_budget() {
    local group=$1 row compiled_cpu ran_cpu units most_units most_compiled most_ran
    # A row may be for one preset of the tests: they compile in batches of other sizes.
    row=$(grep -E "^$group/$UNIT_PRESET " "$BUDGET" 2>/dev/null || grep -E "^$group " "$BUDGET" 2>/dev/null) || return 0
    read -r _ _ compiled_cpu ran_cpu units < <(times_of "$group")
    read -r _ most_units most_compiled most_ran <<<"$row"
    if ((units > most_units)); then
        echo "FAILED: budget: $units files were compiled, $most_units may be ($BUDGET)" >>"$LOGS/$group.log"
        echo "0 1 0" >>"$LOGS/$group.count"
    else
        echo "1 0 0" >>"$LOGS/$group.count"
    fi
    warn_of_time "$group" compiling "$compiled_cpu" "$most_compiled"
    warn_of_time "$group" running "$ran_cpu" "$most_ran"
}

# A compilation that takes more memory than expected is a warning; one that takes too much is a failed check of a group that every
# change must pass.
hold_memory() {
    local group=$1 expected most seconds megabytes source
    read -r _ expected most < <(grep -E '^memory ' "$BUDGET" 2>/dev/null) || return 0
    [[ -f $LOGS/$group.compilations ]] || return 0
    while read -r seconds megabytes source; do
        if ((megabytes > most && !${all:-0})) && is_one_of "$group" "${PLAIN_GROUPS[@]}"; then
            echo "FAILED: budget: compiling $source took $megabytes MB and $seconds s, $most MB may be ($BUDGET)" >>"$LOGS/$group.log"
            echo "0 1 0" >>"$LOGS/$group.count"
        elif ((megabytes > expected)); then
            echo "note: warning: compiling $source took $megabytes MB and $seconds s, $expected MB were expected" >>"$LOGS/$group.log"
        fi
    done < <(sort -u "$LOGS/$group.compilations")
}

# The most memory that a compilation of a group took, in megabytes.
peak_of() { awk '$2 > most { most = $2 } END { print most + 0 }' "$LOGS/$1.compilations" 2>/dev/null || echo 0; }

warn_of_time() { # GROUP WHAT SECONDS EXPECTED
    [[ $4 != - ]] && (($3 * 100 > $4 * 115)) || return 0
    echo "note: warning: $2 took $3 CPU seconds, $4 were expected" >>"$LOGS/$1.log"
}

# failures_of GROUP COUNT: a line each, the first few.
failures_of() {
    { grep -aoE '^(FAILED|FAIL|ERROR): .*' "$LOGS/$1.log" || echo "status $(cat "$LOGS/$1.status" 2>/dev/null)"; } |
        sort -u | head -n "$2" | cut -c1-160 | sed "s/^/$1: /"
}

# Prints what became of a group, in one piece: two groups may end at the same time.
report() {
    local group=$1 p f s compiled ran
    hold_budget "$group"
    hold_memory "$group"
    read -r p f s < <(counts_of "$group")
    read -r compiled ran _ < <(times_of "$group")
    {
        flock 7
        say "-- $group: $p passed, $f failed, $s skipped (compiled $compiled s, ran $ran s)"
        grep -aE '^(note|skipped): ' "$LOGS/$group.log" | sed 's/^/   /' || true
        if ((f > 0)); then
            grep -aE -A 60 '^(FAILED|FAIL|ERROR): ' "$LOGS/$group.log" | head -n 200 | sed 's/^/   | /' || true
            say "   --- end of $LOGS/$group.log"
            tail -n "${KCONTROL_LOG_TAIL:-60}" "$LOGS/$group.log" | sed 's/^/   | /'
        fi
    } 7>"$LOGS/report.lock"
}

# close_report SECONDS STRICT GROUP...: the table, what failed and what was flaky in few lines, and the counts as the last line.
close_report() {
    local seconds=$1 strict=$2 group p f s passed=0 failed=0 skipped=0 flaky=() names=()
    shift 2
    printf '\n%-16s %7s %7s %8s  %9s %7s %13s %8s %6s %8s\n' group passed failed skipped "compiled" "ran" "CPU compiled" "CPU ran" units peak
    for group in "$@"; do
        read -r p f s < <(counts_of "$group")
        passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
        ((f == 0)) || mapfile -t -O "${#names[@]}" names < <(failures_of "$group" 12)
        [[ ! -s $LOGS/$group.count.flaky ]] || mapfile -t -O "${#flaky[@]}" flaky < <(sed "s/^/$group: /" "$LOGS/$group.count.flaky")
        # shellcheck disable=SC2046
        printf '%-16s %7d %7d %8d  %7d s %5d s %11d s %6d s %6d %5d MB\n' "$group" "$p" "$f" "$s" $(times_of "$group") "$(peak_of "$group")"
    done
    ((failed == 0)) || printf '   %s\n' "Failed:" "${names[@]}"
    if ((${#flaky[@]})); then
        printf '   %s\n' "Flaky (passed at the second try only):" "${flaky[@]}"
        if ((strict)); then failed=$((failed + ${#flaky[@]})); fi
    fi
    say "All groups took $seconds s; flaky: ${#flaky[@]}."
    say "$passed passed, $failed failed, $skipped skipped"
    ((failed == 0))
}
