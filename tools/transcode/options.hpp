// The command line of kcontrol-transcode.
#pragma once

#include <kcontrol/base/result.hpp>

#include <string>
#include <vector>

namespace transcode {

enum class form { typed, dynamic, metadata };
enum class encoding { json, protobuf };
enum class action { transcode, patch, help, version };

class options {
public:
    action what = action::transcode;
    form as = form::typed;
    encoding output = encoding::json;
    bool strict = false;
    bool check = false;
    std::vector<std::string> files;  ///< "-" is standard input
};

extern const char* const usage_text;

/// Errors: invalid_argument, naming the argument and the remedy.
kcontrol::result<options> parse_options(const std::vector<std::string>& arguments);

}  // namespace transcode
