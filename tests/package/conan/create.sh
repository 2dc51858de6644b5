#!/usr/bin/env bash
# `conan create` of the checkout, offline: what the recipe requires are the system's packages (conanfile.py beside this).
# usage: create.sh CONAN-PROGRAM HOME     HOME: a folder of its own for Conan, emptied first
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$here/../../..
conan=$1
rm -rf "$2"
mkdir -p "$2"
CONAN_HOME=$(cd "$2" && pwd)
export CONAN_HOME
"$conan" profile detect >/dev/null 2>&1
# The least versions of docs/dependencies.md.
for library in boost/1.81.0 openssl/3.0.0 simdjson/3.0.1 fmt/9.1.0 libyaml/0.2.5 zlib/1.2.11 re2/20220601 c-ares/1.18.1 \
    libnghttp2/1.52.0 prometheus-cpp/1.0.0; do
    "$conan" export "$here" --name "${library%/*}" --version "${library#*/}" >/dev/null 2>&1
done
# As the release build compiles, so that ccache knows the files: -m64 is what the compiler does anyway.
export CCACHE_BASEDIR=$CONAN_HOME CCACHE_IGNOREOPTIONS=-m64
"$conan" create "$root" --no-remote --build missing -s compiler.cppstd=gnu20 \
    -c tools.cmake.cmaketoolchain:generator=Ninja -o 'kcontrol/*:fPIC=False'
