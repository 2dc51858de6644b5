#!/usr/bin/env bash
# Writes the headers and tables of the built-in kinds (include/kcontrol/api, src/api_*.cpp) from the condensed schema.
# usage: generate-api.sh GENERATOR [OPENAPI-FOLDER]
#   GENERATOR        a built kcontrol-gen
#   OPENAPI-FOLDER   the OpenAPI v3 documents of an API server, one file a group-version: the condensed schema is
#                    renewed from them first (`kubectl get --raw /openapi/v3` lists them)
set -euo pipefail
(($# >= 1)) || { sed -n '2,6s/^# \?//p' "${BASH_SOURCE[0]}" >&2; exit 2; }
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
schema=$root/tools/kcontrol_gen/data/kubernetes-1.36.json
[[ -z ${2-} ]] || "$1" --condense --out "$schema" "$2"
"$1" --builtin --out "$root" "$schema"
python3 "$root/tools/check_umbrella.py" --write
