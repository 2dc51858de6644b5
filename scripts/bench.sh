#!/usr/bin/env bash
# Measures kcontrol, and the peers if asked to, and prints one table: id, peer, variant, value, unit.
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

usage() {
    cat <<'USAGE'
usage: scripts/bench.sh [--with-peers] [--objects N] [--corpus PREFIX] [--keep FILE] [ID...]

Builds the benchmarks (release) and runs those of the given ids, or all:
  PB-1   decode one pod of 11 KB: time, and bytes that stay
  PB-2   an informer's first sync over TLS, until every object is in the store: time
  PB-3   what the objects take after it: bytes handed out, and memory of the process
  PB-4   the most that the process takes for one byte of objects, at the first sync and at a relist after 410
  PB-5   a flood of watch events: time, and memory that it takes
  PB-6   from an event of a watch to its reconcile, at 100, 1,000 and 5,000 events a second: time
  PB-7   the store: writes a second beside readers on other threads
  PB-8   the store: time for cached reads, and what they allocate
  PB-9   a flood of 10,000 watch events told to many handlers, one of them slow: time, and memory that waits
  PB-10  the work queue: time for each key
  PB-11  10, 100 and 1,000 clusters of one kind in one process, over TLS: time until all are synced, memory and threads
         for each, with ten pods and with none; time until one has left; 1,000 of three kinds, over HTTP/1.1 and
         HTTP/2; what one in trouble costs the latency of others
  PB-14  the first sync over a link of 200 Mbit/s, with lists compressed by the server and without: objects a second
  PB-17  write one pod of 11 KB of JSON as an update does: time, allocations, and bytes
  PB-18  decisions of a scheduler in a cluster of 5,000 nodes and 50,000 pods, on one thread: pods a second of CPU time,
         and the time for a gang of 1,000 and for a dry run with 1,000 possible victims
  PB-19  the tutorial's scheduler and kube-scheduler, each with 10,000 waiting pods and 5,000 nodes on a real API server:
         pods a second, CPU seconds and memory (bench/scheduler_figures.py has sizes)
  PB-20  the same two at 50 pods a second: time from a pod's creation to its binding; ours from the event to the binding's
         request, at an API server in a process
  PB-21  the openb trace by each placement of gpu_scheduler: allocated GPUs at 130 % of demand, and waits at 100 %
  PB-22  gpu_scheduler: a gang of 64 x 8 GPUs, and why, in a process; beside kube-scheduler at a real API server, 6,000
         pods and 500 gangs of 8 on 1,250 nodes with 8 GPUs (bench/gpu_scheduler_figures.py has sizes)

  --with-peers     measures client-go, controller-runtime and kube-rs as well, on the same bytes, and adds a table of
                   kcontrol against client-go. Needs Go and Rust; their first build takes some ten minutes
  --objects N      pods in the corpus (default 10000)
  --corpus PREFIX  a corpus that is there, PREFIX.watch.ndjson and PREFIX.list.json, in place of the generated one;
                   not with --with-peers
  --keep FILE      keeps the rows there, separated by tabs

The corpus' generator, the server of PB-2 to PB-6, PB-9 and PB-14, and the peers' programs are no part of the project: they are looked
for in ../shared (bench and peers), or where KCONTROL_SHARED says. What can't be measured without them is left out, and
standard error says so.
Built programs and corpora of them stay in ~/.cache/kcontrol/peers (XDG_CACHE_HOME is obeyed).
The tables are Markdown on standard output; progress goes to standard error. Times on a busy or virtual machine vary:
what counts are the ratios of one run. Exit status 2: bad arguments.
USAGE
}

refuse() {
    warn "error: $1"
    exit 2
}

KNOWN=(PB-1 PB-2 PB-3 PB-4 PB-5 PB-6 PB-7 PB-8 PB-9 PB-10 PB-11 PB-14 PB-17 PB-18 PB-19 PB-20 PB-21 PB-22)
with_peers=false objects=10000 corpus='' keep='' ids=()
while (($# > 0)); do
    case $1 in
    --with-peers) with_peers=true ;;
    --objects | --corpus | --keep)
        (($# > 1)) || refuse "$1 needs a value; --help shows it"
        printf -v "${1#--}" '%s' "$2"
        shift
        ;;
    --help | -h) usage && exit ;;
    -*) refuse "unknown option $1; --help lists them" ;;
    *)
        [[ " ${KNOWN[*]} " == *" $1 "* ]] || refuse "unknown id $1; there are ${KNOWN[*]}"
        ids+=("$1")
        ;;
    esac
    shift
done
[[ $objects =~ ^[1-9][0-9]{0,6}$ ]] || refuse "--objects must be a number from 1 to 9999999, not '$objects'"
[[ -z $corpus ]] || ! $with_peers || refuse "--corpus and --with-peers: the peers measure their own corpus; leave one out"
[[ -z $corpus || -s $corpus.watch.ndjson ]] || refuse "--corpus $corpus: $corpus.watch.ndjson is not there, or is empty"
((${#ids[@]} > 0)) || ids=("${KNOWN[@]}")

shared=${KCONTROL_SHARED:-$ROOT/../shared}
peers=${XDG_CACHE_HOME:-$HOME/.cache}/kcontrol/peers
rows=$(mktemp)
server_pid=''
cleanup() {
    if [[ -n $server_pid ]]; then kill "$server_pid" 2>/dev/null || true; fi
    rm -f "$rows"
}
trap cleanup EXIT

# wanted ID...: whether one of these is to be measured.
wanted() {
    local id
    for id; do
        [[ " ${ids[*]} " != *" $id "* ]] || return 0
    done
    return 1
}

# collect VARIANT PHASE=ID...: rows "phase TAB value TAB unit" from standard input; other phases are dropped.
collect() {
    local variant=$1 phase value unit pair
    shift
    while IFS=$'\t' read -r phase value unit; do
        for pair; do
            [[ $pair == "$phase="* ]] && wanted "${pair#*=}" || continue
            printf '%s\tkcontrol\t%s\t%s\t%s\n' "${pair#*=}" "$variant" "$value" "$unit" >>"$rows"
        done
    done
}

if $with_peers && [[ ! -x $shared/peers/run.sh ]]; then
    warn "note: the peers' programs ($shared/peers) are not there: kcontrol is measured alone"
    with_peers=false
fi
if [[ -z $corpus ]] && { $with_peers || wanted PB-1 PB-2 PB-3 PB-4 PB-5 PB-6 PB-8 PB-9 PB-11 PB-17; }; then
    corpus=$peers/corpus/$objects/pods
    if [[ ! -s $corpus.watch.ndjson || ! -s $corpus.list.json ]]; then
        [[ -f $shared/bench/gen_corpus.py ]] ||
            die "there are no pods to measure: $shared/bench/gen_corpus.py is not there; name some with --corpus PREFIX"
        step "generating $objects pods" >&2
        mkdir -p "$(dirname "$corpus")"
        python3 "$shared/bench/gen_corpus.py" "$objects" "$corpus"
    fi
fi

step "building" >&2
targets=()
if wanted PB-1; then targets+=(bench_decode); fi
if wanted PB-2 PB-3 PB-4 PB-5 PB-14; then targets+=(bench_informer); fi
if wanted PB-6; then targets+=(bench_latency); fi
if wanted PB-7 PB-8; then targets+=(bench_store); fi
if wanted PB-9; then targets+=(bench_handlers); fi
if wanted PB-10; then targets+=(bench_workqueue); fi
if wanted PB-11; then targets+=(bench_clusters bench_isolation); fi
if wanted PB-17; then targets+=(bench_encode); fi
if wanted PB-18; then targets+=(bench_scheduling); fi
if wanted PB-19 PB-20; then targets+=(10_scheduler); fi
if wanted PB-20; then targets+=(bench_scheduler_reaction); fi
if wanted PB-21; then targets+=(bench_gpu_placement); fi
if wanted PB-22; then targets+=(bench_gpu_decisions gpu_scheduler); fi
use_ccache
configure release >&2
build release "${targets[@]}" >&2

if wanted PB-1; then
    step "PB-1: kcontrol" >&2
    "$BUILD/release/bench/bench_decode" "$corpus.watch.ndjson" |
        awk -F '\t' -v OFS='\t' '{ print "PB-1", "kcontrol", $1, $2, $3 }' >>"$rows"
fi

if wanted PB-17; then
    step "PB-17: kcontrol" >&2
    "$BUILD/release/bench/bench_encode" "$corpus.watch.ndjson" |
        awk -F '\t' -v OFS='\t' '{ print "PB-17", "kcontrol", $1, $2, $3 }' >>"$rows"
fi

if wanted PB-18; then
    step "PB-18: kcontrol" >&2
    "$BUILD/release/bench/bench_scheduling" |
        awk -F '\t' -v OFS='\t' '{ print "PB-18", "kcontrol", $1, $2, $3 }' >>"$rows"
fi

if wanted PB-21; then
    traces=$shared/data/traces
    if [[ -f $traces/openb_pod_list_default.csv ]]; then
        step "PB-21: kcontrol" >&2
        "$BUILD/release/bench/bench_gpu_placement" "$traces/openb_node_list_all_node.csv" "$traces/openb_pod_list_default.csv" |
            awk -F '\t' -v OFS='\t' '{ print "PB-21", "kcontrol", $1, $2, $3 }' >>"$rows"
    else
        warn "note: PB-21 is skipped: $traces/openb_pod_list_default.csv is not there"
    fi
fi

if wanted PB-22; then
    step "PB-22: gpu_scheduler and kube-scheduler" >&2
    "$BUILD/release/bench/bench_gpu_decisions" | awk -F '\t' -v OFS='\t' '{ print "PB-22", "kcontrol", $1, $2, $3 }' >>"$rows"
    status=0
    python3 "$ROOT/bench/gpu_scheduler_figures.py" "$BUILD/release/examples/apps/gpu_scheduler/gpu_scheduler" >>"$rows" || status=$?
    ((status == 0 || status == 3)) || die "gpu_scheduler_figures.py failed"
fi

for id in PB-7 PB-8; do
    wanted "$id" || continue
    step "$id: kcontrol" >&2
    "$BUILD/release/bench/bench_store" --only "$id" "$corpus.watch.ndjson" |
        awk -F '\t' -v OFS='\t' '{ print $1, "kcontrol", $2, $3, $4 }' >>"$rows"
done

for id in PB-19 PB-20; do
    wanted "$id" || continue
    step "$id: the tutorial's scheduler and kube-scheduler" >&2
    status=0
    python3 "$ROOT/bench/scheduler_figures.py" "$BUILD/release/examples/tutorial/10_scheduler" --only "$id" >>"$rows" || status=$?
    ((status == 0 || status == 3)) || die "scheduler_figures.py failed"
done

if wanted PB-20; then
    step "PB-20: from a pod's event to its binding, without a peer" >&2
    "$BUILD/release/bench/bench_scheduler_reaction" "$BUILD/release/examples/tutorial/10_scheduler" |
        awk -F '\t' -v OFS='\t' '{ print "PB-20", "kcontrol", $1, $2, $3 }' >>"$rows"
fi

if wanted PB-10; then
    step "PB-10: kcontrol" >&2
    "$BUILD/release/bench/bench_workqueue" |
        awk -F '\t' -v OFS='\t' '{ print "PB-10", "kcontrol", $1, $2, $3 }' >>"$rows"
fi

# As the peers do it: the server on one half of the cores, the client on the other.
server_pin=() client_pin=() cores=$(nproc)
if ((cores > 1)) && command -v taskset >/dev/null; then
    server_pin=(taskset -c "0-$((cores / 2 - 1))")
    client_pin=(taskset -c "$((cores / 2))-$((cores - 1))")
fi

# start_server FLAG...: the peers' replay server, whose address is then in $url and whose certificate in $ca.
start_server() {
    ca=$peers/ca.pem
    mkdir -p "$peers/bin"
    (cd "$shared/peers/go" && go build -o "$peers/bin/" ./cmd/replay) >&2
    exec {ready}< <(exec "${server_pin[@]}" "$peers/bin/replay" -corpus "$corpus" -ca "$ca" "$@")
    server_pid=$!
    read -r _ url <&"$ready" || die "the replay server did not start"
}

stop_server() {
    kill "$server_pid"
    server_pid=''
}

# The server keeps what a relist changed: each run that has one gets a server of its own.
measure_informers() {
    local pair variant output check='' seen
    for pair in full="JSON, LIST in pages, full" projection="JSON, LIST in pages, 14 fields" \
        dynamic="JSON, LIST in pages, dynamic" metadata="JSON, LIST in pages, metadata only" \
        protobuf-full="protobuf, LIST in pages, full" protobuf-projection="protobuf, LIST in pages, 14 fields" \
        protobuf-metadata="protobuf, LIST in pages, metadata only"; do
        variant=${pair#*=}
        step "PB-2 to PB-5: kcontrol, $variant" >&2
        start_server
        output=$("${client_pin[@]}" "$BUILD/release/bench/bench_informer" "$url" "$ca" "${pair%%=*}" 20000 relist) ||
            die "bench_informer ${pair%%=*} failed"
        stop_server
        seen=$(awk -F '\t' '$1 == "check" { print $2 }' <<<"$output")
        [[ ${check:=$seen} == "$seen" ]] || die "$variant: synced other objects: $seen, not $check"
        collect "$variant" sync=PB-2 rest=PB-3 peak=PB-4 flood=PB-5 <<<"$output"
        collect "$variant, relist" relist=PB-4 <<<"$output"
    done
    for pair in bytes=JSON protobuf-bytes=protobuf; do
        step "PB-2: kcontrol, ${pair#*=}, bytes only" >&2
        start_server
        output=$("${client_pin[@]}" "$BUILD/release/bench/bench_informer" "$url" "$ca" "${pair%%=*}" "$objects") ||
            die "bench_informer ${pair%%=*} failed"
        stop_server
        collect "${pair#*=}, the LIST's bytes read and dropped" sync=PB-2 <<<"$output"
    done
}

measure_slow_link() {
    local form compressed output
    for compressed in '' -gzip; do
        for form in full protobuf-full; do
            local variant="LIST in pages, 200 Mbit/s${compressed:+, gzip}"
            [[ $form == protobuf-* ]] && variant="protobuf, $variant" || variant="JSON, $variant"
            step "PB-14: kcontrol, $variant" >&2
            # shellcheck disable=SC2086  # none is no argument
            start_server -mbit 200 $compressed
            output=$("${client_pin[@]}" "$BUILD/release/bench/bench_informer" "$url" "$ca" "$form") ||
                die "bench_informer $form failed"
            stop_server
            collect "$variant" sync=PB-14 <<<"$output"
        done
    done
}

measure_latency() {
    local rate output
    step "PB-6: kcontrol" >&2
    start_server
    output=$("${client_pin[@]}" "$BUILD/release/bench/bench_latency" "$url" "$ca" 100 1000 5000) ||
        die "bench_latency failed"
    stop_server
    for rate in 100 1000 5000; do
        collect "JSON, to reconcile at $rate/s" "latency to reconcile at $rate/s=PB-6" <<<"$output"
    done
}

# As many as the peers have; the events change the server's objects, so each has a server of its own.
measure_handlers() {
    local run count slow variant output
    for run in "1 0" "10 0" "50 0" "10 1"; do
        read -r count slow <<<"$run"
        variant="JSON, handlers: $count"
        ((slow == 0)) || variant+=", one takes $slow ms"
        step "PB-9: kcontrol, $variant" >&2
        start_server
        output=$("${client_pin[@]}" "$BUILD/release/bench/bench_handlers" "$url" "$ca" "$count" "$slow" 10000) ||
            die "bench_handlers $count $slow failed"
        collect "$variant" flood=PB-9 <<<"$output"
        stop_server
    done
}

# What a cluster takes beyond its objects is what is left at none, on the line through one pod and ten.
measure_clusters() {
    local pods count output
    local -A with_one=()
    for pods in 1 10; do
        for count in 10 100 1000; do
            step "PB-11: kcontrol, $count clusters, pods in each: $pods" >&2
            start_server -limit "$pods"
            output=$("${client_pin[@]}" "$BUILD/release/bench/bench_clusters" "$url" "$ca" "$count") ||
                die "bench_clusters $count failed"
            stop_server
            if ((pods == 1)); then
                with_one[$count]=$output
                continue
            fi
            collect "$count clusters of 10 pods" sync=PB-11 rest=PB-11 trimmed=PB-11 disengage=PB-11 <<<"$output"
            collect "$count clusters, beyond objects" rest=PB-11 trimmed=PB-11 \
                < <(beyond_objects <<<"${with_one[$count]}"$'\n'"$output")
        done
    done
    local protocol
    for protocol in '' http2; do
        step "PB-11: kcontrol, 1000 clusters of three kinds ${protocol:-http/1.1}" >&2
        start_server -limit 1
        # shellcheck disable=SC2086  # none is no argument
        output=$("${client_pin[@]}" "$BUILD/release/bench/bench_clusters" "$url" "$ca" 1000 3 $protocol) ||
            die "bench_clusters 1000 3 $protocol failed"
        stop_server
        collect "1000 clusters of 1 pod, 3 kinds, ${protocol:-http/1.1}" sync=PB-11 rest=PB-11 trimmed=PB-11 <<<"$output"
    done
}

# What a cluster in trouble costs the others: two servers, of which the second has nothing to do but answer the fourth.
measure_isolation() {
    step "PB-11: kcontrol, a cluster in trouble beside others" >&2
    start_server -limit 100
    local quiet_url=$url quiet_ca=$peers/quiet-ca.pem quiet_pid=$server_pid output
    mv "$ca" "$quiet_ca"
    start_server -limit 100
    output=$("${client_pin[@]}" "$BUILD/release/bench/bench_isolation" "$quiet_url" "$quiet_ca" "$url" "$ca") ||
        output=''
    stop_server
    kill "$quiet_pid"
    [[ $output ]] || die "bench_isolation failed"
    local beside
    for beside in "a cluster that is well" "100,000 requests that wait" "a server that does not answer"; do
        collect "three clusters beside $beside" "latency beside $beside=PB-11" <<<"$output"
    done
}

# The memory rows of one pod and of ten, as those of none.
beyond_objects() {
    awk -F '\t' -v OFS='\t' '$3 ~ /^KB (RSS|live)/ { if ($3 in one) print $1, one[$3] - ($2 - one[$3]) / 9, $3; else one[$3] = $2 }'
}

if wanted PB-2 PB-3 PB-4 PB-5 PB-6 PB-9 PB-11 PB-14; then
    if [[ ! -d $shared/peers/go ]]; then
        warn "left out: PB-2 to PB-6, PB-9, PB-11 and PB-14 need the replay server ($shared/peers/go), which is not there"
    elif ! command -v go >/dev/null; then
        warn "left out: PB-2 to PB-6, PB-9, PB-11 and PB-14 need Go, to build the replay server"
    elif [[ ! -s $corpus.list.json ]]; then
        warn "left out: PB-2 to PB-6, PB-9, PB-11 and PB-14 need $corpus.list.json, which is not there, or is empty"
    else
        if wanted PB-2 PB-3 PB-4 PB-5; then measure_informers; fi
        if wanted PB-6; then measure_latency; fi
        if wanted PB-9; then measure_handlers; fi
        if wanted PB-14; then measure_slow_link; fi
        if wanted PB-11; then
            measure_clusters
            measure_isolation
        fi
    fi
fi

if $with_peers; then
    step "the peers" >&2
    others=()
    for id in "${ids[@]}"; do
        [[ $id == PB-17 || $id == PB-18 || $id == PB-19 ]] || others+=("$id")
    done
    if ((${#others[@]} > 0)); then
        only=$(IFS=, && echo "${others[*]}")
        "$shared/peers/run.sh" --dir "$peers" --only "$only" "$objects" >>"$rows"
    fi
    if wanted PB-17; then
        mkdir -p "$peers/bin"
        (cd "$ROOT/bench/peer_clients/client_go" && go build -o "$peers/bin/encode" ./encode) >&2
        "$peers/bin/encode" "$corpus.watch.ndjson" |
            awk -F '\t' -v OFS='\t' '{ print "PB-17", "client-go", $1, $2, $3 }' >>"$rows"
    fi
fi
[[ -z $keep ]] || grep -v '^id' "$rows" >"$keep"
python3 "$ROOT/bench/table.py" <"$rows"
