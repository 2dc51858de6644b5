#!/usr/bin/env bash
# Ends what start.sh started. usage: stop.sh [--crash] WORK
#   --crash   SIGKILL, as a power cut would; WORK can start again
set -u
signal=TERM
if [[ ${1-} == --crash ]]; then signal=KILL; shift; fi
[[ -d ${1-} ]] || { sed -n '2,3s/^# \?//p' "${BASH_SOURCE[0]}" >&2; exit 2; }
[[ -f $1/pids ]] || exit 0

# Each pid leads a process group; what has not ended after 10 s is killed.
end() {
    (($#)) || return 0
    local pid
    kill "-$signal" -- "${@/#/-}" 2>/dev/null
    for pid in "$@"; do
        for _ in $(seq 200); do kill -0 -- "-$pid" 2>/dev/null || break; sleep 0.05; done
        kill -KILL -- "-$pid" 2>/dev/null
    done
}
mapfile -t pids <"$1/pids"
# Those that need the API server first, then it, then etcd (the first of the list), which it cannot stop without.
end "${pids[@]:2}"
end "${pids[@]:1:1}"
end "${pids[@]:0:1}"
rm -f "$1/pids"
