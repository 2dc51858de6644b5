// What --help and --help-all print; tests/apps/training_monitor/options_test.cpp compares its defaults with the
// options'.
#include "options.hpp"

namespace training_monitor {

std::string_view help_text() noexcept {
    return R"(usage: training_monitor [--clusters DIR | --kubeconfig FILE [--context NAME]...] [flags]

Shows the training jobs of any number of Kubernetes clusters, live: in the terminal, on a web page and as an
event stream. It only reads (get, list, watch), and asks which rights it has. What it may not see of a cluster is
left out.

  --clusters DIR         one kubeconfig a file; the file's name without extension is the cluster's name
  --kubeconfig FILE      the contexts of one kubeconfig
  --context NAME         of that file, $KUBECONFIG or ~/.kube/config, repeatable (default: the current context)
  --demo                 simulated clusters and jobs, without Kubernetes
  --namespace NAME       only this namespace, repeatable (default: all)
  --kinds LIST           of the kinds that --help-all lists; or all (default: pytorchjob, mpijob, trainjob, job)
  --output FORMAT        table, wide, json or none (default: table); press ? for its keys
  --listen ADDR:PORT     where the page, the interface and the metrics are served (default: 127.0.0.1:8080)
  --tls-cert-file FILE --tls-private-key-file FILE
                         speak TLS, which listening beyond loopback needs
  --token-file FILE      one bearer token a line, which listening beyond loopback needs
  --state FILE           keep each job's history in this file, over restarts
  --notify-config FILE   who is notified of which changes (YAML)
  --once                 print one complete snapshot and exit
  --config FILE          flags as keys of YAML: without dashes, in camelCase, noLogs: true

  --version, --help; --help-all prints all flags
)";
}

std::string_view all_help_text() noexcept {
    return R"(usage: training_monitor [--clusters DIR | --kubeconfig FILE [--context NAME]...] [flags]

Shows the training jobs of any number of Kubernetes clusters, live: in the terminal, on a web page and as an
event stream. It only reads (get, list, watch), and asks which rights it has.

Which clusters (one of them; without any, the current context of $KUBECONFIG, a list with ':', or the cluster whose
pod this runs in, or the current context of ~/.kube/config):
  --clusters DIR         one kubeconfig a file; the file's name without extension is the cluster's name. Files that
                         are added, replaced or removed are picked up while it runs
  --kubeconfig FILE      the contexts of one kubeconfig
  --context NAME         a context of that file, or of $KUBECONFIG or ~/.kube/config, repeatable (default: the current
                         context)
  --clusters-from-secrets NAMESPACE
                         the Secrets of that namespace with the label
                         sigs.k8s.io/multicluster-runtime-kubeconfig=true, each with a kubeconfig under the key
                         `kubeconfig`; its name is the cluster's. Only inline credentials and https are taken
  --home-kubeconfig FILE where those Secrets, and the Leases of --shard-group, are (default: the cluster whose pod
                         this runs in)
  --state FILE           if none of these is given: what `training_monitor cluster add` put into that file
  --demo                 simulated clusters and jobs in this process, and a scenario that changes them

Many clusters:
  --shard-group NAMESPACE/NAME
                         monitors that name the same group share the clusters: each watches and shows its own, and
                         takes those of one that ends. All need the same clusters, and rights to Leases there
  --shard-weight N       this one's share among the weights of all, 1 to 1000 (default: 1)
  --cluster-rate-limit N requests a second to each cluster, twice as many at once (default: no limit)
  --cluster-max-concurrent-requests N
                         requests to each cluster that wait for an answer to begin (default: no limit)
  --cluster-max-consecutive-failures N
                         after so many requests without an answer a cluster is only tried now and then (default: no
                         limit)
  --cluster-max-objects N
                         a cluster with more jobs and pods is shown as failed, and retried after a minute, two, four…
                         (default: no limit)

Which jobs:
  --namespace NAME       only this namespace, repeatable (default: all)
  --kinds LIST           of pytorchjob, mpijob, trainjob, job, trainingjob, tfjob, xgboostjob, paddlejob, jaxjob,
                         jobset, rayjob, raycluster, leaderworkerset; or all (default: the first four). A kind that a
                         cluster does not have is looked for again and picked up when it appears
  --kind-rules FILE      more kinds, which are watched, too: how they are called, which condition means what, where
                         replicas and GPUs stand (YAML; the documentation's page on kinds has its fields)

Output:
  --output FORMAT        table, wide, json or none (default: table). On a terminal, table and wide are redrawn, what
                         failed first; keys: arrows or j and k, Enter (a job), / (search), q. Elsewhere, with
                         TERM=dumb, and with json, each change is a line. NO_COLOR is heeded
  --listen ADDR:PORT     where the page, the interface and the metrics are served (default: 127.0.0.1:8080;
                         0: nowhere)
  --health-probe-bind-address ADDR:PORT
                         a port of its own for a kubelet: /healthz and /readyz, without TLS and login (default: 0,
                         nowhere). Whatever happens at the other, this one answers
  --no-logs              readers can't ask for the last 1,000 lines of a container's log. Else they can where the
                         monitor has the right get pods/log; what looks like a secret is masked
  --no-yaml              readers can't see a job's object as YAML. Else they can where the monitor has the right get of
                         its kind; what looks like a secret is masked
  --no-gpu-usage         do not ask the GPU labelers (gpu_labeler, a DaemonSet) how busy GPUs are. Else they are asked
                         where the monitor has the rights list pods and get pods/proxy in their namespace
  --logs                 messages, too, carry the last lines of a failed container's log (logLines of a receiver)
  --yaml, --gpu-usage    the defaults, in so many words; with --gpu-usage a missing right is said on the page
  --gpu-usage-interval TIME
                         how often, 5s to 1h (default: 30s)
  --labeler-namespace NAME
                         where the labelers' pods are (default: gpu-labeler)
  --labeler-selector SELECTOR
                         their labels (default: app.kubernetes.io/name=gpu-labeler)
  --labeler-port PORT    where they listen (default: 9400)
  --once                 print one complete snapshot and exit; with --demo, run the scenario to its end
  --log-format FORMAT    text or json, on standard error (default: text)

Notices:
  --notify-config FILE   who is notified of which changes: Feishu, Slack, webhooks, commands (YAML; the documentation's
                         page on notices has its fields)
  --external-url URL     where people find this page: notices then have a link to the job
  --link [KIND/]NAME=URL a link of each job, or of those of a kind, to another program, repeatable. The URL has words in
                         braces: {cluster}, {namespace}, {kind}, {name}, {uid}, {label:KEY}, {from} and {to} (its start
                         and end in milliseconds). Without --external-url, notices have the first of them. Those of
                         the kind NodeRepair are links of a node under repair: {cluster} and {name}, the case's
  --test-notify [NAME]   send one made-up notice to that receiver, or to all, say what happened, and exit

Who may read what is served (beyond loopback: TLS, and a token or a client certificate, are required):
  --tls-cert-file FILE --tls-private-key-file FILE
                         speak TLS with this certificate chain and key (PEM)
  --token-file FILE      one bearer token a line; a browser asks for it as a password, with any user name
  --client-ca-file FILE  client certificates signed by one of these open (PEM)
  --trusted-origin URL   https://HOST[:PORT] of a proxy before this, or of a page that may read, repeatable
  --insecure-listen      listen beyond loopback without TLS or login
                         The files are read again when they change; /healthz and /readyz are open to all

How much they may cost (where a limit is reached, the connection that has done nothing for the longest is closed):
  --max-connections N    (default: 512)
  --max-connections-per-address N
                         (default: 0, no limit: behind a proxy all have one address)
  --max-event-streams N  fewer than connections (default: 256). One more takes the place of the one that has not read
                         for the longest, or is asked to try again later if all read

What is remembered:
  --state FILE           keep each job's history in this file (SQLite), over restarts, and the clusters that
                         `training_monitor cluster add` put there. One monitor a file
  --acknowledgements     readers who log in may say who takes care of which job, with a note, for all who look
  --key-file FILE        opens kubeconfigs that are sealed there
  --retain-for TIME      forget jobs that are gone after so long: 45s, 90m, 12h, 30d (default: 30d)
  --retain-size SIZE     forget the oldest of them when the file holds more: 500MiB, 1GiB (default: 1GiB)

  --config FILE          flags as keys of YAML: without dashes, in camelCase, noLogs: true or logs: false; a list for a
                         flag that is repeatable. The command line wins
  --version              print the version and exit
  --help                 print the flags that most people need and exit
  --help-all             print this and exit

Served at --listen: /  /api/v1/jobs  /api/v1/clusters  /api/v1/events  /api/v1/gpus  /api/v1/notices
                    /api/v1/fleet  /healthz  /readyz[?verbose]  /metrics
Exit status: 0 done, 1 failure (with --once: also if some cluster could not be read), 2 wrong usage.
)";
}

}  // namespace training_monitor
