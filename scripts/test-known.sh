# shellcheck shell=bash
# What need not be done again: what passed before with the same inputs. compile_fail and, with --fast, unit use it. A known
# input is an empty file in the user's cache folder, named by a hash.

# is_known KIND HASH, make_known KIND HASH
is_known() { touch -c "${XDG_CACHE_HOME:-$HOME/.cache}/kcontrol/$1/$2" && [[ -e ${XDG_CACHE_HOME:-$HOME/.cache}/kcontrol/$1/$2 ]]; }
make_known() {
    local folder=${XDG_CACHE_HOME:-$HOME/.cache}/kcontrol/$1
    mkdir -p "$folder" && touch "$folder/$2"
}

# All that the outcome for a file depends on: the compiler, the check, and every file that the compiler reads.
compile_fail_inputs() { # FILE
    local files
    set -o pipefail
    files=$("${CXX:-g++}" -std=c++20 -DKCONTROL_SEPARATE_COMPILATION -DGOOD -I"$ROOT/include" -M "$1") || return 1
    {
        "${CXX:-g++}" --version
        cat "$ROOT/tests/compile_fail/check.cmake"
        tr -s ' \\\n' '\n' <<<"${files#*:}" | grep . | xargs -d '\n' cat
    } | sha256sum | cut -d ' ' -f 1
}

# Compiler caches keep no failures. So a file that passed is not compiled again with the same inputs. It prints the file and
# their hash, or "-" if it must be compiled.
compile_fail_hash() { # FILE
    local inputs
    if [[ ! ${CMAKE_CXX_COMPILER_LAUNCHER-} ]] || ! inputs=$(compile_fail_inputs "$1"); then inputs=-; fi
    echo "$1 $inputs"
}

# A file has other inputs when a header of it changes, and none when one is missing.
compile_fail_sees_headers() {
    local folder=$LOGS/compile_fail_headers before after
    mkdir -p "$folder"
    echo '#include "a.hpp"' >"$folder/a.cpp"
    echo 'int a;' >"$folder/a.hpp"
    before=$(compile_fail_inputs "$folder/a.cpp")
    [[ $before == "$(compile_fail_inputs "$folder/a.cpp")" ]] || return 1
    echo 'int b;' >"$folder/a.hpp"
    after=$(compile_fail_inputs "$folder/a.cpp")
    [[ $before && $after && $before != "$after" ]] || return 1
    rm "$folder/a.hpp"
    ! compile_fail_inputs "$folder/a.cpp"
}

# What the outcome of a test program depends on beside itself: the files that it may read, the programs that it may run, and
# our variables. Sources are in the programs.
unit_surroundings() { # BUILD-FOLDER
    {
        find -L "$ROOT" "${KCONTROL_SHARED:-$ROOT/../shared}" \( -path "$ROOT/.git" -o -path "$BUILD" \) -prune -o \
            -type f ! -name '*.[chi]pp' ! -name '*.py[co]' -printf '%p %s %T@\n' 2>/dev/null || true
        find "$1" -type f -executable ! -name 'test_*' -printf '%p %s %T@\n'
        env | grep ^KCONTROL_ || true
    } | sort | sha256sum | cut -d ' ' -f 1
}

unit_inputs() { # PROGRAM; of UNIT_REMEMBERS
    echo "$UNIT_REMEMBERS $(stat -c '%n %s %.9Y' "$1")" | sha256sum | cut -d ' ' -f 1
}

unit_sees_changes() {
    local ROOT=$LOGS/unit_planted/root BUILD=$LOGS/unit_planted/build UNIT_REMEMBERS seen=() each
    rm -rf "$LOGS/unit_planted"
    mkdir -p "$ROOT" "$BUILD"
    for each in "$ROOT/data.json" "$BUILD/tool" "$BUILD/test_a"; do echo 1 >"$each" && chmod +x "$each"; done
    look() { UNIT_REMEMBERS=$(unit_surroundings "$BUILD") && seen+=("$(unit_inputs "$BUILD/test_a")"); }
    look
    look
    [[ ${seen[0]} == "${seen[1]}" ]] || return 1
    echo 22 >"$ROOT/data.json" && look
    echo 22 >"$BUILD/tool" && look
    echo 22 >"$BUILD/test_a" && look
    KCONTROL_PLANTED=1 && export KCONTROL_PLANTED && look
    unset KCONTROL_PLANTED
    [[ $(printf '%s\n' "${seen[@]}" | sort -u | wc -l) == 5 ]]
}
