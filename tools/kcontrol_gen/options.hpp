// The command line of kcontrol-gen.
#pragma once

#include <kcontrol/base/result.hpp>

#include <string>
#include <vector>

namespace kcontrol_gen {

enum class action {
    generate,           ///< a header for the user's kinds
    condense,           ///< for the project: what it keeps of Kubernetes' documents
    builtin,            ///< for the project: the headers of the built-in kinds
    protobuf_condense,  ///< for the project: what it keeps of the fields of Protocol Buffers
    protobuf,           ///< for the project: their tables
    help,
    version,
};

struct options {
    action what = action::generate;
    std::string out;  ///< a file; "-" is standard output; a directory for builtin
    std::string name_space;
    std::string kubeconfig;  ///< inputs are then names and groups of CRDs
    std::string context;
    std::string beta;    ///< the condensed schema of beta and alpha groups
    std::string fields;  ///< the file with the fields of Protocol Buffers
    std::vector<std::string> inputs;
};

/// `arguments` without the program's name. Errors: invalid_argument, with the remedy.
kcontrol::result<options> parse_options(const std::vector<std::string>& arguments);

extern const char* const usage_text;

}  // namespace kcontrol_gen
