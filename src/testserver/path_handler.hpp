// Paths that are no objects: discovery, OpenAPI, the version and the health of the server.
#pragma once

#include <kcontrol/http/handler.hpp>
#include <kcontrol/testing/request_info.hpp>

#include "testserver/object_store.hpp"

#include <map>
#include <string>
#include <utility>

namespace kcontrol::inline v0_1::testing::detail {

/// Answers requests that are about no resource. Touched on the server's executor only.
class path_handler {
public:
    explicit path_handler(const object_store& store) : store_(store) {}  ///< `store` outlives it

    http::response answer(const http::server_request& request, const request_info& info) const;

    void set_ready(bool ready) { ready_ = ready; }  ///< if not, /readyz fails with 500
    /// Serves that document at a path instead of the server's own.
    void set_openapi(std::string path, std::string document) { openapi_[std::move(path)] = std::move(document); }

private:
    const object_store& store_;
    bool ready_ = true;
    std::map<std::string, std::string> openapi_;  // path → document
};

}  // namespace kcontrol::testing::detail
