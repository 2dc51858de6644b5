#!/usr/bin/env bash
# Writes the headers and tables of the built-in kinds (include/kcontrol/api, src/api_*.cpp) and of the kinds of beta and
# alpha groups (include/kcontrol/api_beta, src/api_beta.cpp) from the condensed schemas,
# the tables of their Protocol Buffers from the condensed list of fields, and the table of their lists for patches.
# usage: generate-api.sh GENERATOR [OPENAPI-FOLDER [FIELDS [BETA-FOLDER]]]
#   GENERATOR        a built kcontrol-gen
#   OPENAPI-FOLDER   the OpenAPI v3 documents of an API server, one file a group-version: the condensed schema is
#                    renewed from them first (`kubectl get --raw /openapi/v3` lists them)
#   FIELDS           a table of the fields of Protocol Buffers, as in tools/kcontrol_gen/data/protobuf.tsv: what
#                    is kept of them is renewed first
#   BETA-FOLDER      as OPENAPI-FOLDER, the documents of beta and alpha groups alone
set -euo pipefail
(($# >= 1)) || { sed -n '2,11s/^# \?//p' "${BASH_SOURCE[0]}" >&2; exit 2; }
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
schema=$root/tools/kcontrol_gen/data/kubernetes.json
[[ -z ${2-} ]] || "$1" --condense --out "$schema" "$2"
fields=$root/tools/kcontrol_gen/data/protobuf.tsv
[[ -z ${3-} ]] || "$1" --condense-protobuf --fields "$3" --out "$fields" "$schema"
beta=$root/tools/kcontrol_gen/data/kubernetes_beta.json
[[ -z ${4-} ]] || "$1" --condense --out "$beta" "$4"
"$1" --builtin --beta "$beta" --out "$root" "$schema"
"$1" --protobuf --fields "$fields" --out "$root" "$schema"
python3 "$root/scripts/generate-list-table.py"
python3 "$root/tools/check_umbrella.py" --write
