// What --help prints; tests/apps/gpu_labeler/options_test.cpp compares its defaults with the options'.
#include "options.hpp"

namespace gpu_labeler {

std::string_view help_text() noexcept {
    return R"(gpu_labeler: a GPU node's truth as labels, and its health as metrics.

usage: gpu_labeler [flags]            keeps the labels of this node right
       gpu_labeler --once [flags]     does so one time
       gpu_labeler --dry-run [flags]  prints the labels, key=value, sorted; talks to
                                      no API server; with --annotations then
                                      those too
       gpu_labeler --cleanup [flags]  removes what this program wrote
       gpu_labeler schedule "SPEC" [--from RFC3339] [--count N]

Flags (in the file of --config: without dashes, in camelCase, noTimestamp: true):
  --config FILE             YAML; may also have `sharing` as in the configuration of
                            NVIDIA's device plugin, whose file can be given here;
                            read again on SIGHUP

When:
  --schedule SPEC           when GPUs are looked at for labels, in cron syntax
                            (default "@every 60s"); events of a GPU don't wait for it
  --sample-interval TIME    between measurements (default 10s)
  --start-jitter TIME       the first request to the API server comes at a random
                            time within it (default 10s; 0s: at once)
  --resync-interval TIME    jittered 50-100 %: between looks whether somebody else
                            changed the labels, and only then they are written again
                            (default 10h; 0s: never)
  --keep-labels TIME        GPUs that can't be read (no driver, one that is reloaded
                            or hangs) keep their labels for so long, then these go
                            (default 5m; 0s: never)

Which labels:
  --mig-strategy NAME       none, single or mixed (default none)
  --no-timestamp            no label nvidia.com/gfd.timestamp

Where they go:
  --output PLACE            node: the Node's labels, by server-side apply;
                            nodefeature: a NodeFeature object; features.d: a file of
                            Node Feature Discovery; none (default node)
  --node-name NAME          (default: $NODE_NAME)
  --features-file PATH      of --output features.d (default /etc/kubernetes/
                            node-feature-discovery/features.d/kcontrol-gpu-labeler)
  --namespace NAME          of --output nodefeature (default: the pod's, or that of
                            the kubeconfig's context)
  --kubeconfig FILE         (default: $KUBECONFIG, the pod's service account,
                            ~/.kube/config)
  --context NAME            of the kubeconfig (default: its current one)

What is served:
  --listen ADDR:PORT        serves /, /api/v1/gpus, /api/v1/history, /metrics,
                            /healthz and /readyz there, for example :9400
                            (default 0: nowhere)
  --health-probe-bind-address ADDR:PORT
                            a port of its own for a kubelet: /healthz and /readyz;
                            whatever happens at the other, this one answers
                            (default 0: nowhere)
  --max-connections N       at --listen; one more closes the one that has done nothing
                            for the longest (default 128)
  --tls-cert-file FILE --tls-private-key-file FILE
                            speaks TLS at --listen with this certificate chain and
                            key (PEM)
  --token-file FILE         one bearer token a line, without which requests are
                            refused; a browser asks for it as a password, with any
                            user name
  --client-ca-file FILE     client certificates signed by one of these open, too (PEM);
                            these files are read again when they change, and /healthz
                            and /readyz are open to all
  --trusted-origin URL      https://HOST[:PORT] of a proxy before this, or of a page
                            that may read; several with commas
  --report-health           the Node's condition kcontrol.dev/GPUHealthy, its label
                            kcontrol.dev/gpu-health, and Events say how its GPUs are;
                            needs the rights to patch nodes and nodes/status, and to
                            create and patch events
  --health-unknown-after TIME
                            no answer of the driver for so long is Unknown (default 2m)
  --health-known-after TIME after that they are well for so long first (default 30s)
  --health-well-after TIME  the same after a fault (default 5m)
  --history-file FILE       keeps the GPUs' last day over restarts: at most 2 MB, saved
                            every five minutes and at the end
  --push-url URL            pushes each measurement there as InfluxDB's line protocol,
                            for example
                            https://influx:8086/api/v2/write?org=ORG&bucket=BUCKET
  --push-authorization-file FILE
                            has the value of the header Authorization, for example:
                            Token SECRET
  --push-ca-file FILE       trusts these authorities there (PEM; default: the system's)
  --hostname NAME           in the metrics (default: the node's name)
  --log-format FORMAT       json, where counts are numbers, or text, on standard
                            error (default json)
  --log-level LEVEL         debug, info, warning or error (default info)

The hardware:
  --nvml PATH               NVML's library (default: the driver's, as the system
                            finds it)
  --nvml-timeout TIME       for one call into the driver (default 5s)
  --machine-type-file PATH  has the machine's model
                            (default /sys/class/dmi/id/product_name)
  --sysfs PATH              where sysfs is (default /sys)
  --pod-resources-socket PATH
                            the kubelet's, which knows who uses which GPU, for the
                            metrics and the page; not there: nobody is named (default
                            /var/lib/kubelet/pod-resources/kubelet.sock; "": not asked)

  --version, --help

Commands:
  schedule   prints when a cron schedule fires; see gpu_labeler schedule --help

Exit codes: 0 ok, also after SIGTERM (--dry-run: also if NVML is there and finds no
GPU), 1 failure, 2 usage.
)";
}

}  // namespace gpu_labeler
