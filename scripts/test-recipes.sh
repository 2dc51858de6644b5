# shellcheck shell=bash
# What test-packages.sh checks of the ways to build and package: it reads this file.
# The build folders lie in $BUILD itself, as deep as that of the release build: so ccache knows most of what they compile.

# logged NAME COMMAND...: shows the command's output only if it fails.
logged() {
    local log=$LOGS/$1.log
    shift
    "$@" >"$log" 2>&1 || { cat "$log"; return 1; }
    units_of "$log"
}

# What a log that is not shown says of compilations; test-report.sh adds it up.
units_of() { echo "units: $(grep -acE '^\[ *[0-9]+/[0-9]+\] Building CXX ' "$1")"; }

# The libraries are all that is built, and optimised, where nothing is said.
plain_configure_is_lean() {
    local build=$BUILD/package_plain files
    rm -rf "$build"
    logged plain cmake -S "$ROOT" -B "$build" -G Ninja || return 1
    grep -x 'CMAKE_BUILD_TYPE:STRING=Release' "$build/CMakeCache.txt" >/dev/null || { echo "not optimised"; return 1; }
    files=$(ninja -C "$build" -t inputs all | grep -E '\.cpp$' | grep -v '/src/')
    [[ -z $files ]] || { echo "it would also compile: $files"; return 1; }
}

# Without libyaml, RE2, c-ares and prometheus-cpp: only the files that have them are compiled anew. Programs link none of them,
# and say the option's name where they ask for what is not there.
leaves_parts_out() {
    local build=$BUILD/package_lean prefix=$BUILD/package_lean_prefix
    rm -rf "$build" "$prefix"
    logged lean cmake -S "$ROOT" -B "$build" -G Ninja -DKCONTROL_WITH_YAML=OFF -DKCONTROL_WITH_RE2=OFF \
        -DKCONTROL_WITH_CARES=OFF -DKCONTROL_WITH_PROMETHEUS=OFF &&
        logged lean cmake --build "$build" --target kcontrol --parallel "$(build_jobs)" &&
        logged lean cmake --install "$build" --prefix "$prefix" || return 1
    logged lean cmake -S "$ROOT/tests/package/lean" -B "$build.consumer" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" &&
        logged lean cmake --build "$build.consumer" && "$build.consumer/lean" || return 1
    ! ldd "$build.consumer/lean" | grep -E 'yaml|re2|cares|prometheus'
}

# fails_with WORDS CMAKE-OPTION...: configuring ends with these words.
fails_with() {
    local words=$1 build=$BUILD/package_missing
    shift
    rm -rf "$build"
    if cmake -S "$ROOT" -B "$build" -G Ninja "$@" >"$LOGS/missing.log" 2>&1; then return 1; fi
    tr -s ' \n' ' ' <"$LOGS/missing.log" | grep -F "$words" >/dev/null || { cat "$LOGS/missing.log"; return 1; }
}
names_what_is_missing() {
    fails_with "kcontrol needs RE2 (Debian: libre2-dev), which was not found; or build without it: with -DKCONTROL_WITH_RE2=OFF" \
        -DKCONTROL_RE2_LIBRARY= -DKCONTROL_RE2_INCLUDE_DIR= -DCMAKE_DISABLE_FIND_PACKAGE_re2=ON &&
        fails_with "kcontrol needs prometheus-cpp (Debian: prometheus-cpp-dev)" -DCMAKE_DISABLE_FIND_PACKAGE_prometheus-cpp=ON &&
        fails_with "or build without kcontrol-apiserver: -DKCONTROL_BUILD_APISERVER=OFF" -DKCONTROL_BUILD_APISERVER=ON \
            -DCMAKE_DISABLE_FIND_PACKAGE_SQLite3=ON &&
        fails_with "need all of its parts" -DKCONTROL_WITH_YAML=OFF -DKCONTROL_BUILD_TOOLS=ON
}

# A new project is built with the installed library and passes its tests: the simulated one, those before API servers, and
# the comparison of its manifests with what the program needs, and the lint. Where nothing has built a kube-apiserver yet, as
# group e2e does, the test that needs one counts as skipped.
project_of_kcontrol_new() {
    local folder=$BUILD/package_new assets='' real=ON
    rm -rf "$folder"
    if assets=$("$ROOT/scripts/control-plane/assets.sh" --no-build); then
        assets=${assets##*$'\n'}
    else
        real=OFF
        echo "skipped: the project of kcontrol-new before a kube-apiserver"
        count 0 0 1
    fi
    logged new "$PREFIX/bin/kcontrol-new" web-site --directory "$folder" || return 1
    if grep -rniE 'hello.?world|group\.example' "$folder"; then return 1; fi
    (cd "$folder" && cmake --list-presets) | grep -F '"sanitizers"' || return 1
    logged new cmake -S "$folder" -B "$folder/build" -G Ninja -DCMAKE_PREFIX_PATH="$PREFIX" -DREAL_SERVER_TEST=$real &&
        logged new cmake --build "$folder/build" --parallel "$(build_jobs)" &&
        KUBEBUILDER_ASSETS=$assets ctest --test-dir "$folder/build" --output-on-failure --no-tests=error &&
        ctest --test-dir "$folder/build" -N -R '^lint$' | grep 'Total Tests: 1' || return 1
    ! KUBEBUILDER_ASSETS='' PATH=/nonexistent "$folder/build/server_test" --real
}
kcontrol_new_refuses() {
    local program=$PREFIX/bin/kcontrol-new folder=$BUILD/package_new_refused name
    rm -rf "$folder"
    for name in int main Web -x web_site "web site" web- $'a\nb' ""; do
        if "$program" "$name" --directory "$folder" 2>/dev/null; then echo "it takes the name $name"; return 1; fi
    done
    ! "$program" web --group com --directory "$folder" 2>/dev/null && ! "$program" web --kind web --directory "$folder" 2>/dev/null &&
        ! "$program" web --directory "$ROOT/docs" 2>/dev/null && [[ ! -e $folder ]]
}

# Shared libraries: their name has the minor version, all that they define is in its namespace, and a program that links them links
# nothing else of what they need. A program that was linked runs with the libraries alone.
shared_libraries() {
    local build=$BUILD/package_shared prefix=$BUILD/package_shared_prefix minor library libraries=() flags program held
    minor=$(library_version | cut -d. -f1,2)
    rm -rf "$prefix"
    logged shared cmake -S "$ROOT" -B "$build" -G Ninja -DBUILD_SHARED_LIBS=ON -DKCONTROL_BUILD_TOOLS=ON &&
        logged shared cmake --build "$build" --parallel "$(build_jobs)" &&
        logged shared cmake --install "$build" --prefix "$prefix" || return 1
    libraries=("$prefix"/lib*/libkcontrol.so."$minor" "$prefix"/lib*/libkcontrol_testing.so."$minor")
    for library in "${libraries[@]}"; do
        readelf -d "$library" | grep -F "[${library##*/}]" >/dev/null || { echo "$library says another name"; return 1; }
    done
    names_hold_the_version "${libraries[@]}" || return 1
    logged shared consumer find_package -DCMAKE_PREFIX_PATH="$prefix" || return 1
    program=$BUILD/package_find_package/consumer
    readelf -d "$program" | grep NEEDED
    readelf -d "$program" | grep -F "[libkcontrol.so.$minor]" >/dev/null || { echo "the program links another library"; return 1; }
    if readelf -d "$program" | grep NEEDED | grep -E 'simdjson|prometheus|re2|yaml|cares|nghttp2'; then return 1; fi
    flags=$(PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name kcontrol.pc)") pkg-config --libs kcontrol) || return 1
    if grep -E 'simdjson|prometheus|re2|yaml|cares' <<<"$flags"; then return 1; fi
    # The runtime component is what a machine needs that only runs programs.
    rm -rf "$prefix.runtime"
    logged shared cmake --install "$build" --component runtime --prefix "$prefix.runtime" || return 1
    held=$(cd "$prefix.runtime" && find . -type f | sed 's/.*libkcontrol/libkcontrol/')
    [[ $held == "libkcontrol.so.$(library_version)" ]] || { echo "the runtime component holds: $held"; return 1; }
    LD_LIBRARY_PATH=$(dirname "$(find "$prefix.runtime" -name 'libkcontrol.so.*' -type f)") "$program"
}

# A program that finds the package in $1 and is a controller.
builds_a_controller() {
    local build=$BUILD/package_controller
    rm -rf "$build"
    logged controller cmake -S "$ROOT/test_package" -B "$build" -G Ninja -DCMAKE_PREFIX_PATH="$1" &&
        logged controller cmake --build "$build" && "$build/controller"
}

# Not vcpkg itself, which is not to be had from a package registry: tests/package/vcpkg/run.cmake says what is tried.
vcpkg_port() {
    logged vcpkg cmake -DPORT="$ROOT/ports/kcontrol" -DBUILD="$BUILD/package_vcpkg" -DPACKAGES="$BUILD/package_vcpkg_installed" \
        -P "$ROOT/tests/package/vcpkg/run.cmake" && builds_a_controller "$BUILD/package_vcpkg_installed"
}

# Made by CPack, unpacked by dpkg into an empty root, and used from there.
debian_packages() {
    local build=$BUILD/package_deb root=$BUILD/package_deb_root package
    rm -rf "$root" && mkdir -p "$root/var/lib/dpkg/"{info,updates} && : >"$root/var/lib/dpkg/status"
    logged deb cmake -S "$ROOT" --preset install -B "$build" && rm -f "$build"/*.deb &&
        logged deb cmake --build "$build" --parallel "$(build_jobs)" && (cd "$build" && logged deb cpack -G DEB) || return 1
    for package in libkcontrol-dev kcontrol-tools; do
        dpkg-deb --info "$build/$package"_*.deb | grep -E '^ (Package|Version|Depends|Installed-Size):' || return 1
    done
    # What they depend on is not in that root, but on this machine.
    logged deb dpkg --root="$root" --force-not-root --force-depends --install "$build"/*.deb || return 1
    # Debian's zsh looks there, and not into site-functions.
    [[ -f $root/usr/share/zsh/vendor-completions/_kcontrol ]] || { echo "no completion for zsh where it looks"; return 1; }
    "$root/usr/bin/kcontrol-gen" --version && builds_a_controller "$root/usr"
}

# What is committed, unpacked elsewhere, where there is no network.
source_archive() {
    local folder=$BUILD/package_source offline=()
    rm -rf "$folder"
    logged source "$ROOT/scripts/source-archive.sh" "$folder" && tar -C "$folder" -xzf "$folder"/kcontrol-*.tar.gz || return 1
    if unshare --net true 2>/dev/null; then offline=(unshare --net); else echo "note: the source archive was built with a network"; fi
    local root=("$folder"/kcontrol-*/)
    (cd "${root[0]}" && export CCACHE_BASEDIR=$PWD && logged source cmake -S . -B build/release -G Ninja &&
        logged source "${offline[@]}" cmake --build build/release --parallel "$(build_jobs)")
}

# Conan from PyPI, in a folder of its own; its requirements are recipes that wrap the system's packages.
conan_recipe() {
    local program
    program=$(command -v conan) || program=$BUILD/tools/conan/bin/conan
    if [[ ! -x $program ]] && ! { python3 -m venv "$BUILD/tools/conan" && "$BUILD/tools/conan/bin/pip" install --quiet 'conan>=2.4,<3'; }; then
        echo "skipped: Conan is not installed, and PyPI does not answer; the recipe is only compiled"
        count 0 0 1
        check "the recipe is Python" python3 -m py_compile "$ROOT/conanfile.py" "$ROOT/test_package/conanfile.py"
        return
    fi
    check "conan create, with a controller as its test_package" logged conan "$ROOT/tests/package/conan/create.sh" "$program" "$BUILD/package_conan"
}

# What takes too long for every change, the library without its optional parts, and what package managers make of it.
group_recipes() {
    install_release
    check "find_package, header-only, all of the library" consumer header_only -DCMAKE_PREFIX_PATH="$PREFIX" -DWHOLE_LIBRARY=ON
    check "add_subdirectory, with kcontrol::testing" builds_as_subdirectory consumer testing_consumer
    check "a library without its optional parts says what is left out" leaves_parts_out
    check "shared libraries, and programs that link them" shared_libraries
    check "the steps of vcpkg's portfile" vcpkg_port
    check "the Debian packages, in a root of their own" debian_packages
    check "the source archive builds without a network" source_archive
    conan_recipe
}
