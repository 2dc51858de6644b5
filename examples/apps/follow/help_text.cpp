// What --help prints; tests/apps/follow/options_test.cpp compares its flags and defaults with the options'.
#include "options.hpp"

namespace follow {

std::string_view help_text() noexcept {
    return R"help(kcontrol-follow: the endpoints of a Service, of pods, or a leader, for programs
that don't speak Kubernetes: as lines of JSON, as a file, in HAProxy.

usage: kcontrol-follow endpoints NS/SERVICE [--port NAME] [flags]
       kcontrol-follow pods NS --selector S --port P [flags]
       kcontrol-follow leader NS/LEASE [flags]

Examples:
  # Each change as a line of JSON
  kcontrol-follow endpoints shop/web --port http

  # The address of the leader, once
  kcontrol-follow leader shop/master --once --timeout 5s

  # nginx: its configuration, tested, then loaded
  kcontrol-follow endpoints shop/web --template nginx.mustache \
      --out /etc/nginx/nginx.conf --check 'nginx -t -c "$1"' --reload 'nginx -s reload'

  # HAProxy, without a file and without a reload
  kcontrol-follow endpoints shop/web --haproxy /run/haproxy/admin.sock --backend web

What is followed:
  endpoints NS/SERVICE      the EndpointSlices of the Service
  pods NS                   the pods of the namespace that --selector selects
  leader NS/LEASE           the holder of the Lease, and its address
  --port PORT               name or number of a port: of the Service (default: its
                            first one), or of the pods (needed there)
  -l, --selector SELECTOR   label selector, like 'app=web,tier in (a,b)'

A file:
  --template FILE           Mustache: {{#endpoints}} to {{/endpoints}} once for each
                            endpoint that is ready, {{^endpoints}} where there is
                            none; in it {{address}}, {{port}}, {{hostPort}}, {{zone}},
                            {{node}}, {{pod}}, and {{^last}},{{/last}} between two
  --out FILE                the file that is written, replaced as a whole
  --check CMD               for /bin/sh; $1 is the path of the new file, before it takes
                            its place; if CMD fails, the old file stays
  --reload CMD              the same after it took its place; $1 is the path of --out

HAProxy 2.6 or newer:
  --haproxy SOCKET          its runtime API: a unix socket of `level admin`
  --backend NAME            servers kc_ADDRESS:PORT are added, drained and removed
                            there; other servers are left alone
  --server-options TEXT     behind each server's address, like 'check inter 2s'; what
                            the backend's default-server says does not hold for them

When:
  --once                    ends after the first value that the server confirmed
  --timeout TIME            how long the server's first answer may take (default: 30s
                            with --once, else without an end)
  --stale-after TIME        without a sign of life of the server for so long, the value
                            is stale; at least 1s (default 10s)
  --max-stale TIME          how old a stale value may be until --on-stale (default 60s)
  --on-stale WHAT           keep: the outputs stay as they are; empty: they get no
                            endpoints; exit: status 3 (default keep)
  --cache FILE              keeps the last value for the next start, when it is stale
                            until the server has answered

The cluster and the log:
  --kubeconfig FILE         (default: $KUBECONFIG, ~/.kube/config, the pod's service
                            account)
  --context NAME            of the kubeconfig (default: its current one)
  --log-format FORMAT       text or json, on standard error (default text)
  --log-level LEVEL         debug, info, warning or error (default info)
  -h, --help                prints this
  --version                 prints the version

Exit status: 0 done, or ended by a signal; 1 failed; 2 wrong usage; 3 the value is
too old (--on-stale exit), or the server did not confirm that of --cache within
--timeout.
)help";
}

}  // namespace follow
