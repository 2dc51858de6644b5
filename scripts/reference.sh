#!/usr/bin/env bash
# Writes the reference of the public headers with Doxygen into build/reference/html; a warning is an error.
# usage: reference.sh
# Names without a text of their own are shown with their declaration. How many there are, apart from the generated kinds, may not
# grow: tests/reference/without_text has the number.
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
allowed=$(<"$ROOT/tests/reference/without_text") count=$(grep -c 'is not documented' "$out/undocumented" || true)
say "$count public names have no text of their own; $allowed may"
((count <= allowed)) || { tail -n 20 "$out/undocumented"; die "new public names need a text"; }
