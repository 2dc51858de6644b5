#pragma once

#include <kcontrol/serve/embedded_file.hpp>
#include <kcontrol/serve/responses.hpp>

#include <string>

namespace kcontrol::inline v0_1::http {

KCONTROL_DECL response file_response(const embedded_file& file) {
    response out(200, file.content_type, std::string(file.text));
    protect(out.headers, file.policy);
    return out;
}

KCONTROL_DECL void add_files(router& to, std::span<const embedded_file> files) {
    for (const auto& file : files) {
        to.get(file.path, [&file](const routed_request&) { return file_response(file); });
    }
}

}  // namespace kcontrol::http
