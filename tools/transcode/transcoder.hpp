// One object at a time: from JSON to its type and back.
#pragma once

#include <kcontrol/model/resource.hpp>

#include "options.hpp"

#include <map>
#include <string>

namespace transcode {

class type_name {
public:
    std::string api_version;
    std::string kind;
};

/// Knows the compiled-in kinds.
///
/// Thread-safety: shared objects unsafe.
class transcoder {
public:
    explicit transcoder(const options& o);

    /// The object as JSON, or in the encoding that is asked for. Errors: decode_failed, naming the path and what is
    /// wrong there; invalid_argument for a kind that is not compiled in; with check, what did not survive.
    ///
    /// The elements of what a server answers to a list say neither version nor kind: `implied` is that of the list.
    kcontrol::result<std::string> run(kcontrol::json::node object, const type_name& implied = {});

private:
    kcontrol::result<std::string> through(const kcontrol::resource_info& info, kcontrol::json::node object) const;
    kcontrol::result<void> check(const kcontrol::resource_info& info, kcontrol::json::node object,
                                 const std::string& encoded) const;

    options options_;
    std::map<std::pair<std::string, std::string>, const kcontrol::resource_info*> kinds_;  // by apiVersion and kind
};

/// "apps/v1 Deployment shop/web", as far as the object or its list says.
std::string name_of(kcontrol::json::node object, const type_name& implied = {});

}  // namespace transcode
