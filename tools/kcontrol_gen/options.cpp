#include "options.hpp"

#include "naming.hpp"

namespace kcontrol_gen {
namespace {

using kcontrol::errc;
using kcontrol::error;
using kcontrol::result;

error bad(const std::string& what) { return error(errc::invalid_argument, what); }

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
    if (o.what != action::generate) return {};
    if (o.name_space.empty()) return bad("--namespace is missing: say --namespace acme::jobs");
    return check_namespace(o.name_space);
}

}  // namespace

const char* const usage_text =
    R"(usage: kcontrol-gen --out FILE --namespace NS INPUT...
       kcontrol-gen --out FILE --namespace NS --kubeconfig FILE [--context NAME] [CRD|GROUP...]

Writes a C++ header with the types of custom resources, for use with kcontrol.

INPUT is a file with CustomResourceDefinitions (YAML or JSON, any number of documents, lists too) or with an
OpenAPI v3 document, a directory of such files, or - for standard input. With --kubeconfig the definitions
come from a cluster: those of the given names (jobs.example.com) and groups (example.com), or all.

  --out FILE          the header to write; - is standard output. It is replaced at once, or not at all
  --namespace NS      where the types go: version v1 of a CRD goes to NS::v1
  --kubeconfig FILE   ask this cluster
  --context NAME      a context of the kubeconfig that is not its current one
  --help, --version

What C++ types can't express is kept as raw JSON; it is listed on standard error and at the top of the header.
Exit status: 0 done, 1 the input can't be used or a file or cluster failed, 2 wrong arguments.
)";

result<options> parse_options(const std::vector<std::string>& arguments) {
    options o;
    bool plain = false;  // after "--"
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const auto& argument = arguments[i];
        if (plain || argument == "-" || !argument.starts_with('-')) {
            if (argument.empty()) return bad("an input's name is empty");
            o.inputs.push_back(argument);
            continue;
        }
        const auto equals = argument.find('=');
        const auto name = argument.substr(0, equals);
        std::string* value = nullptr;
        if (name == "--out") value = &o.out;
        if (name == "--namespace") value = &o.name_space;
        if (name == "--kubeconfig") value = &o.kubeconfig;
        if (name == "--context") value = &o.context;
        if (value != nullptr) {
            if (!value->empty()) return bad(name + " is there twice");
            if (equals == std::string::npos && i + 1 == arguments.size()) return bad(name + " needs a value");
            *value = equals == std::string::npos ? arguments[++i] : argument.substr(equals + 1);
            if (value->empty()) return bad(name + " needs a value");
        } else if (argument == "--") {
            plain = true;
        } else if (argument == "--help" || argument == "-h") {
            o.what = action::help;
        } else if (argument == "--version") {
            o.what = action::version;
        } else if (argument == "--condense") {
            o.what = action::condense;
        } else if (argument == "--builtin") {
            o.what = action::builtin;
        } else {
            return bad("unknown argument " + printable(argument) + "; see --help");
        }
    }
    const auto done = check(o);
    if (!done) return done.error();
    return o;
}

}  // namespace kcontrol_gen
