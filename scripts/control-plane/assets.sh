#!/usr/bin/env bash
# Finds the programs of a Kubernetes control plane, or builds them from their published Go modules.
# usage: assets.sh [--cluster] [--kueue] [--kuberay] [--no-build]
#   without flag   etcd, kube-apiserver, kubectl: an API server and nothing that acts
#   --cluster      also kube-controller-manager, kube-scheduler, kwok (simulated kubelets), the training operator
#   --kueue        also Kueue, with its manifests in kueue.d beside it: 4 minutes more
#   --kuberay      also KubeRay, with its kinds and samples in kuberay.d beside it: 5 minutes more
#   --no-build     only look
# Looks in KUBEBUILDER_ASSETS, in PATH, then in ~/.cache/kcontrol/control-plane/VERSION; the first place that has the
# server's three programs gives them, so that versions do not mix. What is missing is built there, given Go >= 1.26:
# 7 minutes on two cores, 12 with --cluster. The last line is a directory with all programs. Exit 3: not to be had here.
# KCONTROL_KUBERNETES_VERSION=1.34.4 gives that version's programs, which are always built there, with the same etcd and kwok.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
server=(etcd kube-apiserver kubectl) rest=() build=1
for argument in "$@"; do
    case $argument in
    --cluster) rest+=(kube-controller-manager kube-scheduler kwok training-operator.v1) ;;
    --kueue) rest+=(kueue) ;;
    --kuberay) rest+=(kuberay) ;;
    --no-build) build=0 ;;
    *) echo "unknown option: $argument" >&2; exit 2 ;;
    esac
done
declare -A module=(
    [etcd]=go.etcd.io/etcd/server/v3
    [kwok]=sigs.k8s.io/kwok/cmd/kwok
    [training-operator.v1]=github.com/kubeflow/training-operator/cmd/training-operator.v1@v1.8.1
)
pinned=$(sed -n 's/^\(require \|\t\)k8s.io\/kubernetes v\([0-9.]*\).*/\2/p' go.mod | head -1)
version=${KCONTROL_KUBERNETES_VERSION:-$pinned}
if [[ ! $version =~ ^1\.[0-9]+\.[0-9]+(-[a-z]+\.[0-9]+)?$ ]]; then
    echo "KCONTROL_KUBERNETES_VERSION is \"$version\", which is no version of Kubernetes: write it like $pinned" >&2
    exit 2
fi
caches=${KCONTROL_CONTROL_PLANE_CACHE:-$HOME/.cache/kcontrol/control-plane}
cache=$caches/$version

has_server() { local p; for p in "${server[@]}"; do [[ -x $1/$p ]] || return 1; done; }
path_directory() { local p; p=$(command -v "$1") && dirname "$p"; }

base=$cache
if [[ $version == "$pinned" ]]; then
    if [[ -n ${KUBEBUILDER_ASSETS-} ]] && has_server "$KUBEBUILDER_ASSETS"; then
        base=$KUBEBUILDER_ASSETS
    elif directory=$(path_directory kube-apiserver) && has_server "$directory"; then
        base=$directory
    fi
fi

find_program() {
    local directory
    # Kubernetes' own programs of another version are nowhere else; what belongs to no version of it may be anybody's.
    if [[ $version != "$pinned" && $1 == kube* ]]; then
        [[ -x $cache/$1 ]] && echo "$cache/$1"
        return
    fi
    for directory in "$base" "${KUBEBUILDER_ASSETS:-/nonexistent}" "$caches/$pinned"; do
        [[ -x $directory/$1 ]] && { echo "$directory/$1"; return 0; }
    done
    # kubectl and etcd in PATH may be of any version; the others belong to nobody else.
    [[ $1 != etcd && $1 != kubectl && $1 != kube-apiserver ]] && command -v "$1"
}

missing=()
for program in "${server[@]}" "${rest[@]}"; do find_program "$program" >/dev/null || missing+=("$program"); done

# downloaded MODULE@VERSION FIELD: where Go has put it (Dir), or its go.mod (GoMod); nothing if there is no such module.
downloaded() { (cd / && go mod download -json "$1" || true) | sed -n "s/.*\"$2\": \"\(.*\)\".*/\1/p"; }

# build_alone NAME MODULE PACKAGE MANIFEST...: in its own module, which has the versions of all that it needs; with manifests.
build_alone() {
    local source name=$1 package=$3
    source=$(downloaded "$2" Dir)
    [[ -n $source ]] || { echo "no control plane: $2 can't be had" >&2; exit 3; }
    shift 3
    mkdir -p "$cache/$name.d"
    (cd "$source" && install -m 644 $@ "$cache/$name.d" && go build -trimpath -ldflags "-s -w" -o "$cache/$name" "$package" >&2)
}

# go.mod beside this file pins one version with all that it needs. Of another, Kubernetes' own go.mod says what it needs,
# but for the modules that are published with it and have its version; the samples among them nothing needs.
build_kubernetes() {
    local stamp pkg=k8s.io/component-base/version major minor patch module=$cache/module
    IFS=. read -r major minor patch <<<"$version"
    stamp="-X $pkg.gitVersion=v$version -X $pkg.gitMajor=$major -X $pkg.gitMinor=$minor"
    if [[ $version == "$pinned" ]]; then
        go build -trimpath -ldflags "-s -w $stamp" -o "$cache/" "$@" >&2
        return
    fi
    local own
    own=$(downloaded "k8s.io/kubernetes@v$version" GoMod)
    [[ -n $own ]] || { echo "no control plane: k8s.io/kubernetes v$version can't be had" >&2; exit 3; }
    mkdir -p "$module"
    {
        printf 'module kcontrol.dev/control-plane\n\n'
        grep '^go ' "$own"
        printf 'require k8s.io/kubernetes v%s\n' "$version"
        sed -n "/\/sample-/d; s/^\t\(k8s.io\/[a-z-]*\) => .*/require \1 v0.$minor.$patch/p" "$own"
    } >"$module/go.mod"
    (cd "$module" && go build -mod=mod -trimpath -ldflags "-s -w $stamp" -o "$cache/" "$@" >&2)
}

# Go's own errors go to stderr; two callers at once wait for each other.
build_missing() {
    mkdir -p "$cache"
    exec 9>"$cache.lock"
    flock 9
    local program kubernetes=()
    for program in "${missing[@]}"; do
        [[ -x $cache/$program ]] && continue
        echo "Building $program ..." >&2
        case ${module[$program]-$program} in
        kueue)
            build_alone kueue sigs.k8s.io/kueue@v0.14.0 ./cmd/kueue 'config/components/crd/bases/*.yaml' \
                config/components/webhook/manifests.yaml
            ;;
        kuberay)
            build_alone kuberay github.com/ray-project/kuberay/ray-operator@v1.5.0 . 'config/crd/bases/*.yaml' \
                'config/samples/ray-*.yaml'
            ;;
        "$program") kubernetes+=("k8s.io/kubernetes/cmd/$program") ;;
        *@*) GOBIN=$cache go install -trimpath -ldflags "-s -w" "${module[$program]}" >&2 ;;
        *) go build -trimpath -ldflags "-s -w" -o "$cache/$program" "${module[$program]}" >&2 ;;
        esac
    done
    ((${#kubernetes[@]} == 0)) || build_kubernetes "${kubernetes[@]}"
}

if ((${#missing[@]})); then
    if ((!build)); then
        echo "no control plane: ${missing[*]} not found in KUBEBUILDER_ASSETS, PATH or $cache" >&2
        exit 3
    fi
    # With an older Go this line fetches the one that go.mod asks for, or fails.
    if ! command -v go >/dev/null || ! go version >/dev/null 2>&1; then
        echo "no control plane: ${missing[*]} not found, and no Go >= 1.26 to build them" >&2
        exit 3
    fi
    build_missing
fi

# One directory of links: callers need no more than a path.
links=$cache.links/$(printf '%s\n' "$base" "${rest[@]}" | cksum | cut -d' ' -f1)
mkdir -p "$links"
for program in "${server[@]}" "${rest[@]}"; do ln -sfn "$(find_program "$program")" "$links/$program"; done
for program in kueue kuberay; do
    [[ ! -x $links/$program ]] || ln -sfn "$(dirname "$(find_program $program)")/$program.d" "$links/$program.d"
done
echo "$links"
