# Functions that the scripts beside this file share. Source it; it needs bash.
# After it, ROOT is the project's directory and BUILD the directory for everything that is built.
set -euo pipefail
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
BUILD=${KCONTROL_BUILD_DIR:-$ROOT/build}

say() { printf '%s\n' "$*"; }
step() { printf '== %s\n' "$*"; }
warn() { printf '%s\n' "$*" >&2; }
die() { warn "error: $*"; exit 1; }

# The library's version, as 0.1.0.
library_version() { sed -n 's/^#define KCONTROL_VERSION_STRING "\(.*\)"$/\1/p' "$ROOT/include/kcontrol/version.hpp"; }

# How many jobs a build may run: g++ takes about 1 GB for the heavier files.
build_jobs() {
    local cores memory_gb
    cores=$(nproc)
    memory_gb=$(awk '/MemAvailable/ {print int($2 / 1048576)}' /proc/meminfo)
    ((memory_gb >= cores)) || cores=$((memory_gb > 1 ? memory_gb : 1))
    echo "${KCONTROL_JOBS:-$cores}"
}

# As "debian 12".
system_name() { (. "${KCONTROL_OS_RELEASE:-/etc/os-release}" && echo "$ID ${VERSION_ID-}"); }

# What the demonstration is compiled with, if not by the system's own compiler: clang 14, where every change is tested with it.
demo_compiler() { [[ $(system_name) != "debian 12" ]] || echo clang++-14; }

# The packages of a set: libraries (what ours are built on, with the tools), build (to compile them and the programs), demo (the
# demonstration alone), test (what the tests and checks use besides those of build).
packages() {
    # Debian 12's Boost 1.81 is not its default one, which is older; everywhere later the default is new enough.
    local boost="" chromium="" compiler system
    system=$(system_name)
    [[ $system == "debian 12" ]] && boost=1.81
    # Ubuntu has it as a snap only; there the browser tests count as skipped unless one is installed.
    [[ $system == debian* ]] && chromium=chromium
    case $1 in
    build) echo g++ "$(packages libraries)" ;;
    demo)
        # It is compiled without optimisation: clang takes half of g++'s time, and mold a tenth of ld's. A script puts sources
        # together: that halves the time once more.
        compiler=$(demo_compiler)
        compiler=${compiler:-g++}
        echo "${compiler/clang++/clang}" mold python3 "$(packages libraries)"
        ;;
    libraries)
        echo cmake ninja-build pkg-config "libboost$boost-dev" "libboost-json$boost-dev" libssl-dev \
            libsimdjson-dev libfmt-dev libyaml-dev libre2-dev libc-ares-dev zlib1g-dev prometheus-cpp-dev libabsl-dev tzdata \
            libsqlite3-dev libnghttp2-dev
        ;;
    test)
        echo ccache mold doctest-dev dpkg-dev doxygen python3 python3-venv git curl openssl clang-14 libclang-rt-14-dev clang-format-14 clang-tidy-14 clang-tools-14 valgrind haproxy nginx abigail-tools patchelf libuv1-dev libglib2.0-dev $chromium
        ;;
    *) die "no such package set: $1" ;;
    esac
}

# Prints the packages of the given sets that are not installed.
missing_packages() {
    local set package
    for set in "$@"; do
        for package in $(packages "$set"); do
            [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || echo "$package"
        done
    done
}

# ensure_packages MODE SET...: MODE is install or check. Lists what is missing first. On a system without dpkg it
# only says what is needed: the build then tells what it does not find.
ensure_packages() {
    local mode=$1 missing sudo=()
    shift
    if ! command -v dpkg-query >/dev/null; then
        warn "This is not Debian or Ubuntu: see docs/dependencies.md for what must be installed. Going on."
        return 0
    fi
    mapfile -t missing < <(missing_packages "$@")
    if ((${#missing[@]} == 0)); then
        say "All needed packages are installed."
        return 0
    fi
    ((EUID == 0)) || sudo=(sudo)
    say "Missing packages: ${missing[*]}"
    local command=("${sudo[@]}" apt-get install -y --no-install-recommends "${missing[@]}")
    if [[ $mode == check ]]; then
        say "Install them with: ${command[*]}"
        return 1
    fi
    say "Installing them with apt-get ..."
    "${sudo[@]}" apt-get update -qq
    "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive "${command[@]:${#sudo[@]}}" -qq >/dev/null </dev/null
}

# is_one_of NAME WORD...: whether the name is one of the words.
is_one_of() { local each; for each in "${@:2}"; do [[ $each != "$1" ]] || return 0; done; return 1; }

# Uses ccache when it is there and the caller chose no launcher.
use_ccache() {
    if [[ -z ${CMAKE_CXX_COMPILER_LAUNCHER-} ]] && command -v ccache >/dev/null; then
        export CMAKE_CXX_COMPILER_LAUNCHER=ccache
    fi
    # A cache that survives a move of the checkout.
    export CCACHE_BASEDIR=${CCACHE_BASEDIR:-$ROOT} CCACHE_NOHASHDIR=${CCACHE_NOHASHDIR:-1}
    # The compiler's own list of headers is enough: what the cache does not know is not preprocessed before it is compiled.
    export CCACHE_DEPEND=${CCACHE_DEPEND:-1}
}

# Has each compiler that ccache starts write down what it took, in the file that KCONTROL_COMPILATIONS names.
record_compilations() {
    local recorder=$ROOT/tools/record_compilation.py
    # ccache takes no path with a space, and no arguments.
    if [[ ${CMAKE_CXX_COMPILER_LAUNCHER-} == ccache && ! ${CCACHE_PREFIX-} && $recorder != *" "* && -x /usr/bin/python3 ]]; then
        export CCACHE_PREFIX=$recorder
    fi
}

# alone_in PRESET COMMAND...: two scripts that run at once take turns in a build folder.
alone_in() {
    local lock=$BUILD/$1.lock
    shift
    if command -v flock >/dev/null; then flock "$lock" "$@"; else "$@"; fi
}

# configure PRESET [OPTION]...: quiet unless it fails.
configure() {
    local preset=$1 log=$BUILD/$1.configure.log
    shift
    mkdir -p "$BUILD"
    (cd "$ROOT" && alone_in "$preset" cmake --preset "$preset" -B "$BUILD/$preset" "$@") >"$log" 2>&1 || { cat "$log"; return 1; }
}

# build PRESET [TARGET]...: all targets when none is named. Its time counts as compiling in test.sh's table.
build() {
    local preset=$1 targets=() start=$SECONDS status=0
    shift
    (($#)) && targets=(--target "$@")
    alone_in "$preset" cmake --build "$BUILD/$preset" --parallel "$(build_jobs)" "${targets[@]}" || status=$?
    [[ ${STAGE-} != run ]] || echo "compiled: $((SECONDS - start))"
    return "$status"
}
