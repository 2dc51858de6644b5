#!/usr/bin/env bash
# Starts a real Kubernetes on loopback with its state in WORK; stop.sh WORK ends it. Ready in about 5 s.
# usage: start.sh [--cluster [--mpi-v2beta1]] ASSETS WORK [PORT]     ASSETS: the directory that assets.sh printed
#   without flag    etcd + kube-apiserver: no garbage collection, no namespace deletion, nothing runs
#   --cluster       also controllers, scheduler, a node "gpu-node-0" whose pods kwok lets live (kwok.yaml says how),
#                   and the real training operator for PyTorchJob and MPIJob v1, whose CRDs are applied
#   --mpi-v2beta1   MPIJob v2beta1 instead of v1: its operator is not here, so nobody but the caller writes its status
# Leaves in WORK: admin.kubeconfig (client certificate, system:masters), token.kubeconfig (static token of the user
# "robot", who may do nothing until a binding says so), ca.crt, url, pids, *.log. A file apiserver-options in WORK has more
# arguments of kube-apiserver, one a line. Two WORKs are two clusters. A second
# start on a stopped WORK brings the same cluster back at the same address, unless PORT says otherwise.
set -euo pipefail
cluster=0 mpi=v1
if [[ ${1-} == --cluster ]]; then cluster=1; shift; fi
if [[ ${1-} == --mpi-v2beta1 ]]; then mpi=v2beta1; shift; fi
(($# >= 2)) || { sed -n '3,11s/^# \?//p' "${BASH_SOURCE[0]}" >&2; exit 2; }
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
assets=$(cd "$1" && pwd) port=${3:-}
mkdir -p "$2/tmp"
work=$(cd "$2" && pwd)
[[ ! -s $work/pids ]] || { echo "$work is running already, or was not stopped: stop.sh $work" >&2; exit 1; }
cd "$work"
[[ -n $port || ! -f port ]] || port=$(<port)

free_port() { python3 -c 'import socket; s=socket.socket(); s.bind(("127.0.0.1",0)); print(s.getsockname()[1])'; }
# Each program leads a process group, so that stop.sh ends its children too.
run() {
    local name=$1
    shift
    TMPDIR=$work/tmp setsid "$@" >>"$name.log" 2>&1 </dev/null &
    last_pid=$!
    echo "$last_pid" >>pids
}
fail() {
    echo "$1; the end of $work/$2.log:" >&2
    tail -n 15 "$2.log" >&2
    exit 1
}
started=0
trap '((started)) || "$here/stop.sh" --crash "$work"' EXIT

new_key() { openssl genpkey -quiet -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1" 2>/dev/null; }
issue() { # NAME SUBJECT EXTENSIONS
    new_key "$1.key"
    openssl req -new -key "$1.key" -subj "$2" |
        openssl x509 -req -CA ca.crt -CAkey ca.key -CAcreateserial -days 30 -extfile <(printf '%s\n' "$3") \
            -out "$1.crt" 2>/dev/null
}
if [[ ! -f ca.crt ]]; then
    new_key ca.key
    openssl req -x509 -new -key ca.key -subj /CN=test-ca -days 30 -out ca.crt
fi
names=DNS:localhost,DNS:kubernetes.default.svc,IP:127.0.0.1,IP:10.0.0.1
[[ -f server.crt ]] || issue server /CN=kube-apiserver "subjectAltName=$names"$'\nextendedKeyUsage=serverAuth'
[[ -f admin.crt ]] || issue admin /O=system:masters/CN=admin extendedKeyUsage=clientAuth
[[ -f sa.key ]] || { new_key sa.key; openssl pkey -in sa.key -pubout -out sa.pub; }
[[ -f tokens.csv ]] || echo "$(openssl rand -hex 16),robot,robot-uid" >tokens.csv

kubeconfig() { # FILE USER
    cat >"$1" <<Y
apiVersion: v1
kind: Config
clusters: [{name: test, cluster: {server: "https://127.0.0.1:$port", certificate-authority-data: $(base64 -w0 ca.crt)}}]
users: [{name: test, user: $2}]
contexts: [{name: test, context: {cluster: test, user: test, namespace: default}}]
current-context: test
Y
    chmod 600 "$1"
}

# Waits until COMMAND succeeds, NAME's process has died (1), or 60 s are over (1).
wait_for() { # NAME PID COMMAND...
    local name=$1 pid=$2
    shift 2
    for _ in $(seq 600); do
        "$@" >/dev/null 2>&1 && return 0
        kill -0 "$pid" 2>/dev/null || return 1
        sleep 0.1
    done
    return 1
}

start_etcd() {
    etcd_url=http://127.0.0.1:$(free_port)
    local peer_url
    peer_url=http://127.0.0.1:$(free_port)
    run etcd "$assets/etcd" --data-dir etcd --unsafe-no-fsync --listen-client-urls "$etcd_url" \
        --advertise-client-urls "$etcd_url" --listen-peer-urls "$peer_url" --initial-advertise-peer-urls "$peer_url" \
        --initial-cluster "default=$peer_url"
    wait_for etcd "$last_pid" curl -sf "$etcd_url/health"
}
# Another process may take a port between our look and its use: then try again with others.
start_etcd || start_etcd || fail "etcd did not start" etcd

ready() { curl -sf --cacert ca.crt --cert admin.crt --key admin.key "https://127.0.0.1:$port/readyz"; }
start_apiserver() { # PORT
    port=$1
    local audit=()
    [[ ! -f audit-policy.yaml ]] || audit=(--audit-policy-file audit-policy.yaml --audit-log-path audit.log)
    local more=()
    [[ ! -f apiserver-options ]] || mapfile -t more <apiserver-options
    run apiserver "$assets/kube-apiserver" --etcd-servers "$etcd_url" --bind-address 127.0.0.1 \
        --advertise-address 127.0.0.1 --secure-port "$port" --tls-cert-file server.crt --tls-private-key-file server.key \
        --client-ca-file ca.crt --token-auth-file tokens.csv --authorization-mode RBAC \
        --service-cluster-ip-range 10.0.0.0/24 --allow-privileged --disable-admission-plugins ServiceAccount \
        --endpoint-reconciler-type none --service-account-issuer https://localhost \
        --service-account-key-file sa.pub --service-account-signing-key-file sa.key \
        "${audit[@]}" "${more[@]}"
    wait_for apiserver "$last_pid" ready
}
if [[ -n $port ]]; then
    start_apiserver "$port" || start_apiserver "$port" || fail "kube-apiserver did not start on port $port" apiserver
else
    start_apiserver "$(free_port)" || start_apiserver "$(free_port)" || fail "kube-apiserver did not start" apiserver
fi
echo "$port" >port
echo "https://127.0.0.1:$port" >url
kubeconfig admin.kubeconfig \
    "{client-certificate-data: $(base64 -w0 admin.crt), client-key-data: $(base64 -w0 admin.key)}"
kubeconfig token.kubeconfig "{token: $(cut -d, -f1 tokens.csv)}"

if ((cluster)); then
    k() { "$assets/kubectl" --kubeconfig admin.kubeconfig "$@" >>kubectl.log 2>&1; }
    crds=${KCONTROL_CRDS:-$here/../../tests/e2e/crds}
    # On the way up some APIs come a moment after readyz.
    apply() { k apply --server-side -f "$crds/pytorchjobs_v1.yaml" -f "$crds/mpijobs_$mpi.yaml" && k apply -f "$here/cluster.yaml"; }
    wait_for apiserver "$last_pid" apply || fail "the cluster's objects could not be applied" kubectl
    k wait --for condition=Established --timeout 30s crd --all
    mkdir -p tmp/k8s-webhook-server/serving-certs
    cp server.crt tmp/k8s-webhook-server/serving-certs/tls.crt
    cp server.key tmp/k8s-webhook-server/serving-certs/tls.key
    # The operator serves from TMPDIR, but waits until this file exists in /tmp itself; what is in it does not matter.
    marker=/tmp/k8s-webhook-server/serving-certs/tls.crt
    [[ -e $marker ]] || { mkdir -p "$(dirname "$marker")" && touch "$marker"; }
    run controller-manager "$assets/kube-controller-manager" --kubeconfig admin.kubeconfig --leader-elect=false \
        --secure-port 0 --service-account-private-key-file sa.key --root-ca-file ca.crt
    run scheduler "$assets/kube-scheduler" --kubeconfig admin.kubeconfig --leader-elect=false --secure-port 0
    # Without leases the node is NotReady every minute for a moment, and pods that live through it are never ready again.
    run kwok "$assets/kwok" --kubeconfig admin.kubeconfig --config "$here/kwok.yaml" --manage-all-nodes \
        --node-lease-duration-seconds 40
    schemes=(--enable-scheme pytorchjob)
    [[ $mpi != v1 ]] || schemes+=(--enable-scheme mpijob)
    operator=("$assets/training-operator.v1" --kubeconfig admin.kubeconfig "${schemes[@]}"
        --metrics-bind-address 127.0.0.1:0 --health-probe-bind-address 127.0.0.1:0 --webhook-server-port "$(free_port)")
    # It ends itself once, after it has made its certificates.
    run training-operator bash -c 'while :; do "$@"; sleep 1; done' operator "${operator[@]}"
    k wait --for condition=Ready --timeout 60s node/gpu-node-0 || fail "the simulated node is not ready" kwok
fi
started=1
cat url
