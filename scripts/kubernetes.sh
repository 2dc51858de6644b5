#!/usr/bin/env bash
# Brings the project to a version of Kubernetes: builds that version's programs from its Go modules, reads OpenAPI
# documents, discovery and the fields of Protocol Buffers, and writes again everything that depends on them. The diff is
# for a person to review.
# usage: kubernetes.sh [--generate] VERSION     VERSION as in 1.37.2, or 1.38.0-beta.0
#   --generate   only what is generated: types and tables. Without it also:
#                the version that tests run (scripts/control-plane/go.mod); whole answers and fields of a real server
#                (tests/conformance). Cases that differ otherwise are printed, and stay as they are.
# Needs Go >= 1.26. Building the programs takes 7 minutes on two cores, all else 3. Then:
#   KCONTROL_WRITE_FIDELITY=1 KCONTROL_E2E_MODULES=test_conformance scripts/test.sh --only e2e     docs/fidelity.md
#   git grep -n "1\.OLD"                                                                          what else names it
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

only_generate=0
if [[ ${1-} == --generate ]]; then only_generate=1; shift; fi
if [[ ${1-} == --help || ${1-} == -h ]]; then sed -n '2,12s/^# \?//p' "$0"; exit 0; fi
if (($# != 1)) || [[ ! $1 =~ ^1\.([0-9]+)\.[0-9]+(-[a-z]+\.[0-9]+)?$ ]]; then
    warn "usage: kubernetes.sh [--generate] VERSION, such as 1.37.2 (see --help)"
    exit 2
fi
version=$1 minor=${BASH_REMATCH[1]}
planes=$ROOT/scripts/control-plane
pinned=$(sed -n 's/^\tk8s.io\/kubernetes v//p' "$planes/go.mod")
work=$BUILD/kubernetes/$version
rm -rf "$work" && mkdir -p "$work"

assets=$(KCONTROL_KUBERNETES_VERSION=$version "$planes/assets.sh" | tail -1)
# A server with all groups tells what beta and alpha groups have; all else is read from one as it is by default.
mkdir -p "$work/beta_server"
printf '%s\n' --runtime-config=api/all=true --feature-gates=AllAlpha=true,AllBeta=true >"$work/beta_server/apiserver-options"
trap '"$planes/stop.sh" "$work/beta_server" >/dev/null' EXIT
"$planes/start.sh" "$assets" "$work/beta_server" >/dev/null
"$planes/read_server.py" "$work/beta_server" "$work/beta"
"$planes/stop.sh" "$work/beta_server" >/dev/null
find "$work/beta/openapi" -name '*.json' ! -name '*__v*alpha*' ! -name '*__v*beta*' -delete
trap '"$planes/stop.sh" "$work/server" >/dev/null' EXIT
"$planes/start.sh" "$assets" "$work/server" >/dev/null

# The tags of Go's types, in a module that requires this version.
module=$planes
[[ $version == "$pinned" ]] || module=${KCONTROL_CONTROL_PLANE_CACHE:-$HOME/.cache/kcontrol/control-plane}/$version/module
(cd "$module" && go run -mod=mod "$planes/protobuf_fields.go") >"$work/fields.tsv"
"$planes/read_server.py" "$work/server" "$work"

use_ccache
configure release
build release kcontrol_gen
"$ROOT/scripts/generate-api.sh" "$BUILD/release/tools/kcontrol_gen/kcontrol-gen" "$work/openapi" "$work/fields.tsv" \
    "$work/beta/openapi"
python3 "$ROOT/scripts/generate-apiserver-table.py" "$work/openapi" "$work/fields.tsv" "$work/discovery"
sed -i -E "s/(kubernetes_minor = \")[0-9]+/\1$minor/; s/(kubernetes_previous_minor = \")[0-9]+/\1$((minor - 1))/" \
    "$ROOT/src/testserver/kubernetes_version.hpp"
((only_generate)) && exit 0

# As in assets.sh: the modules that are published with Kubernetes have its version.
if [[ $version != "$pinned" ]]; then
    sed -i "s/^\tk8s.io\/kubernetes v.*/\tk8s.io\/kubernetes v$version/" "$planes/go.mod"
    sed -i -E "s/^(\tk8s.io\/[a-z-]+( => k8s.io\/[a-z-]+)?) v0\.${pinned#1.}/\1 v0.${version#1.}/" "$planes/go.mod"
    (cd "$planes" && go mod tidy)
fi

problems=0
python3 "$ROOT/tests/conformance/run.py" "$(<"$work/server/url")" --ca "$work/server/ca.crt" --cert "$work/server/admin.crt" \
    --key "$work/server/admin.key" --record || problems=1
((!problems)) || warn "the cases above answer otherwise than they say: write down what Kubernetes $version says"
