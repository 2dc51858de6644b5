// Requests that read one object or a list.
#pragma once

#include <kcontrol/runtime/environment.hpp>

#include "testserver/parsed_request.hpp"
#include "testserver/replica_views.hpp"
#include "testserver/version_converter.hpp"

namespace kcontrol::inline v0_1::testing::detail {

/// Answers reads from what is stored or from a replica's cache. Touched on the server's executor only.
class read_handler {
public:
    /// All three outlive it.
    read_handler(const environment& env, const replica_views& replicas, version_converter& converter)
        : env_(env), replicas_(replicas), converter_(converter) {}

    awaitable<outcome<http::response>> get(const parsed_request& asked, object_store::table_ptr table);
    awaitable<outcome<http::response>> list(const parsed_request& asked, object_store::table_ptr table);

private:
    const environment& env_;
    const replica_views& replicas_;
    version_converter& converter_;
};

}  // namespace kcontrol::testing::detail
