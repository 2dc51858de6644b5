#!/usr/bin/env bash
# Does on a clean Debian 12 what the guide says, and nothing else: from a clone to a controller that was tested and works on a
# real Kubernetes. Prints what was typed and how long it took, as docs/packages.md has it.
# usage: clean-machine.sh [--demo] [--keep]
#   --demo   only the demonstration, as the README says: its packages, its build, its run
#   --keep   the system stays in build/worlds/clean, to look at
# Needs root, debootstrap, a network, and what the end-to-end tests' Kubernetes needs (docs/testing.md); 10 minutes on two cores.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
source "$ROOT/scripts/systems.sh"
keep=0 demo=0
for argument in "$@"; do
    case $argument in
    --demo) demo=1 ;;
    --keep) keep=1 ;;
    --help | -h) sed -n '2,7s/^# \?//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    *) warn "unknown option: $argument (see --help)"; exit 2 ;;
    esac
done
need_systems

root=$BUILD/worlds/clean log=$BUILD/worlds/clean.log cluster=$BUILD/worlds/clean.cluster
begun=$SECONDS
mkdir -p "$BUILD/worlds"
cleanup() {
    [[ -z ${program-} ]] || kill "$program" 2>/dev/null || true
    [[ ! -d $cluster ]] || "$ROOT/scripts/control-plane/stop.sh" "$cluster" >/dev/null 2>&1 || true
    leave_system "$root"
    ((keep)) || rm -rf "${root:?}" "${cluster:?}"
}
trap cleanup EXIT

# told SECONDS: as minutes, where there are some.
told() { if (($1 < 100)); then echo "$1 s"; else echo "$(($1 / 60)) min $(($1 % 60)) s"; fi; }
# typed COMMAND [SHOWN-LINES]: in the folder /root of that system.
typed() {
    local start=$SECONDS
    printf '$ %s\n' "$1"
    inside "$root" "cd /root; $1" >"$log" 2>&1 || { tail -n 40 "$log"; die "this failed: $1 (all of it: $log)"; }
    tail -n "${2:-0}" "$log"
    printf '    # %s\n' "$(told $((SECONDS - start)))"
}

[[ ! -d $root ]] || { leave_system "$root"; rm -rf "${root:?}"; }
rm -rf "${cluster:?}"
step "a Debian 12 with nothing in it"
make_system "$root" bookworm >"$log" 2>&1 || { tail -n 20 "$log"; die "no Debian could be made: $log"; }
inside "$root" "apt-get update -qq && apt-get install -y -qq --no-install-recommends git ca-certificates" >"$log" 2>&1
git clone --quiet --no-local "$ROOT" "$root/root/kcontrol"

if ((demo)); then
    step "the demonstration (README.md)"
    typed "cd kcontrol && time -p scripts/demo.sh --once" 4
    exit 0
fi

step "the library (docs/packages.md)"
typed "kcontrol/scripts/install-deps.sh --build-only"
typed "cd kcontrol && cmake --preset install && cmake --build build/install && cmake --install build/install"
typed "kcontrol-gen --version" 1

step "a first controller (docs/first_controller.md)"
inside "$root" "apt-get install -y -qq --no-install-recommends python3" >"$log" 2>&1
typed "python3 kcontrol/tests/docs/first_hour.py /usr/local /root/entries" 20

step "a project of one's own (kcontrol-new)"
typed "kcontrol-new web-site"
typed "cd web-site && cmake -S . -B build -G Ninja -DREAL_SERVER_TEST=OFF && cmake --build build && ctest --test-dir build" 8

step "on a real Kubernetes"
assets=$("$ROOT/scripts/control-plane/assets.sh" --cluster | tail -n 1) || die "there is no Kubernetes here"
"$ROOT/scripts/control-plane/start.sh" --cluster "$assets" "$cluster" >"$log" 2>&1 || { tail -n 20 "$log"; die "Kubernetes did not start"; }
cp "$assets/kubectl" "$root/usr/local/bin/kubectl"
"$assets/kubectl" --kubeconfig "$cluster/admin.kubeconfig" config view --raw --flatten >"$root/root/admin"
kubectl='kubectl --kubeconfig admin'
typed "$kubectl apply -f web-site/deploy && $kubectl wait --for condition=established crd --all && $kubectl apply -f web-site/example.yaml" 8
# No node here runs images: the program stands in for its own pod, with the arguments and the rights of the manifest.
typed "cp admin pod && kubectl --kubeconfig pod config set-credentials pod --token \$($kubectl -n web-site create token web-site) &&
    kubectl --kubeconfig pod config set-context --current --user pod --namespace web-site"
# The process is the program itself, so that it can be stopped.
chroot "$root" "${CLEAN_ENVIRONMENT[@]}" bash -c "cd /root && exec web-site/build/web-site --kubeconfig pod --leader-elect --leader-election-id=web-site --leader-election-namespace=web-site --health-probe-bind-address=127.0.0.1:18081 --log-format=json" >"$BUILD/worlds/clean.program.log" 2>&1 &
program=$!
typed "for i in \$(seq 300); do $kubectl get configmap hello -o jsonpath='{.data}' 2>/dev/null && break; sleep 0.1; done; echo; $kubectl get website hello -o jsonpath='{.status}' | grep ." 3
kill "$program" || die "the program ended by itself: $(tail -n 3 "$BUILD/worlds/clean.program.log")"
status=0
wait "$program" || status=$?
program=''
((status == 0)) || die "the program ended with status $status: $(tail -n 3 "$BUILD/worlds/clean.program.log")"
! grep -E '"level":"(warning|error)"' "$BUILD/worlds/clean.program.log" || die "the program met what it should not"
step "all of it took $(told $((SECONDS - begun)))"
