// Files of a page that the build makes part of the program: kcontrol_embed_files() of the CMake package writes them.
#pragma once

#include <kcontrol/http/message.hpp>
#include <kcontrol/serve/router.hpp>

#include <span>
#include <string_view>

namespace kcontrol::inline v0_1::http {

/// A file and how it is served. Its texts live as long as the program.
class embedded_file {
public:
    std::string_view path;          ///< "/", "/logo.svg"
    std::string_view content_type;  ///< the header's value: "text/html; charset=utf-8"
    /// Of a page: a Content-Security-Policy that lets exactly its own scripts and styles run, and lets it reach its own
    /// server only.
    std::string_view policy;
    std::string_view text;  ///< the whole body, as it is sent
};

/// Protected (responses.hpp), with the file's own policy.
KCONTROL_DECL response file_response(const embedded_file& file);

/// Adds a route for each of the files, which outlive the router.
KCONTROL_DECL void add_files(router& to, std::span<const embedded_file> files);

}  // namespace kcontrol::http

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/serve/impl/embedded_file.ipp>
#endif
