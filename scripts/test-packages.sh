# shellcheck shell=bash
# The groups package, recipes, readme and docs of test-groups.sh, which reads this file: what an installation holds, how other projects
# use it, and what programs link.

# holds_testing FILE: whether a library or program holds any part of kcontrol::testing.
# All of nm's output is read: pipefail would take an early end for a failure.
holds_testing() { nm -C "$1" 2>/dev/null | grep -E 'kcontrol::(v[0-9_]+::)?testing::' >/dev/null; }

# The production library and programs that do not ask for kcontrol::testing link no part of it. That nm shows it at all is
# seen where it must be: in its own library, and in the monitor, whose --demo starts an API server.
only_tests_hold_testing() {
    local release=$BUILD/release file bad=0
    for file in "$release"/libkcontrol_testing.* "$release/examples/apps/training_monitor/training_monitor"; do
        holds_testing "$file" || { echo "$file holds nothing of kcontrol::testing"; bad=1; }
    done
    for file in "$release"/libkcontrol.* "$release/examples/apps/gpu_labeler/gpu_labeler" \
        "$release/examples/tutorial/1_hello" "$release/tools/kcontrol_gen/kcontrol-gen"; do
        [[ -e $file ]] || { echo "$file is missing"; bad=1; }
        if holds_testing "$file"; then echo "$file holds a part of kcontrol::testing" && bad=1; fi
    done
    return "$bad"
}

# names_hold_the_version LIBRARY...: what they define is in the inline namespace of their version, so that two versions can be in
# one process.
names_hold_the_version() {
    local major minor namespace file others
    IFS=. read -r major minor _ <<<"$(library_version)"
    namespace=kcontrol::v${major}_${minor}::
    for file in "$@"; do
        nm -C "$file" 2>/dev/null | grep " T $namespace" >/dev/null || { echo "$file defines nothing in $namespace"; return 1; }
        others=$(nm -C --defined-only --extern-only "$file" 2>/dev/null | grep -E '^[0-9a-f]+ [A-Z] kcontrol::' | grep -v " $namespace")
        [[ -z $others ]] || { printf '%s defines outside of %s:\n%s\n' "$file" "$namespace" "$others" | head -n 12; return 1; }
    done
}

# consumer NAME CMAKE-OPTION...: configures, builds and runs tests/package/NAME.
consumer() {
    local name=$1
    shift
    # As deep as build/release: the paths in command lines are relative, and so ccache has the library from there.
    local build=$BUILD/package_$name
    rm -rf "$build"
    cmake -S "$ROOT/tests/package/$name" -B "$build" -G Ninja "$@" &&
        cmake --build "$build" --parallel "$(build_jobs)" && "$build/consumer" && "$build/testing_consumer"
}

# builds_as_subdirectory TARGET...: the library as a part of another project, whose targets are built and run.
builds_as_subdirectory() {
    local build=$BUILD/package_add_subdirectory target
    rm -rf "$build"
    cmake -S "$ROOT/tests/package/add_subdirectory" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release &&
        cmake --build "$build" --parallel "$(build_jobs)" --target "$@" || return 1
    for target in "$@"; do "$build/$target" || return 1; done
}

# An installation without kcontrol::testing is made of the one in $PREFIX, with the CMake files of a build that is only
# configured. find_package must say what is missing and why.
says_testing_is_missing() {
    local without=$BUILD/package/without build=$BUILD/package/without_build log=$LOGS/without_testing.log
    rm -rf "$without" "$build"
    cmake -S "$ROOT" --preset release -B "$build" -DKCONTROL_BUILD_TESTING_LIBRARY=OFF -DKCONTROL_BUILD_EXAMPLES=OFF \
        >"$log" 2>&1 || { cat "$log"; return 1; }
    cp -r "$PREFIX" "$without"
    rm "$without"/lib*/cmake/kcontrol/kcontrolTestingTargets*.cmake "$without"/lib*/libkcontrol_testing.*
    find "$build/CMakeFiles/Export" -name 'kcontrolTargets*.cmake' -exec cp {} "$without"/lib*/cmake/kcontrol/ \;
    cmake -S "$ROOT/tests/package/header_only" -B "$build.consumer" -G Ninja -DCMAKE_PREFIX_PATH="$without" >"$log" 2>&1 ||
        { cat "$log"; return 1; }
    if cmake -S "$ROOT/tests/package/find_package" -B "$build.testing" -G Ninja -DCMAKE_PREFIX_PATH="$without" \
        >"$log" 2>&1; then
        return 1
    fi
    grep "KCONTROL_BUILD_TESTING_LIBRARY=OFF" "$log" || { cat "$log"; return 1; }
}

# What scripts/demo.sh leaves behind can be installed, and found: the library without the tools. The build is only configured,
# and has the library of the release build.
installs_after_the_demo() {
    local build=$BUILD/package/demo_build prefix=$BUILD/package/demo_prefix log=$LOGS/demo_install.log
    rm -rf "$build" "$prefix"
    {
        cmake -S "$ROOT" --preset demo -B "$build" && cp "$BUILD"/release/libkcontrol.* "$build" &&
            cmake --install "$build" --prefix "$prefix" && [[ ! -e $prefix/bin/kcontrol-gen ]] &&
            printf '%s\n' 'cmake_minimum_required(VERSION 3.25)' 'project(demo LANGUAGES CXX)' \
                'find_package(kcontrol REQUIRED)' "add_executable(consumer $ROOT/tests/package/consumer.cpp)" \
                'target_link_libraries(consumer PRIVATE kcontrol::kcontrol)' >"$prefix/CMakeLists.txt" &&
            cmake -S "$prefix" -B "$build.consumer" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" &&
            cmake --build "$build.consumer" && "$build.consumer/consumer"
    } >"$log" 2>&1 || { cat "$log"; return 1; }
    units_of "$log"
}

# kcontrol::records, kcontrol::cel, kcontrol::scheduling and kcontrol::api_beta beside the library, as components that are found. One that was not
# built is missed by its option in $PREFIX.
finds_records() {
    local build=$BUILD/package_records prefix=$BUILD/package/records_prefix log=$LOGS/records.log
    rm -rf "$build" "$build.consumer" "$prefix"
    {
        cmake -S "$ROOT" --preset release -B "$build" -DKCONTROL_BUILD_EXAMPLES=OFF -DKCONTROL_BUILD_RECORDS_LIBRARY=ON &&
            cmake --build "$build" --target kcontrol kcontrol_records kcontrol_scheduling kcontrol_api_beta --parallel "$(build_jobs)" &&
            cmake --install "$build" --component dev --prefix "$prefix" &&
            cmake --install "$build" --component records --prefix "$prefix" &&
            cmake --install "$build" --component scheduling --prefix "$prefix" &&
            cmake --install "$build" --component api_beta --prefix "$prefix" &&
            cmake -S "$ROOT/tests/package/records" -B "$build.consumer" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" &&
            cmake --build "$build.consumer" && "$build.consumer/consumer" "$build.consumer/clusters.db" &&
            PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name kcontrol-records.pc)") pkg-config --print-errors --libs kcontrol-records kcontrol-cel kcontrol-scheduling kcontrol-api-beta
    } >"$log" 2>&1 || { cat "$log"; return 1; }
    units_of "$log"
    if cmake -S "$ROOT/tests/package/records" -B "$build.without" -G Ninja -DCMAKE_PREFIX_PATH="$PREFIX" >"$log" 2>&1; then
        return 1
    fi
    grep "KCONTROL_BUILD_RECORDS_LIBRARY=ON" "$log" || { cat "$log"; return 1; }
}

# A program without CMake, by kcontrol.pc, from an installation that was moved.
builds_with_pkg_config() {
    local moved=$BUILD/package/moved
    rm -rf "$moved"
    cp -r "$PREFIX" "$moved"
    local -x PKG_CONFIG_PATH
    PKG_CONFIG_PATH=$(dirname "$(find "$moved" -name kcontrol.pc)")
    local flags libraries
    read -ra flags < <(pkg-config --cflags kcontrol-testing) && read -ra libraries < <(pkg-config --libs kcontrol-testing) || return 1
    "${CXX:-g++}" -std=c++20 "${flags[@]}" "$ROOT/tests/package/testing_consumer.cpp" -o "$moved/consumer" "${libraries[@]}" &&
        "$moved/consumer"
}

# Each installed tool says the version that the headers have, and bash completes a flag of it.
tools_say_their_version() {
    local version tool words
    version=$(library_version)
    for tool in kcontrol-gen kcontrol-new kcontrol-lint kcontrol-transcode kcontrol-apiserver; do
        [[ $("$PREFIX/bin/$tool" --version) == "$tool $version" ]] || { echo "$tool --version says otherwise"; return 1; }
        words=$(bash -c 'source "$1"; COMP_WORDS=("$2" --versi) COMP_CWORD=1; _kcontrol_tool; echo "${COMPREPLY[@]}"' - \
            "$PREFIX/share/bash-completion/completions/$tool" "$PREFIX/bin/$tool")
        [[ $words == --version ]] || { echo "$tool --versi is completed to: $words"; return 1; }
    done
}

# The installed lint finds what it should, also where the installation was moved, and reads the project of kcontrol-new.
kcontrol_lint_reads() {
    local moved=$BUILD/package/moved_lint
    rm -rf "$moved" && mkdir -p "$moved/share/kcontrol"
    cp -r "$PREFIX/bin" "$moved" && cp -r "$PREFIX/share/kcontrol/lint" "$moved/share/kcontrol" &&
        python3 "$ROOT/tests/kcontrol_lint/run.py" "$moved/bin/kcontrol-lint" && "$moved/bin/kcontrol-lint" "$BUILD/package_new"
}

# The presets that users build need no Python: without it each source is compiled by itself.
builds_without_python() {
    local preset build=$BUILD/package/no_python log=$LOGS/no_python.log
    for preset in install demo; do
        rm -rf "$build"
        cmake -S "$ROOT" --preset "$preset" -B "$build" -DCMAKE_DISABLE_FIND_PACKAGE_Python3=ON >"$log" 2>&1 ||
            { cat "$log"; return 1; }
        ninja -C "$build" -t targets all >"$log"
        if grep "/unity/" "$log"; then return 1; fi
    done
}

refuses() { ! "$@"; }

source "$ROOT/scripts/test-recipes.sh"

# refuses_platform WORDS CMAKE-OPTION...: configuring says these words, and fails.
refuses_platform() {
    local words=$1 build=$BUILD/package/platform_${1//[^a-z]/} log=$LOGS/platform_${1//[^a-z]/}.log
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
    # Those that take longest first.
    beside "kcontrol-new makes a project that builds and passes its tests" project_of_kcontrol_new
    beside "find_package" consumer find_package -DCMAKE_PREFIX_PATH="$PREFIX"
    beside "find_package, header-only" consumer header_only -DCMAKE_PREFIX_PATH="$PREFIX"
    beside "add_subdirectory" builds_as_subdirectory consumer
    beside "find_package says that kcontrol::testing was not built" says_testing_is_missing
    beside "what demo.sh built can be installed and found" installs_after_the_demo
    beside "kcontrol::records, kcontrol::scheduling and kcontrol::api_beta are found where they were built" finds_records
    beside "pkg-config" builds_with_pkg_config
    beside "--version and completion of the tools" tools_say_their_version
    sed 's/kcontrol 0.1/kcontrol 0.2/' "$ROOT/tests/package/find_package/CMakeLists.txt" >"$BUILD/package/CMakeLists.txt"
    beside "a wish for the next minor version is refused" refuses \
        cmake -S "$BUILD/package" -B "$BUILD/package/next" -G Ninja -DCMAKE_PREFIX_PATH="$PREFIX"
    beside "another system is refused by its name" refuses_platform "not for FreeBSD" -DCMAKE_SYSTEM_NAME=FreeBSD
    mkdir -p "$BUILD/package/no_glibc" && : >"$BUILD/package/no_glibc/features.h"
    beside "another C library is refused" refuses_platform "this C library is another" \
        -DCMAKE_CXX_FLAGS="-I$BUILD/package/no_glibc"
    beside "a plain configure builds the libraries only" plain_configure_is_lean
    beside "what users build needs no Python" builds_without_python
    beside "what is missing is named with its package" names_what_is_missing
    beside "kcontrol-new refuses names that can't be" kcontrol_new_refuses
    wait
    check "kcontrol-lint, installed" kcontrol_lint_reads
}

# Every C++ block of docs/ and of the README.
group_docs() {
    local status=0
    check "the compiler of pages finds what it should" python3 "$ROOT/tests/docs/run.py" --self-test
    install_release
    beside "what the guide says of a first controller" python3 "$ROOT/tests/docs/first_hour.py" "$PREFIX" "$BUILD/first_hour"
    python3 "$ROOT/tests/docs/run.py" "$ROOT" "$BUILD/docs" --prefix "$PREFIX" --jobs "$(build_jobs)" --results "$RESULTS" || status=$?
    wait
    return "$status"
}

group_readme() {
    install_release
    check "the programs of the README and of docs/testing_controllers.md" python3 "$ROOT/tests/readme/run.py" "$PREFIX" "$BUILD/readme"
}
