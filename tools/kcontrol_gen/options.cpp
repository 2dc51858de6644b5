#include "options.hpp"

#include <kcontrol/base/flags.hpp>

#include "naming.hpp"

namespace kcontrol_gen {
namespace {

using kcontrol::errc;
using kcontrol::error;
using kcontrol::result;

error bad(const std::string& what) { return error(errc::invalid_argument, what); }

// Each sets a text, once, or says what to do.
struct flag {
    std::string_view name;
    kcontrol::flag_value value;
    std::string options::*text;
    action what;
};

constexpr flag flags[] = {
    {"--out", kcontrol::flag_value::text, &options::out, {}},
    {"--namespace", kcontrol::flag_value::text, &options::name_space, {}},
    {"--kubeconfig", kcontrol::flag_value::text, &options::kubeconfig, {}},
    {"--context", kcontrol::flag_value::text, &options::context, {}},
    {"--help", kcontrol::flag_value::none, nullptr, action::help},
    {"-h", kcontrol::flag_value::none, nullptr, action::help},
    {"--version", kcontrol::flag_value::none, nullptr, action::version},
    {"--condense", kcontrol::flag_value::none, nullptr, action::condense},
    {"--builtin", kcontrol::flag_value::none, nullptr, action::builtin},
    {"--beta", kcontrol::flag_value::text, &options::beta, {}},
    {"--fields", kcontrol::flag_value::text, &options::fields, {}},
    {"--condense-protobuf", kcontrol::flag_value::none, nullptr, action::protobuf_condense},
    {"--protobuf", kcontrol::flag_value::none, nullptr, action::protobuf},
};

result<void> check_namespace(const std::string& text) {
    std::size_t start = 0;
    while (true) {
        const auto end = text.find("::", start);
        const auto part = text.substr(start, end == std::string::npos ? end : end - start);
        if (!is_identifier(part)) {
            return bad("--namespace " + printable(text) + ": \"" + printable(part) +
                       "\" can't be a namespace; write it like acme::jobs, without keywords, std and kcontrol");
        }
        if (end == std::string::npos) return {};
        start = end + 2;
    }
}

result<void> check(const options& o) {
    if (o.what == action::help || o.what == action::version) return {};
    if (o.out.empty()) return bad("--out is missing: say --out FILE, or --out - for standard output");
    if (!o.context.empty() && o.kubeconfig.empty()) return bad("--context is of no use without --kubeconfig");
    if (o.inputs.empty() && o.kubeconfig.empty()) {
        return bad("no input: name CRD files or directories, - for standard input, or a --kubeconfig");
    }
    const bool of_protobuf = o.what == action::protobuf || o.what == action::protobuf_condense;
    if (of_protobuf != !o.fields.empty()) return bad("--fields FILE goes with --protobuf and --condense-protobuf");
    if (!o.beta.empty() && o.what != action::builtin) return bad("--beta FILE goes with --builtin");
    if (o.what != action::generate) return {};
    if (o.name_space.empty()) return bad("--namespace is missing: say --namespace acme::jobs");
    return check_namespace(o.name_space);
}

}  // namespace

const char* const usage_text =
    R"(usage: kcontrol-gen --out FILE --namespace NS INPUT...
       kcontrol-gen --out FILE --namespace NS --kubeconfig FILE [--context NAME] [CRD|GROUP...]
       kcontrol-gen --crds-of|--rbac-of [--load FILE]... [--for TIME] [--name NAME] -- PROGRAM [ARGUMENT]...

Writes a C++ header with the types of custom resources, for use with kcontrol.

INPUT is a file with CustomResourceDefinitions (YAML or JSON, any number of documents, lists too) or with an
OpenAPI v3 document, a directory of such files, or - for standard input. With --kubeconfig the definitions
come from a cluster: those of the given names (jobs.example.com) and groups (example.com), or all.

  --out FILE          the header to write; - is standard output. It is replaced at once, or not at all
  --namespace NS      where the types go: version v1 of a CRD goes to NS::v1
  --kubeconfig FILE   ask this cluster
  --context NAME      a context of the kubeconfig that is not its current one
  --help, --version

What a program needs of a cluster, as YAML on standard output. PROGRAM runs against the API server for tests, which
KUBECONFIG leads it to; kcontrol-apiserver does it, and its --help has all flags:
  --crds-of           the CustomResourceDefinitions that it makes
  --rbac-of           a ClusterRole with the rights that it used
  --load FILE|DIR     objects for it to work on, of kinds that it installs itself, too
  --for TIME          how long it runs before SIGTERM (10s)
  --name NAME         the ClusterRole's name (the program's)

What C++ types can't express is kept as raw JSON; it is listed on standard error and at the top of the header.
Exit status: 0 done, 1 the input can't be used, or a file, cluster or program failed, 2 wrong arguments.
)";

result<options> parse_options(const std::vector<std::string>& arguments) {
    const auto said = kcontrol::split_arguments({arguments.begin(), arguments.end()}, kcontrol::shapes_of(flags));
    if (!said) return said.error();
    options o;
    for (const auto& one : *said) {
        if (one.is_word()) {
            if (one.text.empty()) return bad("an input's name is empty");
            o.inputs.emplace_back(one.text);
            continue;
        }
        const auto& known = flags[one.flag];
        if (known.text == nullptr) {
            o.what = known.what;
            continue;
        }
        auto& text = o.*known.text;
        if (!text.empty()) return bad(std::string(known.name) + " is there twice");
        text = one.text;
    }
    const auto done = check(o);
    if (!done) return done.error();
    return o;
}

}  // namespace kcontrol_gen
