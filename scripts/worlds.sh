#!/usr/bin/env bash
# Builds the library and its unit tests with other systems' compilers and libraries, and runs the tests: each world is a
# Debian or Ubuntu in a folder of its own. Prints a row a world, as docs/worlds.md has them.
# usage: worlds.sh [--list] [--rooms R,R,... | --e2e] [WORLD]...      all worlds, unless some are named
#   --list        names the worlds
#   --rooms R,…   only the tests of these rooms (test_R); without it all unit tests
#   --e2e         the end-to-end tests, too: run here, with programs that were built there and run there
#                 (KCONTROL_E2E_MODULES="test_client …": these alone)
# Needs root, a network and debootstrap; takes some 4 GB and, on two cores, an hour a world. What is built stays in
# build/worlds, and is used again.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
source "$ROOT/scripts/systems.sh"
source "$ROOT/scripts/libcxx.sh"
source "$ROOT/scripts/test-groups.sh"

# NAME SUITE COMPILER PACKAGES CMAKE-OPTIONS; PACKAGES beside those that lib.sh names for a build.
worlds() {
    cat <<TABLE
trixie|trixie|g++|g++|
trixie-cxx23|trixie|g++|g++ libboost1.88-dev libboost-json1.88-dev|-DCMAKE_CXX_STANDARD=23
trixie-clang|trixie|clang++-19|clang-19|
noble|noble|g++|g++|
sid|sid|g++|g++|
sid-clang|sid|clang++|clang|
sid-libcxx|sid|clang++-23|clang-23 libc++-23-dev libc++abi-23-dev|-DCMAKE_CXX_FLAGS=-stdlib=libc++ -DCMAKE_PREFIX_PATH=/opt/libcxx
TABLE
}

only=() rooms='' e2e=''
while (($#)); do
    case $1 in
    --list) worlds | cut -d'|' -f1; exit 0 ;;
    --rooms) (($# > 1)) || { warn "--rooms needs names (see --help)"; exit 2; }; rooms=$2; shift ;;
    --e2e) e2e=1 ;;
    --help | -h) sed -n '2,10s/^# \?//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    -*) warn "unknown option: $1 (see --help)"; exit 2 ;;
    *) worlds | grep -q "^$1|" || { warn "no such world: $1 (see --list)"; exit 2; }; only+=("$1") ;;
    esac
    shift
done
((${#only[@]})) || mapfile -t only < <(worlds | cut -d'|' -f1)

build_world() {
    local name=$1 root=$BUILD/worlds/$2 compiler=$3 packages=$4 options=$5 without='' targets
    make_system "$root" "$2" || return 1
    rm -rf "${root:?}/src" && mkdir "$root/src" && git -C "$ROOT" archive HEAD | tar x -C "$root/src"
    # A world that names its Boost has that one alone: those of two versions can't be installed together.
    [[ $packages != *libboost* ]] || without='s/libboost[^ ]*//g'
    inside "$root" "export DEBIAN_FRONTEND=noninteractive; apt-get -o Acquire::Check-Valid-Until=false update -qq; cd /src; source scripts/lib.sh
        apt-get install -y -qq --no-install-recommends \$(packages build | sed '$without') doctest-dev ccache $packages" || return 1
    [[ $name != *libcxx ]] || libcxx_libraries "$root" "$compiler" || return 1
    targets=${e2e:+all}
    targets=${targets:-kcontrol kcontrol_testing kcontrol_tests}
    [[ -z $rooms ]] || targets="kcontrol kcontrol_testing test_${rooms//,/ test_}"
    inside "$root" "cmake -S /src -B /build/$name -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_COMPILER=$compiler -DCMAKE_CXX_COMPILER_LAUNCHER=ccache \
        -DCMAKE_CXX_FLAGS_DEBUG=-O0 -DKCONTROL_DEVELOPER_MODE=ON -DKCONTROL_WARNINGS=OFF $options &&
        cmake --build /build/$name --parallel $(build_jobs) --target $targets -- -k 0" || return 1
    inside "$root" "cd /build/$name/tests; rm -f test_*.log
        for program in test_*; do [[ -x \$program && -f \$program ]] || continue
        (cd /src && KCONTROL_SIM_SEEDS=20 \"/build/$name/tests/\$program\" --no-colors) >\$program.log 2>&1 ||
            { echo \"FAILED: \$program\"; tail -n 30 \$program.log; failed=1; }
        done; cat test_*.log | awk '/test cases:/ { passed += \$6; bad += \$9 } END { print \"cases: \" passed \" passed, \" bad + 0 \" failed\" }'
        [[ -z \${failed-} ]]"
}

# enter_programs NAME ROOT: a folder like the world's build folder, whose programs start those in the world.
enter_programs() {
    local out=$BUILD/worlds/$1.programs built=$2/build/$1 file
    rm -rf "$out"
    while read -r file; do
        mkdir -p "$out/$(dirname "$file")"
        if [[ $file == *.so ]]; then
            cp "$built/$file" "$out/$file"
        else
            printf '#!/bin/sh\nexec chroot %q /usr/bin/env -C "$PWD" %q "$@"\n' "$2" "/build/$1/$file" >"$out/$file"
            chmod +x "$out/$file"
        fi
    done < <(cd "$built" && find examples tests tools -type f -executable ! -path '*/CMakeFiles/*')
}

# e2e_of_world NAME ROOT: prints "PASSED FAILED SKIPPED". What the programs read and write lies at the same place in the
# world; the mounts end with the tests.
e2e_of_world() {
    local programs=$BUILD/worlds/$1.programs results=$BUILD/worlds/$1.e2e.count python
    enter_programs "$1" "$2"
    : >"$results"
    python=$(python3 -c 'import sys; print(sys.base_prefix)')
    (
        name_e2e_programs "$programs" "$programs"
        name_e2e_tools
        export -f run_e2e
        export ROOT
        unshare --mount bash -c '
            for path in "$ROOT" /tmp /dev "$2"; do
                [[ $path == /usr ]] || { mkdir -p "$1$path" && mount --rbind "$path" "$1$path"; } || exit
            done
            run_e2e "$3"' - "$2" "$python" "$results"
    ) >"$BUILD/worlds/$1.e2e.log" 2>&1 </dev/null || true
    cat "$results"
}

# row NAME SUITE COMPILER RESULT
row() {
    local versions
    versions=$(inside "$BUILD/worlds/$2" "$3 --version | head -n 1; dpkg-query -W -f '\${Package} \${Version}\n' 'libboost1*-dev' libssl-dev libsimdjson-dev libfmt-dev libabsl-dev 2>/dev/null |
        awk '\$2 { print }'" | paste -sd';' | sed 's/;/; /g')
    printf '| %s | %s | %s |\n' "$1" "$versions" "$4"
}

need_systems
mkdir -p "$BUILD/worlds"
bad=0
for name in "${only[@]}"; do
    IFS='|' read -r _ suite compiler packages options < <(worlds | grep "^$name|")
    step "$name" >&2
    log=$BUILD/worlds/$name.log start=$SECONDS
    if build_world "$name" "$suite" "$compiler" "$packages" "$options" >"$log" 2>&1; then
        outcome=$(sed -n 's/^cases: //p' "$log" | tail -n 1)
        if [[ -n $e2e ]]; then
            read -r passed failed skipped < <(e2e_of_world "$name" "$BUILD/worlds/$suite")
            outcome+="; end to end ${passed:-0} passed, ${failed:-?} failed, ${skipped:-0} skipped"
            ((${failed:-1} == 0)) || bad=1
        fi
        outcome+=" ($((SECONDS - start)) s)"
    else
        outcome="failed: see $log" bad=1
    fi
    row "$name" "$suite" "$compiler" "$outcome"
    leave_system "$BUILD/worlds/$suite"
done
exit "$bad"
