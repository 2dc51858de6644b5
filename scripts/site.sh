#!/usr/bin/env bash
# Builds the site of the guide and of the reference: build/site/html, which needs no other server. MkDocs comes from PyPI.
# usage: site.sh [--serve PORT | --tools]
#   --serve PORT   then serves it at http://127.0.0.1:PORT
#   --tools        only gets what it is built with
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
mkdocs=$(command -v mkdocs) || mkdocs=$BUILD/tools/mkdocs/bin/mkdocs
if [[ ! -x $mkdocs ]]; then
    python3 -m venv "$BUILD/tools/mkdocs" && "$BUILD/tools/mkdocs/bin/pip" install --quiet 'mkdocs==1.6.1' ||
        die "MkDocs is not installed, and PyPI does not answer"
fi
[[ ${1-} != --tools ]] || exit 0
reference=()
if command -v doxygen >/dev/null; then
    "$ROOT/scripts/reference.sh"
    reference=("$BUILD/reference/html")
else
    warn "The site has no reference: doxygen is not installed (Debian: doxygen)."
fi
python3 "$ROOT/tools/site/build.py" "$ROOT" "$BUILD/site" "$mkdocs" "${reference[@]}"
if [[ ${1-} == --serve ]]; then exec python3 -m http.server --bind 127.0.0.1 --directory "$BUILD/site/html" "$2"; fi
