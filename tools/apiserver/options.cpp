#include "options.hpp"

#include <kcontrol/base/flags.hpp>
#include <kcontrol/base/in_quotes.hpp>
#include <kcontrol/values/api_duration.hpp>

#include <algorithm>
#include <charconv>
#include <set>

namespace kcontrol_apiserver {
namespace {

using kcontrol::errc;
using kcontrol::error;
using kcontrol::flag_value;
using kcontrol::in_quotes;
using kcontrol::result;

constexpr int most_nodes = 5000;

struct flag {
    std::string_view name;
    flag_value value;
    result<void> (*set)(options& o, std::string_view value);
};

error bad(std::string what) { return error(errc::invalid_argument, std::move(what)); }

result<void> set_listen(options& o, std::string_view value) {
    const auto at = kcontrol::http::parse_listen_address(value);
    if (!at || !at->enabled) {
        return bad("--listen " + in_quotes(value) +
                   " is no address: write IP:PORT, such as 127.0.0.1:6443, or 127.0.0.1:0 for any free port");
    }
    o.listen = *at;
    return {};
}

result<void> set_controllers(options& o, std::string_view value) {
    if (value.empty()) value = "garbage,pods,workloads";
    while (!value.empty()) {
        const std::string_view one = value.substr(0, value.find(','));
        value.remove_prefix(std::min(one.size() + 1, value.size()));
        if (one == "garbage") {
            o.garbage = true;
        } else if (one == "pods") {
            o.pods = true;
        } else if (one == "workloads") {
            o.pods = o.workloads = true;
        } else {
            return bad("--controllers: " + in_quotes(one) + " is none; use a list of garbage, pods, workloads");
        }
    }
    return {};
}

result<void> set_nodes(options& o, std::string_view value) {
    int count = 0;
    const auto [end, problem] = std::from_chars(value.data(), value.data() + value.size(), count);
    if (problem != std::errc() || end != value.data() + value.size() || count < 1 || count > most_nodes) {
        return bad("--nodes " + in_quotes(value) + ": use a number from 1 to " + std::to_string(most_nodes));
    }
    o.nodes = count;
    return {};
}

result<void> set_time(options& o, std::string_view value) {
    const auto length = kcontrol::parse_duration(value);
    if (!length || *length <= std::chrono::nanoseconds(0) || *length > std::chrono::hours(24)) {
        return bad("--for " + in_quotes(value) + ": use a time up to 24h, such as 10s or 5m");
    }
    o.trial_time = *length;
    return {};
}

result<void> once(std::string& member, std::string_view name, std::string_view value) {
    if (!member.empty()) return bad(std::string(name) + " is there twice; leave one out");
    member = value;
    return {};
}

constexpr flag flags[] = {
    {"--listen", flag_value::text, set_listen},
    {"--plain-http", flag_value::none,
     [](options& o, std::string_view) -> result<void> {
         o.tls = false;
         return {};
     }},
    {"--kubeconfig", flag_value::text,
     [](options& o, std::string_view value) { return once(o.kubeconfig, "--kubeconfig", value); }},
    {"--load", flag_value::text,
     [](options& o, std::string_view value) -> result<void> {
         o.load.emplace_back(value);
         return {};
     }},
    {"--data", flag_value::text, [](options& o, std::string_view value) { return once(o.data, "--data", value); }},
    {"--controllers", flag_value::joined, set_controllers},
    {"--nodes", flag_value::text, set_nodes},
    {"--rbac", flag_value::none,
     [](options& o, std::string_view) -> result<void> {
         o.rbac = true;
         return {};
     }},
    {"--as-written", flag_value::none,
     [](options& o, std::string_view) -> result<void> {
         o.complete = false;
         return {};
     }},
    {"--lenient-cel", flag_value::none,
     [](options& o, std::string_view) -> result<void> {
         o.lenient_cel = true;
         return {};
     }},
    {"--faults", flag_value::text,
     [](options& o, std::string_view value) { return once(o.faults, "--faults", value); }},
    {"--openapi", flag_value::text,
     [](options& o, std::string_view value) { return once(o.openapi, "--openapi", value); }},
    {"--crds-of", flag_value::none,
     [](options& o, std::string_view) -> result<void> {
         o.crds_of = true;
         return {};
     }},
    {"--rbac-of", flag_value::none,
     [](options& o, std::string_view) -> result<void> {
         o.rbac_of = true;
         return {};
     }},
    {"--for", flag_value::text, set_time},
    {"--name", flag_value::text, [](options& o, std::string_view value) { return once(o.name, "--name", value); }},
    {"--help", flag_value::none,
     [](options& o, std::string_view) -> result<void> {
         o.what = action::help;
         return {};
     }},
    {"-h", flag_value::none,
     [](options& o, std::string_view) -> result<void> {
         o.what = action::help;
         return {};
     }},
    {"--version", flag_value::none,
     [](options& o, std::string_view) -> result<void> {
         o.what = action::version;
         return {};
     }},
};

// Of a program that is tried the flags are mistaken for ours unless they stand behind --.
error with_remedy(const error& why, const std::vector<std::string>& arguments) {
    const auto has = [&](const char* word) {
        return std::find(arguments.begin(), arguments.end(), word) != arguments.end();
    };
    if (!(has("--crds-of") || has("--rbac-of")) || has("--")) return why;
    return bad(why.message() + "; the program and its own flags stand behind --");
}

// Which flags go together.
result<void> check(const options& o, const std::set<std::string_view>& said) {
    if (o.what != action::serve) return {};
    if (said.contains("--nodes") && !o.pods) {
        return bad("--nodes is of no use without --controllers, or --controllers=pods");
    }
    if (o.rbac && !o.tls) {
        return bad("--rbac and --plain-http exclude each other: without TLS nobody can show who he is");
    }
    if (o.lenient_cel && !o.complete) {
        return bad("--lenient-cel is of no use beside --as-written, which looks at no rules: leave one out");
    }
    const bool tries = o.crds_of || o.rbac_of;
    if (!tries && !o.command.empty()) {
        const std::string word = in_quotes(o.command.front());
        return bad(word + " stands alone; did you mean --load " + word + "?");
    }
    for (const std::string_view only : {"--for", "--name"}) {
        if (!tries && said.contains(only))
            return bad(std::string(only) + " is of no use without --crds-of or --rbac-of");
    }
    if (!tries) return {};
    if (o.command.empty()) {
        return bad("a program is missing: write it last, behind --, such as --rbac-of -- ./my_operator --its-flag");
    }
    if (o.command.front().empty()) return bad("the program's name behind -- is empty");
    if (said.contains("--name") && !o.rbac_of) return bad("--name is the role's, and of no use without --rbac-of");
    if (!o.tls)
        return bad(
            "--plain-http can't be with --crds-of and --rbac-of: a certificate tells the program's requests apart");
    return {};
}

}  // namespace

const char* const usage_text =
    R"(usage: kcontrol-apiserver [FLAG]...
       kcontrol-apiserver --crds-of|--rbac-of [FLAG]... -- PROGRAM [ARGUMENT]...

A Kubernetes API server for tests: all built-in kinds and your own, in memory, without etcd. It says what
kube-apiserver 1.37 says, and whatever goes wrong on purpose. Everybody may do everything, unless --rbac is there: do not expose it.

  --listen IP:PORT       where to listen (127.0.0.1:0: any free port)
  --plain-http           without TLS
  --kubeconfig FILE      write how to reach it; kubectl and every client library can read that
  --load FILE|DIR        create what is in a file (YAML or JSON, several documents, lists), or in the .yaml, .yml and
                         .json files of a directory; may be there several times. Definitions and namespaces come
                         first; an object that is there already stays as it is; a status is kept
  --data FILE            keep objects, versions and the authority in this SQLite file. What was answered for is in it
                         before the answer goes out: nothing is lost when the program is killed
  --controllers[=LIST]   what acts besides; all of it, or a list of
                           garbage    objects go with their owners
                           pods       a scheduler, nodes, and kubelets whose pods live as their annotations say
                                      (sim/run-ms, sim/exit-code and others: docs/testing_controllers.md)
                           workloads  Jobs, ReplicaSets and Deployments, and each namespace's service account
                                      "default"; with pods
  --nodes N              how many nodes those pods have (1)
  --rbac                 Roles and their bindings say who may do what. The kubeconfig's user may do everything, and be
                         anybody by impersonation; needs TLS
  --as-written           objects are kept as they are written: no defaults, no validation
  --lenient-cel          take definitions with rules that this server's CEL does not know, such as a function of a newer
                         Kubernetes; each is reported on standard error and not enforced
  --faults FILE          what goes wrong (YAML or JSON; docs/apiserver.md). PUT /kcontrol/faults replaces it while the
                         server runs, GET shows it, DELETE ends it
  --openapi DIR          OpenAPI v3 documents, such as api__v1.json and apis__apps__v1.json: kubectl explain has texts
  --help, --version

Prints one line, its address, once it answers. SIGTERM and SIGINT end it.

What a program needs, found by trying it; standard output gets YAML, and nothing else:
  --crds-of              the CustomResourceDefinitions that PROGRAM makes or changes
  --rbac-of              a ClusterRole that allows what it asked for. What it did not do is not in it: give it objects
                         with --load (of kinds that it installs itself, too), and help with --controllers, and with
                         kubectl by --kubeconfig
  --for TIME             how long it runs before SIGTERM (10s); SIGINT ends it earlier
  --name NAME            the ClusterRole's name (the program's)
The program runs where you are, and KUBECONFIG leads it to this server; {kubeconfig} in its arguments is that file.

Exit status: 0 it was ended, or the needs are printed; 1 it could not start or not go on, or the program failed or asked
nothing; 2 wrong arguments.
)";

result<options> parse_options(const std::vector<std::string>& arguments) {
    const auto said = kcontrol::split_arguments({arguments.begin(), arguments.end()}, kcontrol::shapes_of(flags),
                                                "kcontrol-apiserver --help");
    if (!said) return with_remedy(said.error(), arguments);
    options o;
    std::set<std::string_view> names;
    for (const auto& one : *said) {
        if (one.is_word()) {
            o.command.emplace_back(one.text);
            continue;
        }
        names.insert(flags[one.flag].name);
        if (const auto done = flags[one.flag].set(o, one.text); !done) return done.error();
    }
    if (const auto done = check(o, names); !done) return done.error();
    return o;
}

}  // namespace kcontrol_apiserver
