# shellcheck shell=bash
# What the library needs, built with libc++, for worlds.sh, which reads this file after systems.sh: Debian has its C++ libraries
# for libstdc++ alone. Those written in C are the system's.

# libcxx_libraries ROOT COMPILER: builds them in the system ROOT from Debian's sources, into /opt/libcxx, unless they are there.
libcxx_libraries() {
    [[ -e $1/opt/libcxx/.made ]] || inside "$1" "$(declare -f fetch_sources build_source libcxx_boost_json); CXX=$2; fetch_sources
        build_source fmtlib -DFMT_TEST=OFF -DFMT_DOC=OFF
        build_source simdjson -DSIMDJSON_DEVELOPER_MODE=OFF
        build_source prometheus-cpp -DENABLE_PULL=OFF -DENABLE_PUSH=OFF -DENABLE_TESTING=OFF -DENABLE_COMPRESSION=OFF
        build_source abseil -DABSL_BUILD_TESTING=OFF -DABSL_PROPAGATE_CXX_STD=ON
        build_source re2 -DRE2_BUILD_TESTING=OFF
        libcxx_boost_json
        touch /opt/libcxx/.made"
}

# The rest runs in that system.

# RE2 wants an Abseil of its own time. What a newer suite has need not be on every mirror.
fetch_sources() {
    local package suite
    export DEBIAN_FRONTEND=noninteractive
    apt-get install -y -qq --no-install-recommends xz-utils dpkg-dev
    for suite in sid trixie bookworm; do echo "deb-src http://deb.debian.org/debian $suite main"; done >/etc/apt/sources.list.d/sources.list
    apt-get -o Acquire::Check-Valid-Until=false update -qq
    rm -rf /opt/sources && mkdir -p /opt/sources && cd /opt/sources
    while read -r package suite; do
        mkdir "$package" && (cd "$package" && apt-get source -qq --tar-only "$package/$suite" && tar x --strip-components=1 -f ./*.orig.tar.*)
    done <<TABLE
fmtlib sid
simdjson bookworm
prometheus-cpp sid
abseil trixie
re2 trixie
TABLE
}

# build_source NAME CMAKE-OPTION... (fmt 11 uses free() and includes nothing that has it)
build_source() {
    local name=$1
    shift
    cmake -S "/opt/sources/$name" -B "/opt/sources/$name.build" -G Ninja -DCMAKE_CXX_COMPILER="$CXX" -DCMAKE_CXX_STANDARD=20 \
        -DCMAKE_CXX_FLAGS='-stdlib=libc++ -O1 -include stdlib.h' -DCMAKE_PREFIX_PATH=/opt/libcxx -DCMAKE_INSTALL_PREFIX=/opt/libcxx \
        -DCMAKE_INSTALL_LIBDIR=lib -DBUILD_SHARED_LIBS=OFF -DBUILD_TESTING=OFF "$@"
    cmake --build "/opt/sources/$name.build"
    cmake --install "/opt/sources/$name.build"
}

# From the headers, which are the system's.
libcxx_boost_json() {
    local folder=/opt/libcxx/lib/cmake/Boost version
    mkdir -p "$folder" && cd /opt/libcxx/lib
    echo '#include <boost/json/src.hpp>' >json.cpp
    "$CXX" -std=c++20 -stdlib=libc++ -O1 -c json.cpp && ar rcs libboost_json.a json.o
    version=$(sed -n 's/^#define BOOST_LIB_VERSION "\(.*\)"/\1/p' /usr/include/boost/version.hpp | tr _ .).0
    cat >"$folder/BoostConfig.cmake" <<CMAKE
set(Boost_VERSION $version)
set(Boost_FOUND TRUE)
set(Boost_json_FOUND TRUE)
if(NOT TARGET Boost::json)
    add_library(Boost::headers INTERFACE IMPORTED)
    add_library(Boost::json STATIC IMPORTED)
    set_target_properties(Boost::json PROPERTIES IMPORTED_LOCATION /opt/libcxx/lib/libboost_json.a
        INTERFACE_COMPILE_DEFINITIONS BOOST_JSON_NO_LIB INTERFACE_LINK_LIBRARIES Boost::headers)
endif()
CMAKE
    printf 'set(PACKAGE_VERSION %s)\nset(PACKAGE_VERSION_COMPATIBLE TRUE)\n' "$version" >"$folder/BoostConfigVersion.cmake"
}
