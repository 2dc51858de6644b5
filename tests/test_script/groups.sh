# shellcheck shell=bash
# Groups for tests/test_script/run.py: each ends in one of the ways in which a group can end.
PLAIN_GROUPS=(good heavy)
ALL_GROUPS=(good flaky)
FAST_GROUPS=(good)
MACHINE_GROUPS=()
WAITING_GROUPS=(waits waits_badly)
BESIDE_GROUPS=(steady fills)
FILLING_GROUPS=(fills)
SIDE_GROUPS=(sides sides_badly)
COMPILING_GROUPS=(compiles)
count() { echo "$1 $2 $3" >>"$RESULTS"; }
trace() { echo "$1" >>"$TRACE"; }
until_traced() { while ! grep -qx "$1" "$TRACE"; do read -rt 0.05 <> <(:) || true; done; }

group_good() { echo "note: all is well"; count 3 0 1; }
group_failing() { echo "FAILED: the third case"; count 2 1 0; }
group_broken() { count 5 0 0; false; }
group_silent() { true; }
group_says_so() { echo "FAILED: said but counted"; count 0 1 0; false; }
group_flaky() { count 4 0 0; echo "test_x" >>"$RESULTS.flaky"; }

build_built() { trace "build built"; echo "[1/2] Building CXX object a.o"; echo "[2/2] Building CXX object b.o"; }
group_built() { trace "run built"; count 1 0 0; }
build_steady() { trace "build steady"; }
# With MEETS it ends only if "fills" runs at the same time; and so does that.
group_steady() { trace "run steady"; [[ ! ${MEETS-} ]] || until_traced "run fills"; count 1 0 0; }
build_fills() { trace "build fills"; }
# What is not among those two waits until it ends: nothing of it begins within a second.
group_fills() {
    local look
    trace "run fills"
    if [[ ${MEETS-} ]]; then
        until_traced "run steady"
        for ((look = 0; look < 20; ++look)); do
            ! grep -qx "run built" "$TRACE" || { count 0 1 0; return; }
            read -rt 0.05 <> <(:) || true
        done
    fi
    count 1 0 0
}
# Each of the two ends only if the other is at work at the same time.
group_sides() { trace "run sides"; until_traced "build meets"; count 1 0 0; }
group_sides_badly() { echo "FAILED: beside others"; count 0 1 0; }
build_meets() { trace "build meets"; until_traced "run sides"; }
group_meets() { trace "run meets"; count 1 0 0; }
build_unbuilt() { echo "FAILED: it does not compile"; false; }
group_unbuilt() { trace "run unbuilt"; count 1 0 0; }
group_compiles() { trace "run compiles"; echo "units: 3"; count 1 0 0; }
build_waits() { trace "build waits"; }
# Until a group that compiles, or what BESIDE_THIS names, has run beside it.
group_waits() {
    until_traced "run ${BESIDE_THIS:-compiles}"
    trace "run waits"
    count 1 0 0
}
group_waits_badly() { echo "FAILED: it waits in vain"; count 0 1 0; }
group_heavy() { printf '1.5 800 src/a.cpp\n3.5 1100 src/b.cpp\n2.5 900 src/c.cpp\n' >>"$KCONTROL_COMPILATIONS"; count 1 0 0; }
group_heavy_nightly() { group_heavy; }
# A second of the processor.
group_busy() { count 1 0 0; python3 -c "import time
while time.process_time() < 1: pass"; }
