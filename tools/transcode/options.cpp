#include "options.hpp"

#include <kcontrol/base/flags.hpp>

namespace transcode {
namespace {

using kcontrol::flag_value;

kcontrol::error bad(std::string what) { return kcontrol::error(kcontrol::errc::invalid_argument, std::move(what)); }

kcontrol::result<form> parse_form(std::string_view text) {
    if (text == "typed") return form::typed;
    if (text == "dynamic") return form::dynamic;
    if (text == "metadata") return form::metadata;
    return bad("--as " + std::string(text) + ": expected typed, dynamic or metadata");
}

kcontrol::result<encoding> parse_encoding(std::string_view text) {
    if (text == "json") return encoding::json;
    if (text == "protobuf") return encoding::protobuf;
    return bad("--output " + std::string(text) + ": expected json or protobuf");
}

constexpr kcontrol::flag_shape flags[] = {{"--as", flag_value::text},     {"--strict", flag_value::none},
                                          {"--check", flag_value::none},  {"--patch", flag_value::none},
                                          {"--output", flag_value::text}, {"--help", flag_value::none},
                                          {"-h", flag_value::none},       {"--version", flag_value::none}};

kcontrol::result<void> set(options& o, std::string_view flag, std::string_view value) {
    if (flag == "--as") {
        const auto as = parse_form(value);
        if (!as) return as.error();
        o.as = *as;
    }
    if (flag == "--output") {
        const auto output = parse_encoding(value);
        if (!output) return output.error();
        o.output = *output;
    }
    if (flag == "--strict") o.strict = true;
    if (flag == "--check") o.check = true;
    if (flag == "--patch") o.what = action::patch;
    if (flag == "--help" || flag == "-h") o.what = action::help;
    if (flag == "--version") o.what = action::version;
    return {};
}

kcontrol::result<void> check(const options& o) {
    if (o.what != action::patch) return {};
    if (o.files.size() != 2) return bad("--patch takes two files: --patch OLD NEW");
    if (o.files[0] == "-" && o.files[1] == "-") return bad("--patch: only one of OLD and NEW can be standard input");
    if (o.check) return bad("--check and --patch exclude each other");
    if (o.output != encoding::json) return bad("--output and --patch exclude each other");
    return {};
}

}  // namespace

const char* const usage_text =
    R"(usage: kcontrol-transcode [--as FORM] [--output ENCODING] [--strict] [--check] [FILE...]
       kcontrol-transcode --patch OLD NEW

Reads Kubernetes objects (YAML or JSON; several documents, JSON lines and lists are fine; or one object or list in
Protocol Buffers) from files, or from standard input (-, or no file), decodes each to its compiled-in type by
apiVersion and kind, encodes it again and prints it as one line of JSON. All built-in kinds of Kubernetes 1.37 are known.

  --as typed       the compiled-in type (default); an object of an unknown kind is an error
  --as dynamic     every member is kept, also those that the type does not know
  --as metadata    apiVersion, kind and metadata
  --output protobuf
                   writes Protocol Buffers instead, as the API server stores them: of one built-in object
  --strict         fields that the type does not know and names that appear twice are errors
  --check          an object of which something did not survive is an error that names the path. A null, the empty
                   object of a struct that is always there, and metadata.managedFields, which typed objects leave
                   out, are no loss; nor is another spelling of the same time. Built-in kinds go through Protocol
                   Buffers as well
  --patch OLD NEW  prints the JSON Patch and the JSON Merge Patch that lead from one object to the other,
                   each on one line
  --help, --version

An object that fails is reported on standard error, and the others go on.
Exit status: 0 done, 1 something failed, 2 wrong arguments.
)";

kcontrol::result<options> parse_options(const std::vector<std::string>& arguments) {
    const auto said = kcontrol::split_arguments({arguments.begin(), arguments.end()}, flags);
    if (!said) return said.error();
    options o;
    for (const auto& one : *said) {
        if (one.is_word()) {
            if (one.text.empty()) return bad("a file's name is empty");
            o.files.emplace_back(one.text);
        } else if (const auto done = set(o, flags[one.flag].name, one.text); !done) {
            return done.error();
        }
    }
    const auto fine = check(o);
    if (!fine) return fine.error();
    if (o.files.empty()) o.files.emplace_back("-");
    return o;
}

}  // namespace transcode
