# shellcheck shell=bash
# The groups package and readme of test-groups.sh, which reads this file: what an installation holds, how other projects
# use it, and what programs link.

# holds_testing FILE: whether a library or program holds any part of kcontrol::testing.
# All of nm's output is read: pipefail would take an early end for a failure.
holds_testing() { nm -C "$1" 2>/dev/null | grep 'kcontrol::testing::' >/dev/null; }

# The production library and programs that do not ask for kcontrol::testing link no part of it. That nm shows it at all is
# seen where it must be: in its own library, and in the monitor, whose --demo starts an API server.
only_tests_hold_testing() {
    local release=$BUILD/release file bad=0
    for file in "$release"/libkcontrol_testing.* "$release/examples/training_monitor/training_monitor"; do
        holds_testing "$file" || { echo "$file holds nothing of kcontrol::testing"; bad=1; }
    done
    for file in "$release"/libkcontrol.* "$release/examples/gpu_labeler/gpu_labeler" \
        "$release/examples/tutorial/1_hello" "$release/tools/kcontrol_gen/kcontrol-gen"; do
        [[ -e $file ]] || { echo "$file is missing"; bad=1; }
        if holds_testing "$file"; then echo "$file holds a part of kcontrol::testing" && bad=1; fi
    done
    return "$bad"
}

# consumer NAME CMAKE-OPTION...: configures, builds and runs tests/package/NAME.
consumer() {
    local name=$1
    shift
    local build=$BUILD/package/$name
    rm -rf "$build"
    cmake -S "$ROOT/tests/package/$name" -B "$build" -G Ninja "$@" &&
        cmake --build "$build" --parallel "$(build_jobs)" && "$build/consumer" && "$build/testing_consumer"
}

# An installation without kcontrol::testing is made of the one in $PREFIX, with the CMake files of a build that is only
# configured. find_package must say what is missing and why.
says_testing_is_missing() {
    local without=$BUILD/package/without build=$BUILD/package/without_build log=$LOGS/without_testing.log
    rm -rf "$without" "$build"
    cmake -S "$ROOT" --preset release -B "$build" -DKCONTROL_BUILD_TESTING_LIBRARY=OFF -DKCONTROL_BUILD_EXAMPLES=OFF \
        >"$log" 2>&1 || { cat "$log"; return 1; }
    cp -r "$PREFIX" "$without"
    find "$build/CMakeFiles/Export" -name 'kcontrolTargets*.cmake' -exec cp {} "$without"/lib*/cmake/kcontrol/ \;
    cmake -S "$ROOT/tests/package/header_only" -B "$build.consumer" -G Ninja -DCMAKE_PREFIX_PATH="$without" >"$log" 2>&1 ||
        { cat "$log"; return 1; }
    if cmake -S "$ROOT/tests/package/find_package" -B "$build.testing" -G Ninja -DCMAKE_PREFIX_PATH="$without" \
        >"$log" 2>&1; then
        return 1
    fi
    grep "KCONTROL_BUILD_TESTING_LIBRARY=OFF" "$log" || { cat "$log"; return 1; }
}

refuses() { ! "$@"; }

# refuses_platform WORDS CMAKE-OPTION...: configuring says these words, and fails.
refuses_platform() {
    local words=$1 build=$BUILD/package/platform log=$LOGS/platform.log
    shift
    rm -rf "$build"
    if cmake -S "$ROOT" -B "$build" -G Ninja "$@" >"$log" 2>&1; then return 1; fi
    tr -s ' \n' ' ' <"$log" | grep -F "$words" >/dev/null || { cat "$log"; return 1; }
}

# Installs the release build into $PREFIX.
install_release() {
    PREFIX=$BUILD/package/prefix
    configure release
    build release kcontrol kcontrol_testing kcontrol_gen kcontrol_transcode kcontrol_apiserver
    rm -rf "$PREFIX"
    cmake --install "$BUILD/release" --prefix "$PREFIX" >/dev/null
}

group_package() {
    rm -rf "$BUILD/package"
    install_release
    check "find_package" consumer find_package -DCMAKE_PREFIX_PATH="$PREFIX"
    check "find_package, header-only" consumer header_only -DCMAKE_PREFIX_PATH="$PREFIX"
    check "add_subdirectory" consumer add_subdirectory -DCMAKE_BUILD_TYPE=Release
    check "find_package says that kcontrol::testing was not built" says_testing_is_missing
    sed 's/kcontrol 0.1/kcontrol 0.2/' "$ROOT/tests/package/find_package/CMakeLists.txt" >"$BUILD/package/CMakeLists.txt"
    check "a wish for the next minor version is refused" refuses \
        cmake -S "$BUILD/package" -B "$BUILD/package/next" -G Ninja -DCMAKE_PREFIX_PATH="$PREFIX"
    check "another system is refused by its name" refuses_platform "not for FreeBSD" -DCMAKE_SYSTEM_NAME=FreeBSD
    mkdir -p "$BUILD/package/no_glibc" && : >"$BUILD/package/no_glibc/features.h"
    check "another C library is refused" refuses_platform "this C library is another" \
        -DCMAKE_CXX_FLAGS="-I$BUILD/package/no_glibc"
    if command -v conan >/dev/null; then
        check "conan reads the recipe" conan inspect "$ROOT"
    else
        echo "skipped: conan is not installed, so its recipe is only compiled"
        count 0 0 1
        check "the recipe is Python" python3 -m py_compile "$ROOT/conanfile.py" "$ROOT/test_package/conanfile.py"
    fi
}

group_readme() {
    install_release
    check "the programs of the README and of docs/testing.md" python3 "$ROOT/tests/readme/run.py" "$PREFIX" "$BUILD/readme"
}
