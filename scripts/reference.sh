#!/usr/bin/env bash
# Writes the reference of the public headers with Doxygen into build/reference/html; a warning is an error.
# usage: reference.sh
# So is a public name without a text, apart from the generated kinds. Members that mean the same everywhere have theirs from
# tools/site/doxygen_filter.py.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
command -v doxygen >/dev/null || die "doxygen is not installed (Debian: doxygen)"
out=$BUILD/reference
rm -rf "$out"
mkdir -p "$out"
version=$(library_version)

# run_doxygen SETTING...: further settings after those of the file.
run_doxygen() {
    { cat "$ROOT/tools/site/Doxyfile" && printf '%s\n' "PROJECT_NUMBER = $version" "$@"; } |
        (cd "$ROOT" && doxygen -) >/dev/null
}
run_doxygen "OUTPUT_DIRECTORY = $out" "WARN_LOGFILE = $out/warnings"
if [[ -s $out/warnings ]]; then
    cat "$out/warnings"
    die "Doxygen warns"
fi
run_doxygen "OUTPUT_DIRECTORY = $out" "WARN_LOGFILE = $out/undocumented" "EXTRACT_ALL = NO" "WARN_IF_UNDOCUMENTED = YES" \
    "GENERATE_HTML = NO" "GENERATE_XML = YES" "XML_OUTPUT = xml" "EXCLUDE_PATTERNS += */include/kcontrol/api/*"
if grep 'is not documented' "$out/undocumented"; then die "public names need a text"; fi
